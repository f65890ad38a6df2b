#include "policies/index/context_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace armature {

ContextScores::ContextScores(const MarginalRows& rows, double value)
    : rows_(rows),
      values_(rows.contexts(), value),
      sums_(rows.rows()),
      then_(rows.contexts()),
      is_changed_(rows.contexts()),
      order_(rows.rows()),
      contender_entry_(std::size_t{rows.contexts()} * kContenders) {
  changed_.reserve(rows.contexts());
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
  const auto higher = [this](std::uint32_t x, std::uint32_t y) { return sums_[x] > sums_[y]; };
  far_bound_ = -std::numeric_limits<double>::infinity();
  if (contenders_ < rows_.rows()) {
    const auto first_far = order_.begin() + contenders_;
    std::nth_element(order_.begin(), first_far, order_.end(), higher);
    far_bound_ = sums_[*first_far];
  }
  std::sort(order_.begin(), order_.begin() + contenders_);
  for (std::uint32_t k = 0; k < contenders_; ++k) {
    contender_row_[k] = order_[k];
    contender_sum_[k] = sums_[order_[k]];
    for (Context z = 0; z < rows_.contexts(); ++z)
      contender_entry_[std::size_t{z} * kContenders + k] = rows_.at(order_[k], z);
  }
}

double ContextScores::far_rise(Context z) const {
  const double change = values_[z] - then_[z];
  return (change > 0 ? rows_.column_high(z) : rows_.column_low(z)) * change;
}

void ContextScores::set(Context z, double value) {
  const double step = value - values_[z];
  if (step == 0) return;
  if (!is_changed_[z]) {
    is_changed_[z] = 1;
    changed_.push_back(z);
  }
  const double risen_before = far_rise(z);
  values_[z] = value;
  far_bound_ += far_rise(z) - risen_before;
  if (std::abs(value) > largest_value_) largest_value_ = std::abs(value);
  ++updates_;
  const double* entry = contender_entry_.data() + std::size_t{z} * kContenders;
  for (std::uint32_t k = 0; k < kContenders; ++k) contender_sum_[k] += entry[k] * step;
}

double ContextScores::error_bound() const {
  // One rounding costs at most 2^-53 of a sum that is at most the largest value. A canonical sum
  // has 2|Z| roundings, an update of a contender or of the far bound at most 8; 2^-49 leaves
  // another factor.
  return 0x1p-49 * largest_value_ * static_cast<double>(updates_ + values_.size() + 1);
}

bool ContextScores::contenders_lead() const {
  const double best = *std::max_element(contender_sum_, contender_sum_ + contenders_);
  return best > far_bound_ + 4 * error_bound();
}

std::uint32_t ContextScores::best_of_close_contenders() const {
  const double close =
      *std::max_element(contender_sum_, contender_sum_ + contenders_) - 4 * error_bound();
  double highest = -std::numeric_limits<double>::infinity();
  std::uint32_t winner = 0;
  for (std::uint32_t k = 0; k < contenders_; ++k) {  // rows ascend: the lowest of equals wins
    if (contender_sum_[k] < close) continue;
    const double sum = rows_.sum(contender_row_[k], values_);
    if (sum > highest) {
      highest = sum;
      winner = contender_row_[k];
    }
  }
  return winner;
}

std::uint32_t ContextScores::best_row() {
  // The common case in one pass: one contender is clearly ahead of the others and of the far rows.
  std::uint32_t best = 0;
  double runner_up = far_bound_;
  for (std::uint32_t k = 1; k < contenders_; ++k) {
    const bool better = contender_sum_[k] > contender_sum_[best];
    runner_up = std::max(runner_up, better ? contender_sum_[best] : contender_sum_[k]);
    best = better ? k : best;
  }
  if (contender_sum_[best] > runner_up + 4 * error_bound()) return contender_row_[best];

  if (contenders_lead()) return best_of_close_contenders();
  refresh();
  if (contenders_lead()) return best_of_close_contenders();
  // More rows are near the top than there are contenders: look at all of them.
  fresh_sums();
  return first_largest(sums_);
}

}  // namespace armature
