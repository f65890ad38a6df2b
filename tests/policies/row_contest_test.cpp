#include "policies/tools/row_contest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "armature/random.h"

namespace armature {
namespace {

std::uint32_t winner_of_all(const MarginalRows& rows, const std::vector<double>& u) {
  std::vector<double> sums(rows.rows());
  rows.sums(u, sums);
  return first_largest(sums);
}

MarginalRows random_rows(Stream& stream, std::uint32_t count, std::uint32_t contexts,
                         double concentration) {
  Matrix marginals(count, contexts);
  for (std::uint32_t row = 0; row < count; ++row) {
    const auto values = dirichlet(stream, contexts, concentration);
    std::copy(values.begin(), values.end(), marginals.row(row).begin());
  }
  return MarginalRows(marginals);
}

TEST(RowContest, FindsTheLargestSumFromAnyCentre) {
  Stream stream({1, 0, Purpose::kTest});
  for (const std::uint32_t count : {1, 2, 31, 32, 33, 64, 100, 700})
    for (const std::uint32_t contexts : {1, 2, 5, 30})
      for (const double concentration : {0.05, 1.0}) {
        const MarginalRows rows = random_rows(stream, count, contexts, concentration);
        RowContest contest(rows);
        EXPECT_EQ(contest.wants_centre(), rows.rows() > RowContest::kTile);
        std::vector<double> centre(contexts), scale(contexts), u(contexts);
        for (int trial = 0; trial < 40; ++trial) {
          // The first trials have no centre yet; later ones come from ever closer to it.
          if (trial >= 4 && trial % 4 == 0) {
            for (Context z = 0; z < contexts; ++z) {
              centre[z] = stream.uniform();
              scale[z] = 0.5 * stream.open_uniform();
            }
            contest.set_centre(rows, centre, scale);
          }
          const double narrow = std::pow(0.1, trial % 10);
          for (Context z = 0; z < contexts; ++z)
            u[z] = std::clamp(centre[z] + narrow * scale[z] * normal(stream), 0.0, 1.0);
          EXPECT_EQ(contest.winner(u), winner_of_all(rows, u)) << count << " × " << contexts;
        }
      }
}

TEST(RowContest, TiesGoToTheLowestRow) {
  // Quarters: many sums are equal, exactly.
  Stream stream({2, 0, Purpose::kTest});
  Matrix marginals(200, 6);
  for (std::uint32_t row = 0; row < 200; ++row)
    for (int quarter = 0; quarter < 4; ++quarter)
      marginals.row(row)[uniform_index(stream, 6)] += 0.25;
  const MarginalRows rows(marginals);
  RowContest contest(rows);
  std::vector<double> centre(6), scale(6, 0.1), u(6);
  for (int trial = 0; trial < 400; ++trial) {
    for (double& value : u) value = uniform_index(stream, 3) * 0.25;
    if (trial % 20 == 19) {
      for (double& value : centre) value = uniform_index(stream, 3) * 0.25;
      contest.set_centre(rows, centre, scale);
    }
    EXPECT_EQ(contest.winner(u), winner_of_all(rows, u));
    EXPECT_EQ(contest.winner(centre), winner_of_all(rows, centre));
  }
}

TEST(RowContest, SumsThatDifferInTheLastBitAreTold) {
  Matrix marginals(40, 2);
  for (std::uint32_t row = 0; row < 40; ++row) {
    marginals.row(row)[0] = 0.5 + row * 0x1p-53;
    marginals.row(row)[1] = 0.5 - row * 0x1p-54;
  }
  const MarginalRows rows(marginals);
  RowContest contest(rows);
  const std::vector<double> scale{1e-9, 1e-9};
  for (const double at : {0.25, 0.3, 0.75}) {
    const std::vector<double> centre{at, at};
    contest.set_centre(rows, centre, scale);
    for (const double step : {0.0, 1e-16, -1e-16, 1e-12, -1e-12, 1e-3}) {
      const std::vector<double> u{at + step, at};
      EXPECT_EQ(contest.winner(u), winner_of_all(rows, u));
    }
  }
}

}  // namespace
}  // namespace armature
