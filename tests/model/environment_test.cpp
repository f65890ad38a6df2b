#include "armature/environment.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "support/statistics.h"

namespace armature {
namespace {

using test::chi_square;
using test::chi_square_bound;
using test::ks_bound;
using test::ks_distance;

constexpr std::size_t kRounds = 20000;

bool operator==(const Outcome& a, const Outcome& b) {
  return a.context == b.context && a.reward == b.reward;
}

// Action 0 spreads over the contexts, action 1 is sure of context 0; context 2 is out of reach.
Instance bernoulli_world() {
  return Instance(Instance::benign("bernoulli",
                                   Matrix::from_rows({{0.2, 0.3, 0, 0.5}, {1, 0, 0, 0}}),
                                   {RewardLaw::bernoulli(0.1), RewardLaw::bernoulli(0.5),
                                    RewardLaw::bernoulli(0.5), RewardLaw::bernoulli(0.9)}));
}

// One context per kind of law.
Instance mixed_world() {
  return Instance(
      Instance::benign("mixed", Matrix::from_rows({{0.25, 0.25, 0.25, 0.25}, {0, 0, 1, 0}}),
                       {RewardLaw::bernoulli(0.3), RewardLaw::point(0.6), RewardLaw::beta(2, 3),
                        RewardLaw::table({0.1, 0.2, 0.7}, {0.5, 0, 0.5})}));
}

std::vector<Outcome> play(const Instance& instance, Arm arm, std::uint64_t seed,
                          std::uint32_t replication = 0) {
  const OutcomeTables tables(instance);
  Environment environment(tables, seed, replication);
  std::vector<Outcome> outcomes;
  for (std::size_t round = 0; round < kRounds; ++round) outcomes.push_back(environment.play(arm));
  return outcomes;
}

// ---- The draw of a round -----------------------------------------------------------------------

// Round t uses words (0,1) of its block for the context and (2,3) for the reward, shifted to 63
// bits.
TEST(Environment, OutcomesComeFromTheRoundsBlock) {
  const Instance world = bernoulli_world();
  const OutcomeTables tables(world);
  Environment environment(tables, 99, 5);
  const StreamKey key{99, 5, Purpose::kOutcome};
  for (Round round = 1; round <= 1000; ++round) {
    const auto block = Philox::block(philox_counter(key, round, 0), philox_key(99));
    const double u = static_cast<double>((block[0] | std::uint64_t{block[1]} << 32) >> 1) * 0x1p-63;
    const double v = static_cast<double>((block[2] | std::uint64_t{block[3]} << 32) >> 1) * 0x1p-63;
    const Context expected = u < 0.2 ? 0 : u < 0.5 ? 1 : 3;
    const double success = expected == 0 ? 0.1 : expected == 1 ? 0.5 : 0.9;
    const Outcome outcome = environment.play(0);
    ASSERT_EQ(outcome.context, expected) << "round " << round;
    ASSERT_EQ(outcome.reward, v < success ? 1.0 : 0.0) << "round " << round;
  }
}

// A Beta reward needs more than the block's words: it takes the sub-draws of its own round.
TEST(Environment, BetaRewardsComeFromTheRoundsSubDraws) {
  const Instance world = mixed_world();
  const OutcomeTables tables(world);
  Environment environment(tables, 99, 5);
  for (Round round = 1; round <= 600; ++round) {
    Stream stream = Stream::within_round({99, 5, Purpose::kOutcome}, round);
    ASSERT_EQ(environment.play(1).reward, beta_variate(stream, 2, 3)) << "round " << round;
  }
}

// Whatever was played before, round t with arm a has one outcome.
TEST(Environment, OutcomesDependOnTheRoundNotOnEarlierArms) {
  for (const Instance& world : {bernoulli_world(), mixed_world()}) {
    const OutcomeTables tables(world);
    Environment always_0(tables, 7, 0);
    Environment always_1(tables, 7, 0);
    Environment alternating(tables, 7, 0);
    for (Round round = 1; round <= 1000; ++round) {
      const Outcome outcome_0 = always_0.play(0);
      const Outcome outcome_1 = always_1.play(1);
      const Arm arm = round % 3 == 0 ? 1 : 0;
      ASSERT_TRUE(alternating.play(arm) == (arm == 0 ? outcome_0 : outcome_1)) << round;
    }
  }
}

// Common random numbers: two arms with the same row and laws see the very same luck.
TEST(Environment, TwinsShareTheirLuck) {
  const Instance twins(Instance::benign("twins", Matrix::from_rows({{0.4, 0.6}, {0.4, 0.6}}),
                                        {RewardLaw::beta(0.5, 0.5), RewardLaw::bernoulli(0.5)}));
  const auto first = play(twins, 0, 3);
  const auto second = play(twins, 1, 3);
  for (std::size_t i = 0; i < kRounds; ++i) ASSERT_TRUE(first[i] == second[i]) << i;
}

TEST(Environment, SeedsAndReplicationsDiffer) {
  const auto agreements = [](const std::vector<Outcome>& a, const std::vector<Outcome>& b) {
    std::size_t same = 0;
    for (std::size_t i = 0; i < kRounds; ++i) same += a[i] == b[i] ? 1 : 0;
    return same;
  };
  const auto base = play(bernoulli_world(), 0, 1, 0);
  EXPECT_EQ(agreements(base, play(bernoulli_world(), 0, 1, 0)), kRounds);
  EXPECT_LT(agreements(base, play(bernoulli_world(), 0, 2, 0)), kRounds * 3 / 4);
  EXPECT_LT(agreements(base, play(bernoulli_world(), 0, 1, 1)), kRounds * 3 / 4);
}

// ---- Goodness of fit ---------------------------------------------------------------------------

TEST(Environment, MarginalsFit) {
  std::vector<std::uint64_t> counts(4);
  for (const Outcome& outcome : play(bernoulli_world(), 0, 11)) ++counts[outcome.context];
  EXPECT_LT(chi_square(counts, {0.2, 0.3, 0, 0.5}), chi_square_bound(2));
  for (const Outcome& outcome : play(bernoulli_world(), 1, 12)) ASSERT_EQ(outcome.context, 0u);
}

// Rows of more than 16 contexts take another path.
TEST(Environment, LongMarginalsFit) {
  std::vector<double> row(50, 1.0 / 40);
  for (std::size_t z = 0; z < 50; z += 5) row[z] = 0;
  const Instance world(Instance::benign("long", Matrix::from_rows({row}),
                                        std::vector<RewardLaw>(50, RewardLaw::bernoulli(0.5))));
  std::vector<std::uint64_t> counts(50);
  for (const Outcome& outcome : play(world, 0, 13)) ++counts[outcome.context];
  EXPECT_LT(chi_square(counts, row), chi_square_bound(39));
}

// Given its context, a reward follows the context's law: counts of (context, success) pairs.
TEST(Environment, BernoulliRewardsFit) {
  std::vector<std::uint64_t> counts(8);
  for (const Outcome& outcome : play(bernoulli_world(), 0, 14))
    ++counts[2 * outcome.context + (outcome.reward == 1 ? 1 : 0)];
  EXPECT_LT(chi_square(counts, {0.2 * 0.9, 0.2 * 0.1, 0.15, 0.15, 0, 0, 0.5 * 0.1, 0.5 * 0.9}),
            chi_square_bound(5));
}

TEST(Environment, EveryKindOfLawFits) {
  std::vector<std::uint64_t> bernoulli(2);
  std::vector<double> beta;
  std::map<double, std::uint64_t> table;
  for (const Outcome& outcome : play(mixed_world(), 0, 15)) switch (outcome.context) {
      case 0:
        ++bernoulli.at(outcome.reward == 1 ? 1 : 0);
        break;
      case 1:
        ASSERT_EQ(outcome.reward, 0.6);
        break;
      case 2:
        beta.push_back(outcome.reward);
        break;
      default:
        ++table[outcome.reward];
    }
  EXPECT_LT(chi_square(bernoulli, {0.7, 0.3}), chi_square_bound(1));
  // ∫ 12t(1−t)² dt = x²(6 − 8x + 3x²)
  const auto beta_cdf = [](double x) { return x * x * (6 - 8 * x + 3 * x * x); };
  EXPECT_LT(ks_distance(beta, beta_cdf), ks_bound(beta.size()));
  EXPECT_EQ(table.count(0.2), 0u);  // the impossible value
  ASSERT_EQ(table.size(), 2u);
  EXPECT_LT(chi_square({table[0.1], table[0.7]}, {0.5, 0.5}), chi_square_bound(1));
}

// A law's reward must not follow from the draw that chose the context.
TEST(Environment, RewardIsIndependentOfTheContext) {
  const Instance world(Instance::benign("coins", Matrix::from_rows({{0.5, 0.5}}),
                                        {RewardLaw::bernoulli(0.5), RewardLaw::bernoulli(0.5)}));
  std::vector<std::uint64_t> counts(4);
  for (const Outcome& outcome : play(world, 0, 16))
    ++counts[2 * outcome.context + (outcome.reward == 1 ? 1 : 0)];
  EXPECT_LT(chi_square(counts, {0.25, 0.25, 0.25, 0.25}), chi_square_bound(3));
}

// The mean reward of an arm is μ(a): 0.2·0.1 + 0.3·0.5 + 0.5·0.9 = 0.62.
TEST(Environment, MeanRewardIsTheInstancesMean) {
  double sum = 0;
  for (const Outcome& outcome : play(bernoulli_world(), 0, 17)) sum += outcome.reward;
  EXPECT_NEAR(bernoulli_world().mean(0), 0.62, 1e-15);
  EXPECT_LT(std::abs(sum - kRounds * 0.62), test::kNormalBound * std::sqrt(kRounds * 0.62 * 0.38));
}

TEST(Environment, CertainLawsAreCertain) {
  const Instance world(Instance::benign("certain", Matrix::from_rows({{0.5, 0.5}}),
                                        {RewardLaw::bernoulli(0), RewardLaw::bernoulli(1)}));
  for (const Outcome& outcome : play(world, 0, 18))
    ASSERT_EQ(outcome.reward, static_cast<double>(outcome.context));
}

}  // namespace
}  // namespace armature
