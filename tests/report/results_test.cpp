#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "armature/report.h"
#include "armature/version.h"

namespace armature {
namespace {

PolicySummary summary_of(const std::string& policy, double mean) {
  PolicySummary summary;
  summary.policy = policy;
  summary.engine = "step";
  summary.replications = 4;
  summary.mean_regret = mean;
  summary.standard_error = 0.25;
  summary.median = mean - 1;
  summary.q95 = mean + 2;
  summary.simple_regret = 0.125;
  summary.checkpoints = {{1, 0.5, 0.0625}, {100, mean, 0.25}};
  summary.pulls = {60, 40};
  summary.final_regret = {mean, mean, mean, mean};
  summary.seconds = 0.00002;  // 4 replications of 100 rounds: 50 ns a round
  return summary;
}

SimulationResult small_result() {
  SimulationResult result;
  result.instance = "pareto-benign:actions=5,gap=0.1";
  result.horizon = 100;
  result.replications = 4;
  result.seed = 9;
  result.policies = {summary_of("ucb", 12.5), summary_of("hac-ucb:scale=0.5,ties=random", 8)};
  result.policies[1].diagnostics = {{"switched", 0.25, 4}, {"switch_round", 31, 1}};
  return result;
}

TEST(ResultTable, SaysWhatWasRunAndWhatCameOut) {
  const std::string table = result_table(small_result());
  EXPECT_EQ(table.substr(0, table.find('\n')),
            "pareto-benign:actions=5,gap=0.1, T = 100, 4 replications, seed 9");
  EXPECT_NE(table.find("12.50 ± 0.25"), std::string::npos) << table;
  EXPECT_NE(table.find("50 ns"), std::string::npos) << table;
  EXPECT_NE(table.find("hac-ucb:scale=0.5,ties=random: switched 0.25, "
                       "switch_round 31 (in 1 of 4)"),
            std::string::npos)
      << table;
}

TEST(ResultTable, SaysWhatIsNotFinished) {
  SimulationResult result = small_result();
  result.policies[0].replications = 3;
  result.policies[1] = {};
  result.policies[1].policy = "ts";
  const std::string table = result_table(result);
  EXPECT_NE(table.find("ucb (3 done)"), std::string::npos) << table;
  EXPECT_NE(table.find("not finished"), std::string::npos) << table;
}

TEST(ResultCsv, OneRowPerPolicyAndCheckpointWithQuotedCommas) {
  EXPECT_EQ(
      result_csv({small_result()}),
      "instance,policy,horizon,replications,seed,conditions,round,mean_regret,standard_error,median,q95\n"
      "\"pareto-benign:actions=5,gap=0.1\",ucb,100,4,9,prompt,1,0.5,0.0625,,\n"
      "\"pareto-benign:actions=5,gap=0.1\",ucb,100,4,9,prompt,100,12.5,0.25,11.5,14.5\n"
      "\"pareto-benign:actions=5,gap=0.1\",\"hac-ucb:scale=0.5,ties=random\",100,4,9,prompt,1,0.5,0.0625,,\n"
      "\"pareto-benign:actions=5,gap=0.1\",\"hac-ucb:scale=0.5,ties=random\",100,4,9,prompt,100,8,0.25,7,10\n");
}

TEST(ResultCsv, QuotesAreDoubledAndLineBreaksKeptInside) {
  SimulationResult result = small_result();
  result.instance = "my \"best\"\nfile.json";
  const std::string csv = result_csv({result});
  EXPECT_NE(csv.find("\n\"my \"\"best\"\"\nfile.json\",ucb,"), std::string::npos) << csv;
}

TEST(ResultCsv, SeveralResultsShareOneHeader) {
  const std::string csv = result_csv({small_result(), small_result()});
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 2 * 4);
  EXPECT_EQ(csv.find("instance,"), csv.rfind("instance,"));
}

std::vector<std::string> keys_of(const nlohmann::ordered_json& json) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  return keys;
}

using Keys = std::vector<std::string>;

TEST(ResultJson, HasItsShape) {
  const auto json = nlohmann::ordered_json::parse(result_json(small_result()));
  EXPECT_EQ(keys_of(json), (Keys{"instance", "horizon", "replications", "seed", "conditions",
                                 "version", "complete", "results"}));
  EXPECT_EQ(json["version"], version());
  EXPECT_EQ(json["horizon"], 100);
  EXPECT_EQ(json["complete"], true);
  ASSERT_EQ(json["results"].size(), 2u);
  const auto& entry = json["results"][1];
  EXPECT_EQ(keys_of(entry),
            (Keys{"policy", "replications", "engine", "mean_regret", "standard_error", "median",
                  "q95", "simple_regret", "checkpoints", "pulls", "seconds", "diagnostics"}));
  EXPECT_EQ(entry["mean_regret"], 8);
  EXPECT_EQ(entry["q95"], 10);
  EXPECT_EQ(keys_of(entry["checkpoints"][0]), (Keys{"round", "mean", "standard_error"}));
  EXPECT_EQ(entry["checkpoints"][1]["round"], 100);
  EXPECT_EQ(entry["diagnostics"]["switch_round"]["mean"], 31);
  EXPECT_EQ(entry["diagnostics"]["switch_round"]["replications"], 1);
}

TEST(ResultJson, NumbersReadBackTheSame) {
  SimulationResult result = small_result();
  result.policies[0].mean_regret = 0.1 + 0.2;
  result.seed = std::numeric_limits<std::uint64_t>::max();
  const auto json = nlohmann::json::parse(result_json(result));
  EXPECT_EQ(json["results"][0]["mean_regret"].get<double>(), 0.1 + 0.2);
  EXPECT_EQ(json["seed"].get<std::uint64_t>(), result.seed);
}

TEST(ResultJson, APolicyThatNeverRanHasNoNumbers) {
  SimulationResult result = small_result();
  result.complete = false;
  result.policies[0] = {};
  result.policies[0].policy = "ts";
  const auto json = nlohmann::ordered_json::parse(result_json(result));
  EXPECT_EQ(keys_of(json["results"][0]), (Keys{"policy", "replications"}));
}

}  // namespace
}  // namespace armature
