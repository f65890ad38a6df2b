// Which rows can have the largest score Σ_j w_j·Σ_z ν̃(z)·x_j(z), when the weights w_j change for
// all rows in every round (a bonus that follows the time) and the parts x_j(z) of one context at a
// time. Nearly always it is one row, and known without a look at the others; where several are too
// close to be told apart they are named, and whoever asks compares them by the formula that counts.
//
// How: as in ContextScores a few contenders are followed closely, here with a sum for each part,
// and all other rows are kept below a bound. Since the last refresh a far row's part j has risen by
// at most r_j, and was between low_j and high_j then: its score is now at most the largest of then,
// plus Σ_j (w_j's change times low_j or high_j, whichever is more, plus w_j·r_j).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "policies/tools/marginal_rows.h"

namespace armature {

template <std::size_t kParts>
class BlendedScores {
 public:
  using Parts = std::array<double, kParts>;  // of a context, or the weights; weights are ≥ 0

  /// All parts start at 0. The rows must outlive this object.
  explicit BlendedScores(const MarginalRows& rows);

  void set(Context z, const Parts& parts);
  /// The same for all contexts at once: `parts_of(z)`.
  template <class PartsOf>
  void reset(const PartsOf& parts_of) {
    for (Context z = 0; z < rows_.contexts(); ++z) {
      const Parts parts = parts_of(z);
      for (std::size_t j = 0; j < kParts; ++j) parts_[j][z] = parts[j];
    }
    start_afresh();
  }

  /// The row of the largest score, the lowest of them: `score_of(row)` is the score that decides,
  /// `score_all(out)` the same of all rows. It may differ from the sums above by some
  /// (|Z| + 1)·2^-50 of what the largest parts would make.
  template <class ScoreOf, class ScoreAll>
  std::uint32_t best_row(const Parts& weights, const ScoreOf& score_of, const ScoreAll& score_all) {
    const std::uint32_t clear = clear_winner(weights);
    if (clear != kNone) [[likely]]
      return clear;
    find_candidates(weights);
    // One by one they cost more than all of them together.
    if (candidates_.size() > 1 + rows_.rows() / 8) {
      score_all(std::span<double>(scores_));
      return first_largest(scores_);
    }
    std::uint32_t best = candidates_.front();
    if (candidates_.size() == 1) return best;
    double highest = score_of(best);
    for (const std::uint32_t row : std::span(candidates_).subspan(1))
      if (const double score = score_of(row); score > highest) {
        highest = score;
        best = row;
      }
    return best;
  }

 private:
  static constexpr std::uint32_t kContenders = 8;
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint64_t kFreshAfter = 1 << 20;  // updates between fresh starts
  using Row8 = std::array<double, kContenders>;

  std::uint32_t clear_winner(const Parts& weights) const;
  Row8 contender_scores(const Parts& weights) const;
  double far_bound(const Parts& weights) const;
  double margin(const Parts& weights) const;
  double slope(Context z, double change) const {
    return change > 0 ? rows_.column_high(z) : rows_.column_low(z);
  }

  void find_candidates(const Parts& weights);
  void start_afresh();
  void fresh_sums();
  void refresh(const Parts& weights);
  void pick_contenders(const Parts& weights);

  using Values = std::array<std::vector<double>, kParts>;

  const MarginalRows& rows_;
  Values parts_;     // x_j(z)
  Parts largest_{};  // the largest |x_j(z)| since the sums were fresh, for the error bound
  Parts updates_{};  // rank-one updates of part j since then

  Values sums_;                   // Σ_z ν̃(z)·x_j(z) of all rows, as of the last refresh
  Values then_;                   // x_j(z) as of the last refresh
  std::vector<Context> changed_;  // contexts set since
  std::vector<char> is_changed_;  // the same as flags

  double far_base_ = 0;           // the largest score of a far row at the last refresh
  Parts weights_then_{};          // with these weights
  Parts far_low_{}, far_high_{};  // where its parts were
  Parts far_rise_{};              // how much a part can have risen since

  std::uint32_t contenders_ = 0;
  std::array<std::uint32_t, kContenders> contender_row_{};
  std::array<Row8, kParts> contender_sum_{};
  std::vector<Row8> contender_entry_;  // per context

  std::vector<double> scores_;             // scratch: of all rows
  std::vector<std::uint32_t> candidates_;  // ascending
};

template <std::size_t kParts>
void BlendedScores<kParts>::set(Context z, const Parts& parts) {
  if (!is_changed_[z]) {
    is_changed_[z] = 1;
    changed_.push_back(z);
  }
  const Row8& entry = contender_entry_[z];
  for (std::size_t j = 0; j < kParts; ++j) {
    const double step = parts[j] - parts_[j][z];
    if (step == 0) continue;
    const double before = parts_[j][z] - then_[j][z];
    const double now = parts[j] - then_[j][z];
    parts_[j][z] = parts[j];
    far_rise_[j] += slope(z, now) * now - slope(z, before) * before;
    largest_[j] = std::max(largest_[j], std::abs(parts[j]));
    updates_[j] += 1;
    for (std::uint32_t k = 0; k < kContenders; ++k) contender_sum_[j][k] += entry[k] * step;
  }
}

template <std::size_t kParts>
auto BlendedScores<kParts>::contender_scores(const Parts& weights) const -> Row8 {
  Row8 scores{};
  for (std::size_t j = 0; j < kParts; ++j)
    for (std::uint32_t k = 0; k < kContenders; ++k) scores[k] += weights[j] * contender_sum_[j][k];
  return scores;
}

template <std::size_t kParts>
double BlendedScores<kParts>::far_bound(const Parts& weights) const {
  double bound = far_base_;
  for (std::size_t j = 0; j < kParts; ++j) {
    const double change = weights[j] - weights_then_[j];
    bound += change * (change > 0 ? far_high_[j] : far_low_[j]) + weights[j] * far_rise_[j];
  }
  return bound;
}

// One rounding costs at most 2^-53 of a part's sum, which is at most its largest value, with the
// weight of now or, in the far bound, of the last refresh. The score that decides has some 2|Z|
// roundings, an update of a contender or of the far bound at most 8; 2^-49 leaves another factor,
// and two such errors are compared.
template <std::size_t kParts>
double BlendedScores<kParts>::margin(const Parts& weights) const {
  double error = 0;
  for (std::size_t j = 0; j < kParts; ++j)
    error += std::max(weights[j], weights_then_[j]) * largest_[j] *
             (updates_[j] + (rows_.contexts() + 1.0));
  return 4 * 0x1p-49 * error;
}

template <std::size_t kParts>
std::uint32_t BlendedScores<kParts>::clear_winner(const Parts& weights) const {
  const Row8 scores = contender_scores(weights);
  std::uint32_t best = 0;
  double runner_up = far_bound(weights);
  for (std::uint32_t k = 1; k < contenders_; ++k) {
    const bool better = scores[k] > scores[best];
    runner_up = std::max(runner_up, better ? scores[best] : scores[k]);
    best = better ? k : best;
  }
  return scores[best] > runner_up + margin(weights) ? contender_row_[best] : kNone;
}

extern template class BlendedScores<2>;
extern template class BlendedScores<3>;

}  // namespace armature
