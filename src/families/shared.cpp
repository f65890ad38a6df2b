#include <fmt/format.h>

#include "armature/error.h"
#include "families/family.h"

namespace armature {

Parameter actions_key(double at_least) {
  return Parameter::integer("actions")
      .defaults_to("20")
      .closed(at_least, 1e7)
      .help("number of actions |A|", "§8");
}

Parameter contexts_key(double at_least, const std::string& default_count) {
  return Parameter::integer("contexts")
      .defaults_to(default_count)
      .closed(at_least, 1e6)
      .help("number of post-action contexts |Z|", "§8");
}

Parameter odd_arm_key() {
  return Parameter::integer("arm")
      .defaults_to("last")
      .at_least(0)
      .or_word("last")
      .or_word("none")
      .help("the odd arm a0, from 1 on; 'none' is the base member", "§8");
}

std::optional<Arm> odd_arm(const Arguments& arguments) {
  const std::uint64_t actions = arguments.integer("actions");
  if (arguments.is_word("arm", "none")) return std::nullopt;
  if (arguments.is_word("arm", "last")) return static_cast<Arm>(actions - 1);
  const std::uint64_t arm = arguments.integer("arm");
  if (arm == 0 || arm >= actions)
    arguments.reject("arm", fmt::format("an arm from 1 to {}", actions - 1));
  return static_cast<Arm>(arm);
}

Round horizon_for(const FamilyRequest& request, const std::string& key) {
  if (!request.horizon)
    throw Error({"", request.arguments.owner() + ": " + key, "no value and no horizon",
                 key + "=, or --horizon, which its default depends on"});
  return *request.horizon;
}

Matrix uniform_marginals(std::size_t actions, std::size_t contexts) {
  Matrix marginals(actions, contexts);
  for (std::size_t a = 0; a < actions; ++a)
    for (double& probability : marginals.row(a)) probability = 1.0 / static_cast<double>(contexts);
  return marginals;
}

std::uint32_t first_block(std::uint32_t contexts) { return std::max(1u, contexts / 2); }

Matrix two_block_marginals(std::uint32_t contexts, const std::vector<double>& first_block_mass) {
  const std::uint32_t block = first_block(contexts);
  Matrix marginals(first_block_mass.size(), contexts);
  for (std::size_t a = 0; a < first_block_mass.size(); ++a)
    for (Context z = 0; z < contexts; ++z)
      marginals(a, z) =
          z < block ? first_block_mass[a] / block : (1 - first_block_mass[a]) / (contexts - block);
  return marginals;
}

void note_large_gap(Instance::Parts& parts, double gap) {
  if (gap >= 1.0 / 40)
    parts.notes.push_back(
        fmt::format("gap {:.6g} is outside the range of the paper's proofs (gap < 1/40)", gap));
}

}  // namespace armature
