#include "simulate/leap_walk.h"

#include <algorithm>

#include "base/discrete.h"
#include "base/mathematics.h"
#include "simulate/leap_peak.h"

namespace armature::leap {
namespace {

// Rounds to step after a failed try, doubled by every further failure: few at first, as most often
// the lead is settled after some rounds; at most as many as make the tries cost next to nothing.
constexpr Round kLeastPatience = 4;
constexpr Round kMostPatience = 1024;

}  // namespace

// A single play carries no counts of values: there is nothing to cut, and where all rounds are
// stepped they would be most of the memory.
void SegmentList::play(AnyPolicy& policy, Round rounds, Resources& resources) {
  for (Round i = 0; i < rounds; ++i) {
    const Decision decision = policy.choose(resources.policy_stream);
    const Outcome outcome = resources.environment.play(decision.arm);
    policy.observe(decision, outcome, resources.policy_stream);
    segments_.push_back({decision.arm, 1, outcome.reward, {}});
  }
}

PolicyWalk::PolicyWalk(AnyPolicy& policy, Resources& resources)
    : policy_(policy),
      planner_(*policy.leaper()->planner()),
      resources_(resources),
      boxes_(resources.laws),
      guess_(resources.laws.actions(), kShortestLeap),
      patience_(kLeastPatience),
      visits_(resources.laws.contexts()),
      sums_(resources.laws.contexts()),
      value_counts_(resources.laws.value_count()),
      context_values_(resources.laws.value_count()) {
  if (PeakKeeper* const keeper = planner_.peak_keeper())
    peak_search_ = std::make_unique<PeakSearch>(*keeper, resources);
}

PolicyWalk::PolicyWalk(PolicyWalk&&) noexcept = default;
PolicyWalk::~PolicyWalk() = default;

// --- Certificates

bool PolicyWalk::certified(Round rounds) {
  plan_ = planner_.intend(rounds);
  return plan_holds();
}

// A failed try reveals nothing of the outcomes: the box is made from the laws, and nothing is
// drawn.
bool PolicyWalk::plan_holds() {
  if (rounds_of(plan_) == 0) return false;
  if (is_certain(plan_)) return true;
  return planner_.holds(plan_, boxes_.around(plan_, resources_.ledger.log_inverse()));
}

// The longest certificate that doubling and halving find, starting from where the last one with
// this leading arm ended: while an arm leads, its certificates grow with its plays. On success
// plan_ is the plan it covers.
bool PolicyWalk::certify(Round limit) {
  const Round least = std::min(kShortestLeap, limit);
  plan_ = planner_.intend(least);
  if (rounds_of(plan_) == 0) return false;
  if (is_certain(plan_)) {  // nothing to search for: as far as may be
    plan_ = planner_.intend(limit);
    return true;
  }
  Round& guess = guess_[shares_of(plan_).front().arm];
  const Round first = std::clamp(guess, least, limit);
  guess = least;  // if nothing comes of it
  Round good = first;
  Round bad = limit + 1;
  if (!(first == least ? plan_holds() : certified(first))) {
    if (first == least || !certified(least)) return false;
    good = least;
    bad = first;
  }
  // A plan may be shorter than asked for, near the end of what the policy can foresee; then asking
  // for more is in vain.
  if (rounds_of(plan_) < least) return 2 * rounds_of(plan_) > kShortestLeap;
  // To within half of the longest: a closer search costs more tries than the rounds are worth.
  while (good < limit && bad - good > good / 2 && rounds_of(plan_) >= good) {
    const Round next = bad > limit ? std::min(limit, 2 * good) : good + (bad - good) / 2;
    (certified(next) ? good : bad) = next;
    if (bad == next) plan_ = planner_.intend(good);
  }
  guess = good;
  return true;
}

// --- Playing

Round PolicyWalk::advance(Round limit, Journal& journal) {
  // Before anything is laid out: what is planned must not depend on where the peak is.
  if (peak_search_) peak_search_->settle();
  if (!certify(limit)) return step(limit, journal);
  // A balancer may take any part of the walk, so it must be known which plays come first. What was
  // certified is not relied on, and not paid for.
  if (journal.keeps_order() && !is_in_turn(plan_)) return step(limit, journal);
  if (!is_certain(plan_)) resources_.ledger.spend();
  patience_ = kLeastPatience;
  return play_plan(journal);
}

Round PolicyWalk::play_plan(Journal& journal) {
  if (const auto* random = std::get_if<AtRandom>(&plan_)) plan_ = drawn(*random);
  const Detail detail = detail_of(plan_);
  for (const Share& share : shares_of(plan_)) {
    if (share.plays == 0) continue;
    play_share(share, detail, journal);
    resources_.count_events(1);
  }
  return rounds_of(plan_);
}

Certain PolicyWalk::drawn(const AtRandom& plan) {
  const std::vector<double> alike(plan.arms, 1 / static_cast<double>(plan.arms));
  std::vector<std::uint64_t> plays(plan.arms);
  multinomial(resources_.stream, plan.rounds, alike, plays);
  resources_.count_draws(plays.size());
  Certain drawn{{}, Certain::Order::kMixed};
  for (Arm a = 0; a < plan.arms; ++a) drawn.shares.push_back({a, plays[a]});
  return drawn;
}

// Draws the outcomes of a share and tells everybody. The search for the peak comes first: it needs
// the statistics from which the share starts.
void PolicyWalk::play_share(const Share& share, Detail detail, Journal& journal) {
  const Laws& laws = resources_.laws;
  const bool contexts = detail == Detail::kContexts;
  const double sum =
      contexts ? draw_by_context(share)
               : laws.draw(laws.arm(share.arm), share.plays, resources_.stream, value_counts_);
  if (!contexts) resources_.count_draws(value_counts_.size());
  if (peak_search_) peak_search_->add({share.arm, share.plays, sum, value_counts_});
  planner_.absorb(contexts ? ShareOutcome{share, sum, visits_, sums_}
                           : ShareOutcome{share, sum, {}, {}});
  journal.add(share, sum, value_counts_);
}

// Visits, then rewards context by context; returns the sum of all rewards. How often each value
// came is added up over contexts: a cut divides the share as a whole, and the policy, which has
// been told of its contexts, is not asked again.
double PolicyWalk::draw_by_context(const Share& share) {
  const Laws& laws = resources_.laws;
  multinomial(resources_.stream, share.plays, laws.marginals(share.arm), visits_);
  resources_.count_draws(visits_.size());
  std::fill(value_counts_.begin(), value_counts_.end(), 0);
  double total = 0;
  for (Context z = 0; z < laws.contexts(); ++z) {
    sums_[z] = 0;
    if (visits_[z] == 0) continue;
    sums_[z] = laws.draw(laws.cell(share.arm, z), visits_[z], resources_.stream, context_values_);
    resources_.count_draws(context_values_.size());
    total += sums_[z];
    for (std::size_t v = 0; v < context_values_.size(); ++v) value_counts_[v] += context_values_[v];
  }
  return total;
}

// After a failed try it is a while before the next: the choice is about to change, and where it
// changes all the time trying is in vain.
Round PolicyWalk::step(Round limit, Journal& journal) {
  const Round rounds = std::min(limit, patience_);
  patience_ = std::min(2 * patience_, kMostPatience);
  resources_.rounds_stepped += rounds;
  resources_.count_events(rounds);
  if (!peak_search_) {
    journal.play(policy_, rounds, resources_);
    return rounds;
  }
  // Every single choice may depend on the peak, as the arm just played moves.
  for (Round i = 0; i < rounds; ++i) {
    peak_search_->settle();
    journal.play(policy_, 1, resources_);
  }
  return rounds;
}

void PolicyWalk::finish() {
  if (peak_search_) peak_search_->settle();
}

}  // namespace armature::leap
