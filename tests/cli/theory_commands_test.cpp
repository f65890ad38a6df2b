// armature bounds, frontier and advise as a person uses them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "armature/theory.h"
#include "base/file.h"
#include "support/program.h"

namespace armature::test {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const std::string& arguments) {
  const ProgramResult result = run_armature(arguments + " -f json");
  EXPECT_EQ(result.status, 0) << arguments << "\n" << result.err;
  EXPECT_EQ(result.out.find("null"), std::string::npos) << arguments;
  return Json::parse(result.out);
}

Json row(const Json& json, const std::string& name) {
  for (const Json& bound : json["bounds"])
    if (bound["name"] == name) return bound;
  ADD_FAILURE() << "no row " << name;
  return {};
}

TEST(BoundsCommand, JsonIsTheTableAtFullPrecision) {
  const Json json = json_of("bounds --actions 20 --contexts 2 --horizon 1e6");
  Setting setting;
  setting.actions = 20;
  setting.contexts = 2;
  setting.horizon = 1e6;
  const auto table = bounds(setting);
  ASSERT_EQ(json["bounds"].size(), table.size());
  for (std::size_t i = 0; i < table.size(); ++i) {
    const Json& shown = json["bounds"][i];
    EXPECT_EQ(shown["name"], table[i].name);
    EXPECT_EQ(shown.contains("value"), table[i].value.has_value()) << table[i].name;
    if (table[i].value) {
      EXPECT_EQ(shown["value"].get<double>(), *table[i].value);
    }
    for (const char* key : {"kind", "validity", "source", "group"})
      EXPECT_TRUE(shown[key].is_string()) << key;
  }
  EXPECT_EQ(json["rank"], 2);
  EXPECT_EQ(json["horizon"], 1000000);
}

TEST(BoundsCommand, TheTableIsGroupedAndMarksWhatIsVacuous) {
  const std::string text = run_armature("bounds -A 20 -Z 2 -T 100 --all").out;
  const auto upper = text.find("\nupper\n"), lower = text.find("\nlower\n"),
             zones = text.find("\nzones\n");
  EXPECT_LT(upper, lower);
  EXPECT_LT(lower, zones);
  EXPECT_NE(zones, std::string::npos);
  EXPECT_NE(text.find("vacuous: not below T"), std::string::npos);
}

TEST(BoundsCommand, TheTableHasWhatHoldsAndCountsTheRest) {
  const std::string sizes = "bounds -A 20 -Z 2 -T 1e6";
  const Json json = json_of(sizes);
  const std::string text = run_armature(sizes).out, all = run_armature(sizes + " --all").out;
  std::size_t hidden = 0;
  for (const Json& bound : json["bounds"]) {
    const bool holds = bound["validity"].get<std::string>().starts_with("holds");
    const std::string line = "\n  " + bound["name"].get<std::string>() + " ";
    hidden += !holds;
    EXPECT_EQ(text.find(line) != std::string::npos, holds) << line;
    EXPECT_NE(all.find(line), std::string::npos) << line;
  }
  EXPECT_GT(hidden, 0u);
  EXPECT_NE(text.find("\n" + std::to_string(hidden) + " more are not shown"), std::string::npos);
  EXPECT_EQ(all.find("not shown"), std::string::npos);
  EXPECT_EQ(text.find("vacuous: "), std::string::npos);
}

TEST(BoundsCommand, CsvHasOneRowPerBound) {
  const std::string csv = run_armature("bounds -A 20 -Z 2 -T 1e6 --gap 0.1 -f csv").out;
  const Json json = json_of("bounds -A 20 -Z 2 -T 1e6 --gap 0.1");
  EXPECT_EQ(static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')),
            json["bounds"].size() + 1);
  EXPECT_TRUE(csv.starts_with("name,value,kind,validity,source,group"));
}

TEST(BoundsCommand, AnInstanceFillsInWhatItKnows) {
  const Json benign = json_of("bounds -i pareto-benign:actions=30,gap=0.02 -T 1e5");
  EXPECT_EQ(benign["actions"], 30);
  EXPECT_NEAR(benign["gap"].get<double>(), 0.02, 1e-12);
  EXPECT_EQ(benign["epsilon"], 0);
  EXPECT_TRUE(row(benign, "pe-gap").contains("value"));
  const Json confounded = json_of("bounds -i bilodeau-confounded -T 1e5");
  EXPECT_EQ(row(confounded, "c-ucb")["validity"], "outside: the instance is not benign");
  const Json low_rank = json_of("bounds -i random-benign:actions=9,contexts=6,rank=2 -T 1e5");
  EXPECT_EQ(low_rank["rank"], 2);
  const Json off = json_of("bounds -i hidden-arm:epsilon=0.25 -T 1e5");
  EXPECT_NEAR(off["epsilon"].get<double>(), 0.25, 1e-9);
}

TEST(BoundsCommand, AnExplicitOptionWinsAndSaysSo) {
  const Json json = json_of("bounds -i pareto-benign -T 1e5 --gap 0.3 --actions 20");
  EXPECT_EQ(json["gap"], 0.3);
  EXPECT_EQ(json["notes"][0], "--gap 0.3 is used; the instance has 0.02");
}

TEST(BoundsCommand, ADelayHasRowsOfItsOwn) {
  const Json prompt = json_of("bounds -A 20 -Z 2 -T 1e6");
  EXPECT_FALSE(row(prompt, "ucb-delay").contains("value"));
  EXPECT_FALSE(prompt.contains("delay"));
  const Json late = json_of("bounds -A 20 -Z 2 -T 1e6 --delay T/10^4");
  EXPECT_EQ(late["delay"], 100);
  EXPECT_NEAR(
      row(late, "ucb-delay")["value"].get<double>() - row(late, "ucb")["value"].get<double>(),
      20 * 100, 1e-6);
  EXPECT_NE(run_armature("bounds -A 20 -Z 2 -T 1e6 --delay 5").out.find("at most 5 rounds late"),
            std::string::npos);
  for (const char* bad : {"-1", "1e10", "soon"}) {
    const ProgramResult refused =
        run_armature(std::string("bounds -A 20 -Z 2 -T 1e6 --delay=") + bad);
    EXPECT_EQ(refused.status, 2) << bad;
    EXPECT_NE(refused.err.find("--delay"), std::string::npos) << refused.err;
  }
}

TEST(BoundsCommand, AnswersFromOneRoundTo1e18) {
  for (const std::string sizes :
       {"-A 1 -Z 1 -T 1", "-A 2 -Z 2 -T 1", "-A 1e9 -Z 1e9 -T 1e18", "-A 1e9 -Z 2 -T 2^59"}) {
    const Json json = json_of("bounds " + sizes + " --delta 1e-200 --gap 1e-300 --epsilon 2");
    for (const Json& bound : json["bounds"])
      EXPECT_TRUE(!bound.contains("value") || bound["value"].is_number()) << bound.dump();
    json_of("frontier " + sizes);
  }
}

TEST(FrontierCommand, JsonCsvAndTableHaveTheSamePoints) {
  const std::string run = "frontier --actions 20 --contexts 2 --horizon 1e9 --points 5";
  const Json json = json_of(run);
  std::set<std::string> series;
  for (const Json& point : json["points"]) {
    series.insert(point["series"]);
    EXPECT_NEAR(point["log_r1"].get<double>(), std::log(point["r1"].get<double>()) / std::log(1e9),
                1e-12);
  }
  EXPECT_EQ(series, (std::set<std::string>{"c-ucb", "db", "frontier", "hac-ucb", "lower", "sentry",
                                           "ucb", "warden"}));
  const std::string csv = run_armature(run + " -f csv").out;
  EXPECT_EQ(static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')),
            json["points"].size() + 1);
  EXPECT_NE(run_armature(run).out.find("db:dial=0.25"), std::string::npos);
}

TEST(FrontierCommand, VegaLiteIsJsonWithData) {
  const TemporaryDirectory directory;
  const ProgramResult result = run_shell(
      "armature frontier -A 20 -Z 2 -T 1e6 -f vega-lite -o frontier.vl.json", directory.path());
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "");
  const Json spec = Json::parse(read_file(directory.file("frontier.vl.json")));
  EXPECT_FALSE(spec["layer"].back()["data"]["values"].empty());
  const Json absolute =
      Json::parse(run_armature("frontier -A 20 -Z 2 -T 1e6 -f vega-lite --axes absolute").out);
  EXPECT_NE(spec.dump(), absolute.dump());
}

TEST(FrontierCommand, JudgesAPair) {
  const auto verdict = [](const std::string& arguments) {
    return json_of("frontier -n 2 " + arguments)["pair"]["verdict"].get<std::string>();
  };
  EXPECT_EQ(verdict("-A 20 -Z 2 -T 1e6 --r1 1000 --r2 1e5"), "not reasonable");
  EXPECT_EQ(verdict("-A 20 -Z 2 -T 1e6 --r1 8e4 --r2 8e4"), "achievable");
  EXPECT_EQ(verdict("-A 1e7 -Z 2 -T 1e16 --r1 4.4e8 --r2 3.2e11"), "excluded");
  EXPECT_EQ(verdict("-A 20 -Z 2 -T 1e6 --r1 1500 --r2 5000"), "between the bounds");
}

// What stands on the frontier can be played: the text forms are those that simulate takes.
TEST(FrontierCommand, ItsPoliciesRun) {
  const Json frontier = json_of("frontier -A 20 -Z 2 -T 2000 -n 3");
  for (const Json& point : frontier["points"]) {
    if (!point.contains("policy")) continue;
    const std::string text = point["policy"];
    EXPECT_EQ(run_armature("simulate -i hidden-arm -p " + text + " -T 2000 -m 1 -q").status, 0)
        << text;
  }
}

}  // namespace
}  // namespace armature::test
