// ContextScores promises exactly the answer that computing all canonical sums would give. These
// tests compute all canonical sums, over and over.
#include "policies/tools/context_scores.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "policies/small_problems.h"
#include "policies/troublesome_matrix.h"

namespace armature {
namespace {

using test::troublesome_matrix;

// The naive answer: every sum afresh, in index order, the first largest.
std::uint32_t naive_best(const MarginalRows& rows, const std::vector<double>& u) {
  std::uint32_t best = 0;
  double highest = 0;
  for (std::uint32_t r = 0; r < rows.rows(); ++r) {
    double sum = 0;
    for (Context z = 0; z < rows.contexts(); ++z) sum += rows.at(r, z) * u[z];
    if (r == 0 || sum > highest) {
      highest = sum;
      best = r;
    }
  }
  return best;
}

struct Chase {
  explicit Chase(const Matrix& marginals, double start)
      : rows(marginals), scores(rows, start), values(rows.contexts(), start) {}
  void set(Context z, double value) {
    values[z] = value;
    scores.set(z, value);
  }
  bool agrees() { return scores.best_row() == naive_best(rows, values); }

  MarginalRows rows;
  ContextScores scores;
  std::vector<double> values;
};

TEST(ContextScores, StartsWithATieOfAllRows) {
  Chase chase(Matrix::from_rows({{0, 1}, {1, 0}}), 0.5);
  EXPECT_EQ(chase.scores.best_row(), 0u);
}

TEST(ContextScores, FollowsValuesUpAndDownByHand) {
  Chase chase(Matrix::from_rows({{1, 0}, {0, 1}, {0.5, 0.5}}), 1);
  chase.set(1, 2);
  EXPECT_EQ(chase.scores.best_row(), 1u);
  chase.set(0, 3);
  EXPECT_EQ(chase.scores.best_row(), 0u);
  chase.set(0, 2);  // 2, 2, 0.5·2 + 0.5·2 = 2: all equal
  EXPECT_EQ(chase.scores.best_row(), 0u);
  chase.set(0, 1);
  EXPECT_EQ(chase.scores.best_row(), 1u);
}

TEST(ContextScores, ResetForgetsTheOldValues) {
  Chase chase(Matrix::from_rows({{1, 0}, {0, 1}}), 1);
  chase.set(1, 5);
  EXPECT_EQ(chase.scores.best_row(), 1u);
  chase.scores.reset(std::vector<double>{3, 2});
  EXPECT_EQ(chase.scores.best_row(), 0u);
  EXPECT_EQ(chase.scores.values()[1], 2);
}

// Real values: up by noise, down by noise, and sometimes exactly back to where they were.
RC_GTEST_PROP(ContextScores, EqualsTheArgmaxOfFreshSums, (std::uint64_t seed)) {
  Stream stream({seed, 0, Purpose::kTest});
  const std::uint32_t actions = 1 + uniform_index(stream, 60);
  const std::uint32_t contexts = 1 + uniform_index(stream, 12);
  Chase chase(troublesome_matrix(actions, contexts, stream), 1.5);
  std::vector<double> earlier = chase.values;
  RC_ASSERT(chase.agrees());
  for (int step = 0; step < 400; ++step) {
    const Context z = uniform_index(stream, contexts);
    const double size = bernoulli(stream, 0.2) ? 1 : 1e-3;
    const double fresh = chase.values[z] + size * (stream.uniform() - 0.5);
    if (bernoulli(stream, 0.1)) earlier[z] = chase.values[z];
    chase.set(z, bernoulli(stream, 0.25) ? earlier[z] : fresh);
    if (bernoulli(stream, 0.7)) RC_ASSERT(chase.agrees());
  }
}

// Values from a small grid, so that different rows often have equal sums, and steps are undone
// exactly.
RC_GTEST_PROP(ContextScores, EqualsTheArgmaxWhereTiesAreCommon, (std::uint64_t seed)) {
  Stream stream({seed, 1, Purpose::kTest});
  const std::uint32_t contexts = 2 + uniform_index(stream, 6);
  const std::uint32_t actions = 9 + uniform_index(stream, 40);
  Matrix marginals(actions, contexts);
  for (std::uint32_t a = 0; a < actions; ++a)  // four quarters of mass anywhere: sums are exact
    for (int quarter = 0; quarter < 4; ++quarter)
      marginals(a, uniform_index(stream, contexts)) += 0.25;
  Chase chase(marginals, 0);
  for (int step = 0; step < 400; ++step) {
    chase.set(uniform_index(stream, contexts), uniform_index(stream, 5) / 4.0);
    RC_ASSERT(chase.agrees());
  }
}

TEST(ContextScores, AllRowsEqualButForTheLastBits) {
  Stream stream({2, 0, Purpose::kTest});
  Matrix marginals(50, 4);
  for (std::uint32_t a = 0; a < 50; ++a)
    for (Context z = 0; z < 4; ++z)
      marginals(a, z) = 0.25 * (1 + uniform_index(stream, 3) * 0x1p-52);
  Chase chase(marginals, 1);
  for (int step = 0; step < 20000; ++step) {
    const Context z = uniform_index(stream, 4);
    chase.set(z, chase.values[z] + 0.01 * (stream.uniform() - 0.5));
    ASSERT_TRUE(chase.agrees()) << "step " << step;
  }
}

TEST(ContextScores, AllValuesZero) {
  Chase chase(Matrix::from_rows({{0.5, 0.5}, {0.25, 0.75}, {1, 0}}), 1);
  chase.set(0, 0);
  chase.set(1, 0);
  EXPECT_EQ(chase.scores.best_row(), 0u);
}

// Far more updates than there are between two fresh starts (2^20), with many rows and with few: the
// accumulated rounding is then at its largest. Compared sparsely at first, at every step at the
// end.
TEST(ContextScores, HoldsAfterAMillionUpdates) {
  Stream stream({3, 0, Purpose::kTest});
  for (const std::uint32_t actions : {5u, 30u}) {
    constexpr std::uint32_t kContexts = 6;
    Chase chase(troublesome_matrix(actions, kContexts, stream), 1);
    constexpr int kSteps = (1 << 20) + (1 << 18);
    for (int step = 0; step < kSteps; ++step) {
      const Context z = uniform_index(stream, kContexts);
      chase.set(z, 0.5 + stream.uniform() / (1 + step % 1000));
      if (step % 16 == 0 || step > kSteps - 20000)
        ASSERT_TRUE(chase.agrees()) << actions << " actions, step " << step;
      else
        chase.scores.best_row();
    }
  }
}

// The same with a leader that is never in doubt, so that nothing makes the sums fresh on the way,
// and a close race among all at the end.
TEST(ContextScores, HoldsWhenALongCalmEnds) {
  Stream stream({4, 0, Purpose::kTest});
  constexpr std::uint32_t kContexts = 6;
  Matrix marginals(40, kContexts);
  marginals(0, 0) = 1;  // all mass on context 0, which will be far above the others
  for (std::uint32_t a = 1; a < 40; ++a) {
    const auto row = dirichlet(stream, kContexts, 1);
    std::copy(row.begin(), row.end(), marginals.row(a).begin());
  }
  Chase chase(marginals, 0.5);
  chase.set(0, 100);
  for (int step = 0; step < (1 << 20) + 100; ++step) {
    chase.set(1 + uniform_index(stream, kContexts - 1), stream.uniform());
    ASSERT_EQ(chase.scores.best_row(), 0u);
  }
  chase.set(0, 0);
  for (int step = 0; step < 5000; ++step) {
    ASSERT_TRUE(chase.agrees()) << "step " << step;
    chase.set(uniform_index(stream, kContexts), 0.5 + 1e-12 * stream.uniform());
  }
}

// --- Caps

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The naive answer: all rows of the largest min(cap, canonical sum).
std::vector<std::uint32_t> naive_best_rows(const MarginalRows& rows, const std::vector<double>& u,
                                           const std::vector<double>& caps) {
  std::vector<double> capped;
  for (std::uint32_t r = 0; r < rows.rows(); ++r) {
    double sum = 0;
    for (Context z = 0; z < rows.contexts(); ++z) sum += rows.at(r, z) * u[z];
    capped.push_back(std::min(sum, caps[r]));
  }
  const double highest = *std::max_element(capped.begin(), capped.end());
  std::vector<std::uint32_t> best;
  for (std::uint32_t r = 0; r < rows.rows(); ++r)
    if (capped[r] == highest) best.push_back(r);
  return best;
}

struct CappedChase : Chase {
  explicit CappedChase(const Matrix& marginals, double start)
      : Chase(marginals, start), caps(rows.rows(), kInfinity) {}
  void set_cap(std::uint32_t row, double cap) {
    caps[row] = cap;
    scores.set_cap(row, cap);
  }
  bool agrees() {
    const auto best = scores.best_rows();
    return std::vector<std::uint32_t>(best.begin(), best.end()) ==
           naive_best_rows(rows, values, caps);
  }

  std::vector<double> caps;
};

TEST(ContextScores, CapsByHand) {
  CappedChase chase(Matrix::from_rows({{1, 0}, {0, 1}, {0.5, 0.5}}), 1);
  chase.set(1, 2);  // sums 1, 2, 1.5
  chase.set_cap(1, 1.25);
  EXPECT_EQ(chase.scores.best_row(), 2u);
  chase.set_cap(2, 1.25);  // a tie at 1.25
  EXPECT_TRUE(chase.agrees());
  EXPECT_EQ(chase.scores.best_rows().size(), 2u);
  chase.set_cap(1, -kInfinity);
  chase.set_cap(2, -kInfinity);
  EXPECT_EQ(chase.scores.best_row(), 0u);
  chase.set_cap(0, -kInfinity);  // nothing is left: a tie of all
  EXPECT_EQ(chase.scores.best_rows().size(), 3u);
  chase.set_cap(2, 0.25);
  EXPECT_EQ(chase.scores.best_row(), 2u);
  chase.scores.reset(std::vector<double>{3, 2});  // caps are kept
  EXPECT_EQ(chase.scores.best_row(), 2u);
  EXPECT_EQ(chase.scores.cap(2), 0.25);
}

// The rows the bound keeps away may rise by their caps alone.
TEST(ContextScores, AFarRowWinsWhenItsCapIsLifted) {
  Matrix marginals(30, 2);
  for (std::uint32_t a = 0; a < 30; ++a) {
    marginals(a, 0) = a / 32.0;
    marginals(a, 1) = 1 - a / 32.0;
  }
  CappedChase chase(marginals, 0);
  chase.set(0, 1);
  for (std::uint32_t a = 10; a < 30; ++a) chase.set_cap(a, -kInfinity);
  EXPECT_EQ(chase.scores.best_row(), 9u);
  chase.set_cap(29, 0.5);
  EXPECT_EQ(chase.scores.best_row(), 29u);
  chase.set_cap(20, 2);
  EXPECT_EQ(chase.scores.best_row(), 20u);
  chase.set_cap(20, 0.1);
  EXPECT_EQ(chase.scores.best_row(), 29u);
}

// Caps among the sums, equal to each other, equal to a sum, far above, and −∞.
RC_GTEST_PROP(ContextScores, EqualsTheArgmaxOfCappedFreshSums, (std::uint64_t seed)) {
  Stream stream({seed, 2, Purpose::kTest});
  const std::uint32_t actions = 1 + uniform_index(stream, 60);
  const std::uint32_t contexts = 1 + uniform_index(stream, 12);
  CappedChase chase(troublesome_matrix(actions, contexts, stream), 1.5);
  for (int step = 0; step < 400; ++step) {
    if (bernoulli(stream, 0.5)) {
      const Context z = uniform_index(stream, contexts);
      const double size = bernoulli(stream, 0.2) ? 1 : 1e-3;
      chase.set(z, chase.values[z] + size * (stream.uniform() - 0.5));
    } else {
      const std::uint32_t row = uniform_index(stream, chase.rows.rows());
      switch (uniform_index(stream, 5)) {
        case 0:
          chase.set_cap(row, -kInfinity);
          break;
        case 1:
          chase.set_cap(row, kInfinity);
          break;
        case 2:  // someone else's cap
          chase.set_cap(row, chase.caps[uniform_index(stream, chase.rows.rows())]);
          break;
        case 3:  // its own sum
          chase.set_cap(row, chase.rows.sum(row, chase.values));
          break;
        default:
          chase.set_cap(row, 1 + stream.uniform());
      }
    }
    if (bernoulli(stream, 0.7)) RC_ASSERT(chase.agrees());
  }
}

// Quarters everywhere: ties of sums, of caps, and of sums with caps.
RC_GTEST_PROP(ContextScores, EqualsTheCappedArgmaxWhereTiesAreCommon, (std::uint64_t seed)) {
  Stream stream({seed, 3, Purpose::kTest});
  const std::uint32_t contexts = 2 + uniform_index(stream, 6);
  const std::uint32_t actions = 9 + uniform_index(stream, 40);
  Matrix marginals(actions, contexts);
  for (std::uint32_t a = 0; a < actions; ++a)
    for (int quarter = 0; quarter < 4; ++quarter)
      marginals(a, uniform_index(stream, contexts)) += 0.25;
  CappedChase chase(marginals, 0);
  for (int step = 0; step < 400; ++step) {
    if (bernoulli(stream, 0.5))
      chase.set(uniform_index(stream, contexts), uniform_index(stream, 5) / 4.0);
    else
      chase.set_cap(uniform_index(stream, chase.rows.rows()),
                    bernoulli(stream, 0.2) ? -kInfinity : uniform_index(stream, 5) / 4.0);
    RC_ASSERT(chase.agrees());
  }
}

}  // namespace
}  // namespace armature
