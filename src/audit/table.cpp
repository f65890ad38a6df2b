#include "audit/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/error.h"
#include "base/text.h"

namespace armature {

double AuditCell::variance() const {
  if (rows < 2) return 0;
  const auto n = static_cast<double>(rows);
  return std::max(0.0, (squares - sum * sum / n) / (n - 1));
}

double AuditCell::weighted_variance() const {
  const double mean = weighted_mean();
  const double spread = square_squares - 2 * mean * square_sum + mean * mean * weight_squares;
  return std::max(0.0, spread) / (weight * weight);
}

AuditCell& AuditCell::operator+=(const AuditCell& other) {
  rows += other.rows;
  sum += other.sum;
  squares += other.squares;
  weight += other.weight;
  weighted_sum += other.weighted_sum;
  weight_squares += other.weight_squares;
  square_sum += other.square_sum;
  square_squares += other.square_squares;
  return *this;
}

void AuditTable::add(const LogRow& row) {
  if (!(row.weight >= 1 && row.weight <= kMostWeight) || row.weight != std::floor(row.weight))
    throw Error({"", fmt::format("line {}: weight", row.line), print_real(row.weight),
                 "a whole number: how many rows the line stands for"});
  if (row.action >= cells_.size() || row.context >= contexts_)
    widen(row.action + std::size_t{1}, row.context + std::size_t{1});
  const double n = row.weight, y = row.reward;
  const bool known = !std::isnan(row.propensity);
  if (known && !(row.propensity >= kLeastPropensity && row.propensity <= 1))
    throw Error({"", fmt::format("line {}: propensity", row.line), print_real(row.propensity),
                 "a probability from 1e-9 to 1"});
  const double w = known ? 1 / row.propensity : 1;
  AuditCell& cell = cells_[row.action][row.context];
  cell.rows += static_cast<std::uint64_t>(n);
  cell.sum += n * y;
  cell.squares += n * y * y;
  cell.weight += n * w;
  cell.weighted_sum += n * w * y;
  cell.weight_squares += n * w * w;
  cell.square_sum += n * w * w * y;
  cell.square_squares += n * w * w * y * y;
  rows_ += static_cast<std::uint64_t>(n);
  binary_ = binary_ && (y == 0 || y == 1);
  if (!known) {
    missing_ += static_cast<std::uint64_t>(n);
    return;
  }
  PropensityRange& range = ranges_[row.action];
  range.least = std::min(range.least, row.propensity);
  range.most = std::max(range.most, row.propensity);
}

void AuditTable::widen(std::size_t actions, std::size_t contexts) {
  contexts_ = std::max(contexts_, contexts);
  if (actions > cells_.size()) {
    cells_.resize(actions);
    ranges_.resize(actions);
  }
  for (std::vector<AuditCell>& row : cells_) row.resize(contexts_);
}

void AuditTable::name(std::size_t actions, std::size_t contexts) {
  ARMATURE_CHECK(rows_ == 0, "names that are known before the first row");
  widen(actions, contexts);
  known_actions_ = actions;
  known_contexts_ = contexts;
}

const AuditCell& AuditTable::cell(std::size_t action, std::size_t context) const {
  ARMATURE_CHECK(action < actions() && context < contexts(), "a cell of the table");
  return cells_[action][context];
}

AuditCell AuditTable::of_action(std::size_t action) const {
  AuditCell sum;
  for (std::size_t z = 0; z < contexts_; ++z) sum += cell(action, z);
  return sum;
}

AuditCell AuditTable::of_context(std::size_t context) const {
  AuditCell sum;
  for (std::size_t a = 0; a < actions(); ++a) sum += cell(a, context);
  return sum;
}

std::size_t AuditTable::actions_in(std::size_t context) const {
  std::size_t count = 0;
  for (std::size_t a = 0; a < actions(); ++a) count += cell(a, context).rows > 0 ? 1 : 0;
  return count;
}

namespace {

constexpr double kRounding = 1e-6;

// How far a probability written with so few digits may be from what it was: 0.17 from 1/6.
double half_a_digit(double written) {
  for (const double unit : {1e1, 1e2, 1e3, 1e4, 1e5})
    if (std::abs(written * unit - std::round(written * unit)) < kRounding) return 0.5 / unit;
  return kRounding;
}

}  // namespace

bool AuditTable::propensities_vary() const {
  if (!propensities()) return false;
  // Of one toss they add up to 1 at most. Where every action shows one propensity and they add up
  // to more, the rare ones were never drawn: 0.9995 here and 0.9995 there is no lot.
  double sum = 0, room = 0;
  for (const PropensityRange& range : ranges_) {
    sum += range.most;
    room += half_a_digit(range.most);
  }
  if (sum > 1 + room) return true;
  return std::any_of(ranges_.begin(), ranges_.end(), [](const PropensityRange& range) {
    return range.most > range.least * (1 + kRounding);
  });
}

bool AuditTable::deterministic() const {
  if (!propensities()) return false;
  return std::all_of(ranges_.begin(), ranges_.end(),
                     [](const PropensityRange& range) { return range.least == 1; });
}

}  // namespace armature
