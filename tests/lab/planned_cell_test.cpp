#include "lab/planned_cell.h"

#include <gtest/gtest.h>

namespace armature {
namespace {

TEST(PlannedName, ATextFormLosesTheValueThatIsLeftOut) {
  const PlannedName name{"", "db", {{"base", "pe+ucb"}, {"dial", "0.5"}}, {{"dial", "0.5"}}, {}};
  EXPECT_EQ(name.full(), "db:base=pe+ucb,dial=0.5");
  EXPECT_EQ(name.without({"dial"}), "db:base=pe+ucb");
  EXPECT_EQ(name.sweep(), "db:base=pe+ucb");
}

TEST(PlannedName, ALabelIsFollowedByWhatVaries) {
  const PlannedName name{"mine (really)",
                         "hidden-arm",
                         {{"gap", "0.1"}, {"actions", "5"}, {"contexts", "2"}},
                         {{"gap", "0.1"}, {"actions", "5"}},
                         {}};
  EXPECT_EQ(name.full(), "mine (really) (gap=0.1, actions=5)");
  EXPECT_EQ(name.without({"gap"}), "mine (really) (actions=5)");
  EXPECT_EQ(name.sweep(), "mine (really)");
}

TEST(PlannedName, ConditionsAreSaidBehindBoth) {
  PlannedName name{"", "ucb", {}, {}, {{"delay", "fixed:10"}}};
  EXPECT_EQ(name.full(), "ucb (delay=fixed:10)");
  EXPECT_EQ(name.sweep(), "ucb");
  name.label = "mine";
  EXPECT_EQ(name.full(), "mine (delay=fixed:10)");
}

TEST(PlannedCell, WhatTheGridVariesUnderANameIsWhatItMeans) {
  PlannedCell cell;
  cell.horizon = 1000;
  cell.actions = 20;
  cell.epsilon = 0.25;
  EXPECT_EQ(cell.x("horizon"), 1000);
  EXPECT_EQ(cell.x("actions"), 20);
  EXPECT_EQ(cell.x("epsilon"), 0.25);
  cell.policy_name.varied = {{"epsilon", "0.5"}};  // sentry's
  EXPECT_EQ(cell.x("epsilon"), 0.5);
  cell.policy_name.varied = {{"scale", "A/T"}, {"ties", "random"}};
  EXPECT_EQ(cell.x("scale"), 0.02);
  EXPECT_EQ(cell.x("ties"), std::nullopt);
  EXPECT_EQ(cell.x("dial"), std::nullopt);
  EXPECT_EQ(cell.x("gap"), std::nullopt);  // none, or one per replication
}

TEST(PlannedCell, ConditionsAreNumbersToo) {
  PlannedCell cell;
  cell.feedback = Feedback::parse_delay("geometric:mean=50");
  cell.feedback.batch = 4;
  cell.feedback.loss = 0.1;
  cell.instance_name.conditions = {{"delay", "geometric:mean=50"}};
  EXPECT_EQ(cell.x("delay"), 50);
  EXPECT_EQ(cell.x("batch"), 4);
  EXPECT_EQ(cell.x("loss"), 0.1);
  EXPECT_EQ(cell.x("leap_tolerance"), 1e-9);
}

TEST(PlannedCell, AKeyThatVariesInBothGridsNamesNothing) {
  PlannedCell cell;
  cell.epsilon = 0.25;
  cell.instance_name.varied = {{"epsilon", "0.1"}};
  EXPECT_EQ(cell.x("epsilon"), 0.1);
  cell.policy_name.varied = {{"epsilon", "0.5"}};
  EXPECT_EQ(cell.x("epsilon"), std::nullopt);
}

TEST(PlannedName, AGeometricDelayIsNotTakenForAFixedOne) {
  const PlannedName fixed{"", "ucb", {}, {}, {{"delay", "fixed:10"}}};
  const PlannedName geometric{"", "ucb", {}, {}, {{"delay", "geometric:mean=10"}}};
  EXPECT_NE(fixed.without({"delay"}), geometric.without({"delay"}));
}

TEST(PlannedCell, TheoremsAreAboutPromptOutcomes) {
  PlannedCell cell;
  EXPECT_TRUE(cell.theorems_apply());
  cell.feedback.loss = 0.1;
  EXPECT_FALSE(cell.theorems_apply());
}

}  // namespace
}  // namespace armature
