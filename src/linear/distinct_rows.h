// Rows that occur more than once, kept once: under their first index, in order of it.
#pragma once

#include <cstdint>
#include <vector>

#include "armature/matrix.h"

namespace armature {

struct DistinctRows {
  std::vector<std::uint32_t>
      first;  // first[k]: the lowest index of the k-th distinct row; ascending
  std::vector<std::uint32_t> number;  // number[i]: which distinct row row i is
};

/// Two rows are the same if they are equal bit for bit.
DistinctRows distinct_rows(const Matrix& matrix);

}  // namespace armature
