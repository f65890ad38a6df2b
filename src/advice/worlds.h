// The worlds that advice is tried in: one where the contexts carry the whole effect, one with an
// action they do not show, one in which they rank the actions backwards.
#pragma once

#include "armature/advice.h"
#include "lab/worlds.h"

namespace armature {

struct TypicalWorld {
  AdviceWorld shown;                       // without costs
  std::function<WorldSource(Round)> make;  // to be played at a horizon
};

/// How much better than the contexts' favourite the hidden action is, unless the question says.
inline constexpr double kTypicalGap = 0.1;

/// Of a question whose sizes are filled in. An instance comes first, and decides alone unless the
/// contexts are distrusted.
std::vector<TypicalWorld> typical_worlds(const AdviceQuestion& question);

/// Sizes, rank, gap and ε of the instance or the given marginals, where the question has none.
AdviceQuestion filled_in(AdviceQuestion question);

}  // namespace armature
