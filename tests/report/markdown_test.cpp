#include <gtest/gtest.h>

#include "armature/report.h"
#include "support/study_results.h"

namespace armature {
namespace {

using test::made_result;
using test::MadeStudy;
using test::small_study;

// Means 200, 100 and 101 ± 1%; pairs of the last two cannot be told apart.
MadeStudy two_of_three() {
  MadeStudy made = small_study();
  made.policies.push_back({"p`e", "pe"});
  made.instances[0].label = "a|b";
  made.relative_pair_deviation = 0.5;
  made.mean = [](std::size_t, std::size_t policy, double round) {
    return std::vector<double>{2, 1, 1.01}[policy] * std::sqrt(round);
  };
  return made;
}

TEST(Markdown, WorldsDownPoliciesAcross) {
  EXPECT_EQ(
      study_markdown(made_result(two_of_three())),
      "Mean regret ± standard error · 95% quantile of regret (from 20 replications on), seed 1. In "
      "bold: the least mean regret and what cannot be told from it (95% interval of the paired "
      "difference reaches 0).\n"
      "\n"
      "### T = 10000 (100 replications)\n"
      "\n"
      "| world | `c-ucb` | `ucb` | `pe` |\n"
      "|---|---:|---:|---:|\n"
      "| a\\|b | 200.0 ± 2.0 · 232.9 | **100.0 ± 1.0** · 116.5 | **101.0 ± 1.0** · 117.6 |\n"
      "| hard | 200.0 ± 2.0 · 232.9 | **100.0 ± 1.0** · 116.5 | **101.0 ± 1.0** · 117.6 |\n");
}

TEST(Markdown, OneTablePerHorizonWithTheSameColumns) {
  MadeStudy made = two_of_three();
  made.horizons = {1000, 10'000};
  StudyResult result = made_result(made);
  // The first policy has no cell at the longer horizon.
  std::erase_if(result.cells, [](const CellSummary& cell) {
    return cell.cell.policy == "c-ucb" && cell.cell.horizon == 10'000;
  });
  const std::string text = study_markdown(result);
  const std::size_t second = text.find("### T = 10000");
  ASSERT_NE(second, std::string::npos);
  EXPECT_NE(text.find("### T = 1000 ("), std::string::npos);
  EXPECT_NE(text.find("| world | `c-ucb` | `ucb` | `pe` |", second), std::string::npos);
  EXPECT_NE(text.find("| hard |  | **100.0 ± 1.0** · 116.5 |", second), std::string::npos) << text;
}

TEST(Markdown, FewReplicationsHaveNoQuantilesAndUnfinishedStudiesSaySo) {
  MadeStudy made = two_of_three();
  made.replications = 19;
  StudyResult result = made_result(made);
  EXPECT_NE(study_markdown(result).find("| hard | 200.0 ± 4.6 |"), std::string::npos)
      << study_markdown(result);
  EXPECT_EQ(study_markdown(result).find("Not finished"), std::string::npos);
  result.complete = false;
  EXPECT_NE(study_markdown(result).find("**Not finished**"), std::string::npos);
}

}  // namespace
}  // namespace armature
