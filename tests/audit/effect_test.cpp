#include "audit/effect.h"

#include <gtest/gtest.h>

#include "statistical/release_only.h"
#include "support/statistics.h"

namespace armature {
namespace {

// Three actions, two contexts, so many rows of each action; binary rewards with these means.
struct World {
  std::vector<double> first_context;       // ν_a(z0)
  std::vector<std::vector<double>> means;  // by action and context
};

Estimates exact_estimates(const World& world, double rows) {
  Estimates estimates{world.means.size(), 2, true, false, {}, {}};
  for (std::size_t a = 0; a < world.means.size(); ++a) {
    estimates.rows.push_back(rows);
    for (std::size_t z = 0; z < 2; ++z) {
      const double marginal = z == 0 ? world.first_context[a] : 1 - world.first_context[a];
      const double mean = world.means[a][z];
      estimates.cells.push_back({marginal, marginal * rows, mean, mean * (1 - mean)});
    }
  }
  return estimates;
}

AuditTable drawn_table(const World& world, int rows, std::uint32_t run) {
  Stream stream({21, run, Purpose::kTest});
  AuditTable table;
  for (std::uint32_t a = 0; a < world.means.size(); ++a)
    for (int i = 0; i < rows; ++i) {
      LogRow row;
      row.action = a;
      row.context = bernoulli(stream, world.first_context[a]) ? 0 : 1;
      row.reward = bernoulli(stream, world.means[a][row.context]) ? 1 : 0;
      table.add(row);
    }
  return table;
}

const World kBenign{{0.2, 0.5, 0.8}, {{0.8, 0.3}, {0.8, 0.3}, {0.8, 0.3}}};
const World kHidden{{0.5, 0.5, 0.5}, {{0.3, 0.3}, {0.5, 0.5}, {0.7, 0.7}}};
// Half and half: z0 pays ½ more than z1, action 2 pays 0.15 more than the others wherever it leads.
const World kMixed{{0.3, 0.5, 0.7}, {{0.6, 0.1}, {0.6, 0.1}, {0.75, 0.25}}};

// Two rows of each action, all equal: drawing them anew changes nothing, which is no knowledge.
TEST(EffectShare, FewRowsTellNothing) {
  Stream stream({1, 2, Purpose::kTest});
  EXPECT_FALSE(effect_share(exact_estimates({{1, 0}, {{1, 1}, {0, 0}}}, 2), 0.05, stream).known);
  EXPECT_TRUE(effect_share(exact_estimates({{1, 0}, {{1, 1}, {0, 0}}}, 20), 0.05, stream).known);
}

TEST(EffectShare, AllOrNothing) {
  Stream stream({1, 1, Purpose::kTest});
  const AuditShare all = effect_share(exact_estimates(kBenign, 1e6), 0.05, stream);
  EXPECT_TRUE(all.known);
  EXPECT_NEAR(all.through_context, 1, 0.01);
  EXPECT_NEAR(all.deviation, 0.5 * 0.3 * std::sqrt(2.0 / 3),
              0.002);  // means ½·(0.2, 0.5, 0.8) + 0.3
  const AuditShare nothing = effect_share(exact_estimates(kHidden, 1e6), 0.05, stream);
  EXPECT_TRUE(nothing.known);
  EXPECT_NEAR(nothing.through_context, 0, 0.01);
}

// Where nothing differs there is nothing to share out.
TEST(EffectShare, OfNoEffect) {
  Stream stream({1, 2, Purpose::kTest});
  const World none{{0.5, 0.5, 0.5}, {{0.4, 0.4}, {0.4, 0.4}, {0.4, 0.4}}};
  EXPECT_FALSE(effect_share(estimates_of(drawn_table(none, 300, 1), false), 0.05, stream).known);
}

// The 95% interval holds the share of the true world: in at least 90% of 500 runs (a bootstrap is
// no theorem); fewer than the bound are a chance of 1e-6 for 90%.
TEST(EffectShare, IntervalsCover) {
  constexpr int kRuns = 500;
  for (const World& world : {kBenign, kMixed}) {
    Stream truth_stream({2, 1, Purpose::kTest});
    const double truth =
        effect_share(exact_estimates(world, 1e9), 0.05, truth_stream).through_context;
    int covered = 0;
    for (std::uint32_t run = 0; run < kRuns; ++run) {
      Stream stream({3, run, Purpose::kTest});
      const AuditShare share =
          effect_share(estimates_of(drawn_table(world, 400, run), false), 0.05, stream);
      covered += !share.known || (share.interval.low <= truth && truth <= share.interval.high);
    }
    EXPECT_GE(covered, kRuns - test::most_failures_by_luck(kRuns, 0.1, test::kFalseAlarmRate));
  }
}

}  // namespace
}  // namespace armature
