#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "armature/simulate.h"

namespace armature {
namespace {

using Rounds = std::vector<Round>;

TEST(Checkpoints, ArePowersOfTheHorizon) {
  // 10^(0/3), 10^(3/3), …, for T = 1000 and four of them.
  EXPECT_EQ(log_checkpoints(1000, 4), (Rounds{1, 10, 100, 1000}));
}

TEST(Checkpoints, EndAtTheHorizonHoweverFew) {
  EXPECT_EQ(log_checkpoints(1000, 0), Rounds{1000});
  EXPECT_EQ(log_checkpoints(1000, 1), Rounds{1000});
  EXPECT_EQ(log_checkpoints(1000, 2), (Rounds{1, 1000}));
}

TEST(Checkpoints, AShortHorizonHasEachRoundOnce) {
  EXPECT_EQ(log_checkpoints(1, 32), Rounds{1});
  EXPECT_EQ(log_checkpoints(3, 32), (Rounds{1, 2, 3}));
}

TEST(Checkpoints, ThoseAskedForAreIncludedOnce) {
  EXPECT_EQ(log_checkpoints(1000, 4, {500, 10, 2}), (Rounds{1, 2, 10, 100, 500, 1000}));
}

TEST(Checkpoints, ReachHorizonsBeyondTheExactDoubles) {
  const Round horizon = (Round{1} << 60) + 1;  // not a double: the last checkpoint must still be it
  const Rounds rounds = log_checkpoints(horizon, 10);
  EXPECT_EQ(rounds.back(), horizon);
  EXPECT_TRUE(std::is_sorted(rounds.begin(), rounds.end()));
}

RC_GTEST_PROP(Checkpoints, AscendWithinTheHorizon, ()) {
  const auto horizon = *rc::gen::inRange<Round>(1, 1'000'000);
  const auto count = *rc::gen::inRange<std::uint32_t>(0, 100);
  const Rounds rounds = log_checkpoints(horizon, count);
  RC_ASSERT(rounds.front() >= 1u);
  RC_ASSERT(rounds.back() == horizon);
  RC_ASSERT(rounds.size() <= std::max(count, 1u));
  RC_ASSERT(std::adjacent_find(rounds.begin(), rounds.end(), std::greater_equal<>()) ==
            rounds.end());
}

TEST(Checkpoints, ReachTheLargestHorizon) {
  const Round horizon = ~Round{0};
  for (const std::uint32_t count : {0u, 1u, 2u, 1000u})
    EXPECT_EQ(log_checkpoints(horizon, count).back(), horizon);
  EXPECT_DEATH(log_checkpoints(0, 3), "a horizon is at least 1");
  EXPECT_DEATH(log_checkpoints(10, 3, {0}), "rounds from 1 to the horizon");
  EXPECT_DEATH(log_checkpoints(10, 3, {11}), "rounds from 1 to the horizon");
}

}  // namespace
}  // namespace armature
