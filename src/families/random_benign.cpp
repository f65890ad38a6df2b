#include "families/random_worlds.h"

namespace armature {
namespace {

Instance::Parts build(const FamilyRequest& request) {
  Matrix marginals = random_marginals(request);
  std::vector<RewardLaw> laws;
  for (const double mean : uniform_means(request.stream, marginals.columns()))
    laws.push_back(RewardLaw::bernoulli(mean));
  return Instance::benign("random-benign", std::move(marginals), std::move(laws));
}

}  // namespace

Family random_benign_family() {
  return {.name = "random-benign",
          .summary = "random benign world: Dirichlet marginals, uniform context means",
          .text =
              "Every action's marginals are Dirichlet(concentration), every context's mean reward "
              "is uniform on [0,1]. With rank < contexts the marginals are random mixtures of a "
              "few shared rows. A fresh world in every replication.",
          .section = "§8",
          .parameters = random_world_keys(),
          .random = true,
          .build = build};
}

}  // namespace armature
