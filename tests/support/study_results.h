// Results of studies that never ran: every number chosen, for tests of what is made of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "armature/study.h"
#include "lab/planned_cell.h"

namespace armature::test {

using GridValues = WrittenValues;

struct MadeInstance {
  std::string label;
  std::string text;
  bool benign = true;
  GridValues parameters = {};
  std::uint32_t actions = 20;
};

struct MadePolicy {
  std::string label;
  std::string text;
  GridValues parameters = {};
  std::vector<std::string> learners = {};
};

/// What to make up. Means are a function of instance, policy (by their places) and round; all else
/// follows from them.
struct MadeStudy {
  std::vector<MadeInstance> instances;
  std::vector<MadePolicy> policies;
  std::vector<Round> horizons = {10'000};
  std::uint32_t replications = 100;
  std::uint32_t checkpoints = 24;
  std::function<double(std::size_t instance, std::size_t policy, double round)> mean;
  double relative_deviation = 0.1;  // of one replication's regret, against its mean
  /// Of the paired differences: standard deviation as a share of the larger mean.
  double relative_pair_deviation = 0.1;
};

/// A spread as of a normal law: quantiles at mean ± z·deviation, never below 0 unless `signed`.
inline Spread made_spread(double mean, double deviation, std::uint64_t count,
                          bool with_sign = false) {
  Spread spread;
  spread.count = count;
  spread.mean = mean;
  spread.deviation = count < 2 ? 0 : deviation;
  spread.standard_error = count < 2 ? 0 : deviation / std::sqrt(static_cast<double>(count));
  const auto at = [&](double z) {
    const double value = mean + z * spread.deviation;
    return with_sign ? value : std::max(0.0, value);
  };
  spread.least = at(-2.5);
  spread.q05 = at(-1.645);
  spread.q25 = at(-0.674);
  spread.median = at(0);
  spread.q75 = at(0.674);
  spread.q95 = at(1.645);
  spread.most = at(2.5);
  return spread;
}

/// A text form speaks for itself; any other label is one that was given, without what varies.
inline PlannedName made_name(const std::string& label, const GridValues& varied) {
  if (label.find(':') == std::string::npos) return {label, label, {}, varied, {}};
  const TextForm form = TextForm::parse(label);
  return {"", form.name, form.values, varied, {}};
}

inline PlannedCell made_cell(const MadeInstance& instance, const MadePolicy& policy,
                             Round horizon) {
  PlannedCell cell;
  cell.instance = instance.text;
  cell.policy = policy.text;
  cell.horizon = horizon;
  name_instance(cell, made_name(instance.label, instance.parameters));
  name_policy(cell, made_name(policy.label, policy.parameters));
  cell.role = instance.benign ? "benign" : "worst-case";
  cell.actions = instance.actions;
  cell.contexts = 2;
  cell.rank = 2;
  cell.gap = 0.1;
  cell.benign = instance.benign;
  return cell;
}

inline CellSummary made_summary(const MadeStudy& made, const PlannedCell& cell,
                                std::size_t instance, std::size_t policy) {
  CellSummary summary;
  summary.cell = cell;
  for (const Round round : log_checkpoints(cell.horizon, made.checkpoints)) {
    const double mean = made.mean(instance, policy, static_cast<double>(round));
    summary.curve.push_back(
        {round, made_spread(mean, mean * made.relative_deviation, made.replications)});
  }
  summary.engine = "step";
  summary.simple_regret = 0.01 * static_cast<double>(policy);
  const double horizon = static_cast<double>(cell.horizon);
  const double others = std::min(horizon, made.mean(instance, policy, horizon) / *cell.gap);
  for (std::uint32_t arm = 0; arm < cell.actions; ++arm)
    summary.pulls.push_back(arm == 0 ? horizon - others : others / (cell.actions - 1));
  const auto& learners = made.policies[policy].learners;
  for (std::size_t l = 0; l < learners.size(); ++l) {
    ShareCurve share{learners[l], {}};
    for (const CurvePoint& point : summary.curve) {
      const double first = 1 / (1 + std::log10(1 + static_cast<double>(point.round)) / 2);
      share.share.push_back(l == 0 ? first
                                   : (1 - first) / static_cast<double>(learners.size() - 1));
    }
    summary.shares.push_back(std::move(share));
  }
  summary.seconds = 30e-9 * static_cast<double>(policy + 1) * horizon * made.replications;
  return summary;
}

inline void add_differences(const MadeStudy& made, StudyResult& result, std::size_t first_cell) {
  const auto mean = [&](std::size_t cell) { return result.cells[cell].final_regret().mean; };
  std::size_t best = first_cell;
  for (std::size_t i = first_cell; i < result.cells.size(); ++i)
    if (result.cells[i].cell.policy != kOracle &&
        (mean(i) < mean(best) || result.cells[best].cell.policy == kOracle))
      best = i;
  for (std::size_t i = first_cell; i < result.cells.size(); ++i) {
    if (i == best || result.cells[i].cell.policy == kOracle) continue;
    const double difference = mean(best) - mean(i);
    const double deviation = made.relative_pair_deviation * mean(i);
    const double z = deviation > 0 ? -difference / deviation : 0;
    result.differences.push_back({result.cells[best].cell.id, result.cells[i].cell.id,
                                  made_spread(difference, deviation, made.replications, true),
                                  0.5 * std::erfc(-z / std::sqrt(2.0)), true});
  }
}

inline StudyResult made_result(const MadeStudy& made) {
  StudyResult result;
  Study& study = result.plan.study;
  study.title = "A study that never ran";
  study.text = "Every number in here was made up.\n\nThere are `ucb` and others.";
  study.replications = made.replications;
  study.horizons = made.horizons;
  study.checkpoints = made.checkpoints;
  for (const MadeInstance& instance : made.instances)
    study.instances.push_back({instance.text, instance.label, "", {}});
  for (const MadePolicy& policy : made.policies)
    study.policies.push_back({policy.text, policy.label, "", {}});
  for (std::size_t i = 0; i < made.instances.size(); ++i)
    for (const Round horizon : made.horizons) {
      const std::size_t first_cell = result.cells.size();
      for (std::size_t p = 0; p < made.policies.size(); ++p) {
        PlannedCell cell = made_cell(made.instances[i], made.policies[p], horizon);
        cell.id = static_cast<std::uint32_t>(result.plan.cells.size());
        result.plan.cells.push_back(cell);
        result.cells.push_back(made_summary(made, cell, i, p));
      }
      add_differences(made, result, first_cell);
    }
  result.environment = {"0.0.0", "a compiler", "a processor"};
  result.complete = true;
  result.replications_done = result.replications_total =
      made.replications * static_cast<std::uint64_t>(result.cells.size());
  return result;
}

/// Two instances, one of each role; two policies, the first better by a factor of two.
inline MadeStudy small_study() {
  MadeStudy made;
  made.instances = {{"easy", "pareto-benign", true}, {"hard", "hidden-arm", false}};
  made.policies = {{"c-ucb", "c-ucb"}, {"ucb", "ucb"}};
  made.mean = [](std::size_t, std::size_t policy, double round) {
    return (policy == 0 ? 1 : 2) * std::sqrt(round);
  };
  return made;
}

/// Four instances, five policies and a sweep of db's dial, two horizons, shares: something of
/// everything.
inline MadeStudy rich_study() {
  MadeStudy made;
  made.instances = {{"benign", "bilodeau-benign", true},
                    {"confounded", "bilodeau-confounded", false},
                    {"hidden-arm:actions=20,gap=0.2", "hidden-arm", false},
                    {"semi-benign", "semi-benign", false}};
  made.policies = {{"ucb", "ucb"},
                   {"c-ucb", "c-ucb"},
                   {"hac-ucb", "hac-ucb"},
                   {"pe", "pe"},
                   {"sentry", "sentry"}};
  for (const char* dial : {"0", "0.25", "0.5", "0.75", "1"})
    made.policies.push_back({std::string("db:dial=") + dial,
                             std::string("db:dial=") + dial,
                             {{"dial", dial}},
                             {"c-ucb", "ucb"}});
  made.horizons = {10'000, 100'000};
  made.mean = [](std::size_t instance, std::size_t policy, double round) {
    const bool benign = instance == 0;
    const double root = std::sqrt(round);
    if (policy == 0) return (4 + 0.3 * static_cast<double>(instance)) * root;
    if (policy == 1 || policy == 3)
      return benign ? (policy == 1 ? 0.5 : 0.9) * root
                    : 0.02 * round * static_cast<double>(instance);
    if (policy == 2) return benign ? 0.6 * root : std::pow(round, 0.75);
    if (policy == 4) return benign ? 1.2 * root : 4.4 * root;
    const double dial = 0.25 * (static_cast<double>(policy) - 5);
    return benign ? std::pow(20, 0.5 * (1 - dial)) * root : std::pow(20, 0.5 * (1 + dial)) * root;
  };
  return made;
}

}  // namespace armature::test
