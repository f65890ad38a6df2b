// A study's verdicts as a section of the page of results.
#include <fmt/format.h>

#include <algorithm>

#include "armature/report.h"
#include "base/text.h"
#include "report/search_words.h"
#include "report/table.h"
#include "report/words.h"

namespace armature {
namespace {

// A bar would end the cell early: text forms and labels may hold one.
std::string markdown_cell(const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped += c == '|' ? std::string("\\|") : std::string(1, c);
  return escaped;
}

// What we write ourselves is no Markdown: the stars of two products in it would be emphasis.
std::string without_emphasis(const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped += c == '*' ? std::string("\\*") : std::string(1, c);
  return escaped;
}

std::string markdown_row(const std::vector<std::string>& cells) {
  std::vector<std::string> escaped;
  for (const std::string& cell : cells) escaped.push_back(markdown_cell(cell));
  return "| " + join(escaped, " | ") + " |\n";
}

// The alternative stands with its question: what an answer is worth depends on what else it could
// have been.
std::string verdict_rows(const std::vector<Verdict>& verdicts) {
  std::string text = "| question | verdict | p | because |\n|---|---|---|---|\n";
  for (const Verdict& verdict : verdicts) {
    const std::string& catches = verdict.rule.catches;
    text += markdown_row(
        {question_words(verdict.rule) +
             (catches.empty() ? "" : "<br>*would catch: " + catches + "*"),
         "**" + verdict.outcome + "**" + (verdict.caveat.empty() ? "" : ", " + verdict.caveat),
         p_text(verdict.p), without_emphasis(verdict.because)});
  }
  return text;
}

// The declared list behind R₁ and R₂: a verdict on worst cases is worth no more than the worlds
// that were tried, so they are named beside it.
// Long grids by what their members share: thirty gaps spelt out are read by nobody.
std::string worlds_of(const StudyResult& result, const std::string& role) {
  std::vector<std::pair<std::string, std::vector<std::string>>> sweeps;
  for (const PlannedCell& cell : result.plan.cells) {
    if (cell.role != role) continue;
    const std::string sweep = cell.instance_name.sweep();
    auto known = std::find_if(sweeps.begin(), sweeps.end(),
                              [&](const auto& entry) { return entry.first == sweep; });
    if (known == sweeps.end()) known = sweeps.insert(sweeps.end(), {sweep, {}});
    auto& labels = known->second;
    if (std::find(labels.begin(), labels.end(), cell.instance_label) == labels.end())
      labels.push_back(cell.instance_label);
  }
  constexpr std::size_t kMostSpeltOut = 3;
  std::vector<std::string> names;
  for (const auto& [sweep, labels] : sweeps)
    names.push_back(labels.size() <= kMostSpeltOut
                        ? join(labels, "; ")
                        : fmt::format("{} ({} of them)", sweep, labels.size()));
  return names.empty() ? "none" : without_emphasis(join(names, "; "));
}

std::string regret_rows(const StudyResult& result) {
  std::string text = "| instance | T | policy | mean regret | median | 95% quantile | n |\n";
  text += "|---|--:|---|--:|--:|--:|--:|\n";
  for (const Contest& contest : contests(result))
    for (const CellSummary* rival : contest.rivals) {
      const Spread& regret = rival->final_regret();
      text += markdown_row({without_emphasis(contest.instance), fmt::format("{}", contest.horizon),
                            without_emphasis(rival->cell.policy_label), mean_text(regret),
                            fmt::format("{:.4g}", regret.median), fmt::format("{:.4g}", regret.q95),
                            fmt::format("{}", regret.count)});
    }
  return text;
}

// A study that asks for no figure in particular gets every kind: one page of all studies cannot
// show them all, so they wait behind a click.
std::string picture_lines(const Study& study, const std::vector<std::string>& pictures) {
  std::string lines;
  for (const std::string& picture : pictures)
    lines += fmt::format("![{}]({})\n\n", study.title, picture);
  if (lines.empty() || !study.figures.empty()) return lines;
  return fmt::format("<details><summary>Figures</summary>\n\n{}</details>\n\n", lines);
}

}  // namespace

std::string p_text(const std::optional<double>& p) {
  // Further down, tails are those of laws that hold only about the middle.
  constexpr double kLeast = 1e-9;
  if (!p) return "–";
  return *p < kLeast ? "< 1e-9" : fmt::format("{:.2g}", *p);
}

std::string verdict_section(const StudyResult& result, const std::vector<std::string>& pictures) {
  return verdict_section(result, pictures, judge(result));
}

std::string verdict_section(const StudyResult& result, const std::vector<std::string>& pictures,
                            const std::vector<Verdict>& verdicts) {
  const Study& study = result.plan.study;
  // Claim and expectation before verdicts: what was said beforehand is read before what came out.
  // They are written as they are, as study files may use Markdown.
  std::string text = fmt::format("## {}\n\n", study.title);
  if (!study.source.empty()) text += fmt::format("*{}*\n\n", study.source);
  if (!study.claim.empty()) text += fmt::format("**Claim.** {}\n\n", study.claim);
  if (!study.text.empty()) text += fmt::format("{}\n\n", study.text);
  if (!study.expectation.empty()) text += fmt::format("**Expected.** {}\n\n", study.expectation);
  if (!result.complete)
    text += fmt::format("**Not finished**: {} of {} replications.\n\n", result.replications_done,
                        result.replications_total);
  text += fmt::format("**Worlds.** Benign: {}. Worst case: {}.\n\n", worlds_of(result, "benign"),
                      worlds_of(result, "worst-case"));
  if (study.search) text += fmt::format("**Search.** {}\n\n", search_words(study));
  if (!study.verdicts.empty()) text += verdict_rows(verdicts) + "\n";
  text += picture_lines(study, pictures);
  // Beyond a few screens numbers belong into a file, and the page of all studies stays loadable.
  constexpr std::size_t kMostRows = 150;
  if (result.cells.size() > kMostRows)
    return text +
           fmt::format("{} cells × {} replications, seed {}: `armature export` has the numbers.\n",
                       result.cells.size(), study.replications, study.seed);
  return text +
         fmt::format(
             "<details><summary>Numbers: {} replications, seed {}</summary>\n\n{}\n</details>\n",
             study.replications, study.seed, regret_rows(result));
}

}  // namespace armature
