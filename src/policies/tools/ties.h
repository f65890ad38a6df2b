// The largest of n values with ties broken at random: one word of the stream in every round,
// whether there is a tie or not, so that the stream's position does not depend on the values.
#pragma once

#include "armature/policy.h"

namespace armature {

template <class Values>
Arm random_argmax(Arm count, const Values& value_of, Stream& stream) {
  double best = value_of(0);
  Arm tied = 1;
  for (Arm a = 1; a < count; ++a) {
    const double value = value_of(a);
    if (value > best) {
      best = value;
      tied = 1;
    } else if (value == best) {
      ++tied;
    }
  }
  Arm skip = uniform_index(stream, tied);
  for (Arm a = 0; a + 1 < count; ++a)
    if (value_of(a) == best && skip-- == 0) return a;
  return count - 1;
}

}  // namespace armature
