// PE, straight from spec §3, with prompt feedback: plain loops, a fresh Gaussian elimination for
// every leverage, nothing updated. Near designs are found here; exact ones, which tests/linear
// certifies, are handed in.
#pragma once

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/mathematics.h"
#include "oracle/history.h"

namespace armature::oracle {

using Row = std::vector<double>;
using Rows = std::vector<Row>;

inline double dot(const Row& x, const Row& y) {
  return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
}

// Singular values above max(rows, columns)·2^-52 times the largest.
inline std::size_t rank_of(const Rows& rows) {
  Eigen::MatrixXd matrix(static_cast<Eigen::Index>(rows.size()),
                         static_cast<Eigen::Index>(rows[0].size()));
  for (Eigen::Index i = 0; i < matrix.rows(); ++i)
    for (Eigen::Index k = 0; k < matrix.cols(); ++k)
      matrix(i, k) = rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)];
  const Eigen::VectorXd values = Eigen::JacobiSVD<Eigen::MatrixXd>(matrix).singularValues();
  const double cut =
      static_cast<double>(std::max(matrix.rows(), matrix.cols())) * 0x1p-52 * values[0];
  return static_cast<std::size_t>((values.array() > cut).count());
}

// Gauss with partial pivoting.
inline Row solve(Rows a, Row b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::abs(a[i][k]) > std::abs(a[pivot][k])) pivot = i;
    std::swap(a[k], a[pivot]);
    std::swap(b[k], b[pivot]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < n; ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
  return b;
}

// Σ weight·x·xᵀ
inline Rows moments(const Rows& rows, const Row& weights) {
  const std::size_t r = rows[0].size();
  Rows v(r, Row(r));
  for (std::size_t a = 0; a < rows.size(); ++a)
    for (std::size_t i = 0; i < r; ++i)
      for (std::size_t j = 0; j < r; ++j) v[i][j] += weights[a] * rows[a][i] * rows[a][j];
  return v;
}

/// The rows in an orthonormal basis of their span, and the rows that Gram–Schmidt picked for it.
struct Span {
  std::vector<std::size_t> picked;
  Rows coordinates;
};

inline Span span_of(const Rows& rows) {
  Span span;
  span.coordinates.resize(rows.size());
  Rows residual = rows;
  const std::size_t rank = rank_of(rows);
  for (std::size_t k = 0; k < rank; ++k) {
    std::size_t best = 0;
    for (std::size_t a = 1; a < rows.size(); ++a)
      if (dot(residual[a], residual[a]) > dot(residual[best], residual[best]) + 1e-12) best = a;
    Row direction = residual[best];
    const double length = std::sqrt(dot(direction, direction));
    for (double& entry : direction) entry /= length;
    for (std::size_t a = 0; a < rows.size(); ++a) {
      span.coordinates[a].push_back(dot(rows[a], direction));
      const double along = dot(residual[a], direction);
      for (std::size_t z = 0; z < direction.size(); ++z) residual[a][z] -= along * direction[z];
    }
    span.picked.push_back(best);
  }
  return span;
}

/// design = near: 1/r on the picked rows, then, while the largest leverage g > 2r, a step of (g/r −
/// 1)/(g − 1) towards its row. Leverages that differ by rounding are the same.
inline Row near_design(const Span& span) {
  const auto r = static_cast<double>(span.picked.size());
  Row weights(span.coordinates.size());
  for (const std::size_t a : span.picked) weights[a] = 1 / r;
  for (;;) {
    const Rows v = moments(span.coordinates, weights);
    std::size_t highest = 0;
    double g = 0;
    for (std::size_t a = 0; a < weights.size(); ++a) {
      const double leverage = dot(span.coordinates[a], solve(v, span.coordinates[a]));
      if (leverage > g * (1 + 1e-11)) {
        g = leverage;
        highest = a;
      }
    }
    if (g <= 2 * r * (1 + 1e-11)) return weights;
    const double s = (g / r - 1) / (g - 1);
    for (double& weight : weights) weight *= 1 - s;
    weights[highest] += s;
  }
}

class PhasedEliminationOracle {
 public:
  struct Options {
    double scale = 1;
    double misspecification = 0;
    /// Weights of the active rows; empty: the near design.
    std::function<Row(const Rows&)> design = nullptr;
    double delta = 0;  // 0: the default, 1/T
    /// Told at the end of a phase: the active actions, their estimated means, and how far off they
    /// may be.
    std::function<void(const std::vector<std::uint32_t>&, const Row&, double)> at_phase_end =
        nullptr;
  };

  PhasedEliminationOracle(Knowledge knowledge, Options options)
      : know_(std::move(knowledge)), options_(std::move(options)) {
    for (std::uint32_t a = 0; a < know_.actions; ++a) active_.push_back(a);
    d_ = static_cast<double>(rank_of(know_.marginals));
    start_phase();
  }

  std::uint32_t choose() const { return active_.size() == 1 ? active_[0] : plan_[rewards_.size()]; }

  void observe(const Observation& seen) {
    if (active_.size() == 1) return;
    rewards_.push_back(seen.reward);
    if (rewards_.size() == plan_.size()) end_phase();
  }

 private:
  double s() const {
    return 4 * d_ * std::max(0.0, d_ > 2 ? portable::log(portable::log(d_)) : 0.0) + 16;
  }
  double m() const { return portable::pow(2.0, phase_ - 1) * s(); }

  void start_phase() {
    ++phase_;
    rewards_.clear();
    plan_.clear();
    Rows rows;
    for (const std::uint32_t a : active_) rows.push_back(know_.marginals[a]);
    span_ = span_of(rows);
    const Row weights = options_.design ? options_.design(rows) : near_design(span_);
    for (std::size_t i = 0; i < active_.size(); ++i) {
      if (weights[i] <= 0) continue;
      const double x = m() * weights[i];
      const auto plays = static_cast<std::size_t>(std::ceil(x - 1e-9 * std::max(1.0, x)));
      plan_.insert(plan_.end(), plays, active_[i]);
    }
  }

  void end_phase() {
    Row plays(active_.size());
    Row sums(active_.size());
    for (std::size_t t = 0; t < plan_.size(); ++t) {
      const auto i = static_cast<std::size_t>(std::find(active_.begin(), active_.end(), plan_[t]) -
                                              active_.begin());
      plays[i] += 1;
      sums[i] += rewards_[t];
    }
    Row weighted(span_.coordinates[0].size());
    for (std::size_t i = 0; i < active_.size(); ++i)
      for (std::size_t k = 0; k < weighted.size(); ++k)
        weighted[k] += span_.coordinates[i][k] * sums[i];
    const Row estimate = solve(moments(span_.coordinates, plays), weighted);
    const double T = know_.horizon;
    const double delta = options_.delta > 0 ? options_.delta : 1 / std::max(T, 2.0);
    const double log_term =
        portable::log(2 * know_.actions * std::max(1.0, portable::log2(T)) / delta);
    const double width = std::sqrt((4 * d_ / m()) * log_term);
    const double threshold =
        options_.scale * 2 * width + options_.misspecification * (1 + 2 * std::sqrt(d_));
    double best = -1e300;
    for (const Row& x : span_.coordinates) best = std::max(best, dot(estimate, x));
    if (options_.at_phase_end) {
      Row means;
      for (const Row& x : span_.coordinates) means.push_back(dot(estimate, x));
      options_.at_phase_end(active_, means, width);
    }
    std::vector<std::uint32_t> kept;
    for (std::size_t i = 0; i < active_.size(); ++i)
      if (best - dot(estimate, span_.coordinates[i]) <= threshold) kept.push_back(active_[i]);
    active_ = kept;
    start_phase();
  }

  Knowledge know_;
  Options options_;
  double d_ = 0;
  int phase_ = 0;
  std::vector<std::uint32_t> active_;
  Span span_;
  std::vector<std::uint32_t> plan_;  // the arms of this phase, in order
  Row rewards_;                      // what they paid so far
};

}  // namespace armature::oracle
