// The figures of a made-up study: valid JSON, the data that went in, names, colours and bounds.
#include "report/study_figures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "armature/theory.h"
#include "study/figure_kinds.h"
#include "support/study_results.h"

namespace armature {
namespace {

using figures::Figure;
using nlohmann::json;
using test::made_result;
using test::MadeStudy;
using test::rich_study;
using test::small_study;

StudyResult asking_for(const MadeStudy& made, const FigureRequest& request) {
  StudyResult result = made_result(made);
  result.plan.study.figures = {request};
  return result;
}

json spec_of(const Figure& figure) { return json::parse(figure.spec); }

std::vector<Figure> drawn(const StudyResult& result) { return study_figures(result).figures; }

std::vector<std::string> names_of(const std::vector<Figure>& figures) {
  std::vector<std::string> names;
  for (const Figure& figure : figures) names.push_back(figure.name);
  return names;
}

// JSON has no NaN and no infinity: they would be written as null.
bool data_is_whole(const json& part) {
  if (part.is_object() && part.contains("values"))
    for (const json& row : part["values"])
      for (const json& value : row)
        if (value.is_null()) return false;
  return !part.is_structured() || std::all_of(part.begin(), part.end(), data_is_whole);
}

TEST(StudyFigures, EveryKindIsDrawn) {
  const auto figures = drawn(made_result(rich_study()));
  EXPECT_EQ(names_of(figures),
            (std::vector<std::string>{"regret", "final-horizon", "final-dial", "ratio", "ratio-q95",
                                      "box", "share", "pulls", "plane", "time"}));
  for (const Figure& figure : figures) {
    const json spec = spec_of(figure);
    EXPECT_EQ(spec["$schema"], "https://vega.github.io/schema/vega-lite/v5.json");
    EXPECT_FALSE(spec["concat"].empty()) << figure.name;
    EXPECT_EQ(spec["title"]["text"], figure.title);
    EXPECT_FALSE(figure.caption.empty());
    EXPECT_TRUE(data_is_whole(spec)) << figure.name;
  }
}

TEST(StudyFigures, RegretHasARowPerPolicyAndCheckpoint) {
  const StudyResult result =
      asking_for(small_study(), {FigureKind::kRegret, "", "linear", "", true});
  const auto figures = drawn(result);
  ASSERT_EQ(names_of(figures), std::vector<std::string>{"regret-linear"});
  const json spec = spec_of(figures[0]);
  ASSERT_EQ(spec["concat"].size(), 2u);
  const json& rows = spec["concat"][1]["data"]["values"];
  const CellSummary& first = result.cells[2];  // c-ucb on the second instance
  ASSERT_EQ(rows.size(), 2 * first.curve.size());
  for (std::size_t i = 0; i < first.curve.size(); ++i) {
    EXPECT_EQ(rows[i]["policy"], "c-ucb");
    EXPECT_EQ(rows[i]["round"], first.curve[i].round);
    EXPECT_EQ(rows[i]["mean"], first.curve[i].regret.mean);
    EXPECT_EQ(rows[i]["low"], first.curve[i].regret.low());
    EXPECT_EQ(rows[i]["high"], first.curve[i].regret.high());
  }
  EXPECT_NE(figures[0].caption.find("95% interval of the mean, Student's t, 100 replications"),
            std::string::npos);
}

// Of many sizes the smallest and the largest, in whatever order their cells come: a search leaves
// none.
TEST(StudyFigures, ThePlaneDrawsTheEndsOfTheSizes) {
  MadeStudy made = small_study();
  made.horizons = {1000, 100'000, 100, 10'000, 10'000'000};
  const auto figures = drawn(asking_for(made, {FigureKind::kPlane, "", "", "", true}));
  ASSERT_EQ(figures.size(), 1u);
  const json spec = spec_of(figures[0]);
  ASSERT_EQ(spec["concat"].size(), 2u);
  EXPECT_NE(spec["concat"][0].dump().find("T = 100, |A|"), std::string::npos);
  EXPECT_NE(spec["concat"][1].dump().find("T = 10,000,000, |A|"), std::string::npos);
  EXPECT_EQ(spec["concat"][0]["title"]["subtitle"][1], "the first of 5 horizons and sizes");
}

// All data of layers that carry their own, by the fields they have.
std::vector<json> rows_with(const json& panel, const std::string& field) {
  std::vector<json> rows;
  for (const json& layer : panel["layer"])
    if (layer.contains("data"))
      for (const json& row : layer["data"]["values"])
        if (row.contains(field)) rows.push_back(row);
  return rows;
}

// At T = 10⁴ ucb's bound is some 6000: bounds above what was measured are not drawn.
MadeStudy within_reach_of_bounds() {
  MadeStudy made = small_study();
  made.mean = [](std::size_t, std::size_t, double round) { return 100 * std::sqrt(round); };
  return made;
}

TEST(StudyFigures, BoundsAreTheTheorysAndOnlyWhereTheyHold) {
  const auto figures =
      drawn(asking_for(within_reach_of_bounds(), {FigureKind::kRegret, "", "log-log", "", true}));
  const json spec = spec_of(figures[0]);
  std::set<std::string> easy, hard;
  for (const json& row : rows_with(spec["concat"][0], "bound")) easy.insert(row["policy"]);
  for (const json& row : rows_with(spec["concat"][1], "bound")) hard.insert(row["policy"]);
  EXPECT_EQ(easy, (std::set<std::string>{"c-ucb", "ucb"}));
  EXPECT_EQ(hard, std::set<std::string>{"ucb"});  // c-ucb has no bound where Z misleads
  Setting setting;
  setting.actions = 20;
  setting.contexts = 2;
  setting.horizon = 10'000;
  setting.rank = 2;
  for (const json& row : rows_with(spec["concat"][1], "bound")) {
    EXPECT_EQ(row["bound"], ucb_bound(setting, row["x"]));
    EXPECT_LT(row["bound"], row["x"]);  // else it says nothing
  }
  const auto without =
      drawn(asking_for(within_reach_of_bounds(), {FigureKind::kRegret, "", "log-log", "", false}));
  EXPECT_TRUE(rows_with(spec_of(without[0])["concat"][0], "bound").empty());
}

// Theory has no say in the range of an axis: with bounds or without it is that of the data.
TEST(StudyFigures, BoundsOutsideAreNamedAndChangeNoAxis) {
  for (const FigureKind kind : {FigureKind::kRegret, FigureKind::kFinal}) {
    MadeStudy made = small_study();
    made.horizons = {10'000, 100'000};
    const auto panel = [&](bool theory) {
      return spec_of(drawn(asking_for(made, {kind, "", "log-log", "", theory}))[0])["concat"][0];
    };
    const json with = panel(true), without = panel(false);
    const auto domain = [](const json& spec) {
      for (const json& layer : spec["layer"])
        if (layer["mark"]["type"] == "line" && layer["encoding"]["y"]["field"] == "shown")
          return layer["encoding"]["y"]["scale"]["domain"];
      return json();
    };
    EXPECT_EQ(domain(with), domain(without));
    EXPECT_FALSE(domain(with).is_null());
    EXPECT_TRUE(rows_with(with, "bound").empty());
    ASSERT_TRUE(with["title"].contains("subtitle"));
    const std::string note = with["title"]["subtitle"].dump();
    EXPECT_NE(note.find("bounds of"), std::string::npos) << note;
    EXPECT_NE(note.find("above"), std::string::npos) << note;
    EXPECT_FALSE(without["title"].contains("subtitle"));
  }
}

// No delay and ε = 0 are settings like the others.
TEST(StudyFigures, AnXOfZeroHasAPlaceOnALogarithmicAxis) {
  MadeStudy made = small_study();
  made.instances.clear();
  for (const char* gap : {"0", "0.01", "0.1"})
    made.instances.push_back({"world", "hidden-arm", false, {{"gap", gap}}});
  const auto figures = drawn(asking_for(made, {FigureKind::kFinal, "gap", "log-log", "", false}));
  const json panel = spec_of(figures.at(0))["concat"][0];
  for (const json& layer : panel["layer"]) {
    if (!layer["encoding"]["x"].contains("field")) continue;
    EXPECT_EQ(layer["encoding"]["x"]["scale"]["type"], "symlog");
    EXPECT_EQ(layer["encoding"]["x"]["scale"]["constant"], 0.01);
    EXPECT_EQ(layer["encoding"]["x"]["axis"]["values"], (json{0, 0.01, 0.1}));
  }
  EXPECT_EQ(rows_with(panel, "inside").size() % 3, 0u);
}

TEST(StudyFigures, NoPanelStandsAlone) {
  for (const FigureKind kind : {FigureKind::kRegret, FigureKind::kBox, FigureKind::kPulls})
    for (int worlds = 2; worlds <= 30; ++worlds) {
      MadeStudy made = small_study();
      made.checkpoints = 3;
      made.instances.clear();
      for (int i = 0; i < worlds; ++i)
        made.instances.push_back({"world " + std::to_string(i), "hidden-arm", false});
      std::size_t panels = 0;
      for (const Figure& figure : drawn(asking_for(made, {.kind = kind}))) {
        const json spec = spec_of(figure);
        const std::size_t here = spec["concat"].size(), columns = spec["columns"];
        EXPECT_TRUE(columns > 1 && here % columns != 1) << here << " in " << columns;
        panels += here;
      }
      EXPECT_EQ(panels, static_cast<std::size_t>(worlds));
    }
}

// A name at the end of a line needs no legend; twenty have no room there.
TEST(StudyFigures, NamesStandOnceBesideLinesOrInALegend) {
  for (const std::size_t policies : {2, 20}) {
    MadeStudy made = small_study();
    made.policies.clear();
    for (std::size_t i = 0; i < policies; ++i) {
      const std::string name = "policy " + std::to_string(i);
      made.policies.push_back({name, "ucb"});
    }
    const std::string spec =
        drawn(asking_for(made, {FigureKind::kRegret, "", "", "", false})).at(0).spec;
    EXPECT_EQ(spec.find("\"orient\": \"top\"") != std::string::npos, policies == 20);
    EXPECT_EQ(spec.find("\"label\": \"policy 0\"") != std::string::npos, policies == 2);
  }
}

TEST(StudyFigures, BoxesAreExplainedWhereTheyStand) {
  const json spec = spec_of(drawn(asking_for(small_study(), {.kind = FigureKind::kBox})).at(0));
  const std::string key = spec["title"]["subtitle"].dump();
  for (const char* word : {"box", "median", "whiskers", "mean"})
    EXPECT_NE(key.find(word), std::string::npos) << key;
}

// Means 200, 100 and 101, the last two not to be told apart; 0.1 times as much at the second world,
// where the best has no regret at all.
TEST(StudyFigures, RatiosAreToTheBestOfTheRow) {
  MadeStudy made = small_study();
  made.policies.push_back({"pe", "pe"});
  made.relative_pair_deviation = 0.5;
  made.mean = [](std::size_t instance, std::size_t policy, double round) {
    const double mean = std::vector<double>{2, 1, 1.01}[policy] * std::sqrt(round);
    return instance == 0 ? mean : policy == 1 ? 0 : 0.1 * mean;
  };
  const auto figures = drawn(asking_for(made, {.kind = FigureKind::kRatio}));
  ASSERT_EQ(names_of(figures), (std::vector<std::string>{"ratio", "ratio-q95"}));
  const json spec = spec_of(figures[0]);
  ASSERT_EQ(spec["concat"].size(), 1u);
  std::map<std::pair<std::string, std::string>, json> at;
  for (const json& row : rows_with(spec["concat"][0], "shown"))
    at[{row["world"], row["policy"]}] = row;
  ASSERT_EQ(at.size(), 6u);
  EXPECT_EQ((at[{"easy", "ucb"}]["shown"]), 1);
  EXPECT_EQ((at[{"easy", "pe"}]["times"]), "1.01 times the best");
  EXPECT_EQ((at[{"easy", "c-ucb"}]["shown"]), 2);
  EXPECT_EQ((at[{"easy", "c-ucb"}]["value"]), 200);
  EXPECT_EQ((at[{"hard", "ucb"}]["shown"]), 1);
  EXPECT_GT((at[{"hard", "pe"}]["shown"]), 100);  // in the strip at the edge
  EXPECT_NE((at[{"hard", "pe"}]["shown"]), (at[{"hard", "c-ucb"}]["shown"]));
  EXPECT_EQ((at[{"hard", "pe"}]["times"]), "infinitely many times the best");
  EXPECT_TRUE(data_is_whole(spec));
}

// Policies whose mark is filled in the first panel.
std::set<std::string> filled(const Figure& figure) {
  std::set<std::string> policies;
  const json spec = spec_of(figure);
  for (const json& layer : spec["concat"][0]["layer"])
    if (layer["mark"].value("filled", false))
      for (const json& row : layer["data"]["values"])
        if (row["world"] == "easy") policies.insert(row["policy"]);
  return policies;
}

TEST(StudyFigures, RatiosFillWhatCannotBeToldFromTheBest) {
  MadeStudy made = small_study();
  made.policies.push_back({"pe", "pe"});
  made.relative_pair_deviation = 0.5;
  made.mean = [](std::size_t, std::size_t policy, double round) {
    return std::vector<double>{2, 1, 1.01}[policy] * std::sqrt(round);
  };
  const auto figures = drawn(asking_for(made, {.kind = FigureKind::kRatio}));
  EXPECT_EQ(filled(figures.at(0)), (std::set<std::string>{"pe", "ucb"}));
  EXPECT_EQ(filled(figures.at(1)), std::set<std::string>{"ucb"});  // quantiles: the least
}

TEST(StudyFigures, RatiosHaveAPanelPerHorizonAndPortionsOfWorlds) {
  MadeStudy made = small_study();
  made.horizons = {1000, 10'000, 100'000, 1'000'000};
  made.replications = 19;  // no quantiles
  for (int i = 0; i < 30; ++i)
    made.instances.push_back({"world " + std::to_string(i), "hidden-arm", false});
  auto figures = drawn(asking_for(made, {.kind = FigureKind::kRatio}));
  ASSERT_EQ(names_of(figures), (std::vector<std::string>{"ratio", "ratio-2"}));
  EXPECT_EQ(spec_of(figures[0])["concat"].size(), 4u);
  EXPECT_EQ(rows_with(spec_of(figures[0])["concat"][3], "shown").size(), 2u * 24);
  EXPECT_EQ(rows_with(spec_of(figures[1])["concat"][3], "shown").size(), 2u * 8);
  made.horizons.push_back(10'000'000);
  figures = drawn(asking_for(made, {.kind = FigureKind::kRatio}));
  EXPECT_EQ(spec_of(figures[0])["concat"].size(), 2u);
  EXPECT_NE(figures[0].caption.find("Of 5 horizons the first and the last are drawn."),
            std::string::npos);
}

TEST(StudyFigures, ARatioNeedsTwo) {
  MadeStudy made = small_study();
  made.policies.resize(1);
  const DrawnFigures none = study_figures(asking_for(made, {.kind = FigureKind::kRatio}));
  EXPECT_TRUE(none.figures.empty());
  EXPECT_EQ(none.notes.size(), 1u);
}

TEST(StudyFigures, FinalAgainstTheHorizon) {
  MadeStudy made = small_study();
  made.horizons = {1000, 10'000, 100'000};
  const StudyResult result = asking_for(made, {FigureKind::kFinal, "horizon", "", "", false});
  const auto figures = drawn(result);
  ASSERT_EQ(names_of(figures), std::vector<std::string>{"final-horizon"});
  const auto rows = rows_with(spec_of(figures[0])["concat"][0], "mean");
  std::map<std::pair<std::string, double>, double> means;
  for (const json& row : rows) means[{row["policy"], row["x"]}] = row["mean"];
  EXPECT_EQ(means.size(), 6u);
  for (const CellSummary& cell : result.cells) {
    if (cell.cell.instance_label != "easy") continue;
    EXPECT_EQ((means[{cell.cell.policy_label, static_cast<double>(cell.cell.horizon)}]),
              cell.final_regret().mean);
  }
}

TEST(StudyFigures, FinalAgainstAGapJoinsInstancesThatDifferInItAlone) {
  MadeStudy made = small_study();
  made.instances = {{"hidden-arm:gap=0.1", "hidden-arm:gap=0.1", false, {{"gap", "0.1"}}},
                    {"hidden-arm:gap=0.2", "hidden-arm", false, {{"gap", "0.2"}}},
                    {"hidden", "hidden-arm:gap=0.3", false, {{"gap", "0.3"}}}};
  const auto figures = drawn(asking_for(made, {FigureKind::kFinal, "", "", "", false}));
  ASSERT_EQ(names_of(figures), std::vector<std::string>{"final-gap"});
  const json spec = spec_of(figures[0]);
  ASSERT_EQ(spec["concat"].size(), 1u);  // "hidden" alone has no line to draw
  EXPECT_EQ(spec["concat"][0]["title"]["text"][0], "hidden-arm");
}

TEST(StudyFigures, APolicyWithoutTheDialRunsLevel) {
  const auto figures = drawn(asking_for(rich_study(), {FigureKind::kFinal, "dial", "", "", false}));
  ASSERT_EQ(figures.size(), 1u);
  const auto rows = rows_with(spec_of(figures[0])["concat"][0], "mean");
  std::vector<double> level, dial;
  for (const json& row : rows) {
    if (row["policy"] == "ucb") level.push_back(row["mean"]);
    if (row["policy"] == "db") dial.push_back(row["x"]);
  }
  ASSERT_EQ(level.size(), 2u);
  EXPECT_EQ(level[0], level[1]);
  EXPECT_EQ((std::set<double>(dial.begin(), dial.end())),
            (std::set<double>{0, 0.25, 0.5, 0.75, 1}));
}

TEST(StudyFigures, NothingVariesNothingIsDrawn) {
  EXPECT_TRUE(drawn(asking_for(small_study(), {FigureKind::kFinal, "", "", "", true})).empty());
  EXPECT_TRUE(drawn(asking_for(small_study(), {FigureKind::kShare, "", "", "", true})).empty());
}

TEST(StudyFigures, BoxesCarryOrderStatistics) {
  const StudyResult result = asking_for(small_study(), {FigureKind::kBox, "", "", "", true});
  const json rows = spec_of(drawn(result)[0])["concat"][0]["data"]["values"];
  ASSERT_EQ(rows.size(), 2u);
  const Spread& spread = result.cells[1].final_regret();
  EXPECT_EQ(rows[1], (json{{"policy", "ucb"},
                           {"q05", spread.q05},
                           {"q25", spread.q25},
                           {"median", spread.median},
                           {"q75", spread.q75},
                           {"q95", spread.q95},
                           {"mean", spread.mean}}));
}

TEST(StudyFigures, SharesAddUpToOne) {
  const json spec =
      spec_of(drawn(asking_for(rich_study(), {FigureKind::kShare, "", "", "", true}))[0]);
  EXPECT_EQ(spec["concat"].size(), 12u);  // four instances, three of five dials
  std::map<double, double> sum;
  for (const json& row : spec["concat"][0]["data"]["values"])
    sum[row["round"].get<double>()] += row["share"].get<double>();
  for (const auto& [round, total] : sum) EXPECT_NEAR(total, 1, 1e-12);
  // Learners are policies, and look like them.
  const json& scale = spec["concat"][0]["encoding"]["color"]["scale"];
  EXPECT_EQ(scale["domain"], (json{"c-ucb", "ucb"}));
  EXPECT_EQ(scale["range"], (json{"#F28E1C", "#0871BC"}));
}

// A policy that notes one share of two leaves a rest, and an instance is a row.
TEST(StudyFigures, SharesThatAreNotNotedAreTheRest) {
  MadeStudy made = small_study();
  made.policies.push_back({"db", "db", {}, {"c-ucb", "ucb"}});
  made.policies.push_back({"corral", "corral", {}, {"c-ucb"}});
  const json spec = spec_of(drawn(asking_for(made, {FigureKind::kShare, "", "", "", true}))[0]);
  ASSERT_EQ(spec["concat"].size(), 4u);
  EXPECT_EQ(spec["columns"], 2);
  std::map<double, double> sum;
  std::set<std::string> learners;
  for (const json& row : spec["concat"][1]["data"]["values"]) {
    sum[row["round"].get<double>()] += row["share"].get<double>();
    learners.insert(row["learner"]);
  }
  for (const auto& [round, total] : sum) EXPECT_NEAR(total, 1, 1e-12);
  EXPECT_EQ(learners, (std::set<std::string>{"c-ucb", "the rest"}));
}

TEST(StudyFigures, PullsOfManyArmsAreGathered) {
  MadeStudy made = small_study();
  made.instances[0].actions = 120;
  const StudyResult result = asking_for(made, {FigureKind::kPulls, "", "", "", true});
  const json spec = spec_of(drawn(result)[0]);
  const json& rows = spec["concat"][0]["data"]["values"];
  EXPECT_EQ(rows.size(), 2u * 40);  // three arms to a cell
  EXPECT_EQ(rows[0]["arm"], "0–2");
  const std::string label = spec["concat"][0]["encoding"]["x"]["axis"]["labelExpr"];
  EXPECT_NE(label.find("datum.value * 3"), std::string::npos) << label;  // its first arm
  const auto& pulls = result.cells[0].pulls;
  EXPECT_DOUBLE_EQ(rows[0]["pulls"], (pulls[0] + pulls[1] + pulls[2]) / 3);
  EXPECT_EQ(spec["concat"][1]["data"]["values"].size(), 2u * 20);
}

TEST(StudyFigures, ThePlaneTakesTheWorstOfEachRole) {
  MadeStudy made = small_study();
  made.instances.push_back({"harder", "semi-benign", false});
  made.mean = [](std::size_t instance, std::size_t, double round) {
    return static_cast<double>(instance + 1) * std::sqrt(round);
  };
  const auto figures = drawn(asking_for(made, {FigureKind::kPlane, "", "", "", true}));
  const json panel = spec_of(figures[0])["concat"][0];
  const auto rows = rows_with(panel, "worst_low");
  ASSERT_FALSE(rows.empty());
  EXPECT_EQ(rows[0]["benign"], 100);  // 1·√10⁴
  EXPECT_EQ(rows[0]["worst"], 300);   // the larger of 2 and 3
  for (const json& row : rows_with(panel, "what"))
    EXPECT_NEAR(row["benign"].get<double>() * row["worst"].get<double>(), 20 * 10'000, 1e-6);
}

// The dial's settings are joined in its order and named, and the number of worlds is said.
TEST(StudyFigures, ThePlaneNamesDialsAndCountsWorlds) {
  MadeStudy made = rich_study();
  std::swap(made.policies[5], made.policies[8]);  // as a search leaves them: in no order
  const auto figures = drawn(asking_for(made, {FigureKind::kPlane, "", "", "", true}));
  const json panel = spec_of(figures[0])["concat"][0];
  EXPECT_EQ(panel["title"]["subtitle"],
            json::array({"the worst of 1 benign world (R₁) and of 4 in all (R₂)"}));
  std::vector<std::string> members;
  for (const json& row : rows_with(panel, "member"))
    if (row["policy"] == "db") members.push_back(row["member"]);
  members.resize(5);  // the line's; the points' come after
  EXPECT_EQ(members, (std::vector<std::string>{"db:dial=0", "db:dial=0.25", "db:dial=0.5",
                                               "db:dial=0.75", "db:dial=1"}));
  std::set<std::string> labels;
  for (const json& row : rows_with(panel, "label")) labels.insert(row["label"]);
  for (const char* label : {"dial = 0", "1", "R₁R₂ = |A|T"})
    EXPECT_TRUE(labels.contains(label)) << label;
}

// What was measured decides the range: a frontier far from it is named and not drawn to.
TEST(StudyFigures, ThePlaneSaysWhereAFrontierOutOfSightLies) {
  MadeStudy made = small_study();
  made.mean = [](std::size_t, std::size_t policy, double) { return 1.0 + 0.1 * policy; };
  const auto figures = drawn(asking_for(made, {FigureKind::kPlane, "", "", "", true}));
  const json panel = spec_of(figures[0])["concat"][0];
  EXPECT_EQ(panel["title"]["subtitle"][1], "R₁R₂ = |A|T lies far above");
  EXPECT_LT(panel["layer"][0]["encoding"]["y"]["scale"]["domain"][1], 10);
  EXPECT_TRUE(rows_with(panel, "label").empty());
}

// What a legend's colours mean must be what the cells have: both are linear in one number.
TEST(StudyFigures, PullsHaveTheColoursOfTheirLegend) {
  const json panel = spec_of(
      drawn(asking_for(small_study(), {FigureKind::kPulls, "", "", "", true}))[0])["concat"][0];
  const json& colour = panel["encoding"]["color"];
  EXPECT_FALSE(colour["scale"].contains("type"));
  EXPECT_EQ(colour["scale"]["domain"], (json{0, 1}));
  double most = 0, before = -1;
  for (const json& row : panel["data"]["values"]) most = std::max(most, row["place"].get<double>());
  EXPECT_NEAR(most, 1, 0.1);
  for (const json& tick : colour["legend"]["values"]) {
    EXPECT_GE(tick.get<double>() - before, 0.1);  // labels do not merge
    before = tick;
  }
}

// R₂ is over all worlds: here the benign one is the worst.
TEST(StudyFigures, TheWorstOfThePlaneMayBeBenign) {
  MadeStudy made = small_study();
  made.mean = [](std::size_t instance, std::size_t, double round) {
    return (instance == 0 ? 3 : 1) * std::sqrt(round);
  };
  const auto figures = drawn(asking_for(made, {FigureKind::kPlane, "", "", "", true}));
  const auto rows = rows_with(spec_of(figures[0])["concat"][0], "worst_low");
  ASSERT_FALSE(rows.empty());
  EXPECT_EQ(rows[0]["benign"], 300);
  EXPECT_EQ(rows[0]["worst"], 300);
}

TEST(StudyFigures, TimeIsPerRoundAndSaysThatItDiffers) {
  const auto figures = drawn(asking_for(small_study(), {FigureKind::kTime, "", "", "", true}));
  const json rows = spec_of(figures[0])["concat"][0]["data"]["values"];
  EXPECT_NEAR(rows[1]["nanoseconds"].get<double>(), 60, 1e-9);
  EXPECT_NE(figures[0].caption.find("differs from run to run"), std::string::npos);
}

TEST(StudyFigures, APolicyHasOneColourEverywhere) {
  std::map<std::string, std::set<std::string>> colours;
  for (const Figure& figure : drawn(made_result(rich_study()))) {
    if (figure.name == "pulls" || figure.name == "share") continue;
    const std::function<void(const json&)> visit = [&](const json& part) {
      if (part.is_object() && part.contains("color") && part["color"].contains("scale"))
        for (std::size_t i = 0; i < part["color"]["scale"]["domain"].size(); ++i)
          colours[part["color"]["scale"]["domain"][i]].insert(part["color"]["scale"]["range"][i]);
      if (part.is_structured())
        for (const json& child : part) visit(child);
    };
    visit(spec_of(figure));
  }
  EXPECT_GE(colours.size(), 9u);
  for (const auto& [policy, found] : colours) EXPECT_EQ(found.size(), 1u) << policy;
  EXPECT_EQ(colours["db"], colours["db:dial=0"]);  // the first of the sweep is plain
  EXPECT_NE(colours["ucb"], colours["c-ucb"]);
}

TEST(StudyFigures, ManyInstancesAreSeveralFigures) {
  MadeStudy made = small_study();
  made.instances.clear();
  for (int i = 0; i < 14; ++i)
    made.instances.push_back({"world " + std::to_string(i), "hidden-arm", false});
  EXPECT_EQ(names_of(drawn(asking_for(made, {FigureKind::kRegret, "", "", "", true}))),
            (std::vector<std::string>{"regret", "regret-2"}));
}

TEST(StudyFigures, TheSameKindTwiceHasTwoNames) {
  StudyResult result = made_result(small_study());
  result.plan.study.figures = {{FigureKind::kBox, "", "", "one", true},
                               {FigureKind::kBox, "", "", "two", true}};
  EXPECT_EQ(names_of(drawn(result)), (std::vector<std::string>{"box", "box-again-2"}));
}

TEST(StudyFigures, OneReplicationAndTheOracleAreNoTrouble) {
  MadeStudy made = rich_study();
  made.replications = 1;
  made.policies.push_back({"oracle", "oracle"});
  const auto mean = made.mean;
  made.mean = [mean](std::size_t i, std::size_t p, double t) {
    return p == 10 ? 0 : mean(i, p, t);
  };
  for (const Figure& figure : drawn(made_result(made)))
    EXPECT_TRUE(data_is_whole(spec_of(figure))) << figure.name;
}

TEST(StudyFigures, WhatWasAskedForAndIsNotHereIsSaid) {
  const DrawnFigures asked =
      study_figures(asking_for(small_study(), {FigureKind::kShare, "", "", "", true}));
  ASSERT_EQ(asked.notes.size(), 1u);
  EXPECT_NE(asked.notes[0].find("“share”"), std::string::npos) << asked.notes[0];
  EXPECT_NE(asked.notes[0].find("balances"), std::string::npos) << asked.notes[0];
  // Nobody asked for any kind by name: those with nothing to show go without saying.
  EXPECT_TRUE(study_figures(made_result(small_study())).notes.empty());
}

TEST(StudyFigures, WhatIsLeftOutOfALongSweepIsSaid) {
  for (const Figure& figure : drawn(made_result(rich_study())))
    if (figure.name == "regret" || figure.name == "box" || figure.name == "pulls")
      EXPECT_NE(figure.caption.find("Of db only the first"), std::string::npos) << figure.caption;
}

TEST(StudyFigures, EveryKindHasItsRow) {
  ASSERT_EQ(figure_kinds().size(), 8u);
  for (std::size_t i = 0; i < figure_kinds().size(); ++i)
    EXPECT_EQ(static_cast<std::size_t>(figure_kinds()[i].kind), i);
}

// The world's ε is another number than sentry's.
TEST(StudyFigures, APolicyHasNoPlaceAlongAnothersParameter) {
  MadeStudy made = small_study();
  made.policies = {{"ucb", "ucb"}};
  for (const char* epsilon : {"0.1", "0.2", "0.4"})
    made.policies.push_back({"sentry", "sentry", {{"epsilon", epsilon}}});
  const auto figures = drawn(asking_for(made, {FigureKind::kFinal, "epsilon", "", "", false}));
  ASSERT_EQ(figures.size(), 1u);
  std::set<double> xs;
  for (const json& row : rows_with(spec_of(figures[0])["concat"][0], "mean"))
    xs.insert(row["x"].get<double>());
  EXPECT_EQ(*xs.begin(), 0.1);  // nobody stands at 0
}

}  // namespace
}  // namespace armature
