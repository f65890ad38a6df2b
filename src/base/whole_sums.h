// Sums of products of 16-bit whole numbers, of many rows at once: exact, so the same in any order.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace armature {

class WholeRows {
 public:
  WholeRows(std::size_t rows, std::size_t columns);

  /// Rows from `rows` up to the next multiple of 32 are there, too.
  std::size_t rows() const { return rows_; }
  void set(std::size_t row, std::size_t column, std::int16_t value);
  /// Two neighbouring columns' factors.
  static std::int32_t pair(std::int16_t first, std::int16_t second) {
    return std::bit_cast<std::int32_t>(std::uint32_t{std::bit_cast<std::uint16_t>(first)} |
                                       std::uint32_t{std::bit_cast<std::uint16_t>(second)} << 16);
  }
  std::size_t pairs() const { return pairs_; }
  /// Σ entry·factor of every row; returns the largest. No sum may exceed 31 bits.
  std::int32_t sums(std::span<const std::int32_t> pairs, std::span<std::int32_t> out) const;

 private:
  struct alignas(64) Sixteen {  // rows, two neighbouring columns of each
    std::int16_t at[16][2] = {};
  };

  std::size_t rows_, pairs_;
  std::vector<Sixteen> entries_;  // of 32 rows, pair of columns by pair, then of the next 32
};

}  // namespace armature
