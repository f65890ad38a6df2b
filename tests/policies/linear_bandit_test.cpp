// The incremental regression against one made afresh in long double.
#include "policies/linear/linear_bandit.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <deque>

#include "armature/families.h"
#include "armature/simulate.h"
#include "linear/rank.h"
#include "policies/small_problems.h"

namespace armature {
namespace {

using test::Hand;
using test::problem_of;

using Precise = long double;
using PreciseMatrix = Eigen::Matrix<Precise, Eigen::Dynamic, Eigen::Dynamic>;
using PreciseVector = Eigen::Matrix<Precise, Eigen::Dynamic, 1>;

// V = I + Σ n·ννᵀ and b = Σ sum·ν, from what was played.
struct Fresh {
  Fresh(const Matrix& marginals, const std::vector<double>& plays, const std::vector<double>& sums)
      : moments(PreciseMatrix::Identity(Eigen::Index(marginals.columns()),
                                        Eigen::Index(marginals.columns()))),
        features(Eigen::Index(marginals.columns()), Eigen::Index(marginals.rows())) {
    PreciseVector b = PreciseVector::Zero(features.rows());
    for (std::size_t a = 0; a < marginals.rows(); ++a) {
      const auto row = marginals.row(a);
      for (std::size_t z = 0; z < row.size(); ++z)
        features(Eigen::Index(z), Eigen::Index(a)) = row[z];
      const PreciseVector x = features.col(Eigen::Index(a));
      moments += plays[a] * x * x.transpose();
      b += sums[a] * x;
    }
    factorised.compute(moments);
    estimate = factorised.solve(b);
  }
  double leverage(std::size_t a) const {
    const PreciseVector x = features.col(Eigen::Index(a));
    return static_cast<double>(x.dot(factorised.solve(x)));
  }
  double prediction(std::size_t a) const {
    return static_cast<double>(features.col(Eigen::Index(a)).dot(estimate));
  }

  PreciseMatrix moments;
  PreciseMatrix features;
  Eigen::LLT<PreciseMatrix> factorised;
  PreciseVector estimate;
};

// One row per context and action kinds that hurt: near copies of each other (10^-9 apart), a row
// that is hardly ever played, point masses.
Matrix ill_conditioned(std::uint32_t actions, std::uint32_t contexts) {
  Stream stream({5, 0, Purpose::kTest});
  Matrix marginals(actions, contexts);
  const auto model = dirichlet(stream, contexts, 1);
  for (std::uint32_t a = 0; a < actions; ++a) {
    auto row = marginals.row(a);
    if (a % 4 == 3) {
      row[a % contexts] = 1;
      continue;
    }
    std::copy(model.begin(), model.end(), row.begin());
    const double moved = 1e-9 * stream.uniform() * row[0];
    row[0] -= moved;
    row[1 + a % (contexts - 1)] += moved;
  }
  return marginals;
}

// After 10^6 updates V has eigenvalues from 1 to 10^6 (a direction of near copies only stays at 1):
// solving in doubles loses a factor 10^6·2^-53·|Z| = 10^-9 of the leverage in directions that
// matter, and rounding must not have piled up beyond that.
void expect_exact_after_a_million(const Matrix& marginals) {
  RidgeRegression regression(marginals);
  Stream stream({6, 0, Purpose::kTest});
  const auto actions = static_cast<std::uint32_t>(marginals.rows());
  std::vector<double> plays(actions), sums(actions);
  for (int step = 0; step < 1'000'000; ++step) {
    // Mostly the near copies, the last action in one round of a thousand.
    Arm arm = uniform_index(stream, actions - 1);
    if (step % 1000 == 0) arm = actions - 1;
    const double reward = uniform_index(stream, 5) / 4.0;
    plays[arm] += 1;
    sums[arm] += reward;
    regression.add(arm, reward);
    regression.update();
  }
  const Fresh fresh(marginals, plays, sums);
  for (Arm a = 0; a < actions; ++a) {
    const std::uint32_t row = regression.rows().row(a);
    const double leverage = fresh.leverage(a);
    EXPECT_NEAR(regression.leverage(row), leverage, 1e-9 * leverage) << a;
    EXPECT_NEAR(regression.prediction(row), fresh.prediction(a), 1e-8) << a;
  }
  // Noise Ne of unit vectors e, NNᵀ = V^{-1}: ‖Ne‖² summed is the trace of V^{-1}.
  double trace = 0;
  const auto contexts = static_cast<Eigen::Index>(marginals.columns());
  for (std::size_t z = 0; z < marginals.columns(); ++z) {
    LaneVector unit(lane_blocks(marginals.columns())), noise(unit);
    values_of(unit)[z] = 1;
    regression.correlate(unit, noise);
    for (std::size_t k = 0; k < marginals.columns(); ++k)
      trace += values_of(noise)[k] * values_of(noise)[k];
  }
  const auto expected = static_cast<double>(
      fresh.factorised.solve(PreciseMatrix::Identity(contexts, contexts)).trace());
  EXPECT_NEAR(trace, expected, 1e-9 * expected);
}

TEST(RidgeRegression, HoldsAfterAMillionUpdates) {
  Stream stream({4, 0, Purpose::kTest});
  Matrix marginals(12, 5);
  for (std::uint32_t a = 0; a < 12; ++a) {
    const auto row = dirichlet(stream, 5, 1);
    std::copy(row.begin(), row.end(), marginals.row(a).begin());
  }
  expect_exact_after_a_million(marginals);
}

TEST(RidgeRegression, HoldsAfterAMillionUpdatesOfIllConditionedFeatures) {
  expect_exact_after_a_million(ill_conditioned(12, 6));
}

// Point masses make V diagonal: leverage of arm a is 1/(1 + n(a)), θ̂(a) = sum/(1 + n(a)).
TEST(RidgeRegression, PointMassesByHand) {
  RidgeRegression regression(Matrix::from_rows({{1, 0}, {0, 1}, {0.5, 0.5}}));
  EXPECT_DOUBLE_EQ(regression.leverage(0), 1);
  EXPECT_DOUBLE_EQ(regression.leverage(2), 0.5);
  regression.add(0, 1);
  regression.add(0, 0);
  regression.add(1, 1);
  EXPECT_DOUBLE_EQ(regression.leverage(0), 1) << "not worked in yet";
  regression.update();
  EXPECT_DOUBLE_EQ(regression.leverage(0), 1.0 / 3);
  EXPECT_DOUBLE_EQ(regression.leverage(1), 1.0 / 2);
  EXPECT_DOUBLE_EQ(regression.leverage(2), 0.25 / 3 + 0.25 / 2);
  EXPECT_DOUBLE_EQ(regression.prediction(0), 1.0 / 3);
  EXPECT_DOUBLE_EQ(regression.prediction(1), 1.0 / 2);
  EXPECT_DOUBLE_EQ(regression.prediction(2), (1.0 / 3 + 1.0 / 2) / 2);
}

// Plays in flight are in V, and only there.
TEST(RidgeRegression, CountsWhatIsInFlight) {
  RidgeRegression regression(Matrix::from_rows({{1, 0}, {0, 1}, {0.5, 0.5}}));
  regression.add(0, 1);
  regression.update();
  regression.send(0);
  regression.send(1);
  regression.send(1);
  EXPECT_DOUBLE_EQ(regression.leverage(0), 1.0 / 3);
  EXPECT_DOUBLE_EQ(regression.leverage(2), 0.25 / 3 + 0.25 / 3);
  EXPECT_DOUBLE_EQ(regression.prediction(0), 1.0 / 2);
  EXPECT_DOUBLE_EQ(regression.index(0, 3), 0.5 + 3 / std::sqrt(3.0));
  regression.land(1);
  EXPECT_DOUBLE_EQ(regression.leverage(1), 1.0 / 2);
  regression.land(0);
  regression.land(1);
  EXPECT_DOUBLE_EQ(regression.leverage(1), 1);
}

// One after another, all at once, or as somebody else's plays.
TEST(RidgeRegression, ManyOutcomesAtOnceAreAsGoodAsOneByOne) {
  const Matrix marginals = ill_conditioned(12, 6);
  RidgeRegression single(marginals), together(marginals);
  for (Arm a = 0; a < 12; ++a) {
    for (int i = 0; i < 1000; ++i) {
      single.add(a, i % 2);
      single.update();
    }
    together.work_in(a, 1000, 500);
  }
  together.update();
  for (Arm a = 0; a < 12; ++a) {
    const std::uint32_t row = single.rows().row(a);
    EXPECT_NEAR(together.leverage(row), single.leverage(row), 1e-10 * single.leverage(row));
    EXPECT_NEAR(together.prediction(row), single.prediction(row), 1e-10);
  }
}

// --- Shortcuts against all rows, decision by decision

World world_of(const std::string& family) {
  return {InstanceSource(family, 100'000, 3).instance(0), 100'000};
}

// cl-ucb and cl-ts by every row's own index, with the same arithmetic.
class EveryRow {
 public:
  EveryRow(const std::string& name, const Problem& problem)
      : thompson_(name == "cl-ts"),
        regression_(*problem.marginals),
        beta_(linear_confidence(static_cast<double>(numerical_rank(*problem.marginals).rank),
                                static_cast<double>(problem.horizon.value()))),
        stream_({1, 0, Purpose::kPolicy}) {}

  Arm choose() {
    regression_.update();
    const MarginalRows& rows = regression_.rows();
    std::vector<double> values(rows.rows());
    if (thompson_) {
      LaneVector normals(lane_blocks(rows.contexts())), noise(normals);
      for (Context z = 0; z < rows.contexts(); ++z) values_of(normals)[z] = normal(stream_);
      regression_.correlate(normals, noise);
      std::vector<double> drawn(rows.contexts());
      for (Context z = 0; z < rows.contexts(); ++z)
        drawn[z] = regression_.estimate()[z] + values_of(noise)[z];
      for (std::uint32_t r = 0; r < rows.rows(); ++r) values[r] = rows.sum(r, drawn);
    } else {
      for (std::uint32_t r = 0; r < rows.rows(); ++r)
        values[r] = regression_.prediction(r) + beta_ * std::sqrt(regression_.leverage(r));
    }
    const Arm arm = rows.action(first_largest(values));
    regression_.send(arm);
    return arm;
  }
  void observe(Arm arm, double reward) {
    regression_.add(arm, reward);
    regression_.land(arm);
  }

 private:
  bool thompson_;
  RidgeRegression regression_;
  double beta_;
  Stream stream_;
};

void expect_as_by_every_row(const std::string& name, const std::string& family, int rounds,
                            std::size_t delay) {
  const World world = world_of(family);
  Hand hand(name, world.problem);
  EveryRow every_row(name, world.problem);
  Environment environment(world.tables, 1, 0);
  std::deque<std::pair<Decision, Outcome>> waiting;
  for (int t = 0; t < rounds; ++t) {
    const Decision decision = hand.choose();
    ASSERT_EQ(decision.arm, every_row.choose()) << name << ", " << family << ", round " << t;
    waiting.emplace_back(decision, environment.play(decision.arm));
    for (; waiting.size() > delay; waiting.pop_front()) {
      const auto& [earlier, outcome] = waiting.front();
      hand.observe(earlier, outcome.context, outcome.reward);
      every_row.observe(earlier.arm, outcome.reward);
    }
  }
}

TEST(LinearBandits, DecideAsByEveryRow) {
  for (const char* name : {"cl-ucb", "cl-ts"}) {
    expect_as_by_every_row(name, "random-benign", 20'000, 0);
    expect_as_by_every_row(name, "random-benign:actions=100,contexts=10", 20'000, 0);
    expect_as_by_every_row(name, "random-benign:actions=300,contexts=33", 10'000, 0);
    expect_as_by_every_row(name, "random-benign:actions=1000,contexts=50", 5'000, 0);
    expect_as_by_every_row(name, "random-benign:actions=400,contexts=17,rank=3", 5'000, 0);
    expect_as_by_every_row(name, "hidden-arm", 20'000, 0);
  }
}

TEST(LinearBandits, DecideAsByEveryRowWhenOutcomesAreLate) {
  for (const char* name : {"cl-ucb", "cl-ts"}) {
    expect_as_by_every_row(name, "random-benign", 5'000, 7);
    expect_as_by_every_row(name, "random-benign:actions=300,contexts=33", 2'000, 20);
  }
}

// Near copies, and rows that are hardly ever played: where norms differ least and rounding most.
TEST(LinearBandits, DecideAsByEveryRowOfIllConditionedFeatures) {
  Problem problem = problem_of({{1}}, 100'000);
  problem.action_names = numbered_names('a', 600);
  problem.context_names = numbered_names('z', 12);
  problem.marginals = std::make_shared<const Matrix>(ill_conditioned(600, 12));
  for (const char* name : {"cl-ucb", "cl-ts"}) {
    Hand hand(name, problem);
    EveryRow every_row(name, problem);
    Stream stream({9, 0, Purpose::kTest});
    for (int t = 0; t < 10'000; ++t) {
      const Decision decision = hand.choose();
      ASSERT_EQ(decision.arm, every_row.choose()) << name << ", round " << t;
      const double reward = uniform_index(stream, 5) / 4.0;
      hand.observe(decision, 0, reward);
      every_row.observe(decision.arm, reward);
    }
  }
}

// Sentry skips rows that cannot win; what it tells of its choice is worked out for all.
TEST(LinearBandits, SentryPlaysTheLargestOfAllItsIndices) {
  for (const char* family :
       {"random-benign:actions=200,contexts=3", "random-benign:actions=100,contexts=10"}) {
    const World world = world_of(family);
    Hand hand("sentry:proposal=cl-ucb,budget=100", world.problem);
    Environment environment(world.tables, 1, 0);
    int proposed = 0;
    for (int t = 0; t < 3'000; ++t) {
      const Insights told = hand.policy->explain();
      const auto values = [&](const char* name) -> const std::vector<double>& {
        return std::find_if(told.begin(), told.end(),
                            [&](const Insight& insight) { return insight.name == name; })
            ->values;
      };
      const auto& indices = values("index");
      const Decision decision = hand.choose();
      ASSERT_EQ(decision.arm, first_largest(indices)) << family << ", round " << t;
      proposed += indices[decision.arm] == values("proposal")[decision.arm] ? 1 : 0;
      const Outcome outcome = environment.play(decision.arm);
      hand.observe(decision, outcome.context, outcome.reward);
    }
    EXPECT_GT(proposed, 100) << family << ": proposals decide, too";
  }
}

// What the certificate rests on: no index above its bound, whatever was played since.
TEST(RidgeRegression, AnIndexBelowTheLeastIsToldSoAndNoOther) {
  const World world = world_of("random-benign:actions=200,contexts=20");
  RidgeRegression regression(*world.problem.marginals);
  Stream stream({8, 0, Purpose::kTest});
  std::uint64_t soon = 0;
  for (int step = 0; step < 4000; ++step) {
    const Arm played = uniform_index(stream, 200);
    regression.add(played, stream.uniform() < 0.3 ? 1 : 0);
    regression.update();
    const std::uint32_t row = uniform_index(stream, 200);
    const double exact = regression.prediction(row) + 2 * std::sqrt(regression.leverage(row));
    const double least = exact + 0.02 * (stream.uniform() - 0.5);
    const double told = regression.index(row, 2, least);
    if (exact >= least)
      ASSERT_EQ(told, exact) << step;
    else
      ASSERT_LT(told, least) << step;
    soon += told != exact ? 1 : 0;
  }
  EXPECT_GT(soon, 100u) << "of rows that were looked at long ago, too";
}

// β = 1 + sqrt(2·log 100 + 2·log(1 + 50)) = 1 + sqrt(9.2103 + 7.8637) = 1 + 4.1321 = 5.1321.
TEST(CausalLinearUcb, FirstRoundsByHand) {
  EXPECT_NEAR(linear_confidence(2, 100), 5.1321, 1e-4);
  Hand hand("cl-ucb", problem_of({{0.5, 0.5}, {1, 0}, {0, 1}}, 100));
  // Indices β·‖ν̃‖: 0.7071β, β, β: arm 1. It pays 0: leverage 1/2.
  EXPECT_EQ(hand.round(0, 0), 1u);
  // 0.7071β, β, and arm 0: β·sqrt(1/8 + 1/4) = 0.6124β.
  EXPECT_EQ(hand.round(1, 1), 2u);
  // Arm 2: 1/2 + 0.7071β; arm 1: 0.7071β; arm 0: 1/4 + 0.5β.
  EXPECT_EQ(hand.choose().arm, 2u);
}

// The contexts that are seen are not used, only the marginals.
TEST(CausalLinearUcb, IgnoresTheContextsSeen) {
  const Problem problem = problem_of({{0.5, 0.5}, {1, 0}, {0, 1}}, 100);
  Hand one("cl-ucb", problem), two("cl-ucb", problem);
  for (int t = 0; t < 100; ++t) EXPECT_EQ(one.round(0, t % 3 == 0), two.round(t % 2, t % 3 == 0));
  EXPECT_EQ(one.policy->digest(), two.policy->digest());
}

TEST(CausalLinearThompson, DrawsOneNormalPerContext) {
  const Problem problem = problem_of({{0.5, 0.5}, {1, 0}, {0, 1}}, 100);
  Hand hand("cl-ts", problem);
  const std::uint64_t before = hand.stream.position();
  Stream shadow({1, 0, Purpose::kPolicy});
  hand.choose();
  for (int z = 0; z < 2; ++z) normal(shadow);
  EXPECT_GT(hand.stream.position(), before);
  EXPECT_EQ(hand.stream.position(), shadow.position());
}

// The first draw is N(0, I): arm 1 gets θ_0, arm 2 θ_1, arm 0 their mean, so arm 0 never wins and
// the others win half the time each. 4000 draws: 2000 ± 4.9·sqrt(1000) = 155.
TEST(CausalLinearThompson, FirstDrawsAreStandardNormal) {
  Hand hand("cl-ts", problem_of({{0.5, 0.5}, {1, 0}, {0, 1}}, 100));
  int wins[3] = {};
  for (int i = 0; i < 4000; ++i) ++wins[hand.choose().arm];
  EXPECT_EQ(wins[0], 0);
  EXPECT_NEAR(wins[1], 2000, 155);
}

// After 3 plays of arm 1 that paid 1 each: θ_0 ~ N(3/4, 1/4), θ_1 ~ N(0, 1). P(θ_0 > θ_1) =
// Φ(0.75/sqrt(1.25)) = Φ(0.6708) = 0.7488. 4000 draws: ±4.9·sqrt(4000·0.7488·0.2512) = ±134.
TEST(CausalLinearThompson, DrawsHaveTheCovarianceOfTheRegression) {
  Hand hand("cl-ts", problem_of({{0.5, 0.5}, {1, 0}, {0, 1}}, 100));
  for (int i = 0; i < 3; ++i) hand.witness(1, 0, 1);
  int first = 0;
  for (int i = 0; i < 4000; ++i) first += hand.choose().arm == 1 ? 1 : 0;
  EXPECT_NEAR(first, 0.7488 * 4000, 134);
}

// What waits between two choices is worked in by row: any order, the same bits.
TEST(LinearBandits, OrderOfPendingOutcomesLeavesNoTrace) {
  const Problem problem = problem_of({{0.5, 0.3, 0.2}, {0.1, 0.9, 0}, {0.3, 0.3, 0.4}}, 100);
  for (const char* text : {"cl-ucb", "cl-ts"}) {
    Hand forward(text, problem), backward(text, problem);
    for (int block = 0; block < 300; ++block) {  // beyond the fresh start at 1024 updates
      std::vector<Decision> sent;
      for (int i = 0; i < 7; ++i) {
        sent.push_back(forward.choose());
        ASSERT_EQ(sent.back().arm, backward.choose().arm);
      }
      const auto reward = [&](std::size_t i) { return ((block * static_cast<int>(i)) % 5) / 4.0; };
      for (std::size_t i = 0; i < 7; ++i) forward.observe(sent[i], 0, reward(i));
      for (std::size_t i = 7; i-- > 0;) backward.observe(sent[i], 0, reward(i));
      ASSERT_EQ(forward.choose().arm, backward.choose().arm) << text << " " << block;
      ASSERT_EQ(forward.policy->digest(), backward.policy->digest()) << text << " " << block;
    }
  }
}

}  // namespace
}  // namespace armature
