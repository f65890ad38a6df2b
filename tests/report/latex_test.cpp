#include <gtest/gtest.h>

#include "armature/report.h"
#include "base/refusal.h"

namespace armature {
namespace {

using test::contains;

CellSummary cell_of(const std::string& policy, Round horizon, double mean) {
  CellSummary summary;
  summary.cell.policy = policy;
  summary.cell.policy_label = policy;
  summary.cell.instance_label = "50% of\n\\everything_";
  summary.cell.horizon = horizon;
  Spread regret;
  regret.count = 2;
  regret.mean = mean;
  regret.standard_error = 0.1;  // times 12.706, Student's t of one degree: 1.27
  summary.curve = {{horizon, regret}};
  return summary;
}

StudyResult result_of(std::vector<CellSummary> cells) {
  StudyResult result;
  result.complete = true;
  result.plan.study.replications = 2;
  result.plan.study.horizons = {10, 20};
  result.cells = std::move(cells);
  return result;
}

TEST(Latex, PoliciesDownHorizonsAcrossTheBestInBold) {
  const std::string latex =
      study_latex(result_of({cell_of("ucb", 10, 7), cell_of("a_b&c", 10, 5), cell_of("ucb", 20, 8),
                             cell_of("a_b&c", 20, 9)}));
  EXPECT_TRUE(contains(latex, "over 2 replications")) << latex;
  EXPECT_TRUE(contains(latex, "policy & $T=10$ & $T=20$ \\\\\n"));
  EXPECT_TRUE(contains(latex, "ucb & $7.0 \\pm 1.3$ & $\\mathbf{8.0 \\pm 1.3}$ \\\\\n"));
  EXPECT_TRUE(contains(latex, "a\\_b\\&c & $\\mathbf{5.0 \\pm 1.3}$ & $9.0 \\pm 1.3$ \\\\\n"));
}

TEST(Latex, TheOracleDoesNotCompete) {
  const std::string latex =
      study_latex(result_of({cell_of("oracle", 10, 0), cell_of("ucb", 10, 7)}));
  EXPECT_TRUE(contains(latex, "oracle & $0.0 \\pm 1.3$ & ")) << latex;
  EXPECT_TRUE(contains(latex, "ucb & $\\mathbf{7.0 \\pm 1.3}$ & ")) << latex;
}

// A label is shown in a comment: a line break in it must not end that.
TEST(Latex, LabelsStayInTheirComment) {
  const std::string latex = study_latex(result_of({cell_of("ucb", 10, 7)}));
  EXPECT_TRUE(contains(latex, "\n% 50% of \\everything_\n\\begin{tabular}")) << latex;
}

TEST(Latex, UnfinishedStudiesSaySo) {
  StudyResult result = result_of({cell_of("ucb", 10, 7)});
  EXPECT_FALSE(contains(study_latex(result), "Not finished"));
  result.complete = false;
  EXPECT_TRUE(contains(study_latex(result), "% Not finished: some policies had fewer."));
}

}  // namespace
}  // namespace armature
