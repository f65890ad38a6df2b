#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

#include "base/refusal.h"
#include "families/built.h"
#include "families/family.h"

namespace armature {
namespace {

using test::built;
using test::refusal;

double row_distance(const Matrix& a, const Matrix& b, std::size_t row) {
  double distance = 0;
  for (std::size_t z = 0; z < a.columns(); ++z) distance += std::abs(a(row, z) - b(row, z));
  return distance;
}

bool is_distribution(std::span<const double> row) {
  double sum = 0;
  for (const double p : row) {
    if (!(p >= 0 && p <= 1)) return false;
    sum += p;
  }
  return std::abs(sum - 1) < 1e-12;
}

// What the given marginals promise of an action, believing its own laws.
double apparent_value(const Instance& instance, const Matrix& marginals, Arm a) {
  double value = 0;
  for (Context z = 0; z < instance.contexts(); ++z)
    value += marginals(a, z) * instance.law(a, z).mean();
  return value;
}

// Any ε up to 2(1 − 1/|Z|) fits every row: the smallest entry is at most 1/|Z|.
struct RandomCase {
  Instance instance;
  double epsilon;
};

RandomCase random_case() {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto contexts = *rc::gen::inRange<std::uint32_t>(2, 12);
  const auto concentration = *rc::gen::element<std::string>("0.01", "0.3", "1", "100");
  const double share = *rc::gen::element(1e-9, 0.01, 0.3, 0.9, 1.0);
  const InstanceSource source("semi-benign:actions=4,contexts=" + std::to_string(contexts) +
                                  ",concentration=" + concentration,
                              {}, seed);
  return {*source.instance(0), share * 2 * (1 - 1.0 / contexts)};
}

TEST(RandomPerturbation, EveryRowMovesByEpsilon) {
  EXPECT_TRUE(rc::check("distance is epsilon, rows stay distributions", [] {
    const RandomCase c = random_case();
    Stream stream({1, 2, Purpose::kPerturbation});
    const Matrix moved = random_perturbation(c.instance.marginals(), c.epsilon, stream);
    for (Arm a = 0; a < 4; ++a) {
      RC_ASSERT(is_distribution(moved.row(a)));
      RC_ASSERT(std::abs(row_distance(moved, c.instance.marginals(), a) - c.epsilon) < 1e-12);
    }
  }));
}

TEST(AdversarialPerturbation, EveryRowMovesByEpsilon) {
  EXPECT_TRUE(rc::check("distance is epsilon, rows stay distributions", [] {
    const RandomCase c = random_case();
    const Matrix moved = adversarial_perturbation(c.instance, c.instance.marginals(), c.epsilon);
    for (Arm a = 0; a < 4; ++a) {
      RC_ASSERT(is_distribution(moved.row(a)));
      RC_ASSERT(std::abs(row_distance(moved, c.instance.marginals(), a) - c.epsilon) < 1e-12);
    }
  }));
}

// As long as the wanted context has room for ε/2, the best action looks worse and the others
// better.
TEST(AdversarialPerturbation, Misleads) {
  EXPECT_TRUE(rc::check("apparent values move the wrong way", [] {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const InstanceSource source("semi-benign:actions=4,concentration=20", {}, seed);
    const Instance instance = *source.instance(0);
    const Matrix moved = adversarial_perturbation(instance, instance.marginals(), 0.3);
    for (Arm a = 0; a < 4; ++a) {
      const double change =
          apparent_value(instance, moved, a) - apparent_value(instance, instance.marginals(), a);
      if (a == instance.best_action())
        RC_ASSERT(change < 0);
      else
        RC_ASSERT(change > 0);
    }
  }));
}

TEST(AdversarialPerturbation, ByHand) {
  // Contexts pay 0.75 and 0.25; arm 0 = (0.54, 0.46) is best, arm 1 = (0.5, 0.5). ε = 0.2 moves
  // 0.1.
  const Instance instance = built("pareto-benign:actions=2,gap=0.02");
  const Matrix moved = adversarial_perturbation(instance, instance.marginals(), 0.2);
  EXPECT_NEAR(moved(0, 0), 0.44, 1e-15);
  EXPECT_NEAR(moved(0, 1), 0.56, 1e-15);
  EXPECT_NEAR(moved(1, 0), 0.6, 1e-15);
  EXPECT_NEAR(moved(1, 1), 0.4, 1e-15);
}

TEST(RandomPerturbation, DependsOnTheStreamAlone) {
  const Matrix marginals = built("random-benign").marginals();
  Stream first({1, 0, Purpose::kPerturbation});
  Stream again({1, 0, Purpose::kPerturbation});
  Stream other({1, 1, Purpose::kPerturbation});
  const Matrix moved = random_perturbation(marginals, 0.1, first);
  EXPECT_EQ(random_perturbation(marginals, 0.1, again), moved);
  EXPECT_FALSE(random_perturbation(marginals, 0.1, other) == moved);
}

TEST(Perturbation, EpsilonTooLarge) {
  // The smallest entry of arm 0's row (0.54, 0.46) is 0.46: no row is farther than 2·0.54 = 1.08.
  const std::string message =
      "epsilon: got 1.5, expected at most 1.08, the farthest that marginals can be from those of "
      "action 0";
  EXPECT_EQ(refusal([] { built("pareto-benign:epsilon=1.5"); }), message);
  EXPECT_EQ(refusal([] { built("pareto-benign:epsilon=1.5,perturbation=adversarial"); }), message);
  EXPECT_EQ(refusal([] { built("pareto-benign:epsilon=2"); }),
            "family pareto-benign: epsilon: got 2, expected a number in [0,2)");
}

// The farthest possible: all mass of arm 1's row (½, ½) on one context is at distance 1.
TEST(Perturbation, AsFarAsPossible) {
  for (const char* kind : {"random", "adversarial"}) {
    const Instance instance =
        built(std::string("pareto-benign:gap=0,epsilon=1,perturbation=") + kind);
    const Matrix& told = *instance.problem({}).marginals;
    for (Arm a = 0; a < instance.actions(); ++a) {
      EXPECT_NEAR(std::max(told(a, 0), told(a, 1)), 1, 1e-12);
      EXPECT_TRUE(is_distribution(told.row(a)));
    }
  }
}

TEST(Perturbation, PoliciesAreToldHowFar) {
  for (const char* kind : {"random", "adversarial"}) {
    const Instance instance =
        built(std::string("random-benign:contexts=10,epsilon=0.05,perturbation=") + kind);
    const Problem told = instance.problem({});
    EXPECT_NEAR(*told.epsilon, 0.05, 1e-12);
    EXPECT_EQ(*told.epsilon, instance.distance_to(*told.marginals));
  }
}

// agnostic tells the base member's marginals; ε moves those, and the distance is still to the
// truth.
TEST(Perturbation, MovesWhatWouldHaveBeenTold) {
  const Instance instance =
      built("agnostic:actions=3,gap=0.05,epsilon=0.1,perturbation=adversarial");
  const Problem told = instance.problem({});
  const Matrix base = built("agnostic:actions=3,gap=0.05,arm=none").marginals();
  for (Arm a = 0; a < 3; ++a) EXPECT_NEAR(row_distance(*told.marginals, base, a), 0.1, 1e-12);
  // Arm 2 is best: truth 0.7, told 0.5 − 0.05: twice 0.25.
  EXPECT_NEAR(*told.epsilon, 0.5, 1e-12);
}

TEST(Perturbation, OneContextCannotBeMoved) {
  EXPECT_NE(refusal([] { built("hidden-arm:contexts=1,epsilon=0.1"); }), "(accepted)");
}

TEST(Perturbation, TheTruthStays) {
  EXPECT_EQ(built("random-benign:epsilon=0.3").marginals(), built("random-benign").marginals());
}

}  // namespace
}  // namespace armature
