#include "policies/tools/blended_scores.h"

#include <numeric>

namespace armature {

template <std::size_t kParts>
BlendedScores<kParts>::BlendedScores(const MarginalRows& rows)
    : rows_(rows),
      is_changed_(rows.contexts()),
      contender_entry_(rows.contexts()),
      scores_(rows.rows()),
      order_(rows.rows()) {
  for (std::size_t j = 0; j < kParts; ++j) {
    parts_[j].resize(rows.contexts());
    then_[j].resize(rows.contexts());
    sums_[j].resize(rows.rows());
  }
  changed_.reserve(rows.contexts());
  candidates_.reserve(rows.rows());
  start_afresh();
}

template <std::size_t kParts>
void BlendedScores<kParts>::start_afresh() {
  updates_.fill(1);
  fresh_sums();
  pick_contenders({});
}

template <std::size_t kParts>
void BlendedScores<kParts>::fresh_sums() {
  for (std::size_t j = 0; j < kParts; ++j) {
    if (updates_[j] == 0) continue;
    rows_.sums(parts_[j], sums_[j]);
    then_[j] = parts_[j];
    updates_[j] = 0;
    largest_[j] = 0;
    for (const double value : parts_[j]) largest_[j] = std::max(largest_[j], std::abs(value));
  }
  changed_.clear();
  std::fill(is_changed_.begin(), is_changed_.end(), 0);
}

template <std::size_t kParts>
void BlendedScores<kParts>::refresh(const Parts& weights) {
  // Each pending change is one rank-one update of all sums; a fresh start costs |Z| of them.
  if (changed_.size() * 2 >= rows_.contexts() ||
      *std::max_element(updates_.begin(), updates_.end()) >= kFreshAfter)
    fresh_sums();
  for (const Context z : changed_) {
    for (std::size_t j = 0; j < kParts; ++j) {
      const double step = parts_[j][z] - then_[j][z];
      if (step == 0) continue;
      rows_.add_column(z, step, sums_[j]);
      then_[j][z] = parts_[j][z];
      updates_[j] += 1;
    }
    is_changed_[z] = 0;
  }
  changed_.clear();
  pick_contenders(weights);
}

template <std::size_t kParts>
void BlendedScores<kParts>::pick_contenders(const Parts& weights) {
  weights_then_ = weights;
  far_rise_ = {};
  std::fill(scores_.begin(), scores_.end(), 0.0);
  for (std::size_t j = 0; j < kParts; ++j)
    for (std::uint32_t row = 0; row < rows_.rows(); ++row)
      scores_[row] += weights[j] * sums_[j][row];

  contenders_ = std::min(kContenders, rows_.rows());
  std::iota(order_.begin(), order_.end(), 0);
  far_base_ = -std::numeric_limits<double>::infinity();
  if (contenders_ < rows_.rows()) {
    const auto first_far = order_.begin() + contenders_;
    std::nth_element(order_.begin(), first_far, order_.end(),
                     [this](std::uint32_t x, std::uint32_t y) { return scores_[x] > scores_[y]; });
    far_base_ = scores_[*first_far];
  }
  // Contenders may be among them: bounds of all rows are bounds of the far ones.
  for (std::size_t j = 0; j < kParts; ++j) {
    const auto [low, high] = std::minmax_element(sums_[j].begin(), sums_[j].end());
    far_low_[j] = *low;
    far_high_[j] = *high;
  }
  std::sort(order_.begin(), order_.begin() + contenders_);
  for (std::uint32_t k = 0; k < contenders_; ++k) {
    const std::uint32_t row = order_[k];
    contender_row_[k] = row;
    for (std::size_t j = 0; j < kParts; ++j) contender_sum_[j][k] = sums_[j][row];
    for (Context z = 0; z < rows_.contexts(); ++z) contender_entry_[z][k] = rows_.at(row, z);
  }
}

template <std::size_t kParts>
void BlendedScores<kParts>::find_candidates(const Parts& weights) {
  const auto best_contender = [&](const Row8& scores) {
    return *std::max_element(scores.begin(), scores.begin() + contenders_);
  };
  const auto lead = [&](const Row8& scores) {
    return best_contender(scores) > far_bound(weights) + margin(weights);
  };
  Row8 scores = contender_scores(weights);
  if (!lead(scores)) {
    refresh(weights);
    scores = contender_scores(weights);
  }
  candidates_.clear();
  if (lead(scores)) {
    const double close = best_contender(scores) - margin(weights);
    for (std::uint32_t k = 0; k < contenders_; ++k)
      if (!(scores[k] < close)) candidates_.push_back(contender_row_[k]);
    return;
  }
  // More rows are near the top than there are contenders; the refresh has left all scores.
  const double close = best_contender(scores) - margin(weights);
  for (std::uint32_t row = 0; row < rows_.rows(); ++row)
    if (!(scores_[row] < close)) candidates_.push_back(row);
}

template class BlendedScores<2>;
template class BlendedScores<3>;

}  // namespace armature
