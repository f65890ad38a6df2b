#include "report/cell_bound.h"

#include "theory/policy_bound.h"

namespace armature {

std::optional<double> cell_bound(const PlannedCell& cell, double t) {
  if (!cell.theorems_apply()) return std::nullopt;
  return policy_bound(cell.setting(), cell.policy, t);
}

}  // namespace armature
