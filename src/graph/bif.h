// BIF, the Bayesian interchange format, as the files of the bnlearn repository have it and as other
// programs write it.
#pragma once

#include <string>
#include <string_view>

#include "armature/graph.h"

namespace armature::graph {

/// The text is UTF-8.
CausalGraph::Parts read_bif(std::string_view text, const std::string& source);

}  // namespace armature::graph
