#include "armature/leap.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace armature::leap {
namespace {

// Far beyond any horizon that is leapt, and far from where counts or their doubles overflow.
constexpr Round kMostRounds = Round{1} << 62;

bool is_sum_of(double sum, std::uint64_t rewards) {
  return sum >= 0 && sum <= static_cast<double>(rewards);
}

bool sums_fit(const ShareOutcome& outcome) {
  for (std::size_t z = 0; z < outcome.sums.size(); ++z)
    if (!is_sum_of(outcome.sums[z], outcome.visits[z])) return false;
  return true;
}

std::uint64_t total(std::span<const std::uint64_t> counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

}  // namespace

// --- Planners

Plan Planner::intend(Round rounds) {
  ARMATURE_CHECK(rounds <= kMostRounds, "a plan covers at most 2^62 rounds");
  return do_intend(rounds);
}

bool Planner::holds(const Plan& plan, const Box& box) const {
  ARMATURE_CHECK(rounds_of(plan) > 0 && !is_certain(plan),
                 "only a plan that may fail is asked whether it holds");
  const std::span<const Share> shares = shares_of(plan);
  ARMATURE_CHECK(std::all_of(shares.begin(), shares.end(),
                             [this](const Share& share) { return share.arm < sizes_.actions; }),
                 "a share's arm is one of the problem's");
  ARMATURE_CHECK(box.arms.size() == shares.size(), "a box has a path per share");
  ARMATURE_CHECK(box.contexts.empty() || box.contexts.size() == sizes_.contexts,
                 "a box has a path per context, or none");
  return do_holds(plan, box);
}

void Planner::absorb(const ShareOutcome& outcome) {
  const auto& [share, sum, visits, sums] = outcome;
  ARMATURE_CHECK(share.arm < sizes_.actions, "a share's arm is one of the problem's");
  ARMATURE_CHECK(share.plays <= kMostRounds && is_sum_of(sum, share.plays),
                 "a sum of rewards in [0,1] is at most their number");
  if (!visits.empty() || !sums.empty()) {
    ARMATURE_CHECK(visits.size() == sizes_.contexts && sums.size() == sizes_.contexts,
                   "visits and sums are told of every context, or of none");
    ARMATURE_CHECK(total(visits) == share.plays && sums_fit(outcome),
                   "visits are the plays, and their sums those of rewards");
  }
  do_absorb(outcome);
}

bool Planner::do_holds(const Plan&, const Box&) const {
  ARMATURE_CHECK(false, "a policy whose plans are not certain says when they hold");
}

void Planner::check_contexts_told(const Box& box) {
  ARMATURE_CHECK(!box.contexts.empty(), "the box of a plan told by contexts has their paths");
}

void Planner::check_contexts_told(const ShareOutcome& outcome) {
  ARMATURE_CHECK(!outcome.visits.empty(), "a plan told by contexts is told their visits");
}

// --- Balancers

void Balancer::check_learner(std::size_t i) const {
  ARMATURE_CHECK(i < learners(), "a learner of the balancer");
}

void Balancer::check_plays(Round rounds, std::span<const std::uint64_t> plays) const {
  ARMATURE_CHECK(rounds <= kMostRounds && plays.size() == learners() && total(plays) == rounds,
                 "a window's rounds are its learners' plays");
}

AnyPolicy& Balancer::learner(std::size_t i) {
  check_learner(i);
  return do_learner(i);
}

bool Balancer::active(std::size_t i) const {
  check_learner(i);
  return do_active(i);
}

double Balancer::level(std::size_t i, std::uint64_t plays) const {
  check_learner(i);
  return do_level(i, plays);
}

std::uint64_t Balancer::plays_below(std::size_t i, double bar, bool ties) const {
  check_learner(i);
  ARMATURE_CHECK(!std::isnan(bar), "a bar is a number");
  return do_plays_below(i, bar, ties);
}

bool Balancer::stays(const BalancerWindow& window) const {
  check_plays(window.rounds, window.plays);
  ARMATURE_CHECK(window.means.size() == learners(), "a window has a range of means per learner");
  return do_stays(window);
}

void Balancer::pass(Round rounds, std::span<const std::uint64_t> plays) {
  check_plays(rounds, plays);
  do_pass(rounds, plays);
}

void Balancer::settle(std::span<const double> reward_sums) {
  ARMATURE_CHECK(reward_sums.size() == learners() &&
                     std::all_of(reward_sums.begin(), reward_sums.end(),
                                 [](double sum) { return std::isfinite(sum); }),
                 "a sum of rewards is told of every learner");
  do_settle(reward_sums);
}

std::string obstacle(AnyPolicy& policy) {
  const Leaper* const leaper = policy.leaper();
  return leaper ? leaper->obstacle() : "no certificate is known for its choices";
}

}  // namespace armature::leap
