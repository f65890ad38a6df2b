// A store in memory that several nodes write to, each through a log of its own, and what can go
// wrong between them: statements that are never sent, sent and never answered, or carried out long
// after who sent them has given up. It decides by epochs alone, as the real one does: leases only
// say who may be taken from.
#pragma once

#include <list>
#include <mutex>

#include "service/cluster/placement.h"
#include "service/memory_log.h"
#include "service/stand.h"

namespace armature::service::test {

/// The server. Everything is done under its mutex: a batch of one node is not seen by another
/// before it is stored.
class MemoryServer {
 public:
  struct Owner {
    std::string node;  // empty: nobody
    std::uint64_t epoch = 0;
  };
  struct Node {
    Time lease_until = 0;
    bool accepts = true;
  };
  /// What one statement carries.
  struct Batch {
    std::uint64_t tag = 0;                        // the sender's
    std::string node;                             // the sender
    std::map<ExperimentId, std::uint64_t> held;   // what it rests on, and in which epoch
    std::map<ExperimentId, std::string> created;  // names
    std::vector<std::pair<ExperimentId, Event>> events;
    std::vector<std::function<void(MemoryLog&)>> writes;  // events, snapshots, tokens, experiments
    std::vector<Token> tokens;                            // those that are added
  };
  MemoryServer() { owners[kTokens] = {}; }

  bool alive(const std::string& node) const {
    const auto found = nodes.find(node);
    return found != nodes.end() && found->second.lease_until > clock;
  }
  void renew(const std::string& node, Time lease, bool accepts) {
    const std::lock_guard lock(mutex);
    nodes[node] = {clock + lease, accepts};
  }
  ClusterView view() {
    const std::lock_guard lock(mutex);
    ClusterView view;
    for (const auto& [name, node] : nodes)
      view.nodes.push_back({name, "", alive(name), node.accepts});
    for (const auto& [id, owner] : owners)
      view.experiments.push_back(
          {id, id == kTokens ? "" : store->experiments.at(id - 1).stored.facts.name, owner.node});
    return view;
  }

  /// Is all that it rests on still the sender's?
  bool holds(const Batch& batch) const {
    return !fencing || std::all_of(batch.held.begin(), batch.held.end(), [&](const auto& held) {
      return owners.at(held.first).epoch == held.second;
    });
  }
  void note_stored(const Batch& batch) {
    for (const auto& [id, name] : batch.created) owners[id] = {batch.node, 1};
    if (on_stored) on_stored(batch);
  }

  /// Carries out what was sent long ago, if it is still anybody's business.
  void carry_out(std::list<Batch>::iterator sent) {
    const std::lock_guard lock(mutex);
    const Batch batch = std::move(*sent);
    in_flight.erase(sent);
    // An id is given when it is stored: what would get another by now was never carried out.
    for (const auto& [id, name] : batch.created)
      if (id != static_cast<ExperimentId>(store->experiments.size()) + 1 || named(name))
        return void(++late_refused);
    if (!holds(batch)) return void(++late_refused);
    std::map<ExperimentId, Sequence> last;
    for (const auto& [id, event] : batch.events) {
      const Sequence before = last.contains(id) ? last[id]
                              : batch.created.contains(id)
                                  ? 0
                                  : store->experiments[id - 1].events.size();
      if (store->strict && event.seq != before + 1) {
        ++clashes;
        return;
      }
      last[id] = event.seq;
    }
    MemoryLog log(store);
    log.begin();
    for (const auto& write : batch.writes) write(log);
    log.commit();
    ++late_stored;
    note_stored(batch);
  }
  /// An epoch rises only when no statement of the one before holds its row: what is on its way has
  /// either been carried out by then, or is refused when it comes.
  void settle(const std::vector<ExperimentId>& ids) {
    for (auto sent = in_flight.begin(); sent != in_flight.end();) {
      const auto next = std::next(sent);
      const bool concerned = std::any_of(ids.begin(), ids.end(),
                                         [&](ExperimentId id) { return sent->held.contains(id); });
      if (concerned && carried_out_first()) carry_out(sent);
      sent = next;
    }
  }
  bool named(const std::string& name) const {
    return std::any_of(store->experiments.begin(), store->experiments.end(),
                       [&](const auto& one) { return one.stored.facts.name == name; });
  }

  mutable std::recursive_mutex mutex;
  std::shared_ptr<MemoryStore> store = std::make_shared<MemoryStore>();
  std::map<ExperimentId, Owner> owners;
  std::map<std::string, Node> nodes;
  Time clock = 0;
  std::list<Batch> in_flight;
  std::function<void(const Batch&)> on_stored;
  std::function<bool()> carried_out_first = [] { return false; };

  // Switched off, to see that tests notice.
  bool fencing = true;
  bool new_epoch_on_return = true;

  std::uint64_t clashes = 0;  // rows in the right epoch that do not follow: never, if all is well
  std::uint64_t late_stored = 0;
  std::uint64_t late_refused = 0;
  std::uint64_t fenced = 0;
};

/// Between one node and the server; outlives the node's processes.
struct MemoryLink {
  enum class Fault {
    kNone,
    kUnsent,    // it never arrives
    kUnheard,   // it is stored, and nobody hears of it
    kOnItsWay,  // it arrives when whoever sent it has given up
  };
  bool cut = false;
  Fault next_commit = Fault::kNone;
  bool next_take_unheard = false;
};

/// What others have committed, and their own: each call by itself.
class LockedReader final : public LogReader {
 public:
  explicit LockedReader(std::shared_ptr<MemoryServer> server)
      : server_(std::move(server)), reader_(server_->store) {}

  std::vector<StoredExperiment> experiments() override {
    const std::lock_guard lock(server_->mutex);
    return reader_.experiments();
  }
  std::vector<std::shared_ptr<const Epoch>> epochs(ExperimentId id) override {
    const std::lock_guard lock(server_->mutex);
    return reader_.epochs(id);
  }
  Sequence first(ExperimentId id) override {
    const std::lock_guard lock(server_->mutex);
    return reader_.first(id);
  }
  Sequence last(ExperimentId id) override {
    const std::lock_guard lock(server_->mutex);
    return reader_.last(id);
  }
  std::optional<Event> event(ExperimentId id, Sequence seq) override {
    const std::lock_guard lock(server_->mutex);
    return reader_.event(id, seq);
  }
  void walk(ExperimentId id, Sequence from, Sequence before, const Visit& visit) override {
    const std::lock_guard lock(server_->mutex);
    reader_.walk(id, from, before, visit);
  }
  void walk_keys(ExperimentId id, Sequence last,
                 const std::function<bool(const KeyedDecision&)>& visit) override {
    const std::lock_guard lock(server_->mutex);
    reader_.walk_keys(id, last, visit);
  }
  std::optional<Closing> closing(ExperimentId id, Sequence decision) override {
    const std::lock_guard lock(server_->mutex);
    return reader_.closing(id, decision);
  }
  std::vector<Sequence> snapshots(ExperimentId id) override {
    const std::lock_guard lock(server_->mutex);
    return reader_.snapshots(id);
  }
  std::optional<Snapshot> snapshot(ExperimentId id, Sequence seq) override {
    const std::lock_guard lock(server_->mutex);
    return reader_.snapshot(id, seq);
  }
  std::vector<Token> tokens() override {
    const std::lock_guard lock(server_->mutex);
    return reader_.tokens();
  }

 private:
  std::shared_ptr<MemoryServer> server_;
  MemoryReader reader_;
};

class MemorySharedLog final : public SharedLog {
 public:
  MemorySharedLog(std::shared_ptr<MemoryServer> server, std::string node,
                  std::shared_ptr<MemoryLink> link = std::make_shared<MemoryLink>())
      : server_(std::move(server)),
        node_(std::move(node)),
        link_(std::move(link)),
        inner_(server_->store),
        reader_(server_) {}
  ~MemorySharedLog() override { roll_back(); }

  std::vector<ExperimentId> take(const std::vector<ExperimentId>& wanted) override {
    const std::lock_guard lock(server_->mutex);
    connect();
    server_->settle(wanted);
    std::map<ExperimentId, std::uint64_t> taken;
    for (const ExperimentId id : wanted) {
      const auto found = server_->owners.find(id);
      if (found == server_->owners.end()) continue;
      MemoryServer::Owner& owner = found->second;
      if (!owner.node.empty() && owner.node != node_ && server_->alive(owner.node)) continue;
      owner = {node_, owner.epoch + 1};
      taken[id] = owner.epoch;
    }
    if (std::exchange(link_->next_take_unheard, false)) lose("took, and never heard of it");
    std::vector<ExperimentId> ids;
    for (const auto& [id, epoch] : taken) {
      own(id, epoch);
      ids.push_back(id);
    }
    return ids;
  }
  void release(const std::vector<ExperimentId>& unwanted) override {
    const std::lock_guard lock(server_->mutex);
    std::map<ExperimentId, std::uint64_t> going;
    for (const ExperimentId id : unwanted)
      if (const auto found = epochs_.find(id); found != epochs_.end()) going.insert(*found);
    for (const auto& [id, epoch] : going) disown(id);
    connect();
    for (const auto& [id, epoch] : going)
      if (MemoryServer::Owner& owner = server_->owners.at(id); owner.epoch == epoch)
        owner.node.clear();
  }
  const std::set<ExperimentId>& owned() const override { return owned_; }
  std::uint64_t changes() const override { return changes_; }

  void begin() override {
    lock_ = std::unique_lock(server_->mutex);
    try {
      connect();
      inner_.begin();
    } catch (...) {
      lock_.unlock();
      throw;
    }
    batch_ = {};
    batch_.tag = tag;
    batch_.node = node_;
    clashes_ = false;
  }
  void commit() override {
    using enum MemoryLink::Fault;
    const MemoryLink::Fault fault = std::exchange(link_->next_commit, kNone);
    if (link_->cut || fault == kUnsent) {
      roll_back();
      lose("cannot be reached");
    }
    if (fault == kOnItsWay) {
      server_->in_flight.push_back(batch_);
      roll_back();
      lose("no answer");
    }
    if (clashes_) {
      ++server_->clashes;
      roll_back();
      lose("a row that is there already");
    }
    if (!sound()) {
      ++server_->fenced;
      const MemoryServer::Batch batch = std::exchange(batch_, {});
      for (const auto& [id, epoch] : batch.held)
        if (server_->owners.at(id).epoch != epoch) disown(id);
      roll_back();
      throw StoreFailure(StoreFailure::Cause::kFenced,
                         {"memory", "write", "another's by now", "one's own"});
    }
    inner_.commit();
    server_->note_stored(batch_);
    if (fault == kUnheard) {
      roll_back();
      lose("no answer");
    }
    for (const auto& [id, name] : batch_.created) own(id, server_->owners.at(id).epoch);
    roll_back();
  }
  void roll_back() override {
    if (!lock_.owns_lock()) return;
    inner_.roll_back();
    lock_.unlock();
  }

  ExperimentId add_experiment(const ExperimentFacts& facts) override {
    if (server_->named(facts.name))
      throw Refusal(RefusalKind::kNotHere, {"", "experiment", "'" + facts.name + "', another's",
                                            "the same again, a little later"});
    const ExperimentId id = inner_.add_experiment(facts);
    batch_.created[id] = facts.name;
    batch_.writes.push_back([facts](MemoryLog& log) { log.add_experiment(facts); });
    return id;
  }
  void begin_after(ExperimentId id, Sequence archived,
                   const std::vector<std::shared_ptr<const Epoch>>& epochs) override {
    write(id, [=](MemoryLog& log) { log.begin_after(id, archived, epochs); });
  }
  void append(ExperimentId id, const Event& event) override {
    batch_.events.emplace_back(id, event);
    const Sequence last = server_->store->experiments[id - 1].events.size();
    rest_on(id);
    if (sound() && event.seq != last + 1 && server_->store->strict) clashes_ = true;
    write(id, [=](MemoryLog& log) { log.append(id, event); });
  }
  void add_snapshot(ExperimentId id, const Snapshot& snapshot) override {
    write(id, [=](MemoryLog& log) { log.add_snapshot(id, snapshot); });
  }
  void remove_archived(ExperimentId id, Sequence last) override {
    write(id, [=](MemoryLog& log) { log.remove_archived(id, last); });
  }
  void add_token(const Token& token) override {
    batch_.tokens.push_back(token);
    write(kTokens, [=](MemoryLog& log) { log.add_token(token); });
  }
  void remove_token(const std::string& hash) override {
    write(kTokens, [=](MemoryLog& log) { log.remove_token(hash); });
  }
  void rest_on(ExperimentId id) override {
    if (batch_.held.contains(id) || batch_.created.contains(id)) return;
    const auto found = epochs_.find(id);
    batch_.held[id] = found == epochs_.end() ? 0 : found->second;  // 0: nobody's epoch
  }

  std::unique_ptr<LogReader> reader() override { return std::make_unique<LockedReader>(server_); }
  std::uint64_t bytes() override { return 0; }
  void close() override { roll_back(); }

  std::vector<StoredExperiment> experiments() override {
    std::vector<StoredExperiment> all = reader_.experiments();
    std::erase_if(all, [&](const StoredExperiment& one) {
      return !owned_.contains(one.id) && !batch_.created.contains(one.id);
    });
    return all;
  }
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

  std::uint64_t tag = 0;  // of the batches from now on

 private:
  [[noreturn]] void lose(const char* why) {
    connected_ = false;
    throw StoreFailure(StoreFailure::Cause::kBusy, {"memory", "store", why, "an answer"});
  }
  // A statement of this one's may still be on its way: before anything is read again, what is still
  // its own gets a new epoch, in which that statement is nobody's.
  void connect() {
    if (link_->cut) lose("cannot be reached");
    if (connected_) return;
    std::vector<ExperimentId> lost;
    server_->settle({owned_.begin(), owned_.end()});
    const bool unheard = std::exchange(link_->next_take_unheard, false);
    for (auto& [id, epoch] : epochs_) {
      MemoryServer::Owner& owner = server_->owners.at(id);
      if (owner.node != node_ || owner.epoch != epoch) {
        lost.push_back(id);
        continue;
      }
      if (server_->new_epoch_on_return) ++owner.epoch;
      if (!unheard) epoch = owner.epoch;
    }
    if (unheard) lose("no answer");
    for (const ExperimentId id : lost) disown(id);
    connected_ = true;
  }
  // In place, so that the batch sees itself; not where it is another's by now, which the commit
  // finds out.
  template <class Write>
  void write(ExperimentId id, const Write& write) {
    rest_on(id);
    batch_.writes.push_back(write);
    if (sound() && !clashes_) write(inner_);
  }
  bool sound() const { return server_->holds(batch_); }
  void own(ExperimentId id, std::uint64_t epoch) {
    epochs_[id] = epoch;
    owned_.insert(id);
    ++changes_;
  }
  void disown(ExperimentId id) {
    epochs_.erase(id);
    if (owned_.erase(id) > 0) ++changes_;
  }

  std::shared_ptr<MemoryServer> server_;
  std::string node_;
  std::shared_ptr<MemoryLink> link_;
  MemoryLog inner_;
  LockedReader reader_;
  std::unique_lock<std::recursive_mutex> lock_;  // from begin to the end of the batch
  bool connected_ = true;
  bool clashes_ = false;
  std::map<ExperimentId, std::uint64_t> epochs_;
  std::set<ExperimentId> owned_;
  std::uint64_t changes_ = 0;
  MemoryServer::Batch batch_;
};

}  // namespace armature::service::test
