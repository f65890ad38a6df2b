// The table of all bounds (spec §7): one row each, with what it needs and where it comes from.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/theory.h"
#include "theory/bound_table.h"
#include "theory/guards.h"

namespace armature {
namespace {

constexpr auto kExplicit = BoundKind::kExplicit;
constexpr auto kRate = BoundKind::kRate;
using Needs = std::vector<Need>;
using namespace needs;

const Needs kBenign = {benign, exact_marginals};
const Needs kBenignByGap = {benign, exact_marginals, a_gap};

// Numbers that exist only where the gap, ε or the delay is known.
template <class Function>
std::optional<double> by_gap(const Setting& setting, Function bound) {
  return setting.gap ? std::optional(bound()) : std::nullopt;
}
template <class Function>
std::optional<double> by_epsilon(const Setting& setting, Function bound) {
  return setting.epsilon ? std::optional(bound()) : std::nullopt;
}

template <class Function>
std::optional<double> by_delay(const Setting& setting, Function bound) {
  return setting.delay ? std::optional(bound()) : std::nullopt;
}

// Expectations take δ = 1/T, whatever level was asked for.
Setting in_expectation(Setting setting) {
  setting.delta.reset();
  return setting;
}

void add_index_policies(BoundTable& table, const Setting& s) {
  const double t = s.horizon;
  const Setting expected = in_expectation(s);
  const Needs causal = {context_log, benign, exact_marginals};
  table.upper({"ucb", kExplicit, "any", "Thm C.3, spec §2", {action_log}, 1}, ucb_bound(s, t));
  table.upper({"ucb-expected", kExplicit, "any", "Thm C.3 at δ = 1/T, spec §7"},
              ucb_bound(expected, t) + 1);
  table.upper(
      {"ucb-gap", kExplicit, "any", "docs/sentry.md 4.7, ucb's form", {action_log, a_gap}, 1},
      by_gap(s, [&] { return ucb_gap_bound(s); }));
  table.upper({"c-ucb", kExplicit, "benign", "Thm C.4, spec §2", causal, 2}, c_ucb_bound(s, t));
  table.upper({"c-ucb-sharp", kExplicit, "benign", "Thm C.4, range 1, spec §7", causal, 2},
              c_ucb_sharp_bound(s, t));
  table.upper({"c-ucb-expected", kExplicit, "benign", "Thm C.4 at δ = 1/T, spec §7", kBenign},
              c_ucb_bound(expected, t) + 2);
  table.upper({"c-ucb-epsilon", kRate, "benign", "paper §5.1, spec §7", {benign, an_epsilon}},
              by_epsilon(s, [&] { return c_ucb_epsilon_rate(s, t); }));
  table.upper({"hac-ucb-benign",
               kRate,
               "benign",
               "Bilodeau et al., paper §2.1",
               {benign, exact_marginals, hac_horizon}},
              hac_ucb_benign_rate(s, t));
  table.upper({"hac-ucb-any",
               kRate,
               "any",
               "T^(3/4) of Bilodeau et al. with its |A|, docs/theory.md",
               {exact_marginals, hac_horizon}},
              hac_ucb_any_rate(s, t));
  table.upper({"hac-ucb-expected-benign", kExplicit, "benign", "docs/theory.md, hac-ucb", kBenign},
              hac_ucb_expected_benign(s));
  table.upper(
      {"hac-ucb-expected-any", kExplicit, "any", "docs/theory.md, hac-ucb", {exact_marginals}},
      hac_ucb_expected_any(s));
}

void add_elimination(BoundTable& table, const Setting& s) {
  const double t = s.horizon;
  table.upper({"pe", kExplicit, "benign", "Thm 4.1, d_PE of spec §3", kBenign, 1}, pe_bound(s, t));
  table.upper({"pe-rate", kRate, "benign", "Thm 4.1", kBenign}, pe_rate(s, t));
  table.upper({"pe-expected", kExplicit, "benign", "Thm 4.1 at δ = 1/T, spec §7", kBenign},
              pe_bound(in_expectation(s), t) + 1);
  table.upper({"pe-gap", kExplicit, "benign", "Thm 4.3, sum of spec §7", kBenignByGap, 1},
              by_gap(s, [&] { return pe_gap_bound(s); }));
  table.upper({"pe-gap-closed", kExplicit, "benign", "Thm 4.3, spec §7", kBenignByGap, 1},
              by_gap(s, [&] { return pe_gap_closed_bound(s); }));
  table.upper({"pe-gap-rate", kRate, "benign", "Thm 4.3", kBenignByGap},
              by_gap(s, [&] { return pe_gap_rate(s); }));
  table.upper({"pe-epsilon", kRate, "benign", "Thm 5.5", {benign, an_epsilon}},
              by_epsilon(s, [&] { return pe_epsilon_rate(s, t); }));
}

// The R_2 that a row is about.
std::string at_worst_regret(const Setting& s) {
  return fmt::format("at R_2 = {:.6g}{}", s.worst_regret(), s.r2 ? "" : ", the corner");
}

void add_balancing(BoundTable& table, const Setting& s) {
  const BalancedLearner causal = causal_learner(s, CausalLearner::kCausalUcb);
  const BalancedLearner elimination = causal_learner(s, CausalLearner::kElimination);
  const BalancedLearner ucb = arbitrary_learner(s);
  const std::string at = at_worst_regret(s);
  const std::string proof = "Prop. A.1, proof of A.2";
  const std::string corrected = "bias=corrected, spec §4";
  const std::string with_pe = "base=pe+ucb, spec §4";
  const std::string printed = "bias=printed, spec §4";
  const Needs home = {both_logs, benign, exact_marginals};
  const Needs any = {both_logs};
  table.upper({"db-benign", kRate, "benign", proof, home, 0, at}, db_rate(s, {causal, ucb}, 0));
  table.upper({"db-any", kRate, "any", proof, any, 0, at}, db_rate(s, {causal, ucb}, 1));
  table.upper({"db-dial-benign", kRate, "benign", "Prop. A.2", home, 0, at},
              db_dial_benign_rate(s));
  table.upper({"db-dial-any", kRate, "any", "Prop. A.2", any, 0, at}, db_dial_any_rate(s));
  table.upper({"db-corrected-benign", kExplicit, "benign", corrected, home, 3, at},
              db_corrected_bound(s, causal, ucb));
  table.upper({"db-corrected-any", kExplicit, "any", corrected, any, 2, at},
              db_corrected_bound(s, ucb, causal));
  table.upper({"db-pe-corrected-benign", kExplicit, "benign", with_pe, home, 2, at},
              db_corrected_bound(s, elimination, ucb));
  table.upper({"db-pe-corrected-any", kExplicit, "any", with_pe, any, 2, at},
              db_corrected_bound(s, ucb, elimination));
  const bool both = causal.coefficient <= ucb.dial * ucb.coefficient;
  const std::string at_split = at + (both ? "; holds for bias=corrected too" : "");
  table.upper({"db-printed-benign", kExplicit, "benign", printed, home, 4, at_split},
              db_printed_benign_bound(s, causal, ucb));
}

// (C·R_1·log T, C·R_2·log T) with C = 1.
void add_frontier(BoundTable& table, const Setting& s) {
  const std::string at = at_worst_regret(s);
  const double r1 =
      std::max(std::sqrt(s.contexts * s.horizon), s.actions * s.horizon / s.worst_regret());
  table.upper({"frontier-upper-benign", kRate, "benign", "Thm 3.2, Cor. 3.6", kBenign, 0, at},
              r1 * guarded_log(s.horizon));
  table.upper({"frontier-upper-any", kRate, "any", "Thm 3.2, Cor. 3.6", {}, 0, at},
              s.worst_regret() * guarded_log(s.horizon));
}

void add_sentry(BoundTable& table, const Setting& s, const std::string& prefix,
                const SentryForm& form) {
  const double t = s.horizon;
  const double level = sentry_level(s, form);
  const Need widths = form.widths == SentryForm::Widths::kPaper ? both_logs : anytime_widths;
  const std::string at = form.schedule == SentryForm::Schedule::kFree
                             ? fmt::format("δ = {:.4g}", level)
                             : fmt::format("E = {:.6g}, δ = {:.4g}", sentry_budget(s, form), level);
  const bool as_ucb = sentry_ucb_bound(s, form, t) <= sentry_causal_bound(s, form, t);
  const double events = as_ucb ? 2 : 3;
  const std::string at_benign = at + (as_ucb ? "; ucb's own bound" : "");
  const Needs home = {widths, benign, exact_marginals};
  const Needs near = {widths, benign, an_epsilon};
  const Needs home_by_gap = {widths, benign, exact_marginals, a_gap};
  table.upper({prefix + "-any", kExplicit, "any", "docs/sentry.md (A)", {widths}, 1, at},
              sentry_any_bound(s, form, t), level);
  table.upper(
      {prefix + "-benign", kExplicit, "benign", "docs/sentry.md (B)", home, events, at_benign},
      sentry_benign_bound(s, form, t), level);
  table.upper({prefix + "-epsilon", kExplicit, "benign", "docs/sentry.md (B_ε)", near, 3, at},
              by_epsilon(s, [&] { return sentry_epsilon_bound(s, form, t); }), level);
  table.upper({prefix + "-gap", kExplicit, "any", "docs/sentry.md (C)", {widths, a_gap}, 1, at},
              by_gap(s, [&] { return sentry_gap_bound(s, form); }), level);
  table.upper(
      {prefix + "-benign-gap", kExplicit, "benign", "docs/sentry.md (C)", home_by_gap, 2, at},
      by_gap(s, [&] { return sentry_benign_gap_bound(s, form); }), level);
}

// In expectation, so at δ = 1/T.
void add_warden(BoundTable& table, const Setting& s) {
  const Setting at = in_expectation(s);
  const WardenForm form;
  const std::string page = "docs/warden.md ";
  const std::string remark = fmt::format("expected, r = {:.4g}", warden_allowance(at, form));
  table.upper({"warden-any", kExplicit, "any", page + "(A)", {}, 0, remark},
              warden_any_bound(at, form));
  table.upper({"warden-benign", kExplicit, "benign", page + "(B)", kBenign, 0, remark},
              warden_benign_bound(at, form));
  table.upper(
      {"warden-epsilon", kExplicit, "benign", page + "(B_ε)", {benign, an_epsilon}, 0, remark},
      by_epsilon(s, [&] { return warden_epsilon_bound(at, form); }));
  table.upper({"warden-gap", kExplicit, "any", page + "(C)", {a_gap}, 0, remark},
              by_gap(s, [&] { return warden_gap_bound(at, form); }));
  table.upper({"warden-benign-gap", kExplicit, "benign", page + "(C)", kBenignByGap, 0, remark},
              by_gap(s, [&] { return warden_benign_gap_bound(at, form); }));
}

void add_delay(BoundTable& table, const Setting& s) {
  const double t = s.horizon;
  const std::string source = "docs/theory.md, late outcomes";
  const Needs any = {action_log, a_delay};
  const Needs causal = {context_log, benign, exact_marginals, a_delay};
  const Needs home = {both_logs, benign, exact_marginals, a_delay};
  table.upper({"ucb-delay", kExplicit, "any", source, any, 1},
              by_delay(s, [&] { return ucb_delay_bound(s, InFlight::kCount, t); }));
  table.upper({"ucb-delay-ignore", kExplicit, "any", source, any, 1},
              by_delay(s, [&] { return ucb_delay_bound(s, InFlight::kIgnore, t); }));
  table.upper({"c-ucb-delay", kExplicit, "benign", source, causal, 3},
              by_delay(s, [&] { return c_ucb_delay_bound(s, InFlight::kCount, t); }));
  table.upper({"c-ucb-delay-ignore", kExplicit, "benign", source, causal, 2},
              by_delay(s, [&] { return c_ucb_delay_bound(s, InFlight::kIgnore, t); }));
  const std::string at =
      fmt::format("E = {:.6g}, δ = {:.4g}", sentry_budget(s, SentryForm{}), s.level());
  const bool as_ucb = s.delay && sentry_delay_ucb_bound(s, t) <= sentry_delay_causal_bound(s, t);
  table.upper({"sentry-delay-benign", kExplicit, "benign", source, home, as_ucb ? 3.0 : 4.0,
               at + (as_ucb ? "; ucb's own bound" : "")},
              by_delay(s, [&] { return sentry_delay_benign_bound(s, t); }));
  table.upper({"sentry-delay-any", kExplicit, "any", source, any, 1, at},
              by_delay(s, [&] { return sentry_delay_any_bound(s, InFlight::kCount, t); }));
  table.upper({"sentry-delay-any-ignore", kExplicit, "any", source, any, 1, at},
              by_delay(s, [&] { return sentry_delay_any_bound(s, InFlight::kIgnore, t); }));
}

void add_lower(BoundTable& table, const Setting& s) {
  const std::string at = "R_1 " + at_worst_regret(s);
  const auto none = [&](const char* limit, double share) {
    return fmt::format("none for R_2 = {:.6g} {}/{}; R_2 ≥ sqrt(|A|T), so none below T = {:.6g}",
                       s.worst_regret(), limit, share, share * share * s.actions);
  };
  const std::string ignorant = "for policies that know nothing of the marginals";
  table.lower({"frontier-lower", kExplicit, "benign", "Thm 3.7, App. D.1", {two_actions}, 0, at},
              frontier_lower(s), none("> T", kFrontierLimit));
  table.lower({"frontier-lower-sharp",
               kExplicit,
               "benign",
               "Thm 3.7, best Δ, spec §7",
               {two_actions},
               0,
               at},
              frontier_lower_sharp(s), none("≥ T", kSharpFrontierLimit));
  const std::string safety = "docs/theory.md, what safety costs";
  table.lower({"frontier-lower-direct", kExplicit, "benign", safety, {three_actions}, 0, at},
              frontier_lower_direct(s), "none for so large an R_2: it needs R_2 < T/(40c), c > 2");
  table.lower({"safe-gap-lower", kExplicit, "benign", safety, {three_actions, a_gap}, 0, at},
              s.gap ? safe_gap_lower(s) : std::nullopt,
              "none for this gap and R_2: it needs 2·R_2/T < Δ < 1/8, and two contexts");
  table.lower({"zero-knowledge-lower",
               kExplicit,
               "benign",
               "Thm 5.2, App. D.2",
               {two_actions, a_round_per_action},
               0,
               ignorant},
              zero_knowledge_lower(s));
  table.lower({"zero-knowledge-lower-sharp",
               kExplicit,
               "benign",
               "Thm 5.2, best Δ, spec §7",
               {two_actions, best_delta},
               0,
               ignorant},
              zero_knowledge_lower_sharp(s));
  table.lower(
      {"minimax-benign", kRate, "benign", "Remark 2.2", {a_round_per_context, fewer_contexts}},
      std::sqrt(s.contexts * s.horizon));
  table.lower({"minimax-any", kRate, "any", "paper §2.1", {a_round_per_action}},
              std::sqrt(s.actions * s.horizon));
}

void add_epsilon_zones(BoundTable& table, const Setting& s) {
  std::string harmless, worthless;
  if (s.epsilon) {
    harmless =
        fmt::format("ε = {:.4g} is {}", *s.epsilon,
                    *s.epsilon <= harmless_epsilon(s) ? "within it, up to √d·log T" : "above it");
    worthless = fmt::format("ε = {:.4g} is {}", *s.epsilon,
                            *s.epsilon < worthless_epsilon(s)
                                ? std::string("below it")
                                : fmt::format("above it: nobody can promise less than {:.5g} on "
                                              "all benign worlds",
                                              zero_knowledge_lower(s)));
  }
  table.zone({"epsilon-harmless", kRate, "benign", "Thm 5.5", {}, 0, harmless}, harmless_epsilon(s),
             "epsilon");
  table.zone({"epsilon-worthless",
              kExplicit,
              "benign",
              "Thm 5.2, paper §5",
              {two_actions, a_round_per_action},
              0,
              worthless},
             worthless_epsilon(s), "epsilon");
}

void add_zones(BoundTable& table, const Setting& s) {
  add_epsilon_zones(table, s);
  table.zone({"price-of-adaptivity", kRate, "any", "Cor. 3.6", {fewer_contexts}},
             std::sqrt(s.actions / s.contexts), "factor");
  table.zone({"frontier-lower-from",
              kExplicit,
              "any",
              fmt::format("Thm 3.7, {}²|A|", kFrontierLimit),
              {two_actions}},
             kFrontierLimit * kFrontierLimit * s.actions, "rounds");
  table.zone({"frontier-lower-sharp-from",
              kExplicit,
              "any",
              fmt::format("Thm 3.7, {}²|A|", kSharpFrontierLimit),
              {two_actions}},
             kSharpFrontierLimit * kSharpFrontierLimit * s.actions, "rounds");
  table.zone({"hac-ucb-from", kExplicit, "any", "Bilodeau et al., 25|A|²"},
             25 * s.actions * s.actions, "rounds");
  table.zone({"c-ucb-crossing", kExplicit, "benign", "least |A| with d_CUCB < d_UCB"},
             causal_crossing(s, CausalCoefficient::kPaper), "actions");
  table.zone({"c-ucb-sharp-crossing", kExplicit, "benign", "least |A| with D_C < d_UCB"},
             causal_crossing(s, CausalCoefficient::kSharp), "actions");
  table.zone({"ucb-horizon", kExplicit, "any", "least T with d_UCB·√T < T, δ = 1/T"},
             ucb_horizon(s), "rounds");
  table.zone({"c-ucb-horizon", kExplicit, "benign", "least T with D_C·√T < T, δ = 1/T"},
             c_ucb_horizon(s), "rounds");
  const double threshold = sentry_threshold(s);
  const std::string reached = threshold > s.horizon ? "more than T: no budget gets there" : "";
  table.zone(
      {"sentry-threshold", kExplicit, "any", "docs/sentry.md 7, D_C²T/(8|A|L_A)", {}, 0, reached},
      threshold, "rounds");
}

}  // namespace

std::vector<Bound> bounds(const Setting& setting) {
  setting.validate();
  BoundTable table(setting);
  add_index_policies(table, setting);
  add_elimination(table, setting);
  add_balancing(table, setting);
  add_frontier(table, setting);
  using Widths = SentryForm::Widths;
  using Schedule = SentryForm::Schedule;
  add_sentry(table, setting, "sentry-first", {Widths::kPaper, Schedule::kFirst, {}});
  add_sentry(table, setting, "sentry-spread", {Widths::kPaper, Schedule::kSpread, {}});
  add_sentry(table, setting, "sentry-free", {Widths::kPaper, Schedule::kFree, {}});
  add_sentry(table, setting, "sentry-anytime-first", {Widths::kAnytime, Schedule::kFirst, {}});
  add_sentry(table, setting, "sentry-anytime-free", {Widths::kAnytime, Schedule::kFree, {}});
  add_warden(table, setting);
  add_delay(table, setting);
  add_lower(table, setting);
  add_zones(table, setting);
  return table.take();
}

}  // namespace armature
