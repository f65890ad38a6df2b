#include "policies/linear/linear_bandit.h"

#include <algorithm>
#include <cmath>

#include "base/mathematics.h"
#include "linear/rank.h"
#include "policies/tools/confidence.h"
#include "policies/tools/insights.h"
#include "policies/tools/ties.h"

namespace armature {

RidgeRegression::RidgeRegression(const Matrix& marginals)
    : rows_(marginals),
      features_(rows_.contexts(), rows_.rows()),
      plays_(rows_.rows()),
      reward_sums_(rows_.rows()),
      factor_(std::size_t{rows_.contexts()} * rows_.contexts()),
      leverages_(rows_.rows()),
      estimate_(rows_.contexts()),
      predictions_(rows_.rows()),
      folded_(rows_.contexts()),
      solved_(rows_.contexts()),
      along_(rows_.rows()),
      in_flight_(rows_.rows()) {
  ahead_.reserve(rows_.rows());
  for (std::uint32_t r = 0; r < rows_.rows(); ++r)
    for (Context z = 0; z < rows_.contexts(); ++z) features_(z, r) = rows_.at(r, z);
  pending_.reserve(64);
  fresh_factor();
  solve();
}

void RidgeRegression::add(Arm arm, double reward) {
  const std::uint32_t row = rows_.row(arm);
  reward_sums_[row] += reward;
  pending_.insert(std::upper_bound(pending_.begin(), pending_.end(), row), row);
}

// Many at once are not folded in one by one: the factor is made anew.
void RidgeRegression::work_in(Arm arm, std::uint64_t plays, double rewards) {
  update();
  if (plays == 1) {
    add(arm, rewards);
    update();
    return;
  }
  const std::uint32_t row = rows_.row(arm);
  reward_sums_[row] += rewards;
  plays_[row] += plays;
  ahead_.clear();
  fresh_factor();
  solve();
}

void RidgeRegression::update() {
  if (pending_.empty()) return;
  for (const std::uint32_t row : pending_) {
    rank_one(row);
    ++plays_[row];
    if (++updates_ == kFreshAfter) fresh_factor();
  }
  pending_.clear();
  ahead_.clear();
  solve();
}

// V from the counts, with so many more of them, its factor, and all leverages.
void RidgeRegression::factorize(std::span<const std::uint64_t> further,
                                Eigen::Ref<Eigen::MatrixXd> factor,
                                std::span<double> leverages) const {
  Eigen::MatrixXd moments = Eigen::MatrixXd::Identity(features_.rows(), features_.rows());
  for (Eigen::Index r = 0; r < features_.cols(); ++r) {
    const auto row = static_cast<std::size_t>(r);
    const auto plays = static_cast<double>(plays_[row] + (further.empty() ? 0 : further[row]));
    if (plays > 0) moments.noalias() += plays * features_.col(r) * features_.col(r).transpose();
  }
  factor = moments.llt().matrixL();
  const Eigen::MatrixXd solved = factor.triangularView<Eigen::Lower>().solve(features_);
  for (Eigen::Index r = 0; r < features_.cols(); ++r)
    leverages[static_cast<std::size_t>(r)] = solved.col(r).squaredNorm();
}

void RidgeRegression::fresh_factor() {
  factorize({}, factor(), leverages_);
  updates_ = 0;
}

std::span<const double> RidgeRegression::leverages_ahead() const {
  if (ahead_.empty()) {
    ahead_.resize(rows_.rows());
    Eigen::MatrixXd unused(features_.rows(), features_.rows());
    factorize(in_flight_, unused, ahead_);
  }
  return ahead_;
}

void RidgeRegression::recount(const Flights& flights) {
  std::fill(in_flight_.begin(), in_flight_.end(), 0);
  for (Arm a = 0; a < rows_.actions(); ++a) in_flight_[rows_.row(a)] += flights.counted(a);
  ahead_.clear();
}

// L ← factor of LLᵀ + xxᵀ, and leverages by Sherman–Morrison.
void RidgeRegression::rank_one(std::uint32_t row) {
  auto l = factor();
  folded_ = features_.col(row);
  solved_ = folded_;
  l.triangularView<Eigen::Lower>().solveInPlace(solved_);
  const double denominator = 1 + solved_.squaredNorm();
  l.transpose().triangularView<Eigen::Upper>().solveInPlace(solved_);
  along_.noalias() = features_.transpose() * solved_;
  for (Eigen::Index r = 0; r < features_.cols(); ++r) {
    double& leverage = leverages_[static_cast<std::size_t>(r)];
    leverage = std::max(0.0, leverage - along_[r] * along_[r] / denominator);
  }
  for (Eigen::Index k = 0; k < folded_.size();
       ++k) {  // rotations that fold x into L, column by column
    const double length = portable::hypot(l(k, k), folded_[k]);
    const double c = length / l(k, k);
    const double s = folded_[k] / l(k, k);
    l(k, k) = length;
    for (Eigen::Index i = k + 1; i < folded_.size(); ++i) {
      l(i, k) = (l(i, k) + s * folded_[i]) / c;
      folded_[i] = c * folded_[i] - s * l(i, k);
    }
  }
}

void RidgeRegression::solve() {
  estimate_.setZero();
  for (Eigen::Index r = 0; r < features_.cols(); ++r)
    estimate_ += reward_sums_[static_cast<std::size_t>(r)] * features_.col(r);
  factor().triangularView<Eigen::Lower>().solveInPlace(estimate_);
  correlate(estimate_);
  rows_.sums({estimate_.data(), static_cast<std::size_t>(estimate_.size())}, predictions_);
}

void RidgeRegression::correlate(Eigen::VectorXd& noise) const {
  factor().transpose().triangularView<Eigen::Upper>().solveInPlace(noise);
}

void RidgeRegression::visit_state(StateVisitor& visitor) {
  visitor.field("plays", plays_);
  visitor.field("reward_sums", reward_sums_);
  visitor.list("pending", pending_);
  visitor.field("updates", updates_);
  visitor.field("factor", factor_);
  visitor.field("leverages", leverages_);
  visitor.require_below(rows_.rows(), "pending", pending_);
  visitor.require(updates_ < kFreshAfter, "updates");
  visitor.require_within(0, 0x1p64, "reward_sums", reward_sums_);
  visitor.require(factor_fits(), "factor");
  visitor.require_within(0, 2, "leverages", leverages_);  // at most ‖x‖² ≤ 1, but for rounding
  if (visitor.reading()) solve();
}

// V is at least the identity, so that the diagonal of L is at least 1, and at most of the size of
// the counts.
bool RidgeRegression::factor_fits() const {
  constexpr double kMost = 0x1p33;  // L² ≤ V ≤ 1 + 2^64
  const auto l = factor();
  return l.array().isFinite().all() && (l.array().abs() <= kMost).all() &&
         (l.diagonal().array() >= 0.5).all();
}

double linear_confidence(double dimension, double horizon) {
  return 1 +
         std::sqrt(2 * portable::log(horizon) + dimension * portable::log(1 + horizon / dimension));
}

PolicyFacts CausalLinearUcb::facts() {
  return {
      .name = "cl-ucb",
      .summary = "linear upper confidence bounds on the marginals",
      .text =
          "Treats the given marginals of an action as its features and runs a linear bandit on "
          "them: ridge regression and an ellipsoid of confidence. Like pe it uses the marginals "
          "and not the contexts it sees; in benign worlds its regret is of order d·sqrt(T). It "
          "believes the world to be benign.",
      .section = "§5",
      .needs_horizon = true,
      .needs_marginals = true,
      .parameters = {scale_parameter("multiplies β; below 1 there is no guarantee"),
                     inflight_parameter()}};
}

CausalLinearUcb::CausalLinearUcb(const Problem& problem, const Arguments& arguments)
    : regression_(*problem.marginals),
      beta_(arguments.real("scale") *
            linear_confidence(static_cast<double>(numerical_rank(*problem.marginals).rank),
                              static_cast<double>(problem.horizon.value()))),
      flights_(problem.actions(), arguments) {}

Decision CausalLinearUcb::choose(Stream&) {
  if (flights_.due()) count_last_play();
  regression_.update();
  const Arm arm = best(regression_);
  flights_.send(arm);
  return {arm};
}

bool CausalLinearUcb::probabilities(std::span<double> out) const {
  if (flights_.due()) count_last_play();
  // Working outcomes in belongs to the choice, not to a look at it: its rounding depends on the
  // path.
  if (regression_.up_to_date()) {
    put_all_on(out, best(regression_));
  } else {
    RidgeRegression copy = regression_;
    copy.update();
    put_all_on(out, best(copy));
  }
  return true;
}

void CausalLinearUcb::count_last_play() const {
  const Arm arm = flights_.settle();
  if (!flights_.ignored()) regression_.send(arm);
}

void CausalLinearUcb::visit_state(StateVisitor& visitor) {
  regression_.visit_state(visitor);
  flights_.visit_state(visitor);
  if (visitor.reading()) regression_.recount(flights_);
}

double CausalLinearUcb::index(const RidgeRegression& regression, std::uint32_t row) const {
  const auto leverages =
      flights_.any_counted() ? regression.leverages_ahead() : regression.leverages();
  return regression.predictions()[row] + beta_ * std::sqrt(leverages[row]);
}

Arm CausalLinearUcb::best(const RidgeRegression& regression) const {
  return regression.rows().action(lowest_argmax(
      regression.rows().rows(), [&](std::uint32_t row) { return index(regression, row); }));
}

Insights CausalLinearUcb::explain() const {
  if (flights_.due()) count_last_play();
  RidgeRegression next = regression_;
  next.update();
  const MarginalRows& rows = next.rows();
  Insights told;
  tell_indices(
      told, Insight::Of::kActions, rows.actions(), [&](Arm a) { return index(next, rows.row(a)); },
      [&](Arm a) { return next.predictions()[rows.row(a)]; });
  return told;
}

PolicyFacts CausalLinearThompson::facts() {
  return {.name = "cl-ts",
          .summary = "linear Thompson sampling on the marginals",
          .text =
              "cl-ucb's regression, with a draw from N(θ̂, V^-1) in place of the ellipsoid. Strong "
              "in practice where the world is benign, wrong for ever where it is not.",
          .section = "§5",
          .needs_marginals = true,
          .parameters = {scale_parameter("multiplies the standard deviation of the draw")}};
}

CausalLinearThompson::CausalLinearThompson(const Problem& problem, const Arguments& arguments)
    : regression_(*problem.marginals),
      scale_(arguments.real("scale")),
      drawn_(problem.contexts()),
      sums_(regression_.rows().rows()) {}

Decision CausalLinearThompson::choose(Stream& stream) {
  regression_.update();
  for (double& value : drawn_) value = normal(stream);
  regression_.correlate(drawn_);
  drawn_ = regression_.estimate() + scale_ * drawn_;
  regression_.rows().sums({drawn_.data(), static_cast<std::size_t>(drawn_.size())}, sums_);
  return {regression_.rows().action(first_largest(sums_))};
}

Insights CausalLinearThompson::explain() const {
  RidgeRegression next = regression_;
  next.update();
  Insights told;
  tell(told, "mean", Insight::Of::kActions, next.rows().actions(),
       [&](Arm a) { return next.predictions()[next.rows().row(a)]; });
  return told;
}

}  // namespace armature
