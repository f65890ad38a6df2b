#include "policies/linear/ridge_regression.h"

#include <algorithm>
#include <cmath>

#include "base/vector_clones.h"

namespace armature {
namespace {

// ⟨x, u⟩ of eight listed rows at a time.
ARMATURE_VECTOR_CLONES void products(const double* features, std::size_t blocks,
                                     const std::uint32_t* rows, std::size_t count, const double* u,
                                     double* out) {
  for (std::size_t first = 0; first < count; first += kLanes) {
    Lanes parts[kLanes];
    for (std::size_t i = 0; i < kLanes; ++i) {
      const std::size_t row = rows[std::min(first + i, count - 1)];
      const Lanes* entries = lanes_at(features) + row * blocks;
      parts[i] = entries[0] * lanes_at(u)[0];
      for (std::size_t t = 1; t < blocks; ++t) parts[i] += entries[t] * lanes_at(u)[t];
    }
    sum_each(parts, lanes_at(out)[first / kLanes]);
  }
}

// out += step·x.
ARMATURE_VECTOR_CLONES void add_scaled(const double* x, std::size_t blocks, double step,
                                       double* out) {
  for (std::size_t t = 0; t < blocks; ++t) lanes_at(out)[t] += lanes_at(x)[t] * step;
}

// What rounding may add to ‖x‖ from one fresh start to the next, plays in flight included. A fold
// is a contraction of sqrt(D)·M, whose columns are at most 1 long, and rounds each entry by at most
// (size + 5)·2^-53 of its column; ‖x‖ ≤ 1.
double norm_error(std::size_t size, std::uint64_t folds) {
  const auto width = static_cast<double>(size + 8);
  return static_cast<double>(folds) * width * width * 0x1p-53;
}

}  // namespace

RidgeRegression::RidgeRegression(const Matrix& marginals)
    : rows_(marginals),
      features_(rows_.rows() * lane_blocks(rows_.contexts())),
      plays_(rows_.rows()),
      reward_sums_(rows_.rows()),
      factor_(rows_.contexts()),
      estimate_(factor_.blocks()),
      moments_(factor_.blocks()),
      projected_(factor_.blocks()),
      along_(factor_.blocks()),
      in_flight_(rows_.rows()),
      ahead_(factor_),
      bounds_(rows_, norm_error(rows_.contexts(), 2 * kFreshAfter + rows_.rows())),
      contenders_(lane_blocks(rows_.rows()) * kLanes),
      close_bounds_(lane_blocks(std::max<std::size_t>(rows_.rows(), recent_.size()))) {
  for (std::uint32_t r = 0; r < rows_.rows(); ++r) {
    const auto entries = rows_.entries(r);
    std::copy(entries.begin(), entries.end(),
              values_of(features_) + std::size_t{r} * factor_.blocks() * kLanes);
  }
  pending_.reserve(64);
}

void RidgeRegression::work_in(Arm arm, std::uint64_t plays, double rewards) {
  if (plays == 0) return;
  const std::uint32_t row = rows_.row(arm);
  const auto place =
      std::lower_bound(pending_.begin(), pending_.end(), row,
                       [](const Pending& one, std::uint32_t r) { return one.row < r; });
  if (place == pending_.end() || place->row != row) {
    pending_.insert(place, {row, plays, rewards});
    return;
  }
  place->plays += plays;
  place->rewards += rewards;
}

void RidgeRegression::update() {
  for (const Pending& outcomes : pending_) {
    fold(outcomes);
    plays_[outcomes.row] += outcomes.plays;
    reward_sums_[outcomes.row] += outcomes.rewards;
    if (++updates_ == kFreshAfter) start_afresh();
  }
  if (pending_.empty()) return;
  ahead_is_current_ = predicted_ = false;
  pending_.clear();
}

// V += n·xxᵀ and θ̂ += V^{-1}x·(Y − n⟨x,θ̂⟩)/(1 + n‖x‖²), V as it was.
void RidgeRegression::fold(const Pending& outcomes) {
  const auto plays = static_cast<double>(outcomes.plays);
  const double leverage = factor_.project(feature(outcomes.row), values_of(projected_));
  const double growth = factor_.fold(values_of(projected_), plays, values_of(along_));
  const double step = (outcomes.rewards - plays * prediction(outcomes.row)) / growth;
  add_scaled(values_of(along_), factor_.blocks(), step, values_of(estimate_));
  bounds_.set_norm(outcomes.row, std::sqrt(leverage / growth));
}

void RidgeRegression::start_afresh() {
  factor_.start(values_of(features_), plays_);
  std::fill(moments_.begin(), moments_.end(), LaneBlock{});
  for (std::uint32_t r = 0; r < rows_.rows(); ++r)
    if (plays_[r] > 0)
      add_scaled(feature(r), factor_.blocks(), reward_sums_[r], values_of(moments_));
  factor_.solve(values_of(moments_), values_of(estimate_));
  updates_ = 0;
  bounded_ = false;
}

// --- Indices

double RidgeRegression::leverage(std::uint32_t row) const {
  return (flights_ > 0 ? factor_ahead() : factor_).project(feature(row), values_of(projected_));
}

double RidgeRegression::exact_index(std::uint32_t row, double beta) const {
  const double norm = std::sqrt(leverage(row));
  if (flights_ == 0) bounds_.set_norm(row, norm);  // what is in flight may never land
  recent_[looks_++ % recent_.size()] = row;
  return prediction(row) + beta * norm;
}

double RidgeRegression::index(std::uint32_t row, double beta, double least) const {
  bring_bounds_up_to_date();
  const double bound = bounds_.of(row, beta);
  return bound < least ? bound : exact_index(row, beta);
}

// Whose bound reaches the index of a likely leader is looked at: first at its prediction, then, the
// highest bound first, at its norm, until no bound reaches the highest index.
std::uint32_t RidgeRegression::leader(double beta) const {
  bring_bounds_up_to_date();
  std::uint32_t best = likely_leader(beta);
  double highest = exact_index(best, beta);
  std::size_t left = bounds_.reaching(beta, highest, contenders_.data());
  double* const bounds = bound_closely({contenders_.data(), left}, beta);
  while (left > 0) {
    const auto top = static_cast<std::size_t>(std::max_element(bounds, bounds + left) - bounds);
    if (bounds[top] < highest) break;
    const std::uint32_t row = contenders_[top];
    const double found = row == best ? highest : exact_index(row, beta);
    if (found > highest || (found == highest && row < best)) {
      best = row;
      highest = found;
    }
    --left;
    contenders_[top] = contenders_[left];
    bounds[top] = bounds[left];
  }
  return best;
}

// Of the rows that were looked at lately, whose norms can have changed but little.
std::uint32_t RidgeRegression::likely_leader(double beta) const {
  const double* const bounds = bound_closely(recent_, beta);
  return recent_[static_cast<std::size_t>(std::max_element(bounds, bounds + recent_.size()) -
                                          bounds)];
}

// Bounds of these rows with their predictions as they are.
double* RidgeRegression::bound_closely(std::span<const std::uint32_t> rows, double beta) const {
  double* const bounds = values_of(close_bounds_);
  products(values_of(features_), factor_.blocks(), rows.data(), rows.size(), values_of(estimate_),
           bounds);
  for (std::size_t i = 0; i < rows.size(); ++i)
    bounds[i] = bounds_.with_prediction(rows[i], bounds[i], beta);
  return bounds;
}

void RidgeRegression::bring_bounds_up_to_date() const {
  if (!bounded_)
    for (std::uint32_t r = 0; r < rows_.rows(); ++r)
      bounds_.set_norm(r, std::sqrt(factor_.project(feature(r), values_of(projected_))));
  if (!bounded_ || !predicted_) bounds_.predict(rows_, estimate());
  bounded_ = predicted_ = true;
}

// --- Plays in flight

void RidgeRegression::change_flights(Arm arm, std::uint64_t times) const {
  in_flight_[rows_.row(arm)] += times;  // modulo 2^64: −1 takes back
  flights_ += times;
  ahead_is_current_ = false;
}

void RidgeRegression::recount(const Flights& flights) {
  std::fill(in_flight_.begin(), in_flight_.end(), 0);
  flights_ = 0;
  for (Arm a = 0; a < rows_.actions(); ++a) {
    in_flight_[rows_.row(a)] += flights.counted(a);
    flights_ += flights.counted(a);
  }
  ahead_is_current_ = false;
}

const InverseFactor& RidgeRegression::factor_ahead() const {
  if (!ahead_is_current_) {
    ahead_ = factor_;
    for (std::uint32_t r = 0; r < rows_.rows(); ++r) {
      if (in_flight_[r] == 0) continue;
      ahead_.project(feature(r), values_of(projected_));
      ahead_.fold(values_of(projected_), static_cast<double>(in_flight_[r]), values_of(along_));
    }
    ahead_is_current_ = true;
  }
  return ahead_;
}

void RidgeRegression::visit_state(StateVisitor& visitor) {
  std::vector<double> entries = factor_.entries(), diagonal = factor_.diagonal();
  std::vector<double> estimated(estimate().begin(), estimate().end());
  visitor.field("plays", plays_);
  visitor.field("reward_sums", reward_sums_);
  visitor.list("pending", pending_, [](ItemVisitor& item, Pending& outcomes) {
    item.field("row", outcomes.row);
    item.field("plays", outcomes.plays);
    item.field("rewards", outcomes.rewards);
  });
  visitor.field("updates", updates_);
  visitor.field("factor", entries);
  visitor.field("diagonal", diagonal);
  visitor.field("estimate", estimated);
  if (!visitor.reading()) return;
  factor_.set_entries(entries);
  factor_.set_diagonal(diagonal);
  std::copy(estimated.begin(), estimated.end(), values_of(estimate_));
  ahead_is_current_ = bounded_ = false;
  visitor.require_sums_of_rewards("reward_sums", reward_sums_, plays_);
  for (const Pending& outcomes : pending_) {
    visitor.require(outcomes.row < rows_.rows(), "pending_row");
    visitor.require_sums_of_rewards("pending_rewards", {&outcomes.rewards, 1},
                                    {&outcomes.plays, 1});
  }
  visitor.require(updates_ < kFreshAfter, "updates");
  visitor.require(factor_.fits(), "factor");
  // ‖θ̂‖² ≤ ‖θ̂‖²_V ≤ Σ Y² ≤ 2^64.
  visitor.require_within(-0x1p33, 0x1p33, "estimate", estimated);
}

}  // namespace armature
