#include "linear/distinct_rows.h"

#include <string_view>
#include <unordered_map>

namespace armature {

DistinctRows distinct_rows(const Matrix& matrix) {
  DistinctRows rows;
  rows.number.reserve(matrix.rows());
  std::unordered_map<std::string_view, std::uint32_t> known;
  for (std::uint32_t i = 0; i < matrix.rows(); ++i) {
    const auto row = matrix.row(i);
    const std::string_view bytes(reinterpret_cast<const char*>(row.data()), row.size_bytes());
    const auto next = static_cast<std::uint32_t>(rows.first.size());
    const auto [found, is_new] = known.try_emplace(bytes, next);
    if (is_new) rows.first.push_back(i);
    rows.number.push_back(found->second);
  }
  return rows;
}

}  // namespace armature
