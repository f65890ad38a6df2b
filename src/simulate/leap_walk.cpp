#include "simulate/leap_walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "armature/error.h"
#include "base/discrete.h"
#include "base/mathematics.h"
#include "simulate/leap_peak.h"

namespace armature {
namespace {

constexpr Round kLeastPatience = 4;
constexpr Round kMostPatience = 1024;

}  // namespace

void LeapLedger::next() {
  const double k = certificates_ + 1;
  failure_ = tolerance_ * 6 / (std::numbers::pi * std::numbers::pi * k * k);
  log_inverse_ = -portable::log(failure_);
}

void LeapContext::count_events(std::uint64_t more) {
  events += more;
  if (events > max_events)
    throw Error(
        {"", "--max-events", fmt::format("{} events", events),
         fmt::format("at most {}: the choice changes too often to leap here ({} rounds were "
                     "played one by one); a shorter horizon, or more events",
                     max_events, rounds_stepped)});
}

double bridge_slack(const Segment& segment, double log_inverse_probability) {
  if (segment.plays < 2) return 0;
  const auto length = static_cast<double>(segment.plays);
  // Never by more than all its rewards, or all that is missing to one a play.
  return std::max(0.0, std::min({std::sqrt((length + 2) * log_inverse_probability / 2), segment.sum,
                                 length - segment.sum}));
}

// Which of a segment's plays come first is a uniform choice: the values among them are
// hypergeometric.
Segment cut_segment(Segment& segment, std::uint64_t plays, LeapContext& context) {
  Segment head{segment.arm, plays, 0, segment.value_counts};
  std::uint64_t others = segment.plays;
  std::uint64_t draws = plays;
  for (std::size_t v = 0; v < head.value_counts.size(); ++v) {
    const std::uint64_t marked = segment.value_counts[v];
    others -= marked;
    head.value_counts[v] = hypergeometric(context.stream, marked, others, draws);
    draws -= head.value_counts[v];
    segment.value_counts[v] -= head.value_counts[v];
  }
  head.sum = context.laws.sum(head.value_counts);
  segment.plays -= plays;
  segment.sum = context.laws.sum(segment.value_counts);
  context.count_events(1);
  return head;
}

LeapWalk::LeapWalk(AnyPolicy& policy, LeapContext& context)
    : policy_(policy),
      context_(context),
      peaks_(policy.peak_keeper() ? std::make_unique<LeapPeaks>(*policy.peak_keeper(), context)
                                  : nullptr),
      guess_(context.laws.actions(), kShortestLeap),
      patience_(kLeastPatience),
      context_paths_(context.laws.contexts()),
      visits_(context.laws.contexts()),
      sums_(context.laws.contexts()),
      value_counts_(context.laws.value_count()),
      context_values_(context.laws.value_count()) {}

LeapWalk::LeapWalk(LeapWalk&&) noexcept = default;
LeapWalk::~LeapWalk() = default;

// --- Certificates

void LeapWalk::lay_out(Round rounds) {
  plan_.shares.clear();
  plan_.certain = plan_.at_random = plan_.contexts = plan_.in_turn = false;
  plan_.unevenness = 0;
  policy_.intend(rounds, plan_);
}

bool LeapWalk::certified(Round rounds) {
  lay_out(rounds);
  if (plan_.shares.empty()) return false;
  if (plan_.certain) return true;
  bound_paths();
  return policy_.holds(plan_, {arm_paths_, context_paths_});
}

// The longest certificate that doubling and halving find, starting from where the last one with
// this leading arm ended. On success plan_ is the plan it covers.
bool LeapWalk::certify(Round limit) {
  const Round least = std::min(kShortestLeap, limit);
  lay_out(least);
  if (plan_.shares.empty()) return false;
  if (plan_.certain) {
    lay_out(limit);
    return true;
  }
  Round& guess = guess_[plan_.shares.front().arm];
  const Round first = std::clamp(guess, least, limit);
  guess = least;  // if nothing comes of it
  Round good = first;
  Round bad = limit + 1;
  if (!certified(first)) {
    if (first == least || !certified(least)) return false;
    good = least;
    bad = first;
  }
  if (plan_.rounds() < least) return 2 * plan_.rounds() > kShortestLeap;
  while (good < limit && bad - good > good / 2 && plan_.rounds() >= good) {
    const Round next = bad > limit ? std::min(limit, 2 * good) : good + (bad - good) / 2;
    (certified(next) ? good : bad) = next;
    if (bad == next) lay_out(good);
  }
  guess = good;
  return true;
}

void LeapWalk::bound_paths() {
  const LeapLaws& laws = context_.laws;
  const std::size_t shares = plan_.shares.size();
  // Two sides per arm; per context and share two of visits and two of sums.
  const double events =
      static_cast<double>(shares * (2 + (plan_.contexts ? 4 * laws.contexts() : 0)));
  const double log_inverse = context_.ledger.log_inverse() + portable::log(events);
  arm_paths_.clear();
  for (const Share& share : plan_.shares) {
    const auto plays = static_cast<double>(share.plays);
    const ValueLaw& law = laws.arm(share.arm);
    const double slack = path_slack(plays, law.variance, log_inverse);
    arm_paths_.push_back({plays, law.mean, slack, slack});
  }
  if (!plan_.contexts) return;
  if (shares == 1)
    bound_contexts_of_one(plan_.shares.front(), log_inverse);
  else
    bound_contexts_of_many(log_inverse);
}

// Rewards of a context on its own clock: so many visits, each with the cell's law.
void LeapWalk::bound_contexts_of_one(const Share& share, double log_inverse) {
  const LeapLaws& laws = context_.laws;
  const auto plays = static_cast<double>(share.plays);
  for (Context z = 0; z < laws.contexts(); ++z) {
    const double nu = laws.visit_probability(share.arm, z);
    const ValueLaw& law = laws.cell(share.arm, z);
    const double visits =
        nu > 0
            ? std::min(plays, std::ceil(plays * nu + path_slack(plays, nu * (1 - nu), log_inverse)))
            : 0;
    const double slack = path_slack(visits, law.variance, log_inverse);
    context_paths_[z] = {visits, law.mean, slack, slack};
  }
}

void LeapWalk::bound_contexts_of_many(double log_inverse) {
  for (Context z = 0; z < context_.laws.contexts(); ++z)
    context_paths_[z] = shared_path(z, log_inverse);
}

// Several arms visit the context side by side. On the window's clock visits are t·ρ ± X and rewards
// t·σ ± Y, so on the clock of visits rewards drift at σ/ρ, within Y + X·σ/ρ.
Path LeapWalk::shared_path(Context z, double log_inverse) const {
  const LeapLaws& laws = context_.laws;
  const auto rounds = static_cast<double>(plan_.rounds());
  double visit_rate = 0, visit_slack = 0, reward_rate = 0, reward_slack = 0;
  for (const Share& share : plan_.shares) {
    const auto plays = static_cast<double>(share.plays);
    const double nu = laws.visit_probability(share.arm, z);
    const ValueLaw& law = laws.cell(share.arm, z);
    const double mean = nu * law.mean;  // of the reward if it comes with z, else 0
    const double variance = nu * (law.variance + law.mean * law.mean) - mean * mean;
    visit_rate += plays / rounds * nu;
    reward_rate += plays / rounds * mean;
    visit_slack += path_slack(plays, nu * (1 - nu), log_inverse) + plan_.unevenness * nu;
    reward_slack +=
        path_slack(plays, std::max(0.0, variance), log_inverse) + plan_.unevenness * mean;
  }
  if (visit_rate <= 0) return {};
  const double drift = reward_rate / visit_rate;
  const double slack = reward_slack + drift * visit_slack;
  return {std::min(rounds, std::ceil(rounds * visit_rate + visit_slack)), drift, slack, slack};
}

// --- Playing

void LeapWalk::draw_shares_at_random() {
  const std::size_t arms = plan_.shares.size();
  const std::vector<double> alike(arms, 1 / static_cast<double>(arms));
  std::vector<std::uint64_t> plays(arms);
  multinomial(context_.stream, plan_.rounds(), alike, plays);
  for (std::size_t i = 0; i < arms; ++i) plan_.shares[i].plays = plays[i];
}

// Draws the outcomes of a share, tells the policy and returns the sum of the rewards.
double LeapWalk::play_share(const Share& share) {
  const LeapLaws& laws = context_.laws;
  if (!plan_.contexts) {
    const double sum = laws.draw(laws.arm(share.arm), share.plays, context_.stream, value_counts_);
    if (peaks_) peaks_->add(share.arm, share.plays, sum, value_counts_);
    policy_.absorb({share.arm, share.plays, sum, {}, {}});
    return sum;
  }
  multinomial(context_.stream, share.plays, laws.marginals(share.arm), visits_);
  std::fill(value_counts_.begin(), value_counts_.end(), 0);
  double total = 0;
  for (Context z = 0; z < laws.contexts(); ++z) {
    sums_[z] = 0;
    if (visits_[z] == 0) continue;
    sums_[z] = laws.draw(laws.cell(share.arm, z), visits_[z], context_.stream, context_values_);
    total += sums_[z];
    for (std::size_t v = 0; v < context_values_.size(); ++v) value_counts_[v] += context_values_[v];
  }
  if (peaks_) peaks_->add(share.arm, share.plays, total, value_counts_);
  policy_.absorb({share.arm, share.plays, total, visits_, sums_});
  return total;
}

// After a failed try it is a while before the next: the choice is about to change, and where it
// changes all the time trying is in vain.
Round LeapWalk::rounds_to_step(Round limit) {
  const Round rounds = std::min(limit, patience_);
  patience_ = std::min(2 * patience_, kMostPatience);
  context_.rounds_stepped += rounds;
  context_.count_events(rounds);
  return rounds;
}

void LeapWalk::step(Round rounds, std::span<std::uint64_t> pulls) {
  if (!peaks_) {
    policy_.play(context_.environment, rounds, context_.policy_stream, pulls);
    return;
  }
  for (Round i = 0; i < rounds; ++i) {
    peaks_->settle();
    policy_.play(context_.environment, 1, context_.policy_stream, pulls);
  }
}

void LeapWalk::finish() {
  if (peaks_) peaks_->settle();
}

Round LeapWalk::advance(Round limit, std::span<std::uint64_t> pulls) {
  if (peaks_) peaks_->settle();
  if (!certify(limit)) {
    const Round rounds = rounds_to_step(limit);
    step(rounds, pulls);
    return rounds;
  }
  if (!plan_.certain) context_.ledger.spend();
  patience_ = kLeastPatience;
  const Round rounds = plan_.rounds();
  if (plan_.at_random) draw_shares_at_random();
  for (const Share& share : plan_.shares) {
    if (share.plays == 0) continue;
    play_share(share);
    pulls[share.arm] += share.plays;
    context_.count_events(1);
  }
  return rounds;
}

void LeapWalk::advance(Round limit, std::deque<Segment>& segments) {
  if (peaks_) peaks_->settle();
  const bool covered = certify(limit);
  if (!covered || (plan_.shares.size() > 1 && !plan_.in_turn)) {
    const Round rounds = rounds_to_step(limit);
    for (Round i = 0; i < rounds; ++i) {
      if (peaks_) peaks_->settle();
      const Decision decision = policy_.choose(context_.policy_stream);
      const Outcome outcome = context_.environment.play(decision.arm);
      policy_.observe(decision, outcome, context_.policy_stream);
      segments.push_back({decision.arm, 1, outcome.reward, {}});
    }
    return;
  }
  if (!plan_.certain) context_.ledger.spend();
  patience_ = kLeastPatience;
  for (const Share& share : plan_.shares) {
    const double sum = play_share(share);
    segments.push_back({share.arm, share.plays, sum, value_counts_});
    context_.count_events(1);
  }
}

}  // namespace armature
