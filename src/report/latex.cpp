// A study's final regrets as LaTeX tables, one per instance.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "armature/report.h"
#include "report/table.h"
#include "report/words.h"

namespace armature {
namespace {

// Labels are the user's: an underscore alone would stop LaTeX. The braces after `\textbackslash`,
// `\^` and `\~` keep these from swallowing or accenting what follows.
std::string latex_text(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\')
      escaped += "\\textbackslash{}";
    else if (c == '^' || c == '~')
      escaped += std::string("\\") + c + "{}";
    else if (std::string("&%$#_{}").find(c) != std::string::npos)
      escaped += std::string("\\") + c;
    else
      escaped += c;
  }
  return escaped;
}

// For a comment, which a line break would end.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

// "372.9 ± 1.1" in LaTeX's words; the error of one replication is unknown.
std::string latex_number(const Spread& regret) {
  if (!regret.error_known()) return rounded(regret.mean, 0) + " \\pm \\mbox{--}";
  std::string text = with_error(regret.mean, regret.high() - regret.mean);
  const std::string sign = "±";
  if (const std::size_t at = text.find(sign); at != std::string::npos)
    text.replace(at, sign.size(), "\\pm");
  return text;
}

// The cells that are among the best of their contest.
std::set<std::uint32_t> marked_cells(const StudyResult& result) {
  std::set<std::uint32_t> marked;
  for (const Contest& contest : contests(result))
    for (std::size_t place = 0; place < contest.rivals.size(); ++place)
      if (among_the_best(contest, place)) marked.insert(contest.rivals[place]->cell.id);
  return marked;
}

// Policies down, horizons across: mean ± half the 95% interval, the best of a column and its equals
// in bold. The oracle has its row but is no rival: bold on its 0 would tell nothing. Only base
// LaTeX is used, so that \input works in any paper.
std::string latex_table(const std::vector<const CellSummary*>& cells,
                        const std::vector<Round>& horizons, const std::set<std::uint32_t>& marked) {
  std::vector<std::string> policies;
  std::map<std::pair<std::string, Round>, const CellSummary*> at;
  for (const CellSummary* summary : cells) {
    const PlannedCell& cell = summary->cell;
    if (std::find(policies.begin(), policies.end(), cell.policy_label) == policies.end())
      policies.push_back(cell.policy_label);
    at[{cell.policy_label, cell.horizon}] = summary;
  }
  std::string out = "\\begin{tabular}{l" + std::string(horizons.size(), 'r') + "}\n\\hline\npolicy";
  for (const Round horizon : horizons) out += fmt::format(" & $T={}$", horizon);
  out += " \\\\\n\\hline\n";
  for (const std::string& policy : policies) {
    out += latex_text(policy);
    for (const Round horizon : horizons) {
      // Not yet run, or not part of the grid: the column keeps its place.
      const auto found = at.find({policy, horizon});
      if (found == at.end()) {
        out += " & ";
        continue;
      }
      const Spread& regret = found->second->final_regret();
      const std::string value = latex_number(regret);
      out += marked.contains(found->second->cell.id) ? fmt::format(" & $\\mathbf{{{}}}$", value)
                                                     : fmt::format(" & ${}$", value);
    }
    out += " \\\\\n";
  }
  return out + "\\hline\n\\end{tabular}\n";
}

}  // namespace

// Bare tabulars without captions or floats, which are the paper's own; what a table shows stands in
// comments.
std::string study_latex(const StudyResult& result) {
  std::vector<std::pair<std::string, std::vector<const CellSummary*>>> instances;
  for (const CellSummary& summary : result.cells) {
    if (instances.empty() || instances.back().first != summary.cell.instance_label)
      instances.push_back({summary.cell.instance_label, {}});
    instances.back().second.push_back(&summary);
  }
  std::string out = fmt::format(
      "% Final regret, mean and half the 95% interval (Student's t) over {} replications.\n",
      result.plan.study.replications);
  out += fmt::format("% Bold: {}.\n", kMarkWords);
  if (const std::string conditions = conditions_words(result.plan.study); !conditions.empty())
    out += "% With " + conditions.substr(2) + ".\n";
  if (!result.complete) out += "% Not finished: some policies had fewer.\n";
  const std::set<std::uint32_t> marked = marked_cells(result);
  for (const auto& [label, cells] : instances)
    out += fmt::format("\n% {}\n{}", one_line(label),
                       latex_table(cells, result.plan.study.horizons, marked));
  return out;
}

}  // namespace armature
