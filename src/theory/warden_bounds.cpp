// Warden's theorem (docs/warden.md, "The theorem"), in expectation.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "armature/theory.h"
#include "base/mathematics.h"
#include "theory/guards.h"
#include "theory/moss_tail.h"

namespace armature {
namespace {

const double kRootPi = std::sqrt(std::numbers::pi);

// Λ(|A|, t) at the setting's δ.
double action_log(const Setting& setting, double t) {
  Setting at = setting;
  at.delta = setting.level();
  SentryForm form;
  form.widths = SentryForm::Widths::kAnytime;
  return sentry_action_log(at, form, t);
}

// h: what a watch of κ|A|r² rounds leaves open. Infinite patience leaves nothing.
double left_open(const Setting& setting, const WardenForm& form) {
  const double r = warden_allowance(setting, form);
  const double plays = form.patience * r * r - 1;  // m: of the action watched most, at the least
  if (std::isinf(plays)) return 0;
  if (plays < 1) return 1;
  return r / plays + std::sqrt(action_log(setting, plays) / (2 * plays));
}

double watch_rounds(const Setting& setting, const WardenForm& form) {
  const double r = warden_allowance(setting, form);
  return form.patience * setting.actions * r * r;
}

// ξ: how far the best action's index in the watch falls below its mean (Lemma 1).
struct Shortfall {
  double r;
  double root;  // sqrt(T/|A|)

  double tail(double x) const { return portable::exp(-8 * r * x) + moss_tail(x * root); }
  /// E(ξ - x)⁺
  double excess(double x) const {
    return portable::exp(-8 * r * x) / (8 * r) + moss_excess(x * root) / root;
  }
  /// E[ξ; ξ > x]
  double beyond(double x) const { return x * tail(x) + excess(x); }
};

Shortfall shortfall(const Setting& setting, const WardenForm& form) {
  return {warden_allowance(setting, form), std::sqrt(setting.horizon / setting.actions)};
}

// B of the contexts' widths.
double context_rounds(const Setting& setting) {
  return std::max(2.0, setting.horizon / setting.contexts);
}

// Following Z up to round t. What is paid for the contexts' widths and their first T/|Z| visits is
// paid at once, the rest round by round.
double following_cost(const Setting& setting, double t) {
  const double root = std::sqrt(setting.contexts * setting.horizon);
  const double per_round = moss_excess(0) + std::sqrt(std::numbers::pi / 8) +
                           std::sqrt(log_or_zero(setting.contexts) / 2);
  return setting.contexts + root * (kRootPi + 0.5 + t / setting.horizon * per_round);
}

// What watching one action of gap Δ costs by its allowance while ξ ≤ Δ/2, and by its MOSS width
// (with Δ ≤ 1 inside the log): never more for a larger gap.
double allowance_cost(double allowance, double gap) { return 2 * allowance + 2 + 2 / gap; }

double moss_cost(const Setting& setting, double gap) {
  const double log_term = std::max(1.0, log_or_zero(setting.horizon / (8 * setting.actions)));
  return (8 * log_term + 8) / gap + gap;
}

}  // namespace

double warden_allowance(const Setting& setting, const WardenForm& form) {
  if (form.allowance) {
    if (!(*form.allowance > 0) || !std::isfinite(*form.allowance))
      throw Error({"", "r", fmt::format("{}", *form.allowance), "a positive loss"});
    return *form.allowance;
  }
  return std::max(0.5, std::min(std::sqrt(setting.contexts * setting.horizon) / 6 / setting.actions,
                                std::sqrt(setting.horizon / setting.actions) / 2));
}

double warden_any_bound(const Setting& setting, const WardenForm& form, double t) {
  return setting.actions + t * shortfall(setting, form).excess(0) +
         kRootPi * std::sqrt(setting.actions * setting.horizon) +
         3 * std::sqrt(2 * action_log(setting, t) * setting.actions * t) +
         t * left_open(setting, form) + setting.level() * t;
}

double warden_any_bound(const Setting& setting, const WardenForm& form) {
  return warden_any_bound(setting, form, setting.horizon);
}

double warden_benign_bound(const Setting& setting, const WardenForm& form, double t) {
  const double r = warden_allowance(setting, form);
  // Actions of a smaller gap are not told apart: for them patience is the bound.
  const double gap = std::sqrt(2 / form.patience) / r;
  const double watching =
      (setting.actions - 1) * allowance_cost(r, gap) +
      watch_rounds(setting, form) * (gap + 2 * shortfall(setting, form).excess(gap / 2)) + 1;
  return following_cost(setting, t) + watching + 3 * setting.level() * t;
}

double warden_benign_bound(const Setting& setting, const WardenForm& form) {
  return warden_benign_bound(setting, form, setting.horizon);
}

// The factor is that of docs/warden.md, (B_ε): U(z) is not clipped, so it has a log in it.
double warden_epsilon_bound(const Setting& setting, const WardenForm& form) {
  const double factor = 1.5 + std::sqrt(portable::log(context_rounds(setting)) / 2) / 2;
  return warden_benign_bound(setting, form) +
         needed(setting.epsilon, "epsilon") * factor * setting.horizon;
}

// Only the smallest gap is known: every part is largest there.
double warden_gap_bound(const Setting& setting, const WardenForm& form) {
  const double horizon = setting.horizon;
  const double gap = needed(setting.gap, "gap");
  const double log_term = action_log(setting, horizon);
  const double root =
      3 * std::sqrt(log_term) + std::sqrt(log_or_zero(horizon / (18 * setting.actions * log_term)));
  const double resolving = std::max(2 * root * root, 32 * log_term);  // plays, times Δ²
  const double open = 4 * left_open(setting, form);
  return (setting.actions - 1) * (resolving / gap + gap) +
         2 * horizon * shortfall(setting, form).beyond(gap / 2) +
         (gap >= open ? 0 : horizon * std::min(1.0, open)) + setting.level() * horizon;
}

double warden_benign_gap_bound(const Setting& setting, const WardenForm& form) {
  const double horizon = setting.horizon;
  const double gap = needed(setting.gap, "gap");
  const double log_term = action_log(setting, horizon);
  const double root = std::sqrt(context_rounds(setting));
  const double watching =
      std::min(allowance_cost(warden_allowance(setting, form), gap), moss_cost(setting, gap));
  return (setting.actions - 1) * (8 * log_term / gap + gap + watching) +
         2 * watch_rounds(setting, form) * shortfall(setting, form).beyond(gap / 2) + 1 +
         4 * horizon * moss_excess(gap * root / 4) / root + 3 * setting.level() * horizon;
}

}  // namespace armature
