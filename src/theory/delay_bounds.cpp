// Late outcomes (docs/theory.md): every outcome comes, at most D rounds late. Each bound is the one
// for prompt outcomes and a price per round of delay.
#include <algorithm>
#include <cmath>

#include "armature/theory.h"
#include "theory/coefficients.h"
#include "theory/guards.h"

namespace armature {
namespace {

double delay_of(const Setting& setting) { return needed(setting.delay, "delay"); }

// Each action is played for D rounds at most on the strength of a width that is out of date; the
// best one costs nothing by it. What was narrowed in advance may hide the best action for D rounds.
double action_price(const Setting& setting, InFlight in_flight) {
  return in_flight == InFlight::kCount ? setting.actions : setting.actions - 1;
}

// Estimates are off by at most 1; the width of what was never seen is sqrt(L_Z/2), and not clipped.
double context_price(const Setting& setting) {
  const double log_term = union_log(setting.contexts, setting.horizon, setting.level());
  return setting.contexts * (1 + std::sqrt(log_term / 2));
}

// K.
double shortfall_price(const Setting& setting) {
  return shortfall_coefficient(setting.contexts, setting.horizon, setting.level());
}

// What E explorations leave open. An exploration sees all but D of the plays of its action before
// it, so that |A|·D of them are as good as lost; `count` may be misled on D more rounds, but not in
// all of the last y: any 0 < y < E - |A|D will do, and this one is near the best for small delays.
double late_resolution(const Setting& setting, const SentryForm& form, InFlight in_flight) {
  const double delay = delay_of(setting);
  const double seen =
      std::max(0.0, sentry_budget(setting, form) - setting.actions * delay);  // E - |A|·D
  const double open = sentry_resolution(setting, form, seen);
  if (in_flight == InFlight::kIgnore || delay == 0 || seen == 0) return open;
  const double last = std::min(seen / 2, std::sqrt(2 * seen * delay / open));
  return sentry_resolution(setting, form, seen - last) + delay / last;
}

}  // namespace

double ucb_delay_bound(const Setting& setting, InFlight in_flight, double t) {
  return ucb_bound(setting, t) + action_price(setting, in_flight) * delay_of(setting);
}

double c_ucb_delay_bound(const Setting& setting, InFlight in_flight, double t) {
  const double shortfall = in_flight == InFlight::kCount ? shortfall_price(setting) : 0;
  return c_ucb_sharp_bound(setting, t) + (context_price(setting) + shortfall) * delay_of(setting);
}

double sentry_delay_causal_bound(const Setting& setting, double t) {
  const double price =
      action_price(setting, InFlight::kCount) + context_price(setting) + shortfall_price(setting);
  return sentry_causal_bound(setting, {}, t) + price * delay_of(setting);
}

double sentry_delay_ucb_bound(const Setting& setting, double t) {
  const double price = action_price(setting, InFlight::kCount) + shortfall_price(setting);
  return sentry_ucb_bound(setting, {}, t) + price * delay_of(setting);
}

double sentry_delay_benign_bound(const Setting& setting, double t) {
  return std::min(sentry_delay_causal_bound(setting, t), sentry_delay_ucb_bound(setting, t));
}

double sentry_delay_any_bound(const Setting& setting, InFlight in_flight, double t) {
  const SentryForm form;
  const double budget = sentry_budget(setting, form);
  const double late = action_price(setting, in_flight) * delay_of(setting);
  // No causal round, nothing left open: not infinity times 0.
  const double open = t > budget ? (t - budget) * late_resolution(setting, form, in_flight) : 0;
  return sentry_ucb_bound(setting, form, t) + open + late;
}

}  // namespace armature
