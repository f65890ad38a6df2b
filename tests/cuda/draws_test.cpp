// The draws of a device's functions are those of the library, counter by counter.
#include "cuda/draws.h"

#include <gtest/gtest.h>

#include <array>

#include "armature/random.h"
#include "cuda/block.h"
#include "cuda/machine.h"
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

// One action, two contexts, by their thresholds.
struct SmallWorld {
  SmallWorld(std::uint64_t context_bar, std::array<std::uint64_t, 2> reward_bars)
      : cumulative{context_bar, kTwoTo63},
        success(reward_bars),
        cumulative_upper{static_cast<std::uint32_t>(context_bar >> 31), ~std::uint32_t{0}},
        success_upper{static_cast<std::uint32_t>(reward_bars[0] >> 31),
                      static_cast<std::uint32_t>(reward_bars[1] >> 31)} {
    tables.actions = 1;
    tables.contexts = 2;
    tables.cumulative = cumulative.data();
    tables.success = success.data();
    tables.cumulative_upper = cumulative_upper.data();
    tables.success_upper = success_upper.data();
  }
  SmallWorld(const SmallWorld&) = delete;

  const std::array<std::uint64_t, 2> cumulative, success;
  const std::array<std::uint32_t, 2> cumulative_upper, success_upper;
  WorldTables tables;
};

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
        const std::uint64_t context_bar = draws.context + static_cast<std::uint64_t>(context_step);
        const std::uint64_t bar = draws.reward + static_cast<std::uint64_t>(reward_step);
        const SmallWorld small(context_bar, {bar, bar});
        const WorldView<1> world(small.tables, 0);
        const auto outcome = world.play<SmallNumbers>(0, luck.upper(round), luck, round);
        EXPECT_EQ(outcome.context, context_step <= 0 ? 1u : 0u);
        EXPECT_EQ(outcome.reward, reward_step > 0 ? 1u : 0u);
      }
  }
}

// A player that plays its one action and remembers what it is shown.
class Witness {
 public:
  struct Seen {
    Round round;
    std::uint32_t context;
    double reward;
    bool operator==(const Seen&) const = default;
  };

  template <class Machine>
  std::uint32_t choose(Machine&, Round round) {
    chosen_ = round;
    return 0;
  }
  template <class Machine>
  void observe(Machine&, Round round, std::uint32_t, std::uint32_t context, double reward) {
    EXPECT_EQ(round, chosen_);
    seen.push_back({round, context, reward});
  }

  std::vector<Seen> seen;

 private:
  Round chosen_ = 0;
};

// Slices end where the upper half of a round's number changes; not a round is lost or played twice.
TEST(DeviceDraws, GoOnBeyondRound2To32) {
  constexpr Round kMiddle = Round{1} << 32, kFirst = kMiddle - 50, kLast = kMiddle + 50;
  constexpr std::uint32_t kReplication = 3;
  const SmallWorld small(kTwoTo63 / 2, {kTwoTo63 / 4, kTwoTo63 / 4 * 3});
  Machine<LargeNumbers, FixedMemory<1>, WorldView<1>> machine{
      FixedMemory<1>(nullptr), FixedMemory<1>(nullptr), WorldView<1>(small.tables, 0),
      luck_of(kSeed, kReplication, Purpose::kPolicy)};

  Witness found;
  const KeySchedule keys = key_schedule(kSeed);
  std::vector<Round> ends;
  for (Round first = kFirst; first <= kLast; first = ends.back() + 1) {
    ends.push_back(last_of_slice(first, kLast));
    play_rounds(found, machine, luck_of(kSeed, kReplication, Purpose::kOutcome), keys, first,
                ends.back());
  }
  EXPECT_EQ(ends, (std::vector<Round>{kMiddle - 1, kLast}));

  std::vector<std::uint64_t> contexts(kLast - kFirst + 1), rewards(contexts.size());
  outcome_draws({kSeed, kReplication, Purpose::kOutcome}, kFirst, contexts, rewards);
  std::vector<Witness::Seen> expected;
  for (std::size_t i = 0; i < contexts.size(); ++i) {
    const std::uint32_t context = contexts[i] >= small.cumulative[0] ? 1 : 0;
    expected.push_back({kFirst + i, context, rewards[i] < small.success[context] ? 1.0 : 0.0});
  }
  EXPECT_TRUE(found.seen == expected);
}

}  // namespace
}  // namespace armature::cuda
