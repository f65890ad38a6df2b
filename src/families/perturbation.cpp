// Given marginals at a chosen distance from the truth (spec §1, ε-close). Every row is moved by
// exactly ε in L1: mass ε/2 leaves some contexts and arrives at others.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "armature/error.h"
#include "families/family.h"

namespace armature {
namespace {

// The farthest in L1 that marginals can be from these: all mass in the context that has least.
double room_of(std::span<const double> row) {
  return 2 * (1 - *std::min_element(row.begin(), row.end()));
}

void require_room(std::span<const double> row, double epsilon, std::size_t action) {
  const double room = room_of(row);
  if (epsilon > room)
    throw Error(
        {"", "epsilon", fmt::format("{}", epsilon),
         fmt::format("at most {:.6g}, the farthest that marginals can be from those of action {}",
                     room, action)});
}

void move_row_at_random(std::span<double> row, double epsilon, Stream& stream) {
  const double moved = epsilon / 2;
  // Contexts in random order give mass until they hold enough; the rest receive.
  std::vector<std::size_t> order(row.size());
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[uniform_index(stream, static_cast<std::uint32_t>(i))]);
  double held = 0;
  std::size_t givers = 0;
  while (givers < order.size() && held < moved) held += row[order[givers++]];
  if (givers == order.size()) {  // no receiver left: spare the context that gives least
    const auto least = std::min_element(
        order.begin(), order.end(), [&](std::size_t x, std::size_t y) { return row[x] < row[y]; });
    std::swap(*least, order.back());
    --givers;
    held = 0;
    for (std::size_t i = 0; i < givers; ++i) held += row[order[i]];
  }
  for (std::size_t i = 0; i < givers; ++i)
    row[order[i]] = std::max(0.0, row[order[i]] - row[order[i]] * (moved / held));
  const auto share = dirichlet(stream, static_cast<std::uint32_t>(order.size() - givers), 1);
  for (std::size_t i = givers; i < order.size(); ++i)
    row[order[i]] = std::min(1.0, row[order[i]] + moved * share[i - givers]);
}

// Takes ε/2 from the contexts the row least wants and gives it to the one it wants most (`appeal`
// is high for those), or to the next most wanted if that one holds too much already to receive it
// all.
void move_row_by_appeal(std::span<double> row, double epsilon, const std::vector<double>& appeal) {
  const double moved = epsilon / 2;
  std::vector<std::size_t> order(row.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t x, std::size_t y) { return appeal[x] > appeal[y]; });
  const std::size_t target =
      *std::find_if(order.begin(), order.end(), [&](std::size_t z) { return 1 - row[z] >= moved; });
  double left = moved;
  for (auto z = order.rbegin(); z != order.rend() && left > 0; ++z) {
    if (*z == target) continue;
    const double taken = std::min(left, row[*z]);
    row[*z] -= taken;
    left -= taken;
  }
  row[target] = std::min(1.0, row[target] + moved);
}

}  // namespace

Matrix random_perturbation(const Matrix& marginals, double epsilon, Stream& stream) {
  Matrix moved = marginals;
  for (std::size_t a = 0; a < moved.rows(); ++a) {
    require_room(moved.row(a), epsilon, a);
    move_row_at_random(moved.row(a), epsilon, stream);
  }
  return moved;
}

Matrix random_marginals_within(const Matrix& marginals, double epsilon, Stream& stream) {
  Matrix moved = marginals;
  for (std::size_t a = 0; a < moved.rows(); ++a)
    move_row_at_random(moved.row(a), std::min(epsilon, room_of(moved.row(a))), stream);
  return moved;
}

Matrix adversarial_perturbation(const Instance& instance, const Matrix& marginals, double epsilon) {
  Matrix moved = marginals;
  std::vector<double> appeal(instance.contexts());
  for (Arm a = 0; a < instance.actions(); ++a) {
    const double sign = a == instance.best_action() ? -1 : 1;
    for (Context z = 0; z < instance.contexts(); ++z) appeal[z] = sign * instance.law(a, z).mean();
    require_room(moved.row(a), epsilon, a);
    move_row_by_appeal(moved.row(a), epsilon, appeal);
  }
  return moved;
}

}  // namespace armature
