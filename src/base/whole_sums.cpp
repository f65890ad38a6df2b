#include "base/whole_sums.h"

#include <algorithm>
#include <limits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace armature {
namespace {

constexpr std::size_t kGroup = 32;  // rows that are summed together

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

std::int32_t scalar_sums(const std::int16_t (*entries)[2], std::span<const std::int32_t> factors,
                         std::span<std::int32_t> sums) {
  for (std::size_t r = 0; r < sums.size(); r += kGroup, entries += kGroup * factors.size())
    scalar_group(entries, factors, sums.data() + r);
  return *std::max_element(sums.begin(), sums.end());
}

#if defined(__x86_64__)

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

#endif

}  // namespace

WholeRows::WholeRows(std::size_t rows, std::size_t columns)
    : rows_((rows + kGroup - 1) / kGroup * kGroup),
      pairs_((columns + 1) / 2),
      entries_(rows_ / 16 * pairs_) {}

void WholeRows::set(std::size_t row, std::size_t column, std::int16_t value) {
  const std::size_t block =
      (row / kGroup * pairs_ + column / 2) * (kGroup / 16) + row % kGroup / 16;
  entries_[block].at[row % 16][column % 2] = value;
}

std::int32_t WholeRows::sums(std::span<const std::int32_t> pairs,
                             std::span<std::int32_t> out) const {
#if defined(__x86_64__)
  static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  if (has_avx2) return avx2_sums(entries_.data()->at, pairs, out);
#endif
  return scalar_sums(entries_.data()->at, pairs, out);
}

}  // namespace armature
