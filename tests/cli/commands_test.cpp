// The commands as a person uses them.
#include <gtest/gtest.h>
#include <signal.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "base/display.h"
#include "base/file.h"
#include "support/program.h"

namespace armature::test {
namespace {

using Json = nlohmann::ordered_json;

Json without_seconds(const std::string& text) {
  Json json = Json::parse(text);
  for (Json& result : json["results"]) result.erase("seconds");
  return json;
}

constexpr const char* kSmallRun =
    "simulate -i semi-benign -p ucb -p c-ucb -p hac-ucb -p ts -T 500 -m 9 -f json ";

TEST(SimulateCommand, JsonHasThePromisedShape) {
  const ProgramResult result = run_armature(std::string(kSmallRun) + "-s 7 --at 77");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");  // no progress line in a pipe
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["instance"], "semi-benign");
  EXPECT_EQ(json["horizon"], 500);
  EXPECT_EQ(json["replications"], 9);
  EXPECT_EQ(json["seed"], 7);
  EXPECT_TRUE(json["version"].is_string());
  ASSERT_EQ(json["results"].size(), 4u);
  bool seen_77 = false;
  for (const Json& entry : json["results"]) {
    for (const char* key : {"mean_regret", "standard_error", "median", "q95", "seconds"})
      EXPECT_TRUE(entry[key].is_number()) << key;
    EXPECT_TRUE(entry["diagnostics"].is_object());
    for (const Json& at : entry["checkpoints"]) seen_77 = seen_77 || at["round"] == 77;
    EXPECT_EQ(entry["checkpoints"].back()["round"], 500);
    EXPECT_EQ(entry["checkpoints"].back()["mean"], entry["mean_regret"]);
  }
  EXPECT_TRUE(seen_77);
}

TEST(SimulateCommand, SameSeedSameBytesForAnyNumberOfThreads) {
  const ProgramResult one = run_armature(std::string(kSmallRun) + "-s 7 --threads 1");
  const ProgramResult three = run_armature(std::string(kSmallRun) + "-s 7 --threads 3");
  ASSERT_EQ(one.status, 0) << one.err;
  EXPECT_EQ(without_seconds(one.out).dump(), without_seconds(three.out).dump());
  const ProgramResult other = run_armature(std::string(kSmallRun) + "-s 8");
  EXPECT_NE(without_seconds(one.out).dump(), without_seconds(other.out).dump());
}

TEST(SimulateCommand, CsvIsTheSameBytesAndHasOneRowPerCheckpoint) {
  const std::string run =
      "simulate -i hidden-arm -p ucb -p c-ucb -T 1e3 -m 5 --checkpoints 4 -f csv";
  const ProgramResult result = run_armature(run);
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 1 + 2 * 4);
  EXPECT_EQ(result.out, run_armature(run + " -j 1").out);
}

TEST(SimulateCommand, WritesTheOutputFileWholeAndAlone) {
  const TemporaryDirectory directory;
  const ProgramResult result = run_shell(
      "armature simulate -i hidden-arm -p ucb -T 50 -m 2 -f json -o result.json", directory.path());
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(directory.listing(), std::vector<std::string>{"result.json"});
  EXPECT_NO_THROW(Json::parse(read_file(directory.file("result.json"))));
}

TEST(SimulateCommand, GivenMarginalsReplaceTheExactOnes) {
  const TemporaryDirectory directory;
  // Told that all actions lead to the same contexts, c-ucb cannot tell them apart and plays arm 0.
  write_file(directory.file("told.json"),
             R"({"format": "armature-problem", "version": 1, "actions": 2, "contexts": 2,
                 "marginals": [[0.5, 0.5], [0.5, 0.5]]})");
  const ProgramResult result = run_shell(
      "armature simulate -i bilodeau-benign:actions=2 -p c-ucb -T 100 -m 2 --given told.json -f "
      "json",
      directory.path());
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(Json::parse(result.out)["results"][0]["pulls"][0], 100);
}

TEST(SimulateCommand, InterruptedItPrintsWhatIsFinished) {
  const TemporaryDirectory directory;
  const ProgramResult result = run_shell(
      "armature simulate -i hidden-arm -p ucb -p c-ucb -T 1e9 -m 100000 -f json -o result.json & "
      "pid=$!\n"
      // Not before it listens: bit 1 of the signals it catches is SIGINT.
      "until grep -q 'SigCgt:.*[2367abef]$' /proc/$pid/status; do sleep 0.05; done\n"
      "kill -INT $pid; wait $pid",
      directory.path());
  EXPECT_EQ(result.status, 130);
  EXPECT_NE(result.err.find("interrupted"), std::string::npos);
  EXPECT_EQ(Json::parse(read_file(directory.file("result.json")))["complete"], false);
}

TEST(SimulateCommand, LateFeedbackCostsSomething) {
  const std::string run = "simulate -i hidden-arm:gap=0.5 -p ucb -T 2000 -m 20 -f json ";
  const auto regret = [&](const std::string& options) {
    return Json::parse(run_armature(run + options).out)["results"][0]["mean_regret"].get<double>();
  };
  const double prompt = regret("");
  EXPECT_EQ(regret("--delay fixed:0"), prompt);
  EXPECT_GT(regret("--delay fixed:100"), prompt);
  EXPECT_GT(regret("--batch 200"), prompt);
  EXPECT_GT(regret("--loss 0.5"), prompt);
}

TEST(DemoCommand, RunsTheHeadlineStudyAndNamesItsReport) {
  const TemporaryDirectory directory;
  const std::string run = "armature demo replications=2 horizons=500";
  const ProgramResult result = run_shell(run, directory.path());
  EXPECT_NE(result.out.find("☆"), std::string::npos) << result.err;
  EXPECT_NE(result.out.find("hidden arm"), std::string::npos);
  // It ends with what `show` says.
  EXPECT_NE(result.out.find(run_shell("armature show runs/headline", directory.path()).out),
            std::string::npos)
      << result.out;
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 80u) << line;
  if (result.err.find("make bundle") != std::string::npos) return;  // built without the web bundle
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("runs/headline/report.html"), std::string::npos);
  EXPECT_NE(run_shell(run, directory.path()).out.find("finished already"), std::string::npos);
}

TEST(InstanceCommand, ShowsTheVerdictWithItsWitness) {
  EXPECT_NE(run_armature("instance show pareto-benign").out.find("benign       yes"),
            std::string::npos);
  const std::string confounded = run_armature("instance show pareto-confounded:arm=3").out;
  EXPECT_NE(confounded.find("no: given z0, a0 pays Bernoulli(0.75) and a3 pays Bernoulli(0.83)"),
            std::string::npos)
      << confounded;
  EXPECT_NE(run_armature("instance show pareto-benign:gap=0.06").out.find("gap < 1/40"),
            std::string::npos);
  EXPECT_NE(run_armature("instance show random-benign:rank=2").out.find("rank         2 "),
            std::string::npos);
  EXPECT_NE(run_armature("instance show hidden-arm:epsilon=0.25").out.find("ε = 0.25"),
            std::string::npos);
}

TEST(InstanceCommand, WhatItWritesRunsTheSame) {
  const TemporaryDirectory directory;
  const ProgramResult result = run_shell(
      "armature instance write semi-benign:epsilon=0.1 world.json --seed 3 &&\n"
      "armature simulate -i world.json -p c-ucb -T 300 -m 1 -s 3 -f csv > file.csv &&\n"
      "armature simulate -i semi-benign:epsilon=0.1 -p c-ucb -T 300 -m 1 -s 3 -f csv > family.csv "
      "&&\n"
      "cut -d, -f3- file.csv > a; sed 's/^\"[^\"]*\"//;s/^semi-benign:epsilon=0.1//' family.csv |\n"
      "cut -d, -f3- > b; cmp a b",
      directory.path());
  EXPECT_EQ(result.status, 0) << result.out << result.err;
}

TEST(DesignCommand, PrintsSupportWeightsAndCertificate) {
  const Json near =
      Json::parse(run_armature("design random-benign:actions=50,contexts=4 -f json").out);
  EXPECT_EQ(near["rank"], 4);
  EXPECT_LE(near["largest_leverage"], 8.0000001);
  const Json exact =
      Json::parse(run_armature("design random-benign:actions=50,contexts=4 --exact -f json").out);
  EXPECT_NEAR(exact["largest_leverage"].get<double>(), 4, 1e-7);
  double sum = 0;
  for (const Json& entry : exact["support"]) sum += entry["weight"].get<double>();
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_NE(run_armature("design pe-trap --exact").out.find("a2"), std::string::npos);
}

TEST(DesignCommand, ReadsRowsFromACsv) {
  const TemporaryDirectory directory;
  write_file(directory.file("rows.csv"), "x,y\n1, 0\n0, 1\n\n0.5,0.5\n");
  const ProgramResult result = run_shell("armature design rows.csv --format csv", directory.path());
  EXPECT_EQ(result.out, "action,index,weight\na0,0,0.5\na1,1,0.5\n") << result.err;
  write_file(directory.file("bad.csv"), "1,0\n0,x\n");
  const ProgramResult bad = run_shell("armature design bad.csv", directory.path());
  EXPECT_EQ(bad.status, 2);
  EXPECT_NE(bad.err.find("bad.csv: line 2, column 2: got 'x', expected a number"),
            std::string::npos)
      << bad.err;
}

TEST(DesignCommand, AHeaderHasNoNumbersAndACellIsNeverEmpty) {
  const TemporaryDirectory directory;
  for (const auto& [csv, message] : {std::pair("0.5,O.5\n1,0\n", "line 1, column 2: got 'O.5'"),
                                     std::pair("1,,0\n", "line 1, column 2: got ''"),
                                     std::pair("1,0,\n", "line 1, column 3: got ''")}) {
    write_file(directory.file("rows.csv"), csv);
    const ProgramResult result = run_shell("armature design rows.csv", directory.path());
    EXPECT_EQ(result.status, 2);
    EXPECT_NE(result.err.find(message), std::string::npos) << result.err;
  }
}

TEST(DesignCommand, AnIterationLimitIsSaidNotHidden) {
  const ProgramResult result = run_armature(
      "design random-benign:actions=200,contexts=8,concentration=5 --exact --iterations 2");
  EXPECT_EQ(result.status, 3);  // an answer, but short of its goal
  EXPECT_NE(result.out.find("largest leverage"), std::string::npos);
  EXPECT_NE(result.err.find("without convergence"), std::string::npos);
}

TEST(Help, EveryCommandHasIt) {
  for (const char* command :
       {"", "simulate", "demo", "instance", "instance show", "instance write", "design", "bounds",
        "frontier", "advise", "policies", "families", "show", "completion"}) {
    const ProgramResult result = run_armature(std::string(command) + " --help");
    EXPECT_EQ(result.status, 0) << command;
    EXPECT_NE(result.out.find("Usage: armature"), std::string::npos) << command << result.out;
  }
  EXPECT_EQ(run_armature("--version").out.substr(0, 9), "armature ");
}

TEST(Completion, OffersCommandsOptionsAndNames) {
  const TemporaryDirectory directory;
  const auto offers = [&](const std::string& words) {
    return run_shell(
               "source <(armature completion bash)\nCOMP_WORDS=(" + words +
                   ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_armature\necho \"${COMPREPLY[@]}\"",
               directory.path())
        .out;
  };
  EXPECT_EQ(offers("armature sim"), "simulate\n");
  EXPECT_EQ(offers("armature simulate --hor"), "--horizon\n");
  EXPECT_EQ(offers("armature simulate --policy hac"), "hac-ucb\n");
  EXPECT_EQ(offers("armature simulate --instance bilodeau-c"), "bilodeau-confounded\n");
  EXPECT_EQ(offers("armature fron"), "frontier\n");
  EXPECT_EQ(offers("armature sho"), "show\n");
  EXPECT_EQ(offers("armature show --ta"), "--table\n");
  EXPECT_EQ(offers("armature bounds --eps"), "--epsilon\n");
  EXPECT_EQ(offers("armature instance sh"), "show\n");
  EXPECT_EQ(offers("armature bounds --color al"), "always\n");
  EXPECT_EQ(offers("armature instance show hid"), "hidden-arm\n");
  EXPECT_NE(run_armature("completion zsh").out.find("bashcompinit"), std::string::npos);
}

}  // namespace
}  // namespace armature::test
