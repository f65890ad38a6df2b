// The record of `simulate`: every replication in memory, each in its own place, so that it reads
// the same whichever thread finished first. What it hands out, and in which order, StudyStore does
// too.
#include <algorithm>
#include <numeric>

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
    : replications_(replications), checkpoints_(std::move(checkpoints)), cells_(cells) {
  ARMATURE_CHECK(!checkpoints_.empty(), "there is a checkpoint, the horizon at least");
}

// Room is made when a cell's first block comes: cells that never run cost nothing.
void MemoryRecorder::add(std::uint32_t cell, std::uint32_t first, const BlockResult& block) {
  const std::lock_guard lock(adding_);
  CellRecord& record = cells_.at(cell);
  record.present.resize(replications_);
  record.leapt.resize(replications_);
  record.simple_regrets.resize(replications_);
  record.regrets.resize(std::size_t{replications_} * checkpoints_.size());
  record.seconds += block.seconds;
  const std::size_t last = checkpoints_.size() - 1;
  for (std::size_t i = 0; i < block.replications.size(); ++i) {
    const Replication& result = block.replications[i];
    const auto number = first + static_cast<std::uint32_t>(i);
    ARMATURE_CHECK(number < replications_, "a replication that was asked for");
    ARMATURE_CHECK(result.regret.size() == checkpoints_.size(), "one regret per checkpoint");
    record.present[number] = true;
    record.leapt[number] = result.engine == Engine::kLeap;
    record.largest_leap_error = std::max(record.largest_leap_error, result.leap_error);
    record.simple_regrets[number] = result.simple_regret;
    std::copy(result.regret.begin(), result.regret.end(),
              record.regrets.begin() +
                  static_cast<std::ptrdiff_t>(std::size_t{number} * checkpoints_.size()));
    record.pulls.resize(std::max(record.pulls.size(), result.pulls.size()));
    for (std::size_t a = 0; a < result.pulls.size(); ++a) record.pulls[a] += result.pulls[a];
    note(record, number, last, result.diagnostics);
    for (std::size_t at = 0; at < std::min(last, result.shares.size()); ++at)
      note(record, number, at, result.shares[at]);
  }
}

void MemoryRecorder::note(CellRecord& record, std::uint32_t replication, std::size_t checkpoint,
                          const Diagnostics& list) {
  for (const Diagnostic& entry : list) {
    Noted& noted = record.diagnostics[{entry.name, checkpoint}];
    noted.replications.push_back(replication);
    noted.values.push_back(entry.value);
    if (!entry.word.empty()) {
      noted.words.resize(noted.values.size());
      noted.words.back() = entry.word;
    }
  }
}

double MemoryRecorder::final_regret(const CellRecord& record, std::size_t replication) const {
  return record.regrets[(replication + 1) * checkpoints_.size() - 1];
}

std::vector<ReplicationRange> MemoryRecorder::missing(std::uint32_t cell) {
  const std::vector<bool>& present = cells_.at(cell).present;
  std::vector<ReplicationRange> ranges;
  for (std::uint32_t i = 0; i < replications_; ++i) {
    if (i < present.size() && present[i]) continue;
    if (ranges.empty() || ranges.back().first + ranges.back().count != i) ranges.push_back({i, 0});
    ++ranges.back().count;
  }
  return ranges;
}

void MemoryRecorder::regrets(std::uint32_t cell, std::size_t checkpoint, Order order,
                             const Values& each) {
  ARMATURE_CHECK(checkpoint < checkpoints_.size(), "one of the checkpoints");
  const CellRecord& record = cells_.at(cell);
  std::vector<double> values;
  for (std::size_t i = 0; i < record.present.size(); ++i)
    if (record.present[i]) values.push_back(record.regrets[i * checkpoints_.size() + checkpoint]);
  hand_over(std::move(values), order, each);
}

void MemoryRecorder::differences(std::uint32_t first, std::uint32_t second, Order order,
                                 const Values& each) {
  const CellRecord& ours = cells_.at(first);
  const CellRecord& theirs = cells_.at(second);
  std::vector<double> values;
  for (std::size_t i = 0; i < std::min(ours.present.size(), theirs.present.size()); ++i)
    if (ours.present[i] && theirs.present[i])
      values.push_back(final_regret(ours, i) - final_regret(theirs, i));
  hand_over(std::move(values), order, each);
}

void MemoryRecorder::simple_regrets(std::uint32_t cell, const Values& each) {
  const CellRecord& record = cells_.at(cell);
  for (std::size_t i = 0; i < record.present.size(); ++i)
    if (record.present[i]) each(record.simple_regrets[i]);
}

// Blocks arrive in any order; what is handed over is in the order of replications.
void MemoryRecorder::diagnostics(std::uint32_t cell, const NotedValues& each) {
  for (const auto& [key, noted] : cells_.at(cell).diagnostics) {
    std::vector<std::size_t> order(noted.values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&noted = noted](std::size_t one, std::size_t other) {
      return noted.replications[one] < noted.replications[other];
    });
    for (const std::size_t i : order)
      each({key.first, noted.values[i], i < noted.words.size() ? noted.words[i] : ""}, key.second);
  }
}

std::vector<std::uint64_t> MemoryRecorder::pulls(const PlannedCell& cell) {
  std::vector<std::uint64_t> pulls = cells_.at(cell.id).pulls;
  pulls.resize(cell.actions);
  return pulls;
}

Recorder::Engines MemoryRecorder::engines(std::uint32_t cell) {
  const CellRecord& record = cells_.at(cell);
  Engines engines;
  for (const bool leapt : {false, true})
    for (std::size_t i = 0; i < record.present.size(); ++i)
      if (record.present[i] && record.leapt[i] == leapt) {
        engines.names.push_back(engine_name(leapt ? Engine::kLeap : Engine::kStep));
        break;
      }
  engines.largest_error = record.largest_leap_error;
  return engines;
}

double MemoryRecorder::seconds(std::uint32_t cell) { return cells_.at(cell).seconds; }

}  // namespace armature
