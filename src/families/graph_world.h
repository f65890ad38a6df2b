// A causal graph wherever an instance is named: `graph:file=asia.bif,action=smoke,
// context=lung+bronc,reward=dysp=yes`.
#pragma once

#include <vector>

#include "armature/model.h"
#include "armature/parameters.h"

namespace armature {

inline constexpr const char* kGraph = "graph";

std::vector<Parameter> graph_parameters();
/// Reads the files; throws Error naming file, key and value.
Instance graph_parts(const Arguments& arguments);

}  // namespace armature
