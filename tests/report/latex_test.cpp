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
  for (std::size_t i = 0; i < result.cells.size(); ++i)
    result.cells[i].cell.id = static_cast<std::uint32_t>(i);
  return result;
}

// Less by `mean` in each of two replications, up to an error of 0.01: settled.
PairedDifference lead(std::uint32_t first, std::uint32_t second, double mean) {
  PairedDifference pair;
  pair.first = first;
  pair.second = second;
  pair.difference.count = 2;
  pair.difference.mean = -mean;
  pair.difference.standard_error = 0.01;
  return pair;
}

TEST(Latex, PoliciesDownHorizonsAcrossTheBestInBold) {
  StudyResult result = result_of({cell_of("ucb", 10, 7), cell_of("a_b&c", 10, 5),
                                  cell_of("ucb", 20, 8), cell_of("a_b&c", 20, 9)});
  result.differences = {lead(1, 0, 2), lead(2, 3, 1)};
  const std::string latex = study_latex(result);
  EXPECT_TRUE(contains(latex, "over 2 replications")) << latex;
  EXPECT_TRUE(contains(latex, "policy & $T=10$ & $T=20$ \\\\\n"));
  EXPECT_TRUE(contains(latex, "ucb & $7.0 \\pm 1.3$ & $\\mathbf{8.0 \\pm 1.3}$ \\\\\n"));
  EXPECT_TRUE(contains(latex, "a\\_b\\&c & $\\mathbf{5.0 \\pm 1.3}$ & $9.0 \\pm 1.3$ \\\\\n"));
}

TEST(Latex, WhatCannotBeToldFromTheBestIsBoldToo) {
  StudyResult result =
      result_of({cell_of("ucb", 10, 5), cell_of("moss", 10, 5.1), cell_of("ts", 10, 7)});
  result.differences = {lead(0, 1, 0.1), lead(0, 2, 2)};  // ± 0.127: the first reaches 0
  const std::string latex = study_latex(result);
  EXPECT_TRUE(contains(latex, "ucb & $\\mathbf{5.0 \\pm 1.3}$")) << latex;
  EXPECT_TRUE(contains(latex, "moss & $\\mathbf{5.1 \\pm 1.3}$")) << latex;
  EXPECT_TRUE(contains(latex, "ts & $7.0 \\pm 1.3$")) << latex;
  EXPECT_TRUE(contains(latex, "% Bold: the least mean regret and what cannot be told from it"));
}

TEST(Latex, TheOracleDoesNotCompete) {
  StudyResult result =
      result_of({cell_of("oracle", 10, 0), cell_of("ucb", 10, 7), cell_of("ts", 10, 9)});
  result.differences = {lead(1, 2, 2)};
  const std::string latex = study_latex(result);
  EXPECT_TRUE(contains(latex, "oracle & $0.0 \\pm 1.3$ & ")) << latex;
  EXPECT_TRUE(contains(latex, "ucb & $\\mathbf{7.0 \\pm 1.3}$ & ")) << latex;
  // Nor is it somebody to beat.
  result.cells.pop_back();
  EXPECT_TRUE(contains(study_latex(result), "ucb & $7.0 \\pm 1.3$ & ")) << study_latex(result);
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

TEST(Latex, OfOneReplicationTheErrorIsUnknown) {
  CellSummary one = cell_of("ucb", 10, 7);
  one.curve.back().regret.count = 1;
  one.curve.back().regret.standard_error = 0;
  EXPECT_TRUE(contains(study_latex(result_of({one})), "ucb & $7.000 \\pm \\mbox{--}$ & "));
}

}  // namespace
}  // namespace armature
