#include "simulate/result.h"

#include <algorithm>

namespace armature {

double regret_of(const Instance& instance, const std::vector<std::uint64_t>& pulls) {
  double regret = 0;
  for (Arm a = 0; a < instance.actions(); ++a)
    regret += static_cast<double>(pulls[a]) * instance.gap(a);
  return regret;
}

void finish_result(const Instance& instance, const AnyPolicy& policy, Replication& result) {
  const auto most = std::max_element(result.pulls.begin(), result.pulls.end());
  result.simple_regret = instance.gap(static_cast<Arm>(most - result.pulls.begin()));
  result.diagnostics = policy.diagnostics();
}

}  // namespace armature
