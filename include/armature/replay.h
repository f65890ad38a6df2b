// What a policy would have earned, told from a log of another's decisions (docs/replay.md). The
// log's decisions were drawn with known probabilities; then two things can be had without bias:
//   rejection         a run of the policy as if it had been at work, on a part of the log;
//   ips, snips, dr    the value of its decisions, row by row, while it watches the whole log.
// Intervals hold for logs of learning policies too: they are made for martingales.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "armature/interval.h"
#include "armature/log.h"

namespace armature {

enum class ReplayMethod {
  kRejection,  // rows are kept where the policy chose what was played; it learns from those
  kIps,        // every row weighted by what the policy would have played over what was likely
  kSnips,      // the same, divided by the sum of the weights
  kDr,         // the same about a model of rewards that is fitted to earlier rows alone
};
std::string replay_method_name(ReplayMethod method);  // rejection, ips, snips, dr
/// Throws Error with the nearest name.
ReplayMethod replay_method_named(const std::string& name);

/// Whose value is asked for: a policy's text form, or one action for ever, by its name in the log.
struct ReplayCandidate {
  std::string policy;
  std::string action = {};  // if not empty, the policy's text is not looked at
};

struct ReplayQuestion {
  std::vector<ReplayCandidate> candidates;
  /// None: dr for what never learns (`uniform`, `fixed`, one action), rejection for all others.
  std::optional<ReplayMethod> method;
  /// Every action of the log was chosen with the same probability, which need not be logged then.
  bool uniform = false;
  /// Promised by who wrote the log: no action ever had a smaller probability. None: the smallest
  /// logged one is taken for it.
  std::optional<double> least_propensity;
  /// Z carries the whole effect: dr's model goes by contexts. A wrong claim costs precision, no
  /// bias.
  bool benign = false;
  /// What policies are told, and what numbers of actions and contexts mean. None: the names in the
  /// log, and marginals estimated from it.
  std::optional<Problem> given;
  /// What policies are told. None: that of the given problem, else the rows of the log, or those
  /// that rejection is expected to keep.
  std::optional<Round> horizon;
  double level = 0.95;
  /// 0: empirical Bernstein intervals, which hold at every size. Else bootstrap intervals from so
  /// many resamples, which are narrower, take rows for independent and hold for many of them.
  std::uint32_t resamples = 0;
  std::uint64_t seed = 1;
  std::string source = "log";  // names it in errors
};

/// Of one candidate. A value is a mean reward per round.
struct ReplayValue {
  std::string policy;  // canonical text form, or the action's name in quotes
  ReplayMethod method = ReplayMethod::kRejection;
  double value = 0;
  Interval interval;
  double difference = 0;  // from what the log earned
  Interval difference_interval;
  std::uint64_t rounds = 0;      // rows that it was replayed on
  double effective_rows = 0;     // as many rows of its own would tell as much
  double largest_weight = 1;     // of a row
  double unseen = 0;             // the share of its decisions that the log has nothing on
  std::vector<double> shares;    // of each action in its decisions
  std::optional<Round> horizon;  // that it was told
  std::vector<std::string> warnings;
};

struct ReplayAnswer {
  std::vector<std::string> actions;
  std::vector<std::string> contexts;
  std::uint64_t rows = 0;
  double weight = 0;  // of all rows: what they stand for
  bool adaptive = false;
  double least_propensity = 0;  // of all that was logged, or 1/|A|
  double log_value = 0;
  Interval log_interval;
  std::vector<ReplayValue> values;    // in the order of candidates
  std::vector<std::string> notes;     // what was assumed or estimated
  std::vector<std::string> warnings;  // about the log itself
};

/// Reads the log twice. Throws Error for what cannot be answered: no propensities, a policy that
/// does not fit, an action that is not there.
ReplayAnswer replay(LogSource& log, const ReplayQuestion& question);

}  // namespace armature
