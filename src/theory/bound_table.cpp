#include "theory/bound_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "theory/coefficients.h"

namespace armature {

const char* kind_name(BoundKind kind) { return kind == BoundKind::kRate ? "rate" : "explicit"; }
namespace needs {

std::string two_actions(const Setting& setting) {
  return setting.actions >= 2 ? "" : "needs at least two actions";
}

std::string three_actions(const Setting& setting) {
  return setting.actions >= 3 ? "" : "needs at least three actions";
}

std::string action_log(const Setting& setting) {
  const double log_term = union_log(setting.actions, setting.horizon, setting.level());
  return log_term >= 2 ? "" : fmt::format("needs log(2|A|T/δ) ≥ 2, here {:.4g}", log_term);
}

std::string context_log(const Setting& setting) {
  const double log_term = union_log(setting.contexts, setting.horizon, setting.level());
  return log_term >= 2 ? "" : fmt::format("needs log(2|Z|T/δ) ≥ 2, here {:.4g}", log_term);
}

std::string both_logs(const Setting& setting) {
  const std::string actions = action_log(setting);
  return actions.empty() ? context_log(setting) : actions;
}

// δ ≤ 0.914·k for k = |A| and |Z| (docs/sentry.md, section 3).
std::string anytime_widths(const Setting& setting) {
  const double most = 0.914 * std::min(setting.actions, setting.contexts);
  return setting.delta.value_or(0.05) <= most ? "" : fmt::format("needs δ ≤ {:.4g}", most);
}

std::string benign(const Setting& setting) {
  return setting.benign.value_or(true) ? "" : "the instance is not benign";
}

std::string exact_marginals(const Setting& setting) {
  const double epsilon = setting.epsilon.value_or(0);
  return epsilon == 0 ? "" : fmt::format("needs exact marginals, here ε = {:.4g}", epsilon);
}

std::string a_gap(const Setting& setting) { return setting.gap ? "" : "needs the smallest gap"; }

std::string an_epsilon(const Setting& setting) {
  return setting.epsilon ? "" : "needs ε, the distance of the marginals";
}

std::string a_delay(const Setting& setting) {
  return setting.delay ? "" : "needs the delay, the most rounds an outcome may be late";
}

std::string hac_horizon(const Setting& setting) {
  const double least = 25 * setting.actions * setting.actions;
  return setting.horizon >= least ? "" : fmt::format("needs T ≥ 25|A|² = {:.4g}", least);
}

std::string a_round_per_action(const Setting& setting) {
  return setting.horizon >= setting.actions ? "" : "needs T ≥ |A|";
}

std::string a_round_per_context(const Setting& setting) {
  return setting.horizon >= setting.contexts ? "" : "needs T ≥ |Z|";
}

std::string best_delta(const Setting& setting) {
  return setting.horizon > 12.5 * (setting.actions - 1) ? "" : "needs T > 12.5(|A|-1)";
}

std::string fewer_contexts(const Setting& setting) {
  return setting.contexts <= setting.actions
             ? ""
             : "needs |Z| ≤ |A|: with more contexts than actions ucb's rate is the smaller";
}

}  // namespace needs

Bound& BoundTable::add(const Row& row, std::optional<double> value, const char* group) {
  Bound bound{.name = row.name,
              .value = value,
              .kind = row.kind,
              .validity = row.remark.empty() ? "holds" : "holds: " + row.remark,
              .source = row.source,
              .group = group,
              .world = row.world,
              .unit = "regret",
              .failure = std::nullopt};
  for (const Need need : row.needs) {
    const std::string missing = need(setting_);
    if (missing.empty()) continue;
    bound.validity = "outside: " + missing;
    break;
  }
  if (value && !std::isfinite(*value)) {
    bound.value.reset();
    if (bound.holds()) bound.validity = "vacuous: larger than any number";
  }
  bounds_.push_back(std::move(bound));
  return bounds_.back();
}

void BoundTable::upper(const Row& row, std::optional<double> value, double level) {
  Bound& bound = add(row, value, "upper");
  if (row.events > 0) bound.failure = std::min(1.0, row.events * level);
  // No regret exceeds T: a bound that is no less says nothing. Rounding may leave it a hair below.
  if (bound.holds() && *bound.value >= setting_.horizon * (1 - 1e-12))
    bound.validity = "vacuous: not below T, which no regret exceeds";
}

void BoundTable::lower(const Row& row, std::optional<double> value,
                       const std::string& void_because) {
  Bound& bound = add(row, value, "lower");
  if (!value && bound.holds()) bound.validity = "vacuous: " + void_because;
}

void BoundTable::zone(const Row& row, std::optional<double> value, const std::string& unit) {
  Bound& bound = add(row, value, "zones");
  bound.unit = unit;
  if (!value && bound.holds()) bound.validity = "vacuous: nowhere up to 10^18";
}

}  // namespace armature
