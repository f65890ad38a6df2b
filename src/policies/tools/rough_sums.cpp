#include "policies/tools/rough_sums.h"

#include <algorithm>
#include <cmath>

#include "base/reaching.h"

namespace armature {
namespace {

constexpr std::size_t kFew = 512;            // entries that are soonest summed as they should
constexpr std::size_t kMostContenders = 24;  // more are soonest found with all others
constexpr double kLargest = 32767;           // 2^15 - 1
constexpr double kHeaviest = 65535;          // times 32767 less than 2^31

}  // namespace

RoughSums::RoughSums(const MarginalRows& rows)
    : rows_(rows.rows()),
      entries_(rows.rows(), rows.contexts()),
      factors_(entries_.pairs()),
      sums_(entries_.rows()) {
  double largest = 0, heaviest = 0;
  for (std::uint32_t r = 0; r < rows.rows(); ++r) {
    double weight = 0;
    for (const double entry : rows.entries(r)) {
      largest = std::max(largest, std::abs(entry));
      weight += std::abs(entry);
    }
    heaviest = std::max(heaviest, weight);
  }
  steps_ = std::min(kLargest / largest, (kHeaviest - rows.contexts()) / heaviest);
  for (std::size_t r = 0; r < entries_.rows(); ++r) {
    const auto row = rows.entries(std::min(static_cast<std::uint32_t>(r), rows.rows() - 1));
    double weight = 0;
    for (std::size_t z = 0; z < row.size(); ++z) {
      const double whole = std::nearbyint(row[z] * steps_);
      entries_.set(r, z, static_cast<std::int16_t>(whole));
      weight += std::abs(whole);
    }
    heaviest_ = std::max(heaviest_, weight);
  }
}

bool RoughSums::take(std::span<const double> u) {
  double largest = 0, weight = 0;
  for (const double value : u) {
    largest = std::max(largest, std::abs(value));
    weight += std::abs(value);
  }
  const double scale = kLargest / largest;
  if (!(std::isfinite(weight) && std::isfinite(scale) && scale > 0)) return false;
  const auto whole = [&](std::size_t z) {
    return z < u.size() ? static_cast<std::int16_t>(u[z] * scale) : std::int16_t{0};
  };
  for (std::size_t j = 0; j < factors_.size(); ++j)
    factors_[j] = WholeRows::pair(whole(2 * j), whole(2 * j + 1));
  largest_ = entries_.sums(factors_, sums_);
  // Half a whole number of each entry, one of each of u's, times the other.
  error_ = 0.5001 * weight * scale + heaviest_ + 1;
  unit_ = 1 / (steps_ * scale);
  return true;
}

std::size_t RoughSums::reaching(double least, std::span<std::uint32_t> out) const {
  const auto whole = static_cast<std::int32_t>(std::clamp(std::floor(least), -0x1p31, 0x1p31 - 1));
  std::size_t found = values_reaching(sums_, whole, out);
  while (found > 0 && out[found - 1] >= rows_) --found;  // copies
  return found;
}

LargestSum::LargestSum(const MarginalRows& rows)
    : rough_(rows),
      many_(std::size_t{rows.rows()} * rows.contexts() > kFew),
      contenders_(kMostContenders + 1),
      sums_(rows.rows()) {}

std::uint32_t LargestSum::row(const MarginalRows& rows, std::span<const double> u) {
  std::size_t found = 0;
  if (many_ && rough_.take(u))
    found = rough_.reaching(rough_.largest() - 2 * rough_.error(), contenders_);
  if (found == 0 || found > kMostContenders) {
    rows.sums(u, sums_);
    return first_largest(sums_);
  }
  if (found == 1) return contenders_[0];
  std::uint32_t best = contenders_[0];
  double highest = rows.sum(best, u);
  for (std::size_t i = 1; i < found; ++i)
    if (const double sum = rows.sum(contenders_[i], u); sum > highest) {
      highest = sum;
      best = contenders_[i];
    }
  return best;
}

}  // namespace armature
