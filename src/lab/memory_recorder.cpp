// The record of `simulate`: every replication in memory, each in its own place, so that it reads
// the same whichever thread finished first. What it hands out, and in which order, StudyStore does
// too.
#include <algorithm>
#include <map>
#include <tuple>

#include "armature/error.h"
#include "armature/lab.h"

namespace armature {
namespace {

// `values` come in the order of replications, which is how they lie in memory.
void hand_over(std::vector<double> values, Recorder::Order order, const Recorder::Values& each) {
  if (order == Recorder::Order::kOfSize) std::sort(values.begin(), values.end());
  for (const double value : values) each(value);
}

}  // namespace

MemoryRecorder::MemoryRecorder(std::size_t cells, std::uint32_t replications,
                               std::vector<Round> checkpoints)
    : checkpoints_(std::move(checkpoints)), cells_(cells) {
  for (CellRecord& cell : cells_) cell.replications.resize(replications);
}

void MemoryRecorder::add(std::uint32_t cell, std::uint32_t first, const BlockResult& block) {
  // Blocks come from all threads. Readers take no lock: they come when the run is over.
  const std::lock_guard lock(adding_);
  CellRecord& record = cells_.at(cell);
  record.seconds += block.seconds;
  for (std::size_t i = 0; i < block.replications.size(); ++i) {
    const Replication& result = block.replications[i];
    const auto number = first + static_cast<std::uint32_t>(i);
    ARMATURE_CHECK(result.regret.size() == checkpoints_.size(), "one regret per checkpoint");
    record.replications.at(number) =
        Kept{result.regret, result.simple_regret, result.engine, result.leap_error};
    // Whole numbers: their sum is the same in any order of arrival. The first block finds no arms.
    record.pulls.resize(std::max(record.pulls.size(), result.pulls.size()));
    for (std::size_t a = 0; a < result.pulls.size(); ++a) record.pulls[a] += result.pulls[a];
    // A balancer's shares at the horizon stand among its diagnostics already; taken from `shares`
    // too they would count twice.
    const std::size_t last = checkpoints_.size() - 1;
    note(record, number, last, result.diagnostics);
    for (std::size_t at = 0; at < std::min(last, result.shares.size()); ++at)
      note(record, number, at, result.shares[at]);
  }
}

void MemoryRecorder::note(CellRecord& record, std::uint32_t replication, std::size_t checkpoint,
                          const Diagnostics& list) {
  for (const Diagnostic& entry : list)
    record.diagnostics.push_back({entry.name, checkpoint, replication, entry.value});
}

std::vector<ReplicationRange> MemoryRecorder::missing(std::uint32_t cell) {
  std::vector<ReplicationRange> ranges;
  const auto& kept = cells_.at(cell).replications;
  // A run that was stopped leaves holes anywhere, as blocks of all sizes end out of order.
  for (std::uint32_t i = 0; i < kept.size(); ++i) {
    if (kept[i]) continue;
    if (ranges.empty() || ranges.back().first + ranges.back().count != i) ranges.push_back({i, 0});
    ++ranges.back().count;
  }
  return ranges;
}

void MemoryRecorder::regrets(std::uint32_t cell, std::size_t checkpoint, Order order,
                             const Values& each) {
  std::vector<double> values;
  for (const auto& kept : cells_.at(cell).replications)
    if (kept) values.push_back(kept->regret.at(checkpoint));
  hand_over(std::move(values), order, each);
}

void MemoryRecorder::differences(std::uint32_t first, std::uint32_t second, Order order,
                                 const Values& each) {
  // Only replications that both cells have: a pair is two policies in the same world, and a number
  // that one cell lacks has no partner.
  const auto& ours = cells_.at(first).replications;
  const auto& theirs = cells_.at(second).replications;
  std::vector<double> values;
  for (std::size_t i = 0; i < std::min(ours.size(), theirs.size()); ++i)
    if (ours[i] && theirs[i]) values.push_back(ours[i]->regret.back() - theirs[i]->regret.back());
  hand_over(std::move(values), order, each);
}

void MemoryRecorder::simple_regrets(std::uint32_t cell, const Values& each) {
  for (const auto& kept : cells_.at(cell).replications)
    if (kept) each(kept->simple_regret);
}

void MemoryRecorder::diagnostics(std::uint32_t cell, const NotedValues& each) {
  // By name, checkpoint and replication, bytewise as SQLite sorts: the summary adds up in this
  // order, and must meet the same one from either recorder.
  std::vector<const Noted*> ordered;
  for (const Noted& noted : cells_.at(cell).diagnostics) ordered.push_back(&noted);
  std::sort(ordered.begin(), ordered.end(), [](const Noted* one, const Noted* other) {
    return std::tie(one->name, one->checkpoint, one->replication) <
           std::tie(other->name, other->checkpoint, other->replication);
  });
  for (const Noted* noted : ordered) each(noted->name, noted->checkpoint, noted->value);
}

std::vector<std::uint64_t> MemoryRecorder::pulls(const PlannedCell& cell) {
  std::vector<std::uint64_t> pulls = cells_.at(cell.id).pulls;
  // A cell without a finished replication has never seen its arms.
  pulls.resize(cell.actions);
  return pulls;
}

Recorder::Engines MemoryRecorder::engines(std::uint32_t cell) {
  Engines engines;
  // Step before leap, whichever ran first: the names are joined and printed.
  for (const Engine engine : {Engine::kStep, Engine::kLeap})
    for (const auto& kept : cells_.at(cell).replications)
      if (kept && kept->engine == engine) {
        engines.names.push_back(engine_name(engine));
        break;
      }
  for (const auto& kept : cells_.at(cell).replications)
    if (kept) engines.largest_error = std::max(engines.largest_error, kept->leap_error);
  return engines;
}

double MemoryRecorder::seconds(std::uint32_t cell) { return cells_.at(cell).seconds; }

}  // namespace armature
