// The log on PostgreSQL: what it adds is in batch.cpp, what it reads in tables.cpp, and who is at
// work in registry.cpp.
#include "service/postgres/postgres_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "service/postgres/batch.h"
#include "service/postgres/connection.h"
#include "service/postgres/schema.h"
#include "service/postgres/tables.h"

namespace armature::service {
namespace {

using postgres::bits;
using postgres::Connection;
using postgres::Failure;
using postgres::Line;
using postgres::Parameters;
using postgres::Rows;
using postgres::Tables;
using postgres::whole;
using postgres::Written;

constexpr std::size_t kToolEvents = 4'096;  // of a tool's transaction in one statement

// What PostgreSQL could not do, in the log's words. Of nothing that it says the process must end:
// it syncs by itself, and whether it could is told by whether it answers.
StoreFailure store_failure(const Failure& failure) {
  constexpr std::string_view kDiskFull = "53100";
  return {failure.state() == kDiskFull ? StoreFailure::Cause::kFull : StoreFailure::Cause::kBusy,
          failure.report()};
}
template <class Work>
auto stored(const Work& work) {
  try {
    return work();
  } catch (const Failure& failure) {
    throw store_failure(failure);
  }
}

class PostgresReader final : public LogReader {
 public:
  PostgresReader(const std::string& url, bool of_one_moment)
      : line_(url, {.read_only = true},
              [of_one_moment](Connection& connection) {
                postgres::require_tables(connection);
                if (of_one_moment)
                  connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
              }),
        tables_(line_) {
    line_.asks_again = !of_one_moment;
    line_.connected();
  }

  std::vector<StoredExperiment> experiments() override {
    return stored([&] { return tables_.experiments(); });
  }
  std::vector<std::shared_ptr<const Epoch>> epochs(ExperimentId experiment) override {
    return stored([&] { return tables_.epochs(experiment); });
  }
  Sequence first(ExperimentId experiment) override {
    return stored([&] { return tables_.first(experiment); });
  }
  Sequence last(ExperimentId experiment) override {
    return stored([&] { return tables_.last(experiment); });
  }
  std::optional<Event> event(ExperimentId experiment, Sequence seq) override {
    return stored([&] { return tables_.event(experiment, seq); });
  }
  void walk(ExperimentId experiment, Sequence from, Sequence before, const Visit& visit) override {
    stored([&] { tables_.walk(experiment, from, before, visit); });
  }
  void walk_keys(ExperimentId experiment, Sequence last,
                 const std::function<bool(const KeyedDecision&)>& visit) override {
    stored([&] { tables_.walk_keys(experiment, last, visit); });
  }
  std::optional<Closing> closing(ExperimentId experiment, Sequence decision) override {
    return stored([&] { return tables_.closing(experiment, decision); });
  }
  std::vector<Sequence> snapshots(ExperimentId experiment) override {
    return stored([&] { return tables_.snapshots(experiment); });
  }
  std::optional<Snapshot> snapshot(ExperimentId experiment, Sequence seq) override {
    return stored([&] { return tables_.snapshot(experiment, seq); });
  }
  std::vector<Token> tokens() override {
    return stored([&] { return tables_.tokens(); });
  }

 private:
  Line line_;
  Tables tables_;
};

class PostgresLog final : public SharedLog {
 public:
  explicit PostgresLog(const PostgresOptions& options)
      : options_(options),
        line_(options.url, {.patience = options.patience},
              [this](Connection& connection) { greet(connection); }),
        tables_(line_) {
    line_.asks_again = false;  // a batch is one connection's, or nobody knows whose rows it saw
    line_.connected();
  }

  // --- Owning ---
  std::vector<ExperimentId> take(const std::vector<ExperimentId>& wanted) override {
    return stored([&] {
      const Rows rows = line_.connected().execute(
          "WITH free AS (SELECT o.experiment FROM armature.owners o LEFT JOIN armature.nodes n ON "
          "n.name = o.node WHERE o.experiment = ANY($1) AND (o.node IS NULL OR o.node = $2 OR "
          "n.name IS NULL OR n.lease_until < clock_timestamp()) ORDER BY o.experiment FOR UPDATE "
          "OF o SKIP LOCKED) UPDATE armature.owners o SET node = $2, epoch = o.epoch + 1 FROM free "
          "f WHERE o.experiment = f.experiment RETURNING o.experiment, o.epoch, "
          "pg_notify('armature', '')::text",
          Parameters().add(wanted).add_text(options_.node));
      std::vector<ExperimentId> taken;
      for (std::size_t row = 0; row < rows.size(); ++row) {
        taken.push_back(rows.integer(row, 0));
        own(taken.back(), rows.integer(row, 1));
      }
      return taken;
    });
  }
  void release(const std::vector<ExperimentId>& unwanted) override {
    std::vector<std::int64_t> experiments;
    std::vector<std::int64_t> epochs;
    for (const ExperimentId one : unwanted) {
      if (!owned_.contains(one)) continue;
      experiments.push_back(one);
      epochs.push_back(epochs_.at(one));
      disown(one);
    }
    if (experiments.empty()) return;
    stored([&] {
      line_.connected().execute(
          "WITH released AS (UPDATE armature.owners o SET node = NULL FROM unnest($1::bigint[], "
          "$2::bigint[]) AS r(experiment, epoch) WHERE o.experiment = r.experiment AND o.epoch = "
          "r.epoch RETURNING 1) SELECT pg_notify('armature', '')::text FROM released",
          Parameters().add(experiments).add(epochs));
    });
  }
  const std::set<ExperimentId>& owned() const override { return owned_; }
  std::uint64_t changes() const override { return changes_; }
  bool owns(ExperimentId experiment) const override {
    return is_tool() || owned_.contains(experiment);
  }
  bool shared() const override { return !is_tool(); }

  // --- A batch ---
  void begin() override {
    stored([&] {
      Connection& connection = line_.connected();
      if (!is_tool() || in_transaction_) return;
      connection.execute("BEGIN");
      in_transaction_ = true;
    });
  }
  void commit() override {
    stored([&] {
      flush();
      if (!is_tool()) return;
      line_.connected().execute("SELECT pg_notify('armature', '')::text");
      line_.connected().execute("COMMIT");
      in_transaction_ = false;
      claimed_.clear();
    });
  }
  void roll_back() override {
    for (const StoredExperiment& one : batch_.created) disown(one.id);
    batch_ = {};
    last_seqs_.clear();
    claimed_.clear();
    if (std::exchange(in_transaction_, false)) try {
        line_.connected().execute("ROLLBACK");
      } catch (const Error&) {
        line_.drop();  // which does the same
      }
  }
  void rest_on(ExperimentId experiment) override { batch_.rests_on.insert(experiment); }

  ExperimentId add_experiment(const ExperimentFacts& facts) override {
    return stored([&] {
      Connection& connection = line_.connected();
      const Rows there =
          connection.execute("SELECT 1::bigint FROM armature.experiments WHERE name = $1",
                             Parameters().add_text(facts.name));
      if (there.size() > 0)  // another node's: whoever asks again finds it there
        throw Refusal(RefusalKind::kNotHere, {"", "name", "'" + facts.name + "', another node's",
                                              "the same again, a little later"});
      const ExperimentId id =
          connection.execute("SELECT nextval('armature.experiment_ids')").integer(0, 0);
      batch_.created.push_back({id, facts});
      if (!is_tool()) own(id, 1);
      last_seqs_[id] = 0;
      return id;
    });
  }

  void begin_after(ExperimentId experiment, Sequence archived,
                   const std::vector<std::shared_ptr<const Epoch>>& epochs) override {
    ARMATURE_CHECK(is_created(experiment), "what is there has begun");
    last_seqs_[experiment] = archived;
    batch_.archived[experiment] = epochs;
  }
  void hold(ExperimentId experiment) override {
    begin();
    claim(experiment);
  }

  void append(ExperimentId experiment, const Event& event) override {
    require_next(experiment, event.seq);
    claim(experiment);
    Written& written = batch_.of[experiment];
    if (event.closes_decision()) written.closings[*event.decision] = {event.seq, {}};
    if (event.kind == EventKind::kLate) {
      const auto known = closing(experiment, *event.decision);
      written.closings[*event.decision] = {known ? known->seq : 0, event.seq};
    }
    written.events.push_back(event);
    if (++batch_.events >= kToolEvents && is_tool()) stored([&] { flush(); });
  }

  void add_snapshot(ExperimentId experiment, const Snapshot& snapshot) override {
    claim(experiment);
    batch_.of[experiment].snapshots[snapshot.seq] = snapshot;
  }

  void remove_archived(ExperimentId experiment, Sequence last) override {
    ARMATURE_CHECK(is_tool(), "rows are removed by tools");
    claim(experiment);
    stored([&] {
      flush();
      for (const char* statement :
           {"DELETE FROM armature.closed WHERE experiment = $1 AND decision <= $2",
            "DELETE FROM armature.events WHERE experiment = $1 AND seq <= $2",
            "DELETE FROM armature.snapshots WHERE experiment = $1 AND seq < $2"})
        line_.connected().execute(statement, Parameters().add(experiment).add(bits(last)));
    });
  }

  void add_token(const Token& token) override {
    change_tokens([&](std::vector<Token>& tokens) {
      std::erase_if(tokens, [](const Token& spent) { return spent.hash.empty(); });
      tokens.push_back(token);
    });
  }
  void remove_token(const std::string& hash) override {
    change_tokens([&](std::vector<Token>& tokens) {
      std::erase_if(tokens, [&](const Token& token) { return token.hash == hash; });
      if (tokens.empty()) tokens.push_back(spent_token());
    });
  }

  std::unique_ptr<LogReader> reader() override {
    return stored([&] { return std::make_unique<PostgresReader>(options_.url, false); });
  }

  std::string durability() const override { return "synchronous_commit = " + commit_; }
  std::uint64_t bytes() override { return bytes_; }
  void tidy() override {
    constexpr auto kLookEvery = std::chrono::seconds(30);
    const auto now = std::chrono::steady_clock::now();
    if (now < look_at_) return;
    look_at_ = now + kLookEvery;
    try {
      bytes_ = whole(line_
                         .ask("SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint "
                              "FROM pg_class c WHERE c.relnamespace = 'armature'::regnamespace AND "
                              "c.relkind = 'r'")
                         .integer(0, 0));
    } catch (const Error&) {  // whoever writes next will notice
    }
  }
  void close() override {
    roll_back();
    line_.drop();
  }

  // --- Reading: what is not sent yet, and what was committed ---
  std::vector<StoredExperiment> experiments() override {
    return stored([&] { return tables_.experiments(is_tool() ? nullptr : &owned_); });
  }
  std::vector<std::shared_ptr<const Epoch>> epochs(ExperimentId experiment) override {
    auto epochs = stored([&] { return tables_.epochs(experiment); });
    if (const auto early = batch_.archived.find(experiment); early != batch_.archived.end())
      epochs.insert(epochs.end(), early->second.begin(), early->second.end());
    for (const Event& event : written_of(experiment).events)
      if (event.opened) epochs.push_back(event.opened);
    return epochs;
  }
  Sequence first(ExperimentId experiment) override {
    const Sequence first = stored([&] { return tables_.first(experiment); });
    const auto& events = written_of(experiment).events;
    return first == 0 && !events.empty() ? events.front().seq : first;
  }
  Sequence last(ExperimentId experiment) override {
    const auto known = last_seqs_.find(experiment);
    return known != last_seqs_.end() ? known->second
                                     : stored([&] { return tables_.last(experiment); });
  }
  std::optional<Event> event(ExperimentId experiment, Sequence seq) override {
    const auto& events = written_of(experiment).events;
    if (!events.empty() && seq >= events.front().seq)
      return seq <= events.back().seq ? std::optional(events[seq - events.front().seq])
                                      : std::nullopt;
    return stored([&] { return tables_.event(experiment, seq); });
  }
  void walk(ExperimentId experiment, Sequence from, Sequence before, const Visit& visit) override {
    const Sequence own = first_written(experiment);
    if (from < own) stored([&] { tables_.walk(experiment, from, std::min(before, own), visit); });
    if (own == kNone) return;
    // The visitor may write, and then they move.
    for (Sequence seq = std::max(from, own); seq < before; ++seq) {
      const auto next = event(experiment, seq);
      if (!next) return;
      visit(*next);
    }
  }
  void walk_keys(ExperimentId experiment, Sequence last,
                 const std::function<bool(const KeyedDecision&)>& visit) override {
    const auto& events = written_of(experiment).events;
    for (auto event = events.rbegin(); event != events.rend(); ++event)
      if (event->seq <= last && !event->key.empty())
        if (!visit({event->key, event->seq, event->time})) return;
    const Sequence own = first_written(experiment);
    stored([&] { tables_.walk_keys(experiment, std::min(last, own - 1), visit); });
  }
  std::optional<Closing> closing(ExperimentId experiment, Sequence decision) override {
    const auto& ended = written_of(experiment).closings;
    if (const auto known = ended.find(decision); known != ended.end()) return known->second;
    return stored([&] { return tables_.closing(experiment, decision); });
  }
  std::vector<Sequence> snapshots(ExperimentId experiment) override {
    std::vector<Sequence> all = stored([&] { return tables_.snapshots(experiment); });
    for (const auto& [seq, snapshot] : written_of(experiment).snapshots)
      if (std::find(all.begin(), all.end(), seq) == all.end()) all.push_back(seq);
    std::sort(all.rbegin(), all.rend());
    return all;
  }
  std::optional<Snapshot> snapshot(ExperimentId experiment, Sequence seq) override {
    const auto& own = written_of(experiment).snapshots;
    if (const auto known = own.find(seq); known != own.end()) return known->second;
    return stored([&] { return tables_.snapshot(experiment, seq); });
  }
  std::vector<Token> tokens() override {
    return batch_.tokens ? *batch_.tokens : stored([&] { return tables_.tokens(); });
  }

 private:
  static constexpr Sequence kNone = std::numeric_limits<Sequence>::max();

  bool is_tool() const { return options_.node.empty(); }

  void greet(Connection& connection) {
    commit_ = postgres::require_durable(connection);
    connection.execute("SET synchronous_commit = " + commit_);  // whatever the server is told later
    postgres::require_tables(connection);
    if (!epochs_.empty()) take_again(connection);
  }

  // What was sent on a line that was lost may still be on its way: what this one owns it takes
  // again, in a new epoch, which waits for such a statement or shuts it out. Whoever has taken one
  // of them meanwhile has it.
  void take_again(Connection& connection) {
    std::vector<std::int64_t> experiments;
    std::vector<std::int64_t> epochs;
    for (const auto& [experiment, epoch] : epochs_) {
      experiments.push_back(experiment);
      epochs.push_back(epoch);
    }
    const Rows rows = connection.execute(
        "UPDATE armature.owners o SET epoch = o.epoch + 1 FROM (SELECT w.experiment FROM "
        "armature.owners w JOIN unnest($1::bigint[], $2::bigint[]) AS a(experiment, epoch) ON "
        "w.experiment = a.experiment AND w.epoch = a.epoch WHERE w.node = $3 ORDER BY w.experiment "
        "FOR UPDATE OF w) mine WHERE o.experiment = mine.experiment RETURNING o.experiment, "
        "o.epoch",
        Parameters().add(experiments).add(epochs).add_text(options_.node));
    std::map<ExperimentId, std::int64_t> still;
    for (std::size_t row = 0; row < rows.size(); ++row)
      still[rows.integer(row, 0)] = rows.integer(row, 1);
    for (const ExperimentId one : experiments)
      if (!still.contains(one)) disown(one);
    for (const auto& [experiment, epoch] : still) epochs_[experiment] = epoch;
  }

  // Others may have written to it since this one last did.
  void own(ExperimentId experiment, std::int64_t epoch) {
    last_seqs_.erase(experiment);
    epochs_[experiment] = epoch;
    if (owned_.insert(experiment).second) ++changes_;
  }
  void disown(ExperimentId experiment) {
    epochs_.erase(experiment);
    if (owned_.erase(experiment) > 0) ++changes_;
  }

  // A tool's transaction has what it writes to for itself until it ends.
  void claim(ExperimentId experiment) {
    if (!is_tool() || claimed_.contains(experiment) || is_created(experiment)) return;
    stored([&] {
      const Rows rows = line_.connected().execute(
          "UPDATE armature.owners SET node = NULL, epoch = epoch + 1 WHERE experiment = $1 "
          "RETURNING epoch",
          Parameters().add(experiment));
      claimed_[experiment] = rows.integer(0, 0);
    });
  }
  bool is_created(ExperimentId experiment) const {
    return std::any_of(batch_.created.begin(), batch_.created.end(),
                       [&](const StoredExperiment& one) { return one.id == experiment; });
  }

  // Sends what there is. A lost answer leaves a line that is not used again.
  void flush() {
    if (batch_.empty()) return;
    const auto& epochs = is_tool() ? claimed_ : epochs_;
    postgres::Held held;
    std::set<ExperimentId> lost;
    const auto hold = [&](ExperimentId experiment) {
      if (is_created(experiment)) return;
      const auto known = epochs.find(experiment);
      if (known != epochs.end())
        held[experiment] = known->second;
      else
        lost.insert(experiment);
    };
    for (const ExperimentId experiment : batch_.rests_on) hold(experiment);
    for (const auto& [experiment, written] : batch_.of) hold(experiment);
    if (batch_.tokens) hold(kTokens);
    if (!lost.empty()) refuse_fenced(lost);
    const postgres::Sent sent = postgres::send(line_.connected(), batch_, held, options_.node);
    if (!sent.lost.empty()) refuse_fenced(sent.lost);
    if (!sent.done)
      throw StoreFailure(StoreFailure::Cause::kBusy,
                         {postgres::shown_url(options_.url), "events",
                          "without those before them: the database was put back to an earlier time",
                          "all that was acknowledged"});
    if (is_tool())  // until the end of its transaction
      for (const StoredExperiment& one : batch_.created) claimed_[one.id] = 1;
    batch_ = {};
  }

  [[noreturn]] void refuse_fenced(const std::set<ExperimentId>& fenced) {
    for (const ExperimentId one : fenced) disown(one);
    throw StoreFailure(StoreFailure::Cause::kFenced,
                       {postgres::shown_url(options_.url), "experiment",
                        fmt::format("{} of the batch another writer's", fenced.size()),
                        "the same again, a little later"});
  }

  // What comes next, or a mistake of this experiment's alone: it is read again.
  void require_next(ExperimentId experiment, Sequence seq) {
    auto known = last_seqs_.find(experiment);
    if (known == last_seqs_.end())
      known =
          last_seqs_.emplace(experiment, stored([&] { return tables_.last(experiment); })).first;
    if (seq != known->second + 1)
      throw Error({postgres::shown_url(options_.url), "event", fmt::format("{}", seq),
                   fmt::format("{}, the next one", known->second + 1)});
    known->second = seq;
  }

  template <class Change>
  void change_tokens(const Change& change) {
    claim(kTokens);
    if (!batch_.tokens) {
      batch_.tokens_before = stored([&] { return tables_.tokens(); });
      batch_.tokens = batch_.tokens_before;
    }
    change(*batch_.tokens);
  }

  const Written& written_of(ExperimentId experiment) const {
    static const Written nothing;
    const auto found = batch_.of.find(experiment);
    return found == batch_.of.end() ? nothing : found->second;
  }
  Sequence first_written(ExperimentId experiment) const {
    const auto& events = written_of(experiment).events;
    return events.empty() ? kNone : events.front().seq;
  }

  const PostgresOptions options_;
  Line line_;
  Tables tables_;
  std::map<ExperimentId, std::int64_t> epochs_;  // of what is owned
  std::set<ExperimentId> owned_;                 // the same without them
  std::uint64_t changes_ = 1;
  postgres::Batch batch_;
  std::map<ExperimentId, Sequence> last_seqs_;  // of those written to
  bool in_transaction_ = false;
  std::map<ExperimentId, std::int64_t> claimed_;  // by this transaction
  std::string commit_;                            // synchronous_commit
  std::uint64_t bytes_ = 0;
  std::chrono::steady_clock::time_point look_at_{};
};

// What is wrong at the start is for whoever started it.
template <class Open>
auto opened(const Open& open) {
  try {
    return open();
  } catch (const Failure& failure) {
    throw Error(failure.report());
  }
}

}  // namespace

std::unique_ptr<SharedLog> open_postgres_log(const PostgresOptions& options) {
  ARMATURE_CHECK(!options.node.empty(), "a node has a name");
  return opened([&] { return std::make_unique<PostgresLog>(options); });
}

std::unique_ptr<Log> open_postgres_tool(const std::string& url) {
  return opened([&] {
    return std::make_unique<PostgresLog>(PostgresOptions{url, "", PostgresOptions{}.patience});
  });
}

std::unique_ptr<LogReader> read_postgres_log(const std::string& url, bool of_one_moment) {
  return opened([&] { return std::make_unique<PostgresReader>(url, of_one_moment); });
}

}  // namespace armature::service
