// BlendedScores promises exactly the answer that computing all scores by the formula that counts
// would give. These tests compute all of them, over and over.
#include "policies/tools/blended_scores.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "policies/troublesome_matrix.h"

namespace armature {
namespace {

constexpr std::size_t kParts = 3;
using Parts = BlendedScores<kParts>::Parts;

struct Chase {
  explicit Chase(const Matrix& marginals)
      : rows(marginals), scores(rows), parts(rows.contexts()), values(rows.contexts()) {}

  void set(Context z, const Parts& fresh) {
    parts[z] = fresh;
    scores.set(z, fresh);
  }
  // The formula that counts blends first and sums then; the scores do it the other way round.
  void blend() {
    for (Context z = 0; z < parts.size(); ++z)
      values[z] = weights[0] * parts[z][0] + (weights[1] * parts[z][1] + weights[2] * parts[z][2]);
  }
  std::uint32_t naive_best() {
    blend();
    std::vector<double> sums(rows.rows());
    rows.sums(values, sums);
    return first_largest(sums);
  }
  std::uint32_t best() {
    blend();
    return scores.best_row(
        weights, [this](std::uint32_t row) { return rows.sum(row, values); },
        [this](std::span<double> out) { rows.sums(values, out); });
  }

  MarginalRows rows;
  BlendedScores<kParts> scores;
  std::vector<Parts> parts;
  std::vector<double> values;
  Parts weights{1, 1, 1};
};

TEST(BlendedScores, StartsWithATieOfAllRows) {
  Chase chase(Matrix::from_rows({{0, 1}, {1, 0}}));
  EXPECT_EQ(chase.best(), 0u);
}

TEST(BlendedScores, FollowsPartsAndWeightsByHand) {
  Chase chase(Matrix::from_rows({{1, 0}, {0, 1}, {0.5, 0.5}}));
  chase.set(1, {2, 0, 0});
  EXPECT_EQ(chase.best(), 1u);
  chase.set(0, {1, 0.5, 0});  // 1.5 and 2
  EXPECT_EQ(chase.best(), 1u);
  chase.weights = {1, 4, 1};  // 3 and 2
  EXPECT_EQ(chase.best(), 0u);
  chase.weights = {1, 2, 1};  // all equal
  EXPECT_EQ(chase.best(), 0u);
  chase.weights = {1, 0, 1};
  EXPECT_EQ(chase.best(), 1u);
}

// Weights that rise, fall and jump, parts that walk, are undone, or fall as 1/n.
RC_GTEST_PROP(BlendedScores, EqualsTheArgmaxOfFreshScores, (std::uint64_t seed)) {
  Stream stream({seed, 0, Purpose::kTest});
  const std::uint32_t actions = 1 + uniform_index(stream, 60);
  const std::uint32_t contexts = 1 + uniform_index(stream, 12);
  Chase chase(test::troublesome_matrix(actions, contexts, stream));
  std::vector<Parts> earlier = chase.parts;
  const double drift = bernoulli(stream, 0.5) ? 1.001 : 0.999;
  for (int step = 0; step < 400; ++step) {
    const Context z = uniform_index(stream, contexts);
    const double size = bernoulli(stream, 0.2) ? 1 : 1e-3;
    Parts fresh = chase.parts[z];
    for (double& part : fresh) part += size * (stream.uniform() - 0.5);
    fresh[2] = 1.0 / (1 + step);
    if (bernoulli(stream, 0.1)) earlier[z] = chase.parts[z];
    chase.set(z, bernoulli(stream, 0.25) ? earlier[z] : fresh);
    chase.weights[1] *= bernoulli(stream, 0.02) ? 3 * stream.uniform() : drift;
    chase.weights[2] *= drift;
    if (bernoulli(stream, 0.7)) RC_ASSERT(chase.best() == chase.naive_best());
  }
}

// Quarters everywhere: sums are exact, and different rows often tie.
RC_GTEST_PROP(BlendedScores, EqualsTheArgmaxWhereTiesAreCommon, (std::uint64_t seed)) {
  Stream stream({seed, 1, Purpose::kTest});
  const std::uint32_t contexts = 2 + uniform_index(stream, 6);
  const std::uint32_t actions = 9 + uniform_index(stream, 40);
  Matrix marginals(actions, contexts);
  for (std::uint32_t a = 0; a < actions; ++a)
    for (int quarter = 0; quarter < 4; ++quarter)
      marginals(a, uniform_index(stream, contexts)) += 0.25;
  Chase chase(marginals);
  const auto some = [&] { return uniform_index(stream, 5) / 4.0; };
  for (int step = 0; step < 400; ++step) {
    chase.set(uniform_index(stream, contexts), {some(), some(), some()});
    chase.weights = {1, some(), some()};
    RC_ASSERT(chase.best() == chase.naive_best());
  }
}

// A weight that falls a millionfold while nothing makes the scores fresh, and a race among rows
// that differ in their last bits at its end.
TEST(BlendedScores, HoldsWhenAWeightHasFallenFar) {
  Stream stream({5, 0, Purpose::kTest});
  Matrix marginals(40, 4);
  for (std::uint32_t a = 0; a < 40; ++a)
    for (Context z = 0; z < 4; ++z)
      marginals(a, z) = 0.25 * (1 + uniform_index(stream, 3) * 0x1p-52);
  for (int trial = 0; trial < 50; ++trial) {
    Chase chase(marginals);
    for (Context z = 0; z < 4; ++z) chase.set(z, {stream.uniform(), 1e3, 0});
    for (chase.weights = {1, 1e3, 0}; chase.weights[1] > 1e-3; chase.weights[1] *= 0.9)
      ASSERT_EQ(chase.best(), chase.naive_best()) << chase.weights[1];
  }
}

// Far more updates than there are between two fresh starts.
TEST(BlendedScores, HoldsAfterAMillionUpdates) {
  Stream stream({3, 0, Purpose::kTest});
  constexpr std::uint32_t kContexts = 6;
  Chase chase(test::troublesome_matrix(30, kContexts, stream));
  constexpr int kSteps = (1 << 20) + (1 << 18);
  for (int step = 0; step < kSteps; ++step) {
    const Context z = uniform_index(stream, kContexts);
    chase.set(z, {0.5 + stream.uniform() / (1 + step % 1000), 1.0 / (1 + step), 0});
    const std::uint32_t best = chase.best();
    if (step % 16 != 0 && step < kSteps - 20000) continue;
    ASSERT_EQ(best, chase.naive_best()) << "step " << step;
  }
}

TEST(BlendedScores, ResetForgetsTheOldParts) {
  Chase chase(Matrix::from_rows({{1, 0}, {0, 1}}));
  chase.set(1, {5, 0, 0});
  EXPECT_EQ(chase.best(), 1u);
  chase.parts = {{3, 0, 0}, {2, 0, 0}};
  chase.scores.reset([&](Context z) { return chase.parts[z]; });
  EXPECT_EQ(chase.best(), 0u);
}

}  // namespace
}  // namespace armature
