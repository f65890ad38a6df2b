// Figures hide nothing: on data that are hard to show, every series of every panel of every kind of
// figure has a mark that can be seen, or a note that names it, and no mark runs out of its plot.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "base/file.h"
#include "base/program.h"
#include "report/resources.h"
#include "report/study_figures.h"
#include "study/figure_kinds.h"
#include "support/program.h"
#include "support/study_results.h"

namespace armature {
namespace {

using nlohmann::json;
using test::MadeStudy;

struct Planted {
  const char* name;
  MadeStudy made;
};
void PrintTo(const Planted& planted, std::ostream* out) { *out << planted.name; }

// Every policy balances two learners, so that there are shares to draw.
MadeStudy with_policies(const std::vector<std::string>& names) {
  MadeStudy made = test::small_study();
  made.policies.clear();
  for (const std::string& name : names) made.policies.push_back({name, name, {}, {"one", "two"}});
  made.horizons = {100'000, 10'000'000};
  return made;
}

std::vector<Planted> planted() {
  std::vector<Planted> all;
  MadeStudy far = with_policies({"c-ucb", "ucb", "db"});
  far.mean = [](std::size_t, std::size_t policy, double round) {
    return policy == 0 ? 0.1 : policy == 1 ? 0.1 * round : 0.05 * round;
  };
  all.push_back({"far_apart", far});

  MadeStudy farther = with_policies({"c-ucb", "ucb", "pe", "db"});
  farther.mean = [](std::size_t, std::size_t policy, double round) {
    return policy == 0 ? 1e-9 : std::pow(10, static_cast<double>(policy)) * std::sqrt(round);
  };
  all.push_back({"a_stray", farther});

  // One without any regret, one without until late.
  MadeStudy zero = with_policies({"c-ucb", "ucb", "pe"});
  zero.mean = [](std::size_t, std::size_t policy, double round) {
    return policy == 0 ? 0 : policy == 1 ? 3 * std::sqrt(round) : round < 1e4 ? 0 : 0.1 * round;
  };
  all.push_back({"zero", zero});

  MadeStudy nothing = zero;
  nothing.mean = [](std::size_t, std::size_t, double) { return 0; };
  all.push_back({"nothing_but_zero", nothing});

  MadeStudy point = with_policies({"c-ucb", "ucb"});
  point.horizons = {1};
  point.mean = [](std::size_t, std::size_t policy, double) { return policy == 0 ? 0.3 : 0.01; };
  all.push_back({"one_point", point});

  MadeStudy twelve = with_policies({"ucb", "moss", "kl-ucb", "ts", "c-ucb", "c-ucb-2", "c-ts",
                                    "hac-ucb", "pe", "db", "sentry", "warden"});
  twelve.mean = [](std::size_t instance, std::size_t policy, double round) {
    return std::pow(2, static_cast<double>(policy + instance)) * std::sqrt(round);
  };
  all.push_back({"twelve_policies", twelve});

  MadeStudy all_alike = twelve;
  all_alike.mean = [](std::size_t, std::size_t, double round) { return round < 1e6 ? 0 : 1; };
  all.push_back({"twelve_alike", all_alike});
  return all;
}

std::vector<std::string> series_of(FigureKind kind, const MadeStudy& made) {
  if (kind == FigureKind::kShare) return {"one", "two"};  // a panel is a policy
  std::vector<std::string> names;
  for (const test::MadePolicy& policy : made.policies) names.push_back(policy.label);
  return names;
}

std::vector<figures::Figure> drawn(const MadeStudy& made, FigureKind kind) {
  StudyResult result = test::made_result(made);
  result.plan.study.figures = {{.kind = kind}};
  const DrawnFigures all = study_figures(result);
  EXPECT_NE(all.figures.empty(), all.notes.empty());  // what is not here is said
  return all.figures;
}

bool names_it(const std::string& note, const std::string& series) {
  return note == series || note.rfind(series + ":", 0) == 0;
}

// Panels as tests/web/visible.js has them.
void expect_nothing_hidden(const json& panels, const std::vector<std::string>& series,
                           const std::string& figure) {
  EXPECT_FALSE(panels.empty()) << figure;
  for (const json& panel : panels) {
    EXPECT_EQ(panel["strays"], json::array()) << figure << ", " << panel["title"];
    for (const std::string& name : series) {
      const bool seen =
          std::find(panel["seen"].begin(), panel["seen"].end(), name) != panel["seen"].end();
      const bool noted = std::any_of(panel["notes"].begin(), panel["notes"].end(),
                                     [&](const json& note) { return names_it(note, name); });
      EXPECT_TRUE(seen || noted) << name << " is hidden in " << figure << ", " << panel.dump();
    }
  }
}

class VisibleSeries : public testing::TestWithParam<Planted> {};

json looked_at(const std::vector<figures::Figure>& figures) {
  const test::TemporaryDirectory directory;
  write_file(directory.file("bundle.js"), std::string(*web_bundle()));
  make_directory(directory.file("specs"));
  for (const figures::Figure& figure : figures)
    write_file(directory.file("specs/" + figure.name + ".json"), figure.spec);
  const test::ProgramResult run = test::run_shell(
      "node '" ARMATURE_SOURCE_DIR "/tests/web/visible.js' bundle.js specs", directory.path());
  EXPECT_EQ(run.status, 0) << run.err;
  return json::parse(run.out);
}

TEST_P(VisibleSeries, AreAllDrawnOrNamed) {
  if (!web_bundle()) GTEST_SKIP() << "built without `make bundle`";
  if (!program_exists("node")) GTEST_SKIP() << "no node";
  std::vector<figures::Figure> figures;
  std::vector<FigureKind> kinds;
  for (const FigureFacts& facts : figure_kinds())
    for (figures::Figure& figure : drawn(GetParam().made, facts.kind)) {
      figures.push_back(std::move(figure));
      kinds.push_back(facts.kind);
    }
  const json seen = looked_at(figures);
  for (std::size_t i = 0; i < figures.size(); ++i)
    expect_nothing_hidden(seen[figures[i].name], series_of(kinds[i], GetParam().made),
                          figures[i].name);
}

// The same on the data of the specification, which needs no node: a row that an axis has a place
// for. Coarser: it cannot tell a line of one point from one that is seen.
bool has_place(const json& encoding, const json& row) {
  for (const char* channel : {"x", "y"}) {
    if (!encoding.contains(channel) || !encoding[channel].contains("field")) continue;
    const json& axis = encoding[channel];
    if (axis.value("type", "") != "quantitative" || !axis.contains("scale") ||
        !axis["scale"].contains("domain"))
      continue;
    const std::string field = axis["field"];
    if (!row.contains(field) || row[field] < axis["scale"]["domain"][0] ||
        row[field] > axis["scale"]["domain"][1])
      return false;
  }
  return true;
}

std::set<std::string> names_with_place(const json& panel) {
  std::set<std::string> names;
  const json layers = panel.contains("layer") ? panel["layer"] : json::array({panel});
  for (const json& layer : layers) {
    const json data = (layer.contains("data") ? layer : panel).value("data", json::object());
    const json encoding = layer.value("encoding", json::object());
    const json rows = data.value("values", json::array());
    for (const json& row : rows)
      for (const char* field : {"policy", "learner"})
        if (row.contains(field) && !row.contains("bound") && has_place(encoding, row))
          names.insert(row[field]);
  }
  return names;
}

TEST_P(VisibleSeries, HaveAPlaceOnTheirAxes) {
  for (const FigureFacts& facts : figure_kinds())
    for (const figures::Figure& figure : drawn(GetParam().made, facts.kind)) {
      const json spec = json::parse(figure.spec);
      ASSERT_TRUE(spec.contains("concat")) << figure.name;
      for (const json& panel : spec["concat"]) {
        const std::set<std::string> names = names_with_place(panel);
        for (const std::string& name : series_of(facts.kind, GetParam().made))
          EXPECT_TRUE(names.contains(name)) << name << " is hidden in " << figure.name;
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Planted, VisibleSeries, testing::ValuesIn(planted()),
                         [](const auto& info) { return std::string(info.param.name); });

// An axis that begins above the data hides them, and both checks notice.
TEST(VisibleSeriesChecks, NoticeAnAxisThatHides) {
  for (const FigureKind kind : {FigureKind::kRegret, FigureKind::kFinal}) {
    figures::Figure figure = drawn(planted().front().made, kind).at(0);
    json spec = json::parse(figure.spec);
    for (json& panel : spec["concat"])
      for (json& layer : panel["layer"])
        if (layer["encoding"].contains("y") && layer["encoding"]["y"].contains("scale"))
          layer["encoding"]["y"]["scale"]["domain"] = {1e3, 1e7};
    EXPECT_FALSE(names_with_place(spec["concat"][0]).contains("c-ucb"));
    if (!web_bundle() || !program_exists("node")) continue;
    figure.spec = spec.dump();
    const json panel = looked_at({figure})[figure.name][0];
    EXPECT_EQ(std::count(panel["seen"].begin(), panel["seen"].end(), "c-ucb"), 0) << panel;
    EXPECT_EQ(std::count(panel["seen"].begin(), panel["seen"].end(), "ucb"), 1) << panel;
  }
}

}  // namespace
}  // namespace armature
