// What policies cost in typical worlds, with an amount of work that follows from the sizes alone.
#pragma once

#include "advice/worlds.h"

namespace armature {

struct MeasuredCosts {
  std::vector<AdviceWorld> worlds;
  std::uint32_t replications = 0;
  bool complete = true;  // false: stopped before the end
};

/// Can worlds of this size be built and played in seconds?
bool within_reach(const Setting& setting);

/// `paced`: how many policies of the list set the pace: where one of the first `paced` cannot reach
/// the horizon, the whole row is measured at the one that fits, so that they can be compared.
MeasuredCosts measure_costs(const AdviceQuestion& question, const std::vector<TypicalWorld>& worlds,
                            const std::vector<std::string>& policies, std::size_t paced,
                            const RunHooks& hooks);

}  // namespace armature
