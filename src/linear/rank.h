// The numerical rank of a matrix by its singular values (spec §1).
#pragma once

#include <vector>

#include "armature/matrix.h"

namespace armature {

struct RankVerdict {
  std::size_t rank = 0;
  std::vector<double> singular_values;  // in decreasing order
  double cut = 0;                       // those above it count
};

/// Singular values above tolerance·σ_max count; the default tolerance is max(rows, columns)·2^-52.
RankVerdict numerical_rank(const Matrix& matrix, double tolerance = 0);

}  // namespace armature
