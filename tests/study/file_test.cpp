// Study files: what each key means, what is filled in, and what is refused with its line.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "armature/study.h"
#include "base/refusal.h"
#include "study/figure_kinds.h"
#include "support/studies.h"

namespace armature {
namespace {

using test::contains;
using test::refusal;

constexpr const char* kLeast = R"(horizons = 100
instances = "hidden-arm"
policies = "ucb"
)";

constexpr const char* kFull = R"toml(# every key
title = "A \"title\""
text = """
One paragraph.

Another: 100% μ."""
seed = "18446744073709551615"
replications = 1e3
horizons = [100, 1e4, "2^20", "1_000"]
checkpoints = 7
engine = "step"

[[instances]]
instance = "hidden-arm:gap=0.1"
label = "hidden"
role = "worst-case"
actions = [5, 10]
arm = 1

[[instances]]
instance = "worlds/a:b,c.json"

[[policies]]
policy = "db:base=(c-ucb:scale=0.5)+ucb"
label = "balanced"
dial = "linspace(0,1,3)"

[[policies]]
policy = "ucb"
scale = [1, 0.5, "1/sqrt(A)", "geomspace(1,4,3)"]

[[figures]]
kind = "final"
x = "gap"
scale = "log-log"
title = "Who wins"
theory = false

[[figures]]
kind = "regret"
)toml";

// --- Reading

TEST(StudyFile, DefaultsAreFilledIn) {
  const Study study = read_study(kLeast, "s.toml");
  EXPECT_EQ(study.title, "");
  EXPECT_EQ(study.text, "");
  EXPECT_EQ(study.seed, 1u);
  EXPECT_EQ(study.replications, 100u);
  EXPECT_EQ(study.horizons, std::vector<Round>{100});
  EXPECT_EQ(study.checkpoints, 32u);
  EXPECT_EQ(study.engine, "auto");
  ASSERT_EQ(study.instances.size(), 1u);
  EXPECT_EQ(study.instances[0].name, "hidden-arm");
  EXPECT_EQ(study.instances[0].role, "");
  ASSERT_EQ(study.policies.size(), 1u);
  EXPECT_TRUE(study.figures.empty());  // every kind that has something to show
  EXPECT_TRUE(study.conditions.empty());
  EXPECT_EQ(figures_asked_for(study).size(), figure_kinds().size());
}

TEST(StudyFile, EveryKeyIsRead) {
  const Study study = read_study(kFull, "s.toml");
  EXPECT_EQ(study.title, "A \"title\"");
  EXPECT_EQ(study.text, "One paragraph.\n\nAnother: 100% μ.");
  EXPECT_EQ(study.seed, UINT64_MAX);
  EXPECT_EQ(study.replications, 1000u);
  EXPECT_EQ(study.horizons, (std::vector<Round>{100, 10000, 1 << 20, 1000}));
  EXPECT_EQ(study.checkpoints, 7u);
  EXPECT_EQ(study.engine, "step");
  ASSERT_EQ(study.figures.size(), 2u);
  EXPECT_EQ(study.figures[0].kind, FigureKind::kFinal);
  EXPECT_EQ(study.figures[0].x, "gap");
  EXPECT_EQ(study.figures[0].scale, "log-log");
  EXPECT_EQ(study.figures[0].title, "Who wins");
  EXPECT_FALSE(study.figures[0].theory);
}

TEST(StudyFile, GridsAreReadInFileOrder) {
  const Study study = read_study(kFull, "s.toml");
  ASSERT_EQ(study.instances.size(), 2u);
  const GridEntry& hidden = study.instances[0];
  EXPECT_EQ(hidden.name, "hidden-arm");
  EXPECT_EQ(hidden.label, "hidden");
  EXPECT_EQ(hidden.role, "worst-case");
  ASSERT_EQ(hidden.axes.size(), 3u);
  EXPECT_EQ(hidden.axes[0].key, "gap");
  EXPECT_EQ(hidden.axes[1].key, "actions");
  EXPECT_EQ(hidden.axes[1].values, (std::vector<std::string>{"5", "10"}));
  EXPECT_EQ(hidden.axes[2].key, "arm");
  EXPECT_EQ(study.instances[1].name, "worlds/a:b,c.json");  // a file, colons and all
  ASSERT_EQ(study.policies.size(), 2u);
  EXPECT_EQ(study.policies[0].axes[0].values[0], "(c-ucb:scale=0.5)+ucb");
  EXPECT_EQ(study.policies[0].axes[1].values, (std::vector<std::string>{"0", "0.5", "1"}));
  EXPECT_EQ(study.policies[1].axes[0].values,
            (std::vector<std::string>{"1", "0.5", "1/sqrt(A)", "1", "2", "4"}));
}

TEST(StudyFile, AListInATextFormIsAGridToo) {
  const Study study = read_study(
      "horizons = 9\ninstances = 'hidden-arm'\npolicies = 'db:dial=linspace(0,1,3)'", "s.toml");
  EXPECT_EQ(study.policies[0].axes[0].values, (std::vector<std::string>{"0", "0.5", "1"}));
}

// --- Writing

TEST(StudyFile, WrittenWithEverythingSpeltOutItReadsBackEqual) {
  for (const char* toml : {kLeast, kFull, test::kSmallStudy}) {
    const std::string once = write_study(read_study(toml, "s.toml"));
    EXPECT_EQ(write_study(read_study(once, "again.toml")), once);
  }
  const std::string spelt = write_study(read_study(kLeast, "s.toml"));
  for (const char* line :
       {"title = \"\"\n", "seed = 1\n", "replications = 100\n", "horizons = [100]\n",
        "checkpoints = 32\n", "engine = \"auto\"\n", "max_events = 1000000000\n"})
    EXPECT_TRUE(contains(spelt, line)) << line;
}

bool same(const GridEntry& one, const GridEntry& other) {
  if (one.name != other.name || one.label != other.label || one.role != other.role ||
      one.axes.size() != other.axes.size())
    return false;
  for (std::size_t i = 0; i < one.axes.size(); ++i)
    if (one.axes[i].key != other.axes[i].key || one.axes[i].values != other.axes[i].values)
      return false;
  return true;
}

std::string any_words() {
  return *rc::gen::container<std::string>(
      rc::gen::elementOf(std::string("az \"\\'\n\r\t#=[]{}%\x01\x7f,:")));
}

std::string any_value() {
  if (*rc::gen::arbitrary<bool>()) return any_words();
  const double number = *rc::gen::arbitrary<double>();
  return fmt::format("{}", number);
}

GridEntry any_entry(bool instance) {
  GridEntry entry;
  entry.name = "name";
  entry.label = any_words();
  if (instance) entry.role = *rc::gen::element<std::string>("", "benign", "worst-case");
  const int axes = *rc::gen::inRange(0, 3);
  for (int i = 0; i < axes; ++i) {
    GridAxis axis{fmt::format("key-{}", i), {any_value()}};
    while (*rc::gen::inRange(0, 3) > 0) axis.values.push_back(any_value());
    entry.axes.push_back(std::move(axis));
  }
  return entry;
}

TEST(StudyFile, AnyStudyReadsBackEqual) {
  EXPECT_TRUE(rc::check("write and read", [] {
    Study study;
    study.title = any_words();
    study.text = any_words();
    study.seed = *rc::gen::arbitrary<std::uint64_t>();
    study.horizons = {*rc::gen::inRange<Round>(1, 1'000'000'000'000'000'000)};
    study.instances = {any_entry(true), any_entry(true)};
    study.policies = {any_entry(false)};
    study.figures = {
        {FigureKind::kFinal, any_words(), "", any_words(), *rc::gen::arbitrary<bool>()}};
    const Study again = read_study(write_study(study), "again.toml");
    RC_ASSERT(again.title == study.title);
    RC_ASSERT(again.text == study.text);
    RC_ASSERT(again.seed == study.seed);
    RC_ASSERT(again.horizons == study.horizons);
    for (std::size_t i = 0; i < 2; ++i) RC_ASSERT(same(again.instances[i], study.instances[i]));
    RC_ASSERT(same(again.policies[0], study.policies[0]));
    RC_ASSERT(again.figures[0].x == study.figures[0].x);
    RC_ASSERT(again.figures[0].title == study.figures[0].title);
    RC_ASSERT(again.figures[0].theory == study.figures[0].theory);
  }));
}

// --- Overrides

TEST(StudyOverride, ReplacesTopLevelValues) {
  const Study study = read_study(kFull, "s.toml",
                                 {"replications=20", "horizons=[1e4,1e5]", "engine=auto",
                                  "title=two words", "seed=2^40", "policies=['ucb','ts']"});
  EXPECT_EQ(study.replications, 20u);
  EXPECT_EQ(study.horizons, (std::vector<Round>{10000, 100000}));
  EXPECT_EQ(study.engine, "auto");
  EXPECT_EQ(study.title, "two words");
  EXPECT_EQ(study.seed, std::uint64_t{1} << 40);
  EXPECT_EQ(study.policies.size(), 2u);
  EXPECT_EQ(study.checkpoints, 7u);  // left alone
}

TEST(StudyOverride, FillsInWhatTheFileLacks) {
  EXPECT_EQ(
      read_study("instances='hidden-arm'\npolicies='ucb'", "s.toml", {"horizons=50"}).horizons,
      std::vector<Round>{50});
}

TEST(StudyOverride, MistakesAreRefusedWithoutALineOfTheFile) {
  const auto message = [](const std::string& pair) {
    return refusal([&] { read_study(kFull, "s.toml", {pair}); });
  };
  EXPECT_TRUE(
      contains(message("replications"), "override: got 'replications', expected key=value"));
  EXPECT_TRUE(contains(message("=5"), "override: got '=5', expected key=value"));
  EXPECT_TRUE(contains(message("a.b=5"), "override: got 'a.b=5', expected key=value"));
  EXPECT_TRUE(contains(message("replication=5"), "override: got 'replication', expected one of"));
  EXPECT_TRUE(contains(message("replication=5"), "did you mean 'replications'?"));
  EXPECT_TRUE(contains(message("replications=many"), "replications: got 'many'"));
  EXPECT_FALSE(contains(message("replications=many"), "line")) << message("replications=many");
  EXPECT_TRUE(contains(message("replications=5\nseed=3"), "replications: got '5\\nseed=3'"));
  EXPECT_TRUE(contains(message("engine=\xff"), "engine: got "));
}

// --- Refusing

struct Bad {
  const char* toml;
  const char* message;
};

void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.toml; }

class BadStudy : public testing::TestWithParam<Bad> {};

TEST_P(BadStudy, IsRefusedWithFileLineAndField) {
  const std::string message = refusal([&] { read_study(GetParam().toml, "s.toml"); });
  EXPECT_TRUE(contains(message, "s.toml: ")) << message;
  EXPECT_TRUE(contains(message, GetParam().message)) << message;
}

INSTANTIATE_TEST_SUITE_P(Toml, BadStudy,
                         testing::Values(Bad{"title = \"x", "line 1"}, Bad{"[", "line 1"},
                                         Bad{"a = 1\n[\n[x]]", "line 2"}, Bad{"[[ \n", "line 1"},
                                         Bad{"\né = 1", "line 2"}, Bad{"x ≠ 1", "line 1"},
                                         Bad{"a = 1\nb = = 2\n", "line 2"},
                                         Bad{"\n\nseed = 1\nseed = 2\n", "line 4"},
                                         Bad{"title = 'x\x01'", "line 1"},
                                         Bad{"title = \"\xff\"", "line 1"}));

INSTANTIATE_TEST_SUITE_P(
    Keys, BadStudy,
    testing::Values(
        Bad{"", "horizons: got nothing, expected at least one"},
        Bad{"horizons = 5", "instances: got nothing"},
        Bad{"horizons = 5\ninstances = 'hidden-arm'", "policies: got nothing"},
        Bad{"\nreplication = 5", "line 2: key: got 'replication', expected one of title"},
        Bad{"\nreplication = 5", "did you mean 'replications'?"},
        Bad{"[instance]\nname = 1", "did you mean 'instances'?"},
        Bad{"title = 5", "line 1: title: got 5, expected a string"},
        Bad{"text = ['x']", "line 1: text: got an array, expected a string"},
        Bad{"seed = -1", "line 1: seed: got -1, expected a whole number from 0"},
        Bad{"seed = 0.5", "seed: got 0.5"}, Bad{"seed = true", "seed: got true"},
        Bad{"replications = 0", "line 1: replications: got 0, expected a whole number from 1"},
        Bad{"replications = 2e9", "replications: got 2"},
        Bad{"replications = 'many'", "replications: got 'many'"},
        Bad{"horizons = []", "line 1: horizons: got an array, expected at least one"},
        Bad{"horizons = [10,\n0]", "line 2: horizons: got 0"},
        Bad{"horizons = [10, 1e1]", "horizons: got 10.0, expected each horizon once"},
        Bad{"horizons = [1e19]", "horizons: got 1e+19"}, Bad{"horizons = nan", "horizons: got nan"},
        Bad{"horizons = 1979-05-27", "horizons: got 1979-05-27"},
        Bad{"horizons = {a = 1}", "horizons: got a table"},
        Bad{"horizons = 5\ncheckpoints = 0", "line 2: checkpoints: got 0"},
        Bad{"horizons = 5\nengine = 'lepa'", "line 2: engine: got 'lepa', expected one of auto"},
        Bad{"horizons = 5\nengine = 'lepa'", "did you mean 'leap'?"}));

#define ARMATURE_TEST_STUDY(lines) "horizons = 5\npolicies = 'ucb'\n" lines
INSTANTIATE_TEST_SUITE_P(
    Grids, BadStudy,
    testing::Values(
        Bad{ARMATURE_TEST_STUDY("instances = []"), "line 3: instances: got an array"},
        Bad{ARMATURE_TEST_STUDY("instances = 5"), "line 3: instance: got 5, expected a string"},
        Bad{ARMATURE_TEST_STUDY("instances = ''"), "instance: got '', expected name"},
        Bad{ARMATURE_TEST_STUDY("instances = 'x:'"), "expected key=value"},
        Bad{ARMATURE_TEST_STUDY("instances = 'x:label=b'"), "label = … beside it"},
        Bad{ARMATURE_TEST_STUDY("[[instances]]\nactions = 5"), "instance = \"…\" in the table"},
        Bad{ARMATURE_TEST_STUDY("[[instances]]\ninstance = 'x'\nactions = []"),
            "line 5: actions: got an array, expected at least one value"},
        Bad{ARMATURE_TEST_STUDY("[[instances]]\ninstance = 'x'\nactions = [[5]]"),
            "actions: got an array, expected a number or a string"},
        Bad{ARMATURE_TEST_STUDY("[[instances]]\ninstance = 'x'\nactions = true"),
            "actions: got true, expected a number, a string or a list"},
        Bad{ARMATURE_TEST_STUDY("[[instances]]\ninstance = 'x'\nactions = {a = 1}"),
            "actions: got a table"},
        Bad{ARMATURE_TEST_STUDY("[[instances]]\ninstance = 'x'\ngap = 'linspace(0,1)'"),
            "line 5: gap: got 'linspace(0,1)', expected linspace(low,high,count)"},
        Bad{ARMATURE_TEST_STUDY("instances = 'x:gap=linspace(0,1)'"), "linspace(low,high,count)"},
        Bad{ARMATURE_TEST_STUDY("[[instances]]\ninstance = 'x:gap=1'\ngap = 2"),
            "line 5: gap: got 2, expected the value once"},
        Bad{ARMATURE_TEST_STUDY("[[instances]]\ninstance = 'x'\n'a b' = 2"),
            "line 5: key 'a b': got 2, expected letters"},
        Bad{ARMATURE_TEST_STUDY("[[instances]]\ninstance = 'x'\nrole = 'bening'"),
            "line 5: role: got 'bening', expected one of benign, worst-case; did you mean"},
        Bad{ARMATURE_TEST_STUDY("[[instances]]\ninstance = 'x'\nlabel = 5"),
            "label: got 5, expected a string"}));

INSTANTIATE_TEST_SUITE_P(
    Figures, BadStudy,
    testing::Values(
        Bad{ARMATURE_TEST_STUDY("instances='x'\nfigures = 'regrets'"), "did you mean 'regret'?"},
        Bad{ARMATURE_TEST_STUDY("instances='x'\nfigures = []"), "line 4: figures: got an array"},
        Bad{ARMATURE_TEST_STUDY("instances='x'\n[[figures]]\nx = 'gap'"), "kind = \"…\""},
        Bad{ARMATURE_TEST_STUDY("instances='x'\n[[figures]]\nkind = 'final'\ntitel = 'x'"),
            "line 6: figures: final: got 'titel', expected one of kind, title, x, scale, theory; did "
            "you mean 'title'?"},
        Bad{ARMATURE_TEST_STUDY("instances='x'\n[[figures]]\nkind = 'final'\nscale = 'log'"),
            "line 6: scale: got 'log', expected one of linear, log-x, log-log"},
        Bad{ARMATURE_TEST_STUDY("instances='x'\n[[figures]]\nkind = 'final'\ntheory = 'no'"),
            "line 6: theory: got 'no', expected true or false"}));

INSTANTIATE_TEST_SUITE_P(
    KeysOfAKind, BadStudy,
    testing::Values(
        Bad{ARMATURE_TEST_STUDY("instances='x'\n[[figures]]\nkind = 'box'\nscale = 'linear'"),
            "line 6: figures: box: got 'scale', expected one of kind, title"},
        Bad{ARMATURE_TEST_STUDY("instances='x'\n[[verdicts]]\nname='q'\nrule='bound'\npolicy='p'\n"
                                "bound='ucb'\nx='gap'"),
            "verdicts: bound: got 'x', expected one of name, rule, policy, instance, catches, bound"},
        Bad{ARMATURE_TEST_STUDY(
                "instances='x'\n[[verdicts]]\nname='q'\nrule='ratio'\npolicy='p'\nhigh=1"),
            "against = \"…\""}));

INSTANTIATE_TEST_SUITE_P(
    Conditions, BadStudy,
    testing::Values(Bad{ARMATURE_TEST_STUDY("instances='x'\ndelay = 'late'"),
                        "line 4: delay: got 'late', expected none, a number of rounds, fixed:N or "
                        "geometric:mean=N"},
                    Bad{ARMATURE_TEST_STUDY("instances='x'\nloss = [0.1, 1]"),
                        "line 4: loss: got an array, expected a probability in [0,1)"},
                    Bad{ARMATURE_TEST_STUDY("instances='x'\nbatch = 0"),
                        "line 4: batch: got 0, expected 1 to 10^9 rounds"},
                    Bad{ARMATURE_TEST_STUDY("instances='x'\nleap_tolerance = 0"),
                        "expected a probability in (0,1)"}));
#undef ARMATURE_TEST_STUDY

}  // namespace
}  // namespace armature
