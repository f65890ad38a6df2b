// The JSON of `bounds` and `frontier`: one text for the command and for pages.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "armature/theory.h"

namespace armature {

/// `notes`: what was filled in for the setting.
std::string bounds_json(const Setting& setting, const std::vector<std::string>& notes,
                        const std::vector<Bound>& bounds);
std::string frontier_json(const Frontier& frontier, const std::vector<std::string>& notes,
                          const std::optional<PairVerdict>& verdict);

}  // namespace armature
