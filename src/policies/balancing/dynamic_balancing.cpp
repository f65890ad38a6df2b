#include "policies/balancing/dynamic_balancing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/mathematics.h"
#include "policies/tools/confidence.h"
#include "policies/tools/insights.h"

namespace armature {
namespace {

// Z_2, and Z_i of any further learner (spec §4, the Pareto dial): Z_i = R_2/sqrt(|A|T).
double dial(const Problem& problem, const Arguments& arguments) {
  const auto horizon = static_cast<double>(problem.horizon.value());
  const double minimax =
      std::sqrt(problem.actions() * horizon);                // sqrt(|A|T), the least R_2 can be
  const double farthest = std::max(1.0, horizon / minimax);  // Z_2 at R_2 = T
  const int given = (arguments.given("R2") ? 1 : 0) + (arguments.given("dial") ? 1 : 0) +
                    (arguments.given("Z2") ? 1 : 0) + (arguments.given("Z") ? 1 : 0);
  if (given > 1)
    throw Error({"", arguments.owner(), "several of R2, dial, Z2 and Z", "at most one of them"});
  if (const auto r2 = arguments.real_if("R2")) {
    if (*r2 < minimax || *r2 > horizon)
      arguments.reject(
          "R2", fmt::format("a regret in [sqrt(|A|T), T] = [{:.6g}, {:.6g}]", minimax, horizon));
    return *r2 / minimax;
  }
  if (const auto turn = arguments.real_if("dial")) return portable::pow(farthest, *turn);
  if (const auto z2 = arguments.real_if("Z2")) return *z2;
  const double corner = std::sqrt(static_cast<double>(problem.actions()) / problem.contexts());
  return std::min(std::max(1.0, corner), farthest);
}

}  // namespace

PolicyFacts DynamicBalancing::facts() {
  return {
      .name = "db",
      .summary = "dynamic balancing of base learners with the Pareto dial",
      .text =
          "Runs several base learners side by side, by default c-ucb and ucb, and gives each round "
          "to the one that has used up least of its allowance; a learner whose average reward "
          "shows that its regret promise is broken is left out until the test lets it back. The "
          "dial says how much worse than ucb one accepts to be in the worst world (R2, or Z2 = "
          "R2/sqrt(|A|T)) in exchange for the benign rate: R1·R2 is about |A|·T, and the default "
          "is the corner where the benign rate is as good as c-ucb's. Two misprints of the paper "
          "are mended by default and kept as variants, test=plus and bias=printed; "
          "docs/balancing.md shows what each of them does, in numbers. The price of the proof is "
          "patience: with the paper's constants a wrong causal learner is switched off only after "
          "millions of rounds.",
      .section = "§4, paper Alg. 1",
      .needs_horizon = true,
      .parameters = {
          BaseLearners::base_parameter(),
          Parameter::text("d", "one positive number per learner, joined by '+'")
              .automatic("the proved coefficients")
              .written_as(canonical_numbers)
              .help("d_i: learner i's regret is at most d_i·sqrt(n) where it is at home", "§4"),
          Parameter::real("R2")
              .automatic("the corner")
              .above(0)
              .help("the dial, as worst-case regret in [sqrt(|A|T), T]", "§4"),
          Parameter::real("dial")
              .automatic("the corner")
              .closed(0, 1)
              .help("the dial, from 0 (R2 = sqrt(|A|T)) to 1 (R2 = T) on a log scale", "§4"),
          Parameter::real("Z2")
              .automatic("max(1, sqrt(|A|/|Z|)), at most T/sqrt(|A|T)")
              .above(0)
              .help("the dial, as the factor R2/sqrt(|A|T)", "§4"),
          Parameter::text("Z", "one positive number per learner, joined by '+'")
              .automatic("1, then Z2 for each further learner")
              .written_as(canonical_numbers)
              .help("all dials Z_i at once", "§4"),
          Parameter::choice("test", {"minus", "plus"})
              .help("sign of γ_j in the activity test: the one the proof needs, or the printed one",
                    "§4"),
          Parameter::choice("bias", {"corrected", "printed"})
              .help("bias 2·Z_i·d_i/sqrt(t), or 2·Z_i/sqrt(t) as printed", "§4"),
          Parameter::real("delta")
              .automatic("1/max(T,2)")
              .open(0, 1)
              .help("δ of the test and of the learners", "§4"),
          scale_parameter("multiplies d_i, γ_i and the bias, and is handed down; below 1 there is "
                          "no guarantee")}};
}

DynamicBalancing::DynamicBalancing(const Problem& problem, const Arguments& arguments)
    : delta_(paper_delta(problem, arguments)),
      scale_(arguments.real("scale")),
      spread_sign_(arguments.is_word("test", "plus") ? 1 : -1),
      corrected_(arguments.is_word("bias", "corrected")),
      crew_(problem, arguments, delta_),
      count_(static_cast<double>(crew_.size())) {
  const std::size_t count = crew_.size();
  std::vector<double> dials(count, dial(problem, arguments));
  dials[0] = 1;
  if (arguments.given("Z")) dials = number_list(arguments, "Z", count);
  std::vector<double> coefficients;
  if (arguments.given("d"))
    coefficients = number_list(arguments, "d", count);
  else
    for (std::size_t i = 0; i < count; ++i)
      coefficients.push_back(crew_.proved_coefficient(i, problem, arguments));

  for (std::size_t i = 0; i < count; ++i) {
    const double d = scale_ * coefficients[i];
    const double in_bias = corrected_ ? coefficients[i] : 1.0;
    Terms terms;
    terms.coefficient = d;
    terms.pull = std::sqrt(dials[i] / (d * d * d)) * d;
    terms.bias = 2 * dials[i] * in_bias;
    learners_.push_back(terms);
  }
  // The largest logarithm the test will take; a level it cannot be divided by would make every
  // comparison false.
  const double horizon = std::max(2.0, static_cast<double>(problem.horizon.value()));
  if (!std::isfinite(portable::log(count_ * portable::log(horizon) / delta_)))
    arguments.reject("delta", "a level that M·log(T) can be divided by");
  played_.resize(count);
  dispatched_.resize(count);
  observed_.resize(count);
  reward_sums_.resize(count);
  active_.assign(count, 1);
  deactivations_.resize(count);
  first_deactivation_.resize(count);
  inactive_rounds_.resize(count);
  settled_.resize(count);
}

Decision DynamicBalancing::choose(Stream& stream) {
  ++rounds_;
  if (test_is_due()) test_learners(rounds_ - 1);
  for (std::size_t i = 0; i < learners_.size(); ++i)
    if (active_[i] == 0) ++inactive_rounds_[i];
  const std::size_t chosen = least_used(active_);
  ++played_[chosen];
  ++dispatched_[chosen];
  return crew_.choose(chosen, stream);
}

// The active learner with the smallest v_i·d_i·sqrt(n_i).
std::size_t DynamicBalancing::least_used(std::span<const std::uint32_t> active) const {
  std::size_t chosen = learners_.size();
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < learners_.size(); ++i) {
    if (active[i] == 0) continue;
    const double used = do_level(i, dispatched_[i]);
    if (used < least) {
      least = used;
      chosen = i;
    }
  }
  ARMATURE_CHECK(chosen < learners_.size(),
                 "some learner is active and has used less than infinity");
  return chosen;
}

void DynamicBalancing::observe(Decision decision, Outcome outcome, Stream& stream) {
  const std::size_t i = crew_.learner_of(decision);
  ARMATURE_CHECK(observed_[i] < dispatched_[i], "a decision has one outcome");
  crew_.observe(decision, outcome, stream);
  ++outcomes_;
  ++observed_[i];
  reward_sums_[i] += outcome.reward;
  update_terms(i);
}

void DynamicBalancing::forget(Decision decision) {
  const std::size_t i = crew_.learner_of(decision);
  ARMATURE_CHECK(observed_[i] < dispatched_[i], "a decision is forgotten once");
  crew_.forget(decision);
  --dispatched_[i];  // the round did not count for it
}

// log(M·log(max(n,2))/δ)
double DynamicBalancing::log_term(double n) const {
  return portable::log(count_ * portable::log(std::max(n, 2.0)) / delta_);
}

// The terms of learner i that its own outcomes change: U_i/n_i, γ_i =
// 3·sqrt(log(M·log(max(n_i,2))/δ)/n_i) and d_i/sqrt(n_i).
void DynamicBalancing::update_terms(std::size_t i) {
  Terms& learner = learners_[i];
  const auto n = static_cast<double>(observed_[i]);
  learner.mean = reward_sums_[i] / n;
  learner.spread = scale_ * 3 * std::sqrt(log_term(n) / n);
  learner.allowance = learner.coefficient / std::sqrt(n);
}

// Active next: i with η_i + γ_i + d_i/sqrt(n_i) ≥ max_j (η_j − γ_j), η_i = U_i/n_i − b_i(t),
// b_i(t) = max(2·Z_i·D_i, 3·sqrt(M·log(M·log(max(t,2))/δ)))/sqrt(t). Learners without outcomes stay
// active.
// The verdict depends on sums and counts alone, so it is asked for once, before the next choice,
// and the order in which outcomes came leaves no trace. `tell(i, active)` is told it of each
// learner; true if any is active. If none is, all are.
template <class Tell>
bool DynamicBalancing::judge(const Tell& tell) const {
  const auto t = static_cast<double>(outcomes_);
  const double common = 3 * std::sqrt(count_ * log_term(t));
  const double root = std::sqrt(t);
  const auto value = [&](std::size_t i) {  // η_i
    return learners_[i].mean - scale_ * std::max(learners_[i].bias, common) / root;
  };
  double bar = -std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < learners_.size(); ++j)
    if (observed_[j] > 0) bar = std::max(bar, value(j) + spread_sign_ * learners_[j].spread);
  bool any = false;
  for (std::size_t i = 0; i < learners_.size(); ++i) {
    const bool active =
        observed_[i] == 0 || value(i) + learners_[i].spread + learners_[i].allowance >= bar;
    tell(i, active);
    any = any || active;
  }
  return any;
}

// As the next choice will find them.
std::vector<std::uint32_t> DynamicBalancing::active_next() const {
  std::vector<std::uint32_t> active = active_;
  if (test_is_due() && !judge([&](std::size_t i, bool stays) { active[i] = stays ? 1 : 0; }))
    std::fill(active.begin(), active.end(), 1);
  return active;
}

bool DynamicBalancing::probabilities(std::span<double> out) const {
  return crew_.probabilities(least_used(active_next()), out);
}

// The next round is the active learner's with the smallest level. Means, spreads and allowances are
// of learners that have outcomes; of others they are 0, and their test is not asked for.
Insights DynamicBalancing::explain() const {
  constexpr auto kLearners = Insight::Of::kLearners;
  const std::size_t count = learners_.size();
  const std::vector<std::uint32_t> active = active_next();
  Insights told;
  tell_which(told, "active", kLearners, count, [&](std::size_t i) { return active[i] == 1; });
  tell(told, "learner_plays", kLearners, count, [this](std::size_t i) { return observed_[i]; });
  told.push_back({"learner_rewards", kLearners, reward_sums_});
  tell(told, "learner_level", kLearners, count,
       [this](std::size_t i) { return do_level(i, dispatched_[i]); });
  tell(told, "learner_mean", kLearners, count, [this](std::size_t i) { return learners_[i].mean; });
  tell(told, "learner_spread", kLearners, count,
       [this](std::size_t i) { return learners_[i].spread; });
  tell(told, "learner_allowance", kLearners, count,
       [this](std::size_t i) { return learners_[i].allowance; });
  tell(told, "learner_coefficient", kLearners, count,
       [this](std::size_t i) { return learners_[i].coefficient; });
  return told;
}

// `round` is the last one played.
void DynamicBalancing::test_learners(std::uint64_t round) {
  tested_outcomes_ = outcomes_;
  const bool any = judge([&](std::size_t i, bool active) {
    if (active_[i] == 1 && !active) {
      ++deactivations_[i];
      if (first_deactivation_[i] == 0) first_deactivation_[i] = round;
    }
    active_[i] = active ? 1 : 0;
  });
  if (!any) std::fill(active_.begin(), active_.end(), 1);
}

// --- Leaping

using leap::Range;

std::uint64_t DynamicBalancing::do_plays_below(std::size_t i, double bar, bool ties) const {
  const auto below = [&](std::uint64_t n) {
    const double at = do_level(i, n);
    return at < bar || (ties && at == bar);
  };
  constexpr std::uint64_t kMost = std::uint64_t{1} << 62;  // more plays than there can be
  if (bar < 0) return 0;
  if (below(kMost)) return kMost;
  const double ratio = bar / learners_[i].pull;
  auto n = static_cast<std::uint64_t>(std::min(ratio * ratio, 0x1p62));
  while (n > 0 && !below(n - 1)) --n;
  while (below(n)) ++n;
  return n;
}

// η_i + γ_i + d_i/sqrt(n_i) and η_i ∓ γ_i anywhere in a window, given the common part of the bias
// at its first and last test. Logarithms never fall and powers never rise along the window, so each
// factor is largest at one of its ends.
DynamicBalancing::Standing DynamicBalancing::standing_in(const leap::BalancerWindow& window,
                                                         std::size_t i,
                                                         const leap::Range& common) const {
  const Terms& terms = learners_[i];
  const double root_first = std::sqrt(static_cast<double>(outcomes_ + 1));
  const double root_last = std::sqrt(static_cast<double>(outcomes_ + window.rounds));
  const auto n_first = static_cast<double>(observed_[i]);
  const auto n_last = static_cast<double>(observed_[i] + window.plays[i]);
  const double log_first = log_term(n_first);
  const double log_last = window.plays[i] > 0 ? log_term(n_last) : log_first;
  const Range spread{scale_ * 3 * std::sqrt(log_first / n_last),
                     scale_ * 3 * std::sqrt(log_last / n_first)};
  const Range value{window.means[i].low - scale_ * std::max(terms.bias, common.high) / root_first,
                    window.means[i].high - scale_ * std::max(terms.bias, common.low) / root_last};
  Standing standing;
  standing.reach = {value.low + spread.low + terms.coefficient / std::sqrt(n_last),
                    value.high + spread.high + terms.coefficient / std::sqrt(n_first)};
  standing.claim = spread_sign_ > 0 ? Range{value.low + spread.low, value.high + spread.high}
                                    : Range{value.low - spread.high, value.high - spread.low};
  return standing;
}

bool DynamicBalancing::do_stays(const leap::BalancerWindow& window) const {
  constexpr double kMargin = 1e-12;  // indices round at 1e-15
  const Range common{
      3 * std::sqrt(count_ * log_term(static_cast<double>(outcomes_ + 1))),
      3 * std::sqrt(count_ * log_term(static_cast<double>(outcomes_ + window.rounds)))};
  std::vector<Standing> standings(learners_.size());
  for (std::size_t i = 0; i < learners_.size(); ++i) {
    if (observed_[i] == 0 && window.plays[i] > 0) return false;
    if (observed_[i] > 0) standings[i] = standing_in(window, i, common);
  }
  for (std::size_t i = 0; i < learners_.size(); ++i) {
    if (observed_[i] == 0) continue;
    double bar_low = -std::numeric_limits<double>::infinity();
    double bar_high = bar_low;
    for (std::size_t j = 0; j < learners_.size(); ++j) {
      if (j == i || observed_[j] == 0) continue;  // one always reaches one's own claim
      bar_low = std::max(bar_low, standings[j].claim.low);
      bar_high = std::max(bar_high, standings[j].claim.high);
    }
    const Range& reach = standings[i].reach;
    if (active_[i] == 1 ? reach.low < bar_high + kMargin : reach.high + kMargin > bar_low)
      return false;
  }
  return true;
}

void DynamicBalancing::do_pass(Round rounds, std::span<const std::uint64_t> plays) {
  rounds_ += rounds;
  outcomes_ += rounds;
  tested_outcomes_ = outcomes_;
  for (std::size_t i = 0; i < learners_.size(); ++i) {
    played_[i] += plays[i];
    dispatched_[i] += plays[i];
    observed_[i] += plays[i];
    if (active_[i] == 0) inactive_rounds_[i] += rounds;
  }
}

void DynamicBalancing::do_settle(std::span<const double> reward_sums) {
  for (std::size_t i = 0; i < learners_.size(); ++i) {
    const bool same = settled_[i] == observed_[i] && reward_sums_[i] == reward_sums[i];
    if (same || observed_[i] == 0) continue;
    reward_sums_[i] = reward_sums[i];
    settled_[i] = observed_[i];
    update_terms(i);
  }
  test_learners(rounds_);
}

void DynamicBalancing::visit_state(StateVisitor& visitor) {
  visitor.field("played", played_);
  visitor.field("dispatched", dispatched_);
  visitor.field("observed", observed_);
  visitor.field("reward_sums", reward_sums_);
  visitor.field("active", active_);
  visitor.field("rounds", rounds_);
  visitor.field("outcomes", outcomes_);
  visitor.field("tested_outcomes", tested_outcomes_);
  visitor.field("deactivations", deactivations_);
  visitor.field("first_deactivation", first_deactivation_);
  visitor.field("inactive_rounds", inactive_rounds_);
  crew_.visit_state(visitor);
  visitor.require_counts_within(dispatched_, "observed", observed_);
  visitor.require_finite("reward_sums", reward_sums_);
  visitor.require_below(2, "active", active_);
  visitor.require(std::count(active_.begin(), active_.end(), 1u) > 0, "active");
  if (!visitor.reading()) return;
  for (std::size_t i = 0; i < learners_.size(); ++i)
    if (observed_[i] > 0) update_terms(i);
}

void DynamicBalancing::tell_course(Diagnostics& diagnostics, const std::string& name,
                                   const Course& course, double rounds) {
  diagnostics.push_back({"share(" + name + ")", course.played / rounds});
  diagnostics.push_back({"inactive_share(" + name + ")", course.inactive / rounds});
  diagnostics.push_back({"deactivations(" + name + ")", course.deactivations});
  if (course.first_deactivation > 0)
    diagnostics.push_back({"first_deactivation(" + name + ")", course.first_deactivation});
}

Diagnostics DynamicBalancing::diagnostics() const {
  Diagnostics diagnostics;
  const auto rounds = static_cast<double>(std::max<std::uint64_t>(rounds_, 1));
  for (std::size_t i = 0; i < learners_.size(); ++i)
    tell_course(
        diagnostics, crew_.name(i),
        {static_cast<double>(played_[i]), static_cast<double>(inactive_rounds_[i]),
         static_cast<double>(deactivations_[i]), static_cast<double>(first_deactivation_[i])},
        rounds);
  return diagnostics;
}

}  // namespace armature
