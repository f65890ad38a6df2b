// `armature replay` as a person runs it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "support/program.h"

namespace armature::test {
namespace {

const std::string kLog = ARMATURE_SOURCE_DIR "/examples/logs/campaigns.csv";

// Its truth: winter earns 0.331, autumn 0.103, spring 0.161 and summer 0.195; the log plays spring
// with 0.7 and the others with 0.1 each, and so earns 0.1756.
TEST(ReplayCommand, TellsWhatTheActionsAreWorth) {
  const ProgramResult result = run_armature("replay " + kLog +
                                            " --always winter --always autumn --policy uniform "
                                            "--policy sentry --format json");
  ASSERT_EQ(result.status, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["rows"], 4000);
  EXPECT_EQ(json["actions"].size(), 4u);
  EXPECT_EQ(json["contexts"].size(), 3u);
  const std::vector<std::pair<std::string, double>> truth = {
      {"uniform", 0.1975}, {"sentry", -1}, {"always 'winter'", 0.331}, {"always 'autumn'", 0.103}};
  ASSERT_EQ(json["values"].size(), truth.size());
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const auto& value = json["values"][i];
    const std::string policy = value["policy"];
    EXPECT_TRUE(policy.starts_with(truth[i].first)) << policy;
    EXPECT_TRUE(value["warnings"].empty()) << value["warnings"];
    if (truth[i].second < 0) continue;
    EXPECT_EQ(value["method"], "dr");
    EXPECT_LE(value["interval"][0], truth[i].second) << policy;
    EXPECT_GE(value["interval"][1], truth[i].second) << policy;
    EXPECT_LE(value["difference_interval"][0], truth[i].second - 0.1756) << policy;
    EXPECT_GE(value["difference_interval"][1], truth[i].second - 0.1756) << policy;
  }
  EXPECT_EQ(json["values"][1]["method"], "rejection");
}

TEST(ReplayCommand, SaysItInWords) {
  const ProgramResult result = run_armature("replay " + kLog + " --always winter --policy ucb");
  ASSERT_EQ(result.status, 0) << result.err;
  for (const char* part : {"4,000 used", "4 actions, 3 contexts", "always 'winter' earns 0.3",
                           "more than the log, by at least", "ucb was at work for",
                           "of the log, and earned", "docs/replay.md"})
    EXPECT_NE(result.out.find(part), std::string::npos) << part << "\n" << result.out;
}

TEST(ReplayCommand, GivesTheSameBytesTwice) {
  for (const char* options : {" --policy ts --policy uniform --bootstrap 100 --seed 3",
                              " --policy ts --method dr --benign --format csv"}) {
    const ProgramResult once = run_armature("replay " + kLog + options);
    EXPECT_EQ(once.status, 0) << once.err;
    EXPECT_EQ(once.out, run_armature("replay " + kLog + options).out);
  }
}

TEST(ReplayCommand, WritesCsv) {
  const ProgramResult result =
      run_armature("replay " + kLog + " --always winter --method snips --format csv");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(result.out.starts_with("policy,method,value,low,high,difference,"));
  EXPECT_NE(result.out.find("\nalways 'winter',snips,0.3"), std::string::npos) << result.out;
}

TEST(ReplayCommand, RefusesBadInput) {
  const TemporaryDirectory directory;
  const auto log = [&](const std::string& name, const std::string& content) {
    write_file(directory.file(name), content);
    return directory.file(name);
  };
  const std::string bare = log("bare.csv", "action,context,reward\na,x,1\nb,y,0\n");
  const std::string one =
      log("one.csv", "action,propensity,context,reward\na,0.5,x,1\na,0.5,y,0\n");
  const std::string problem = log("problem.json", R"({"actions": ["a", "b"], "contexts": ["x"]})");
  struct Bad {
    std::string arguments, expected;
  };
  for (const Bad& bad : std::vector<Bad>{
           {kLog, "at least one --policy or --always ACTION"},
           {kLog + " --always wintr", "did you mean 'winter'"},
           {kLog + " --policy sentri", "did you mean 'sentry'"},
           {kLog + " --policy ucb --method reject", "one of rejection, ips, snips, dr"},
           {kLog + " --policy ucb --level 2", "--level"},
           {kLog + " --policy ucb --bootstrap 10", "40 or more"},
           {kLog + " --policy ucb --horizon 0", "--horizon"},
           {kLog + " --policy ucb --least-propensity 0.2", "at least 0.2, as was promised"},
           {kLog + " --policy corral --method ips", "rejection"},
           {kLog + " --policy ucb --given hidden-arm", "problem file"},
           {bare + " --policy ucb", "--uniform if every action was drawn"},
           {one + " --policy ucb", "'a' alone"},
           {kLog + " --policy ucb --given " + problem, "problem.json"},
           {directory.file("none.csv") + " --policy ucb", "none.csv"}}) {
    const ProgramResult result = run_armature("replay " + bad.arguments);
    EXPECT_EQ(result.status, 2) << bad.arguments << result.out;
    EXPECT_NE(result.err.find(bad.expected), std::string::npos) << bad.arguments << "\n"
                                                                << result.err;
    EXPECT_TRUE(result.out.empty()) << bad.arguments;
  }
}

TEST(ReplayCommand, TakesAUniformLogAtItsWord) {
  const TemporaryDirectory directory;
  std::string rows = "action,context,reward\n";
  for (int i = 0; i < 300; ++i) rows += i % 3 == 0 ? "a,x,1\n" : i % 3 == 1 ? "b,y,0\n" : "c,y,0\n";
  write_file(directory.file("log.csv"), rows);
  const ProgramResult result = run_shell(
      "armature replay log.csv --uniform --always a --method ips --format json", directory.path());
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_NEAR(nlohmann::json::parse(result.out)["values"][0]["value"].get<double>(), 1, 1e-12);
}

}  // namespace
}  // namespace armature::test
