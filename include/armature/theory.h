// What can be promised: every bound of the paper, of Sentry's and of Warden's theorem as a number
// (spec §7, docs/theory.md). Pure functions of the setting: the same ones answer `armature bounds`
// and draw the theory curves of reports. All regrets are pseudo-regrets in [0, t]; nothing is
// clipped to t.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace armature {

/// What a bound is a function of. What is absent is not known; δ has the default 1/max(T,2).
struct Setting {
  double actions = 0;   // |A|
  double contexts = 0;  // |Z|
  double horizon = 0;   // T
  std::optional<double> delta;
  std::optional<double> rank;     // d, the rank of the marginals; default min(|A|,|Z|)
  std::optional<double> gap;      // Δ_min, the smallest positive gap
  std::optional<double> epsilon;  // L1 distance of the given marginals from the true; default exact
  std::optional<double> r2;       // R_2, worst-case regret one accepts; default the corner
  std::optional<double> delay;    // D: every outcome comes, at most so many rounds late
  std::optional<bool> benign;     // known for an instance

  double level() const;         // δ
  double dimension() const;     // d
  double worst_regret() const;  // R_2
  double dial() const;          // Z_2 = R_2/sqrt(|A|T)
  /// Throws Error naming the field that is out of range.
  void validate() const;
};

// --- Upper bounds, explicit ----------------------------------------------------------------------
// For t ≤ T, with the probabilities given; `benign`: in benign worlds with exact marginals only.

double ucb_bound(const Setting& setting, double t);          // d_UCB·√t: 1-δ
double ucb_gap_bound(const Setting& setting);                // (|A|-1)(2L_A/Δ + Δ): 1-δ
double c_ucb_bound(const Setting& setting, double t);        // d_CUCB·√t: benign, 1-2δ
double c_ucb_sharp_bound(const Setting& setting, double t);  // D_C·√t: benign, 1-2δ
double pe_bound(const Setting& setting, double t);           // d_PE·√t: benign, 1-δ
double pe_gap_bound(const Setting& setting);                 // sum over phases: benign, 1-δ
double pe_gap_closed_bound(const Setting& setting);          // 2s + 655.5·d·L_P/Δ: benign, 1-δ

/// hac-ucb, variant=code, expected regret at T: with exact marginals in benign worlds, in any
/// world.
double hac_ucb_expected_benign(const Setting& setting);
double hac_ucb_expected_any(const Setting& setting);

/// A learner under dynamic balancing: its coefficient d_i and its dial Z_i.
struct BalancedLearner {
  double coefficient;
  double dial;
};
enum class CausalLearner { kCausalUcb, kElimination };
/// The causal learner (Z_1 = 1) and ucb (Z_2 of the setting), with the coefficients db gives them.
BalancedLearner causal_learner(const Setting& setting, CausalLearner kind);
BalancedLearner arbitrary_learner(const Setting& setting);

/// Two learners, `bias = corrected`, `home` well-specified (spec §4); at T.
double db_corrected_bound(const Setting& setting, BalancedLearner home, BalancedLearner other);
/// `bias = printed` in benign worlds: the fixed split (spec §4); at T.
double db_printed_benign_bound(const Setting& setting, BalancedLearner causal,
                               BalancedLearner arbitrary);

/// Sentry as docs/sentry.md has it. `paper` widths take δ of the setting; `anytime` ones default to
/// δ = 0.05, as the policy does.
struct SentryForm {
  enum class Widths { kPaper, kAnytime };
  enum class Schedule { kFirst, kSpread, kFree };
  Widths widths = Widths::kPaper;
  Schedule schedule = Schedule::kFirst;
  std::optional<double> budget;  // E; default min(T, |A|^(1/3)·T^(2/3)), rounded up
};
double sentry_level(const Setting& setting, const SentryForm& form);   // δ
double sentry_budget(const Setting& setting, const SentryForm& form);  // E, in [1,T]
/// The logs ℓ_A and ℓ_Z at t: L or Λ (docs/sentry.md, section 3).
double sentry_action_log(const Setting& setting, const SentryForm& form, double t);
double sentry_context_log(const Setting& setting, const SentryForm& form, double t);
/// D_C at t.
double sentry_coefficient(const Setting& setting, const SentryForm& form, double t);
/// g(e): what e explorations leave open, sqrt(|A|(2ℓ_A+1)/e).
double sentry_resolution(const Setting& setting, const SentryForm& form, double explorations);
double sentry_any_bound(const Setting& setting, const SentryForm& form, double t);     // (A): 1-δ
double sentry_causal_bound(const Setting& setting, const SentryForm& form, double t);  // (B): 1-3δ
double sentry_ucb_bound(const Setting& setting, const SentryForm& form, double t);     // (B): 1-2δ
double sentry_benign_bound(const Setting& setting, const SentryForm& form,
                           double t);  // the smaller
double sentry_epsilon_bound(const Setting& setting, const SentryForm& form,
                            double t);                                           // (B_ε): 1-3δ
double sentry_gap_bound(const Setting& setting, const SentryForm& form);         // (C), λ=½: 1-δ
double sentry_benign_gap_bound(const Setting& setting, const SentryForm& form);  // (C): 1-2δ

/// Warden as docs/warden.md has it; its bounds are of expected regret at T, with δ of the setting
/// inside the widths (1/T unless given).
struct WardenForm {
  std::optional<double> allowance;  // r; default max(½, min(sqrt(|Z|T)/(6|A|), ½·sqrt(T/|A|)))
  double patience = 50;             // κ: at most κ|A|r² rounds of watch
};
double warden_allowance(const Setting& setting, const WardenForm& form);     // r
double warden_any_bound(const Setting& setting, const WardenForm& form);     // (A)
double warden_benign_bound(const Setting& setting, const WardenForm& form);  // (B)
/// The same two at a round t ≤ T of a policy that was told T.
double warden_any_bound(const Setting& setting, const WardenForm& form, double t);
double warden_benign_bound(const Setting& setting, const WardenForm& form, double t);
double warden_epsilon_bound(const Setting& setting, const WardenForm& form);     // (B_ε)
double warden_gap_bound(const Setting& setting, const WardenForm& form);         // (C), any world
double warden_benign_gap_bound(const Setting& setting, const WardenForm& form);  // (C), benign

// --- Upper bounds with late outcomes, explicit (docs/theory.md, "Late outcomes")
// ------------------- D is the setting's delay; at D = 0 they are the bounds above.

/// Whether the widths by which a policy chooses count plays whose outcomes are on their way.
enum class InFlight { kCount, kIgnore };
/// d_UCB·√t + |A|·D, `ignore` (|A|-1)·D: 1-δ
double ucb_delay_bound(const Setting& setting, InFlight in_flight, double t);
/// D_C·√t + |Z|(1 + sqrt(L_Z/2))·D, `count` + K·D: benign, 1-2δ and 1-3δ
double c_ucb_delay_bound(const Setting& setting, InFlight in_flight, double t);
/// Sentry with paper widths, schedule first and the default budget. Benign, `count`: in its causal
/// form (1-4δ), in ucb's (1-3δ), and the smaller.
double sentry_delay_causal_bound(const Setting& setting, double t);
double sentry_delay_ucb_bound(const Setting& setting, double t);
double sentry_delay_benign_bound(const Setting& setting, double t);
/// In any world: 1-δ. Where E ≤ |A|·D there is none: infinity.
double sentry_delay_any_bound(const Setting& setting, InFlight in_flight, double t);

// --- Upper bounds, rates: universal constants set to 1 -------------------------------------------

double pe_rate(const Setting& setting, double t);
double pe_gap_rate(const Setting& setting);
double pe_epsilon_rate(const Setting& setting, double t);
double c_ucb_epsilon_rate(const Setting& setting, double t);
/// Prop. A.1 for any number of learners; `home` is the index of the well-specified one.
double db_rate(const Setting& setting, const std::vector<BalancedLearner>& learners,
               std::size_t home);
double db_dial_benign_rate(const Setting& setting);  // Prop. A.2, benign
double db_dial_any_rate(const Setting& setting);     // Prop. A.2, arbitrary
double hac_ucb_benign_rate(const Setting& setting, double t);
double hac_ucb_any_rate(const Setting& setting, double t);

// --- Lower bounds --------------------------------------------------------------------------------

/// The bound with the paper's Δ speaks for R_2 ≤ T/641: Δ = 16R_2/T must stay below 1/40 (Thm 3.7;
/// docs/theory.md, "The proof with its constants").
inline constexpr double kFrontierLimit = 641;
/// The one with the best Δ speaks for R_2 < T/320, where Δ = 1/40 still says something (spec §7).
inline constexpr double kSharpFrontierLimit = 320;
/// R_1 of any policy with worst-case regret at most R_2: nothing where the theorem says nothing.
std::optional<double> frontier_lower(const Setting& setting);        // the paper's Δ
std::optional<double> frontier_lower_sharp(const Setting& setting);  // the best Δ
/// The same with neighbours that differ in all contexts, for gaps up to this one (docs/theory.md,
/// "What safety costs"): larger, and it speaks for larger R_2.
inline constexpr double kDirectGap = 1.0 / 40;
std::optional<double> frontier_lower_direct(const Setting& setting);
/// Regret on pareto-benign with the setting's gap, of any policy with worst-case regret R_2.
std::optional<double> safe_gap_lower(const Setting& setting);
/// Benign regret of any policy that knows nothing of the marginals.
double zero_knowledge_lower(const Setting& setting);
double zero_knowledge_lower_sharp(const Setting& setting);

// --- Zones ---------------------------------------------------------------------------------------

double harmless_epsilon(const Setting& setting);
double worthless_epsilon(const Setting& setting);
/// The smallest |A| at which c-ucb's coefficient (`sharp`: D_C) is below ucb's, at this |Z|, T, δ.
enum class CausalCoefficient { kPaper, kSharp };
double causal_crossing(const Setting& setting, CausalCoefficient coefficient);
/// The shortest horizon at which a guarantee with δ = 1/T is below T; none up to 10^18.
std::optional<double> ucb_horizon(const Setting& setting);
std::optional<double> c_ucb_horizon(const Setting& setting);
/// Budget from which sentry's benign bound is exploration: D_C²·T/(8|A|·L_A). Not capped to T.
double sentry_threshold(const Setting& setting);

/// When a wrong Z is noticed. Sentry: plays of the action and visits of its contexts after which
/// the test must fire if the action's mean and what its contexts say differ by `gap`.
struct SentryNotice {
  double plays;           // of the action; its contexts as badly known
  double visits;          // of each of its contexts
  double plays_at_least;  // of the action when its contexts are known exactly
};
SentryNotice sentry_notice(const Setting& setting, const SentryForm& form, double gap);
/// db: about the round at which a causal learner that loses `gap` a round is first switched off.
enum class Bias { kCorrected, kPrinted };
double db_notice_round(const Setting& setting, Bias bias, double gap);

// --- The table -----------------------------------------------------------------------------------

enum class BoundKind { kExplicit, kRate };
const char* kind_name(BoundKind kind);  // explicit or rate

struct Bound {
  std::string name;             // stable, kebab-case
  std::optional<double> value;  // never clipped; absent where there is no such number
  BoundKind kind = BoundKind::kExplicit;
  std::string validity;  // "holds", "vacuous" or "outside", then ": why" where there is more to say
  std::string source;    // theorem and section
  std::string group;     // upper, lower or zones
  std::string world;     // benign or any
  std::string unit;      // of the value: regret, epsilon, actions, rounds, factor
  std::optional<double> failure;  // of an explicit upper bound: the probability that it fails

  bool holds() const { return validity.starts_with("holds"); }
};

/// Every bound, in order: upper, lower, zones. Throws Error where the setting is out of range.
std::vector<Bound> bounds(const Setting& setting);

// --- The frontier --------------------------------------------------------------------------------

/// A pair (benign regret R_1, worst-case regret R_2), in expectation with δ = 1/T.
struct FrontierPoint {
  std::string series;  // frontier, lower, ucb, c-ucb, hac-ucb, db, sentry, warden
  std::string policy;  // as `armature simulate` takes it; empty for curves
  BoundKind kind = BoundKind::kExplicit;
  double r1 = 0;
  double r2 = 0;
};
struct Frontier {
  Setting setting;
  std::vector<FrontierPoint> points;  // series by series
  std::optional<double> lower_until;  // R_2 below which the lower bound speaks; absent: nowhere
  std::vector<std::string> notes;
};
/// `count` points along each curve and dial; the frontier has its corner too.
Frontier frontier(const Setting& setting, std::size_t count);
/// log R/log T, the axes of the paper's Figure 1; absent at T = 1.
std::optional<double> log_normalised(double regret, double horizon);

struct PairVerdict {
  std::string verdict;            // not reasonable, achievable, excluded, between the bounds
  std::string policy;             // that achieves it, as `armature simulate` takes it, or empty
  std::optional<BoundKind> kind;  // of the bound that shows it
  std::string because;
};
PairVerdict judge_pair(const Setting& setting, double r1, double r2);

// --- In words ------------------------------------------------------------------------------------

/// A question that guarantees answer. Which policy to play is not one of them: armature/advice.h.
struct Explanation {
  std::string topic;  // horizon, marginals, promises, price, notice
  std::string conclusion;
  std::vector<std::string> because;  // the numbers and formulas it came from
};
std::vector<Explanation> explain(const Setting& setting);

}  // namespace armature
