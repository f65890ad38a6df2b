// Policies choose with the probabilities they state: copies of one policy at one moment, each with
// luck of its own, against what it says of its next choice. A battery can only see that nothing
// excluded happens (check_conformance, law "probabilities").
#include <gtest/gtest.h>

#include <deque>

#include "armature/families.h"
#include "armature/simulate.h"
#include "conformance/registered_texts.h"
#include "support/statistics.h"

namespace armature {
namespace {

constexpr Round kHorizon = 500;

class StatedProbabilities : public testing::TestWithParam<std::string> {
 protected:
  const World world{InstanceSource("semi-benign:actions=7", kHorizon, 3).instance(0), kHorizon};
  std::unique_ptr<AnyPolicy> policy = make_policy(GetParam(), world.problem);

  // Outcomes come five rounds late, every ninth never: some are always due, some outstanding.
  void play_until(Round last) {
    for (; round_ < last; ++round_) {
      const Decision decision = policy->choose(stream_);
      waiting_.emplace_back(decision, environment_.play(decision.arm));
      if (waiting_.size() <= 5) continue;
      const auto [late, outcome] = waiting_.front();
      waiting_.pop_front();
      if (round_ % 9 == 8)
        policy->forget(late);
      else
        policy->observe(late, outcome, stream_);
    }
  }

 private:
  Environment environment_{world.tables, 3, 0};
  Stream stream_{{3, 0, Purpose::kPolicy}};
  Round round_ = 0;
  std::deque<std::pair<Decision, Outcome>> waiting_;
};

// One chi-square per policy and moment, each with a false-alarm rate of 1e-6. Cells expect at least
// 10000·0.05/7 = 71 choices, or none.
TEST_P(StatedProbabilities, AreThoseOfChoices) {
  constexpr std::uint32_t kCopies = 10'000;
  for (const Round moment : {0u, 1u, 3u, 30u, 200u}) {
    play_until(moment);
    std::vector<double> stated(world.problem.actions());
    if (!policy->probabilities(stated)) GTEST_SKIP() << "it states none";
    std::vector<std::uint64_t> chosen(stated.size());
    for (std::uint32_t i = 0; i < kCopies; ++i) {
      Stream luck({11, i, Purpose::kPolicy});
      ++chosen[policy->clone()->choose(luck).arm];
    }
    const auto possible =
        std::count_if(stated.begin(), stated.end(), [](double p) { return p > 0; });
    // A choice that is no gamble has one cell, and no degree of freedom: the statistic is 0.
    const double bound =
        possible > 1 ? test::chi_square_bound(static_cast<double>(possible - 1)) : 0;
    EXPECT_LE(test::chi_square(chosen, stated), bound) << "after round " << moment;
  }
}

// Without a closed form: 10000 trials, each probability within 4.9 standard errors (a false-alarm
// rate of 1e-6 each, less where the error is a bound) of what is known by symmetry or stated.
TEST(EstimatedProbabilities, AreCloseToTheTrueOnes) {
  const World world(InstanceSource("semi-benign:actions=7", kHorizon, 3).instance(0), kHorizon);
  for (const char* text : {"uniform", "corral", "floor:base=fixed,probability=0.5"}) {
    const auto policy = make_policy(text, world.problem);
    std::vector<double> stated(7);
    ASSERT_TRUE(policy->probabilities(stated));
    const ProbabilityEstimate estimate = policy->estimate_probabilities(10'000, 5);
    EXPECT_DOUBLE_EQ(estimate.error, 0.005);
    for (Arm a = 0; a < 7; ++a)
      EXPECT_NEAR(estimate.probabilities[a], stated[a], test::kNormalBound * estimate.error)
          << text << ", arm " << a;
  }
  const auto floor = make_policy("floor:base=ts,probability=0.5", world.problem);
  std::vector<double> stated(7);
  EXPECT_FALSE(floor->probabilities(stated));
  const ProbabilityEstimate estimate = floor->estimate_probabilities(10'000, 5);
  for (const double p : estimate.probabilities)  // a fresh ts treats all actions alike
    EXPECT_NEAR(p, 1.0 / 7, test::kNormalBound * estimate.error);
}

INSTANTIATE_TEST_SUITE_P(
    Random, StatedProbabilities,
    testing::Values("uniform", "round-robin", "fixed:arm=3", "pe", "corral", "epsilon-greedy",
                    "epsilon-greedy:epsilon=0.35", "exp3:gamma=0.35", "exp3:variant=ix,gamma=0.01",
                    "etc", "floor:base=uniform", "floor:base=fixed,probability=0.3",
                    "floor:base=pe", "floor:base=corral,probability=0.2",
                    "db:base=corral+uniform,d=1+1", "d3rb:base=uniform+corral+pe",
                    "ed2rb:base=pe+corral", "floor:base=(db:base=corral+uniform,d=1+1)",
                    "ucb:ties=random", "c-ucb:ties=random", "floor:base=(ucb:ties=random)"),
    test::readable_name);

}  // namespace
}  // namespace armature
