#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "armature/report.h"
#include "armature/version.h"
#include "lab/planned_cell.h"

namespace armature {
namespace {

PlannedCell cell_of(std::uint32_t id, const std::string& policy) {
  PlannedCell cell;
  cell.id = id;
  cell.instance = "pareto-benign:actions=5,gap=0.1";
  cell.policy = policy;
  cell.horizon = 100;
  name_instance(cell, {.label = cell.instance});
  name_policy(cell, {.label = policy});
  return cell;
}

Spread spread_of(double mean, double error) {
  Spread spread;
  spread.count = 4;
  spread.mean = mean;
  spread.standard_error = error;
  spread.deviation = 2 * error;
  spread.least = spread.q05 = spread.q25 = spread.median = mean - 1;
  spread.q75 = spread.q95 = spread.most = mean + 2;
  return spread;
}

CellSummary summary_of(const PlannedCell& cell, double mean) {
  CellSummary summary;
  summary.cell = cell;
  summary.engine = "step";
  summary.simple_regret = 0.125;
  summary.curve = {{1, spread_of(0.5, 0)}, {100, spread_of(mean, 0.25)}};
  summary.pulls = {60, 40};
  summary.seconds = 0.00002;  // of 4 replications
  return summary;
}

SimulationResult small_result() {
  SimulationResult result;
  result.simulation.instance = "pareto-benign:actions=5,gap=0.1";
  result.simulation.horizon = 100;
  result.simulation.replications = 4;
  result.simulation.seed = 9;
  result.complete = true;
  result.conditions = "prompt";
  result.plan = {cell_of(0, "ucb"), cell_of(1, "hac-ucb:scale=0.5,ties=random")};
  result.cells = {summary_of(result.plan[0], 12.5), summary_of(result.plan[1], 8)};
  result.cells[1].diagnostics = {{"switched", 0.25, 4}, {"switch_round", 31, 1}};
  result.differences = {{1, 0, spread_of(-4.5, 0.5), 0.75, true}};
  return result;
}

TEST(ResultTable, SaysWhatWasRunAndWhatCameOut) {
  const std::string table = result_table(small_result());
  EXPECT_EQ(table.substr(0, table.find('\n')),
            "pareto-benign:actions=5,gap=0.1, T = 100, 4 replications, seed 9");
  EXPECT_NE(table.find("12.50 ± 0.25"), std::string::npos) << table;
  EXPECT_NE(table.find("5.0 µs"), std::string::npos) << table;
  EXPECT_NE(table.find("hac-ucb:scale=0.5,ties=random: switched 0.25, "
                       "switch_round 31 (in 1 of 4)"),
            std::string::npos)
      << table;
}

TEST(ResultTable, SaysWhatIsNotFinished) {
  SimulationResult result = small_result();
  result.cells[0].curve.back().regret.count = 3;
  result.cells.pop_back();
  result.plan[1].policy = "ts";
  const std::string table = result_table(result);
  EXPECT_NE(table.find("ucb (3 done)"), std::string::npos) << table;
  EXPECT_NE(table.find("not finished"), std::string::npos) << table;
}

TEST(ResultTable, OneReplicationHasNoError) {
  SimulationResult result = small_result();
  result.cells[0].curve.back().regret.count = 1;
  EXPECT_EQ(result_table(result).find("12.50 ±"), std::string::npos);
}

TEST(ResultTable, SaysWhoLeapt) {
  SimulationResult result = small_result();
  result.cells[0].engine = "leap";
  result.cells[0].leap_error = 2e-10;
  const std::string table = result_table(result);
  EXPECT_NE(table.find("by the leap engine, off by at most 2e-10 in total variation: ucb\n"),
            std::string::npos)
      << table;
}

TEST(ResultTable, SaysWhoWonAndHowSure) {
  const std::string table = result_table(small_result());
  EXPECT_NE(table.find("`hac-ucb:scale=0.5,ties=random` has the least mean regret"),
            std::string::npos)
      << table;
}

TEST(ResultCsv, OneRowPerPolicyAndCheckpointWithQuotedCommas) {
  const std::string csv = result_csv({small_result()});
  const std::string start =
      "instance,policy,horizon,replications,seed,conditions,round,mean_regret,standard_error,"
      "median,q95,deviation,low95,high95,least,q05,q25,q75,most,engine,leap_error\n"
      "\"pareto-benign:actions=5,gap=0.1\",ucb,100,4,9,prompt,1,0.5,0,-0.5,2.5,0,0.5,0.5,"
      "-0.5,-0.5,-0.5,2.5,2.5,step,0\n"
      "\"pareto-benign:actions=5,gap=0.1\",ucb,100,4,9,prompt,100,12.5,0.25,11.5,14.5,0.5,";
  EXPECT_EQ(csv.substr(0, start.size()), start);
  EXPECT_NE(csv.find(",\"hac-ucb:scale=0.5,ties=random\",100,4,9,prompt,100,8,0.25,7,10,"),
            std::string::npos)
      << csv;
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 5);
}

TEST(ResultCsv, QuotesAreDoubledAndLineBreaksKeptInside) {
  SimulationResult result = small_result();
  for (CellSummary& summary : result.cells) summary.cell.instance = "my \"best\"\nfile.json";
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
                                 "version", "complete", "results", "differences"}));
  EXPECT_EQ(json["version"], version());
  EXPECT_EQ(json["horizon"], 100);
  EXPECT_EQ(json["complete"], true);
  ASSERT_EQ(json["results"].size(), 2u);
  const auto& entry = json["results"][1];
  EXPECT_EQ(keys_of(entry), (Keys{"policy", "replications", "engine", "leap_error", "mean_regret",
                                  "standard_error", "median", "q95", "simple_regret", "checkpoints",
                                  "pulls", "seconds", "diagnostics"}));
  EXPECT_EQ(entry["mean_regret"], 8);
  EXPECT_EQ(entry["q95"], 10);
  EXPECT_EQ(keys_of(entry["checkpoints"][0]),
            (Keys{"round", "mean", "standard_error", "deviation", "low95", "high95", "least", "q05",
                  "q25", "median", "q75", "q95", "most"}));
  ASSERT_EQ(json["differences"].size(), 1u);
  EXPECT_EQ(json["differences"][0]["second"], "ucb");
  EXPECT_EQ(json["differences"][0]["mean"], -4.5);
  EXPECT_EQ(json["differences"][0]["same_luck"], true);
  EXPECT_EQ(entry["checkpoints"][1]["round"], 100);
  EXPECT_EQ(entry["diagnostics"]["switch_round"]["mean"], 31);
  EXPECT_EQ(entry["diagnostics"]["switch_round"]["replications"], 1);
}

TEST(ResultJson, NumbersReadBackTheSame) {
  SimulationResult result = small_result();
  result.cells[0].curve.back().regret.mean = 0.1 + 0.2;
  result.simulation.seed = std::numeric_limits<std::uint64_t>::max();
  const auto json = nlohmann::json::parse(result_json(result));
  EXPECT_EQ(json["results"][0]["mean_regret"].get<double>(), 0.1 + 0.2);
  EXPECT_EQ(json["seed"].get<std::uint64_t>(), result.simulation.seed);
}

TEST(ResultJson, APolicyThatNeverRanHasNoNumbers) {
  SimulationResult result = small_result();
  result.complete = false;
  result.cells.erase(result.cells.begin());
  result.plan[0].policy = "ts";
  const auto json = nlohmann::ordered_json::parse(result_json(result));
  EXPECT_EQ(keys_of(json["results"][0]), (Keys{"policy", "replications"}));
}

// --- Of one replication the error is unknown

SimulationResult single_result() {
  SimulationResult result = small_result();
  result.simulation.replications = 1;
  for (CellSummary& summary : result.cells)
    for (CurvePoint& point : summary.curve) {
      point.regret.count = 1;
      point.regret.deviation = point.regret.standard_error = 0;
    }
  result.differences[0].difference.count = 1;
  return result;
}

TEST(OneReplication, HasADashForItsErrorInTables) {
  const std::string table = result_table(single_result());
  EXPECT_NE(table.find("12.500 ± –"), std::string::npos) << table;
  EXPECT_EQ(table.find("± 0"), std::string::npos) << table;
}

TEST(OneReplication, HasNoErrorInJson) {
  const auto json = nlohmann::json::parse(result_json(single_result()));
  for (const auto& holder :
       {json["results"][0], json["results"][0]["checkpoints"][1], json["differences"][0]}) {
    for (const char* unknown : {"standard_error", "deviation", "low95", "high95"})
      EXPECT_FALSE(holder.contains(unknown)) << unknown;
    EXPECT_TRUE(holder.contains("median"));
  }
}

TEST(OneReplication, HasEmptyColumnsInCsv) {
  const std::string csv = result_csv({single_result()});
  // mean, standard error, median, q95, deviation, low95, high95, least
  EXPECT_NE(csv.find(",100,12.5,,11.5,14.5,,,,11.5,"), std::string::npos) << csv;
}

// --- Names among diagnostics

TEST(ResultNames, AreCountedInTablesAndJson) {
  SimulationResult result = small_result();
  result.cells[1].diagnostics = {{"learner", 0, 4, {{"ucb", 3}, {"c-ucb", 1}}},
                                 {"rejection_action", 0, 3, {{"7", 2}, {"3", 1}}}};
  const std::string table = result_table(result, {120});
  EXPECT_NE(table.find("learner: ucb (75%), c-ucb (25%), rejection_action: 7 (67%), 3 (33%)\n"
                       "  (in 3 of 4)"),
            std::string::npos)
      << table;
  const auto json = nlohmann::json::parse(result_json(result));
  const auto& named = json["results"][1]["diagnostics"]["rejection_action"];
  EXPECT_EQ(named["counts"]["7"], 2);
  EXPECT_EQ(named["counts"]["3"], 1);
  EXPECT_EQ(named["replications"], 3);
  EXPECT_FALSE(named.contains("mean"));
}

TEST(ResultNames, OfManyTheRestIsTakenTogether) {
  SimulationResult result = small_result();
  result.cells[1].diagnostics = {
      {"rejection_action", 0, 10, {{"1", 4}, {"2", 2}, {"3", 2}, {"4", 1}, {"5", 1}}}};
  const std::string table = result_table(result, {120});
  EXPECT_NE(table.find("1 (40%), 2 (20%), 3 (20%), others (20%)"), std::string::npos) << table;
}

}  // namespace
}  // namespace armature
