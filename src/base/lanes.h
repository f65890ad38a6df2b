// Eight doubles at a time, lane by lane, in whatever registers the machine has: with
// ARMATURE_VECTOR_CLONES the same bits on each.
#pragma once

#include <cstddef>
#include <vector>

namespace armature {

inline constexpr std::size_t kLanes = 8;

/// What is computed with, in a kernel. It may lie anywhere among other doubles, if aligned.
typedef double Lanes __attribute__((vector_size(64), may_alias));

/// What is kept: lists of doubles in whole lanes, the last ones filled up with zeros.
struct alignas(64) LaneBlock {
  double at[kLanes] = {};
};
using LaneVector = std::vector<LaneBlock>;

inline std::size_t lane_blocks(std::size_t size) { return (size + kLanes - 1) / kLanes; }
inline double* values_of(LaneVector& blocks) { return blocks.data()->at; }
inline const double* values_of(const LaneVector& blocks) { return blocks.data()->at; }
inline const Lanes* lanes_at(const double* values) {
  return reinterpret_cast<const Lanes*>(values);
}
inline Lanes* lanes_at(double* values) { return reinterpret_cast<Lanes*>(values); }

/// out[i] = the sum of parts[i]: ((0+1)+(2+3)) + ((4+5)+(6+7)).
__attribute__((always_inline)) inline void sum_each(const Lanes (&parts)[kLanes], Lanes& out) {
  Lanes pairs[4], fours[2];
  for (int i = 0; i < 4; ++i)
    pairs[i] = __builtin_shufflevector(parts[2 * i], parts[2 * i + 1], 0, 8, 2, 10, 4, 12, 6, 14) +
               __builtin_shufflevector(parts[2 * i], parts[2 * i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  for (int i = 0; i < 2; ++i)
    fours[i] = __builtin_shufflevector(pairs[2 * i], pairs[2 * i + 1], 0, 1, 8, 9, 4, 5, 12, 13) +
               __builtin_shufflevector(pairs[2 * i], pairs[2 * i + 1], 2, 3, 10, 11, 6, 7, 14, 15);
  out = __builtin_shufflevector(fours[0], fours[1], 0, 1, 2, 3, 8, 9, 10, 11) +
        __builtin_shufflevector(fours[0], fours[1], 4, 5, 6, 7, 12, 13, 14, 15);
}

/// The same of one.
__attribute__((always_inline)) inline double sum_of(const Lanes& part) {
  return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
}

}  // namespace armature
