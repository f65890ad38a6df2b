#include <gtest/gtest.h>

#include <cmath>

#include "armature/model.h"
#include "base/refusal.h"

namespace armature {
namespace {

using test::refusal;

Instance confounded(const std::vector<std::vector<double>>& marginals,
                    const std::vector<RewardLaw>& law_of_cell) {
  return Instance(Instance::general("test", Matrix::from_rows(marginals), law_of_cell));
}

// Three actions on two contexts that pay 0.75 and 0.25.
Instance benign() {
  return Instance(Instance::benign("test", Matrix::from_rows({{0.5, 0.5}, {1, 0}, {0.75, 0.25}}),
                                   {RewardLaw::bernoulli(0.75), RewardLaw::bernoulli(0.25)}));
}

TEST(Instance, MeansAndGaps) {
  const Instance instance = benign();
  EXPECT_EQ(instance.name(), "test");
  EXPECT_EQ(instance.actions(), 3u);
  EXPECT_EQ(instance.contexts(), 2u);
  EXPECT_EQ(instance.mean(0), 0.5);    // 0.5·0.75 + 0.5·0.25
  EXPECT_EQ(instance.mean(1), 0.75);   // 1·0.75
  EXPECT_EQ(instance.mean(2), 0.625);  // 0.75·0.75 + 0.25·0.25
  EXPECT_EQ(instance.best_action(), 1u);
  EXPECT_EQ(instance.gap(0), 0.25);
  EXPECT_EQ(instance.gap(1), 0);
  EXPECT_EQ(instance.gap(2), 0.125);
  EXPECT_EQ(instance.smallest_gap(), 0.125);
}

TEST(Instance, MeansUseTheActionsOwnLaws) {
  const Instance instance =
      confounded({{0.5, 0.5}, {0.5, 0.5}}, {RewardLaw::point(0.25), RewardLaw::bernoulli(0.75),
                                            RewardLaw::beta(1, 3), RewardLaw::point(1)});
  EXPECT_EQ(instance.mean(0), 0.5);    // (0.25 + 0.75)/2
  EXPECT_EQ(instance.mean(1), 0.625);  // (0.25 + 1)/2
  EXPECT_EQ(instance.law(1, 0), RewardLaw::beta(1, 3));
}

TEST(Instance, TiesGoToTheLowestAction) {
  const Instance instance(Instance::benign("ties", Matrix::from_rows({{1, 0}, {0, 1}, {0, 1}}),
                                           {RewardLaw::point(0.25), RewardLaw::point(0.5)}));
  EXPECT_EQ(instance.best_action(), 1u);
  EXPECT_EQ(instance.gap(2), 0);
  EXPECT_EQ(instance.smallest_gap(), 0.25);
}

TEST(Instance, NoSmallestGapWhenAllAreEqual) {
  const Instance instance(Instance::benign("flat", Matrix::from_rows({{1, 0}, {0, 1}}),
                                           {RewardLaw::point(0.5), RewardLaw::bernoulli(0.5)}));
  EXPECT_EQ(instance.best_action(), 0u);
  EXPECT_EQ(instance.smallest_gap(), std::nullopt);
}

// 0.1 + 0.2 is not 0.3 in doubles; such a gap is not one.
TEST(Instance, RoundingIsNoGap) {
  const Instance instance(
      Instance::benign("rounded", Matrix::from_rows({{0.1, 0.2, 0.7}, {0.3, 0, 0.7}}),
                       {RewardLaw::point(1), RewardLaw::point(1), RewardLaw::point(0)}));
  EXPECT_NE(instance.mean(0), instance.mean(1));
  EXPECT_EQ(instance.smallest_gap(), std::nullopt);
}

TEST(Instance, EqualLawsAreStoredOnce) {
  const Instance instance =
      confounded({{0.5, 0.5}, {0.5, 0.5}}, {RewardLaw::bernoulli(0.5), RewardLaw::point(1),
                                            RewardLaw::point(1), RewardLaw::bernoulli(0.5)});
  EXPECT_EQ(instance.parts().laws.size(), 2u);
  EXPECT_EQ(instance.parts().law_of, (std::vector<std::uint32_t>{0, 1, 1, 0}));
}

TEST(Instance, NamesAreNumberedUnlessGiven) {
  EXPECT_EQ(benign().parts().action_names, (std::vector<std::string>{"a0", "a1", "a2"}));
  EXPECT_EQ(benign().parts().context_names, (std::vector<std::string>{"z0", "z1"}));
  Instance::Parts parts = benign().parts();
  parts.action_names = {"stop", "go", "wait"};
  EXPECT_EQ(Instance(parts).problem({}).action_names,
            (std::vector<std::string>{"stop", "go", "wait"}));
}

// ---- Benign or not -----------------------------------------------------------------------------

TEST(BenignVerdict, OneLawPerContextIsBenign) { EXPECT_TRUE(benign().benign_verdict().benign()); }

TEST(BenignVerdict, NamesAWitness) {
  // Actions 1 and 2 differ in context 1; action 0 never gets there.
  const Instance instance = confounded(
      {{1, 0}, {0.5, 0.5}, {0.5, 0.5}},
      {RewardLaw::bernoulli(0.5), RewardLaw::bernoulli(0.9), RewardLaw::bernoulli(0.5),
       RewardLaw::bernoulli(0.25), RewardLaw::bernoulli(0.5), RewardLaw::bernoulli(0.75)});
  const BenignVerdict verdict = instance.benign_verdict();
  ASSERT_FALSE(verdict.benign());
  EXPECT_EQ(verdict.witness->context, 1u);
  EXPECT_EQ(verdict.witness->action, 1u);
  EXPECT_EQ(verdict.witness->other, 2u);
}

TEST(BenignVerdict, EqualMeansWithOtherLawsAreNotBenign) {
  const Instance instance =
      confounded({{1}, {1}}, {RewardLaw::bernoulli(0.5), RewardLaw::point(0.5)});
  EXPECT_FALSE(instance.benign_verdict().benign());
  EXPECT_EQ(instance.smallest_gap(), std::nullopt);  // the means are equal all the same
}

TEST(BenignVerdict, CertainSuccessIsThePointMassAtOne) {
  EXPECT_TRUE(confounded({{1}, {1}}, {RewardLaw::bernoulli(1), RewardLaw::point(1)})
                  .benign_verdict()
                  .benign());
}

TEST(BenignVerdict, CellsThatNobodyReachesDoNotCount) {
  const Instance instance =
      confounded({{1, 0}, {0.5, 0.5}}, {RewardLaw::bernoulli(0.5), RewardLaw::bernoulli(0.9),
                                        RewardLaw::bernoulli(0.5), RewardLaw::bernoulli(0.1)});
  EXPECT_TRUE(instance.benign_verdict().benign());
}

TEST(BenignVerdict, TheSmallestProbabilityCounts) {
  const Instance instance =
      confounded({{1, 1e-300}, {0.5, 0.5}}, {RewardLaw::bernoulli(0.5), RewardLaw::bernoulli(0.9),
                                             RewardLaw::bernoulli(0.5), RewardLaw::bernoulli(0.1)});
  EXPECT_FALSE(instance.benign_verdict().benign());
}

// ---- What a policy is told ---------------------------------------------------------------------

TEST(Problem, ExactMarginalsUnlessGiven) {
  const Instance instance = benign();
  const Problem problem = instance.problem(Round{100});
  EXPECT_EQ(problem.horizon, Round{100});
  EXPECT_EQ(*problem.marginals, instance.marginals());
  EXPECT_EQ(problem.epsilon, 0);
  EXPECT_EQ(instance.problem(std::nullopt).horizon, std::nullopt);
}

TEST(Problem, TheGivenBlockWins) {
  Instance::Parts parts = benign().parts();
  Problem given;
  given.action_names = numbered_names('a', 3);
  given.context_names = numbered_names('z', 2);
  given.horizon = 77;
  parts.given = given;
  const Instance instance(parts);
  EXPECT_EQ(instance.problem(std::nullopt).marginals, nullptr);
  EXPECT_EQ(instance.problem(std::nullopt).epsilon, std::nullopt);
  EXPECT_EQ(instance.problem(std::nullopt).horizon, Round{77});
  EXPECT_EQ(instance.problem(Round{5}).horizon, Round{5});  // the run knows better
}

TEST(Instance, DistanceIsTheLargestRowsL1) {
  const Instance instance = benign();
  EXPECT_EQ(instance.distance_to(instance.marginals()), 0);
  // Rows differ by 0, |0.75−1| + |0.25−0| = 0.5 and |0.5−0.75| + |0.5−0.25| = 0.5… and 2·0.125.
  EXPECT_EQ(instance.distance_to(Matrix::from_rows({{0.5, 0.5}, {0.75, 0.25}, {0.875, 0.125}})),
            0.5);
  EXPECT_EQ(instance.distance_to(Matrix::from_rows({{0.5, 0.5}, {0, 1}, {0.75, 0.25}})), 2);
}

Problem small_problem() {
  Problem problem;
  problem.action_names = {"a0", "a1"};
  problem.context_names = {"z0"};
  problem.marginals = std::make_shared<const Matrix>(Matrix::from_rows({{1}, {1}}));
  problem.epsilon = 0;
  problem.horizon = 10;
  return problem;
}

TEST(Problem, Refusals) {
  const auto told = [](const auto& change) {
    Problem problem = small_problem();
    change(problem);
    return refusal([&] { problem.validate(); });
  };
  EXPECT_EQ(told([](Problem&) {}), "(accepted)");
  EXPECT_EQ(told([](Problem& p) { p.action_names.clear(); }),
            "actions: got 0, expected at least 1");
  EXPECT_EQ(told([](Problem& p) { p.context_names.clear(); }),
            "contexts: got 0, expected at least 1");
  EXPECT_EQ(told([](Problem& p) {
              p.action_names = {"x", "x"};
            }),
            "actions: got 'x' twice, expected names that differ");
  EXPECT_EQ(told([](Problem& p) { p.horizon = 0; }), "horizon: got 0, expected at least 1");
  EXPECT_EQ(told([](Problem& p) { p.epsilon = 2.5; }),
            "epsilon: got 2.5, expected a number in [0,2]");
  EXPECT_EQ(told([](Problem& p) { p.epsilon = std::nan(""); }),
            "epsilon: got nan, expected a number in [0,2]");
  EXPECT_EQ(told([](Problem& p) {
              p.action_names = {"a", "b", "c"};
            }),
            "marginals: got 2×1 numbers, expected 3 actions × 1 contexts");
  EXPECT_EQ(told([](Problem& p) {
              p.marginals = std::make_shared<const Matrix>(Matrix::from_rows({{1}, {0.5}}));
            }),
            "marginals[1]: got a row that sums to 0.5, expected a sum of 1 within 1e-9");
}

TEST(Problem, FingerprintsTellProblemsApart) {
  const auto fingerprint = [](const auto& change) {
    Problem problem = small_problem();
    change(problem);
    return problem.fingerprint();
  };
  const std::uint64_t plain = small_problem().fingerprint();
  EXPECT_EQ(fingerprint([](Problem&) {}), plain);
  EXPECT_NE(fingerprint([](Problem& p) { p.horizon = 11; }), plain);
  EXPECT_NE(fingerprint([](Problem& p) { p.horizon.reset(); }), plain);
  EXPECT_NE(fingerprint([](Problem& p) { p.marginals = nullptr; }), plain);
  EXPECT_NE(fingerprint([](Problem& p) { p.action_names.push_back("c"); }), plain);
  EXPECT_NE(fingerprint([](Problem& p) { p.action_names[0] += "x"; }), plain);
  EXPECT_NE(fingerprint([](Problem& p) { p.context_names[0] += "x"; }), plain);
  EXPECT_NE(fingerprint([](Problem& p) { std::swap(p.action_names[0], p.action_names[1]); }),
            plain);
  EXPECT_NE(fingerprint([](Problem& p) { p.epsilon = 0.5; }), plain);
  EXPECT_NE(fingerprint([](Problem& p) { p.epsilon.reset(); }), plain);
  EXPECT_NE(fingerprint([](Problem& p) {
              p.marginals = std::make_shared<const Matrix>(Matrix::from_rows({{1}, {1 - 1e-12}}));
            }),
            plain);
}

// ---- Refusals ----------------------------------------------------------------------------------

std::string told(const Instance::Parts& parts) {
  return refusal([&] { Instance{parts}; });
}

std::string told_with_marginals(const std::vector<std::vector<double>>& rows) {
  return told(Instance::benign("test", Matrix::from_rows(rows),
                               std::vector<RewardLaw>(rows[0].size(), RewardLaw::point(0))));
}

TEST(Instance, RefusesBadMarginals) {
  EXPECT_EQ(told_with_marginals({{0.5, 0.5}, {0.5, 0.25}}),
            "marginals[1]: got a row that sums to 0.75, expected a sum of 1 within 1e-9");
  EXPECT_EQ(told_with_marginals({{1.5, -0.5}}),
            "marginals[0][0]: got 1.5, expected a probability in [0,1]");
  EXPECT_EQ(told_with_marginals({{-0.5, 1}}),
            "marginals[0][0]: got -0.5, expected a probability in [0,1]");
  EXPECT_EQ(told_with_marginals({{1, std::nan("")}}),
            "marginals[0][1]: got nan, expected a probability in [0,1]");
  EXPECT_EQ(told_with_marginals({{0.5, 0.5 + 9e-10}}), "(accepted)");
  EXPECT_NE(told_with_marginals({{0.5, 0.5 + 2e-9}}), "(accepted)");
}

TEST(Instance, RefusesEmptyOnes) {
  EXPECT_EQ(told({}), "actions: got 0, expected at least 1");
  EXPECT_EQ(told(Instance::benign("test", Matrix(0, 3), {})),
            "actions: got 0, expected at least 1");
}

TEST(Instance, RefusesWrongSizes) {
  Instance::Parts parts = benign().parts();
  parts.law_of.pop_back();
  EXPECT_EQ(told(parts), "rewards: got 5 cells, expected 3 actions × 2 contexts");
}

// Names are the instance's own affair, whether or not policies are told something else.
TEST(Instance, RefusesBadNames) {
  Instance::Parts twice = benign().parts();
  twice.action_names = {"x", "y", "x"};
  EXPECT_EQ(told(twice), "actions: got 'x' twice, expected names that differ");
  Instance::Parts few = benign().parts();
  few.context_names = {"only"};
  EXPECT_EQ(told(few), "contexts: got 1 names, expected 2");
  for (Instance::Parts* parts : {&twice, &few}) {
    parts->given = benign().problem({});
    EXPECT_NE(told(*parts), "(accepted)");
  }
}

TEST(Instance, RefusesAGivenBlockOfAnotherSize) {
  Instance::Parts parts = benign().parts();
  parts.given = small_problem();
  EXPECT_EQ(told(parts), "given: got 2 actions × 1 contexts, expected the instance's 3 × 2");
}

TEST(Instance, RefusesACellWithoutALaw) {
  EXPECT_EQ(told(Instance::benign("test", Matrix::from_rows({{0.5, 0.5}}), {RewardLaw::point(0)})),
            "rewards: got law 1 of 1, expected a law for every cell");
}

TEST(Instance, WhatItDoesNotHaveAborts) {
  const Instance instance = benign();  // 3 actions, 2 contexts
  EXPECT_DEATH(static_cast<void>(instance.mean(3)), "an action of the instance");
  EXPECT_DEATH(static_cast<void>(instance.gap(3)), "an action of the instance");
  EXPECT_DEATH(static_cast<void>(instance.law(3, 0)), "a cell of the instance");
  EXPECT_DEATH(static_cast<void>(instance.law(0, 2)), "a cell of the instance");
  EXPECT_DEATH(static_cast<void>(instance.distance_to(Matrix(2, 2))), "as many as the true ones");
}

}  // namespace
}  // namespace armature
