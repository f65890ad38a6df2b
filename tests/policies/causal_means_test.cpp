#include "policies/adaptive/causal_means.h"

#include <gtest/gtest.h>

#include "armature/random.h"

namespace armature {
namespace {

std::shared_ptr<const MarginalRows> random_rows(std::uint32_t actions, std::uint32_t contexts,
                                                Stream& stream) {
  Matrix marginals(actions, contexts);
  for (Arm a = 0; a < actions; ++a) {
    const auto row = dirichlet(stream, contexts, 1);
    std::copy(row.begin(), row.end(), marginals.row(a).begin());
  }
  return std::make_shared<const MarginalRows>(marginals);
}

TEST(CausalMeans, SumsAreCanonical) {
  Stream stream({3, 0, Purpose::kTest});
  const auto rows = random_rows(6, 5, stream);
  CausalMeans means(rows);
  for (Context z = 0; z < 5; ++z) means.set(z, stream.uniform());
  for (std::uint32_t row = 0; row < rows->rows(); ++row)
    EXPECT_EQ(means.sum(row), rows->sum(row, means.values()));
}

// Whatever moves, and whenever it is asked: "near" is never said where it is not so, and said where
// it is so by more than rounding.
TEST(CausalMeans, NearMeansNear) {
  Stream stream({3, 1, Purpose::kTest});
  const auto rows = random_rows(9, 7, stream);
  CausalMeans means(rows);
  int near = 0;
  for (int round = 0; round < 100'000; ++round) {
    const Context z = uniform_index(stream, 7);
    const double step = (stream.uniform() - 0.5) * (round % 100 == 0 ? 1 : 1e-3);
    means.set(z, std::clamp(means.values()[z] + step, 0.0, 1.0));
    const std::uint32_t row = uniform_index(stream, rows->rows());
    const double value = means.sum(row) + (stream.uniform() - 0.5) * 0.1;
    const double distance = stream.uniform() * 0.05;
    const double away = std::abs(value - means.sum(row));
    const bool is_near = means.is_near(row, value, distance);
    near += is_near ? 1 : 0;
    ASSERT_TRUE(!is_near || away < distance);
    ASSERT_TRUE(is_near || away > distance - 1e-8);
  }
  EXPECT_GT(near, 20'000);
}

}  // namespace
}  // namespace armature
