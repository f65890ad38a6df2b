#include "report/matrix.h"

#include <gtest/gtest.h>

#include <sstream>

#include "armature/report.h"
#include "report/short_names.h"
#include "support/study_results.h"

namespace armature {
namespace {

using test::made_result;
using test::MadeStudy;
using test::small_study;

// Means as a table: one row per world, one column per policy, times √t.
MadeStudy study_of(std::vector<std::vector<double>> means) {
  MadeStudy made;
  const char* worlds[] = {"easy", "hard", "odd", "other", "fifth"};
  const char* policies[] = {"ucb", "c-ucb", "sentry", "warden", "moss"};
  for (std::size_t i = 0; i < means.size(); ++i)
    made.instances.push_back({worlds[i], "hidden-arm", i == 0});
  for (std::size_t i = 0; i < means[0].size(); ++i)
    made.policies.push_back({policies[i], policies[i]});
  made.mean = [means](std::size_t instance, std::size_t policy, double round) {
    return means[instance][policy] * std::sqrt(round);
  };
  return made;
}

std::string words_of(const MadeStudy& made) {
  const StudyResult result = made_result(made);
  return answer_words(matrices(result)[0]);
}

std::vector<std::string> entries_of(const AnswerMatrix& matrix, std::size_t row) {
  std::vector<std::string> texts;
  for (const auto& entry : matrix.rows[row].entries)
    texts.push_back(entry ? entry_text(matrix, matrix.rows[row], *entry) +
                                mark_text(matrix.rows[row], *entry)
                          : "none");
  return texts;
}

using Texts = std::vector<std::string>;

TEST(Matrix, EntriesAreMultiplesOfTheLeastOfTheirRow) {
  const StudyResult result = made_result(study_of({{2, 1, 1.27}, {1, 41.4, 1650}}));
  const auto all = matrices(result);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].policies, (Texts{"ucb", "c-ucb", "sentry"}));
  EXPECT_EQ(entries_of(all[0], 0), (Texts{"2.0×", "1.00★", "1.27×"}));
  EXPECT_EQ(entries_of(all[0], 1), (Texts{"1.00★", "41×", "1,700×"}));
  EXPECT_DOUBLE_EQ(all[0].rows[0].least, 100);
}

// A wide spread of differences: nothing is settled.
TEST(Matrix, WhatCannotBeToldFromTheBestSharesItsMark) {
  MadeStudy made = study_of({{1, 1.01, 9}});
  made.relative_pair_deviation = 0.5;
  EXPECT_EQ(entries_of(matrices(made_result(made))[0], 0), (Texts{"1.00☆", "1.01×☆", "9.0×"}));
}

TEST(Matrix, TheOracleHasNoPartInIt) {
  MadeStudy made = study_of({{0, 1, 2}});
  made.policies[0] = {"oracle", "oracle"};
  const StudyResult result = made_result(made);
  const AnswerMatrix matrix = matrices(result)[0];
  EXPECT_EQ(matrix.policies, (Texts{"c-ucb", "sentry"}));
  EXPECT_EQ(entries_of(matrix, 0), (Texts{"1.00★", "2.0×"}));
}

TEST(Matrix, NothingIsAMultipleOfNoRegret) {
  const StudyResult result = made_result(study_of({{0, 1, 2}, {1, 2, 3}}));
  const AnswerMatrix matrix = matrices(result)[0];
  EXPECT_EQ(entries_of(matrix, 0), (Texts{"0★", "∞", "∞"}));
  EXPECT_NE(study_answer(result).find("∞ the least is no regret at all"), std::string::npos);
}

TEST(Matrix, TheLongestHorizonComesFirst) {
  MadeStudy made = study_of({{1, 2}, {2, 1}});
  made.horizons = {100, 10'000, 1000};
  const StudyResult result = made_result(made);
  const auto all = matrices(result);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].horizon, 10'000u);
  EXPECT_EQ(all[2].horizon, 100u);
  EXPECT_EQ(all[0].rows.size(), 2u);
}

TEST(Matrix, OfOneWorldTheHorizonsAreRows) {
  MadeStudy made = study_of({{1, 2}});
  made.horizons = {100, 10'000};
  const StudyResult result = made_result(made);
  const auto all = matrices(result);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].rows[0].name, "T = 100");
  EXPECT_EQ(all[0].rows[1].name, "T = 10^4");
  EXPECT_EQ(
      answer_words(all[0]),
      "`ucb` is the best at both horizons; furthest behind is `c-ucb` with 2.0 times the least at T = 100.");
}

// A policy that stops earlier has no column; one that is not finished everywhere has a gap.
TEST(Matrix, WhatWasNotRunIsSaid) {
  MadeStudy made = study_of({{1, 2, 3}, {2, 1, 3}});
  StudyResult result = made_result(made);
  std::erase_if(result.cells, [](const CellSummary& cell) {
    return cell.cell.policy == "sentry" ||
           (cell.cell.policy == "c-ucb" && cell.cell.instance_label == "hard");
  });
  const AnswerMatrix matrix = matrices(result)[0];
  EXPECT_EQ(matrix.policies, (Texts{"ucb", "c-ucb"}));
  EXPECT_EQ(matrix.absent, Texts{"sentry"});
  EXPECT_EQ(entries_of(matrix, 1), (Texts{"1.00", "none"}));
  EXPECT_NE(study_answer(result).find("not run here: `sentry`"), std::string::npos);
}

TEST(Matrix, OfOnePolicyTheNumbersThemselvesAreShown) {
  const StudyResult result = made_result(study_of({{1}, {3}}));
  const AnswerMatrix matrix = matrices(result)[0];
  EXPECT_FALSE(matrix.contested());
  EXPECT_EQ(entries_of(matrix, 1), (Texts{"300.0±3.0"}));
  EXPECT_EQ(answer_words(matrix),
            "Only `ucb` was run: nothing to compare. Mean regret is 100.0 to 300.0.");
}

TEST(Matrix, OfNothingSaysSo) {
  StudyResult result = made_result(small_study());
  result.cells.clear();
  result.differences.clear();
  EXPECT_TRUE(matrices(result).empty());
  EXPECT_EQ(study_answer(result), "Nothing has been run yet.\n");
  EXPECT_EQ(matrix_html(result, {}), "");
}

// Each policy stands in worlds of its own: rows are what it was searched for within, and nothing
// is marked, for nothing was paired.
TEST(Matrix, OfASearchRowsAreRolesAndSizes) {
  MadeStudy made = study_of({{1, 4}, {3, 1}, {2, 8}});
  made.instances[2].actions = 40;
  StudyResult result = made_result(made);
  result.plan.study.search = SearchStage{3, {0, 1, 2, 3, 4, 5}};
  const auto all = matrices(result);
  ASSERT_EQ(all.size(), 1u);
  const AnswerMatrix& matrix = all[0];
  ASSERT_EQ(matrix.rows.size(), 3u);
  EXPECT_EQ(matrix.rows[0].name, "benign, 20 actions");
  EXPECT_EQ(matrix.rows[1].name, "worst-case, 20 actions");
  EXPECT_EQ(matrix.rows[2].name, "worst-case, 40 actions");
  EXPECT_EQ(entries_of(matrix, 0), (Texts{"1.00", "4.0×"}));
  EXPECT_EQ(entries_of(matrix, 1), (Texts{"3.0×", "1.00"}));
  EXPECT_NE(study_answer(result).find("Worlds were chosen by a search"), std::string::npos);
}

// --- The sentence

TEST(Answer, NamesTheSteadyOneAndWhoWinsWhere) {
  EXPECT_EQ(
      words_of(study_of({{3, 1, 1.3}, {1, 40, 1.25}, {1, 30, 1.1}})),
      "`sentry` is within 1.30 times the best everywhere; `ucb` is the best in both "
      "worst-case worlds, but has 3.0 times the least in easy; `c-ucb` is the best in easy, but has 40 "
      "times the least in hard.");
}

TEST(Answer, APromiseIsRoundedUp) {
  EXPECT_EQ(words_of(study_of({{1, 2, 1.301}, {2, 1, 1.29}})).find("`sentry` is within 1.31 "), 0u);
}

TEST(Answer, WhoIsBestEverywhereIsSaidToBe) {
  EXPECT_EQ(
      words_of(study_of({{1, 2}, {1, 3}})),
      "`ucb` is the best in both worlds; furthest behind is `c-ucb` with 3.0 times the least in hard.");
}

TEST(Answer, ATieIsNoWin) {
  MadeStudy made = study_of({{1, 1.01}, {1, 3}});
  made.relative_pair_deviation = 0.5;
  EXPECT_EQ(words_of(made),
            "`ucb` is among the best in both worlds; `c-ucb` is among the best in easy, but has "
            "3.0 times the least in hard.");
}

TEST(Answer, OneReplicationSaysNothingAboutLuck) {
  MadeStudy made = study_of({{1, 2}});
  made.replications = 1;
  EXPECT_NE(words_of(made).find("But that is one replication, which says nothing about luck."),
            std::string::npos);
}

TEST(Answer, OfAnUnfinishedStudyIsSoFar) {
  StudyResult result = made_result(study_of({{1, 2}}));
  result.complete = false;
  EXPECT_NE(study_answer(result).find("So far: `ucb`"), std::string::npos);
  EXPECT_NE(matrix_html(result, matrices(result)).find("So far: <code>ucb</code>"),
            std::string::npos);
}

// Nobody is called near the best who is infinitely far from it.
TEST(Answer, NothingIsTimesNothing) {
  const std::string words = words_of(study_of({{0, 1}, {1, 0}}));
  EXPECT_EQ(words.find("within"), std::string::npos) << words;
  EXPECT_NE(words.find("but has regret in hard, where the least is none at all"), std::string::npos)
      << words;
}

// One world in which the best pays next to nothing does not decide who is steady; it is told.
TEST(Answer, OneFarWorldIsAnExceptionThatIsTold) {
  EXPECT_EQ(words_of(study_of({{1000, 1, 2000}, {1.2, 90, 1}, {1, 80, 2}, {1.1, 70, 1}}))
                .find("`ucb` is within 1.20 times the best in 3 of 4 worlds, but has 1,000 times "
                      "the least in easy; "),
            0u);
  EXPECT_EQ(words_of(study_of({{10, 1, 500}, {1.2, 90, 1}}))
                .find("`ucb` is nearest to the best in the geometric mean, "
                      "but has 10 times the least in easy; "),
            0u);
}

// --- Text and HTML

TEST(AnswerText, IsAsItShouldBe) {
  EXPECT_EQ(study_answer(made_result(study_of({{2, 1, 1.27}, {1, 41.4, 1.2}}))),
            "Mean regret at T = 10,000, as a multiple of the least of its row\n"
            "\n"
            "world  least    ucb  c-ucb  sentry\n"
            "──────────────────────────────────\n"
            "easy   100.0  2.0×   1.00★  1.27×\n"
            "hard   100.0  1.00★   41×   1.20×\n"
            "★ the best, settled (the 95% intervals of its paired differences leave out 0)\n"
            "\n"
            "`sentry` is within 1.27 times the best everywhere; `ucb` is the best in hard,\n"
            "but has 2.0 times the least in easy; `c-ucb` is the best in easy, but has 41\n"
            "times the least in hard.\n");
}

// A policy that is near nobody's best, and steadier than all others.
TEST(AnswerWords, OfOneThatIsNeverTheBest) {
  EXPECT_EQ(words_of(study_of({{1, 100, 4}, {100, 1, 4}})).find("in ,"), std::string::npos)
      << words_of(study_of({{1, 100, 4}, {100, 1, 4}}));
}

// Five that cannot be told apart: who has the least is named, and nobody is both among the best and
// behind in one world.
TEST(AnswerWords, NameTheLeastAndDoNotContradictThemselves) {
  MadeStudy made = study_of({{2.2, 1.9, 1.8, 1.7, 1}});
  made.relative_pair_deviation = 5;
  const std::string words = words_of(made);
  EXPECT_NE(words.find("`moss`"), std::string::npos) << words;
  EXPECT_EQ(words.find("but has"), std::string::npos) << words;
}

TEST(AnswerText, EscapesNames) {
  MadeStudy made = study_of({{2, 1}, {1, 2}});
  made.policies[0].label = "p\x1b]0;hi\x07q";
  EXPECT_EQ(study_answer(made_result(made)).find('\x1b'), std::string::npos);
}

TEST(AnswerText, ExplainsOnlyWhatItShows) {
  const std::string nothing = study_answer(made_result(study_of({{0, 0}, {0, 0}})));
  EXPECT_EQ(nothing.find("∞"), std::string::npos) << nothing;
}

std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    longest = std::max(longest,
                       static_cast<std::size_t>(std::count_if(
                           line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; })));
  return longest;
}

// Twelve policies, and names that no column can hold: every policy is there, within the width.
TEST(AnswerText, FitsItsWidth) {
  MadeStudy made = study_of({{1}, {2}});
  made.instances[1].label =
      "hidden-arm:actions=20,contexts=5,gap=0.2,rewards=bernoulli,context=uniform,arm=none";
  made.policies.clear();
  for (int i = 0; i < 12; ++i)
    made.policies.push_back({"policy-" + std::to_string(i), "ucb:delta=" + std::to_string(i)});
  made.policies.push_back({"sentry:confidence=paper,inflight=ignore", "sentry"});
  made.mean = [](std::size_t, std::size_t policy, double round) {
    return static_cast<double>(policy + 1) * std::sqrt(round);
  };
  const StudyResult result = made_result(made);
  for (const std::size_t width : {60u, 80u, 120u}) {
    const std::string text = study_answer(result, {width});
    const std::string table = text.substr(0, text.find("\n\n`"));
    EXPECT_LE(longest_line(table), width) << text;
    for (int i = 0; i < 12; ++i)
      EXPECT_NE(table.find("policy-" + std::to_string(i)), std::string::npos) << i << "\n" << text;
    EXPECT_NE(table.find("inflight=ignore"), std::string::npos) << text;
  }
}

TEST(AnswerHtml, ShadesMarksAndEscapes) {
  MadeStudy made = study_of({{2, 1, 400}, {1, 41, 1.2}});
  made.instances[0].label = made.policies[0].label = "<b>&";
  made.horizons = {1000, 10'000};
  const StudyResult result = made_result(made);
  const std::string html = matrix_html(result, matrices(result));
  EXPECT_EQ(html.find("<b>"), std::string::npos);
  EXPECT_NE(html.find("<td class=\"best shade-0\""), std::string::npos) << html;
  EXPECT_NE(html.find("<td class=\"shade-7\""), std::string::npos) << html;
  EXPECT_NE(html.find("mean regret 100.0 ± 1.0"), std::string::npos) << html;
  EXPECT_NE(html.find("At shorter horizons: T = 1,000"), std::string::npos) << html;
}

// --- Names

TEST(ShortNames, FormulasAndLongDecimalsBecomeNumbers) {
  MadeStudy made = study_of({{1, 2}});
  made.instances[0].parameters = {{"gap", "(sqrt(A/T)/3)^(5/8)*(1/4)^(3/8)"}};
  made.policies[0].parameters = {{"share", "0.1778279410038923"}};
  const StudyResult result = made_result(made);
  const ShortNames names(result);
  // A = 20, T = 10⁴: exp(0.625·ln 0.014907 + 0.375·ln 0.25) = 0.04291.
  EXPECT_EQ(names.world(result.cells[0].cell), "easy (gap=0.0429)");
  EXPECT_EQ(names.policy(result.cells[0].cell), "ucb (share=0.178)");
}

TEST(ShortNames, AreKeptLongWhereTheyWouldBecomeOne) {
  MadeStudy made = study_of({{1, 2}, {2, 1}});
  made.instances[0].label = made.instances[1].label = "easy";
  made.instances[0].parameters = {{"gap", "0.12345678901"}};
  made.instances[1].parameters = {{"gap", "0.12345678902"}};
  const StudyResult result = made_result(made);
  EXPECT_EQ(ShortNames(result).world(result.cells[0].cell), "easy (gap=0.12345678901)");
}

}  // namespace
}  // namespace armature
