// Agreement promises the verdict that testing every action would give. These tests test every
// action.
#include "policies/tools/agreement.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "policies/troublesome_matrix.h"

namespace armature {
namespace {

struct Chase {
  Chase(const Matrix& marginals, double largest)
      : rows(marginals),
        agreement(rows, largest),
        index(rows.actions()),
        width(rows.actions()),
        upper(rows.contexts()),
        context_width(rows.contexts()) {}

  void set_action(Arm a, double fresh_index, double fresh_width) {
    index[a] = fresh_index;
    width[a] = fresh_width;
    agreement.set_action(a, fresh_index, fresh_width);
  }
  void set_context(Context z, double fresh_upper, double fresh_width) {
    upper[z] = fresh_upper;
    context_width[z] = fresh_width;
    agreement.set_context(z, fresh_upper, fresh_width);
  }
  bool naive() const {
    for (Arm a = 0; a < index.size(); ++a) {
      const double pseudo = rows.sum(rows.row(a), upper);
      if (index[a] - pseudo > width[a]) return false;
      if (pseudo - index[a] > rows.sum(rows.row(a), context_width)) return false;
    }
    return true;
  }

  MarginalRows rows;
  Agreement agreement;
  std::vector<double> index, width, upper, context_width;
};

TEST(Agreement, FollowsOneActionByHand) {
  Chase chase(Matrix::from_rows({{1, 0}, {0.5, 0.5}}), 4);
  chase.set_context(0, 1, 0.5);
  chase.set_context(1, 1, 0.5);
  chase.set_action(0, 1, 0.5);
  chase.set_action(1, 1, 0.5);
  EXPECT_TRUE(chase.agreement.holds());
  chase.set_action(1, 1.5, 0.5);  // 1.5 − 1 = 0.5: just so
  EXPECT_TRUE(chase.agreement.holds());
  chase.set_context(1, 0.75, 0.5);  // 1.5 − 0.875
  EXPECT_FALSE(chase.agreement.holds());
  EXPECT_FALSE(chase.agreement.holds());
  chase.set_action(1, 0.375, 0.5);  // 0.875 − 0.375 = 0.5: just so
  EXPECT_TRUE(chase.agreement.holds());
  chase.set_context(0, 1, 0.25);
  EXPECT_FALSE(chase.agreement.holds());
}

// Statistics of rewards that often contradict the contexts, and are mended again: verdicts of both
// kinds, and actions that stay close to the edge for long.
RC_GTEST_PROP(Agreement, EqualsTheTestOfEveryAction, (std::uint64_t seed)) {
  Stream stream({seed, 0, Purpose::kTest});
  const std::uint32_t actions = 1 + uniform_index(stream, 60);
  const std::uint32_t contexts = 1 + uniform_index(stream, 12);
  const bool grid = bernoulli(stream, 0.3);
  const auto some = [&] { return grid ? uniform_index(stream, 9) / 8.0 : stream.uniform(); };
  Chase chase(test::troublesome_matrix(actions, contexts, stream), 4);
  for (Arm a = 0; a < actions; ++a) chase.set_action(a, 1, 1);
  for (Context z = 0; z < contexts; ++z) chase.set_context(z, 1, 1);
  for (int step = 0; step < 600; ++step) {
    const double size = 1 / std::sqrt(1.0 + step);
    const Context z = uniform_index(stream, contexts);
    chase.set_context(z, 1 + size * (some() - 0.5), size + 0.2);
    const Arm a = uniform_index(stream, actions);
    const bool edge = bernoulli(stream, 0.3);
    // On the edge: as far from its causal index as it may be, to the last bits.
    const double pseudo = chase.rows.sum(chase.rows.row(a), chase.upper);
    chase.set_action(a, edge ? pseudo + 0.5 : pseudo + size * (some() - 0.5), 0.5);
    RC_ASSERT(chase.agreement.holds() == chase.naive());
    if (bernoulli(stream, 0.01))
      for (Arm b = 0; b < actions; ++b) chase.set_action(b, 1, 0.5);
  }
}

// Far more changes than there are between two looks at all actions.
TEST(Agreement, HoldsAfterAMillionChanges) {
  Stream stream({3, 0, Purpose::kTest});
  constexpr std::uint32_t kContexts = 4;
  Chase chase(test::troublesome_matrix(20, kContexts, stream), 4);
  for (Arm a = 0; a < 20; ++a) chase.set_action(a, 1, 0.25);
  for (Context z = 0; z < kContexts; ++z) chase.set_context(z, 1, 0.5);
  int failures = 0;
  for (int step = 0; step < (1 << 20) + (1 << 16); ++step) {
    chase.set_context(uniform_index(stream, kContexts), 0.7 + 0.6 * stream.uniform(), 0.5);
    const bool holds = chase.agreement.holds();
    failures += holds ? 0 : 1;
    if (step % 16 != 0) continue;
    ASSERT_EQ(holds, chase.naive()) << "step " << step;
  }
  EXPECT_GT(failures, 1000);
}

}  // namespace
}  // namespace armature
