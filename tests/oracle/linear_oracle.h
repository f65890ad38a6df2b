// cl-ucb and cl-ts from the textbook (spec §5): V and Σ ν̃Y from all that was observed, anew in
// every round, Cholesky's factor by its definition, all in long double.
#pragma once

#include "oracle/history.h"

namespace armature::oracle {

class LinearOracle {
 public:
  explicit LinearOracle(const Knowledge& know) : know_(know), out_(know.actions) {}

  void send(std::uint32_t arm) { ++out_[arm]; }
  void land(std::uint32_t arm) { --out_[arm]; }
  void observe(const Observation& observation) { history_.push_back(observation); }

  /// ⟨θ̂,ν̃_a⟩ + β·‖ν̃_a‖ with V^{-1}'s norm and plays in flight in V.
  std::vector<long double> indices(long double beta) const {
    const Vector estimate = solve(factor(false), true, moments());
    const Square ahead = factor(true);
    std::vector<long double> found;
    for (const auto& row : know_.marginals) {
      const Vector x(row.begin(), row.end());
      const Vector p = solve(ahead, false, x);
      found.push_back(product(estimate, x) + beta * std::sqrt(product(p, p)));
    }
    return found;
  }

  /// ⟨θ̃,ν̃_a⟩ with θ̃ = θ̂ + L^{-T}z.
  std::vector<long double> drawn(const std::vector<double>& normals) const {
    const Square l = factor(false);
    Vector theta = solve(l, true, moments());
    Vector noise(normals.begin(), normals.end());
    back_substitute(l, noise);
    for (std::size_t z = 0; z < theta.size(); ++z) theta[z] += noise[z];
    std::vector<long double> found;
    for (const auto& row : know_.marginals)
      found.push_back(product(theta, Vector(row.begin(), row.end())));
    return found;
  }

 private:
  using Vector = std::vector<long double>;
  using Square = std::vector<Vector>;

  static long double product(const Vector& a, const Vector& b) {
    long double sum = 0;
    for (std::size_t z = 0; z < a.size(); ++z) sum += a[z] * b[z];
    return sum;
  }

  Vector moments() const {
    Vector sum(know_.contexts);
    for (const Observation& one : history_)
      for (std::uint32_t z = 0; z < know_.contexts; ++z)
        sum[z] += static_cast<long double>(one.reward) * know_.marginals[one.arm][z];
    return sum;
  }

  // L with LLᵀ = V = I + Σ n·ν̃ν̃ᵀ.
  Square factor(bool with_flights) const {
    std::vector<long double> plays(know_.actions);
    for (const Observation& one : history_) plays[one.arm] += 1;
    for (std::uint32_t a = 0; a < know_.actions && with_flights; ++a) plays[a] += out_[a];
    const std::uint32_t size = know_.contexts;
    Square l(size, Vector(size));
    for (std::uint32_t i = 0; i < size; ++i)
      for (std::uint32_t j = 0; j <= i; ++j) {
        long double left = i == j ? 1 : 0;
        for (std::uint32_t a = 0; a < know_.actions; ++a)
          left += plays[a] * know_.marginals[a][i] * know_.marginals[a][j];
        for (std::uint32_t k = 0; k < j; ++k) left -= l[i][k] * l[j][k];
        l[i][j] = i == j ? std::sqrt(left) : left / l[j][j];
      }
    return l;
  }

  // L^{-1}b, or V^{-1}b.
  static Vector solve(const Square& l, bool whole, Vector b) {
    for (std::size_t i = 0; i < b.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) b[i] -= l[i][j] * b[j];
      b[i] /= l[i][i];
    }
    if (whole) back_substitute(l, b);
    return b;
  }
  static void back_substitute(const Square& l, Vector& b) {
    for (std::size_t i = b.size(); i-- > 0;) {
      for (std::size_t j = i + 1; j < b.size(); ++j) b[i] -= l[j][i] * b[j];
      b[i] /= l[i][i];
    }
  }

  Knowledge know_;
  History history_;
  std::vector<int> out_;
};

}  // namespace armature::oracle
