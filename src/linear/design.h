// G-optimal designs (spec §3): a distribution π over the rows x_a of a matrix that keeps the
// largest leverage max_a ‖x_a‖²_{V(π)^{-1}}, V(π) = Σ π(a) x_a x_aᵀ, small. The optimum is the rank
// r (Kiefer and Wolfowitz 1960); every design comes with its leverage as a certificate.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "armature/matrix.h"
#include "linear/distinct_rows.h"

namespace armature {

enum class DesignKind {
  kNear,  // largest leverage ≤ 2r, few rows, fast: pivoted Gram–Schmidt, then line-search steps
  kExact,  // largest leverage ≤ r(1 + 1e-9): continues from there with away steps
};

struct DesignOptions {
  DesignKind kind = DesignKind::kNear;
  std::uint64_t most_iterations = 2'000'000;
  double rank_tolerance = 0;  // of numerical_rank; 0: its default
  std::size_t most_rank = std::numeric_limits<std::size_t>::max();  // the rank is at most this
};

struct Design {
  std::vector<std::uint32_t> support;  // rows with weight, ascending
  std::vector<double> weights;         // theirs, summing to 1
  std::size_t rank = 0;                // r, of the rows
  double largest_leverage = 0;         // over all rows: the certificate
  std::uint64_t iterations = 0;
  bool converged = true;  // false: the iteration limit came first; the certificate still holds

  /// The rows in coordinates of their span (in which the leverages were computed): inner products
  /// with anything in the span are inner products here.
  DistinctRows rows;
  Matrix coordinates;  // one row of r numbers per distinct row
};

/// Rows may repeat, nearly repeat, and span less than all columns.
Design optimal_design(const Matrix& rows, const DesignOptions& options = {});

}  // namespace armature
