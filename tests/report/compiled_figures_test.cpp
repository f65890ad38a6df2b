// Every figure compiled and run with the bundle, without a browser: what it draws is the data that
// went in.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/program.h"
#include "report/resources.h"
#include "report/study_figures.h"
#include "support/program.h"
#include "support/study_results.h"

namespace armature {
namespace {

using nlohmann::json;

class Compiled : public testing::Test {
 protected:
  void SetUp() override {
    if (!web_bundle()) GTEST_SKIP() << "built without `make bundle`";
    if (!program_exists("node")) GTEST_SKIP() << "no node";
  }

  // The rows behind all marks of one type that have this field.
  static std::vector<json> drawn(const FigureRequest& request, const std::string& mark,
                                 const std::string& field, const test::MadeStudy& made) {
    StudyResult result = test::made_result(made);
    result.plan.study.figures = {request};
    const test::TemporaryDirectory directory;
    write_file(directory.file("bundle.js"), std::string(*web_bundle()));
    write_file(directory.file("spec.json"), study_figures(result).figures.at(0).spec);
    const test::ProgramResult run =
        test::run_shell("node '" ARMATURE_SOURCE_DIR "/tests/web/compile.js' bundle.js spec.json",
                        directory.path());
    EXPECT_EQ(run.status, 0) << run.err;
    std::vector<json> rows;
    for (const json& group : json::parse(run.out))
      for (const json& row : group["rows"])
        if (group["mark"] == mark && row.contains(field)) rows.push_back(row);
    return rows;
  }
};

TEST_F(Compiled, RegretDrawsEveryMean) {
  const test::MadeStudy made = test::small_study();
  const StudyResult result = test::made_result(made);
  for (const char* scale : {"linear", "log-x", "log-log"}) {
    const auto rows = drawn({FigureKind::kRegret, "", scale, "", false}, "line", "mean", made);
    std::size_t next = 0;
    for (const CellSummary& cell : result.cells)
      for (const CurvePoint& point : cell.curve) {
        ASSERT_LT(next, rows.size()) << scale;
        EXPECT_EQ(rows[next]["policy"], cell.cell.policy_label);
        EXPECT_EQ(rows[next]["round"], point.round);
        EXPECT_EQ(rows[next]["mean"], point.regret.mean);
        ++next;
      }
    EXPECT_EQ(next, rows.size()) << scale;
  }
}

TEST_F(Compiled, FinalDrawsAPointPerCell) {
  const test::MadeStudy made = test::rich_study();
  const auto rows = drawn({FigureKind::kFinal, "dial", "", "", true}, "symbol", "mean", made);
  EXPECT_EQ(rows.size(), 4u * 5);  // four instances, five dials at the longest horizon
  for (const json& row : rows) EXPECT_EQ(row["policy"], "db");
}

TEST_F(Compiled, IntervalsEndWhereALogarithmicAxisDoes) {
  test::MadeStudy made = test::rich_study();
  made.replications = 2;
  made.relative_deviation = 5;  // intervals far below 0
  const auto rows =
      drawn({FigureKind::kFinal, "horizon", "log-log", "", false}, "rule", "shown_low", made);
  EXPECT_FALSE(rows.empty());
  for (const json& row : rows) {
    EXPECT_LT(row["low"], 0);
    EXPECT_GT(row["shown_low"], 0);
  }
}

TEST_F(Compiled, RatiosDrawEveryPolicyThatIsDrawn) {
  const auto rows = drawn({.kind = FigureKind::kRatio}, "symbol", "shown", test::rich_study());
  // Two horizons, four worlds, five policies and three of the five dials.
  EXPECT_EQ(rows.size(), 2u * 4 * (5 + 3));
}

TEST_F(Compiled, BoxesDrawEveryCell) {
  const test::MadeStudy made = test::small_study();
  const StudyResult result = test::made_result(made);
  const auto rows = drawn({FigureKind::kBox, "", "", "", true}, "symbol", "mean", made);
  ASSERT_EQ(rows.size(), result.cells.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i]["median"], result.cells[i].final_regret().median);
    EXPECT_EQ(rows[i]["mean"], result.cells[i].final_regret().mean);
  }
}

TEST_F(Compiled, SharesFillTheHeight) {
  test::MadeStudy made = test::small_study();
  made.policies.push_back({"db", "db", {}, {"c-ucb", "ucb"}});
  const auto rows = drawn({FigureKind::kShare, "", "", "", true}, "area", "share", made);
  std::map<double, double> top;
  for (const json& row : rows)
    top[row["round"]] = std::max(top[row["round"]], row["share_end"].get<double>());
  EXPECT_EQ(top.size(), test::made_result(made).cells[2].curve.size());
  for (const auto& [round, height] : top) EXPECT_NEAR(height, 1, 1e-12) << round;
}

TEST_F(Compiled, PullsDrawACellPerArmAndPolicy) {
  const auto rows =
      drawn({FigureKind::kPulls, "", "", "", true}, "rect", "pulls", test::small_study());
  EXPECT_EQ(rows.size(), 2u * 2 * 20);
  double sum = 0;
  for (std::size_t i = 0; i < 20; ++i) sum += rows[i]["pulls"].get<double>();
  EXPECT_NEAR(sum, 10'000, 1e-6);  // every round plays an arm
}

TEST_F(Compiled, ThePlaneDrawsEveryPolicy) {
  const auto rows =
      drawn({FigureKind::kPlane, "", "", "", true}, "symbol", "member", test::rich_study());
  EXPECT_EQ(rows.size(), 2u * 10);  // two horizons, five policies and five dials
}

TEST_F(Compiled, TimesAreDrawn) {
  const auto rows =
      drawn({FigureKind::kTime, "", "", "", true}, "symbol", "nanoseconds", test::small_study());
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_NEAR(rows[0]["nanoseconds"].get<double>(), 30, 1e-9);
}

}  // namespace
}  // namespace armature
