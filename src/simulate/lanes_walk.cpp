#include "simulate/lanes_walk.h"

#include "simulate/lanes_game.h"

namespace armature::lanes {

#if defined(ARMATURE_HAS_LANES)
namespace {

template <class V>
struct Kinds {
  using Actions = LaneWalk<V, ActionLanes<V>>;
  using Contexts = LaneWalk<V, ContextLanes<V>>;
  using Sentries = LaneWalk<V, SentryLanes<V>>;
};

template <class V>
WalkMaker walks() {
  return {V::kLanes,
          [](Game& game, std::uint64_t seed, std::uint32_t first,
             std::size_t groups) -> std::unique_ptr<Walk> {
            using Of = Kinds<V>;
            if (const auto* rule = std::get_if<lock_step::ActionRule>(&game.rule))
              return std::make_unique<typename Of::Actions>(game, *rule, seed, first, groups);
            if (const auto* rule = std::get_if<lock_step::ContextRule>(&game.rule))
              return std::make_unique<typename Of::Contexts>(game, *rule, seed, first, groups);
            return std::make_unique<typename Of::Sentries>(
                game, std::get<lock_step::SentryRule>(game.rule), seed, first, groups);
          }};
}

}  // namespace
#endif

WalkMaker walks_by([[maybe_unused]] InstructionSet instructions) {
#if defined(ARMATURE_HAS_LANES)
  if (instructions == InstructionSet::kAvx512) return walks<Avx512>();
  if (instructions == InstructionSet::kAvx2) return walks<Avx2>();
#endif
  return {};
}

}  // namespace armature::lanes
