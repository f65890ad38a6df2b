#include "graph/tables.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text.h"

namespace armature::graph {

std::size_t row_count(const std::vector<Variable>& variables, const std::vector<Node>& parents) {
  std::size_t rows = 1;
  for (const Node parent : parents) {
    const std::size_t states = variables[parent].states.size();
    if (states != 0 && rows > kMostNumbers / states) return kMostNumbers + 1;
    rows *= states;
  }
  return rows;
}

std::string rows_text(std::size_t row_count) {
  return row_count > kMostNumbers ? "more than 2^24" : std::to_string(row_count);
}

std::string row_words(const std::vector<Variable>& variables, const std::vector<Node>& parents,
                      std::size_t row) {
  std::string words;
  for (std::size_t i = parents.size(); i > 0; --i) {
    const Variable& parent = variables[parents[i - 1]];
    words = fmt::format("{}={}{}{}", parent.name, parent.states[row % parent.states.size()],
                        words.empty() ? "" : ", ", words);
    row /= parent.states.size();
  }
  return words;
}

double row_sum(std::span<const double> row) {
  double sum = 0;
  for (const double value : row) sum += value;
  return sum;
}

bool RowSums::acceptable(double sum) { return std::abs(sum - 1) <= kRefused; }

void RowSums::scale(std::span<double> row, double sum, const std::function<std::string()>& whose) {
  // Rounding in the sum itself is no reason to touch the numbers: they survive being written and
  // read.
  constexpr double kRounding = 1e-12;
  constexpr double kTold = 1e-6;
  if (std::abs(sum - 1) <= kRounding) return;
  for (double& value : row) value /= sum;
  if (std::abs(sum - 1) <= kTold) return;
  ++told_;
  if (std::abs(sum - 1) <= std::abs(worst_ - 1)) return;
  worst_ = sum;
  whose_ = whose();
}

void RowSums::warn(std::vector<std::string>& warnings) const {
  if (told_ == 0) return;
  warnings.push_back(
      fmt::format("{} did not sum to 1 within 1e-6 and {} scaled; the farthest off, "
                  "{}, by {:.2g}",
                  told_ == 1 ? "one row" : fmt::format("{} rows", told_),
                  told_ == 1 ? "was" : "were", whose_, worst_ - 1));
}

}  // namespace armature::graph
