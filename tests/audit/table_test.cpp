#include "audit/table.h"

#include <gtest/gtest.h>

#include <cmath>

#include "armature/error.h"
#include "audit/estimates.h"

namespace armature {
namespace {

LogRow row_of(std::uint32_t action, std::uint32_t context, double reward,
              double propensity = std::nan("")) {
  LogRow row;
  row.action = action;
  row.context = context;
  row.reward = reward;
  row.propensity = propensity;
  return row;
}

TEST(AuditTable, AddsUpByActionAndContext) {
  AuditTable table;
  table.add(row_of(0, 0, 1));
  table.add(row_of(0, 1, 0));
  table.add(row_of(2, 1, 1));
  table.add(row_of(2, 1, 0));
  EXPECT_EQ(table.actions(), 3u);
  EXPECT_EQ(table.contexts(), 2u);
  EXPECT_EQ(table.rows(), 4u);
  EXPECT_TRUE(table.binary());
  EXPECT_FALSE(table.propensities());
  EXPECT_EQ(table.cell(2, 1).rows, 2u);
  EXPECT_EQ(table.cell(2, 1).mean(), 0.5);
  EXPECT_EQ(table.cell(2, 1).variance(), 0.5);  // of 0 and 1, n − 1 = 1
  EXPECT_EQ(table.of_action(0).rows, 2u);
  EXPECT_EQ(table.of_context(1).rows, 3u);
  EXPECT_EQ(table.actions_in(1), 2u);
  table.add(row_of(1, 0, 0.5));
  EXPECT_FALSE(table.binary());
}

TEST(AuditTable, ARowOfWeightThreeIsThreeRows) {
  AuditTable table;
  LogRow row = row_of(0, 0, 1);
  row.weight = 3;
  table.add(row);
  EXPECT_EQ(table.cell(0, 0).rows, 3u);
  EXPECT_EQ(table.cell(0, 0).sum, 3);
  row.weight = 1.5;
  row.line = 7;
  try {
    table.add(row);
    FAIL() << "half a row was taken";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("line 7"), std::string::npos) << error.what();
  }
}

TEST(AuditTable, KnowsWhetherPropensitiesVary) {
  AuditTable constant;
  constant.add(row_of(0, 0, 1, 0.25));
  constant.add(row_of(1, 0, 1, 0.75));
  EXPECT_TRUE(constant.propensities());
  EXPECT_FALSE(constant.propensities_vary());
  EXPECT_FALSE(constant.deterministic());
  constant.add(row_of(1, 0, 1, 0.5));
  EXPECT_TRUE(constant.propensities_vary());
  AuditTable certain;
  certain.add(row_of(0, 0, 1, 1));
  EXPECT_TRUE(certain.deterministic());
}

// Two rows at w = 2 and w = 4 with rewards 1 and 0: mean 2/6; variance of it
// (4·(2/3)² + 16·(1/3)²)/36 = (16/9 + 16/9)/36; as good as 36/20 even rows.
TEST(Estimates, ByWeights) {
  AuditTable table;
  table.add(row_of(0, 0, 1, 0.5));
  table.add(row_of(0, 0, 0, 0.25));
  table.add(row_of(0, 1, 0, 0.5));
  const Estimates weighted = estimates_of(table, true);
  EXPECT_NEAR(weighted.cell(0, 0).mean, 1.0 / 3, 1e-15);
  EXPECT_NEAR(weighted.cell(0, 0).marginal, 6.0 / 8, 1e-15);
  EXPECT_NEAR(weighted.cell(0, 0).rows, 36.0 / 20, 1e-15);
  EXPECT_NEAR(table.cell(0, 0).weighted_variance(), 32.0 / 9 / 36, 1e-15);
  const Estimates counted = estimates_of(table, false);
  EXPECT_NEAR(counted.cell(0, 0).mean, 0.5, 1e-15);
  EXPECT_NEAR(counted.cell(0, 0).marginal, 2.0 / 3, 1e-15);
}

TEST(AuditTable, RefusesPropensitiesThatNoRowCanHave) {
  AuditTable table;
  EXPECT_THROW(table.add(row_of(0, 0, 1, 1e-200)), Error);
  EXPECT_THROW(table.add(row_of(0, 0, 1, 1.5)), Error);
}

}  // namespace
}  // namespace armature
