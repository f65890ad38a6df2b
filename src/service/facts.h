// What an experiment is: settled once (Settings), or once per epoch (Epoch).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "armature/model.h"

namespace armature::service {

using Sequence = std::uint64_t;  // of events within an experiment, from 1
using Time = std::int64_t;       // microseconds since 1970, UTC; or a length of time
using EpochNumber = std::uint32_t;
using ExperimentId = std::int64_t;  // within one store; outside, experiments go by their names

inline constexpr Time kSecond = 1'000'000;
inline constexpr Time kMinute = 60 * kSecond;
inline constexpr Time kHour = 60 * kMinute;

/// What is learned of a decision that nobody reports on. Whoever has one learns everything at the
/// deadline: learning reports as they come, and silence later, would favour what answers fast.
struct Silence {
  std::string context;
  double reward = 0;
  bool operator==(const Silence&) const = default;
};

struct Settings {
  std::optional<Time> deadline = 24 * kHour;  // none: never
  std::optional<Silence> silence;             // none: forgotten at the deadline
  std::optional<std::string> fallback;        // the action of a paused experiment; none: refused
  double floor = 0;                           // every action has this / |A| at least
  bool stop_at_horizon = false;               // else it goes on, and answers say so
  bool contexts_optional = false;             // a reward alone is an outcome, with context 0
  std::uint64_t most_open = 1'000'000;        // decisions without an outcome at any time
  bool operator==(const Settings&) const = default;
};

/// How the policy of a new epoch begins.
enum class Start : std::uint8_t {
  kFresh,   // knowing nothing
  kReplay,  // taught all outcomes that were learned so far, as amended
  kSince,   // taught those learned from `since` on
};

/// The policy of somebody who decides elsewhere and tells: outcomes are kept, and shadows learn.
inline constexpr const char* kExternalPolicy = "external";

/// From `first` on decisions are made by this policy for this problem.
struct Epoch {
  EpochNumber number = 1;
  Sequence first = 1;  // seq of the event that opened it
  Problem problem;
  std::string policy;   // canonical text form, with the floor around it
  std::string written;  // as it was asked for
  Start start = Start::kFresh;
  Sequence since = 0;
  std::string reason;  // for people
  std::string build;   // which armature opened it
};

/// What never changes.
struct ExperimentFacts {
  std::string name;
  std::string tenant;
  std::uint64_t seed = 0;
  Settings settings;
  Time created = 0;
};

/// What an experiment is created from, and its first epoch.
struct Creation {
  ExperimentFacts facts;
  Problem problem;
  std::string policy;  // as written: without the floor
};

inline constexpr std::size_t kLongestPolicy = 4'000;  // bytes, as clients write it

/// The JSON of POST /v1/experiments (docs/formats.md); actions and contexts by name or by number.
/// Throws Error naming the field of the request.
Creation read_creation(const std::string& json, const std::string& source);
std::string write_creation(const Creation& creation);
/// The part of it that is the problem; complaints name fields as `problem.actions`.
Problem read_experiment_problem(const std::string& json);
/// Settings alone, as they are stored.
std::string write_settings(const Settings& settings);
Settings read_settings(const std::string& json, const std::string& source);

/// Throws Error naming the field: names, ranges, and what does not go together.
void check_creation(const Creation& creation);
/// Do a new epoch's problem and policy go with what was settled (silence, the fallback, the
/// deadline)? Throws Error.
void check_settings(const Settings& settings, const Problem& problem, const std::string& policy);
/// Decisions that may be open at once: as it was settled, but some policies take fewer.
std::uint64_t most_open(const Settings& settings, const std::string& policy);
/// Throws Error if contexts are optional for a policy that goes by them: found by trying.
void check_contexts(const Settings& settings, const Problem& problem, const std::string& policy);
/// Throws Error: |A||Z| is memory, and a client asks for it.
void require_cells(const Problem& problem, std::uint64_t most);
/// The policy that decides: canonical, and with the floor around it where there is one.
std::string policy_with_floor(const std::string& policy, double floor, const Problem& problem);

/// 24h, 90m, 10s, 7d; "never" is none. Throws Error.
std::optional<Time> parse_duration(const std::string& text, const std::string& field);
std::string print_duration(std::optional<Time> duration);

/// Version, compiler, hash of the sources: what another build of could compute other bits.
std::string this_build();

}  // namespace armature::service
