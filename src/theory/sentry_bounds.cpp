// Sentry's theorem (docs/sentry.md, section 3), for both families of widths and all schedules.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/theory.h"
#include "base/mathematics.h"
#include "base/whole_roots.h"
#include "theory/coefficients.h"
#include "theory/guards.h"

namespace armature {
namespace {

using Widths = SentryForm::Widths;
using Schedule = SentryForm::Schedule;
constexpr double kAnytimeLevel = 0.05;  // the policy's own default

// Λ(k,t) = 1.445·(log log(2t) + 0.72·log(10.4·k/δ)).
double anytime_log(double count, double t, double delta) {
  return 1.445 * (portable::log(portable::log(2 * t)) + 0.72 * portable::log(10.4 * count / delta));
}

double log_of(const Setting& setting, const SentryForm& form, double count, double t) {
  const double delta = sentry_level(setting, form);
  return form.widths == Widths::kPaper ? union_log(count, setting.horizon, delta)
                                       : anytime_log(count, t, delta);
}

// As a whole number, which only a number in this range is.
std::uint64_t whole(double value, const char* field) {
  constexpr double kMost = 1e18;
  if (!(value >= 1 && value <= kMost))
    throw Error({"", field, fmt::format("{}", value), "a number from 1 to 1e18"});
  return static_cast<std::uint64_t>(value);
}

// ⌈min(t, |A|^{1/3}·t^{2/3})⌉, of whole numbers as the policy has it.
double free_explorations(const Setting& setting, double t) {
  return static_cast<double>(two_thirds_budget(whole(setting.actions, "actions"), whole(t, "t")));
}

// e(t): the most rounds of exploration among the first t.
double explorations(const Setting& setting, const SentryForm& form, double t) {
  const double budget = sentry_budget(setting, form);
  if (form.schedule == Schedule::kFirst) return std::min(t, std::ceil(budget));
  if (form.schedule == Schedule::kSpread) return std::ceil(budget / setting.horizon * t);
  return free_explorations(setting, t);
}

// S(t): what causal rounds cost beyond their widths while the screen is not yet sharp.
double screen_cost(const Setting& setting, const SentryForm& form, double t) {
  const double log_term = 2 * sentry_action_log(setting, form, t) + 1;
  const double budget = sentry_budget(setting, form);
  if (form.schedule == Schedule::kFirst)
    return std::max(0.0, t - budget) * std::sqrt(setting.actions * log_term / budget);
  if (form.schedule == Schedule::kSpread) {
    const double share = budget / setting.horizon;
    return 2 * (1 - share) * std::sqrt(setting.actions * log_term * t / share);
  }
  const double cube_root = portable::cbrt(setting.actions);
  return 1.5 * cube_root * std::sqrt(log_term) *
         std::max(0.0, portable::cbrt(t * t) - cube_root * cube_root);
}

// G(T) for λ = ½.
double unresolved_cost(const Setting& setting, const SentryForm& form) {
  const double horizon = setting.horizon;
  const double gap = needed(setting.gap, "gap");
  const double log_term = 2 * sentry_action_log(setting, form, horizon) + 1;
  const double budget = sentry_budget(setting, form);
  if (form.schedule == Schedule::kFirst) {
    const double open = 2 * sentry_resolution(setting, form, budget);  // gaps below may remain
    return gap >= open ? 0 : std::max(0.0, horizon - budget) * std::min(1.0, open);
  }
  if (form.schedule == Schedule::kSpread) {
    const double share = budget / horizon;
    return 8 * (1 - share) * setting.actions * log_term / (share * gap);
  }
  return 12 * setting.actions * portable::pow(log_term, 1.5) / gap / gap;
}

}  // namespace

double sentry_level(const Setting& setting, const SentryForm& form) {
  return form.widths == Widths::kPaper ? setting.level() : setting.delta.value_or(kAnytimeLevel);
}

double sentry_budget(const Setting& setting, const SentryForm& form) {
  const double horizon = setting.horizon;
  whole(horizon, "horizon");
  if (form.budget && !(*form.budget >= 0))
    throw Error({"", "budget", fmt::format("{}", *form.budget), "a number of rounds"});
  const double budget = form.budget ? *form.budget : free_explorations(setting, horizon);
  return std::clamp(budget, 1.0, horizon);
}

double sentry_action_log(const Setting& setting, const SentryForm& form, double t) {
  return log_of(setting, form, setting.actions, t);
}

double sentry_context_log(const Setting& setting, const SentryForm& form, double t) {
  return log_of(setting, form, setting.contexts, t);
}

// D_C = sqrt(ℓ_Z)·(sqrt(8|Z|) + sqrt(ℓ_M)). log(T/δ) is L for k = ½, as Λ(½, t) is its counterpart.
double sentry_coefficient(const Setting& setting, const SentryForm& form, double t) {
  return std::sqrt(sentry_context_log(setting, form, t)) *
         (std::sqrt(8 * setting.contexts) + std::sqrt(log_of(setting, form, 0.5, t)));
}

double sentry_resolution(const Setting& setting, const SentryForm& form, double explorations) {
  const double log_term = 2 * sentry_action_log(setting, form, setting.horizon) + 1;
  return std::sqrt(setting.actions * log_term / explorations);
}

double sentry_any_bound(const Setting& setting, const SentryForm& form, double t) {
  return sentry_ucb_bound(setting, form, t) + screen_cost(setting, form, t);
}

double sentry_causal_bound(const Setting& setting, const SentryForm& form, double t) {
  const double explored = explorations(setting, form, t);
  return sentry_coefficient(setting, form, t) * std::sqrt(t) +
         std::sqrt(8 * setting.actions * sentry_action_log(setting, form, t) * explored);
}

double sentry_ucb_bound(const Setting& setting, const SentryForm& form, double t) {
  return std::sqrt(8 * setting.actions * sentry_action_log(setting, form, t) * t);
}

double sentry_benign_bound(const Setting& setting, const SentryForm& form, double t) {
  return std::min(sentry_causal_bound(setting, form, t), sentry_ucb_bound(setting, form, t));
}

double sentry_epsilon_bound(const Setting& setting, const SentryForm& form, double t) {
  const double epsilon = needed(setting.epsilon, "epsilon");
  const double context_log = sentry_context_log(setting, form, t);
  return std::min(
      sentry_causal_bound(setting, form, t) + epsilon * (1 + std::sqrt(context_log / 2)) * t,
      sentry_ucb_bound(setting, form, t) + epsilon / 2 * t);
}

// Only the smallest gap is known: 8ℓ_A/Δ + Δ falls in Δ, so it is the worst of all actions' gaps.
double sentry_gap_bound(const Setting& setting, const SentryForm& form) {
  const double gap = needed(setting.gap, "gap");
  const double log_term = sentry_action_log(setting, form, setting.horizon);
  return (setting.actions - 1) * (8 * log_term / gap + gap) + unresolved_cost(setting, form);
}

double sentry_benign_gap_bound(const Setting& setting, const SentryForm& form) {
  const double gap = needed(setting.gap, "gap");
  const double log_term = sentry_action_log(setting, form, setting.horizon);
  return (setting.actions - 1) * (2 * log_term / gap + gap);
}

}  // namespace armature
