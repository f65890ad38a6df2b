#include "policies/tools/context_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace armature {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

ContextScores::ContextScores(const MarginalRows& rows, double value)
    : rows_(rows),
      values_(rows.contexts(), value),
      caps_(rows.rows(), kInfinity),
      sums_(rows.rows()),
      then_(rows.contexts()),
      is_changed_(rows.contexts()),
      order_(rows.rows()),
      place_(rows.rows(), kContenders),
      contender_entry_(std::size_t{rows.contexts()} * kContenders) {
  changed_.reserve(rows.contexts());
  winners_.reserve(rows.rows());
  fresh_sums();
}

void ContextScores::reset(std::span<const double> values) {
  values_.assign(values.begin(), values.end());
  fresh_sums();
}

void ContextScores::fresh_sums() {
  rows_.sums(values_, sums_);
  then_ = values_;
  changed_.clear();
  std::fill(is_changed_.begin(), is_changed_.end(), 0);
  updates_ = 0;
  largest_value_ = 0;
  for (const double value : values_) largest_value_ = std::max(largest_value_, std::abs(value));
  pick_contenders();
}

void ContextScores::refresh() {
  // Each pending change is one rank-one update of all sums; a fresh start costs |Z| of them.
  if (updates_ >= kFreshAfter || changed_.size() * 2 >= values_.size()) {
    fresh_sums();
    return;
  }
  for (const Context z : changed_) {
    rows_.add_column(z, values_[z] - then_[z], sums_);
    then_[z] = values_[z];
    is_changed_[z] = 0;
    ++updates_;
  }
  changed_.clear();
  pick_contenders();
}

void ContextScores::pick_contenders() {
  contenders_ = std::min(kContenders, rows_.rows());
  std::iota(order_.begin(), order_.end(), 0);
  far_base_ = -kInfinity;
  far_rise_ = 0;
  if (contenders_ < rows_.rows()) {
    const auto first_far = order_.begin() + contenders_;
    std::nth_element(
        order_.begin(), first_far, order_.end(),
        [this](std::uint32_t x, std::uint32_t y) { return capped_sum(x) > capped_sum(y); });
    far_base_ = capped_sum(*first_far);
  }
  std::sort(order_.begin(), order_.begin() + contenders_);
  std::fill(place_.begin(), place_.end(), static_cast<std::uint8_t>(kContenders));
  std::fill(std::begin(rival_cap_), std::end(rival_cap_), -kInfinity);
  for (std::uint32_t k = 0; k < contenders_; ++k) {
    place_[order_[k]] = static_cast<std::uint8_t>(k);
    contender_row_[k] = order_[k];
    contender_sum_[k] = sums_[order_[k]];
    rival_cap_[k] = caps_[order_[k]];
    for (Context z = 0; z < rows_.contexts(); ++z)
      contender_entry_[std::size_t{z} * kContenders + k] = rows_.at(order_[k], z);
  }
  leader_ = 0;
  follow(best_contender());
}

void ContextScores::follow(std::uint32_t contender) {
  rival_cap_[leader_] = caps_[contender_row_[leader_]];
  rival_cap_[contender] = -kInfinity;
  leader_ = contender;
}

std::uint32_t ContextScores::best_contender() const {
  std::uint32_t best = 0;
  for (std::uint32_t k = 1; k < contenders_; ++k)
    if (contender_value(k) > contender_value(best)) best = k;
  return best;
}

void ContextScores::decide_close_contenders() {
  const double close = best_contender_value() - 4 * error_bound();
  double highest = -kInfinity;
  for (std::uint32_t k = 0; k < contenders_; ++k) {
    if (contender_value(k) < close) continue;
    const double value = std::min(rows_.sum(contender_row_[k], values_), caps_[contender_row_[k]]);
    if (value > highest) winners_.clear();
    if (value >= highest) winners_.push_back(contender_row_[k]);
    highest = std::max(highest, value);
  }
}

std::span<const std::uint32_t> ContextScores::search() {
  follow(best_contender());
  if (leader_is_ahead()) return {&contender_row_[leader_], 1};
  winners_.clear();
  if (!contenders_lead()) refresh();
  if (contenders_lead()) {
    decide_close_contenders();
    return winners_;
  }
  // More rows are near the top than there are contenders: look at all of them.
  fresh_sums();
  double highest = -kInfinity;
  for (std::uint32_t row = 0; row < rows_.rows(); ++row) {
    if (capped_sum(row) > highest) winners_.clear();
    if (capped_sum(row) >= highest) winners_.push_back(row);
    highest = std::max(highest, capped_sum(row));
  }
  return winners_;
}

}  // namespace armature
