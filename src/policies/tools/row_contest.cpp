#include "policies/tools/row_contest.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/vector_clones.h"

namespace armature {
namespace {

constexpr std::size_t kTile = RowContest::kTile;

// The canonical sums of a tile's rows, one row per lane, each over z in index order.
ARMATURE_VECTOR_CLONES void tile_sums(const double* tile, const double* u, std::size_t contexts,
                                      double* sums) {
  double sum[kTile] = {};
  for (std::size_t z = 0; z < contexts; ++z)
    for (std::size_t i = 0; i < kTile; ++i) sum[i] += tile[z * kTile + i] * u[z];
  for (std::size_t i = 0; i < kTile; ++i) sums[i] = sum[i];
}

double squared_distance(std::span<const double> a, std::span<const double> b,
                        std::span<const double> weight) {
  double sums[4] = {};
  const auto add = [&](double& sum, std::size_t z) {
    const double part = (a[z] - b[z]) * weight[z];
    sum += part * part;
  };
  std::size_t z = 0;
  for (; z + 4 <= a.size(); z += 4)
    for (std::size_t lane = 0; lane < 4; ++lane) add(sums[lane], z + lane);
  for (; z < a.size(); ++z) add(sums[0], z);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace

RowContest::RowContest(const MarginalRows& rows)
    : contexts_(rows.contexts()),
      centre_(contexts_),
      per_scale_(contexts_),
      reach_of_row_(rows.rows(), -std::numeric_limits<double>::infinity()),
      order_(rows.rows()),
      reach_(rows.rows()),
      tiles_((rows.rows() + kTile - 1) / kTile * kTile * contexts_) {
  lay_out(rows);
}

// Without a reach every row can win, in the order of rows.
void RowContest::lay_out(const MarginalRows& rows) {
  std::iota(order_.begin(), order_.end(), 0u);
  std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return reach_of_row_[a] != reach_of_row_[b] ? reach_of_row_[a] < reach_of_row_[b] : a < b;
  });
  for (std::size_t place = 0; place < order_.size(); ++place)
    reach_[place] = reach_of_row_[order_[place]];
  for (std::size_t first = 0; first < order_.size(); first += kTile) {
    const std::size_t count = std::min(kTile, order_.size() - first);
    const double* entries[kTile];
    for (std::size_t i = 0; i < count; ++i) entries[i] = rows.entries(order_[first + i]).data();
    double* tile = tiles_.data() + first * contexts_;
    for (Context z = 0; z < contexts_; ++z)
      for (std::size_t i = 0; i < count; ++i) tile[z * kTile + i] = entries[i][z];
  }
}

void RowContest::set_centre(const MarginalRows& rows, std::span<const double> centre,
                            std::span<const double> scale) {
  std::copy(centre.begin(), centre.end(), centre_.begin());
  for (Context z = 0; z < contexts_; ++z) per_scale_[z] = 1 / scale[z];
  rows.sums(centre, reach_of_row_);
  const std::uint32_t leader = first_largest(reach_of_row_);
  const double most = reach_of_row_[leader];
  // What rounding can do to the four sums of a comparison, many times over: entries of rows add up
  // to about 1, and neither centre nor u leaves [0,1].
  const double rounding = 0x1p-48 * (contexts_ + 8);
  for (std::uint32_t row = 0; row < rows.rows(); ++row) {
    if (row == leader) {
      reach_of_row_[row] = -std::numeric_limits<double>::infinity();
      continue;
    }
    const double distance = std::max(
        std::sqrt(squared_distance(rows.entries(row), rows.entries(leader), scale)), 0x1p-500);
    reach_of_row_[row] = (most - reach_of_row_[row] - rounding) / distance * (1 - 0x1p-20);
  }
  lay_out(rows);
}

std::uint32_t RowContest::winner(std::span<const double> u) const {
  const double distance = std::sqrt(squared_distance(u, centre_, per_scale_));
  std::uint32_t winner = 0;
  double largest = -1;
  double sums[kTile];
  for (std::size_t first = 0; first < order_.size() && !(reach_[first] > distance);
       first += kTile) {
    tile_sums(tiles_.data() + first * contexts_, u.data(), contexts_, sums);
    const std::size_t count = std::min(kTile, order_.size() - first);
    for (std::size_t i = 0; i < count; ++i)
      if (sums[i] > largest || (sums[i] == largest && order_[first + i] < winner)) {
        largest = sums[i];
        winner = order_[first + i];
      }
  }
  return winner;
}

}  // namespace armature
