#include "linear/design.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "armature/error.h"
#include "base/mathematics.h"
#include "linear/rank.h"

namespace armature {
namespace {

using Dense = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;
using Index = Eigen::Index;

constexpr double kResidualTie =
    1e-12;                           // a later row must exceed the best residual by more (spec §3)
constexpr double kRounding = 1e-12;  // relative: leverages closer than this are the same
constexpr double kExactTolerance = 1e-9;  // of the exact design's certificate
constexpr double kNoOptimalDesign =
    1e-3;  // leverage this far below r: in no optimal design's support

// The rows of a matrix as combinations of r of them, the pivots: pivot k becomes the k-th unit
// vector. Leverages do not depend on the basis, and in this one the first design's V is I/r.
struct PivotCoordinates {
  std::vector<Index> pivots;
  Dense rows;
};

// The first row whose squared residual is largest, up to ties; when only rounding-sized residuals
// are left, the strictly largest. -1 if there is none.
Index next_pivot(const Vector& squared_residuals) {
  Index best = -1;
  double highest = 0;
  for (Index a = 0; a < squared_residuals.size(); ++a)
    if (squared_residuals[a] > highest + kResidualTie) {
      highest = squared_residuals[a];
      best = a;
    }
  if (best >= 0) return best;
  Index largest = 0;
  return squared_residuals.maxCoeff(&largest) > 0 ? largest : -1;
}

// Pivoted Gram–Schmidt on the rows (modified, each direction orthogonalised twice).
PivotCoordinates pivot_coordinates(Dense residuals, std::size_t rank) {
  const Index count = residuals.rows();
  PivotCoordinates result;
  Dense basis(static_cast<Index>(rank), residuals.cols());
  result.rows.setZero(count, static_cast<Index>(rank));
  Vector squared = residuals.rowwise().squaredNorm();
  for (Index k = 0; k < static_cast<Index>(rank); ++k) {
    const Index pivot = next_pivot(squared);
    if (pivot < 0) break;
    Eigen::RowVectorXd direction = residuals.row(pivot);
    direction -= (direction * basis.topRows(k).transpose()) * basis.topRows(k);
    direction.normalize();
    basis.row(k) = direction;
    for (Index a = 0; a < count; ++a) {  // one pass over memory: project, subtract, measure
      const double along = residuals.row(a).dot(direction);
      residuals.row(a) -= along * direction;
      squared[a] = residuals.row(a).squaredNorm();
      result.rows(a, k) = along;
    }
    residuals.row(pivot).setZero();
    squared[pivot] = 0;
    result.pivots.push_back(pivot);
  }
  const auto found = static_cast<Index>(result.pivots.size());
  result.rows.conservativeResize(Eigen::NoChange, found);
  // x_a = Σ_j y_aj x_pivot(j): a triangular solve, for a pivot has no component along later
  // directions.
  Dense triangle(found, found);
  for (Index j = 0; j < found; ++j)
    triangle.row(j) = result.rows.row(result.pivots[static_cast<std::size_t>(j)]);
  triangle.triangularView<Eigen::Lower>().solveInPlace<Eigen::OnTheRight>(result.rows);
  for (Index j = 0; j < found; ++j) {
    result.rows.row(result.pivots[static_cast<std::size_t>(j)]).setZero();
    result.rows(result.pivots[static_cast<std::size_t>(j)], j) = 1;
  }
  return result;
}

// A design on some rows with everything a step needs: V = scale·L·Lᵀ and all leverages, both
// updated by rank one. Started afresh from the weights now and then, so that rounding does not pile
// up.
class DesignState {
 public:
  DesignState(Dense rows, Vector weights) : rows_(std::move(rows)), weights_(std::move(weights)) {
    refresh();
  }

  const Vector& weights() const { return weights_; }
  const Vector& leverages() const { return leverages_; }
  Index rank() const { return rows_.cols(); }

  /// V ← (1−s)V + s·x_a x_aᵀ and the weights with it; s < 0 takes weight away from a.
  void step(Index a, double s) {
    const Vector row = rows_.row(a);
    const Vector solved = factor_.solve(row) / scale_;
    along_.noalias() = rows_ * solved;
    const double denominator = 1 - s + s * leverages_[a];
    leverages_ = (leverages_.array() - s * along_.array().square() / denominator) / (1 - s);
    weights_ *= 1 - s;
    weights_[a] += s;
    scale_ *= 1 - s;
    factor_.rankUpdate(row, s / scale_);
    count_step();
  }
  void drop(Index a) { weights_[a] = 0; }

  /// Moves weight from one row to another: V ← V + amount·(x_to x_toᵀ − x_from x_fromᵀ).
  void exchange(Index to, Index from, double amount) {
    add(to, amount);
    add(from, -amount);
    weights_[to] += amount;
    weights_[from] -= amount;
    count_step();
  }

  /// x_aᵀ V^{-1} x_b for all a; valid until the next step.
  const Vector& inner_products(Index b) {
    along_.noalias() = rows_ * Vector(factor_.solve(Vector(rows_.row(b))) / scale_);
    return along_;
  }

  void refresh() {
    steps_since_refresh_ = 0;
    scale_ = 1;
    weights_ /= weights_.sum();
    Dense moments = Dense::Zero(rank(), rank());
    for (Index a = 0; a < rows_.rows(); ++a)
      if (weights_[a] > 0)
        moments.noalias() += weights_[a] * rows_.row(a).transpose() * rows_.row(a);
    factor_.compute(moments);
    ARMATURE_CHECK(factor_.info() == Eigen::Success, "a design's moments are positive definite");
    leverages_ = leverages_of(rows_);
  }

  /// The leverages of any rows under this design.
  Vector leverages_of(const Dense& rows) const {
    const Eigen::MatrixXd solved = factor_.matrixL().solve(rows.transpose());
    return solved.colwise().squaredNorm().transpose() / scale_;
  }

 private:
  // V ← V + amount·x xᵀ, leverages by Sherman–Morrison.
  void add(Index a, double amount) {
    inner_products(a);
    leverages_.array() -= amount * along_.array().square() / (1 + amount * along_[a]);
    factor_.rankUpdate(Vector(rows_.row(a)), amount / scale_);
  }
  void count_step() {
    constexpr int kStepsBetweenRefreshes = 200;
    if (++steps_since_refresh_ >= kStepsBetweenRefreshes || scale_ < 1e-6) refresh();
  }

  Dense rows_;
  Vector weights_;
  Eigen::LLT<Eigen::MatrixXd> factor_;
  double scale_ = 1;
  Vector leverages_;
  Vector along_;
  int steps_since_refresh_ = 0;
};

// The lowest of the rows with the largest leverage.
Index highest(const Vector& leverages) {
  const double close = leverages.maxCoeff() * (1 - kRounding);
  for (Index a = 0;; ++a)
    if (leverages[a] >= close) return a;
}

// While the largest leverage g exceeds 2r: one line-search step towards its row.
void near_steps(DesignState& state, std::uint64_t most_iterations, Design& design) {
  const auto r = static_cast<double>(state.rank());
  for (;;) {
    const Index a = highest(state.leverages());
    const double g = state.leverages()[a];
    if (g <= 2 * r * (1 + kRounding)) return;
    if (design.iterations++ >= most_iterations) {
      design.converged = false;
      return;
    }
    state.step(a, (g / r - 1) / (g - 1));
  }
}

// The change of log det V by a step s towards (or, s < 0, away from) a row of leverage g.
double step_gain(double s, double g, double r) {
  return (r - 1) * portable::log1p(-s) + portable::log1p(s * (g - 1));
}

// Moving weight to the row of leverage g_high from one of leverage g_low, c their inner product:
// det V is multiplied by 1 + m(g_high − g_low) − m²(g_high·g_low − c²). The best amount m, at most
// what there is.
double best_exchange(double g_high, double g_low, double c, double weight) {
  const double curvature = g_high * g_low - c * c;
  return curvature > 0 ? std::min(weight, (g_high - g_low) / (2 * curvature)) : weight;
}
double exchange_gain(double m, double g_high, double g_low, double c) {
  return portable::log1p(m * (g_high - g_low) - m * m * (g_high * g_low - c * c));
}

// Each time the best of three moves, with exact line search: towards the row of largest leverage,
// away from the supported row of smallest (Wolfe and Atwood), or weight from a supported row to the
// largest, which is what rows that are nearly the same need. Linear convergence.
void exact_steps(DesignState& state, double tolerance, std::uint64_t most_iterations,
                 Design& design) {
  const auto r = static_cast<double>(state.rank());
  for (;;) {
    Index high = 0;
    const double g_high = state.leverages().maxCoeff(&high);
    if (g_high <= r * (1 + tolerance)) {
      state.refresh();  // believe it only of fresh numbers
      if (state.leverages().maxCoeff() <= r * (1 + tolerance)) return;
      continue;
    }
    if (design.iterations++ >= most_iterations) {
      design.converged = false;
      return;
    }
    const Vector& inner = state.inner_products(high);
    Index low = -1;
    Index giver = -1;
    double giver_amount = 0;
    double giver_gain = 0;
    for (Index a = 0; a < state.weights().size(); ++a) {
      const double weight = state.weights()[a];
      if (weight <= 0 || a == high) continue;
      const double g = state.leverages()[a];
      if (low < 0 || g < state.leverages()[low]) low = a;
      const double amount = best_exchange(g_high, g, inner[a], weight);
      const double gain = exchange_gain(amount, g_high, g, inner[a]);
      if (gain > giver_gain) {
        giver = a;
        giver_amount = amount;
        giver_gain = gain;
      }
    }
    const double towards = (g_high / r - 1) / (g_high - 1);
    const double towards_gain = step_gain(towards, g_high, r);
    // Away: the best (negative) step, but no farther than to weight 0.
    const double weight = low < 0 ? 0 : state.weights()[low];
    const double g_low = low < 0 ? r : state.leverages()[low];
    const double farthest = -weight / (1 - weight);
    const double away = std::max(g_low > 1 ? (g_low / r - 1) / (g_low - 1) : farthest, farthest);
    const double away_gain = low < 0 ? 0 : step_gain(away, g_low, r);
    if (giver >= 0 && giver_gain >= std::max(towards_gain, away_gain)) {
      const bool all_of_it = giver_amount >= state.weights()[giver];
      state.exchange(high, giver, giver_amount);
      if (all_of_it) state.drop(giver);
    } else if (towards_gain >= away_gain) {
      state.step(high, towards);
    } else {
      state.step(low, away);
      if (away <= farthest) state.drop(low);
    }
  }
}

// The exact design on all rows, by exact designs on growing sets of them: the support and the rows
// that violate the certificate most. Only the certificate looks at every row.
Vector exact_weights(const Dense& rows, Vector weights, const DesignOptions& options,
                     Design& design) {
  const auto r = static_cast<double>(rows.cols());
  const Index most_new_rows = std::max<Index>(64, 2 * rows.cols());
  std::vector<Index> working;
  for (Index a = 0; a < rows.rows(); ++a)
    if (weights[a] > 0) working.push_back(a);
  for (;;) {
    Dense some(static_cast<Index>(working.size()), rows.cols());
    Vector some_weights(some.rows());
    for (Index i = 0; i < some.rows(); ++i) {
      some.row(i) = rows.row(working[static_cast<std::size_t>(i)]);
      some_weights[i] = weights[working[static_cast<std::size_t>(i)]];
    }
    DesignState state(some, some_weights);
    exact_steps(state, kExactTolerance / 4, options.most_iterations, design);
    weights.setZero();
    for (Index i = 0; i < some.rows(); ++i)
      weights[working[static_cast<std::size_t>(i)]] = state.weights()[i];
    const Vector leverages = state.leverages_of(rows);
    if (!design.converged) return weights / weights.sum();
    if (leverages.maxCoeff() <= r * (1 + kExactTolerance)) {
      Vector pruned = weights;
      for (Index a = 0; a < rows.rows(); ++a)
        if (leverages[a] < r * (1 - kNoOptimalDesign)) pruned[a] = 0;
      const DesignState without(rows, pruned);  // the certificate must survive the pruning
      const bool certified = without.leverages().maxCoeff() <= r * (1 + kExactTolerance);
      return certified ? without.weights() : Vector(weights / weights.sum());
    }
    working.clear();
    std::vector<Index> violators;
    for (Index a = 0; a < rows.rows(); ++a) {
      if (weights[a] > 0)
        working.push_back(a);
      else if (leverages[a] > r * (1 + kExactTolerance))
        violators.push_back(a);
    }
    std::sort(violators.begin(), violators.end(), [&](Index a, Index b) {
      return std::pair(-leverages[a], a) < std::pair(-leverages[b], b);
    });
    violators.resize(std::min(violators.size(), static_cast<std::size_t>(most_new_rows)));
    working.insert(working.end(), violators.begin(), violators.end());
    std::sort(working.begin(), working.end());
  }
}

// The rows in a unit in which the largest number is about 1, so that singular values do not
// overflow. A power of two: no digit changes, and the rank is what it was.
Matrix near_one(Matrix rows, double largest) {
  int exponent = 0;
  std::frexp(largest, &exponent);
  for (std::size_t i = 0; i < rows.rows(); ++i)
    for (double& entry : rows.row(i)) entry = std::ldexp(entry, -exponent);
  return rows;
}

}  // namespace

Design optimal_design(const Matrix& rows, const DesignOptions& options) {
  ARMATURE_CHECK(rows.rows() > 0 && rows.columns() > 0, "a design needs rows");
  Design design;
  design.rows = distinct_rows(rows);
  const auto count = static_cast<Index>(design.rows.first.size());
  Dense distinct(count, static_cast<Index>(rows.columns()));
  for (Index i = 0; i < count; ++i) {
    const auto row = rows.row(design.rows.first[static_cast<std::size_t>(i)]);
    std::copy(row.begin(), row.end(), distinct.row(i).begin());
  }
  // Leverages do not depend on the unit of length; squares of very small numbers would be lost.
  const double largest = distinct.cwiseAbs().maxCoeff();
  ARMATURE_CHECK(largest > 0, "some row is not zero");
  distinct /= largest;
  const std::size_t rank = numerical_rank(near_one(rows, largest), options.rank_tolerance).rank;
  PivotCoordinates pivoted =
      pivot_coordinates(std::move(distinct), std::min(rank, options.most_rank));
  ARMATURE_CHECK(!pivoted.pivots.empty(), "a row that is not zero is a pivot");
  design.rank = pivoted.pivots.size();

  Vector weights = Vector::Zero(count);
  for (const Index pivot : pivoted.pivots) weights[pivot] = 1.0 / static_cast<double>(design.rank);
  // With rank 1 the pivot, the longest row, is the optimal design.
  if (design.rank > 1) {
    DesignState state(pivoted.rows, weights);
    near_steps(state, options.most_iterations, design);
    weights = state.weights();
    if (options.kind == DesignKind::kExact && design.converged)
      weights = exact_weights(pivoted.rows, weights, options, design);
  }
  const DesignState final_state(pivoted.rows, weights);
  design.largest_leverage = final_state.leverages().maxCoeff();
  for (Index i = 0; i < count; ++i) {
    if (weights[i] <= 0) continue;
    design.support.push_back(design.rows.first[static_cast<std::size_t>(i)]);
    design.weights.push_back(weights[i]);
  }
  design.coordinates = Matrix(static_cast<std::size_t>(count), design.rank);
  for (Index i = 0; i < count; ++i)
    for (Index k = 0; k < pivoted.rows.cols(); ++k)
      design.coordinates(static_cast<std::size_t>(i), static_cast<std::size_t>(k)) =
          pivoted.rows(i, k);
  return design;
}

}  // namespace armature
