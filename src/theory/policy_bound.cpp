#include "theory/policy_bound.h"

// Which theorem covers a policy. A bound is shown beside data, where it reads as a promise: when in
// doubt there is none.
#include <cmath>
#include <numbers>

#include "armature/parameters.h"
#include "base/mathematics.h"
#include "base/text.h"

namespace armature {
namespace {

// Marginals that are off by any ε > 0 leave the theorems on benign worlds, whatever the instance
// itself is.
bool benign(const Setting& setting) {
  return setting.benign.value_or(false) && setting.epsilon.value_or(0) == 0;
}

// The one parameter theorems are written in for this policy may be given; any other one, a scale or
// another confidence family say, leaves what is proved.
bool read_parameter(const TextForm& form, const char* key, std::optional<double>& value) {
  for (const auto& [name, text] : form.values) {
    if (name != key) return false;
    value = parse_real(text);
    if (!value) return false;
  }
  return true;
}

// The dial of db: R_2 = √(|A|T)·(T/√(|A|T))^dial (spec §4).
// A caller of db names the dial, theory its R_2: the same number must come out as inside the
// policy.
double dialled(const Setting& setting, double dial) {
  const double least = std::sqrt(setting.actions * setting.horizon);
  return least * portable::pow(setting.horizon / least, dial);
}

// Theory has the corrected bias, the default, and two learners, c-ucb and ucb. Home is the learner
// whose promise holds in this world: the causal one only where contexts tell all.
std::optional<double> db_bound(Setting setting, const TextForm& form, double t) {
  std::optional<double> dial;
  if (!read_parameter(form, "dial", dial)) return std::nullopt;
  if (t != setting.horizon) return std::nullopt;  // proved at the horizon only
  if (dial) setting.r2 = dialled(setting, *dial);
  const BalancedLearner causal = causal_learner(setting, CausalLearner::kCausalUcb);
  const BalancedLearner arbitrary = arbitrary_learner(setting);
  return benign(setting) ? db_corrected_bound(setting, causal, arbitrary)
                         : db_corrected_bound(setting, arbitrary, causal);
}

// Warden's bounds are of the mean, and δT is part of them: at the policy's own level, which is not
// theory's 1/T. In any world, with any marginals, (A); where contexts tell all, (B).
constexpr double kWardenLevel = 0.05;

std::optional<double> warden_bound(Setting setting, const TextForm& form, double t) {
  setting.delta = kWardenLevel;
  WardenForm as_it_is;
  for (const auto& [name, text] : form.values) {
    const std::optional<double> value = parse_real(text);
    if (!value) return std::nullopt;  // schedule=free, another set of tests, patience=inf
    if (name == "r")
      as_it_is.allowance = value;
    else if (name == "R1")
      as_it_is.allowance = *value / setting.actions;
    else if (name == "R2")
      as_it_is.allowance = setting.horizon / (8 * std::numbers::e * *value);
    else if (name == "patience")
      as_it_is.patience = *value;
    else if (name == "delta")
      setting.delta = value;
    else
      return std::nullopt;
  }
  if (setting.contexts < 2 && *setting.delta > 0.9) return std::nullopt;  // widths below 1
  return benign(setting) ? warden_benign_bound(setting, as_it_is, t)
                         : warden_any_bound(setting, as_it_is, t);
}

// To cover another policy, add a line here.
std::optional<double> raw_bound(Setting setting, const TextForm& form, double t) {
  if (form.name == "db") return db_bound(setting, form, t);
  if (form.name == "warden") return warden_bound(setting, form, t);
  if (!read_parameter(form, "delta", setting.delta)) return std::nullopt;
  if (form.name == "ucb") return ucb_bound(setting, t);
  if (form.name == "c-ucb" && benign(setting)) return c_ucb_sharp_bound(setting, t);
  if (form.name == "pe" && benign(setting)) return pe_bound(setting, t);
  if (form.name == "sentry") {
    // Theory's default is the paper's widths, the policy's the anytime ones: the bound must be that
    // of what ran.
    SentryForm as_it_is;
    as_it_is.widths = SentryForm::Widths::kAnytime;
    return benign(setting) ? sentry_benign_bound(setting, as_it_is, t)
                           : sentry_any_bound(setting, as_it_is, t);
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> policy_bound(const Setting& setting, const std::string& policy, double t) {
  // With one action there is no regret, and before round 2 no bound is below t.
  if (setting.actions < 2 || setting.contexts < 1 || t < 2) return std::nullopt;
  const std::optional<double> value = raw_bound(setting, TextForm::parse(policy), t);
  return value && *value < t ? value : std::nullopt;
}

std::optional<double> policy_bound_probability(Setting setting, const std::string& policy) {
  const TextForm form = TextForm::parse(policy);
  if (form.name == "warden") return std::nullopt;
  if (form.name == "db") return 1 - 2 * setting.level();  // both learners' widths
  read_parameter(form, "delta", setting.delta);
  if (form.name != "sentry") return 1 - setting.level();
  SentryForm as_it_is;
  as_it_is.widths = SentryForm::Widths::kAnytime;
  return 1 - sentry_level(setting, as_it_is);
}

}  // namespace armature
