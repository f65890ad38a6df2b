#include "report/page.h"

// The page of a study: one HTML file that holds everything it shows and asks nobody for anything.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "armature/report.h"
#include "base/text.h"
#include "report/document.h"
#include "report/graphs.h"
#include "report/html.h"
#include "report/matrix.h"
#include "report/table.h"
#include "report/words.h"

namespace armature {
namespace {

constexpr std::size_t kMostContestsInWords = 24;  // beyond that, the longest horizon only

std::string count_words(std::size_t count, const char* one, const char* several) {
  return fmt::format("{} {}", count, count == 1 ? one : several);
}

// Counted from the plan and not from the results: the heading says what the study is, the warning
// below it how much of that is there.
std::string opening(const StudyResult& result, const std::vector<Contest>& contests) {
  const Study& study = result.plan.study;
  std::vector<std::string> instances, policies;
  for (const PlannedCell& cell : result.plan.cells) {
    if (std::find(instances.begin(), instances.end(), cell.instance_label) == instances.end())
      instances.push_back(cell.instance_label);
    if (std::find(policies.begin(), policies.end(), cell.policy_label) == policies.end())
      policies.push_back(cell.policy_label);
  }
  std::string html = fmt::format(
      "<header>\n<h1>{}</h1>\n<p class=\"facts\">{} on {}, {}, {}, seed {}{}</p>\n</header>\n",
      html_escaped(study.title), count_words(policies.size(), "policy", "policies"),
      count_words(instances.size(), "instance", "instances"),
      count_words(study.horizons.size(), "horizon", "horizons"),
      count_words(study.replications, "replication", "replications"), study.seed,
      html_escaped(conditions_words(study)));
  if (!result.complete)
    html += fmt::format(
        "<p class=\"warning\">This study is not finished: {} of {} replications are here. What "
        "follows is what they show so far.</p>\n",
        grouped(static_cast<double>(result.replications_done)),
        grouped(static_cast<double>(result.replications_total)));
  if (contests.empty()) html += "<p>Nothing has been run yet.</p>\n";
  return html;
}

// Common random numbers hold between policies that were stepped, and only there. Of one policy
// there is nothing to say.
std::string luck_words(const std::vector<Contest>& contests) {
  std::set<std::string> engines;
  bool rivals = false;
  for (const Contest& contest : contests) {
    rivals = rivals || contest.rivals.size() > 1;
    for (const CellSummary* rival : contest.rivals) engines.insert(rival->engine);
  }
  if (!rivals) return "";
  if (engines == std::set<std::string>{"step"})
    return "Policies meet the same luck in each replication (common random numbers). ";
  if (engines == std::set<std::string>{"leap"})
    return "The leap engine ran all replications: each policy met its own luck, and pairs of equal "
           "number are independent. ";
  if (engines.contains(""))
    return "Which engine ran is not recorded here: only policies that were stepped met the same "
           "luck. ";
  return "Policies that were stepped meet the same luck in each replication (common random "
         "numbers); where the leap engine ran one of a pair, each met its own. ";
}

Round longest_horizon(const std::vector<Contest>& contests) {
  Round longest = 0;
  for (const Contest& contest : contests) longest = std::max(longest, contest.horizon);
  return longest;
}

// By its short name; the label is there for whoever points at it.
std::string world_heading(const Contest& contest, const std::string& more) {
  return fmt::format("<h3 title=\"{}\">{}{}</h3>\n", html_escaped(contest.instance),
                     html_escaped(contest.world), html_escaped(more));
}

// In words up to kMostContestsInWords; beyond that nobody reads them, and the tables have the rest.
// The last paragraph says what the intervals do not cover: many pairs, and a leader picked by the
// same data.
std::string summary(const std::vector<Contest>& contests) {
  const Round longest = longest_horizon(contests);
  const bool all = contests.size() <= kMostContestsInWords;
  std::string html = "<section id=\"summary\">\n<h2>Who wins, by how much, how sure</h2>\n";
  if (const std::string words = overall_words(contests); !words.empty())
    html += fmt::format("<p>{}</p>\n", html_text(words));
  std::string instance;
  bool open = false;
  for (const Contest& contest : contests) {
    if (!all && contest.horizon != longest) continue;
    if (!open || contest.instance != instance) {
      if (open) html += "</ul>\n";
      html += world_heading(contest, "") + "<ul>\n";
      instance = contest.instance;
      open = true;
    }
    html += fmt::format("<li>T = {}: {}</li>\n", grouped(static_cast<double>(contest.horizon)),
                        html_text(contest_words(contest)));
  }
  if (open) html += "</ul>\n";
  return html +
         fmt::format(
             "<p class=\"facts\">Means are given ± their standard error. {}Policies are compared "
             "replication by replication: a lead is called settled when the 95% interval of the "
             "mean paired difference (Student's t) leaves out 0. Each interval speaks for its own "
             "pair; with many pairs some miss. The leader was picked from the same "
             "replications.</p>\n</section>\n",
             html_escaped(luck_words(contests)));
}

// "4 do not show at these horizons": a verdict's own words, for several.
std::string outcome_words(std::size_t count, const std::string& outcome) {
  if (count == 1) return "1 " + outcome;
  const bool does = outcome.starts_with("does ");
  return fmt::format("{} {}", count,
                     outcome == "holds" ? "hold"
                     : does             ? "do " + outcome.substr(5)
                                        : outcome);
}

// How many questions came out which way, and every one that did not come out as expected: what a
// reader must not miss. The rest stands with the claim.
std::string verdict_summary(const std::vector<Verdict>& verdicts) {
  if (verdicts.empty()) return "";
  std::vector<std::pair<std::string, std::size_t>> counts{{"holds", 0}};
  std::string others;
  for (const Verdict& verdict : verdicts) {
    auto known = std::find_if(counts.begin(), counts.end(),
                              [&](const auto& count) { return count.first == verdict.outcome; });
    if (known == counts.end()) known = counts.insert(counts.end(), {verdict.outcome, 0});
    ++known->second;
    if (verdict.outcome != "holds")
      others += fmt::format("<li><b>{}</b>: {}</li>\n", html_escaped(verdict.outcome),
                            html_text(question_words(verdict.rule)));
  }
  std::vector<std::string> words;
  for (const auto& [outcome, count] : counts) words.push_back(outcome_words(count, outcome));
  return fmt::format(
      "<section id=\"questions\">\n<h2>What was asked, and the verdict</h2>\n<p>Of {}, {}. <a "
      "href=\"#claim\">All of them, with reasons</a>.</p>\n{}</section>\n",
      count_words(verdicts.size(), "question", "questions"), html_escaped(join(words, ", ")),
      others.empty() ? "" : "<ul>\n" + others + "</ul>\n");
}

std::string about(const Study& study) {
  if (study.text.empty()) return "";
  return "<section id=\"about\">\n<h2>About this study</h2>\n" + html_paragraphs(study.text) +
         "</section>\n";
}

// What is claimed, and what the data say to it.
std::string claims(const Study& study, const std::vector<Verdict>& verdicts) {
  if (study.claim.empty() && verdicts.empty()) return "";
  std::string html = "<section id=\"claim\">\n<h2>The claim, and all questions</h2>\n";
  if (!study.source.empty()) html += fmt::format("<p><em>{}</em></p>\n", html_text(study.source));
  html += html_paragraphs(study.claim);
  if (!study.expectation.empty())
    html += "<h3>Expected</h3>\n" + html_paragraphs(study.expectation);
  std::vector<HtmlRow> rows;
  for (const Verdict& verdict : verdicts)
    rows.push_back({{question_words(verdict.rule), verdict.outcome, verdict.because}, false});
  if (!rows.empty())
    html += "<div class=\"words\">" +
            html_table("Questions and verdicts", {"question", "verdict", "because"}, rows) +
            "</div>\n";
  return html + "</section>\n";
}

std::string figure_section(const DrawnFigures& figures) {
  std::string html = "<section id=\"figures\">\n<h2>Figures</h2>\n";
  for (const std::string& note : figures.notes)
    html += fmt::format("<p class=\"warning\">{}</p>\n", html_escaped(note));
  return html + html_figures(figures.figures) + "</section>\n";
}

// Of one replication there is no interval.
std::string interval_text(double low, double high, const Spread& spread) {
  if (!spread.error_known()) return "–";
  return fmt::format("{} to {}", rounded(low, spread.standard_error),
                     rounded(high, spread.standard_error));
}

// Paired differences are winner minus rival. A table reads better in what the rival has more, so
// signs turn, ends of intervals change places, and shares become those of the rival.
HtmlRow table_row(const Contest& contest, std::size_t place) {
  const CellSummary& cell = *contest.rivals[place];
  const Spread& regret = cell.final_regret();
  const double error = regret.standard_error;
  HtmlRow row{{cell.cell.policy_label, mean_text(regret),
               interval_text(regret.low(), regret.high(), regret), rounded(regret.median, error),
               regret.count < kLeastForQuantile ? "" : rounded(regret.q95, error),
               fmt::format("{:.4g}", cell.simple_regret)},
              among_the_best(contest, place)};
  // Empty cells for the winner, and where nothing was paired with it.
  const PairedDifference* difference = place == 0 ? nullptr : contest.differences[place - 1];
  if (difference == nullptr) {
    row.cells.insert(row.cells.end(), {"", "", ""});
    return row;
  }
  const Spread& d = difference->difference;
  row.cells.push_back(rounded(-d.mean, d.standard_error));
  row.cells.push_back(interval_text(-d.high(), -d.low(), d));
  row.cells.push_back(fmt::format("{:.0f}%", 100 * (1 - difference->share_better)));
  return row;
}

std::string contest_html(const Contest& contest) {
  std::vector<HtmlRow> rows;
  for (std::size_t i = 0; i < contest.rivals.size(); ++i) rows.push_back(table_row(contest, i));
  const std::string where = fmt::format(
      ", T = {}, {}", grouped(static_cast<double>(contest.horizon)),
      count_words(contest.rivals[0]->final_regret().count, "replication", "replications"));
  return world_heading(contest, where) +
         html_table("Final regret in " + contest.world + where,
                    {"policy", "mean regret", "95% interval", "median", "95% quantile",
                     "simple regret", "more than the first", "95% interval", "better in"},
                    rows);
}

// Of many contests those of shorter horizons wait behind a click, as they do in words.
std::string tables(const std::vector<Contest>& contests) {
  std::string html = fmt::format(
      "<section id=\"tables\">\n<h2>Tables</h2>\n<p>Final regret, least first. Mean ± standard "
      "error; 95% interval of the mean (Student's t); median and 95% quantile over replications "
      "(the quantile from {} of them on); simple regret: the mean gap of the most played arm. "
      "Then, replication by replication against the first of the table: how much more, its 95% "
      "interval, and how often the policy was the better one. In bold: {}.</p>\n",
      kLeastForQuantile, kMarkWords);
  const bool all = contests.size() <= kMostContestsInWords;
  std::string folded;
  for (const Contest& contest : contests)
    (all || contest.horizon == longest_horizon(contests) ? html : folded) += contest_html(contest);
  if (!folded.empty())
    html += "<details class=\"shorter\"><summary>Tables at shorter horizons</summary>\n" + folded +
            "</details>\n";
  return html + "</section>\n";
}

// The study is written out with every default, so that a later version with other defaults runs the
// same. The environment is what ran the study, not what makes this page.
std::string reproduction(const StudyResult& result) {
  const RunEnvironment& made = result.environment;
  const FileTable& kept = result.plan.study.files;
  std::string files;
  for (const auto& [path, content] : kept)
    files += fmt::format("<details><summary><code>{}</code></summary>\n<pre>{}</pre></details>\n",
                         html_escaped(path), html_escaped(content));
  if (!files.empty())
    files = "<p>Beside it, under the names that it gives them, the files it reads:</p>\n" + files;
  return fmt::format(
      "<section id=\"reproduce\">\n<h2>How to get the same again</h2>\n"
      "<p>Save what follows as <code>study.toml</code> and run</p>\n"
      "<pre>armature run study.toml --out runs/study\narmature report runs/study</pre>\n"
      "<p>The numbers come out the same with any number of threads and however often the run is "
      "interrupted; the running times do not.</p>\n<pre>{}</pre>\n{}"
      "<footer class=\"facts\"><p>Made with armature {}{}.</p></footer>\n"
      "</section>\n",
      html_escaped(write_study(result.plan.study)), files, html_escaped(made.version),
      // Published results do not say.
      made.compiler.empty()
          ? ""
          : fmt::format(", compiled with {}, run on {}{}", html_escaped(made.compiler),
                        html_escaped(made.processor),
                        made.accelerator.empty() ? "" : " and " + html_escaped(made.accelerator)));
}

const PageSections kSections = {
    {"answer", "Answer"},    {"questions", "Verdicts"}, {"graphs", "Graphs"},
    {"figures", "Figures"},  {"about", "About"},        {"claim", "Claim"},
    {"summary", "In words"}, {"tables", "Tables"},      {"reproduce", "Reproduce"}};

}  // namespace

std::string study_page(const StudyResult& result) {
  return study_page(result, study_figures(result));
}

std::string study_page(const StudyResult& result, const DrawnFigures& drawn) {
  require_bundle();
  const Study& study = result.plan.study;
  const std::vector<Contest> all = contests(result);
  // The answer first, then what shows it, then what explains and proves it. Without data there is
  // nothing to judge or draw; the study itself is still worth keeping.
  const std::vector<Verdict> verdicts = all.empty() ? std::vector<Verdict>{} : judge(result);
  std::string body = opening(result, all);
  if (!all.empty()) body += matrix_html(result, matrices(result)) + verdict_summary(verdicts);
  body += graphs_html(result, all);
  if (!all.empty()) body += figure_section(drawn);
  body += about(study);
  if (!all.empty()) {
    body += claims(study, verdicts);
    // Of a search each policy stands in worlds of its own: nobody wins anything there.
    if (!study.search) body += summary(all);
    body += tables(all);
  }
  body += reproduction(result);
  return html_document(study.title, kSections, body);
}

}  // namespace armature
