#include "families/random_worlds.h"

#include <fmt/format.h>

namespace armature {

std::vector<Parameter> random_world_keys(const std::string& default_contexts) {
  return {actions_key(1), contexts_key(1, default_contexts),
          Parameter::integer("rank")
              .automatic("contexts")
              .at_least(1)
              .help("dimension of the marginals' span, at most |Z|", "§8"),
          Parameter::real("concentration")
              .defaults_to("1")
              .closed(1e-3, 1e6)
              .help("α of the Dirichlet rows: small is spiky, large is flat", "§8")};
}

Matrix random_marginals(const FamilyRequest& request) {
  const Arguments& arguments = request.arguments;
  const auto actions = arguments.integer("actions");
  const auto contexts = static_cast<std::uint32_t>(arguments.integer("contexts"));
  const std::uint64_t asked = arguments.integer_if("rank").value_or(contexts);
  const double concentration = arguments.real("concentration");
  if (asked > contexts) arguments.reject("rank", fmt::format("at most the {} contexts", contexts));
  const auto rank = static_cast<std::uint32_t>(asked);

  Matrix marginals(actions, contexts);
  std::vector<std::vector<double>> shared;
  if (rank < contexts)
    for (std::uint32_t k = 0; k < rank; ++k)
      shared.push_back(dirichlet(request.stream, contexts, concentration));
  for (std::size_t a = 0; a < actions; ++a) {
    if (shared.empty()) {
      const auto row = dirichlet(request.stream, contexts, concentration);
      std::copy(row.begin(), row.end(), marginals.row(a).begin());
      continue;
    }
    const auto weights = dirichlet(request.stream, rank, 1);
    for (std::uint32_t k = 0; k < rank; ++k)
      for (Context z = 0; z < contexts; ++z) marginals(a, z) += weights[k] * shared[k][z];
  }
  return marginals;
}

std::vector<double> uniform_means(Stream& stream, std::size_t count) {
  std::vector<double> means(count);
  for (double& mean : means) mean = stream.uniform();
  return means;
}

}  // namespace armature
