// The bounds in words: each conclusion with the numbers and formulas it came from. Guarantees are
// worst cases with explicit constants; what policies do on the average world is for simulation to
// show, and what to play for the advice room to say.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/theory.h"
#include "base/text.h"
#include "theory/coefficients.h"
#include "theory/frontier.h"

namespace armature {
namespace {

constexpr double kFarthest = 1e18;

std::string number(double value) { return fmt::format("{:.4g}", value); }

std::string rounds(double value) {
  return std::isfinite(value) && value <= kFarthest ? number(value) : "more than 1e18";
}

// The numbers that all of it is made of.
struct Facts {
  Setting s;
  double ucb;           // d_UCB·√T
  double causal;        // D_C·√T
  double causal_paper;  // d_CUCB·√T
  double crossing;      // least |A| with d_CUCB < d_UCB
  double crossing_sharp;
  double threshold;  // E at which sentry's exploration costs as much as its causal rounds
  SentryForm sentry;
  RegretPair warden;  // in expectation, with its defaults at δ = 1/T

  explicit Facts(const Setting& setting)
      : s(setting),
        ucb(ucb_bound(s, s.horizon)),
        causal(c_ucb_sharp_bound(s, s.horizon)),
        causal_paper(c_ucb_bound(s, s.horizon)),
        crossing(causal_crossing(s, CausalCoefficient::kPaper)),
        crossing_sharp(causal_crossing(s, CausalCoefficient::kSharp)),
        threshold(std::ceil(sentry_threshold(s))),
        warden(warden_of(setting)) {
    // At the threshold R_1 = 2·D_C√T. Where that is below ucb's bound the budget is worth it;
    // elsewhere the defaults, whose budget is smaller, are the form to talk about.
    if (2 * causal < ucb)
      sentry.budget = threshold;
    else
      sentry.widths = SentryForm::Widths::kAnytime;
  }

  static RegretPair warden_of(Setting setting) {
    setting.delta.reset();
    return {setting.epsilon ? warden_epsilon_bound(setting, {}) : warden_benign_bound(setting, {}),
            warden_any_bound(setting, {})};
  }

  double epsilon() const { return s.epsilon.value_or(0); }
  bool contexts_cannot_help() const { return s.contexts >= s.actions; }
  double budget() const { return sentry_budget(s, sentry); }
  double level() const { return sentry_level(s, sentry); }
  double sentry_benign() const {
    return s.epsilon ? sentry_epsilon_bound(s, sentry, s.horizon)
                     : sentry_benign_bound(s, sentry, s.horizon);
  }
  double sentry_any() const { return sentry_any_bound(s, sentry, s.horizon); }
  /// ucb's bound with sentry's widths: what sentry's bounds are to be compared with.
  double ucb_alike() const { return sentry_ucb_bound(s, sentry, s.horizon); }
  std::string text() const {
    std::string text = sentry.budget ? sentry_text(*sentry.budget) : "sentry";
    if (epsilon() > 0) text += (sentry.budget ? ",epsilon=" : ":epsilon=") + print_real(epsilon());
    return text;
  }
  std::string warden_text() const {
    const std::string text = "warden:delta=" + print_real(1 / std::max(s.horizon, 2.0));
    return epsilon() > 0 ? text + ",epsilon=" + print_real(epsilon()) : text;
  }
  /// In expectation, as warden's bounds are.
  double ucb_expected() const {
    Setting at = s;
    at.delta.reset();
    return ucb_pair(at).r1;
  }
};

Explanation about_horizon(const Facts& f) {
  Explanation item{.topic = "horizon", .conclusion = "", .because = {}};
  const auto from_causal = c_ucb_horizon(f.s);
  const auto from_ucb = ucb_horizon(f.s);
  if (f.contexts_cannot_help())
    item.conclusion =
        "No horizon makes the contexts pay: there are at least as many of them as actions.";
  else if (f.causal >= f.s.horizon && f.ucb >= f.s.horizon)
    item.conclusion = "Too short: at this horizon no guarantee says anything.";
  else if (f.s.actions >= f.crossing)
    item.conclusion = fmt::format(
        "Yes, the causal gain matters: contexts that can be trusted lower the guarantee from {} to "
        "{}, with the paper's own constants from {} actions on.",
        number(f.ucb), number(f.causal), number(f.crossing));
  else if (f.s.actions >= f.crossing_sharp)
    item.conclusion = fmt::format(
        "Only just: the causal guarantee is below ucb's ({} against {}) with the sharper constant, "
        "not yet with the paper's, which needs {} actions at this horizon.",
        number(f.causal), number(f.ucb), number(f.crossing));
  else
    item.conclusion = fmt::format(
        "No: with {} actions ucb's guarantee ({}) is as good as c-ucb's ({}). The causal "
        "coefficient is the smaller one from {} actions on ({} with the paper's constant).",
        number(f.s.actions), number(f.ucb), number(f.causal), number(f.crossing_sharp),
        number(f.crossing));
  item.because = {
      fmt::format("ucb: sqrt(8|A|·log(2|A|T/δ)·T) = {}, any world", number(f.ucb)),
      fmt::format("c-ucb: sqrt(log(2|Z|T/δ))·(sqrt(8|Z|) + sqrt(log(T/δ)))·√T = {}, benign worlds; "
                  "{} with the paper's sqrt(4 log(T/δ))",
                  number(f.causal), number(f.causal_paper)),
      fmt::format("a guarantee is worth something when below T = {}: c-ucb's from T = {}, ucb's "
                  "from T = {}",
                  number(f.s.horizon), rounds(from_causal.value_or(INFINITY)),
                  rounds(from_ucb.value_or(INFINITY)))};
  return item;
}

// ε(1 + sqrt(ℓ_Z/2))·T: what marginals that are off by ε cost sentry, told of it.
double epsilon_cost(const Facts& f, double epsilon) {
  const double log_term = union_log(f.s.contexts, f.s.horizon, f.s.level());
  return epsilon * (1 + std::sqrt(log_term / 2)) * f.s.horizon;
}

Explanation about_marginals(const Facts& f) {
  const double harmless = harmless_epsilon(f.s);
  const double even = std::min(2.0, f.causal / epsilon_cost(f, 1));
  Explanation item{.topic = "marginals", .conclusion = "", .because = {}};
  if (!f.s.epsilon)
    item.conclusion = fmt::format(
        "Know them to ε = {} (largest L1 distance of two rows): an error of that size costs no "
        "more than learning does. Below {} it is lost in the noise.",
        number(even), number(harmless));
  else if (f.epsilon() <= harmless)
    item.conclusion = fmt::format("ε = {} is harmless.", number(f.epsilon()));
  else if (f.epsilon() <= even)
    item.conclusion =
        fmt::format("ε = {} is good enough: it costs less than learning does (that would be {}).",
                    number(f.epsilon()), number(even));
  else
    item.conclusion = fmt::format(
        "ε = {} is the largest part of the causal guarantee; ε = {} is needed for it to cost no "
        "more than learning does.",
        number(f.epsilon()), number(even));
  item.because = {
      fmt::format("told ε, sentry pays at most ε(1 + sqrt(log(2|Z|T/δ)/2))·T for it, {} at ε = {}; "
                  "c-ucb's guarantee is {}",
                  number(epsilon_cost(f, even)), number(even), number(f.causal)),
      fmt::format("as a rate ε ≤ 1/√T = {} is harmless, up to √d·log T (Thm 5.5)",
                  number(harmless)),
      fmt::format("n observations of an action give its marginals to about sqrt(|Z|/n): ε = {} "
                  "takes some {} of each action",
                  number(even), rounds(f.s.contexts / even / even))};
  if (f.s.actions >= 2 && f.s.horizon >= f.s.actions)
    item.because.push_back(
        fmt::format("from ε = (1/5)·sqrt((|A|-1)/T) = {} on no policy can promise less than "
                    "0.0030·sqrt((|A|-1)T) = {} on all benign worlds (Thm 5.2)",
                    number(worthless_epsilon(f.s)), number(zero_knowledge_lower(f.s))));
  return item;
}

Explanation about_promises(const Facts& f) {
  Explanation item{.topic = "promises", .conclusion = "", .because = {}};
  const auto promised = [&](double value) {
    return value < f.s.horizon ? number(value) : std::string("nothing below T");
  };
  item.conclusion = fmt::format(
      "Where the contexts are right ucb promises {}, sentry {} and warden {}, c-ucb {}; where they "
      "are wrong ucb the same, sentry {}, warden {}, c-ucb nothing.",
      promised(f.ucb_alike()), promised(f.sentry_benign()), promised(f.warden.r1),
      promised(f.causal), promised(f.sentry_any()), promised(f.warden.r2));
  item.because.push_back(fmt::format(
      "{}: expected R_1 ≤ {} if the contexts are right, R_2 ≤ {} if not, against {} for "
      "ucb (docs/warden.md; r = {})",
      f.warden_text(), number(f.warden.r1), number(f.warden.r2), number(f.ucb_expected()),
      number(warden_allowance(f.s, {}))));
  item.because.push_back(
      fmt::format("{}: R_1 ≤ {} if the contexts are right, against {} for ucb with the same widths "
                  "(E = {}, δ = {})",
                  f.text(), number(f.sentry_benign()), number(f.ucb_alike()), number(f.budget()),
                  number(f.level())));
  item.because.push_back(
      fmt::format("its budget is worth D_C²T/(8|A|·L_A) = {} rounds where 2·D_C·√T = {} is below "
                  "ucb's {}, else it is left at its default, which is off the frontier: R_1·R_2 of "
                  "order T^(7/6) (docs/sentry.md, section 7); that is the proof's budget: what is "
                  "measured is often several times cheaper with the default",
                  number(f.threshold), number(2 * f.causal), number(f.ucb)));
  const RegretPair db = db_pair(f.s);
  item.because.push_back(
      fmt::format("db at its corner R_2 = {}: R_1 ≤ {}, R_2 ≤ {} (explicit, bias=corrected{})",
                  number(f.s.worst_regret()), number(db.r1), number(db.r2),
                  db.r2 < f.s.horizon ? "" : "; not below T: no guarantee"));
  if (f.s.gap && f.s.benign.value_or(true) && f.epsilon() == 0)
    item.because.push_back(fmt::format(
        "by the gap {}: pe ≤ {}, ucb ≤ {} (Thm 4.3 summed over phases; (|A|-1)(2L_A/Δ + Δ))",
        number(*f.s.gap), rounds(pe_gap_bound(f.s)), rounds(ucb_gap_bound(f.s))));
  return item;
}

Explanation about_price(const Facts& f) {
  const double any = f.sentry_any();
  const double price = std::min(f.warden.r2, f.s.horizon);
  const double ucb = std::min(f.ucb_expected(), f.s.horizon);
  Explanation item{.topic = "price", .conclusion = "", .because = {}};
  item.conclusion = fmt::format(
      "If Z is wrong, c-ucb and pe may lose at every round, up to T = {}; {} loses at most {} in "
      "expectation, {} times what ucb promises; ucb and moss do not look at Z.",
      number(f.s.horizon), f.warden_text(), number(price), number(price / ucb));
  item.because = {
      fmt::format("warden, any world: T/(8r) + (c₁ + √π + 3·sqrt(2ℓ_A))·sqrt(|A|T) + |A| + T·h + 1 "
                  "= {}{}, h what its patience leaves open",
                  number(f.warden.r2), f.warden.r2 >= f.s.horizon ? ", not below T: vacuous" : ""),
      fmt::format("sentry, any world: sqrt(8|A|ℓ_A·T) + (T-E)·sqrt(|A|(2ℓ_A+1)/E) = {}{}",
                  number(any), any >= f.s.horizon ? ", not below T: vacuous" : ""),
      fmt::format(
          "as a rate nobody has R_1·R_2 below |A|T = {} unless R_2 > T/641 (Thm 3.7): with R_1 = "
          "sqrt(|Z|T) the price of adaptivity is a factor sqrt(|A|/|Z|) = {} (Cor. 3.6)",
          number(f.s.actions * f.s.horizon),
          number(std::max(1.0, std::sqrt(f.s.actions / f.s.contexts)))),
      fmt::format(
          "gaps below sqrt(|A|(2ℓ_A+1)/E) = {} stay unresolved by a budget of {}: a wrong Z "
          "that favours such an action may do so for ever",
          number(sentry_resolution(f.s, f.sentry, f.budget())), number(f.budget()))};
  return item;
}

// How many rounds, and whether there are that many.
std::string within(const Facts& f, double value) {
  return rounds(value) + (value > f.s.horizon ? " (beyond T)" : "");
}

Explanation about_notice(const Facts& f) {
  Explanation item{.topic = "notice", .conclusion = "", .because = {}};
  std::vector<double> gaps = {0.2, 0.1, 0.05};
  if (f.s.gap) gaps = {*f.s.gap};
  const double even = f.s.actions * sentry_notice(f.s, f.sentry, gaps[0]).plays;
  item.conclusion = fmt::format(
      "A wrong Z of gap {} is noticed by sentry after about {} rounds of even exploration{}; db "
      "first switches its causal learner off after about {} rounds.",
      number(gaps[0]), within(f, even),
      even > f.budget() ? ", more than its budget: it may come later or not at all" : "",
      within(f, db_notice_round(f.s, Bias::kCorrected, gaps[0])));
  for (const double gap : gaps) {
    const SentryNotice notice = sentry_notice(f.s, f.sentry, gap);
    item.because.push_back(fmt::format(
        "gap {}: sentry's test must fire after n(a) > 8ℓ_A/g² = {} plays of an action and n(z) > "
        "8ℓ_Z/g² = {} visits of its contexts, {} plays if these are known well; times |A| if "
        "exploration is even",
        number(gap), rounds(notice.plays), rounds(notice.visits), rounds(notice.plays_at_least)));
    item.because.push_back(fmt::format(
        "gap {}: db about ((γ_1 + γ_2 + d_1/√n_1 + d_2/√n_2 + b_2 - b_1)·√t/g)² = {} rounds, {} "
        "with bias=printed; an estimate, later where ucb is held back by its bias",
        number(gap), within(f, db_notice_round(f.s, Bias::kCorrected, gap)),
        within(f, db_notice_round(f.s, Bias::kPrinted, gap))));
  }
  item.because.push_back(
      "the gap is the difference between an action's mean and what its contexts say (sentry), or "
      "what the causal learner loses a round (db); an action that alone fills its contexts hides "
      "it (docs/sentry.md, section 6)");
  return item;
}

}  // namespace

std::vector<Explanation> explain(const Setting& setting) {
  setting.validate();
  const Facts facts(setting);
  return {about_horizon(facts), about_marginals(facts), about_promises(facts), about_price(facts),
          about_notice(facts)};
}

}  // namespace armature
