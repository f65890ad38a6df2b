// What `simulate` prints for programs: nothing here needs a study, a store or a screen.
#include <nlohmann/json.hpp>

#include "armature/report.h"
#include "armature/version.h"
#include "report/planned_summary.h"

namespace armature {
namespace {

// Ordered: keys stand as docs/formats.md lists them, what was run before what came of it.
using Json = nlohmann::ordered_json;

// The names are those of docs/formats.md and of the CSV; programs rely on them. What is unknown is
// absent.
Json spread_json(const Spread& spread) {
  Json json = {{"mean", spread.mean}};
  if (spread.error_known())
    json.update({{"standard_error", spread.standard_error},
                 {"deviation", spread.deviation},
                 {"low95", spread.low()},
                 {"high95", spread.high()}});
  json.update({{"least", spread.least},
               {"q05", spread.q05},
               {"q25", spread.q25},
               {"median", spread.median},
               {"q75", spread.q75},
               {"q95", spread.q95},
               {"most", spread.most}});
  return json;
}

// A mean, or of a name how often it was which.
Json diagnostic_json(const DiagnosticSummary& diagnostic) {
  Json json = Json::object();
  if (!diagnostic.is_name()) json["mean"] = diagnostic.mean;
  for (const auto& [word, count] : diagnostic.counts) json["counts"][word] = count;
  json["replications"] = diagnostic.replications;
  return json;
}

Json summary_json(const CellSummary& summary) {
  const Spread& regret = summary.final_regret();
  Json entry = {{"policy", summary.cell.policy}, {"replications", regret.count}};
  entry["engine"] = summary.engine;
  entry["leap_error"] = summary.leap_error;
  // The last checkpoint once more, by short names: what most readers of the JSON want.
  entry["mean_regret"] = regret.mean;
  if (regret.error_known()) entry["standard_error"] = regret.standard_error;
  entry["median"] = regret.median;
  entry["q95"] = regret.q95;
  entry["simple_regret"] = summary.simple_regret;
  entry["checkpoints"] = Json::array();
  for (const CurvePoint& at : summary.curve) {
    // `update` appends in order, so the round stands before its spread.
    Json point = {{"round", at.round}};
    point.update(spread_json(at.regret));
    entry["checkpoints"].push_back(std::move(point));
  }
  entry["pulls"] = summary.pulls;
  entry["seconds"] = summary.seconds;
  entry["diagnostics"] = Json::object();
  for (const DiagnosticSummary& diagnostic : summary.diagnostics)
    entry["diagnostics"][diagnostic.name] = diagnostic_json(diagnostic);
  for (const ShareCurve& share : summary.shares) entry["shares"][share.learner] = share.share;
  return entry;
}

Json difference_json(const SimulationResult& result, const PairedDifference& pair) {
  Json entry = {{"first", result.plan.at(pair.first).policy},
                {"second", result.plan.at(pair.second).policy},
                {"replications", pair.difference.count},
                {"share_better", pair.share_better},
                {"same_luck", pair.same_luck}};
  entry.update(spread_json(pair.difference));
  return entry;
}

}  // namespace

std::string result_json(const SimulationResult& result) {
  const Simulation& asked = result.simulation;
  Json json = {{"instance", asked.instance},         {"horizon", asked.horizon},
               {"replications", asked.replications}, {"seed", asked.seed},
               {"conditions", result.conditions},    {"version", version()},
               {"complete", result.complete},        {"results", Json::array()}};
  for (const PlannedCell& cell : result.plan) {
    const CellSummary* summary = summary_of(result, cell);
    json["results"].push_back(summary ? summary_json(*summary)
                                      : Json{{"policy", cell.policy}, {"replications", 0}});
  }
  json["differences"] = Json::array();
  for (const PairedDifference& pair : result.differences)
    json["differences"].push_back(difference_json(result, pair));
  // Labels and paths may hold bytes that are no UTF-8; a replaced letter there is better than no
  // result after hours of running.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace armature
