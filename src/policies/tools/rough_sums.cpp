#include "policies/tools/rough_sums.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace armature {
namespace {

constexpr std::size_t kGroup = 32;           // rows that are summed together
constexpr std::size_t kFew = 512;            // entries that are soonest summed as they should
constexpr std::size_t kMostContenders = 24;  // more are soonest found with all others
constexpr double kLargest = 32767;           // 2^15 - 1
constexpr double kHeaviest = 65535;          // times 32767 less than 2^31

std::int32_t packed(std::int16_t low, std::int16_t high) {
  return std::bit_cast<std::int32_t>(std::uint32_t{std::bit_cast<std::uint16_t>(low)} |
                                     std::uint32_t{std::bit_cast<std::uint16_t>(high)} << 16);
}

// Σ of products of 32 rows' entries and u's, pair by pair of columns.
void scalar_group(const std::int16_t (*entries)[2], std::span<const std::int32_t> factors,
                  std::int32_t* sums) {
  std::fill(sums, sums + kGroup, 0);
  for (const std::int32_t factor : factors) {
    const auto low = static_cast<std::int16_t>(factor & 0xFFFF);
    const auto high = static_cast<std::int16_t>(factor >> 16);
    for (std::size_t i = 0; i < kGroup; ++i) sums[i] += entries[i][0] * low + entries[i][1] * high;
    entries += kGroup;
  }
}

std::size_t scalar_reaching(std::span<const std::int32_t> sums, std::int32_t least,
                            std::uint32_t* out, std::size_t most) {
  std::size_t found = 0;
  for (std::size_t r = 0; r < sums.size() && found < most; ++r)
    if (sums[r] >= least) out[found++] = static_cast<std::uint32_t>(r);
  return found;
}

std::int32_t scalar_sums(const std::int16_t (*entries)[2], std::span<const std::int32_t> factors,
                         std::span<std::int32_t> sums) {
  for (std::size_t r = 0; r < sums.size(); r += kGroup, entries += kGroup * factors.size())
    scalar_group(entries, factors, sums.data() + r);
  return *std::max_element(sums.begin(), sums.end());
}

#if defined(__x86_64__)

// Whole numbers: the same sums in any order.
__attribute__((target("avx2"))) std::int32_t avx2_sums(const std::int16_t (*entries)[2],
                                                       std::span<const std::int32_t> factors,
                                                       std::span<std::int32_t> sums) {
  __m256i largest = _mm256_set1_epi32(std::numeric_limits<std::int32_t>::min());
  const auto* next = reinterpret_cast<const __m256i*>(entries);
  for (std::size_t r = 0; r < sums.size(); r += kGroup) {
    __m256i group[4] = {};
    for (const std::int32_t factor : factors) {
      const __m256i pair = _mm256_set1_epi32(factor);
      for (int i = 0; i < 4; ++i)
        group[i] = _mm256_add_epi32(group[i], _mm256_madd_epi16(_mm256_load_si256(next + i), pair));
      next += 4;
    }
    for (int i = 0; i < 4; ++i) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums.data() + r) + i, group[i]);
      largest = _mm256_max_epi32(largest, group[i]);
    }
  }
  alignas(32) std::int32_t lanes[8];
  _mm256_store_si256(reinterpret_cast<__m256i*>(lanes), largest);
  return *std::max_element(lanes, lanes + 8);
}

__attribute__((target("avx2"))) std::size_t avx2_reaching(std::span<const std::int32_t> sums,
                                                          std::int32_t least, std::uint32_t* out,
                                                          std::size_t most) {
  const __m256i leasts = _mm256_set1_epi32(least);
  std::size_t found = 0;
  for (std::size_t r = 0; r < sums.size(); r += 8) {
    const __m256i below = _mm256_cmpgt_epi32(
        leasts, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(sums.data() + r)));
    auto rows = ~static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(below))) & 0xFF;
    for (; rows != 0 && found < most; rows &= rows - 1)
      out[found++] = static_cast<std::uint32_t>(r) + static_cast<unsigned>(std::countr_zero(rows));
  }
  return found;
}

bool has_avx2() {
  static const bool found = __builtin_cpu_supports("avx2") != 0;
  return found;
}

#endif

std::int32_t rough_sums(const std::int16_t (*entries)[2], std::span<const std::int32_t> factors,
                        std::span<std::int32_t> sums) {
#if defined(__x86_64__)
  if (has_avx2()) return avx2_sums(entries, factors, sums);
#endif
  return scalar_sums(entries, factors, sums);
}

std::size_t rows_reaching(std::span<const std::int32_t> sums, std::int32_t least,
                          std::uint32_t* out, std::size_t most) {
#if defined(__x86_64__)
  if (has_avx2()) return avx2_reaching(sums, least, out, most);
#endif
  return scalar_reaching(sums, least, out, most);
}

}  // namespace

RoughSums::RoughSums(const MarginalRows& rows) : rows_(rows.rows()) {
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
  const std::size_t pairs = (rows.contexts() + 1) / 2;
  const std::size_t groups = (rows.rows() + kGroup - 1) / kGroup;
  entries_.resize(groups * pairs * (kGroup / 16));
  factors_.resize(pairs);
  sums_.resize(groups * kGroup);
  for (std::size_t r = 0; r < groups * kGroup; ++r) {
    const auto row = rows.entries(std::min(static_cast<std::uint32_t>(r), rows.rows() - 1));
    double weight = 0;
    for (std::size_t z = 0; z < row.size(); ++z) {
      const double whole = std::nearbyint(row[z] * steps_);
      const std::size_t block = ((r / kGroup) * pairs + z / 2) * (kGroup / 16) + r % kGroup / 16;
      entries_[block].at[r % 16][z % 2] = static_cast<std::int16_t>(whole);
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
    factors_[j] = packed(whole(2 * j), whole(2 * j + 1));
  largest_ = rough_sums(entries_.data()->at, factors_, sums_);
  // Half a whole number of each entry, one of each of u's, times the other.
  error_ = 0.5001 * weight * scale + heaviest_ + 1;
  unit_ = 1 / (steps_ * scale);
  return true;
}

std::size_t RoughSums::reaching(double least, std::span<std::uint32_t> out) const {
  const auto whole = static_cast<std::int32_t>(std::clamp(std::floor(least), -0x1p31, 0x1p31 - 1));
  std::size_t found = rows_reaching(sums_, whole, out.data(), out.size());
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
