#include "policies/tools/marginal_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "policies/small_problems.h"

namespace armature {
namespace {

TEST(MarginalRows, KeepsIdenticalRowsOnceUnderTheirLowestAction) {
  const MarginalRows rows(
      Matrix::from_rows({{0.5, 0.5}, {0.25, 0.75}, {0.5, 0.5}, {1, 0}, {0.25, 0.75}}));
  ASSERT_EQ(rows.rows(), 3u);
  EXPECT_EQ(rows.actions(), 5u);
  EXPECT_EQ(rows.contexts(), 2u);
  EXPECT_EQ(rows.action(0), 0u);
  EXPECT_EQ(rows.action(1), 1u);
  EXPECT_EQ(rows.action(2), 3u);
  const std::uint32_t row_of[] = {0, 1, 0, 2, 1};
  for (Arm a = 0; a < 5; ++a) EXPECT_EQ(rows.row(a), row_of[a]) << a;
}

TEST(MarginalRows, RowsThatDifferInTheLastBitStayApart) {
  const double half = 0.5;
  const double nearly_half = std::nextafter(0.5, 1.0);
  const MarginalRows rows(Matrix::from_rows({{half, half}, {nearly_half, half}}));
  EXPECT_EQ(rows.rows(), 2u);
}

TEST(MarginalRows, SumsByHand) {
  const MarginalRows rows(Matrix::from_rows({{0.5, 0.25, 0.25}, {0, 1, 0}}));
  const std::vector<double> u{2, 4, 8};
  // 0.5·2 + 0.25·4 + 0.25·8 = 1 + 1 + 2 = 4
  EXPECT_EQ(rows.sum(0, u), 4);
  EXPECT_EQ(rows.sum(1, u), 4);
  std::vector<double> sums(2);
  rows.sums(u, sums);
  EXPECT_EQ(sums, (std::vector<double>{4, 4}));
  rows.add_column(2, 4, sums);  // 0.25·4 and 0·4
  EXPECT_EQ(sums, (std::vector<double>{5, 4}));
}

TEST(MarginalRows, ColumnBounds) {
  const MarginalRows rows(Matrix::from_rows({{0.5, 0.25, 0.25}, {0, 1, 0}}));
  EXPECT_EQ(rows.column_high(0), 0.5);
  EXPECT_EQ(rows.column_low(0), 0);
  EXPECT_EQ(rows.column_high(1), 1);
  EXPECT_EQ(rows.column_low(1), 0.25);
}

TEST(MarginalRows, FirstLargestIsTheLowestOfEquals) {
  EXPECT_EQ(first_largest(std::vector<double>{1, 3, 2, 3}), 1u);
  EXPECT_EQ(first_largest(std::vector<double>{-1}), 0u);
}

// The vectorised sums promise the bits of the plain loop: here written out once more, over sizes on
// both sides of a vector, of a block of 512 rows, and of several blocks.
TEST(MarginalRows, ManyRowsAtATimeHaveTheBitsOfOneAtATime) {
  Stream stream({1, 0, Purpose::kTest});
  for (const std::uint32_t count : {1u, 3u, 8u, 17u, 511u, 512u, 513u, 1500u})
    for (const std::uint32_t contexts : {1u, 2u, 5u, 33u}) {
      Matrix marginals(count, contexts);
      for (std::uint32_t a = 0; a < count; ++a) {
        const auto row = dirichlet(stream, contexts, 1);
        std::copy(row.begin(), row.end(), marginals.row(a).begin());
      }
      std::vector<double> u(contexts);
      for (double& value : u) value = 3 * stream.uniform() - 1;
      const MarginalRows rows(marginals);
      std::vector<double> sums(rows.rows());
      rows.sums(u, sums);
      for (std::uint32_t r = 0; r < rows.rows(); ++r) {
        double canonical = 0;
        for (Context z = 0; z < contexts; ++z) {
          const volatile double product = marginals(rows.action(r), z) * u[z];
          canonical += product;
        }
        ASSERT_EQ(sums[r], canonical) << count << " rows, " << contexts << " contexts, row " << r;
        ASSERT_EQ(rows.sum(r, u), canonical);
      }
    }
}

}  // namespace
}  // namespace armature
