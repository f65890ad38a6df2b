// What `simulate` prints: a table for people, CSV for programs (JSON: results_json.cpp).
#include <fmt/format.h>

#include <algorithm>

#include "armature/report.h"
#include "base/text.h"
#include "report/planned_summary.h"
#include "report/table.h"
#include "report/words.h"

namespace armature {
namespace {

// Per replication and not per round: of rounds that were leapt none took any time.
std::string time_per_replication(const CellSummary& summary) {
  return short_time(summary.seconds / static_cast<double>(summary.final_regret().count));
}

// "3 (63%), 5 (37%)": a name is counted, most often first.
std::string counts_words(const DiagnosticSummary& diagnostic) {
  constexpr std::size_t kShown = 3;
  std::vector<std::string> words;
  std::uint32_t told = 0;
  const auto share = [&](const std::string& word, std::uint32_t count) {
    words.push_back(fmt::format("{} ({:.0f}%)", word, 100.0 * count / diagnostic.replications));
    told += count;
  };
  for (std::size_t i = 0; i < std::min(kShown, diagnostic.counts.size()); ++i)
    share(diagnostic.counts[i].first, diagnostic.counts[i].second);
  if (told < diagnostic.replications) share("others", diagnostic.replications - told);
  return join(words, ", ");
}

// Policies leave out a number that does not exist in a run (a switch that never came): its mean is
// over those that have it, and says over how many.
std::string diagnostics_line(const CellSummary& summary) {
  constexpr std::size_t kShown = 8;  // the rest is in the JSON
  const std::uint64_t replications = summary.final_regret().count;
  std::vector<std::string> words;
  for (const DiagnosticSummary& diagnostic : summary.diagnostics) {
    if (words.size() == kShown) break;
    words.push_back(diagnostic.is_name()
                        ? fmt::format("{}: {}", diagnostic.name, counts_words(diagnostic))
                        : fmt::format("{} {:.6g}", diagnostic.name, diagnostic.mean));
    if (diagnostic.replications < replications)
      words.back() += fmt::format(" (in {} of {})", diagnostic.replications, replications);
  }
  if (summary.diagnostics.size() > kShown)
    words.push_back(fmt::format("… and {} more", summary.diagnostics.size() - kShown));
  return join(words, ", ");
}

// After an interrupt the table still has a row for every policy asked for.
std::vector<std::string> table_row(const SimulationResult& result, const PlannedCell& cell) {
  const CellSummary* summary = summary_of(result, cell);
  if (summary == nullptr) return {cell.policy_label, "not finished"};
  const Spread& regret = summary->final_regret();
  const std::string name = regret.count < result.simulation.replications
                               ? fmt::format("{} ({} done)", cell.policy_label, regret.count)
                               : cell.policy_label;
  return {name,
          mean_text(regret),
          fmt::format("{:.1f}", regret.median),
          fmt::format("{:.1f}", regret.q95),
          fmt::format("{:.4g}", summary->simple_regret),
          time_per_replication(*summary)};
}

// What is told below the table: who leapt, what policies have to tell, who won.
std::string notes_of(const SimulationResult& result, const Screen& screen) {
  const auto paragraph = [&](const std::string& words) {
    return wrapped(visible(words), prose_columns(screen), "", "  ") + "\n";
  };
  std::string text, diagnostics;
  std::vector<std::string> leapt;
  double error = 0;
  for (const CellSummary& summary : result.cells) {
    if (summary.engine != "step") leapt.push_back(summary.cell.policy_label);
    error = std::max(error, summary.leap_error);
    const std::string line = diagnostics_line(summary);
    if (!line.empty()) diagnostics += paragraph(summary.cell.policy_label + ": " + line);
  }
  if (!leapt.empty())
    text += "\n" + paragraph(fmt::format(
                       "by the leap engine, off by at most {:.2g} in total variation: {}", error,
                       join(leapt, ", ")));
  if (!diagnostics.empty()) text += "\n" + diagnostics;
  for (const Contest& contest : contests(result))
    if (contest.rivals.size() > 1)
      text += "\n" + wrapped(visible(contest_words(contest)), prose_columns(screen)) + "\n";
  return text;
}

}  // namespace

std::string result_table(const SimulationResult& result, const Screen& screen) {
  const Simulation& asked = result.simulation;
  const std::string title =
      fmt::format("{}, T = {}, {} replication{}, seed {}{}", asked.instance, asked.horizon,
                  asked.replications, asked.replications == 1 ? "" : "s", asked.seed,
                  result.conditions == "prompt" ? "" : ", " + result.conditions);
  std::string text = wrapped(visible(title), prose_columns(screen), "", "  ") + "\n\n";
  TextTable table(
      {"policy", "mean regret", "median", "95%", "simple regret", "time per replication"});
  for (const PlannedCell& cell : result.plan) table.add(table_row(result, cell));
  return text + table.print(screen) + notes_of(result, screen);
}

// The columns are those of docs/formats.md. Reals are printed to read back as the same bits, unlike
// those of the table. The header is written once for all results, so that runs can be joined.
std::string result_csv(const std::vector<SimulationResult>& results) {
  std::string csv =
      "instance,policy,horizon,replications,seed,conditions,round,mean_regret,standard_error,"
      "median,q95,deviation,low95,high95,least,q05,q25,q75,most,engine,leap_error\n";
  for (const SimulationResult& result : results)
    for (const CellSummary& summary : result.cells)
      for (const CurvePoint& at : summary.curve) {
        const Spread& s = at.regret;
        csv += fmt::format("{},{},{},{},{},{},{}", csv_field(summary.cell.instance),
                           csv_field(summary.cell.policy), summary.cell.horizon, s.count,
                           result.simulation.seed, csv_field(result.conditions), at.round);
        // Of one replication nothing is known of the error: these columns are then empty.
        const auto known = [&](double value) { return s.error_known() ? print_real(value) : ""; };
        csv += fmt::format(",{},{},{},{},{},{},{}", print_real(s.mean), known(s.standard_error),
                           print_real(s.median), print_real(s.q95), known(s.deviation),
                           known(s.low()), known(s.high()));
        for (const double value : {s.least, s.q05, s.q25, s.q75, s.most})
          csv += "," + print_real(value);
        csv += fmt::format(",{},{}\n", summary.engine, print_real(summary.leap_error));
      }
  return csv;
}

}  // namespace armature
