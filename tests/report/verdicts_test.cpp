// The page of verdicts: p, Holm's correction over all of its questions, and what each would catch.
#include <gtest/gtest.h>

#include "armature/report.h"
#include "base/refusal.h"
#include "support/study_results.h"

namespace armature {
namespace {

using test::contains;

Verdict answer(const std::string& name, std::optional<double> p,
               const std::string& outcome = "holds") {
  Verdict verdict;
  verdict.rule.name = name;
  verdict.rule.rule = "slope";
  verdict.outcome = outcome;
  verdict.because = "a number";
  verdict.p = p;
  return verdict;
}

// 0.03 would stand in a study of its own. On a page of three it is the second smallest, and
// 0.03 > 0.05/2.
TEST(VerdictPage, HolmCountsTheQuestionsOfAllStudies) {
  std::vector<std::vector<Verdict>> page = {{answer("one", 0.03)},
                                            {answer("two", 0.001), answer("three", 0.04)}};
  const std::string words = correct_together(page);
  EXPECT_EQ(page[0][0].caveat, "does not survive Holm over 3 questions");
  EXPECT_EQ(page[1][0].caveat, "");
  EXPECT_EQ(page[1][1].caveat, "does not survive Holm over 3 questions");
  EXPECT_TRUE(contains(words, "Holm's correction at 5% over 3 questions of this page")) << words;
  EXPECT_TRUE(contains(words, "takes back 2 of the answers")) << words;
  std::vector<std::vector<Verdict>> alone = {{answer("one", 0.03)}};
  EXPECT_TRUE(contains(correct_together(alone), "leaves every answer standing"));
  EXPECT_EQ(alone[0][0].caveat, "");
}

TEST(VerdictPage, ARowHasItsChanceItsCaveatAndItsAlternative) {
  StudyResult result = test::made_result(test::small_study());
  result.plan.study.verdicts = {VerdictRule{}};
  std::vector<Verdict> verdicts = {answer("is it | so?", 0.0123), answer("bound", std::nullopt),
                                   answer("sure", 1e-12)};
  verdicts[0].rule.catches = "uniform play";
  verdicts[0].because = "3*A*T";  // and nothing of it is said with emphasis
  verdicts[0].caveat = "does not survive Holm over 3 questions";
  const std::string text = verdict_section(result, {}, verdicts);
  EXPECT_TRUE(
      contains(text,
               "| is it \\| so?<br>*would catch: uniform play* | **holds**, does not survive "
               "Holm over 3 questions | 0.012 | 3\\*A\\*T |\n"))
      << text;
  EXPECT_TRUE(contains(text, "| bound | **holds** | – | a number |\n")) << text;
  EXPECT_TRUE(contains(text, "| sure | **holds** | < 1e-9 | a number |\n")) << text;
}

// Whoever reads of a worst case must know among how many it was sought.
TEST(VerdictPage, TellsOfASearch) {
  StudyResult result = test::made_result(test::small_study());
  EXPECT_FALSE(contains(verdict_section(result, {}), "**Search.**"));
  result.plan.study.search = SearchStage{3, {0, 1}};
  EXPECT_TRUE(contains(verdict_section(result, {}),
                       "**Search.** Worlds were chosen by a search: of 2 instances, for each "
                       "policy, role, horizon, size and condition the one with the largest mean "
                       "regret in 3 replications of its own"))
      << verdict_section(result, {});
}

// A short grid is spelt out, a long one named by what its members share.
TEST(VerdictPage, NamesLongGridsByTheirSweep) {
  test::MadeStudy made = test::small_study();
  made.instances = {{"hard", "hidden-arm", false}};
  for (const char* gap : {"0.1", "0.2", "0.3", "0.4"})
    made.instances.push_back({"easy", "pareto-benign", true, {{"gap", gap}}});
  EXPECT_TRUE(contains(verdict_section(test::made_result(made), {}),
                       "**Worlds.** Benign: easy (4 of them). Worst case: hard.\n"))
      << verdict_section(test::made_result(made), {});
  made.instances.pop_back();
  EXPECT_TRUE(contains(verdict_section(test::made_result(made), {}),
                       "Benign: easy (gap=0.1); easy (gap=0.2); easy (gap=0.3)."))
      << verdict_section(test::made_result(made), {});
}

}  // namespace
}  // namespace armature
