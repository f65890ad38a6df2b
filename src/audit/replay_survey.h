// A first look at a log: what replay must know before the first decision.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "armature/log.h"

namespace armature {

struct LogSurvey {
  std::vector<std::string> actions, contexts;
  std::uint64_t rows = 0;
  double weight = 0;
  bool weighted = false;  // some row stands for more or less than one
  double rewards = 0;
  std::vector<double> plays;               // per action, by weight
  std::vector<std::vector<double>> cells;  // per action and context, by weight

  bool propensities = false;  // logged in every row
  /// Per action; infinity for what was never played.
  std::vector<double> least_propensity;
  double smallest = std::numeric_limits<double>::infinity(), largest = 0;
  std::uint64_t smallest_line = 0, largest_line = 0;
  std::uint64_t tiny = 0;        // rows below kTinyPropensity
  std::uint64_t neighbours = 0;  // rows with the action of the row before

  static constexpr double kTinyPropensity = 1e-3;

  bool seen(std::size_t action) const { return plays[action] > 0; }
  /// What the row with the largest propensity leaves to each other action on average: one of them
  /// had no more.
  double left_by_largest() const {
    return (1 - largest) / (static_cast<double>(actions.size()) - 1);
  }
};

/// Reads the log to its end. `source` names it in errors: propensities that are no probabilities,
/// or logged in some rows only.
LogSurvey survey(LogSource& log, const std::string& source);

/// Far more rows follow a row of their own action than chance allows (beyond 8 standard errors): a
/// file that was sorted, or a logger whose probabilities wandered.
bool looks_sorted(const LogSurvey& log);

}  // namespace armature
