// UCB, C-UCB (App. C) and HAC-UCB.
#include <cmath>

#include "armature/theory.h"
#include "base/mathematics.h"
#include "theory/coefficients.h"
#include "theory/guards.h"

namespace armature {

double ucb_bound(const Setting& setting, double t) {
  return ucb_coefficient(setting.actions, setting.horizon, setting.level()) * std::sqrt(t);
}

// An action of gap Δ is played at most 2L_A/Δ² + 1 times on the good event; 2L_A/Δ + Δ falls in Δ
// as long as 2L_A ≥ 1, so the smallest gap is the worst (docs/sentry.md, section 4.7).
double ucb_gap_bound(const Setting& setting) {
  const double log_term = union_log(setting.actions, setting.horizon, setting.level());
  const double gap = needed(setting.gap, "gap");
  return (setting.actions - 1) * (2 * log_term / gap + gap);
}

double c_ucb_bound(const Setting& setting, double t) {
  return causal_ucb_coefficient(setting.contexts, setting.horizon, setting.level()) * std::sqrt(t);
}

double c_ucb_sharp_bound(const Setting& setting, double t) {
  return sharp_causal_ucb_coefficient(setting.contexts, setting.horizon, setting.level()) *
         std::sqrt(t);
}

double c_ucb_epsilon_rate(const Setting& setting, double t) {
  const double delta = setting.level();
  const double causal =
      std::sqrt(log_or_zero(setting.contexts * setting.horizon / delta)) *
      (std::sqrt(setting.contexts) + std::sqrt(log_or_zero(setting.horizon / delta)));
  return causal * std::sqrt(t) + needed(setting.epsilon, "epsilon") * t;
}

double hac_ucb_benign_rate(const Setting& setting, double t) {
  return std::sqrt(setting.contexts * t);
}

// A sweep of √T/|A| plays leaves every action's mean open by sqrt(|A| log T)·T^{-1/4}.
double hac_ucb_any_rate(const Setting& setting, double t) {
  return portable::pow(t, 0.75) * std::sqrt(setting.actions * guarded_log(t));
}

namespace {

// What sweeps and contexts cost, with 2|A| + 1 for the events that fail (docs/theory.md, "hac-ucb's
// rate with its |A|").
double hac_ucb_causal_cost(const Setting& setting) {
  const double t = setting.horizon;
  const double log_term = guarded_log(t);
  return std::sqrt(t) + 1.5 * setting.actions + 4 * std::sqrt(setting.contexts * t * log_term) +
         log_term * std::sqrt(2 * t) + 2 * setting.actions + 1;
}

}  // namespace

double hac_ucb_expected_benign(const Setting& setting) {
  return hac_ucb_causal_cost(setting) + 2 * setting.contexts;
}

double hac_ucb_expected_any(const Setting& setting) {
  const double t = setting.horizon;
  const double log_term = guarded_log(t);
  const double sweeps = std::sqrt(t) / setting.actions + 0.5;  // no more than are played
  return hac_ucb_causal_cost(setting) + 2 * t * std::sqrt(log_term / sweeps) +
         4 * std::sqrt(setting.actions * t * log_term);
}

}  // namespace armature
