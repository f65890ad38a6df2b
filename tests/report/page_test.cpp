#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

#include "armature/report.h"
#include "base/file.h"
#include "base/program.h"
#include "report/resources.h"
#include "support/program.h"
#include "support/study_results.h"

namespace armature {
namespace {

using test::made_result;
using test::rich_study;
using test::small_study;

// The page without the scripts that are the same in every report.
std::string page_of(const StudyResult& result) {
  const std::string page = study_page(result);
  return page.substr(0, page.find("</main>"));
}

class Page : public testing::Test {
 protected:
  void SetUp() override {
    if (!web_bundle()) GTEST_SKIP() << "built without `make bundle`";
  }
};

TEST(PageWithoutBundle, SaysWhatToDo) {
  if (web_bundle()) GTEST_SKIP() << "built with the bundle";
  try {
    study_page(made_result(small_study()));
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("make bundle"), std::string::npos);
  }
}

TEST_F(Page, HasItsParts) {
  const std::string page = page_of(made_result(small_study()));
  for (const char* part :
       {"<h1>A study that never ran</h1>", "<code>ucb</code>", "id=\"summary\"", "id=\"figures\"",
        "id=\"tables\"", "id=\"reproduce\"", "armature run study.toml", "<b>Figure 1.</b>",
        "<code>c-ucb</code> has the least mean regret", "common random numbers", "armature 0.0.0"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
}

// The answer first, then figures, then what explains and proves them.
TEST_F(Page, OpensWithTheAnswer) {
  StudyResult result = made_result(small_study());
  VerdictRule rule;
  rule.name = "is ucb below ten?";
  rule.rule = "level";
  rule.policy = "ucb";
  rule.high = 10;
  result.plan.study.claim = "It is.";
  result.plan.study.verdicts = {rule};
  const std::string page = page_of(result);
  std::size_t last = page.find("<h1>");
  for (const char* part :
       {"<section id=\"answer\">", "class=\"answer\"", "<section id=\"questions\">",
        "Of 1 question, 0 hold, 1 ", "<section id=\"figures\">", "<section id=\"about\">",
        "<section id=\"claim\">", "<section id=\"summary\">", "<section id=\"tables\">",
        "<section id=\"reproduce\">"}) {
    const std::size_t place = page.find(part);
    ASSERT_NE(place, std::string::npos) << part;
    EXPECT_GT(place, last) << part;
    last = place;
  }
  // Contents link to what is there.
  EXPECT_NE(page.find("<a href=\"#answer\">"), std::string::npos);
  EXPECT_EQ(page_of(made_result(small_study())).find("<a href=\"#claim\">"), std::string::npos);
}

TEST_F(Page, ShortensLongNamesOfWorlds) {
  test::MadeStudy made = small_study();
  made.instances[0].parameters = {{"gap", "(sqrt(A/T)/3)^(5/8)*(1/4)^(3/8)"}};
  const std::string page = page_of(made_result(made));
  EXPECT_NE(page.find(">easy (gap=0.0429), T = 10,000"), std::string::npos);
  EXPECT_NE(page.find("<h3 title=\"easy (gap=(sqrt(A/T)/3)^(5/8)*(1/4)^(3/8))\""),
            std::string::npos);
}

TEST_F(Page, TellsTheNumbersOfTheTable) {
  const std::string page = page_of(made_result(small_study()));
  // ucb on easy: mean 200 ± 2, t(99) = 1.984, 100 more, from 96.0 to 104.0, never the better one.
  EXPECT_NE(page.find("<tr><th scope=\"row\">ucb</th><td>200.0 ± 2.0</td><td>196.0 to 204.0</td>"
                      "<td>200.0</td><td>232.9</td><td>0.01</td><td>100.0</td><td>96.0 to "
                      "104.0</td><td>0%</td></tr>"),
            std::string::npos)
      << page.substr(page.find("id=\"tables\""), 3000);
}

TEST_F(Page, MarksTheBestAndWhatCannotBeToldFromIt) {
  test::MadeStudy made = small_study();
  const std::string ucb = "<tr class=\"best\"><th scope=\"row\">ucb</th>";
  EXPECT_EQ(page_of(made_result(made)).find(ucb), std::string::npos);
  made.relative_pair_deviation = 20;
  EXPECT_NE(page_of(made_result(made)).find(ucb), std::string::npos);
}

TEST_F(Page, EscapesWhatPeopleWrite) {
  test::MadeStudy made = small_study();
  const std::string nasty = "<script>alert('&')</script>";
  made.instances[0].label = made.policies[0].label = nasty;
  StudyResult result = made_result(made);
  result.plan.study.title = result.plan.study.text = nasty;
  result.plan.study.figures = {{FigureKind::kRegret, "", "", nasty, true}};
  result.environment.processor = nasty;
  const std::string page = study_page(result);
  EXPECT_EQ(page.find(nasty), std::string::npos);
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_NE(page.find("&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;"), std::string::npos);
}

TEST_F(Page, AsksNobodyForAnything) {
  const std::string page = study_page(made_result(rich_study()));
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  const std::regex loads("<(link|img|iframe|script[^>]+src|object|embed)[ >]|@import|url\\(");
  EXPECT_FALSE(std::regex_search(page.substr(0, page.find("</main>")), loads));
}

TEST_F(Page, SaysWhenAStudyIsNotFinished) {
  StudyResult result = made_result(small_study());
  EXPECT_EQ(page_of(result).find("not finished"), std::string::npos);
  result.complete = false;
  result.replications_done = 7;
  EXPECT_NE(page_of(result).find("not finished: 7 of 400 replications"), std::string::npos);
}

TEST_F(Page, OfNothingSaysSo) {
  StudyResult result = made_result(small_study());
  result.cells.clear();
  result.differences.clear();
  EXPECT_NE(page_of(result).find("Nothing has been run yet"), std::string::npos);
}

// After a search each policy stands in worlds of its own, and the words of a demo are silent too.
TEST_F(Page, OfASearchNobodyWins) {
  StudyResult result = made_result(small_study());
  EXPECT_NE(page_of(result).find("Who wins"), std::string::npos);
  EXPECT_FALSE(study_words(result).empty());
  result.plan.study.search = SearchStage{3, {0, 1}};
  EXPECT_EQ(page_of(result).find("Who wins"), std::string::npos);
  EXPECT_TRUE(study_words(result).empty());
}

TEST_F(Page, IsTheSameForTheSameResult) {
  EXPECT_EQ(study_page(made_result(rich_study())), study_page(made_result(rich_study())));
}

TEST_F(Page, ManyContestsAreToldAtTheLongestHorizonOnly) {
  test::MadeStudy made = small_study();
  made.horizons = {100, 200, 400};
  for (int i = 0; i < 8; ++i)
    made.instances.push_back({"world " + std::to_string(i), "hidden-arm", false});
  const std::string page = page_of(made_result(made));  // 30 contests
  EXPECT_EQ(page.find("<li>T = 200:"), std::string::npos);
  EXPECT_NE(page.find("<li>T = 400:"), std::string::npos);
  // The tables of the others are folded away.
  const std::size_t fold = page.find("<summary>Tables at shorter horizons</summary>");
  ASSERT_NE(fold, std::string::npos);
  EXPECT_LT(page.find(", T = 400, 100 replications</h3>"), fold);
  EXPECT_GT(page.find(", T = 200, 100 replications</h3>"), fold);
}

TEST_F(Page, AReportIsWrittenWithItsFigures) {
  if (!program_exists("node") || !program_exists("rsvg-convert"))
    GTEST_SKIP() << "no node or no rsvg-convert";
  const test::TemporaryDirectory directory;
  StudyResult result = made_result(small_study());
  result.plan.study.figures = {{FigureKind::kRegret, "", "", "", true},
                               {FigureKind::kBox, "", "", "", true}};
  const WrittenReport report = write_report(result, directory.file("out"));
  EXPECT_EQ(report.note, "");
  EXPECT_EQ(report.figures, (std::vector<std::string>{"regret", "box"}));
  EXPECT_EQ(read_file(report.page), study_page(result));
  const auto start_of = [&](const std::string& name) {
    return read_file(directory.file("out/figures/" + name)).substr(0, 4);
  };
  for (const std::string& name : report.figures) {
    EXPECT_EQ(start_of(name + ".vl.json")[0], '{');
    EXPECT_EQ(start_of(name + ".svg"), "<svg");
    EXPECT_EQ(start_of(name + ".png"), "\x89PNG");
    EXPECT_EQ(start_of(name + ".pdf"), "%PDF");
  }
  // The same result again is the same bytes, dates and all.
  write_report(result, directory.file("again"));
  for (const char* ending : {".svg", ".png", ".pdf"})
    EXPECT_EQ(read_file(directory.file("out/figures/box") + ending),
              read_file(directory.file("again/figures/box") + ending))
        << ending;
}

TEST_F(Page, WithoutNodeTheReportIsWrittenAndSaysWhatIsMissing) {
  const test::TemporaryDirectory directory;
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", directory.path().c_str(), 1);
  const WrittenReport report = write_report(made_result(small_study()), directory.file("out"));
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_NE(report.note.find("node and rsvg-convert not found"), std::string::npos) << report.note;
  EXPECT_TRUE(std::filesystem::exists(directory.file("out/report.html")));
  EXPECT_TRUE(std::filesystem::exists(directory.file("out/figures/regret.vl.json")));
  EXPECT_FALSE(std::filesystem::exists(directory.file("out/figures/regret.svg")));
}

TEST_F(Page, SpeaksOfLuckOnlyWhereItIsTrue) {
  const auto page_with = [](std::vector<std::string> engines) {
    test::MadeStudy made = small_study();
    if (engines.size() == 1) made.policies.pop_back();
    StudyResult result = made_result(made);
    for (CellSummary& summary : result.cells)
      summary.engine = engines[summary.cell.id % engines.size()];
    return study_page(result);
  };
  const auto says = [](const std::string& page, const char* words) {
    return page.find(words) != std::string::npos;
  };
  EXPECT_TRUE(says(page_with({"step", "step"}), "Policies meet the same luck"));
  EXPECT_TRUE(says(page_with({"leap", "leap"}), "The leap engine ran all replications"));
  EXPECT_TRUE(says(page_with({"step", "leap"}), "where the leap engine ran one of a pair"));
  EXPECT_TRUE(says(page_with({"", ""}), "Which engine ran is not recorded"));
  EXPECT_FALSE(says(page_with({"leap"}), "own luck"));
}

TEST_F(Page, SaysTheConditionsThatHoldEverywhere) {
  StudyResult result = made_result(small_study());
  result.plan.study.conditions = {{"delay", {"fixed:10"}}, {"loss", {"0", "0.1"}}};
  const std::string page = study_page(result);
  EXPECT_NE(page.find(", delay = fixed:10</p>"), std::string::npos);
  EXPECT_EQ(page.find(", loss = "), std::string::npos);  // that one is in the labels
}

}  // namespace
}  // namespace armature
