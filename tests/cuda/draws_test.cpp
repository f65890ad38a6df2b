// The draws of a device's functions are those of the library, counter by counter.
#include "cuda/draws.h"

#include <gtest/gtest.h>

#include "armature/random.h"
#include "cuda/block.h"
#include "cuda/world.h"

namespace armature::cuda {
namespace {

constexpr std::uint64_t kSeed = 0x123456789abcdef;

TEST(DeviceDraws, AreThoseOfEveryRound) {
  const KeySchedule keys = key_schedule(kSeed);
  for (const Round first : {Round{1}, (Round{1} << 32) - 4, (Round{1} << 32) + 4, Round{1} << 40})
    for (const std::uint32_t replication : {0u, 1u, 77'777u, 0xFFFFFFFFu}) {
      std::vector<std::uint64_t> contexts(8), rewards(8);
      outcome_draws({kSeed, replication, Purpose::kOutcome}, first, contexts, rewards);
      for (std::size_t i = 0; i < contexts.size(); ++i) {
        const Round round = first + i;
        const RoundLuck luck(luck_of(kSeed, replication, Purpose::kOutcome), keys,
                             static_cast<std::uint32_t>(round >> 32));
        const auto lower = static_cast<std::uint32_t>(round);
        EXPECT_EQ(luck.upper(lower).context, contexts[i] >> 31);
        EXPECT_EQ(luck.upper(lower).reward, rewards[i] >> 31);
        EXPECT_EQ(luck.whole(lower).context, contexts[i]);
        EXPECT_EQ(luck.whole(lower).reward, rewards[i]);
      }
    }
}

// A threshold whose upper half a draw has: once in 2^31 rounds by chance, here on purpose.
TEST(DeviceDraws, AreLookedAtWholeWhereUpperHalvesAreEqual) {
  const Luck own = luck_of(kSeed, 3, Purpose::kOutcome);
  const KeySchedule keys = key_schedule(kSeed);
  const RoundLuck luck(own, keys, 0);
  for (std::uint32_t round = 1; round < 50; ++round) {
    const RoundDraws draws = round_draws(own, round);
    for (const int context_step : {-1, 0, 1})
      for (const int reward_step : {-1, 0, 1}) {
        // One action, two contexts: the draw just below, at, or above both thresholds.
        const std::uint64_t cumulative[] = {
            draws.context + static_cast<std::uint64_t>(context_step), kTwoTo63};
        const std::uint64_t bar = draws.reward + static_cast<std::uint64_t>(reward_step);
        const std::uint64_t success[] = {bar, bar};
        const std::uint32_t cumulative_upper[] = {static_cast<std::uint32_t>(cumulative[0] >> 31),
                                                  ~std::uint32_t{0}};
        const std::uint32_t success_upper[] = {static_cast<std::uint32_t>(bar >> 31),
                                               static_cast<std::uint32_t>(bar >> 31)};
        WorldTables tables;
        tables.actions = 1;
        tables.contexts = 2;
        tables.cumulative = cumulative;
        tables.success = success;
        tables.cumulative_upper = cumulative_upper;
        tables.success_upper = success_upper;
        const WorldView<1> world(tables, 0);
        const auto outcome = world.play<SmallNumbers>(0, luck.upper(round), luck, round);
        EXPECT_EQ(outcome.context, context_step <= 0 ? 1u : 0u);
        EXPECT_EQ(outcome.reward, reward_step > 0 ? 1u : 0u);
      }
  }
}

}  // namespace
}  // namespace armature::cuda
