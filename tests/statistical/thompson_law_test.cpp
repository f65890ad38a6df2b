// How often ts and c-ts choose each action, against probabilities by numerical integration.
#include <cmath>
#include <numeric>

#include "armature/policy.h"
#include "base/beta.h"
#include "statistical/release_only.h"
#include "support/statistics.h"

namespace armature {
namespace {

class ThompsonLaw : public test::ReleaseOnly {};

struct Counts {
  std::uint64_t successes;
  std::uint64_t failures;
  double alpha() const { return 1 + static_cast<double>(successes); }
  double beta() const { return 1 + static_cast<double>(failures); }
};

Problem problem_of(const Matrix& marginals) {
  Problem problem;
  problem.action_names = numbered_names('a', marginals.rows());
  problem.context_names = numbered_names('z', marginals.columns());
  problem.marginals = std::make_shared<const Matrix>(marginals);
  return problem;
}

// Choices from posteriors that stay as they are: nothing is observed.
std::vector<std::uint64_t> choices(const std::string& text, const Problem& problem,
                                   const std::vector<Counts>& known, int rounds) {
  const auto policy = make_policy(text, problem);
  Stream stream({12, static_cast<std::uint32_t>(known.size()), Purpose::kPolicy});
  for (std::uint32_t i = 0; i < known.size(); ++i) {
    const auto& [successes, failures] = known[i];
    const Arm arm = text == "ts" ? i : 0;
    const Context context = text == "ts" ? 0 : i;
    policy->witness({arm, context, successes + failures, static_cast<double>(successes)}, stream);
  }
  std::vector<std::uint64_t> counts(problem.actions());
  for (int t = 0; t < rounds; ++t) {
    const Decision decision = policy->choose(stream);
    ++counts[decision.arm];
    policy->forget(decision);
  }
  return counts;
}

// P(a has the largest draw) = ∫ Π_{b≠a} P(X_b ≤ x) dP(X_a ≤ x), as a sum over fine cells: the
// product is taken in their middles. Cells are a twentieth of the least deviation or finer: right
// to 1e-4 of each, and the errors of chance below are ten times that.
std::vector<double> largest_draws(const std::vector<Counts>& known) {
  constexpr int kCells = 20'000;
  double low = 1, high = 0;
  for (const Counts& one : known) {
    low = std::min(low, beta_upper_quantile(one.alpha(), one.beta(), 1 - 1e-9));
    high = std::max(high, beta_upper_quantile(one.alpha(), one.beta(), 1e-9));
  }
  const auto tails = [&](double x) {
    std::vector<double> values;
    for (const Counts& one : known) values.push_back(beta_tail(one.alpha(), one.beta(), x));
    return values;
  };
  std::vector<double> probabilities(known.size());
  std::vector<double> before(known.size(), 1);
  for (int cell = 1; cell <= kCells; ++cell) {
    const std::vector<double> middle = tails(low + (high - low) * (cell - 0.5) / kCells);
    const std::vector<double> after =
        tails(cell == kCells ? 1 : low + (high - low) * cell / kCells);
    for (std::size_t a = 0; a < known.size(); ++a) {
      double probability = before[a] - after[a];
      for (std::size_t b = 0; b < known.size(); ++b)
        if (b != a) probability *= 1 - middle[b];
      probabilities[a] += probability;
    }
    before = after;
  }
  return probabilities;
}

TEST_F(ThompsonLaw, ActionsAreChosenAsOftenAsTheirDrawIsLargest) {
  const std::vector<std::vector<Counts>> cases{
      {{0, 0}, {0, 0}, {0, 0}},
      {{0, 0}, {1, 0}, {0, 1}, {3, 2}},
      {{3, 17}, {5, 15}, {30, 100}, {0, 4}, {200, 700}},
      {{40'000, 60'000}, {401, 599}, {39'900, 60'100}, {3, 6}},
      {{9'000, 1'000}, {890, 110}, {92, 8}, {10, 0}, {0, 0}}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Matrix marginals =
        Matrix::from_rows(std::vector<std::vector<double>>(cases[i].size(), {1}));
    const std::vector<double> expected = largest_draws(cases[i]);
    EXPECT_NEAR(std::accumulate(expected.begin(), expected.end(), 0.0), 1, 1e-4);
    const auto counts = choices("ts", problem_of(marginals), cases[i], 400'000);
    EXPECT_LT(test::chi_square(counts, expected),
              test::chi_square_bound(static_cast<double>(counts.size() - 1)))
        << "case " << i;
  }
}

// Rows (1,0), (1/2,1/2) and (0,1) order the three sums by which context has the larger draw: the
// first or the last. A row that keeps to the middle is never the largest but for a tie.
TEST_F(ThompsonLaw, RowsAreChosenAsOftenAsTheirContextsDrawIsLargest) {
  const Matrix marginals = Matrix::from_rows({{1, 0}, {0.5, 0.5}, {0, 1}});
  for (const std::vector<Counts>& known :
       {std::vector<Counts>{{0, 0}, {0, 1}}, std::vector<Counts>{{20, 30}, {200, 310}},
        std::vector<Counts>{{5'000, 5'000}, {60, 58}}}) {
    const std::vector<double> expected = largest_draws(known);
    const auto counts = choices("c-ts", problem_of(marginals), known, 400'000);
    EXPECT_EQ(counts[1], 0u);
    EXPECT_LT(test::chi_square({counts[0], counts[2]}, expected), test::chi_square_bound(1));
  }
}

}  // namespace
}  // namespace armature
