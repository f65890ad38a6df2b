// What labels are made of, as JSON: the same in the store and in published results.
#pragma once

#include <nlohmann/json.hpp>

#include "armature/lab.h"

namespace armature {

nlohmann::json name_json(const PlannedName& name);
/// Throws nlohmann's exceptions where it is not what name_json writes.
PlannedName name_from(const nlohmann::json& json);

}  // namespace armature
