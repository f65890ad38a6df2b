// What the random families have in common.
#pragma once

#include "families/family.h"

namespace armature {

std::vector<Parameter> random_world_keys(const std::string& default_contexts = "5");
/// Dirichlet rows; with rank < |Z|, each a random mixture of `rank` shared Dirichlet rows.
Matrix random_marginals(const FamilyRequest& request);
/// n independent draws of U[0,1].
std::vector<double> uniform_means(Stream& stream, std::size_t count);

}  // namespace armature
