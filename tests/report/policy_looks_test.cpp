#include "report/policy_looks.h"

#include <gtest/gtest.h>

#include "armature/theory.h"
#include "report/cell_bound.h"
#include "support/study_results.h"

namespace armature {
namespace {

using test::made_cell;
using test::made_result;
using test::MadeStudy;

TEST(PolicyLooks, MembersOfASweepShareAColourAndGrowStronger) {
  const figures::Looks looks = looks_of(made_result(test::rich_study()).plan);
  const figures::Look &first = look_of(looks, "db:dial=0"), &last = look_of(looks, "db:dial=1");
  EXPECT_EQ(first.place, last.place);
  EXPECT_LT(first.strength, last.strength);
  EXPECT_EQ(last.strength, 1);
  EXPECT_EQ(look_of(looks, "db").place, first.place);
  EXPECT_NE(look_of(looks, "ucb").place, first.place);
}

TEST(PolicyLooks, TheOracleTakesTheLastColour) {
  MadeStudy made = test::small_study();
  made.policies.insert(made.policies.begin(), {"oracle", "oracle"});
  EXPECT_EQ(looks_of(made_result(made).plan).back().name, "oracle");
}

TEST(PolicyLooks, OfALongSweepThreeAreDrawn) {
  const DrawnPolicies drawn = policies_to_draw(made_result(test::rich_study()).plan);
  EXPECT_EQ(drawn.thinned, std::vector<std::string>{"db"});
  EXPECT_EQ(drawn.names, (std::vector<std::string>{"ucb", "c-ucb", "hac-ucb", "pe", "sentry",
                                                   "db:dial=0", "db:dial=0.5", "db:dial=1"}));
}

PlannedCell cell_of(const std::string& policy, bool benign) {
  return made_cell({"x", "x", benign}, {policy, policy}, 1'000'000);
}

TEST(CellBound, IsTheTheorysWhereItHolds) {
  Setting setting;
  setting.actions = 20;
  setting.contexts = 2;
  setting.horizon = 1e6;
  setting.rank = 2;
  EXPECT_EQ(cell_bound(cell_of("ucb", false), 1e5), ucb_bound(setting, 1e5));
  EXPECT_EQ(cell_bound(cell_of("c-ucb", true), 1e5), c_ucb_sharp_bound(setting, 1e5));
  EXPECT_EQ(cell_bound(cell_of("c-ucb", false), 1e5), std::nullopt);
  EXPECT_EQ(cell_bound(cell_of("pe", true), 1e6), pe_bound(setting, 1e6));
  EXPECT_EQ(cell_bound(cell_of("hac-ucb", true), 1e6), std::nullopt);  // a rate, no bound
  setting.delta = 0.01;
  EXPECT_EQ(cell_bound(cell_of("ucb:delta=0.01", true), 1e5), ucb_bound(setting, 1e5));
}

TEST(CellBound, IsAbsentWhereNothingIsProvedOrSaid) {
  EXPECT_EQ(cell_bound(cell_of("ucb:scale=0.5", true), 1e6), std::nullopt);
  EXPECT_EQ(cell_bound(cell_of("ucb", true), 100), std::nullopt);  // above t
  EXPECT_EQ(cell_bound(cell_of("db", true), 1e5), std::nullopt);   // proved at T only
  PlannedCell wrong = cell_of("c-ucb", true);
  wrong.epsilon = 0.1;
  EXPECT_EQ(cell_bound(wrong, 1e6), std::nullopt);
}

// In the mean, at the level that ran: 0.05 unless told otherwise.
TEST(CellBound, WardensIsThatOfWhatRan) {
  Setting setting;
  setting.actions = 20;
  setting.contexts = 2;
  setting.horizon = 1e6;
  setting.delta = 0.05;
  WardenForm form;
  EXPECT_EQ(cell_bound(cell_of("warden", true), 1e6), warden_benign_bound(setting, form));
  EXPECT_EQ(cell_bound(cell_of("warden", false), 1e6), warden_any_bound(setting, form));
  EXPECT_EQ(cell_bound(cell_of("warden", true), 5e5), warden_benign_bound(setting, form, 5e5));
  EXPECT_EQ(cell_bound(cell_of("warden", false), 5e5), warden_any_bound(setting, form, 5e5));
  setting.delta = 1e-6;
  form.allowance = 5;
  form.patience = 20;
  for (const char* text :
       {"warden:r=5,patience=20,delta=1e-6", "warden:R1=100,patience=20,delta=1e-6"})
    EXPECT_EQ(cell_bound(cell_of(text, true), 1e5), warden_benign_bound(setting, form, 1e5));
  ASSERT_TRUE(cell_bound(cell_of("warden:R2=9000", false), 1e6));
  // With wrong marginals there is (A) still.
  PlannedCell wrong = cell_of("warden:r=5,patience=20,delta=1e-6", true);
  wrong.epsilon = 0.1;
  EXPECT_EQ(cell_bound(wrong, 1e6), warden_any_bound(setting, form));
  // Not proved, or not as it stands.
  EXPECT_EQ(cell_bound(cell_of("warden:schedule=free", true), 1e6), std::nullopt);
  EXPECT_EQ(cell_bound(cell_of("warden:test=none", true), 1e6), std::nullopt);
  EXPECT_EQ(cell_bound(cell_of("warden:epsilon=0.1", true), 1e6), std::nullopt);
}

TEST(CellBound, TheDialOfDbIsRead) {
  const auto bound = [](const char* policy) { return cell_bound(cell_of(policy, true), 1e6); };
  ASSERT_TRUE(bound("db:dial=0.5") && bound("db:dial=0.2"));
  EXPECT_LT(*bound("db:dial=0.5"), *bound("db:dial=0.2"));  // benign regret falls with the dial
}

}  // namespace
}  // namespace armature
