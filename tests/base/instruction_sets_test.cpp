#include "base/instruction_sets.h"

#include <gtest/gtest.h>

#include <array>

namespace armature {
namespace {

#if defined(ARMATURE_HAS_LANES)

// What an Environment draws one replication at a time, in the lanes of several.
template <class V>
void expect_the_environments_draws() {
  for (const std::uint64_t seed : {std::uint64_t{1}, ~std::uint64_t{0}, std::uint64_t{1} << 40})
    for (const Round first : {Round{1}, Round{0xFFFFFFF0}, Round{1} << 40}) {
      constexpr std::uint32_t kReplication = 4'000'000'000;
      typename V::Words contexts[lanes::kAhead], rewards[lanes::kAhead];
      V::draw(seed, kReplication, first, contexts, rewards);
      for (std::uint32_t lane = 0; lane < V::kLanes; ++lane) {
        std::array<std::uint64_t, lanes::kAhead> context_draws, reward_draws;
        outcome_draws({seed, kReplication + lane, Purpose::kOutcome}, first, context_draws,
                      reward_draws);
        for (std::size_t i = 0; i < lanes::kAhead; ++i) {
          EXPECT_EQ(static_cast<std::uint64_t>(contexts[i][lane]), context_draws[i]);
          EXPECT_EQ(static_cast<std::uint64_t>(rewards[i][lane]), reward_draws[i]);
        }
      }
    }
}

TEST(InstructionSets, DrawWhatTheEnvironmentDraws) {
  if (widest_instructions() >= InstructionSet::kAvx2) expect_the_environments_draws<lanes::Avx2>();
  if (widest_instructions() >= InstructionSet::kAvx512)
    expect_the_environments_draws<lanes::Avx512>();
}

#endif

}  // namespace
}  // namespace armature
