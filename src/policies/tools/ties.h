// The largest of n values, ties to the lowest index or at random.
#pragma once

#include "armature/policy.h"

namespace armature {

template <class Values>
Arm lowest_argmax(Arm count, const Values& value_of) {
  Arm best = 0;
  double highest = value_of(0);
  for (Arm a = 1; a < count; ++a)
    if (const double value = value_of(a); value > highest) {
      highest = value;
      best = a;
    }
  return best;
}

/// One word of the stream in every round, whether there is a tie or not, so that the stream's
/// position does not depend on the values.
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
