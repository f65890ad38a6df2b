#include <gtest/gtest.h>

#include <set>

#include "armature/families.h"
#include "base/file.h"
#include "base/refusal.h"
#include "families/built.h"
#include "support/program.h"

namespace armature {
namespace {

using test::built;
using test::contains;
using test::refusal;
using test::TemporaryDirectory;

constexpr Round kHorizon = 1000;

TEST(Families, NamesDiffer) {
  std::set<std::string> names;
  for (const Family& family : families()) EXPECT_TRUE(names.insert(family.name).second);
}

TEST(Families, EveryFamilyBuildsWithDefaults) {
  for (const Family& family : families()) {
    const InstanceSource source(family.name, kHorizon, 1);
    EXPECT_EQ(source.text(), family.name);
    EXPECT_EQ(source.fresh_per_replication(), family.random) << family.name;
    const auto instance = source.instance(0);
    EXPECT_EQ(instance->name(), family.name);
    EXPECT_EQ(instance->actions(), 20u) << family.name;
    EXPECT_EQ(instance->problem({}).actions(), 20u);
  }
}

TEST(Families, EveryFamilyAndParameterIsExplained) {
  for (const Family& family : families()) {
    EXPECT_FALSE(family.summary.empty()) << family.name;
    EXPECT_FALSE(family.text.empty()) << family.name;
    EXPECT_FALSE(family.section.empty()) << family.name;
    for (const Parameter& parameter : family.parameters) {
      EXPECT_FALSE(parameter.help_text().empty()) << family.name << ' ' << parameter.name();
      EXPECT_FALSE(parameter.section().empty()) << family.name << ' ' << parameter.name();
      EXPECT_FALSE(parameter.default_text().empty()) << family.name << ' ' << parameter.name();
    }
  }
}

// What one run's canonical text says, another run builds.
TEST(Families, CanonicalTextRoundTrips) {
  for (const Family& family : families()) {
    const InstanceSource source(family.name + ":actions=1e1,epsilon=1e-2,perturbation=random",
                                kHorizon, 3);
    EXPECT_EQ(source.text(), family.name + ":actions=10,epsilon=0.01");
    const InstanceSource again(source.text(), kHorizon, 3);
    EXPECT_EQ(again.text(), source.text());
    EXPECT_EQ(write_instance(*again.instance(2)), write_instance(*source.instance(2)));
  }
}

TEST(Families, EveryInstanceSurvivesItsFile) {
  for (const Family& family : families()) {
    const auto instance = InstanceSource(family.name, kHorizon, 1).instance(0);
    const std::string text = write_instance(*instance);
    EXPECT_EQ(write_instance(read_instance(text, "test")), text) << family.name;
  }
}

TEST(Families, RandomOnesAreFreshPerReplicationAndReproducible) {
  for (const char* text : {"random-benign", "semi-benign", "nearly-benign", "all-confounded",
                           "pareto-benign:epsilon=0.1"}) {
    const InstanceSource source(text, {}, 7);
    EXPECT_TRUE(source.fresh_per_replication());
    const std::string first = write_instance(*source.instance(0));
    EXPECT_EQ(write_instance(*source.instance(0)), first);
    EXPECT_NE(write_instance(*source.instance(1)), first);
    EXPECT_EQ(write_instance(*InstanceSource(text, {}, 7).instance(0)), first);
    EXPECT_NE(write_instance(*InstanceSource(text, {}, 8).instance(0)), first);
  }
}

TEST(Families, OthersAreBuiltOnce) {
  for (const char* text : {"pareto-benign", "pareto-benign:epsilon=0.1,perturbation=adversarial"}) {
    const InstanceSource source(text, {}, 7);
    EXPECT_FALSE(source.fresh_per_replication());
    EXPECT_EQ(source.instance(0), source.instance(5));
  }
}

// Replications must not share luck with the perturbation of others, nor ε with the world itself.
TEST(Families, EpsilonLeavesTheWorldAlone) {
  const InstanceSource plain("random-benign", {}, 7);
  const InstanceSource disturbed("random-benign:epsilon=0.1", {}, 7);
  EXPECT_EQ(plain.instance(4)->marginals(), disturbed.instance(4)->marginals());
  EXPECT_EQ(plain.instance(4)->mean(3), disturbed.instance(4)->mean(3));
}

TEST(Families, UnknownFamily) {
  const std::string message = refusal([] { find_family("hiden-arm"); });
  EXPECT_TRUE(contains(message, "instance: got 'hiden-arm', expected a family (pareto-benign, "))
      << message;
  EXPECT_TRUE(contains(message, "did you mean 'hidden-arm'?")) << message;
  EXPECT_TRUE(
      contains(refusal([] { built("pareto-benin:gap=0.1"); }), "did you mean 'pareto-benign'?"));
}

TEST(Families, BadTextsAreFoundAtOnce) {
  EXPECT_NE(refusal([] { InstanceSource("", {}, 1); }), "(accepted)");
  EXPECT_NE(refusal([] { InstanceSource("random-benign:", {}, 1); }), "(accepted)");
  EXPECT_NE(refusal([] { InstanceSource("random-benign:rank=9", {}, 1); }), "(accepted)");
  EXPECT_TRUE(contains(refusal([] { InstanceSource("random-benign:context=9", {}, 1); }),
                       "did you mean 'contexts'?"));
}

TEST(Families, FormulasSpeakOfTheHorizonAndTheFamilysOwnSizes) {
  EXPECT_EQ(InstanceSource("hidden-arm:gap=1/4", {}, 1).text(), "hidden-arm:gap=0.25");
  EXPECT_EQ(InstanceSource("hidden-arm:gap=Z/A", {}, 1).text(), "hidden-arm:gap=0.1");
  EXPECT_EQ(InstanceSource("hidden-arm:gap=1/A,actions=sqrt(T)", 1600, 1).text(),
            "hidden-arm:actions=40,gap=0.025");
  EXPECT_EQ(InstanceSource("bilodeau-benign:gap=Z/8", {}, 1).text(), "bilodeau-benign:gap=0.25");
  EXPECT_TRUE(contains(refusal([] { InstanceSource("hidden-arm:gap=1/T", {}, 1); }),
                       "T, which is not known here"));
  EXPECT_TRUE(contains(refusal([] { InstanceSource("hidden-arm:actions=2*Z", {}, 1); }),
                       "family hidden-arm: actions: got '2*Z'"));
}

// ---- Files -------------------------------------------------------------------------------------

TEST(InstanceSource, ReadsAFile) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("world.json");
  const Instance instance = built("pareto-confounded:actions=3");
  write_file(path, write_instance(instance));
  const InstanceSource source(path, {}, 1);
  EXPECT_EQ(source.text(), path);
  EXPECT_FALSE(source.fresh_per_replication());
  EXPECT_EQ(write_instance(*source.instance(3)), write_instance(instance));
}

TEST(InstanceSource, WhatIsAFileAndWhatIsAFamily) {
  for (const char* family :
       {"hidden-arm", "hidden-arm:gap=1/4", "hidden-arm:x.json", "hiden-arm:gap=1/4", "hiden-arm"})
    EXPECT_FALSE(names_instance_file(family)) << family;
  for (const char* file : {"world.json", "worlds/x", "./hidden-arm", "worlds/a:b,c.json"})
    EXPECT_TRUE(names_instance_file(file)) << file;
  const TemporaryDirectory directory;
  write_file(directory.file("world"), "{}");
  EXPECT_TRUE(names_instance_file(directory.file("world")));
  // A misspelt family with a slash in its keys is not looked for on the disk.
  EXPECT_TRUE(contains(refusal([] { InstanceSource("hiden-arm:gap=1/4", {}, 1); }),
                       "or an instance file; did you mean 'hidden-arm'?"));
}

TEST(InstanceSource, NamesTheFileInErrors) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("world.json");
  EXPECT_EQ(refusal([&] { InstanceSource(path, {}, 1); }),
            path + ": open: got No such file or directory, expected a readable file");
  write_file(path, "{}");
  EXPECT_EQ(refusal([&] { InstanceSource(path, {}, 1); }),
            path + ": format: got nothing, expected this field to be there");
}

// ---- What policies are told --------------------------------------------------------------------

Problem told_nothing(std::size_t actions, std::size_t contexts) {
  Problem problem;
  problem.action_names = numbered_names('a', actions);
  problem.context_names = numbered_names('z', contexts);
  return problem;
}

TEST(InstanceSource, TellReplacesWhatPoliciesKnow) {
  for (const char* text :
       {"pareto-benign", "random-benign:contexts=2", "pareto-benign:epsilon=0.1"}) {
    InstanceSource source(text, {}, 1);
    ASSERT_NE(source.instance(0)->problem({}).marginals, nullptr);
    const Matrix truth = source.instance(0)->marginals();
    source.tell(told_nothing(20, 2));
    EXPECT_EQ(source.instance(0)->problem({}).marginals, nullptr) << text;
    EXPECT_EQ(source.instance(3)->problem({}).marginals, nullptr) << text;
    EXPECT_EQ(source.instance(0)->marginals(), truth) << text;
  }
}

TEST(InstanceSource, TellReplacesAFilesGivenBlock) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("world.json");
  write_file(path, write_instance(built("agnostic:gap=0.01")));
  InstanceSource source(path, {}, 1);
  ASSERT_NE(source.instance(0)->problem({}).marginals, nullptr);
  source.tell(told_nothing(20, 2));
  EXPECT_EQ(source.instance(0)->problem({}).marginals, nullptr);
}

TEST(InstanceSource, TellRefusesAProblemOfAnotherSize) {
  InstanceSource source("pareto-benign", {}, 1);
  EXPECT_EQ(refusal([&] { source.tell(told_nothing(3, 2)); }),
            "given: got 3 actions × 2 contexts, expected the instance's 20 × 2");
}

// In a run the instances are drawn by threads: a bad problem must be found before.
TEST(InstanceSource, TellRefusesAProblemOfAnotherSizeForRandomFamilies) {
  InstanceSource source("random-benign", {}, 1);
  EXPECT_EQ(refusal([&] { source.tell(told_nothing(3, 2)); }),
            "given: got 3 actions × 2 contexts, expected the instance's 20 × 5");
}

}  // namespace
}  // namespace armature
