// The Pareto frontier R_1·R_2 = |A|T, the region the lower bound excludes, and where policies stand
// (Thm 3.2, Fig. 1). R_1 is the regret in benign worlds, R_2 in the worst, both expected: explicit
// points take δ = 1/T and add δT for each good event, so 1 to 4.
#include "theory/frontier.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/error.h"
#include "base/mathematics.h"
#include "base/text.h"

namespace armature {

RegretPair ucb_pair(const Setting& setting) {
  const double bound = ucb_bound(setting, setting.horizon) + 1;
  return {bound, bound};
}

RegretPair c_ucb_pair(const Setting& setting) {
  return {c_ucb_sharp_bound(setting, setting.horizon) + 2, setting.horizon};
}

RegretPair hac_ucb_pair(const Setting& setting) {
  return {hac_ucb_expected_benign(setting),
          std::min(setting.horizon, hac_ucb_expected_any(setting))};
}

RegretPair sentry_pair(const Setting& setting, double budget) {
  SentryForm form;
  form.budget = budget;
  const double t = setting.horizon;
  return {
      std::min(sentry_causal_bound(setting, form, t) + 3, sentry_ucb_bound(setting, form, t) + 2),
      sentry_any_bound(setting, form, t) + 1};
}

RegretPair warden_pair(const Setting& setting, double allowance) {
  WardenForm form;
  form.allowance = allowance;
  return {warden_benign_bound(setting, form), warden_any_bound(setting, form)};
}

// With Z_1·d_1 ≤ Z_2·d_2 the causal learner is never switched off in benign worlds, and the bound
// of the fixed split holds for the corrected bias too (docs/theory.md, four events).
RegretPair db_pair(const Setting& setting) {
  const BalancedLearner causal = causal_learner(setting, CausalLearner::kCausalUcb);
  const BalancedLearner ucb = arbitrary_learner(setting);
  double benign = db_corrected_bound(setting, causal, ucb) + 3;
  if (causal.coefficient <= ucb.dial * ucb.coefficient)
    benign = std::min(benign, db_printed_benign_bound(setting, causal, ucb) + 4);
  return {benign, db_corrected_bound(setting, ucb, causal) + 2};
}

std::string sentry_text(double budget) {
  return "sentry:confidence=paper,budget=" + print_real(budget);
}

std::string warden_text(const Setting& setting, double allowance) {
  return fmt::format("warden:r={},delta={}", print_real(allowance), print_real(setting.level()));
}

double frontier_benign(const Setting& setting, double r2) {
  return std::max(std::sqrt(setting.contexts * setting.horizon),
                  setting.actions * setting.horizon / r2);
}

namespace {

// low, …, high in equal ratios, with both ends exact.
std::vector<double> geometric(double low, double high, std::size_t count) {
  std::vector<double> values;
  for (std::size_t k = 0; k < count; ++k) {
    const double share = static_cast<double>(k) / static_cast<double>(count - 1);
    values.push_back(std::clamp(low * portable::pow(high / low, share), low, high));
  }
  values.back() = high;
  return values;
}

Setting with_worst_regret(Setting setting, double r2) {
  setting.r2 = r2;
  return setting;
}

void add_curves(Frontier& result, std::size_t count) {
  const Setting& s = result.setting;
  const double least = std::sqrt(s.actions * s.horizon);
  if (least > s.horizon) return;
  std::vector<double> along = geometric(least, s.horizon, count);
  const double corner = s.actions * std::sqrt(s.horizon / s.contexts);  // where R_1 = sqrt(|Z|T)
  if (corner > least && corner < s.horizon)
    along.insert(std::upper_bound(along.begin(), along.end(), corner), corner);
  for (const double r2 : along)
    result.points.push_back({"frontier", "", BoundKind::kRate, frontier_benign(s, r2), r2});
  if (s.actions < 2 || least >= s.horizon / kSharpFrontierLimit) return;
  result.lower_until = s.horizon / kSharpFrontierLimit;
  for (const double r2 : geometric(least, s.horizon / kSharpFrontierLimit, count)) {
    const auto r1 = frontier_lower_sharp(with_worst_regret(s, r2));
    if (r1) result.points.push_back({"lower", "", BoundKind::kExplicit, *r1, r2});
  }
}

void add_fixed_policies(Frontier& result) {
  const Setting& s = result.setting;
  const double minimax = std::sqrt(s.actions * s.horizon);
  const double causal = std::sqrt(s.contexts * s.horizon);
  const auto add = [&](const char* name, BoundKind kind, RegretPair pair) {
    result.points.push_back({name, name, kind, pair.r1, pair.r2});
  };
  add("ucb", BoundKind::kRate, {minimax, minimax});
  add("ucb", BoundKind::kExplicit, ucb_pair(s));
  add("c-ucb", BoundKind::kRate, {causal, s.horizon});
  add("c-ucb", BoundKind::kExplicit, c_ucb_pair(s));
  if (s.horizon >= 25 * s.actions * s.actions)
    add("hac-ucb", BoundKind::kRate, {causal, std::min(s.horizon, hac_ucb_any_rate(s, s.horizon))});
  add("hac-ucb", BoundKind::kExplicit, hac_ucb_pair(s));
}

void add_dials(Frontier& result, std::size_t count) {
  const Setting& s = result.setting;
  const double least = std::sqrt(s.actions * s.horizon);
  const double farthest = std::max(1.0, s.horizon / least);
  for (std::size_t k = 0; k < count; ++k) {
    const double dial = static_cast<double>(k) / static_cast<double>(count - 1);
    const Setting at = with_worst_regret(s, least * portable::pow(farthest, dial));
    const std::string text = "db:dial=" + print_real(dial);
    const RegretPair shown = db_pair(at);
    result.points.push_back({"db", text, BoundKind::kRate, frontier_benign(s, *at.r2), *at.r2});
    result.points.push_back({"db", text, BoundKind::kExplicit, shown.r1, shown.r2});
  }
  for (double budget : geometric(std::min(s.actions, s.horizon), s.horizon, count)) {
    budget = std::ceil(budget);
    const RegretPair shown = sentry_pair(s, budget);
    result.points.push_back(
        {"sentry", sentry_text(budget), BoundKind::kExplicit, shown.r1, shown.r2});
  }
  // From the floor of the policy's default to its cap.
  for (const double allowance :
       geometric(0.5, std::max(0.5, std::sqrt(s.horizon / s.actions) / 2), count)) {
    const RegretPair shown = warden_pair(s, allowance);
    result.points.push_back(
        {"warden", warden_text(s, allowance), BoundKind::kExplicit, shown.r1, shown.r2});
  }
}

void add_notes(Frontier& result) {
  const Setting& s = result.setting;
  if (s.horizon < s.actions)
    result.notes.push_back("T < |A|: sqrt(|A|T) exceeds T, so there is no frontier to be on");
  if (s.contexts >= s.actions)
    result.notes.push_back(
        "|Z| ≥ |A|: contexts cannot help, ucb's rate sqrt(|A|T) is no larger than sqrt(|Z|T)");
  if (s.horizon < 25 * s.actions * s.actions)
    result.notes.push_back(fmt::format("hac-ucb's published rates begin at T = 25|A|² = {:.6g}",
                                       25 * s.actions * s.actions));
  result.notes.push_back(
      result.lower_until
          ? fmt::format("the lower bound speaks for R_2 < T/{} = {:.6g} and is void beyond",
                        kSharpFrontierLimit, *result.lower_until)
          : fmt::format("the lower bound is void: it needs T > {}²|A| = {:.6g} and two actions",
                        kSharpFrontierLimit,
                        kSharpFrontierLimit * kSharpFrontierLimit * s.actions));
}

}  // namespace

Frontier frontier(const Setting& setting, std::size_t count) {
  setting.validate();
  if (count < 2) throw Error({"", "points", fmt::format("{}", count), "at least 2 points"});
  Frontier result{.setting = setting, .points = {}, .lower_until = std::nullopt, .notes = {}};
  result.setting.delta.reset();
  add_curves(result, count);
  add_fixed_policies(result);
  add_dials(result, count);
  add_notes(result);
  return result;
}

std::optional<double> log_normalised(double regret, double horizon) {
  if (!(horizon > 1)) return std::nullopt;
  return portable::log(regret) / portable::log(horizon);
}

}  // namespace armature
