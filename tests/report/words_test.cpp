#include "report/words.h"

#include <gtest/gtest.h>

#include "armature/report.h"
#include "report/resources.h"
#include "support/study_results.h"

namespace armature {
namespace {

using test::made_result;
using test::MadeStudy;
using test::small_study;

std::string only_words(const MadeStudy& made) {
  const StudyResult result = made_result(made);
  return contest_words(contests(result)[0]);
}

// Means 100 and 200, standard errors 1 and 2; differences of -100 with standard error
// 0.1·200/√100 = 2 and t(99) = 1.984: from -103.97 to -96.03.
TEST(Words, AClearWinner) {
  EXPECT_EQ(
      only_words(small_study()),
      "`c-ucb` has the least mean regret, 100.0 ± 1.0. The lead is settled: next comes `ucb` with "
      "100.0 more (95% interval of the paired difference: 96.0 to 104.0); `c-ucb` was the better "
      "one in 100% of 100 replications.");
}

// Settled in the mean, and yet mostly beaten: the words keep mean and median apart.
TEST(Words, ALeadInTheMeanMayBeALossInMostReplications) {
  StudyResult result = made_result(small_study());
  result.differences[0].share_better = 0.46;
  EXPECT_EQ(
      contest_words(contests(result)[0]),
      "`c-ucb` has the least mean regret, 100.0 ± 1.0. The lead is settled: next comes `ucb` with "
      "100.0 more (95% interval of the paired difference: 96.0 to 104.0). So much for the mean; in "
      "most replications `ucb` is ahead: `c-ucb` was the better one in 46% of 100 replications, "
      "but then by more (medians 100.0 and 200.0).");
}

TEST(Words, AThirdIsMentionedWhenFarBehind) {
  MadeStudy made = small_study();
  made.policies.push_back({"pe", "pe"});
  made.mean = [](std::size_t, std::size_t policy, double round) {
    return std::vector<double>{1, 2, 30}[policy] * std::sqrt(round);
  };
  EXPECT_NE(only_words(made).find("Furthest behind is `pe`: 3000 ± 30, 30 times as much."),
            std::string::npos)
      << only_words(made);
}

// Means 100 and 101; differences of -1 with standard error 0.5·101/√100 = 5.05: from -11.02
// to 9.02.
TEST(Words, ATie) {
  MadeStudy made = small_study();
  made.relative_pair_deviation = 0.5;
  made.mean = [](std::size_t, std::size_t policy, double round) {
    return (policy == 0 ? 1 : 1.01) * std::sqrt(round);
  };
  EXPECT_EQ(
      only_words(made),
      "`c-ucb` and `ucb` cannot be told apart. `c-ucb` has the smallest mean regret, 100.0 ± 1.0; "
      "`ucb` has 1.0 more (95% interval of the paired difference: -9.0 to 11.0): the interval "
      "holds 0.");
}

TEST(Words, ATieOfTwoBeforeAThird) {
  MadeStudy made = small_study();
  made.policies.push_back({"pe", "pe"});
  made.relative_pair_deviation = 0.5;
  made.mean = [](std::size_t, std::size_t policy, double round) {
    return std::vector<double>{1, 1.01, 2}[policy] * std::sqrt(round);
  };
  EXPECT_NE(only_words(made).find("The first that is clearly behind is `pe`, with 100 more"),
            std::string::npos)
      << only_words(made);
}

TEST(Words, OneReplicationSaysNothingAboutLuck) {
  MadeStudy made = small_study();
  made.replications = 1;
  EXPECT_EQ(only_words(made),
            "`c-ucb` had the least regret, 100.0, in the one replication there is. One replication "
            "says nothing about luck: more of them would show who wins.");
}

TEST(Words, OnePolicyHasNobodyToBeat) {
  MadeStudy made = small_study();
  made.policies.resize(1);
  EXPECT_EQ(only_words(made), "Only `c-ucb` was run: mean regret 100.0 ± 1.0.");
}

TEST(Words, TheOracleIsNoRival) {
  MadeStudy made = small_study();
  made.policies.push_back({"oracle", "oracle"});
  made.mean = [](std::size_t, std::size_t policy, double round) {
    return policy == 2 ? 0 : static_cast<double>(policy + 1) * std::sqrt(round);
  };
  const StudyResult result = made_result(made);
  const auto all = contests(result);
  ASSERT_EQ(all[0].rivals.size(), 2u);
  EXPECT_NE(contest_words(all[0]).find("`c-ucb` has the least mean regret"), std::string::npos);
}

TEST(Words, WithoutPairsNothingIsSettled) {
  StudyResult result = made_result(small_study());
  result.differences.clear();
  EXPECT_EQ(
      contest_words(contests(result)[0]),
      "`c-ucb` and `ucb` cannot be told apart. `c-ucb` has the smallest mean regret, 100.0 ± 1.0.");
}

TEST(Words, OverAllContests) {
  MadeStudy made = small_study();
  made.mean = [](std::size_t instance, std::size_t policy, double round) {
    return (instance == policy ? 1 : instance == 0 ? 2 : 30) * std::sqrt(round);
  };
  const StudyResult result = made_result(made);
  EXPECT_EQ(overall_words(contests(result)),
            "In 2 contests, one for each instance and horizon, the least mean regret is that of "
            "`c-ucb` in 1 (1 settled) and `ucb` in 1 (1 settled). Nearest to the best "
            "everywhere is `ucb`: never more than 2.0 times the best mean regret. Furthest in its "
            "worst place is `c-ucb`: 30 times the best on hard, T = 10,000.");
  made.instances.resize(1);
  const StudyResult one = made_result(made);
  EXPECT_EQ(overall_words(contests(one)), "");
}

// Where a policy stands alone it has beaten nobody: no contest, no win, nothing settled.
TEST(Words, WhoStandsAloneWinsNothing) {
  MadeStudy made = small_study();
  made.instances.push_back({"third", "hidden-arm", false});
  StudyResult result = made_result(made);
  result.cells.erase(result.cells.begin() + 1);  // ucb on the first world
  result.differences.erase(result.differences.begin());
  EXPECT_EQ(overall_words(contests(result))
                .find("In 2 contests, one for each instance and horizon with two policies or more, "
                      "the least mean regret is that of `c-ucb` in 2 (2 settled)."),
            0u)
      << overall_words(contests(result));
  made.policies.resize(1);
  EXPECT_EQ(overall_words(contests(made_result(made))), "");
}

TEST(Marks, WhoStandsAloneIsNotMarked) {
  MadeStudy made = small_study();
  made.policies.resize(1);
  const StudyResult result = made_result(made);
  EXPECT_FALSE(among_the_best(contests(result)[0], 0));
  EXPECT_EQ(study_table(result).find("1.0★"), std::string::npos) << study_table(result);
  EXPECT_EQ(study_markdown(result).find("**"), std::string::npos) << study_markdown(result);
  EXPECT_EQ(study_latex(result).find("mathbf"), std::string::npos) << study_latex(result);
  if (web_bundle()) {
    EXPECT_EQ(study_page(result).find("<tr class=\"best\""), std::string::npos);
  }
}

// Means 100, 101 and 200; the second's differences reach 0 (as in ATie), the third's do not.
MadeStudy two_of_three() {
  MadeStudy made = small_study();
  made.policies.push_back({"pe", "pe"});
  made.relative_pair_deviation = 0.5;
  made.mean = [](std::size_t, std::size_t policy, double round) {
    return std::vector<double>{2, 1, 1.01}[policy] * std::sqrt(round);
  };
  return made;
}

TEST(Marks, TheBestAndWhatCannotBeToldFromIt) {
  const StudyResult result = made_result(two_of_three());
  const Contest contest = contests(result)[0];
  ASSERT_EQ(contest.rivals[2]->cell.policy_label, "c-ucb");
  EXPECT_TRUE(among_the_best(contest, 0));
  EXPECT_TRUE(among_the_best(contest, 1));
  EXPECT_FALSE(among_the_best(contest, 2));
}

// Two policies that play alike have a difference of exactly 0, with no error.
TEST(Marks, AnIntervalThatEndsAtZeroReachesIt) {
  StudyResult result = made_result(small_study());
  Spread& difference = result.differences[0].difference;
  difference.standard_error = 0;
  difference.mean = 0;
  EXPECT_TRUE(among_the_best(contests(result)[0], 1));
  difference.mean = -1e-9;
  EXPECT_FALSE(among_the_best(contests(result)[0], 1));
}

// Nothing can be told from one replication, and nothing without pairs.
TEST(Marks, WithoutEvidenceAllAreMarked) {
  MadeStudy made = small_study();
  made.replications = 1;
  const StudyResult one = made_result(made);
  EXPECT_TRUE(among_the_best(contests(one)[0], 1));
  StudyResult unpaired = made_result(small_study());
  unpaired.differences.clear();
  EXPECT_TRUE(among_the_best(contests(unpaired)[0], 1));
}

TEST(StudyTable, MarksTiesAndHasQuantilesBelow) {
  MadeStudy made = two_of_three();
  made.horizons = {10'000, 20'000};
  EXPECT_EQ(study_table(made_result(made)),
            "mean ± s.e.      T       c-ucb         ucb          pe\n"
            "──────────────────────────────────────────────────────\n"
            "easy          10^4  200.0±2.0   100.0±1.0★  101.0±1.0★\n"
            "             20000  282.8±2.8   141.4±1.4★  142.8±1.4★\n"
            "hard          10^4  200.0±2.0   100.0±1.0★  101.0±1.0★\n"
            "             20000  282.8±2.8   141.4±1.4★  142.8±1.4★\n"
            "★ the least mean regret and what cannot be told from it (95% interval of the\n"
            "paired difference reaches 0)\n"
            "\n"
            "95% quantile      T  c-ucb    ucb     pe\n"
            "────────────────────────────────────────\n"
            "easy           10^4  232.9  116.5  117.6\n"
            "              20000  329.4  164.7  166.3\n"
            "hard           10^4  232.9  116.5  117.6\n"
            "              20000  329.4  164.7  166.3\n");
}

TEST(StudyTable, FewReplicationsHaveNoQuantiles) {
  MadeStudy made = small_study();
  made.replications = kLeastForQuantile - 1;
  EXPECT_EQ(study_table(made_result(made)).find("95% quantile"), std::string::npos);
  made.replications = kLeastForQuantile;
  EXPECT_NE(study_table(made_result(made)).find("95% quantile"), std::string::npos);
}

// What a policy that is left out of a horizon leaves behind is an empty place, not another's
// numbers.
TEST(StudyTable, APolicyMayBeMissingAtAHorizon) {
  StudyResult result = made_result(small_study());
  result.cells.erase(result.cells.begin());  // c-ucb on the first world
  result.differences.erase(result.differences.begin());
  const std::string table = study_table(result);
  EXPECT_NE(table.find("easy         10^4              200.0±2.0\n"), std::string::npos) << table;
}

}  // namespace
}  // namespace armature
