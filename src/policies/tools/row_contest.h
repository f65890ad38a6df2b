// Which row of given marginals has the largest canonical sum Σ_z ν̃(z)·u(z), for vectors u that lie
// near a centre most of the time: draws from posteriors do. Few rows can win then, and only their
// sums are computed.
//
// With m the centre, l the row that leads there and s(z) > 0 a scale per context, Cauchy and
// Schwarz say of any u
//   Σ(ν̃_a − ν̃_l)·u ≤ Σ(ν̃_a − ν̃_l)·m + ‖(ν̃_a − ν̃_l)·s‖·‖(u − m)/s‖,
// so that row a is below row l whenever u is within the *reach* of a,
//   ‖(u − m)/s‖ < [Σν̃_l·m − Σν̃_a·m] / ‖(ν̃_a − ν̃_l)·s‖.
// Rows are kept in the order of their reach: those that can win are the first ones. The answer is
// the one of all sums, ties to the lowest row, whatever the centre; it only costs more from afar.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policies/tools/marginal_rows.h"

namespace armature {

class RowContest {
 public:
  /// Rows whose sums are computed together: enough of them to hide an addition's latency.
  static constexpr std::size_t kTile = 32;

  explicit RowContest(const MarginalRows& rows);

  /// False where there are so few rows that no centre helps.
  bool wants_centre() const { return reach_.size() > kTile; }
  /// u and the centre in [0,1], scales positive.
  void set_centre(const MarginalRows& rows, std::span<const double> centre,
                  std::span<const double> scale);
  /// The lowest row with the largest canonical sum.
  std::uint32_t winner(std::span<const double> u) const;

 private:
  void lay_out(const MarginalRows& rows);

  std::uint32_t contexts_;
  std::vector<double> centre_;
  std::vector<double> per_scale_;     // 1/s
  std::vector<double> reach_of_row_;  // by row
  std::vector<std::uint32_t> order_;  // rows, in the order of their reach
  std::vector<double> reach_;         // in that order
  std::vector<double> tiles_;         // their entries: tile by tile, context by context
};

}  // namespace armature
