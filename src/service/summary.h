// What readers see of an experiment: immutable, made by the writer after a commit, at most ten
// times a second. Pages and metrics read these and never wait for the writer.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "armature/policy.h"
#include "service/facts.h"

namespace armature::service {

enum class ExperimentState : std::uint8_t { kRunning, kPaused, kFinished, kQuarantined };
const char* state_name(ExperimentState state);  // running, paused, finished, quarantined

/// Learned outcomes of one action in one context, or of one action altogether.
struct Rewards {
  std::uint64_t learned = 0;
  double rewards = 0;
  double squares = 0;  // of rewards, added up: for intervals
};

struct ActionSummary {
  std::string name;
  bool present = true;  // in the problem of the current epoch
  std::uint64_t decided = 0;
  Rewards outcomes;
  std::vector<std::uint64_t> contexts;  // learned outcomes by context, as in Summary::contexts
  std::vector<double> rewards;          // and their rewards
};

/// Decisions in a row, for curves over time. All stretches but the last cover as many.
struct Stretch {
  Time begin = 0;
  std::uint64_t decided = 0;
  std::uint64_t learned = 0;  // while it lasted
  double rewards = 0;
  std::vector<std::uint32_t> plays;  // by action, as in Summary::actions
};

struct ShadowSummary {
  std::string policy;
  std::uint64_t asked = 0;   // decisions it was asked about
  std::uint64_t agreed = 0;  // …and would have made alike
  Diagnostics diagnostics;
  std::string failure;  // why it watches no more; empty: it does
};

/// Delays from decision to first report: how many took less than 1, 2, 4, … seconds; the last:
/// longer.
inline constexpr std::size_t kDelayBuckets = 24;
using Delays = std::array<std::uint64_t, kDelayBuckets>;

struct Summary {
  ExperimentFacts facts;
  ExperimentState state = ExperimentState::kRunning;
  std::string state_reason;
  EpochNumber epoch = 1;
  Sequence epoch_first = 1;
  std::string policy;
  std::shared_ptr<const Epoch> epoch_facts;  // problem and all
  Sequence seq = 0;                          // of the last event in here
  Time time = 0;                             // and when it happened
  std::uint64_t number = 0;                  // of this summary: rises with every one

  std::uint64_t decisions = 0;  // = open + waiting + learned + forgotten + late
  std::uint64_t open = 0;
  std::uint64_t waiting = 0;
  std::uint64_t learned = 0;
  std::uint64_t forgotten = 0;
  std::uint64_t late = 0;
  std::uint64_t fallbacks = 0;      // of all decisions
  std::uint64_t rounds = 0;         // decisions of this epoch's policy
  std::optional<Time> oldest_open;  // when it was decided

  std::vector<std::string> contexts;   // all there ever were
  std::vector<ActionSummary> actions;  // all there ever were
  std::vector<Stretch> history;
  Delays delays{};
  Diagnostics diagnostics;  // of the policy
  std::vector<ShadowSummary> shadows;
  std::uint64_t amended = 0;  // corrections that wait for the next epoch

  std::optional<Sequence> snapshot;  // the newest one's
};

}  // namespace armature::service
