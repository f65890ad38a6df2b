// A log in memory that survives those who write to it, as a disk survives a process: what was
// committed is there for the next one. Fails when told to.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <unordered_map>

#include "service/log.h"

namespace armature::service::test {

/// What is on the "disk".
struct MemoryStore {
  struct OneExperiment {
    StoredExperiment stored;
    std::vector<Event> events;
    std::unordered_map<Sequence, Closing> closings;
    std::map<Sequence, Snapshot> snapshots;
    Sequence archived = 0;  // events up to here are nobody's to see
  };
  std::vector<OneExperiment> experiments;  // by id, from 1
  std::vector<Token> tokens;
  std::uint64_t commits = 0;
  bool strict = true;  // false: as if it had no keys, for tests that must see what comes of it

  enum class Failure { kNone, kFull, kBusy, kLasting };
  Failure next_begin = Failure::kNone;
  Failure next_commit = Failure::kNone;
  std::optional<std::uint64_t> room;    // for so many events; then it is full
  std::function<void()> before_commit;  // for those who want to hold it back
  /// Readers of their own then have a copy, as others write, and say which event they are at.
  std::function<void(const Event&)> on_walk;
};

class MemoryReader : public LogReader {
 public:
  explicit MemoryReader(std::shared_ptr<MemoryStore> store) : store_(std::move(store)) {}

  std::vector<StoredExperiment> experiments() override {
    std::vector<StoredExperiment> all;
    for (const auto& one : store_->experiments) all.push_back(one.stored);
    return all;
  }
  std::vector<std::shared_ptr<const Epoch>> epochs(ExperimentId id) override {
    std::vector<std::shared_ptr<const Epoch>> epochs;
    for (const Event& event : of(id).events)
      if (event.opened) epochs.push_back(event.opened);
    return epochs;
  }
  Sequence first(ExperimentId id) override {
    return of(id).events.empty() ? 0 : of(id).archived + 1;
  }
  Sequence last(ExperimentId id) override { return of(id).events.size(); }
  std::optional<Event> event(ExperimentId id, Sequence seq) override {
    const auto& events = of(id).events;
    return seq > of(id).archived && seq <= events.size() ? std::optional(events[seq - 1])
                                                         : std::nullopt;
  }
  void walk(ExperimentId id, Sequence from, Sequence before, const Visit& visit) override {
    const auto& events = of(id).events;
    for (Sequence seq = std::max(from, of(id).archived + 1); seq < before && seq <= events.size();
         ++seq) {
      if (on_walk) on_walk(events[seq - 1]);
      visit(events[seq - 1]);
    }
  }
  void walk_keys(ExperimentId id, Sequence last,
                 const std::function<bool(const KeyedDecision&)>& visit) override {
    const auto& events = of(id).events;
    for (Sequence seq = std::min<Sequence>(last, events.size()); seq > of(id).archived; --seq)
      if (const Event& event = events[seq - 1]; !event.key.empty())
        if (!visit({event.key, event.seq, event.time})) return;
  }
  std::optional<Closing> closing(ExperimentId id, Sequence decision) override {
    const auto found = of(id).closings.find(decision);
    return found == of(id).closings.end() ? std::nullopt : std::optional(found->second);
  }
  std::vector<Sequence> snapshots(ExperimentId id) override {
    std::vector<Sequence> all;
    for (const auto& [seq, snapshot] : of(id).snapshots) all.insert(all.begin(), seq);
    return all;
  }
  std::optional<Snapshot> snapshot(ExperimentId id, Sequence seq) override {
    const auto found = of(id).snapshots.find(seq);
    return found == of(id).snapshots.end() ? std::nullopt : std::optional(found->second);
  }
  std::vector<Token> tokens() override { return store_->tokens; }

  std::function<void(const Event&)> on_walk;

 protected:
  MemoryStore::OneExperiment& of(ExperimentId id) {
    return store_->experiments.at(static_cast<std::size_t>(id - 1));
  }
  std::shared_ptr<MemoryStore> store_;
};

/// Writes in place, and takes back what was not committed: at the next opening, too.
class MemoryLog final : public Log {
 public:
  explicit MemoryLog(std::shared_ptr<MemoryStore> store)
      : store_(std::move(store)), reader_(store_) {}
  ~MemoryLog() override { roll_back(); }

  void begin() override {
    fail_if(std::exchange(store_->next_begin, MemoryStore::Failure::kNone));
    open_ = true;
  }
  void commit() override {
    if (store_->before_commit) store_->before_commit();
    fail_if(std::exchange(store_->next_commit, MemoryStore::Failure::kNone));
    ++store_->commits;
    open_ = false;
    undo_.clear();
  }
  void roll_back() override {
    for (auto undo = undo_.rbegin(); undo != undo_.rend(); ++undo) (*undo)();
    undo_.clear();
    open_ = false;
  }

  ExperimentId add_experiment(const ExperimentFacts& facts) override {
    const auto id = static_cast<ExperimentId>(store_->experiments.size()) + 1;
    store_->experiments.push_back({{id, facts}, {}, {}, {}, 0});
    undo_.push_back([this] { store_->experiments.pop_back(); });
    return id;
  }
  void begin_after(ExperimentId id, Sequence archived,
                   const std::vector<std::shared_ptr<const Epoch>>& epochs) override {
    auto& one = of(id);  // new, and gone with all of it if it is undone
    one.archived = archived;
    one.events.resize(archived);
    for (const auto& epoch : epochs) one.events.at(epoch->first - 1).opened = epoch;
  }
  void append(ExperimentId id, const Event& event) override {
    ARMATURE_CHECK(open_, "events are written in a batch");
    if (store_->room && (*store_->room)-- == 0) {
      store_->room = 0;
      fail_if(MemoryStore::Failure::kFull);
    }
    auto& one = of(id);
    ARMATURE_CHECK(event.seq == one.events.size() + 1 || !store_->strict,
                   "events follow each other");
    one.events.push_back(event);
    undo_.push_back([this, id] { of(id).events.pop_back(); });
    if (event.closes_decision()) {
      const bool is_new = one.closings.emplace(*event.decision, Closing{event.seq, {}}).second;
      ARMATURE_CHECK(is_new || !store_->strict, "a decision ends once");
      undo_.push_back([this, id, decision = *event.decision] { of(id).closings.erase(decision); });
    }
    if (event.kind == EventKind::kLate) {
      Closing& closing = one.closings.at(*event.decision);
      undo_.push_back([this, id, decision = *event.decision, before = closing.late] {
        of(id).closings.at(decision).late = before;
      });
      closing.late = event.seq;
    }
  }
  void add_snapshot(ExperimentId id, const Snapshot& snapshot) override {
    auto& snapshots = of(id).snapshots;
    undo_.push_back([this, id, before = snapshots] { of(id).snapshots = before; });
    snapshots[snapshot.seq] = snapshot;
    std::size_t newer = 0;
    for (auto one = snapshots.end(); one != snapshots.begin();) {
      --one;
      if (!one->second.anchor && ++newer > 2) one = snapshots.erase(one);
    }
  }
  void remove_archived(ExperimentId id, Sequence last) override {
    auto& one = of(id);
    undo_.push_back(
        [this, id, closings = one.closings, snapshots = one.snapshots, archived = one.archived] {
          of(id).closings = closings;
          of(id).snapshots = snapshots;
          of(id).archived = archived;
        });
    one.archived = last;
    std::erase_if(one.closings, [&](const auto& closing) { return closing.first <= last; });
    std::erase_if(one.snapshots, [&](const auto& snapshot) { return snapshot.first < last; });
  }
  void add_token(const Token& token) override {
    undo_.push_back([this, before = store_->tokens] { store_->tokens = before; });
    std::erase_if(store_->tokens, [](const Token& spent) { return spent.hash.empty(); });
    store_->tokens.push_back(token);
  }
  void remove_token(const std::string& hash) override {
    undo_.push_back([this, before = store_->tokens] { store_->tokens = before; });
    std::erase_if(store_->tokens, [&](const Token& token) { return token.hash == hash; });
    if (store_->tokens.empty()) store_->tokens.push_back(spent_token());
  }

  std::unique_ptr<LogReader> reader() override {
    if (!store_->on_walk) return std::make_unique<MemoryReader>(store_);
    auto reader = std::make_unique<MemoryReader>(std::make_shared<MemoryStore>(*store_));
    reader->on_walk = store_->on_walk;
    return reader;
  }
  std::uint64_t bytes() override { return 0; }
  void close() override { roll_back(); }

  std::vector<StoredExperiment> experiments() override { return reader_.experiments(); }
  std::vector<std::shared_ptr<const Epoch>> epochs(ExperimentId id) override {
    return reader_.epochs(id);
  }
  Sequence first(ExperimentId id) override { return reader_.first(id); }
  Sequence last(ExperimentId id) override { return reader_.last(id); }
  std::optional<Event> event(ExperimentId id, Sequence seq) override {
    return reader_.event(id, seq);
  }
  void walk(ExperimentId id, Sequence from, Sequence before, const Visit& visit) override {
    reader_.walk(id, from, before, visit);
  }
  void walk_keys(ExperimentId id, Sequence last,
                 const std::function<bool(const KeyedDecision&)>& visit) override {
    reader_.walk_keys(id, last, visit);
  }
  std::optional<Closing> closing(ExperimentId id, Sequence decision) override {
    return reader_.closing(id, decision);
  }
  std::vector<Sequence> snapshots(ExperimentId id) override { return reader_.snapshots(id); }
  std::optional<Snapshot> snapshot(ExperimentId id, Sequence seq) override {
    return reader_.snapshot(id, seq);
  }
  std::vector<Token> tokens() override { return reader_.tokens(); }

 private:
  static void fail_if(MemoryStore::Failure failure) {
    using enum StoreFailure::Cause;
    switch (failure) {
      case MemoryStore::Failure::kFull:
        throw StoreFailure(kFull, {"memory", "write", "no room", "some"});
      case MemoryStore::Failure::kBusy:
        throw StoreFailure(kBusy, {"memory", "write", "held by another", "nobody"});
      case MemoryStore::Failure::kLasting:
        throw StoreFailure(kLasting, {"memory", "write", "a failed sync", "none"});
      case MemoryStore::Failure::kNone:
        break;
    }
  }
  MemoryStore::OneExperiment& of(ExperimentId id) {
    return store_->experiments.at(static_cast<std::size_t>(id - 1));
  }

  std::shared_ptr<MemoryStore> store_;
  MemoryReader reader_;
  bool open_ = false;
  std::vector<std::function<void()>> undo_;
};

}  // namespace armature::service::test
