#include "lab/instance_setting.h"

#include <gtest/gtest.h>

#include "armature/error.h"
#include "armature/families.h"

namespace armature {
namespace {

std::string marked(const std::string& field) { return "@" + field; }

std::shared_ptr<const Instance> pareto() {
  return InstanceSource("pareto-benign:actions=6,gap=0.1", 1000, 1).instance(0);
}

TEST(InstanceSetting, AnInstanceFillsInWhatIsNotGiven) {
  Setting setting;
  setting.horizon = 1000;
  std::vector<std::string> notes;
  agree_on_sizes(setting, *pareto(), marked);
  fill_from_instance(setting, *pareto(), "pareto", marked, notes);
  EXPECT_EQ(setting.actions, 6);
  EXPECT_EQ(setting.contexts, 2);
  EXPECT_EQ(setting.rank, 2);
  EXPECT_NEAR(setting.gap.value(), 0.1, 1e-12);
  EXPECT_EQ(setting.epsilon, 0);
  EXPECT_EQ(setting.benign, true);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].substr(0, 14), "pareto: benign");
}

TEST(InstanceSetting, WhatIsGivenWinsAndANoteSaysSo) {
  Setting setting;
  setting.horizon = 1000;
  setting.gap = 0.5;
  std::vector<std::string> notes;
  agree_on_sizes(setting, *pareto(), marked);
  fill_from_instance(setting, *pareto(), "pareto", marked, notes);
  EXPECT_EQ(setting.gap, 0.5);
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_EQ(notes[0], "@gap 0.5 is used; the instance has 0.1");
}

TEST(InstanceSetting, SizesMustAgree) {
  Setting setting;
  setting.actions = 5;
  try {
    agree_on_sizes(setting, *pareto(), marked);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.report().field, "@actions");
    EXPECT_EQ(error.report().value, "5");
  }
}

}  // namespace
}  // namespace armature
