// Rows of conditional tables as files have them: printed with few digits, and so not quite summing
// to 1. What all readers of tables do about it stands here.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "armature/graph.h"

namespace armature::graph {

/// All tables of a graph together have at most so many numbers.
inline constexpr std::size_t kMostNumbers = std::size_t{1} << 24U;

/// How many rows the table of these parents has; kMostNumbers + 1 if it is more than that.
std::size_t row_count(const std::vector<Variable>& variables, const std::vector<Node>& parents);
/// "12", "more than 2^24".
std::string rows_text(std::size_t row_count);
/// "a=yes, b=no" for a row; "" without parents.
std::string row_words(const std::vector<Variable>& variables, const std::vector<Node>& parents,
                      std::size_t row);

/// Scales rows to sum to 1 and remembers the worst of them for a warning.
class RowSums {
 public:
  /// Off by more than this is refused: an error, or counts.
  static constexpr double kRefused = 1e-3;

  static bool acceptable(double sum);
  /// The row has an acceptable sum. `whose` is asked only if it is to be told.
  void scale(std::span<double> row, double sum, const std::function<std::string()>& whose);
  /// Adds one warning if a row was off by more than 1e-6.
  void warn(std::vector<std::string>& warnings) const;

 private:
  std::size_t told_ = 0;
  double worst_ = 1;
  std::string whose_;
};

double row_sum(std::span<const double> row);

}  // namespace armature::graph
