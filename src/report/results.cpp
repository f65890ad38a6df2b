#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "armature/report.h"
#include "armature/version.h"
#include "base/text.h"
#include "report/table.h"

namespace armature {
namespace {

using Json = nlohmann::ordered_json;

std::string nanoseconds_per_round(const PolicySummary& policy, Round horizon) {
  if (policy.replications == 0) return "";
  const double rounds = static_cast<double>(horizon) * policy.replications;
  return fmt::format("{:.0f} ns", policy.seconds / rounds * 1e9);
}

std::string diagnostics_line(const PolicySummary& policy) {
  constexpr std::size_t kShown = 8;  // the rest is in the JSON
  std::string line;
  for (std::size_t i = 0; i < std::min(policy.diagnostics.size(), kShown); ++i) {
    const DiagnosticSummary& diagnostic = policy.diagnostics[i];
    line += line.empty() ? "" : ", ";
    line += fmt::format("{} {:.6g}", diagnostic.name, diagnostic.mean);
    if (diagnostic.replications < policy.replications)
      line += fmt::format(" (in {} of {})", diagnostic.replications, policy.replications);
  }
  if (policy.diagnostics.size() > kShown)
    line += fmt::format(", … and {} more", policy.diagnostics.size() - kShown);
  return line;
}

}  // namespace

std::string result_table(const SimulationResult& result) {
  std::string text = fmt::format("{}, T = {}, {} replications, seed {}{}\n\n", result.instance,
                                 result.horizon, result.replications, result.seed,
                                 result.conditions == "prompt" ? "" : ", " + result.conditions);
  TextTable table({"policy", "mean regret", "median", "95%", "simple regret", "time/round"});
  std::string diagnostics;
  std::vector<std::string> leapt;
  for (const PolicySummary& policy : result.policies) {
    if (policy.replications == 0) {
      table.add({policy.policy, "not finished"});
      continue;
    }
    const std::string name = policy.replications < result.replications
                                 ? fmt::format("{} ({} done)", policy.policy, policy.replications)
                                 : policy.policy;
    if (policy.engine == "leap") leapt.push_back(policy.policy);
    table.add({name, with_error(policy.mean_regret, policy.standard_error),
               fmt::format("{:.1f}", policy.median), fmt::format("{:.1f}", policy.q95),
               fmt::format("{:.4g}", policy.simple_regret),
               nanoseconds_per_round(policy, result.horizon)});
    const std::string line = diagnostics_line(policy);
    if (!line.empty()) diagnostics += fmt::format("{}: {}\n", policy.policy, line);
  }
  text += table.print();
  if (!leapt.empty()) text += fmt::format("\nby the leap engine: {}\n", join(leapt, ", "));
  if (!diagnostics.empty()) text += "\n" + diagnostics;
  return text;
}

std::string result_csv(const std::vector<SimulationResult>& results) {
  std::string csv =
      "instance,policy,horizon,replications,seed,conditions,round,mean_regret,standard_error,"
      "median,q95\n";
  for (const SimulationResult& result : results)
    for (const PolicySummary& policy : result.policies)
      for (const CheckpointSummary& at : policy.checkpoints) {
        csv +=
            fmt::format("{},{},{},{},{},{},{},{},{},", csv_field(result.instance),
                        csv_field(policy.policy), result.horizon, policy.replications, result.seed,
                        csv_field(result.conditions), at.round, at.mean, at.standard_error);
        csv +=
            at.round == result.horizon ? fmt::format("{},{}\n", policy.median, policy.q95) : ",\n";
      }
  return csv;
}

std::string result_json(const SimulationResult& result) {
  Json json = {{"instance", result.instance},         {"horizon", result.horizon},
               {"replications", result.replications}, {"seed", result.seed},
               {"conditions", result.conditions},     {"version", version()},
               {"complete", result.complete},         {"results", Json::array()}};
  for (const PolicySummary& policy : result.policies) {
    Json entry = {{"policy", policy.policy}, {"replications", policy.replications}};
    if (policy.replications > 0) {
      entry["engine"] = policy.engine;
      entry["mean_regret"] = policy.mean_regret;
      entry["standard_error"] = policy.standard_error;
      entry["median"] = policy.median;
      entry["q95"] = policy.q95;
      entry["simple_regret"] = policy.simple_regret;
      entry["checkpoints"] = Json::array();
      for (const CheckpointSummary& at : policy.checkpoints)
        entry["checkpoints"].push_back(
            {{"round", at.round}, {"mean", at.mean}, {"standard_error", at.standard_error}});
      entry["pulls"] = policy.pulls;
      entry["seconds"] = policy.seconds;
      entry["diagnostics"] = Json::object();
      for (const DiagnosticSummary& diagnostic : policy.diagnostics)
        entry["diagnostics"][diagnostic.name] = {{"mean", diagnostic.mean},
                                                 {"replications", diagnostic.replications}};
    }
    json["results"].push_back(std::move(entry));
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace armature
