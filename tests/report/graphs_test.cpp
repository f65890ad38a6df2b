// Causal graphs on the page of a study: drawn once each, with the verdict, means and regrets.
#include "report/graphs.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "armature/report.h"
#include "base/refusal.h"
#include "report/resources.h"
#include "support/program.h"
#include "support/studies.h"

namespace armature {
namespace {

using test::contains;

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

StudyResult result_of(const std::string& study, const std::vector<std::string>& overrides,
                      unsigned threads = 1) {
  const test::TemporaryDirectory directory;
  run_study(plan_study(read_study_file(study, overrides)), directory.file("run"),
            test::on_threads(threads));
  return read_results(directory.file("run"));
}

const std::string kAsia = ARMATURE_SOURCE_DIR "/examples/graphs/asia.toml";
const std::vector<std::string> kSmall{"replications=3", "horizons=[50,200]"};

std::string section(const StudyResult& result) { return graphs_html(result, contests(result)); }

TEST(GraphsOnAPage, EachIsDrawnOnceWithItsVerdict) {
  const std::string html = section(result_of(kAsia, kSmall));
  // Three instances, whatever the number of horizons and policies.
  EXPECT_EQ(count_of(html, "<svg"), 3u);
  EXPECT_EQ(count_of(html, "<h3>"), 3u);
  for (const char* part :
       {"<h3>bronchi and either</h3>", "<h3>bronchi alone</h3>",
        "conditionally benign: given bronc, either, dysp does not depend",
        "not benign: given bronc, dysp still depends on the action.",
        "smoke → lung → either → dysp: open", "Would do: bronc, either.",
        "From <code>asia.bif</code>. Actions set smoke, asia; observed after acting: bronc; the "
        "reward is dysp. In red: a path that the contexts leave open.",
        "<th scope=\"row\">smoke=no, asia=no</th>", "regret at T = 200"})
    EXPECT_TRUE(contains(html, part)) << part << "\n" << html;
  // Witnesses are red: none in the first, smoke → lung → either → dysp, smoke → bronc → dysp.
  EXPECT_GT(html.find("class=\"arrow open\""), html.find("bronchi alone"));
  EXPECT_EQ(count_of(html, "class=\"arrow open\""), 3u + 2);
}

TEST(GraphsOnAPage, SayWhereNothingWouldDo) {
  const std::string html =
      section(result_of(ARMATURE_SOURCE_DIR "/examples/graphs/m-bias.toml", kSmall));
  EXPECT_TRUE(contains(html, "Nothing that can be observed would do.")) << html;
}

// Every id of the page once: arrow heads of one drawing are not those of another.
TEST(GraphsOnAPage, HaveTheirOwnIds) {
  const std::string html = section(result_of(kAsia, kSmall));
  for (const char* id : {"id=\"graph-1\"", "id=\"graph-2\"", "id=\"graph-1-arrow\"",
                         "id=\"graph-2-arrow\"", "id=\"graph-2-arrow-open\""})
    EXPECT_EQ(count_of(html, id), 1u) << id;
  EXPECT_FALSE(contains(html, "url(#arrow"));
}

TEST(GraphsOnAPage, AreTheSameBytesForAnyNumberOfThreads) {
  if (!web_bundle()) GTEST_SKIP() << "built without `make bundle`";
  EXPECT_EQ(study_page(result_of(kAsia, kSmall, 1)), study_page(result_of(kAsia, kSmall, 3)));
}

// The best first, the worst last, and how many are between.
TEST(GraphsOnAPage, OfManyActionsSomeAreShown) {
  const std::string html = section(result_of(ARMATURE_SOURCE_DIR "/examples/graphs/lu-email.toml",
                                             {"replications=1", "horizons=50"}));
  EXPECT_TRUE(contains(html, "… 53 between")) << html;
  EXPECT_EQ(count_of(html, "<th scope=\"row\">product="), 2u * 7);
}

TEST(GraphsOnAPage, StandInThePageWithTheFilesThatReproduceIt) {
  if (!web_bundle()) GTEST_SKIP() << "built without `make bundle`";
  const std::string page = study_page(result_of(kAsia, kSmall));
  EXPECT_TRUE(contains(page, "<a href=\"#graphs\">Graphs</a>"));
  EXPECT_TRUE(contains(page, "<summary><code>asia.bif</code></summary>"));
  EXPECT_TRUE(contains(page, "probability ( dysp | bronc, either )"));
  EXPECT_LT(page.find("<section id=\"answer\">"), page.find("<section id=\"graphs\">"));
  EXPECT_LT(page.find("<section id=\"graphs\">"), page.find("<section id=\"figures\">"));
}

TEST(GraphsOnAPage, AreNotThereWithoutGraphs) {
  StudyResult result;
  result.plan = test::plan_of(test::kSmallStudy);
  EXPECT_EQ(section(result), "");
}

// A store of before files were kept still has a page.
TEST(GraphsOnAPage, WithoutTheirFileAreNamed) {
  StudyResult result = result_of(kAsia, kSmall);
  result.plan.study.files.clear();
  const std::string html = section(result);
  EXPECT_TRUE(contains(html, "No picture of bronchi alone: asia.bif: file: got nothing kept"))
      << html;
}

// Names come from files, which may come from anybody.
TEST(GraphsOnAPage, EscapeWhatPeopleWrite) {
  const test::TemporaryDirectory directory;
  const std::string nasty = "<script>alert('&')</script>";
  write_file(directory.file("g.dag"), R"(dag { "<script>alert('&')</script>" -> y })");
  write_file(directory.file("g.tables.json"),
             R"({"format": "armature-tables", "version": 1, "nodes": {
  "<script>alert('&')</script>": {"states": ["<b>", "high"], "rows": [0.5, 0.5]},
  "y": {"states": ["0", "1"], "parents": ["<script>alert('&')</script>"],
        "rows": {"<b>": [0.7, 0.3], "high": [0.4, 0.6]}}}})");
  write_file(directory.file("s.toml"), R"(
title = "nasty"
horizons = 50
replications = 2
policies = "ucb"
[[instances]]
instance = "graph"
label = "<script>alert('&')</script>"
file = "g.dag"
action = "<script>alert('&')</script>"
reward = "y=1"
)");
  const std::string html = section(result_of(directory.file("s.toml"), {}));
  EXPECT_TRUE(contains(html, "<svg"));
  EXPECT_TRUE(contains(html, "&lt;script&gt;alert"));
  EXPECT_FALSE(contains(html, nasty));
  EXPECT_FALSE(contains(html, "<script"));
  EXPECT_FALSE(contains(html, "<b>"));
}

// Conditions are in the tables, not in the titles: every one of them is shown.
TEST(GraphsOnAPage, ShowRegretUnderEveryCondition) {
  const std::string html = section(
      result_of(kAsia, {"replications=2", "horizons=[100]", "delay=[\"fixed:50\",\"none\"]"}));
  EXPECT_TRUE(contains(html, "<h3>bronchi alone</h3>")) << html;
  EXPECT_EQ(count_of(html, "<svg"), 3u);
  EXPECT_TRUE(contains(html, "regret at T = 100, delay fixed:50")) << html;
  EXPECT_TRUE(contains(html, "regret at T = 100, delay none")) << html;
}

// After a search each policy was measured where it was worst: nobody is marked.
TEST(GraphsOnAPage, MarkNobodyAfterASearch) {
  const std::string html =
      section(result_of(kAsia, {"replications=2", "horizons=[100]", "search={replications=2}"}));
  EXPECT_TRUE(contains(html, "Found by a search")) << html;
  const std::size_t regrets = html.find("regret at T");
  EXPECT_EQ(html.substr(regrets, html.find("</table>", regrets) - regrets).find("class=\"best\""),
            std::string::npos)
      << html;
}

// Numbers of one graph never stand beside the picture of another.
TEST(GraphsOnAPage, RefuseAGraphThatWasNotPlayed) {
  StudyResult result = result_of(kAsia, kSmall);
  std::string& graph = result.plan.study.files.at("asia.bif");
  const std::size_t at = graph.find("0.7, 0.3;");
  ASSERT_NE(at, std::string::npos);
  graph.replace(at, 9, "0.3, 0.7;");
  const std::string html = section(result);
  EXPECT_EQ(count_of(html, "<svg"), 0u);
  EXPECT_TRUE(contains(html, "another content than was played")) << html;
}

}  // namespace
}  // namespace armature
