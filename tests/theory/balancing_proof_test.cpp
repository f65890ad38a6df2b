// The balancing proposition of docs/theory.md against opponents that do all its proof allows: the
// learner at home loses all it may, the other what it likes, and the averages err to the edge of
// the good event, in whichever direction hurts. No probability is left, so no case may fail.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "armature/random.h"

namespace armature {
namespace {

struct Learner {
  double d;     // promised regret d·sqrt(n)
  double dial;  // Z
  double bias;  // D: d corrected, 1 printed
};

struct Match {
  Learner home;
  std::vector<Learner> others;
  double delta;
  double sign;   // of γ_j in the test: -1 or +1
  double loss;   // regret of the others in each of their rounds, within d·sqrt(n) if `all_at_home`
  double error;  // in [-1,1]: the others' averages err by error·γ, home's by -error·γ
  double home_share = 1;  // of its allowance that the learner at home uses up
  bool all_at_home = false;

  double log_term(double n) const {
    const double count = static_cast<double>(others.size() + 1);
    return std::log(count * std::log(std::max(n, 2.0)) / delta);
  }
};

// Algorithm 1 on sums: learner 0 is at home.
class Game {
 public:
  explicit Game(const Match& match) : match_(match), learners_(match.others) {
    learners_.insert(learners_.begin(), match.home);
    plays_.assign(learners_.size(), 0);
    active_.assign(learners_.size(), true);
  }

  void round() {
    std::size_t chosen = learners_.size();
    double least = 0;
    for (std::size_t i = 0; i < learners_.size(); ++i) {
      const double used = std::sqrt(learners_[i].dial / learners_[i].d * plays_[i]);
      if (active_[i] && (chosen == learners_.size() || used < least)) {
        chosen = i;
        least = used;
      }
    }
    ASSERT_LT(chosen, learners_.size()) << "nobody is active";
    plays_[chosen] += 1;
    rounds_ += 1;
    test();
  }

  double regret(std::size_t i) const {
    const double n = plays_[i];
    const double allowance = std::min(n, learners_[i].d * std::sqrt(n));
    if (i == 0) return match_.home_share * allowance;
    return match_.all_at_home ? match_.loss * allowance : match_.loss * n;
  }
  double regret() const {
    double sum = 0;
    for (std::size_t i = 0; i < learners_.size(); ++i) sum += regret(i);
    return sum;
  }
  double plays(std::size_t i) const { return plays_[i]; }
  double rounds() const { return rounds_; }
  bool active(std::size_t i) const { return active_[i]; }

 private:
  double width(std::size_t i) const {
    return 3 * std::sqrt(match_.log_term(plays_[i]) / plays_[i]);
  }
  // η_i, with the best mean at 0.
  double value(std::size_t i) const {
    const double count = static_cast<double>(learners_.size());
    const double bias = std::max(2 * learners_[i].dial * learners_[i].bias,
                                 3 * std::sqrt(count * match_.log_term(rounds_))) /
                        std::sqrt(rounds_);
    const double error = (i == 0 ? -match_.error : match_.error) * width(i);
    return -regret(i) / plays_[i] + error - bias;
  }
  void test() {
    double bar = -1e300;
    for (std::size_t j = 0; j < learners_.size(); ++j)
      if (plays_[j] > 0) bar = std::max(bar, value(j) + match_.sign * width(j));
    for (std::size_t i = 0; i < learners_.size(); ++i)
      active_[i] =
          plays_[i] == 0 || value(i) + width(i) + learners_[i].d / std::sqrt(plays_[i]) >= bar;
  }

  const Match& match_;
  std::vector<Learner> learners_;
  std::vector<double> plays_;
  std::vector<char> active_;
  double rounds_ = 0;
};

// docs/theory.md, the balancing proposition, at T.
double balancing_bound(const Match& match, double T) {
  const double count = static_cast<double>(match.others.size() + 1);
  const double l = match.log_term(T);
  const Learner& home = match.home;
  double sum =
      home.d + std::sqrt(count - 1) * (2 * home.dial * home.bias + 3 * std::sqrt(count * l));
  for (const Learner& other : match.others)
    sum += std::min(other.d, other.d * other.d / (4 * other.dial * other.bias)) +
           std::sqrt(home.dial * home.d * other.d / other.dial) * (1 + 6 * std::sqrt(l) / home.d) +
           6 * std::sqrt(l / count);
  return count - 1 + std::sqrt(T) * sum;
}

Learner any_learner(Stream& stream, bool corrected) {
  const double d = std::exp(4 * stream.uniform());  // 1 to 55
  return {d, std::exp(4 * stream.uniform() - 2), corrected ? d : 1};
}

Match any_match(Stream& stream, std::size_t others, double sign) {
  const bool corrected = stream.uniform() < 0.5;
  Match match{any_learner(stream, corrected), {}, 0.9 * stream.uniform() + 0.01, sign, 0, 0};
  for (std::size_t i = 0; i < others; ++i) match.others.push_back(any_learner(stream, corrected));
  match.loss = stream.uniform() < 0.3 ? 1 : stream.uniform();
  match.error = stream.uniform() < 0.7 ? 1 : 2 * stream.uniform() - 1;
  match.home_share = stream.uniform() < 0.7 ? 1 : stream.uniform();
  return match;
}

constexpr int kRounds = 3000;

// The largest regret as a part of its bound, over all rounds of many matches.
double worst_part(std::size_t others, double sign, int matches) {
  Stream stream({17, static_cast<std::uint32_t>(others), Purpose::kInstance});
  double worst = 0;
  for (int k = 0; k < matches; ++k) {
    const Match match = any_match(stream, others, sign);
    Game game(match);
    for (int t = 1; t <= kRounds; ++t) {
      game.round();
      worst = std::max(worst, game.regret() / balancing_bound(match, t));
    }
  }
  return worst;
}

TEST(BalancingProof, HoldsAgainstEveryOpponentOfTheGoodEvent) {
  for (const double sign : {-1.0, 1.0}) {
    const double two = worst_part(1, sign, 400);
    EXPECT_LE(two, 1) << sign;
    EXPECT_GT(two, 0.3) << "the opponents are too weak to say anything";
    EXPECT_LE(worst_part(3, sign, 150), 1) << sign;
  }
}

double bias_of(const Learner& learner) { return learner.dial * learner.bias; }

// With the minus sign a learner at home whose bias is the smallest is never switched off; with the
// printed plus it may be.
TEST(BalancingProof, OnlyTheMinusSignProtectsTheLearnerAtHome) {
  const auto switched_off = [](double sign) {
    Stream stream({17, 7, Purpose::kInstance});
    int count = 0;
    for (int k = 0; k < 200; ++k) {
      Match match = any_match(stream, 1, sign);
      if (bias_of(match.others[0]) < bias_of(match.home))
        match.others[0].dial = match.home.dial * match.home.bias / match.others[0].bias;
      Game game(match);
      bool off = false;
      for (int t = 1; t <= kRounds; ++t) {
        game.round();
        off = off || !game.active(0);
      }
      count += off ? 1 : 0;
    }
    return count;
  };
  EXPECT_EQ(switched_off(-1), 0);
  EXPECT_GT(switched_off(1), 0);
}

// Both at home, the smaller bias at learner 1: Reg(T) ≤ 1 + (d_1 + d_2·sqrt(κ/(1+κ)))·sqrt(T),
// κ = d_2·Z_1/(d_1·Z_2), for either bias.
TEST(BalancingProof, TheFixedSplitHolds) {
  Stream stream({17, 8, Purpose::kInstance});
  double worst = 0;
  for (int k = 0; k < 400; ++k) {
    Match match = any_match(stream, 1, -1);
    match.all_at_home = true;
    const Learner& other = match.others[0];
    if (bias_of(other) < bias_of(match.home)) continue;
    const double ratio = other.d * match.home.dial / (match.home.d * other.dial);
    Game game(match);
    for (int t = 1; t <= kRounds; ++t) {
      game.round();
      EXPECT_LE(game.plays(1), 1 + ratio / (1 + ratio) * t);
      const double bound =
          1 + (match.home.d + other.d * std::sqrt(ratio / (1 + ratio))) * std::sqrt(t);
      worst = std::max(worst, game.regret() / bound);
    }
  }
  EXPECT_LE(worst, 1);
  EXPECT_GT(worst, 0.5);
}

// The counter-example to the printed bias: D = 1, Z_1 = 1, 2Z_2 + 6√ℓ ≤ ½·sqrt(d_1·d_2·Z_2), and
// the second learner loses at most half of what it may. Then it gets its share, whatever the sign
// and whatever the first one does.
TEST(BalancingProof, ThePrintedBiasLeavesUcbItsShare) {
  Stream stream({17, 9, Purpose::kInstance});
  int played = 0;
  for (int k = 0; k < 2000; ++k) {
    Match match = any_match(stream, 1, stream.uniform() < 0.5 ? -1 : 1);
    match.all_at_home = true;
    match.loss *= 0.5;
    match.error = stream.uniform() < 0.7 ? -1 : match.error;  // down with the second
    match.home.dial = match.home.bias = match.others[0].bias = 1;
    match.others[0].d *= 20;
    const Learner& other = match.others[0];
    if (2 * other.dial + 6 * std::sqrt(match.log_term(kRounds)) >
        0.5 * std::sqrt(match.home.d * other.d * other.dial))
      continue;
    ++played;
    const double ratio = other.d / (match.home.d * other.dial);
    Game game(match);
    for (int t = 1; t <= kRounds; ++t) {
      game.round();
      ASSERT_GE(game.plays(1), ratio * (t - 1) / (1 + ratio) - 1e-9);
    }
  }
  EXPECT_GT(played, 100);
}

}  // namespace
}  // namespace armature
