// Probabilities of a choice that is no gamble, or one among equals.
#pragma once

#include <algorithm>
#include <span>

#include "armature/policy.h"

namespace armature {

inline void put_all_on(std::span<double> out, Arm arm) {
  std::fill(out.begin(), out.end(), 0.0);
  out[arm] = 1;
}

/// Ties at random: the arms of the largest value share it evenly.
template <class Values>
void share_among_best(std::span<double> out, const Values& value_of) {
  double best = value_of(0);
  for (Arm a = 1; a < out.size(); ++a) best = std::max(best, value_of(a));
  double tied = 0;
  for (Arm a = 0; a < out.size(); ++a) tied += value_of(a) == best ? 1 : 0;
  for (Arm a = 0; a < out.size(); ++a) out[a] = value_of(a) == best ? 1 / tied : 0;
}

}  // namespace armature
