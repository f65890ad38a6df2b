#include "policies/index/hac_ucb.h"

#include <cmath>

#include "base/mathematics.h"
#include "base/whole_roots.h"
#include "policies/tools/certainty.h"
#include "policies/tools/insights.h"
#include "policies/tools/ties.h"

namespace armature {
PolicyFacts HacUcb::facts() {
  return {
      .name = "hac-ucb",
      .summary = "c-ucb under a test that switches to ucb for ever",
      .text =
          "Plays every action a few times, then follows the contexts as c-ucb does while for every "
          "action the two estimates of its mean agree; at the first disagreement it turns into ucb "
          "for good. Order sqrt(|Z|·T) in benign worlds, T^(3/4)·sqrt(|A| log T) in any world once "
          "T ≥ 25|A|². All that is known of an action the contexts undervalue are its first plays: "
          "at a fixed gap Δ regret may be linear until T is about (|A| log T/Δ²)².",
      .section = "§5",
      .needs_horizon = true,
      .needs_marginals = true,
      .parameters = {
          Parameter::choice("variant", {"code", "paper"})
              .help("the published script, or the published text, which also checks the marginals",
                    "§5"),
          Parameter::real("delta").automatic("1/T²").open(0, 1).help(
              "δ of the widths sqrt(log(1/δ)/(2n))", "§5"),
          scale_parameter("multiplies all widths; below 1 there is no guarantee"),
          Parameter::choice("ties", {"lowest", "random"})
              .help("which of several best arms to play", "§2"),
          inflight_parameter()}};
}

HacUcb::HacUcb(const Problem& problem, const Arguments& arguments)
    : actions_count_(problem.actions()),
      contexts_count_(problem.contexts()),
      horizon_(static_cast<double>(problem.horizon.value())),
      confidence_(confidence_for("bilodeau", problem, arguments, 1)),
      random_ties_(arguments.is_word("ties", "random")),
      checks_marginals_(arguments.is_word("variant", "paper")),
      actions_(actions_count_),
      contexts_(contexts_count_),
      given_(problem.marginals),
      indices_(actions_count_),
      flights_(actions_count_, arguments),
      visits_(contexts_count_),
      uppers_ahead_(contexts_count_) {
  const std::uint64_t horizon = *problem.horizon;
  const std::uint64_t first = checks_marginals_ ? root_share_above(4, horizon, actions_count_)
                                                : next_root_share(horizon, actions_count_);
  const std::uint64_t second = checks_marginals_ ? root_share_above(1, horizon, actions_count_) : 0;
  first_sweep_plays_ = first * actions_count_;
  all_sweep_plays_ = first_sweep_plays_ + second * actions_count_;
  if (checks_marginals_) first_visits_.resize(std::size_t{actions_count_} * contexts_count_);
  rebuild();
}

void HacUcb::update_action(Arm a) {
  const double width = actions_.up(a, confidence_);
  const double index = actions_.mean(a) + width;
  if (switched_)
    indices_.set(a, index);
  else
    agreement_->set_action(a, index, 2 * width);
}

void HacUcb::update_context(Context z) {
  if (switched_) return;
  const double width = contexts_.up(z, confidence_);
  const double upper = contexts_.mean(z) + width;
  scores_->set(z, upper);
  agreement_->set_context(z, upper, 2 * width);
}

void HacUcb::rebuild() {
  rows_ =
      std::make_shared<const MarginalRows>(marginals_replaced_ ? empirical_marginals() : *given_);
  pseudo_.resize(rows_->rows());
  const double widest = confidence_.hoeffding(1);
  agreement_.emplace(*rows_, 1 + 2 * widest);
  scores_.emplace(*rows_, widest);
  for (Arm a = 0; a < actions_count_; ++a) update_action(a);
  for (Context z = 0; z < contexts_count_; ++z) update_context(z);
  visits_.recount(*rows_, flights_);
}

Decision HacUcb::choose(Stream& stream) {
  if (flights_.due()) [[unlikely]]
    count_last_play();
  ++rounds_;
  const Decision decision = next_play(stream);
  flights_.send(decision.arm);
  return decision;
}

Decision HacUcb::next_play(Stream& stream) {
  if (!lost_.empty()) {
    const std::uint64_t play = lost_.front();
    lost_.erase(lost_.begin());
    return {static_cast<Arm>(play / 4), play % 4};
  }
  if (dispatched_ < all_sweep_plays_) {
    const auto arm = static_cast<Arm>(dispatched_ % actions_count_);
    const Ticket ticket = dispatched_ < first_sweep_plays_ ? kFirstSweeps : kSecondSweeps;
    ++dispatched_;
    return {arm, ticket};
  }
  if (!switched_ && !agreement_->holds()) turn_into_ucb();
  if (!switched_) return {causal_choice(stream), kCausal};
  const Arm leader = random_ties_ || flights_.any_counted()
                         ? best_by([this](Arm a) { return action_index(a); }, stream)
                         : indices_.best();
  return {leader, kAfterSwitch};
}

void HacUcb::turn_into_ucb() {
  switched_ = true;
  switch_round_ = rounds_;
  for (Arm a = 0; a < actions_count_; ++a) update_action(a);
}

Arm HacUcb::causal_choice(Stream& stream) const {
  if (!random_ties_ && !flights_.any_counted()) return rows_->action(scores_->best_row());
  work_out_pseudo();
  return best_by([this](Arm a) { return causal_index(a); }, stream);
}

bool HacUcb::probabilities(std::span<double> out) const {
  if (flights_.due()) count_last_play();
  const auto share = [&](const auto& value_of) {
    if (random_ties_) return share_among_best(out, value_of);
    put_all_on(out, lowest_argmax(actions_count_, value_of));
  };
  if (!lost_.empty())
    put_all_on(out, static_cast<Arm>(lost_.front() / 4));
  else if (dispatched_ < all_sweep_plays_)
    put_all_on(out, static_cast<Arm>(dispatched_ % actions_count_));
  else if (switched_ || !agreement_->holds())
    share([this](Arm a) { return action_index(a); });
  else {
    work_out_pseudo();
    share([this](Arm a) { return causal_index(a); });
  }
  return true;
}

// Both indices are told; `index` is the one that the next choice goes by, once the sweeps are over.
Insights HacUcb::explain() const {
  if (flights_.due()) count_last_play();
  const bool switched = switched_ || !agreement_->holds();
  const auto own = [this](Arm a) { return action_index(a); };
  const auto mean = [this](Arm a) { return actions_.mean(a); };
  Insights told;
  if (switched) {
    tell_indices(told, Insight::Of::kActions, actions_count_, own, mean);
  } else {
    work_out_pseudo();
    const auto context_mean = [this](Context z) { return contexts_.mean(z); };
    const std::vector<double> means = listed(contexts_count_, context_mean);
    tell_indices(
        told, Insight::Of::kActions, actions_count_, [this](Arm a) { return causal_index(a); },
        [&](Arm a) { return rows_->sum(rows_->row(a), means); });
    tell(told, "own_index", Insight::Of::kActions, actions_count_, own);
    tell(told, "own_mean", Insight::Of::kActions, actions_count_, mean);
    tell_indices(
        told, Insight::Of::kContexts, contexts_count_,
        [this](Context z) {
          return flights_.any_counted() ? uppers_ahead_[z] : scores_->values()[z];
        },
        context_mean);
  }
  tell_whether(told, "switched", switched);
  tell_whether(told, "by_index", lost_.empty() && dispatched_ >= all_sweep_plays_);
  return told;
}

void HacUcb::count_last_play() const {
  const Arm arm = flights_.settle();
  if (!flights_.ignored()) visits_.add(*rows_, arm);
}

// p counts what is in flight; the test never does.
void HacUcb::work_out_pseudo() const {
  if (!flights_.any_counted()) return rows_->sums(scores_->values(), pseudo_);
  for (Context z = 0; z < contexts_count_; ++z)
    uppers_ahead_[z] = contexts_.upper_ahead(z, visits_.of(z), confidence_);
  rows_->sums(uppers_ahead_, pseudo_);
}

double HacUcb::action_index(Arm a) const {
  if (flights_.counted(a) == 0)
    return switched_ ? indices_.value(a) : actions_.upper(a, confidence_);
  return actions_.upper_ahead(a, static_cast<double>(flights_.counted(a)), confidence_);
}

template <class Values>
Arm HacUcb::best_by(const Values& value_of, Stream& stream) const {
  return random_ties_ ? random_argmax(actions_count_, value_of, stream)
                      : lowest_argmax(actions_count_, value_of);
}

// --- Leaping

leap::Plan HacUcb::do_intend(Round rounds) {
  if (dispatched_ < all_sweep_plays_) return sweeps(rounds);
  if (switched_) return leap::OneArm{{indices_.best(), rounds}};
  if (!agreement_->holds()) return leap::SingleRound{};  // choose() switches
  const Arm leader = rows_->action(scores_->best_row());
  return leap::OneArm{{leader, rounds}, leap::Detail::kContexts};
}

// What is left of the first sweeps, or of the second: all actions in turn.
leap::Certain HacUcb::sweeps(Round rounds) const {
  const std::uint64_t end =
      dispatched_ < first_sweep_plays_ ? first_sweep_plays_ : all_sweep_plays_;
  rounds = std::min(rounds, end - dispatched_);
  leap::Certain plan{{}, leap::Certain::Order::kMixed, leap::Detail::kContexts};
  plan.shares.reserve(actions_count_);
  const std::uint64_t more = rounds % actions_count_;
  for (Arm a = 0; a < actions_count_; ++a) {
    const std::uint64_t turn = (a + actions_count_ - dispatched_ % actions_count_) % actions_count_;
    const std::uint64_t plays = rounds / actions_count_ + (turn < more ? 1 : 0);
    if (plays > 0) plan.shares.push_back({a, plays});
  }
  return plan;
}

// Where μ̂(z) ± w(n(z)) can be during a window.
struct HacUcb::ContextRanges {
  RangeList uppers;
  RangeList lowers;
};

bool HacUcb::do_holds(const leap::Plan& plan, const leap::Box& box) const {
  const Arm leader = leap::shares_of(plan).front().arm;
  if (switched_)
    return least_upper_along(actions_, leader, box.arms.front(), confidence_) >
           indices_.best_value_except(leader) + kCertificateMargin;
  check_contexts_told(box);
  const ContextRanges ranges{ranges_along(contexts_, box.contexts, confidence_, PathBound::kUpper),
                             ranges_along(contexts_, box.contexts, confidence_, PathBound::kLower)};
  return leads_for_all(*rows_, rows_->row(leader), ranges.uppers) &&
         test_passes(leader, box.arms.front(), ranges);
}

// The test in other words: μ̂(a) − w(n(a)) ≤ Σ_z ν̃_a(z)·(μ̂(z) + w(n(z))) and
// Σ_z ν̃_a(z)·(μ̂(z) − w(n(z))) ≤ μ̂(a) + w(n(a)) for all a, here for all values in the box.
bool HacUcb::test_passes(Arm played, const leap::SumPath& path, const ContextRanges& ranges) const {
  for (Arm a = 0; a < actions_count_; ++a) {
    const leap::SumPath own = a == played ? path : leap::SumPath{};
    double least_upper = 0;
    double largest_lower = 0;
    for (Context z = 0; z < contexts_count_; ++z) {
      const double weight = rows_->at(rows_->row(a), z);
      least_upper += weight * ranges.uppers[z].low;
      largest_lower += weight * ranges.lowers[z].high;
    }
    const double lower = range_along(actions_, a, own, confidence_, PathBound::kLower).high;
    const double upper = range_along(actions_, a, own, confidence_, PathBound::kUpper).low;
    if (!(lower + kCertificateMargin < least_upper && largest_lower + kCertificateMargin < upper))
      return false;
  }
  return true;
}

void HacUcb::do_absorb(const leap::ShareOutcome& outcome) {
  const auto& [arm, plays, tag] = outcome.share;
  if (!switched_) check_contexts_told(outcome);
  rounds_ += plays;
  actions_.add(arm, plays, outcome.sum);
  update_action(arm);
  if (switched_) return;
  for (Context z = 0; z < contexts_count_; ++z) {
    contexts_.add(z, outcome.visits[z], outcome.sums[z]);
    update_context(z);
  }
  if (dispatched_ >= all_sweep_plays_) return;
  const bool first = dispatched_ < first_sweep_plays_;
  dispatched_ += plays;
  if (!first || !checks_marginals_) return;
  for (Context z = 0; z < contexts_count_; ++z)
    first_visits_[std::size_t{arm} * contexts_count_ + z] += outcome.visits[z];
  first_observed_ += plays;
  if (first_observed_ == first_sweep_plays_) check_marginals();
}

void HacUcb::observe(Decision decision, Outcome outcome, Stream&) {
  if (flights_.land(decision.arm) && !flights_.ignored()) visits_.remove(*rows_, decision.arm);
  actions_.add(decision.arm, outcome.reward);
  update_action(decision.arm);
  if (decision.ticket == kAfterSwitch) return;
  contexts_.add(outcome.context, outcome.reward);
  update_context(outcome.context);
  if (decision.ticket != kFirstSweeps || !checks_marginals_) return;
  ++first_visits_[std::size_t{decision.arm} * contexts_count_ + outcome.context];
  if (++first_observed_ == first_sweep_plays_) check_marginals();
}

// Others' decisions teach what its own do; only its own sweeps are swept.
void HacUcb::witness(const Tally& tally, Stream&) {
  actions_.add(tally.arm, tally.plays, tally.rewards);
  update_action(tally.arm);
  if (switched_) return;
  contexts_.add(tally.context, tally.plays, tally.rewards);
  update_context(tally.context);
}

void HacUcb::forget(Decision decision) {
  if (flights_.land(decision.arm) && !flights_.ignored()) visits_.remove(*rows_, decision.arm);
  if (!is_sweep(decision.ticket)) return;
  ARMATURE_CHECK(lost_.size() < dispatched_, "a decision is forgotten once");
  lost_.push_back(std::uint64_t{decision.arm} * 4 + decision.ticket);
}

// If any action's contexts in the first sweeps are too far from its given marginals, all given
// marginals give way to the empirical ones. Only outcomes of the first sweeps count, however late
// they come.
void HacUcb::check_marginals() {
  const double allowed =
      2 * portable::pow(horizon_, -0.25) *
      std::sqrt(static_cast<double>(actions_count_) * contexts_count_ * portable::log(horizon_));
  const auto plays = static_cast<double>(first_sweeps());
  for (Arm a = 0; a < actions_count_ && !marginals_replaced_; ++a) {
    double distance = 0;
    for (Context z = 0; z < contexts_count_; ++z)
      distance += std::abs(
          static_cast<double>(first_visits_[std::size_t{a} * contexts_count_ + z]) / plays -
          (*given_)(a, z));
    marginals_replaced_ = distance > allowed;
  }
  if (marginals_replaced_) rebuild();
}

Matrix HacUcb::empirical_marginals() const {
  const auto plays = static_cast<double>(first_sweeps());
  Matrix empirical(actions_count_, contexts_count_);
  for (Arm a = 0; a < actions_count_; ++a)
    for (Context z = 0; z < contexts_count_; ++z)
      empirical(a, z) =
          static_cast<double>(first_visits_[std::size_t{a} * contexts_count_ + z]) / plays;
  return empirical;
}

void HacUcb::visit_state(StateVisitor& visitor) {
  actions_.visit_state(visitor, "plays", "action_sums");
  contexts_.visit_state(visitor, "visits", "context_sums");
  visitor.field("rounds", rounds_);
  visitor.field("dispatched", dispatched_);
  visitor.list("lost", lost_);
  visitor.field("switched", switched_);
  visitor.field("switch_round", switch_round_);
  visitor.field("first_observed", first_observed_);
  visitor.field("first_visits", first_visits_);
  visitor.field("marginals_replaced", marginals_replaced_);
  flights_.visit_state(visitor);
  visitor.require(checks_marginals_ || !marginals_replaced_, "marginals_replaced");
  for (const std::uint64_t play : lost_)
    visitor.require(play / 4 < actions_count_ && is_sweep(play % 4), "lost");
  if (visitor.reading()) rebuild();
}

Diagnostics HacUcb::tell_switch(bool switched, double round) {
  Diagnostics diagnostics{{"switched", switched ? 1.0 : 0.0}};
  if (switched) diagnostics.push_back({"switch_round", round});
  return diagnostics;
}

Diagnostics HacUcb::diagnostics() const {
  Diagnostics diagnostics = tell_switch(switched_, static_cast<double>(switch_round_));
  if (checks_marginals_)
    diagnostics.push_back({"marginals_replaced", marginals_replaced_ ? 1.0 : 0.0});
  return diagnostics;
}

}  // namespace armature
