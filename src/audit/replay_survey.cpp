#include "audit/replay_survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/error.h"
#include "base/text.h"

namespace armature {
namespace {

void note_propensity(LogSurvey& seen, const LogRow& row, const std::string& source) {
  const bool logged = !std::isnan(row.propensity);
  if (seen.rows == 1) seen.propensities = logged;
  if (logged != seen.propensities)
    throw Error({source, fmt::format("line {}, propensity", row.line),
                 logged ? print_real(row.propensity) : "nothing",
                 "a propensity in every row, or in none"});
  if (!logged) return;
  if (!(row.propensity > 0 && row.propensity <= 1))
    throw Error({source, fmt::format("line {}, propensity", row.line), print_real(row.propensity),
                 "the probability, above 0 and at most 1, with which the action was chosen"});
  double& least = seen.least_propensity[row.action];
  least = std::min(least, row.propensity);
  if (row.propensity > seen.largest) {
    seen.largest = row.propensity;
    seen.largest_line = row.line;
  }
  if (row.propensity < LogSurvey::kTinyPropensity) ++seen.tiny;
  if (row.propensity >= seen.smallest) return;
  seen.smallest = row.propensity;
  seen.smallest_line = row.line;
}

void note_cell(LogSurvey& seen, const LogRow& row) {
  if (row.action >= seen.plays.size()) {
    seen.plays.resize(row.action + 1);
    seen.cells.resize(row.action + 1);
    seen.least_propensity.resize(row.action + 1, std::numeric_limits<double>::infinity());
  }
  std::vector<double>& contexts = seen.cells[row.action];
  if (row.context >= contexts.size()) contexts.resize(row.context + 1);
  seen.plays[row.action] += row.weight;
  contexts[row.context] += row.weight;
}

}  // namespace

LogSurvey survey(LogSource& log, const std::string& source) {
  LogSurvey seen;
  std::uint32_t before = 0;
  for (LogRow row; log.next(row); before = row.action) {
    ++seen.rows;
    seen.weight += row.weight;
    seen.weighted = seen.weighted || row.weight != 1;
    seen.rewards += row.weight * row.reward;
    if (seen.rows > 1 && row.action == before) ++seen.neighbours;
    note_cell(seen, row);
    note_propensity(seen, row, source);
  }
  seen.actions = log.actions();
  seen.contexts = log.contexts();
  seen.plays.resize(seen.actions.size());
  seen.cells.resize(seen.actions.size());
  for (std::vector<double>& contexts : seen.cells) contexts.resize(seen.contexts.size());
  seen.least_propensity.resize(seen.actions.size(), std::numeric_limits<double>::infinity());
  return seen;
}

bool looks_sorted(const LogSurvey& log) {
  if (log.weighted || log.rows < 2) return false;
  double chance = 0;
  for (const double plays : log.plays) chance += plays / log.weight * (plays / log.weight);
  const double pairs = static_cast<double>(log.rows - 1);
  const double excess = static_cast<double>(log.neighbours) - pairs * chance;
  return excess > 8 * std::sqrt(pairs * chance * (1 - chance)) + 8;
}

}  // namespace armature
