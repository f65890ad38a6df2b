// Advice from the bounds: each conclusion with the numbers and formulas it came from. Guarantees
// are worst cases with explicit constants; what policies do on the average world is for
// `armature simulate` to show.
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

// The numbers that all of the advice is made of.
struct Facts {
  Setting s;
  double ucb;           // d_UCB·√T
  double causal;        // D_C·√T
  double causal_paper;  // d_CUCB·√T
  double crossing;      // least |A| with d_CUCB < d_UCB
  double crossing_sharp;
  double budget;  // E at which exploration costs as much as the causal rounds
  double epsilon;

  explicit Facts(const Setting& setting)
      : s(setting),
        ucb(ucb_bound(s, s.horizon)),
        causal(c_ucb_sharp_bound(s, s.horizon)),
        causal_paper(c_ucb_bound(s, s.horizon)),
        crossing(causal_crossing(s, CausalCoefficient::kPaper)),
        crossing_sharp(causal_crossing(s, CausalCoefficient::kSharp)),
        budget(std::ceil(std::clamp(sentry_threshold(s), 1.0, s.horizon))),
        epsilon(s.epsilon.value_or(0)) {}

  bool contexts_cannot_help() const { return s.contexts >= s.actions; }
  bool marginals_worthless() const {
    return s.actions >= 2 && s.horizon >= s.actions && epsilon >= worthless_epsilon(s);
  }
  SentryForm sentry() const {
    SentryForm form;
    form.budget = budget;
    return form;
  }
  double sentry_benign() const {
    return s.epsilon ? sentry_epsilon_bound(s, sentry(), s.horizon)
                     : sentry_benign_bound(s, sentry(), s.horizon);
  }
};

AdviceItem about_horizon(const Facts& f) {
  AdviceItem item{.topic = "horizon", .conclusion = "", .because = {}};
  const auto from_causal = c_ucb_horizon(f.s);
  const auto from_ucb = ucb_horizon(f.s);
  if (f.contexts_cannot_help())
    item.conclusion = "No horizon makes the contexts pay: there are as many of them as actions.";
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
        "No: with {} actions ucb's guarantee ({}) is as good as the causal one ({}). The causal "
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

AdviceItem about_epsilon(const Facts& f) {
  const double harmless = harmless_epsilon(f.s);
  const double worthless = worthless_epsilon(f.s);
  // ε(1 + sqrt(ℓ_Z/2))·T = D_C·√T: the marginals' error costs as much as learning does.
  const double log_term = union_log(f.s.contexts, f.s.horizon, f.s.level());
  const double even = f.causal / (f.s.horizon * (1 + std::sqrt(log_term / 2)));
  AdviceItem item{.topic = "marginals", .conclusion = "", .because = {}};
  if (!f.s.epsilon)
    item.conclusion = fmt::format(
        "The marginals should be known to about ε = {} (largest L1 distance of two rows); beyond "
        "{} they are worth nothing in the worst case.",
        number(harmless), number(worthless));
  else if (f.epsilon <= harmless)
    item.conclusion = fmt::format("ε = {} is small enough to be harmless.", number(f.epsilon));
  else if (f.marginals_worthless())
    item.conclusion = fmt::format(
        "ε = {} is too much: in the worst case such marginals are worth nothing. About {} is "
        "needed.",
        number(f.epsilon), number(harmless));
  else
    item.conclusion = fmt::format(
        "ε = {} costs something: it is above the harmless {} and below the worthless {}.",
        number(f.epsilon), number(harmless), number(worthless));
  item.because = {
      fmt::format("harmless: ε ≤ 1/√T = {} (rate, up to √d·log T; Thm 5.5)", number(harmless)),
      fmt::format("worthless: ε ≥ (1/5)·sqrt((|A|-1)/T) = {}; from there no policy can promise "
                  "less than 0.0030·sqrt((|A|-1)T) = {} on all benign worlds (Thm 5.2)",
                  number(worthless), number(zero_knowledge_lower(f.s))),
      fmt::format("with sentry an ε that is told costs at most ε(1 + sqrt(log(2|Z|T/δ)/2))·T; that "
                  "equals c-ucb's own guarantee at ε = {}",
                  number(even)),
      fmt::format("n observations of an action give its marginals to about sqrt(|Z|/n): ε = {} "
                  "takes some {} of each action",
                  number(harmless), rounds(f.s.contexts / harmless / harmless))};
  return item;
}

struct Choice {
  std::string policy;
  std::string conclusion;
};

Choice choose(const Facts& f) {
  if (f.s.benign == false)
    return {"ucb", "Play ucb: this world is not benign, its contexts mislead."};
  if (f.contexts_cannot_help()) return {"ucb", "Play ucb: the contexts cannot beat it."};
  if (f.marginals_worthless()) return {"ucb", "Play ucb: the marginals are too far off to trust."};
  if (f.s.benign == true && f.epsilon == 0 && f.causal < f.ucb)
    return pe_bound(f.s, f.s.horizon) < f.causal
               ? Choice{"pe", "Play pe: this world is benign and its marginals have low rank."}
               : Choice{"c-ucb", "Play c-ucb: this world is benign and its marginals are exact."};
  if (f.sentry_benign() < f.ucb) {
    std::string text = sentry_text(f.budget);
    if (f.epsilon > 0) text += ",epsilon=" + print_real(f.epsilon);
    return {text,
            fmt::format("Play sentry with a budget of {} rounds of exploration: it follows the "
                        "contexts and keeps watch.",
                        number(f.budget))};
  }
  return {"ucb",
          "Play ucb: no adaptive policy has a smaller guarantee here, even where the contexts are "
          "right. In practice sentry and c-ucb often gain long before their guarantees do; "
          "`armature simulate` shows by how much, and sentry's price is below."};
}

AdviceItem about_policy(const Facts& f, const Choice& choice) {
  AdviceItem item{.topic = "policy", .conclusion = choice.conclusion, .because = {}};
  item.because.push_back("--policy " + choice.policy);
  item.because.push_back(fmt::format(
      "sentry at E = D_C²T/(8|A|·L_A) = {}, where exploration costs as much as causal rounds: R_1 "
      "≤ {} if the contexts are right, against ucb's {}",
      number(f.budget), number(f.sentry_benign()), number(f.ucb)));
  const RegretPair db = db_pair(f.s);
  item.because.push_back(
      fmt::format("db at its corner R_2 = {}: explicit bounds R_1 ≤ {}, R_2 ≤ {} (bias=corrected)",
                  number(f.s.worst_regret()), number(db.r1), number(db.r2)));
  if (f.s.gap && f.s.benign.value_or(true) && f.epsilon == 0)
    item.because.push_back(fmt::format(
        "by the gap {}: pe ≤ {}, ucb ≤ {} (Thm 4.3 summed over phases; (|A|-1)(2L_A/Δ + Δ))",
        number(*f.s.gap), rounds(pe_gap_bound(f.s)), rounds(ucb_gap_bound(f.s))));
  return item;
}

AdviceItem about_price(const Facts& f) {
  const double any = sentry_any_bound(f.s, f.sentry(), f.s.horizon);
  AdviceItem item{.topic = "price", .conclusion = "", .because = {}};
  item.conclusion = fmt::format(
      "If Z is wrong: c-ucb and pe may lose up to T = {}, for ever; sentry at this budget at most "
      "{}, {} times ucb's guarantee; ucb pays nothing.",
      number(f.s.horizon), number(std::min(any, f.s.horizon)),
      number(std::min(any, f.s.horizon) / f.ucb));
  item.because = {
      fmt::format("sentry, any world: sqrt(8|A|L_A·T) + (T-E)·sqrt(|A|(2L_A+1)/E) = {}{}",
                  number(any), any >= f.s.horizon ? ", not below T: vacuous" : ""),
      fmt::format(
          "as a rate nobody has R_1·R_2 below |A|T = {}: with R_1 = sqrt(|Z|T) the price of "
          "adaptivity is a factor sqrt(|A|/|Z|) = {} (Cor. 3.6)",
          number(f.s.actions * f.s.horizon),
          number(std::max(1.0, std::sqrt(f.s.actions / f.s.contexts)))),
      fmt::format("gaps below sqrt(|A|(2L_A+1)/E) = {} stay unresolved by this budget ({} by the "
                  "default one, E = {}): a wrong Z that favours such an action may do so for ever",
                  number(sentry_resolution(f.s, f.sentry(), f.budget)),
                  number(sentry_resolution(f.s, {}, sentry_budget(f.s, {}))),
                  number(sentry_budget(f.s, {})))};
  return item;
}

AdviceItem about_notice(const Facts& f) {
  AdviceItem item{.topic = "notice", .conclusion = "", .because = {}};
  std::vector<double> gaps = {0.2, 0.1, 0.05};
  if (f.s.gap) gaps = {*f.s.gap};
  const SentryNotice first = sentry_notice(f.s, f.sentry(), gaps[0]);
  const double even = f.s.actions * first.plays;
  item.conclusion = fmt::format(
      "A wrong Z of gap {} is noticed by sentry after about {} rounds of even exploration{}; db "
      "first switches its causal learner off after about {} rounds.",
      number(gaps[0]), rounds(even),
      even > f.budget ? ", more than its budget here: it may come later or not at all" : "",
      rounds(db_notice_round(f.s, Bias::kCorrected, gaps[0])));
  for (const double gap : gaps) {
    const SentryNotice paper = sentry_notice(f.s, f.sentry(), gap);
    SentryForm anytime;
    anytime.widths = SentryForm::Widths::kAnytime;
    const SentryNotice usual = sentry_notice(f.s, anytime, gap);
    item.because.push_back(fmt::format(
        "gap {}: sentry's test must fire after n(a) > 8L_A/g² = {} plays of the action and n(z) > "
        "8L_Z/g² = {} visits of its contexts ({} and {} with its default widths), {} plays if the "
        "contexts are known; times |A| if exploration is even",
        number(gap), rounds(paper.plays), rounds(paper.visits), rounds(usual.plays),
        rounds(usual.visits), rounds(paper.plays_at_least)));
    item.because.push_back(fmt::format(
        "gap {}: db about ((γ_1 + γ_2 + d_1/√n_1 + d_2/√n_2 + b_2 - b_1)·√t/g)² = {} rounds, {} "
        "with bias=printed; an estimate, later where ucb is held back by its bias",
        number(gap), rounds(db_notice_round(f.s, Bias::kCorrected, gap)),
        rounds(db_notice_round(f.s, Bias::kPrinted, gap))));
  }
  item.because.push_back(
      "the gap is the difference between an action's mean and what its contexts say (sentry), or "
      "what the causal learner loses a round (db); an action that alone fills its contexts hides "
      "it (docs/sentry.md, section 6)");
  return item;
}

}  // namespace

Advice advise(const Setting& setting) {
  setting.validate();
  const Facts facts(setting);
  const Choice choice = choose(facts);
  return {.policy = choice.policy,
          .items = {about_horizon(facts), about_epsilon(facts), about_policy(facts, choice),
                    about_price(facts), about_notice(facts)}};
}

}  // namespace armature
