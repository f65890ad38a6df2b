#include "lab/summary.h"

#include <algorithm>
#include <cmath>

namespace armature {
namespace {

Moments& named(std::vector<NamedMoments>& list, const std::string& name) {
  for (NamedMoments& entry : list)
    if (entry.name == name) return entry.moments;
  list.push_back({name, {}});
  return list.back().moments;
}

void merge_into(BlockSummary& total, const BlockSummary& block) {
  total.final_regret.insert(total.final_regret.end(), block.final_regret.begin(),
                            block.final_regret.end());
  total.checkpoints.resize(std::max(total.checkpoints.size(), block.checkpoints.size()));
  for (std::size_t i = 0; i < block.checkpoints.size(); ++i)
    total.checkpoints[i].merge(block.checkpoints[i]);
  total.pulls.resize(std::max(total.pulls.size(), block.pulls.size()));
  for (std::size_t a = 0; a < block.pulls.size(); ++a) total.pulls[a] += block.pulls[a];
  total.simple_regret.merge(block.simple_regret);
  for (const NamedMoments& entry : block.diagnostics)
    named(total.diagnostics, entry.name).merge(entry.moments);
  total.seconds += block.seconds;
}

}  // namespace

double quantile(std::vector<double> values, double q) {
  ARMATURE_CHECK(q >= 0 && q <= 1, "a quantile's level lies in [0,1]");
  ARMATURE_CHECK(std::none_of(values.begin(), values.end(), [](double v) { return std::isnan(v); }),
                 "what is not a number has no place in an order");
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double at = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  if (below + 1 >= values.size()) return values.back();
  return values[below] + (at - static_cast<double>(below)) * (values[below + 1] - values[below]);
}

BlockSummary condense(const BlockResult& result) {
  BlockSummary block;
  block.seconds = result.seconds;
  for (const Replication& replication : result.replications) {
    block.engine = replication.engine;  // a cell's replications all have the same
    block.final_regret.push_back(replication.regret.back());
    block.checkpoints.resize(replication.regret.size());
    for (std::size_t i = 0; i < replication.regret.size(); ++i)
      block.checkpoints[i].add(replication.regret[i]);
    block.pulls.resize(replication.pulls.size());
    for (std::size_t a = 0; a < replication.pulls.size(); ++a)
      block.pulls[a] += static_cast<double>(replication.pulls[a]);
    block.simple_regret.add(replication.simple_regret);
    for (const Diagnostic& diagnostic : replication.diagnostics)
      named(block.diagnostics, diagnostic.name).add(diagnostic.value);
  }
  return block;
}

PolicySummary summarize(const Cell& cell, const std::vector<BlockSummary>& blocks) {
  BlockSummary total;
  for (const BlockSummary& block : blocks) merge_into(total, block);

  PolicySummary summary;
  summary.policy = cell.policy;
  summary.seconds = total.seconds;
  summary.replications = static_cast<std::uint32_t>(total.final_regret.size());
  if (summary.replications == 0) return summary;
  for (const BlockSummary& block : blocks)
    if (!block.final_regret.empty()) summary.engine = engine_name(block.engine);
  summary.mean_regret = total.checkpoints.back().mean;
  summary.standard_error = total.checkpoints.back().standard_error();
  summary.median = quantile(total.final_regret, 0.5);
  summary.q95 = quantile(total.final_regret, 0.95);
  summary.simple_regret = total.simple_regret.mean;
  for (std::size_t i = 0; i < cell.checkpoints.size(); ++i)
    summary.checkpoints.push_back(
        {cell.checkpoints[i], total.checkpoints[i].mean, total.checkpoints[i].standard_error()});
  for (const double pulls : total.pulls) summary.pulls.push_back(pulls / summary.replications);
  for (const NamedMoments& entry : total.diagnostics)
    summary.diagnostics.push_back(
        {entry.name, entry.moments.mean, static_cast<std::uint32_t>(entry.moments.count)});
  summary.final_regret = std::move(total.final_regret);
  return summary;
}

}  // namespace armature
