#include "policies/tools/blended_scores.h"

#include <tuple>

#include "base/vector_clones.h"

namespace armature {
namespace {

// Lane by lane, so that the compiler may take many at a time.
ARMATURE_VECTOR_CLONES std::pair<double, double> low_and_high(std::span<const double> values) {
  constexpr std::size_t kLanes = 8;
  double low[kLanes], high[kLanes];
  for (std::size_t k = 0; k < kLanes; ++k) low[k] = high[k] = values[0];
  std::size_t i = 0;
  for (; i + kLanes <= values.size(); i += kLanes)
    for (std::size_t k = 0; k < kLanes; ++k) {
      low[k] = values[i + k] < low[k] ? values[i + k] : low[k];
      high[k] = values[i + k] > high[k] ? values[i + k] : high[k];
    }
  for (; i < values.size(); ++i) {
    low[0] = std::min(low[0], values[i]);
    high[0] = std::max(high[0], values[i]);
  }
  return {*std::min_element(low, low + kLanes), *std::max_element(high, high + kLanes)};
}

ARMATURE_VECTOR_CLONES void add_scaled(std::span<const double> values, double weight,
                                       std::span<double> out) {
  for (std::size_t i = 0; i < values.size(); ++i) out[i] += values[i] * weight;
}

}  // namespace

template <std::size_t kParts>
BlendedScores<kParts>::BlendedScores(const MarginalRows& rows)
    : rows_(rows),
      is_changed_(rows.contexts()),
      contender_entry_(rows.contexts()),
      scores_(rows.rows()) {
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
  for (std::size_t j = 0; j < kParts; ++j) {
    // Contenders may be among them: bounds of all rows are bounds of the far ones.
    std::tie(far_low_[j], far_high_[j]) = low_and_high(sums_[j]);
    add_scaled(sums_[j], weights[j], scores_);
  }

  // The best rows, best first, and after the contenders the best of the far ones.
  std::array<std::uint32_t, kContenders + 1> best{};
  std::uint32_t found = 0;
  for (std::uint32_t row = 0; row < rows_.rows(); ++row) {
    const double score = scores_[row];
    if (found > kContenders && !(score > scores_[best[kContenders]])) continue;
    std::uint32_t place = std::min(found, kContenders);
    for (; place > 0 && score > scores_[best[place - 1]]; --place) best[place] = best[place - 1];
    best[place] = row;
    found = std::min(found + 1, kContenders + 1);
  }
  contenders_ = std::min(kContenders, found);
  far_base_ =
      found > kContenders ? scores_[best[kContenders]] : -std::numeric_limits<double>::infinity();
  std::sort(best.begin(), best.begin() + contenders_);
  for (std::uint32_t k = 0; k < contenders_; ++k) {
    contender_row_[k] = best[k];
    for (std::size_t j = 0; j < kParts; ++j) contender_sum_[j][k] = sums_[j][best[k]];
    const std::span<const double> entries = rows_.entries(best[k]);
    for (Context z = 0; z < entries.size(); ++z) contender_entry_[z][k] = entries[z];
  }
}

template <std::size_t kParts>
void BlendedScores<kParts>::find_candidates(const Parts& weights) {
  Row8 scores;
  double best = 0;
  const auto contenders_lead = [&] {
    scores = contender_scores(weights);
    best = *std::max_element(scores.begin(), scores.begin() + contenders_);
    return best > far_bound(weights) + margin(weights);
  };
  bool leading = contenders_lead();
  if (!leading) {
    refresh(weights);
    leading = contenders_lead();
  }
  const double close = best - margin(weights);
  candidates_.clear();
  if (leading) {
    for (std::uint32_t k = 0; k < contenders_; ++k)
      if (!(scores[k] < close)) candidates_.push_back(contender_row_[k]);
    return;
  }
  // More rows are near the top than there are contenders; the refresh has left all scores.
  for (std::uint32_t row = 0; row < rows_.rows(); ++row)
    if (!(scores_[row] < close)) candidates_.push_back(row);
}

template class BlendedScores<2>;
template class BlendedScores<3>;

}  // namespace armature
