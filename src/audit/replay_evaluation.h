// One candidate on its way through the log: two ways to be replayed, one interface.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "armature/policy.h"
#include "armature/replay.h"
#include "audit/replay_survey.h"

namespace armature {

/// What all candidates share.
struct ReplaySetting {
  const ReplayQuestion& question;
  const LogSurvey& log;
  bool adaptive;
  /// Per action, below which no probability of the log lies; and the least of all actions.
  std::vector<double> least_propensity;
  double smallest;
  Problem problem;  // with a horizon only if a given one has it
};

/// What the log itself earned, which every candidate is compared with.
struct LogEarnings {
  double value;
  Interval interval;       // at the level asked for
  Interval half_interval;  // at half the error: where two intervals must hold together
};

class ReplayEvaluation {
 public:
  virtual ~ReplayEvaluation() = default;
  /// The next row; `number` counts from 1. Its propensity is filled in.
  virtual void take(const LogRow& row, std::uint64_t number) = 0;
  virtual ReplayValue finish(const LogEarnings& earned) = 0;
};

/// Throws Error where the candidate or the log does not fit the method.
std::unique_ptr<ReplayEvaluation> evaluation_of(const ReplayCandidate& candidate,
                                                const ReplaySetting& setting);

/// What a policy is told: what was asked for or given, else the rows that it will be replayed on,
/// as far as that is known beforehand.
Round told_horizon(const ReplaySetting& setting, ReplayMethod method);

/// `uniform`, `fixed` or one action: the same law over actions in every round. This is narrower
/// than not `policy_learns` (log_writer.h): round-robin never learns, and yet plays another action
/// in every round; and the oracle is no candidate.
bool plays_one_law(const ReplayCandidate& candidate);

}  // namespace armature
