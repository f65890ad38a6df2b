// The summary of a record. Values stream through in the order of replications, and beyond a few
// thousand final regrets none of them is kept: a study of millions needs no more memory than one of
// thousands.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "armature/lab.h"
#include "base/text.h"
#include "lab/moments.h"
#include "lab/student.h"

namespace armature {
namespace {

// The order statistics a spread keeps, as shares of the way from the least to the most.
constexpr std::array kShares = {0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0};

// Quantiles of type 7 off an ascending stream: linear between neighbours, so that it is enough to
// remember the value before.
class OrderStatistics {
 public:
  explicit OrderStatistics(std::uint64_t count) : count_(count) {}

  void add(double value) {
    for (; next_ < kShares.size(); ++next_) {
      // The place of the quantile among the values, counted from 0; several may fall at one value.
      const double at = kShares[next_] * static_cast<double>(count_ - 1);
      if (at > static_cast<double>(rank_)) break;
      const double weight = at - (static_cast<double>(rank_) - 1);  // of this value, not the last
      quantiles_[next_] = weight < 1 ? below_ + weight * (value - below_) : value;
    }
    below_ = value;
    ++rank_;
  }
  double operator[](std::size_t i) const { return quantiles_[i]; }

 private:
  std::uint64_t count_;
  std::uint64_t rank_ = 0;  // of the next value, from 0
  std::size_t next_ = 0;
  double below_ = 0;
  std::array<double, kShares.size()> quantiles_{};
};

/// Hands out the values of a sample in either order.
using Sample = std::function<void(Recorder::Order, const Recorder::Values&)>;

// Two passes: sums in the order of replications, for their last bit depends on it; quantiles in the
// order of size, which the recorder sorts by (the store does so on disk).
Spread spread_of(const Sample& sample) {
  Moments moments;
  sample(Recorder::Order::kOfReplications, [&](double value) { moments.add(value); });
  Spread spread;
  spread.count = moments.count;
  if (moments.count == 0) return spread;
  spread.mean = moments.mean;
  spread.standard_error = moments.standard_error();
  if (moments.count > 1)
    spread.deviation = std::sqrt(moments.squares / static_cast<double>(moments.count - 1));
  OrderStatistics quantiles(moments.count);
  sample(Recorder::Order::kOfSize, [&](double value) { quantiles.add(value); });
  spread.least = quantiles[0];
  spread.q05 = quantiles[1];
  spread.q25 = quantiles[2];
  spread.median = quantiles[3];
  spread.q75 = quantiles[4];
  spread.q95 = quantiles[5];
  spread.most = quantiles[6];
  return spread;
}

std::vector<CurvePoint> curve_of(Recorder& recorder, std::uint32_t cell) {
  std::vector<CurvePoint> curve;
  for (const Round round : recorder.checkpoints(cell)) {
    const std::size_t checkpoint = curve.size();
    curve.push_back({round, spread_of([&](Recorder::Order order, const Recorder::Values& each) {
                       recorder.regrets(cell, checkpoint, order, each);
                     })});
  }
  return curve;
}

double mean_simple_regret(Recorder& recorder, std::uint32_t cell) {
  Moments moments;
  recorder.simple_regrets(cell, [&](double value) { moments.add(value); });
  return moments.mean;
}

// One diagnostic at one checkpoint, over replications.
struct Noted {
  std::string name;
  std::size_t checkpoint;
  Moments moments = {};
  std::map<std::string, std::uint32_t> words = {};  // of a name: how often each

  void add(const Diagnostic& diagnostic) {
    moments.add(diagnostic.value);
    if (!diagnostic.word.empty()) ++words[diagnostic.word];
  }
  DiagnosticSummary summary() const {
    DiagnosticSummary summary{name, 0, static_cast<std::uint32_t>(moments.count)};
    if (words.empty()) summary.mean = moments.mean;
    summary.counts.assign(words.begin(), words.end());
    // The map is in the order of words, which decides among equals.
    std::stable_sort(summary.counts.begin(), summary.counts.end(),
                     [](const auto& one, const auto& other) { return one.second > other.second; });
    return summary;
  }
};

// Diagnostics at the horizon; a balancer's shares at every checkpoint, if they were followed. The
// recorder hands values out by name and checkpoint, so those of one summary come together and a new
// pair begins a new one.
void add_diagnostics(Recorder& recorder, CellSummary& summary) {
  std::vector<Noted> all;
  recorder.diagnostics(summary.cell.id, [&](const Diagnostic& diagnostic, std::size_t checkpoint) {
    if (all.empty() || all.back().checkpoint != checkpoint || all.back().name != diagnostic.name)
      all.push_back({diagnostic.name, checkpoint});
    all.back().add(diagnostic);
  });
  // They ascend by checkpoint within a name: each share list grows in the order of the curve.
  std::map<std::string, std::vector<double>> shares;
  for (const Noted& noted : all) {
    if (noted.checkpoint + 1 == summary.curve.size())
      summary.diagnostics.push_back(noted.summary());
    if (noted.name.starts_with("share(")) shares[noted.name].push_back(noted.moments.mean);
  }
  for (const auto& [name, share] : shares)
    // Shorter: shares were noted at the horizon alone, and there is no curve to draw.
    if (share.size() == summary.curve.size())
      summary.shares.push_back({name.substr(6, name.size() - 7), share});
}

CellSummary summarize_cell(Recorder& recorder, const PlannedCell& cell) {
  CellSummary summary;
  summary.cell = cell;
  summary.curve = curve_of(recorder, cell.id);
  if (summary.final_regret().count <= kMostFinals)
    recorder.regrets(cell.id, summary.curve.size() - 1, Recorder::Order::kOfReplications,
                     [&](double regret) { summary.finals.push_back(regret); });
  summary.simple_regret = mean_simple_regret(recorder, cell.id);
  // The count is positive: cells without a replication get no summary.
  for (const std::uint64_t plays : recorder.pulls(cell))
    summary.pulls.push_back(static_cast<double>(plays) /
                            static_cast<double>(summary.final_regret().count));
  add_diagnostics(recorder, summary);
  const Recorder::Engines engines = recorder.engines(cell.id);
  summary.engine = join(engines.names, " and ");
  summary.leap_error = engines.largest_error;
  summary.seconds = recorder.seconds(cell.id);
  return summary;
}

PairedDifference difference_of(Recorder& recorder, const CellSummary& first,
                               const CellSummary& second) {
  PairedDifference result;
  result.first = first.cell.id;
  result.second = second.cell.id;
  double better = 0;  // halves: exact
  const Sample sample = [&](Recorder::Order order, const Recorder::Values& each) {
    recorder.differences(result.first, result.second, order, each);
  };
  result.difference = spread_of(sample);
  sample(Recorder::Order::kOfReplications, [&](double difference) {
    better += difference < 0 ? 1 : difference == 0 ? 0.5 : 0;
  });
  if (result.difference.count > 0)
    result.share_better = better / static_cast<double>(result.difference.count);
  // Leaping draws many rounds at once, each policy in its own way: no common luck is left.
  result.same_luck = first.engine == "step" && second.engine == "step";
  return result;
}

// The best of each instance and horizon against each other policy there; the oracle is no rival.
std::vector<PairedDifference> paired_differences(Recorder& recorder,
                                                 const std::vector<CellSummary>& cells) {
  std::vector<std::vector<const CellSummary*>> groups;  // cells of one world stand together
  for (const CellSummary& summary : cells) {
    if (summary.cell.policy == kOracle) continue;
    if (groups.empty() || !groups.back().front()->cell.same_world(summary.cell))
      groups.emplace_back();
    groups.back().push_back(&summary);
  }
  std::vector<PairedDifference> differences;
  for (const auto& group : groups) {
    const CellSummary* best = group.front();
    for (const CellSummary* rival : group)
      // Strictly less: of equals the first of the plan is best, on every machine.
      if (rival->final_regret().mean < best->final_regret().mean) best = rival;
    for (const CellSummary* rival : group)
      if (rival != best) differences.push_back(difference_of(recorder, *best, *rival));
  }
  return differences;
}

}  // namespace

double Spread::low() const {
  return count < 2 ? mean : mean - student_t95(count - 1) * standard_error;
}

double Spread::high() const {
  return count < 2 ? mean : mean + student_t95(count - 1) * standard_error;
}

Results summarize(Recorder& recorder, const std::vector<PlannedCell>& plan,
                  std::uint32_t replications) {
  Results results;
  results.replications_total = std::uint64_t{replications} * plan.size();
  for (const PlannedCell& cell : plan) {
    std::uint64_t missing = 0;
    for (const ReplicationRange& range : recorder.missing(cell.id)) missing += range.count;
    // No replication, no curve: final_regret() may be asked of every summary there is.
    if (missing == replications) continue;
    results.replications_done += replications - missing;
    results.cells.push_back(summarize_cell(recorder, cell));
  }
  results.complete = results.replications_done == results.replications_total;
  results.differences = paired_differences(recorder, results.cells);
  return results;
}

}  // namespace armature
