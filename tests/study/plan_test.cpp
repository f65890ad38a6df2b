#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <ctime>

#include "armature/study.h"
#include "base/file.h"
#include "base/refusal.h"
#include "base/text.h"
#include "support/program.h"
#include "support/studies.h"

namespace armature {
namespace {

using test::contains;
using test::plan_of;
using test::refusal;

std::string study_of(const std::string& instances, const std::string& policies) {
  return "horizons = [100, 400]\n" + instances + "\n" + policies;
}

TEST(Plan, CellsComeInstanceByInstanceHorizonByHorizonPolicyByPolicy) {
  const StudyPlan plan = plan_of(test::kSmallStudy);
  ASSERT_EQ(plan.cells.size(), 3u * 2 * 3);
  std::size_t id = 0;
  for (const char* instance : {"bilodeau-confounded:actions=4", "semi-benign:actions=3,contexts=3",
                               "semi-benign:actions=5,contexts=3"})
    for (const Round horizon : {Round{50}, Round{200}})
      for (const char* policy : {"ucb", "db", "ts"}) {
        const PlannedCell& cell = plan.cells[id];
        EXPECT_EQ(cell.id, id++);
        EXPECT_EQ(cell.instance, instance);
        EXPECT_EQ(cell.horizon, horizon);
        EXPECT_EQ(cell.policy, policy);
      }
}

TEST(Plan, CellsKnowTheirInstance) {
  const StudyPlan plan = plan_of(test::kSmallStudy);
  const PlannedCell& fixed = plan.cells.front();
  EXPECT_EQ(fixed.actions, 4u);
  EXPECT_EQ(fixed.contexts, 2u);
  EXPECT_FALSE(fixed.benign);
  EXPECT_EQ(fixed.role, "worst-case");
  EXPECT_EQ(fixed.epsilon, 0);
  EXPECT_EQ(fixed.rank, 2u);
  ASSERT_TRUE(fixed.gap.has_value());
  EXPECT_EQ(*fixed.gap, *InstanceSource(fixed.instance, 50, 7).instance(0)->smallest_gap());
  EXPECT_FALSE(plan.cells.back().gap.has_value());  // another one in every replication
}

TEST(Plan, LabelsAreTheTextFormOrOnesOwnWithWhatVaries) {
  const StudyPlan plan = plan_of(test::kSmallStudy);
  EXPECT_EQ(plan.cells[0].instance_label, "bilodeau-confounded:actions=4");
  EXPECT_EQ(plan.cells[0].policy_label, "ucb");
  EXPECT_EQ(plan.cells[1].policy_label, "balancer");
  EXPECT_EQ(plan.cells[6].instance_label, "random (actions=3)");
  EXPECT_EQ(plan.cells[12].instance_label, "random (actions=5)");
  using Values = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(plan.cells[12].instance_name.varied, (Values{{"actions", "5"}}));
  EXPECT_TRUE(plan.cells[12].policy_name.varied.empty());
}

TEST(Plan, RolesAreGivenOrFound) {
  const StudyPlan plan = plan_of(study_of(R"(
[[instances]]
instance = "bilodeau-benign"
[[instances]]
instance = "bilodeau-benign:actions=3"
role = "worst-case"
[[instances]]
instance = "hidden-arm")",
                                          "[[policies]]\npolicy = 'ucb'"));
  ASSERT_EQ(plan.cells.size(), 6u);
  EXPECT_EQ(plan.cells[0].role, "benign");
  EXPECT_EQ(plan.cells[2].role, "worst-case");
  EXPECT_TRUE(plan.cells[2].benign);
  EXPECT_EQ(plan.cells[4].role, "worst-case");
}

TEST(Plan, FormulasOfAnInstanceSpeakOfItsSizesAndTheHorizon) {
  const StudyPlan plan = plan_of(
      study_of("[[instances]]\ninstance = 'pareto-benign'\nactions = [5, 8]\ngap = 'sqrt(A/T)/Z'",
               "[[policies]]\npolicy = 'ucb'"));
  ASSERT_EQ(plan.cells.size(), 4u);
  std::size_t i = 0;
  for (const double actions : {5.0, 8.0})
    for (const double horizon : {100.0, 400.0}) {
      const double contexts = plan.cells[i].contexts;
      const std::string text = fmt::format("pareto-benign:actions={},gap={}", actions,
                                           std::sqrt(actions / horizon) / contexts);
      EXPECT_EQ(plan.cells[i].instance, InstanceSource(text, plan.cells[i].horizon, 1).text());
      ++i;
    }
}

// The silent kind of mistake: a formula must not be worked out with a size that is not the
// instance's.
TEST(Plan, SizesMayBeFormulasThemselves) {
  const StudyPlan plan =
      plan_of(study_of("[[instances]]\ninstance = 'random-benign'\nactions = 'sqrt(T)'\n"
                       "contexts = 'A/2'\nconcentration = '1/Z'",
                       "[[policies]]\npolicy = 'ucb'"));
  EXPECT_EQ(plan.cells[0].instance, "random-benign:actions=10,concentration=0.2");
  EXPECT_EQ(plan.cells[1].instance, "random-benign:contexts=10,concentration=0.1");
  EXPECT_EQ(plan.cells[1].actions, 20u);
  EXPECT_EQ(plan.cells[1].contexts, 10u);
  const std::string message = refusal([] {
    plan_of(study_of("[[instances]]\ninstance = 'random-benign'\nactions = '2*Z'",
                     "[[policies]]\npolicy = 'ucb'"));
  });
  EXPECT_TRUE(contains(message, "actions: got '2*Z'")) << message;
  EXPECT_TRUE(contains(message, "Z, which is not known here")) << message;
}

TEST(Plan, EveryFamilyHasTheContextsItsFormulasAreToldOf) {
  for (const Family& family : families()) {
    const StudyPlan plan =
        plan_of(study_of("[[instances]]\ninstance = '" + family.name + "'\nepsilon = 'Z/1000'",
                         "[[policies]]\npolicy = 'ucb'"));
    EXPECT_TRUE(
        contains(plan.cells[0].instance, "epsilon=" + print_real(plan.cells[0].contexts / 1000.0)))
        << plan.cells[0].instance;
  }
}

TEST(Plan, FormulasOfAPolicySpeakOfTheInstanceItMeets) {
  const StudyPlan plan =
      plan_of(study_of("instances = ['hidden-arm:actions=4', 'semi-benign:actions=9,contexts=3']",
                       "[[policies]]\npolicy = 'ucb'\nscale = ['1/sqrt(A)', 'Z/T']"));
  ASSERT_EQ(plan.cells.size(), 8u);
  EXPECT_EQ(plan.cells[0].policy, "ucb:scale=0.5");
  EXPECT_EQ(plan.cells[0].policy_label, "ucb:scale=1/sqrt(A)");
  EXPECT_EQ(plan.cells[4].policy, "ucb:scale=" + print_real(1 / 3.0));
  EXPECT_EQ(plan.cells[5].policy, "ucb:scale=0.03");
  EXPECT_EQ(plan.cells[7].policy, "ucb:scale=0.0075");
}

TEST(Plan, IntegersFromFormulasAreRounded) {
  const StudyPlan plan = plan_of(study_of("instances = 'hidden-arm:actions=4'",
                                          "[[policies]]\npolicy = 'fixed'\narm = 'log(A)'"));
  EXPECT_EQ(plan.cells[0].policy, "fixed:arm=1");
}

TEST(Plan, OracleIsAPolicy) {
  EXPECT_EQ(plan_of(study_of("instances = 'hidden-arm'", "policies = 'oracle'")).cells[0].policy,
            "oracle");
}

struct Bad {
  const char* instances;
  const char* policies;
  const char* message;
};

TEST(Plan, WhatDoesNotFitIsRefusedByName) {
  for (const Bad& bad : std::vector<Bad>{
           {"instances = 'hiden-arm'", "policies = 'ucb'", "did you mean 'hidden-arm'?"},
           {"instances = 'hidden-arm:gaps=1'", "policies = 'ucb'", "did you mean 'gap'?"},
           {"instances = 'hidden-arm:gap=0.9'", "policies = 'ucb'", "gap: got 0.9"},
           {"instances = 'hidden-arm:gap=2*B'", "policies = 'ucb'",
            "family hidden-arm: gap: got '2*B'"},
           {"instances = 'hidden-arm:gap=2*B'", "policies = 'ucb'", "at character 3"},
           {"instances = 'hidden-arm:gap=A/0'", "policies = 'ucb'", "a finite value"},
           {"instances = 'hidden-arm:actions=1e300*A'", "policies = 'ucb'", "actions: got"},
           {"instances = 'hidden-arm:actions=1e300*T'", "policies = 'ucb'", "actions: got"},
           {"instances = 'hiden-arm:gap=1/4'", "policies = 'ucb'", "did you mean 'hidden-arm'?"},
           {"instances = 'none.json'", "policies = 'ucb'", "none.json"},
           {"[[instances]]\ninstance = 'none.json'\ngap = 1", "[[policies]]\npolicy = 'ucb'",
            "got keys, expected none for an instance file"},
           {"instances = 'hidden-arm'", "policies = 'uccb'", "did you mean 'ucb'?"},
           {"instances = 'hidden-arm'", "policies = 'ucb:dleta=1'", "did you mean 'delta'?"},
           {"instances = 'hidden-arm'", "policies = 'ucb:scale=word'", "or a formula"},
           {"instances = 'hidden-arm:actions=3'", "policies = 'fixed:arm=3'", "arm: got 3"},
           {"instances = 'hidden-arm'", "policies = ['ucb', 'ucb:scale=1']", "twice"},
           {"instances = ['hidden-arm', 'hidden-arm:gap=0.2']", "policies = 'ucb'", "twice"},
           {"instances = 'hidden-arm'",
            "[[policies]]\npolicy='ucb'\nlabel='x'\n[[policies]]\npolicy='ts'\nlabel='x'",
            "label: got x on hidden-arm twice"}}) {
    const std::string message = refusal([&] { plan_of(study_of(bad.instances, bad.policies)); });
    EXPECT_TRUE(contains(message, bad.message)) << bad.instances << "\n" << message;
  }
}

// 10^15 cells are counted, not made.
TEST(Plan, AnExplosionIsRefusedAtOnce) {
  const std::clock_t start = std::clock();  // of this process: the machine may be busy
  const std::string message = refusal([] {
    plan_of(
        study_of("[[instances]]\ninstance = 'hidden-arm'\ngap = 'linspace(0,0.5,100000)'\n"
                 "actions = 'linspace(1,100000,100000)'",
                 "[[policies]]\npolicy = 'ucb'\nscale = 'linspace(1,2,100000)'"));
  });
  EXPECT_EQ(message,
            "cells: got 2000000000000000, expected at most 100000 (instances × horizons × "
            "policies)");
  EXPECT_LT(std::clock() - start, 2 * CLOCKS_PER_SEC);
}

TEST(Plan, TheLimitIsTheCallers) {
  const Study study = read_study(test::kSmallStudy, "s.toml");
  EXPECT_EQ(plan_study(study, 18).cells.size(), 18u);
  EXPECT_TRUE(contains(refusal([&] { plan_study(study, 17); }), "cells: got 18"));
}

constexpr const char* kWorld = R"({"format": "armature-instance", "version": 1, "name": "w",
  "actions": 2, "contexts": 2, "marginals": [[0.5, 0.5], [0.2, 0.8]],
  "rewards": {"given_context": [LAW, 0.75]}})";

std::uint64_t fingerprint_of_world(const std::string& law, const std::string& name = "w") {
  const test::TemporaryDirectory directory;
  std::string json = kWorld;
  json.replace(json.find("LAW"), 3, law);
  json.replace(json.find("\"w\""), 3, "\"" + name + "\"");
  write_file(directory.file("w.json"), json);
  return plan_of(study_of("instances = '" + directory.file("w.json") + "'", "policies = 'ucb'"))
      .cells[0]
      .fingerprint;
}

// The same means with other laws are another world: other draws, other regrets.
TEST(Plan, TheFingerprintTellsWorldsApart) {
  const std::uint64_t world = fingerprint_of_world("0.5");
  EXPECT_EQ(fingerprint_of_world("{\"bernoulli\": 0.5}"), world);
  EXPECT_EQ(fingerprint_of_world("0.5", "another name"), world);
  EXPECT_NE(fingerprint_of_world("0.25"), world);
  EXPECT_NE(fingerprint_of_world("{\"point\": 0.5}"), world);
  EXPECT_NE(fingerprint_of_world("{\"beta\": [2, 2]}"), world);
  EXPECT_NE(fingerprint_of_world("{\"beta\": [2, 2]}"), fingerprint_of_world("{\"beta\": [3, 3]}"));
}

// A study that steps through 10^13 rounds is not one of a second.
TEST(Plan, SteppedRoundsAreAllCounted) {
  const std::string study = "horizons = [1e5, 1e13]\ninstances = 'hidden-arm'\npolicies = 'ucb'\n";
  const std::vector<double> seconds = trial_seconds(plan_of(study, {"engine=step"}));
  EXPECT_GT(seconds[1], 1e5 * seconds[0]);  // about 1e8 times
}

TEST(Plan, TrialsGiveEveryCellATime) {
  const StudyPlan plan = plan_of(test::kSmallStudy);
  const std::vector<double> seconds = trial_seconds(plan);
  ASSERT_EQ(seconds.size(), plan.cells.size());
  for (const double time : seconds) {
    EXPECT_GT(time, 0);
    EXPECT_LT(time, 60);
  }
}

TEST(StudyPlan, ConditionsAreAnAxisOfTheirOwn) {
  const StudyPlan plan = test::plan_of(R"(
horizons = 100
instances = "hidden-arm"
policies = ["ucb", "ts"]
delay = [0, 10, "geometric:mean=5"]
loss = [0, 0.5]
batch = 4
)");
  ASSERT_EQ(plan.cells.size(), 12u);
  EXPECT_EQ(plan.cells[0].instance_label, "hidden-arm (delay=none, loss=0)");
  EXPECT_EQ(plan.cells[6].instance_label, "hidden-arm (delay=fixed:10, loss=0.5)");
  EXPECT_EQ(plan.cells[6].feedback.describe(), "delay=fixed:10 batch=4 loss=0.5");
  EXPECT_EQ(plan.cells[6].x("delay"), 10);
  EXPECT_EQ(plan.cells[11].x("delay"), 5);
  EXPECT_EQ(plan.cells[11].policy, "ts");
  EXPECT_EQ(plan.cells[6].instance_name.without({"delay"}), "hidden-arm (loss=0.5)");
  EXPECT_FALSE(plan.cells[0].same_world(plan.cells[2]));
  EXPECT_TRUE(plan.cells[0].same_world(plan.cells[1]));
}

TEST(StudyPlan, AFigureAgainstNothingIsRefused) {
  const std::string message = refusal([] {
    plan_of(study_of("instances = 'hidden-arm'", "policies = 'ucb'") +
            "\nfigures = [{kind = 'final', x = 'gpa'}]");
  });
  EXPECT_TRUE(contains(message, "figures: final: x: got 'gpa', expected horizon, actions"))
      << message;
}

}  // namespace
}  // namespace armature
