#include <algorithm>
#include <cmath>

#include "armature/error.h"
#include "armature/simulate.h"
#include "base/mathematics.h"

namespace armature {

std::vector<Round> log_checkpoints(Round horizon, std::uint32_t count, std::vector<Round> also) {
  ARMATURE_CHECK(horizon >= 1, "a horizon is at least 1");
  ARMATURE_CHECK(std::all_of(also.begin(), also.end(),
                             [=](Round round) { return round >= 1 && round <= horizon; }),
                 "checkpoints are rounds from 1 to the horizon");
  std::vector<Round> rounds = std::move(also);
  for (std::uint32_t i = 0; i + 1 < count; ++i) {
    const double power = static_cast<double>(i) / (count - 1);
    const double round = std::round(portable::pow(static_cast<double>(horizon), power));
    const bool beyond = round >= static_cast<double>(horizon);
    rounds.push_back(beyond ? horizon : static_cast<Round>(round));
  }
  rounds.push_back(horizon);
  std::sort(rounds.begin(), rounds.end());
  rounds.erase(std::unique(rounds.begin(), rounds.end()), rounds.end());
  return rounds;
}

}  // namespace armature
