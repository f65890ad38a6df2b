// A study's final regrets as Markdown tables, one per horizon: worlds down, policies across.
#include <fmt/format.h>

#include <algorithm>

#include "armature/report.h"
#include "report/table.h"
#include "report/words.h"

namespace armature {
namespace {

// A bar would end the cell early, a backtick the code.
std::string plain_cell(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped += '\\';
    if (c != '`') escaped += c;
  }
  return escaped;
}

// "**372.9 ± 1.1** · 391": the mean, in bold if it is among the best, and the quantile.
std::string cell_text(const Contest& contest, std::size_t place) {
  const Spread& regret = contest.rivals[place]->final_regret();
  std::string text = mean_text(regret);
  if (among_the_best(contest, place)) text = "**" + text + "**";
  if (regret.count >= kLeastForQuantile) text += " · " + narrow(regret.q95, 0);
  return text;
}

std::string horizon_table(const std::vector<Contest>& all, Round horizon) {
  std::vector<std::string> policies;
  std::uint64_t least = ~std::uint64_t{0}, most = 0;
  // From all horizons and in the order of the plan: the tables of a page have the same columns.
  for (const Contest& contest : all) {
    std::vector<const CellSummary*> rivals = contest.rivals;
    std::sort(rivals.begin(), rivals.end(),
              [](const CellSummary* a, const CellSummary* b) { return a->cell.id < b->cell.id; });
    for (const CellSummary* rival : rivals) {
      const std::string& label = rival->cell.policy_label;
      if (std::find(policies.begin(), policies.end(), label) == policies.end())
        policies.push_back(label);
      if (contest.horizon != horizon) continue;
      least = std::min(least, rival->final_regret().count);
      most = std::max(most, rival->final_regret().count);
    }
  }
  std::string text =
      fmt::format("### T = {} ({} replications)\n\n| world |", horizon,
                  least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most));
  for (const std::string& policy : policies) text += fmt::format(" `{}` |", plain_cell(policy));
  text += "\n|---|";
  for (std::size_t i = 0; i < policies.size(); ++i) text += "---:|";
  text += "\n";
  for (const Contest& contest : all) {
    if (contest.horizon != horizon) continue;
    std::vector<std::string> row(policies.size());
    for (std::size_t place = 0; place < contest.rivals.size(); ++place) {
      const auto column =
          std::find(policies.begin(), policies.end(), contest.rivals[place]->cell.policy_label);
      row[static_cast<std::size_t>(column - policies.begin())] = cell_text(contest, place);
    }
    text += fmt::format("| {} |", plain_cell(contest.instance));
    for (const std::string& cell : row) text += fmt::format(" {} |", cell);
    text += "\n";
  }
  return text;
}

}  // namespace

std::string study_markdown(const StudyResult& result) {
  const std::vector<Contest> all = contests(result);
  std::vector<Round> horizons;
  for (const Contest& contest : all) horizons.push_back(contest.horizon);
  std::sort(horizons.begin(), horizons.end());
  horizons.erase(std::unique(horizons.begin(), horizons.end()), horizons.end());
  std::string text = fmt::format(
      "Mean regret ± standard error · 95% quantile of regret (from {} replications on), seed {}{}. "
      "In bold: {}.\n",
      kLeastForQuantile, result.plan.study.seed, conditions_words(result.plan.study), kMarkWords);
  if (!result.complete)
    text += fmt::format("\n**Not finished**: {} of {} replications.\n", result.replications_done,
                        result.replications_total);
  for (const Round horizon : horizons) text += "\n" + horizon_table(all, horizon);
  return text;
}

}  // namespace armature
