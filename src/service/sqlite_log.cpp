// All SQL of the service. One file, one writer; readers beside it see what was committed.
#include "service/sqlite_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/directory_lock.h"
#include "base/file.h"
#include "base/machine.h"
#include "base/sqlite.h"
#include "base/text.h"

namespace armature::service {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kApplication = 0x41524d53;  // "ARMS": what `file` calls the database by
constexpr std::int64_t kSchema = 1;
constexpr const char* kFile = "service.sqlite";

// Rows of `events` lie in the order of their primary key, which is the order they are written in:
// no index on anything that clients choose, which would cost sixty times the bytes. `keyed` is in
// that order too, and only of rows with a key. What is null says nothing: a decided row is its own
// decision, and ticket, digest and seed are 64 bits without a sign, stored bit for bit. `closed` is
// made of events: it finds how a decision ended without a search.
constexpr const char* kTables = R"sql(
CREATE TABLE experiments(
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, tenant TEXT NOT NULL, seed INTEGER NOT NULL,
  settings TEXT NOT NULL, created INTEGER NOT NULL);
CREATE TABLE epochs(
  experiment INTEGER NOT NULL, epoch INTEGER NOT NULL, first_seq INTEGER NOT NULL,
  problem TEXT NOT NULL, policy TEXT NOT NULL, written TEXT NOT NULL, start INTEGER NOT NULL,
  since INTEGER NOT NULL, reason TEXT NOT NULL, build TEXT NOT NULL,
  PRIMARY KEY(experiment, epoch));
CREATE TABLE events(
  experiment INTEGER NOT NULL, seq INTEGER NOT NULL, kind INTEGER NOT NULL, decision INTEGER,
  key BLOB, time INTEGER NOT NULL, epoch INTEGER NOT NULL, action INTEGER, ticket INTEGER,
  position INTEGER, propensity REAL, context INTEGER, reward REAL, note TEXT,
  PRIMARY KEY(experiment, seq)) WITHOUT ROWID;
CREATE INDEX keyed ON events(experiment, seq) WHERE key IS NOT NULL;
CREATE TABLE closed(
  experiment INTEGER NOT NULL, decision INTEGER NOT NULL, seq INTEGER NOT NULL, late INTEGER,
  PRIMARY KEY(experiment, decision)) WITHOUT ROWID;
CREATE TABLE snapshots(
  experiment INTEGER NOT NULL, seq INTEGER NOT NULL, anchor INTEGER NOT NULL,
  digest INTEGER NOT NULL, state BLOB NOT NULL, PRIMARY KEY(experiment, seq));
CREATE TABLE tokens(
  hash TEXT PRIMARY KEY, name TEXT NOT NULL, tenant TEXT NOT NULL, roles TEXT NOT NULL,
  experiments TEXT NOT NULL, created INTEGER NOT NULL, expires INTEGER) WITHOUT ROWID;
)sql";

constexpr const char* kEventColumns =
    "seq, kind, decision, key, time, epoch, action, ticket, position, propensity, context, reward, "
    "note";

std::int64_t bits(std::uint64_t value) { return static_cast<std::int64_t>(value); }
std::uint64_t whole(std::int64_t value) { return static_cast<std::uint64_t>(value); }

template <class Number>
void bind_optional(Statement& statement, int index, const std::optional<Number>& value) {
  if (value)
    statement.bind(index, static_cast<std::int64_t>(*value));
  else
    statement.bind_null(index);
}
void bind_real(Statement& statement, int index, const std::optional<double>& value) {
  if (value)
    statement.bind(index, *value);
  else
    statement.bind_null(index);
}

// Those of 64 bits are stored bit for bit; the others must fit.
template <class Number>
Number whole_number(const Statement& row, int column) {
  const std::int64_t value = row.integer(column);
  if (sizeof(Number) < sizeof value && !std::in_range<Number>(value))
    throw Error({"", fmt::format("column {}", column), fmt::format("{}", value),
                 fmt::format("a whole number up to {}", std::numeric_limits<Number>::max())});
  return static_cast<Number>(value);
}
template <class Number>
std::optional<Number> number_of(const Statement& row, int column) {
  return row.is_null(column) ? std::nullopt : std::optional(whole_number<Number>(row, column));
}
std::optional<double> real_of(const Statement& row, int column) {
  return row.is_null(column) ? std::nullopt : std::optional(row.real(column));
}

// What stands in a row, or that it makes no sense.
template <class Read>
auto legible(const Read& read) {
  try {
    return read();
  } catch (const DatabaseError&) {
    throw;
  } catch (const Error& error) {
    throw Unreadable(error.report());
  }
}

// Puts a statement back that is used again, however its rows are left.
struct Rewound {
  Statement& statement;
  ~Rewound() { statement.rewind(); }
};

Event read_event(const Statement& row) {
  Event event;
  event.seq = whole(row.integer(0));
  event.kind = event_kind(row.integer(1));
  event.decision = number_of<Sequence>(row, 2);
  event.key = row.blob(3);
  event.time = row.integer(4);
  event.epoch = whole_number<EpochNumber>(row, 5);
  event.action = number_of<Arm>(row, 6);
  event.ticket = number_of<std::uint64_t>(row, 7);
  event.position = number_of<std::uint64_t>(row, 8);
  event.propensity = real_of(row, 9);
  event.context = number_of<Context>(row, 10);
  event.reward = real_of(row, 11);
  event.note = row.text(12);
  return event;
}
Event event_of(const Statement& row) {
  return legible([&] { return read_event(row); });
}

std::shared_ptr<const Epoch> read_epoch(const Statement& row, const std::string& path) {
  auto epoch = std::make_shared<Epoch>();
  epoch->number = whole_number<EpochNumber>(row, 0);
  epoch->first = whole(row.integer(1));
  epoch->problem = read_problem(row.text(2), path);
  epoch->policy = row.text(3);
  epoch->written = row.text(4);
  epoch->start = static_cast<Start>(row.integer(5));
  if (row.integer(5) < 0 || row.integer(5) > static_cast<std::int64_t>(Start::kSince))
    throw Error({path, "start", fmt::format("{}", row.integer(5)), "one this program knows"});
  epoch->since = whole(row.integer(6));
  epoch->reason = row.text(7);
  epoch->build = row.text(8);
  return epoch;
}

std::string json_of(const std::vector<std::string>& texts) { return nlohmann::json(texts).dump(); }
std::vector<std::string> texts_of(const std::string& json) {
  return nlohmann::json::parse(json).get<std::vector<std::string>>();
}

// What SQLite could not do, in the log's words.
template <class Work>
auto stored(const Work& work) {
  try {
    return work();
  } catch (const DatabaseError& error) {
    throw StoreFailure(error.full()   ? StoreFailure::Cause::kFull
                       : error.busy() ? StoreFailure::Cause::kBusy
                                      : StoreFailure::Cause::kLasting,
                       error.report());
  }
}

// The same of what only reads: a damaged page is the misfortune of who wanted it.
template <class Work>
auto found(const Work& work) {
  return stored([&] {
    try {
      return work();
    } catch (const DatabaseError& error) {
      if (error.corrupt()) throw Unreadable(error.report());
      throw;
    }
  });
}

std::string file_in(const std::string& directory) { return (fs::path(directory) / kFile).string(); }

void make_private_file(const std::string& file) {
  const int made = ::open(file.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  if (made >= 0) ::close(made);
}

std::int64_t pragma(Database& database, const std::string& name) {
  Statement statement(database, "PRAGMA " + name);
  statement.step();
  return statement.integer(0);
}

void require_ours(Database& database) {
  if (pragma(database, "application_id") != kApplication)
    throw Error({database.path(), "database", "another program's", "a store of armature serve"});
  if (const std::int64_t schema = pragma(database, "user_version"); schema != kSchema)
    throw Error({database.path(), "schema", fmt::format("{}", schema),
                 fmt::format("{}, the one this armature writes", kSchema)});
}

// In a database that is new: all of it, or nothing.
void create_tables(Database& database) {
  Transaction making(database);
  if (pragma(database, "schema_version") == 0)
    database.execute(fmt::format("{} PRAGMA application_id = {}; PRAGMA user_version = {}", kTables,
                                 kApplication, kSchema));
  making.commit();
}

// --- Reading -------------------------------------------------------------------------------------

// Statements of one connection. Base of the log itself, which sees its own batch.
class Tables {
 public:
  explicit Tables(Database& database)
      : database_(database),
        first_(database, "SELECT min(seq) FROM events WHERE experiment = ?"),
        last_(database, "SELECT max(seq) FROM events WHERE experiment = ?"),
        event_(database, fmt::format("SELECT {} FROM events WHERE experiment = ? AND seq = ?",
                                     kEventColumns)),
        closing_(database, "SELECT seq, late FROM closed WHERE experiment = ? AND decision = ?") {}

  std::vector<StoredExperiment> experiments() {
    Statement rows(database_,
                   "SELECT id, name, tenant, seed, settings, created FROM experiments ORDER BY id");
    std::vector<StoredExperiment> experiments;
    while (rows.step()) {
      StoredExperiment one;
      one.id = rows.integer(0);
      one.facts.name = rows.text(1);
      one.facts.tenant = rows.text(2);
      one.facts.seed = whole(rows.integer(3));
      try {
        one.facts.settings = read_settings(rows.text(4), database_.path());
        one.facts.created = rows.integer(5);
      } catch (const DatabaseError&) {
        throw;
      } catch (const Error& error) {  // of this one: the others are none the worse for it
        one.damage = error.what();
      }
      experiments.push_back(std::move(one));
    }
    return experiments;
  }

  std::vector<std::shared_ptr<const Epoch>> epochs(ExperimentId experiment) {
    Statement rows(database_,
                   "SELECT epoch, first_seq, problem, policy, written, start, since, reason, build "
                   "FROM epochs WHERE experiment = ? ORDER BY epoch");
    rows.bind(1, experiment);
    std::vector<std::shared_ptr<const Epoch>> epochs;
    while (rows.step())
      epochs.push_back(legible([&] { return read_epoch(rows, database_.path()); }));
    return epochs;
  }

  Sequence first(ExperimentId experiment) { return seq_or_none(first_, experiment); }
  Sequence last(ExperimentId experiment) { return seq_or_none(last_, experiment); }

  std::optional<Event> event(ExperimentId experiment, Sequence seq) {
    const Rewound whatever_happens{event_};
    event_.bind(1, experiment).bind(2, bits(seq));
    std::optional<Event> event;
    while (event_.step()) event = event_of(event_);
    if (event) add_epoch(experiment, *event);
    return event;
  }

  void walk(ExperimentId experiment, Sequence from, Sequence before,
            const LogReader::Visit& visit) {
    Statement rows(database_,
                   fmt::format("SELECT {} FROM events WHERE experiment = ? AND seq >= ? AND seq < "
                               "? ORDER BY seq",
                               kEventColumns));
    rows.bind(1, experiment).bind(2, bits(from)).bind(3, bits(before));
    while (rows.step()) {
      Event event = event_of(rows);
      add_epoch(experiment, event);
      visit(event);
    }
  }

  void walk_keys(ExperimentId experiment, Sequence last,
                 const std::function<bool(const KeyedDecision&)>& visit) {
    Statement rows(database_,
                   "SELECT key, seq, time FROM events INDEXED BY keyed WHERE experiment = ? AND "
                   "seq <= ? AND key IS NOT NULL ORDER BY seq DESC");
    rows.bind(1, experiment).bind(2, bits(last));
    while (rows.step())
      if (!visit({rows.blob(0), whole(rows.integer(1)), rows.integer(2)})) return;
  }

  std::optional<Closing> closing(ExperimentId experiment, Sequence decision) {
    const Rewound whatever_happens{closing_};
    closing_.bind(1, experiment).bind(2, bits(decision));
    std::optional<Closing> closing;
    while (closing_.step())
      closing = legible([&] {
        return Closing{whole(closing_.integer(0)), number_of<Sequence>(closing_, 1)};
      });
    return closing;
  }

  std::vector<Sequence> snapshots(ExperimentId experiment) {
    Statement rows(database_, "SELECT seq FROM snapshots WHERE experiment = ? ORDER BY seq DESC");
    rows.bind(1, experiment);
    std::vector<Sequence> snapshots;
    while (rows.step()) snapshots.push_back(whole(rows.integer(0)));
    return snapshots;
  }

  std::optional<Snapshot> snapshot(ExperimentId experiment, Sequence seq) {
    Statement rows(database_,
                   "SELECT seq, digest, anchor, state FROM snapshots WHERE experiment = ? AND seq "
                   "= ?");
    rows.bind(1, experiment).bind(2, bits(seq));
    std::optional<Snapshot> snapshot;
    while (rows.step())
      snapshot = {whole(rows.integer(0)), whole(rows.integer(1)), rows.integer(2) != 0,
                  rows.blob(3)};
    return snapshot;
  }

  std::vector<Token> tokens() {
    Statement rows(database_,
                   "SELECT hash, name, tenant, roles, experiments, created, expires FROM tokens "
                   "ORDER BY created, hash");
    std::vector<Token> tokens;
    while (rows.step())
      tokens.push_back({rows.text(0), rows.text(1), rows.text(2), texts_of(rows.text(3)),
                        texts_of(rows.text(4)), rows.integer(5), number_of<Time>(rows, 6)});
    return tokens;
  }

 private:
  static Sequence seq_or_none(Statement& statement, ExperimentId experiment) {
    const Rewound whatever_happens{statement};
    statement.bind(1, experiment);
    Sequence seq = 0;
    while (statement.step())
      if (!statement.is_null(0)) seq = whole(statement.integer(0));
    return seq;
  }

  void add_epoch(ExperimentId experiment, Event& event) {
    if (event.kind != EventKind::kEpoch) return;
    for (auto& epoch : epochs(experiment))
      if (epoch->first == event.seq) event.opened = std::move(epoch);
  }

  Database& database_;
  Statement first_;
  Statement last_;
  Statement event_;
  Statement closing_;
};

// Asks a connection of its own, which sees what was committed.
class SqliteReader final : public LogReader {
 public:
  explicit SqliteReader(std::unique_ptr<Database> database)
      : database_(std::move(database)), tables_(*database_) {}

  std::vector<StoredExperiment> experiments() override {
    return stored([&] { return tables_.experiments(); });
  }
  std::vector<std::shared_ptr<const Epoch>> epochs(ExperimentId experiment) override {
    return found([&] { return tables_.epochs(experiment); });
  }
  Sequence first(ExperimentId experiment) override {
    return found([&] { return tables_.first(experiment); });
  }
  Sequence last(ExperimentId experiment) override {
    return found([&] { return tables_.last(experiment); });
  }
  std::optional<Event> event(ExperimentId experiment, Sequence seq) override {
    return found([&] { return tables_.event(experiment, seq); });
  }
  void walk(ExperimentId experiment, Sequence from, Sequence before,
            const LogReader::Visit& visit) override {
    found([&] { tables_.walk(experiment, from, before, visit); });
  }
  void walk_keys(ExperimentId experiment, Sequence last,
                 const std::function<bool(const KeyedDecision&)>& visit) override {
    found([&] { tables_.walk_keys(experiment, last, visit); });
  }
  std::optional<Closing> closing(ExperimentId experiment, Sequence decision) override {
    return found([&] { return tables_.closing(experiment, decision); });
  }
  std::vector<Sequence> snapshots(ExperimentId experiment) override {
    return found([&] { return tables_.snapshots(experiment); });
  }
  std::optional<Snapshot> snapshot(ExperimentId experiment, Sequence seq) override {
    return found([&] { return tables_.snapshot(experiment, seq); });
  }
  std::vector<Token> tokens() override {
    return stored([&] { return tables_.tokens(); });
  }

 private:
  std::unique_ptr<Database> database_;
  Tables tables_;
};

// --- Writing -------------------------------------------------------------------------------------

// Two connections. One writes, and is asked only for what its batch has written: SQLite commits
// nothing any more after a read that met a damaged page, and who asks about an old decision must
// not be able to end a batch. Everything else is read by the other.
class SqliteLog final : public Log {
 public:
  SqliteLog(std::unique_ptr<DirectoryLock> lock, std::unique_ptr<Database> database,
            const SqliteLogOptions& options)
      : lock_(std::move(lock)),
        database_(std::move(database)),
        written_(*database_),
        committed_(std::make_unique<Database>(database_->path(), Database::Mode::kReadOnly)),
        synchronous_(options.synchronous),
        most_pages_ahead_(options.pages_ahead),
        append_(
            *database_,
            fmt::format("INSERT INTO events(experiment, {}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
                        kEventColumns)),
        close_(*database_, "INSERT INTO closed(experiment, decision, seq) VALUES (?, ?, ?)"),
        late_(*database_, "UPDATE closed SET late = ? WHERE experiment = ? AND decision = ?") {
    database_->checkpoint_by_hand();
  }

  void begin() override {
    if (!checkpoint_trouble_.empty())
      throw StoreFailure(StoreFailure::Cause::kLasting,
                         {database_->path(), "checkpoint", checkpoint_trouble_,
                          "a disk that keeps what it synced"});
    stored([&] { transaction_.emplace(*database_); });
  }
  void commit() override {
    stored([&] { transaction_->commit(); });
    transaction_.reset();
    batch_ = {};
  }
  // A reader that stays may leave nothing to be moved: the next attempt is as many pages later.
  void tidy() override {
    const int ahead = database_->pages_ahead();
    if (ahead < most_pages_ahead_) checkpoint_at_ = most_pages_ahead_;
    if (ahead < checkpoint_at_) return;
    checkpoint();
    checkpoint_at_ = ahead + most_pages_ahead_;
  }
  void roll_back() override {
    transaction_.reset();
    last_seqs_.clear();
    batch_ = {};
  }

  ExperimentId add_experiment(const ExperimentFacts& facts) override {
    return stored([&] {
      Statement next(*database_, "SELECT coalesce(max(id), 0) + 1 FROM experiments");
      next.step();
      const ExperimentId id = next.integer(0);
      Statement insert(*database_,
                       "INSERT INTO experiments(id, name, tenant, seed, settings, created) VALUES "
                       "(?, ?, ?, ?, ?, ?)");
      insert.bind(1, id).bind(2, facts.name).bind(3, facts.tenant).bind(4, bits(facts.seed));
      insert.bind(5, write_settings(facts.settings)).bind(6, facts.created).run();
      return id;
    });
  }

  void begin_after(ExperimentId experiment, Sequence archived,
                   const std::vector<std::shared_ptr<const Epoch>>& epochs) override {
    last_seqs_[experiment] = archived;
    stored([&] {
      for (const auto& epoch : epochs) add_epoch(experiment, *epoch);
    });
  }

  void append(ExperimentId experiment, const Event& event) override {
    require_next(experiment, event.seq);
    Written& written = batch_.of[experiment];
    written.first = std::min(written.first, event.seq);
    stored([&] {
      append_.bind(1, experiment)
          .bind(2, bits(event.seq))
          .bind(3, static_cast<std::int64_t>(event.kind));
      bind_optional(append_, 4, event.decision);
      if (event.key.empty())
        append_.bind_null(5);
      else
        append_.bind_blob(5, event.key);
      append_.bind(6, event.time).bind(7, static_cast<std::int64_t>(event.epoch));
      bind_optional(append_, 8, event.action);
      bind_optional(append_, 9, event.ticket);
      bind_optional(append_, 10, event.position);
      bind_real(append_, 11, event.propensity);
      bind_optional(append_, 12, event.context);
      bind_real(append_, 13, event.reward);
      if (event.note.empty())
        append_.bind_null(14);
      else
        append_.bind(14, event.note);
      append_.run();
      if (event.closes_decision()) {
        close_.bind(1, experiment).bind(2, bits(*event.decision)).bind(3, bits(event.seq)).run();
        written.closings[*event.decision] = {event.seq, {}};
      }
      if (event.kind == EventKind::kLate) {
        late_.bind(1, bits(event.seq)).bind(2, experiment).bind(3, bits(*event.decision)).run();
        const auto known = closing(experiment, *event.decision);
        written.closings[*event.decision] = {known ? known->seq : 0, event.seq};
      }
      if (event.kind == EventKind::kEpoch) add_epoch(experiment, *event.opened);
    });
  }

  void add_snapshot(ExperimentId experiment, const Snapshot& snapshot) override {
    batch_.of[experiment].snapshots = true;
    stored([&] {
      Statement insert(*database_,
                       "INSERT OR REPLACE INTO snapshots(experiment, seq, anchor, digest, state) "
                       "VALUES (?, ?, ?, ?, ?)");
      insert.bind(1, experiment).bind(2, bits(snapshot.seq)).bind(3, snapshot.anchor ? 1L : 0L);
      insert.bind(4, bits(snapshot.digest)).bind_blob(5, snapshot.state).run();
      Statement forget(*database_,
                       "DELETE FROM snapshots WHERE experiment = ?1 AND NOT anchor AND seq NOT IN "
                       "(SELECT seq FROM snapshots WHERE experiment = ?1 AND NOT anchor ORDER BY "
                       "seq DESC LIMIT 2)");
      forget.bind(1, experiment).run();
    });
  }

  void remove_archived(ExperimentId experiment, Sequence last) override {
    batch_.removed = true;
    stored([&] {
      for (const char* sql : {"DELETE FROM closed WHERE experiment = ? AND decision <= ?",
                              "DELETE FROM events WHERE experiment = ? AND seq <= ?",
                              "DELETE FROM snapshots WHERE experiment = ? AND seq < ?"})
        Statement(*database_, sql).bind(1, experiment).bind(2, bits(last)).run();
    });
  }

  void add_token(const Token& token) override {
    stored([&] { database_->execute("DELETE FROM tokens WHERE hash = ''"); });
    insert_token(token);
  }
  void insert_token(const Token& token) {
    stored([&] {
      Statement insert(*database_,
                       "INSERT INTO tokens(hash, name, tenant, roles, experiments, created, "
                       "expires) VALUES (?, ?, ?, ?, ?, ?, ?)");
      insert.bind(1, token.hash).bind(2, token.name).bind(3, token.tenant);
      insert.bind(4, json_of(token.roles)).bind(5, json_of(token.experiments));
      insert.bind(6, token.created);
      bind_optional(insert, 7, token.expires);
      insert.run();
    });
  }
  void remove_token(const std::string& hash) override {
    stored([&] { Statement(*database_, "DELETE FROM tokens WHERE hash = ?").bind(1, hash).run(); });
    if (tokens().empty()) insert_token(spent_token());
  }

  std::unique_ptr<LogReader> reader() override {
    return stored([&] {
      return std::make_unique<SqliteReader>(
          std::make_unique<Database>(database_->path(), Database::Mode::kReadOnly));
    });
  }

  std::string durability() const override { return "synchronous = " + synchronous_; }
  std::uint64_t bytes() override { return size_of("") + bytes_ahead(); }
  std::uint64_t bytes_ahead() override { return size_of("-wal"); }

  // The last connection to close leaves one plain file; this does so even if a reader is still
  // there (and it then does what it can).
  void close() override {
    transaction_.reset();
    stored([&] { database_->execute("PRAGMA wal_checkpoint(TRUNCATE)"); });
  }

  // --- Reading ---
  std::vector<StoredExperiment> experiments() override { return committed_.experiments(); }
  std::vector<std::shared_ptr<const Epoch>> epochs(ExperimentId experiment) override {
    if (is_written(experiment)) return found([&] { return written_.epochs(experiment); });
    return committed_.epochs(experiment);
  }
  Sequence first(ExperimentId experiment) override {
    if (batch_.removed) return found([&] { return written_.first(experiment); });
    const Sequence first = committed_.first(experiment);
    return first == 0 && is_written(experiment) ? first_written(experiment) : first;
  }
  Sequence last(ExperimentId experiment) override {
    const auto known = last_seqs_.find(experiment);
    return known != last_seqs_.end() ? known->second : committed_.last(experiment);
  }
  std::optional<Event> event(ExperimentId experiment, Sequence seq) override {
    if (batch_.removed || seq >= first_written(experiment))
      return found([&] { return written_.event(experiment, seq); });
    return committed_.event(experiment, seq);
  }
  void walk(ExperimentId experiment, Sequence from, Sequence before, const Visit& visit) override {
    const Sequence own = batch_.removed ? 0 : first_written(experiment);
    if (from < own) committed_.walk(experiment, from, std::min(before, own), visit);
    if (before > own) found([&] { written_.walk(experiment, std::max(from, own), before, visit); });
  }
  void walk_keys(ExperimentId experiment, Sequence last,
                 const std::function<bool(const KeyedDecision&)>& visit) override {
    const Sequence own = batch_.removed ? 0 : first_written(experiment);
    bool goes_on = true;
    if (last >= own)
      found([&] {
        written_.walk_keys(experiment, last, [&](const KeyedDecision& one) {
          return goes_on = one.seq >= own && visit(one);
        });
      });
    if (own > 0 && (goes_on || last < own))
      committed_.walk_keys(experiment, std::min(last, own - 1), visit);
  }
  std::optional<Closing> closing(ExperimentId experiment, Sequence decision) override {
    const auto& ended = written_of(experiment).closings;
    if (const auto known = ended.find(decision); known != ended.end()) return known->second;
    if (batch_.removed) return found([&] { return written_.closing(experiment, decision); });
    return committed_.closing(experiment, decision);
  }
  std::vector<Sequence> snapshots(ExperimentId experiment) override {
    if (batch_.removed || written_of(experiment).snapshots)
      return found([&] { return written_.snapshots(experiment); });
    return committed_.snapshots(experiment);
  }
  std::optional<Snapshot> snapshot(ExperimentId experiment, Sequence seq) override {
    if (batch_.removed || written_of(experiment).snapshots)
      return found([&] { return written_.snapshot(experiment, seq); });
    return committed_.snapshot(experiment, seq);
  }
  std::vector<Token> tokens() override {
    return stored([&] { return written_.tokens(); });
  }

 private:
  // What was written and is not committed yet.
  struct Written {
    Sequence first = std::numeric_limits<Sequence>::max();  // of its events; none
    std::unordered_map<Sequence, Closing> closings;
    bool snapshots = false;
  };
  struct Batch {
    std::map<ExperimentId, Written> of;
    bool removed = false;  // rows are gone: only the connection that did it knows which
  };
  const Written& written_of(ExperimentId experiment) const {
    static const Written nothing;
    const auto found = batch_.of.find(experiment);
    return found == batch_.of.end() ? nothing : found->second;
  }
  Sequence first_written(ExperimentId experiment) const { return written_of(experiment).first; }
  bool is_written(ExperimentId experiment) const {
    return first_written(experiment) != std::numeric_limits<Sequence>::max();
  }

  // What comes next, or a mistake of this experiment's alone: it is read again.
  void require_next(ExperimentId experiment, Sequence seq) {
    auto known = last_seqs_.find(experiment);
    if (known == last_seqs_.end()) try {
        known = last_seqs_.emplace(experiment, committed_.last(experiment)).first;
      } catch (const Unreadable& damage) {
        throw Error(damage.report());
      }
    if (seq != known->second + 1)
      throw Error({database_->path(), "event", fmt::format("{}", seq),
                   fmt::format("{}, the next one", known->second + 1)});
    known->second = seq;
  }

  std::uint64_t size_of(const char* part) const {
    std::error_code absent;
    const auto size = fs::file_size(database_->path() + part, absent);
    return absent ? 0 : size;
  }

  void add_epoch(ExperimentId experiment, const Epoch& epoch) {
    Statement insert(*database_,
                     "INSERT INTO epochs(experiment, epoch, first_seq, problem, policy, written, "
                     "start, since, reason, build) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    insert.bind(1, experiment).bind(2, static_cast<std::int64_t>(epoch.number));
    insert.bind(3, bits(epoch.first)).bind(4, write_problem(epoch.problem)).bind(5, epoch.policy);
    insert.bind(6, epoch.written).bind(7, static_cast<std::int64_t>(epoch.start));
    insert.bind(8, bits(epoch.since)).bind(9, epoch.reason).bind(10, epoch.build).run();
  }

  // What was committed is safe in the write-ahead log, whatever happens here. But after a sync that
  // failed the disk may have dropped pages and say nothing the next time: then nothing may be taken
  // out of the log any more.
  void checkpoint() {
    try {
      database_->checkpoint();
    } catch (const DatabaseError& error) {
      if (!error.full() && !error.busy()) checkpoint_trouble_ = error.what();
    }
  }

  std::unique_ptr<DirectoryLock> lock_;  // until the database is closed
  std::unique_ptr<Database> database_;
  Tables written_;
  SqliteReader committed_;
  Batch batch_;
  std::string synchronous_;
  int most_pages_ahead_;
  int checkpoint_at_ = most_pages_ahead_;
  std::map<ExperimentId, Sequence> last_seqs_;  // of those written to
  Statement append_;
  Statement close_;
  Statement late_;
  std::optional<Transaction> transaction_;
  std::string checkpoint_trouble_;
};

}  // namespace

std::uint64_t free_bytes_in(const std::string& directory) {
  std::error_code unknown;
  const fs::space_info space = fs::space(directory, unknown);
  return unknown ? 0 : space.available;
}

std::unique_ptr<Log> open_sqlite_log(const std::string& directory,
                                     const SqliteLogOptions& options) {
  make_private_directory(directory);
  if (on_network_file_system(directory))
    throw Error({directory, "directory", "a network's file system",
                 "a disk of this machine: SQLite's locks do not hold across machines"});
  auto lock = std::make_unique<DirectoryLock>(directory);
  make_private_file(file_in(directory));
  auto database = std::make_unique<Database>(file_in(directory), Database::Mode::kCreate);
  // SQLite stays in another mode where it cannot have this one, and says so only if asked.
  {
    Statement mode(*database, "PRAGMA journal_mode = WAL");
    mode.step();
    if (const std::string now = mode.text(0); now != "wal")
      throw Error({file_in(directory), "journal_mode", "'" + now + "'",
                   "wal: a file system with shared memory, and no other program at work here"});
  }
  database->execute("PRAGMA synchronous = " + options.synchronous);
  create_tables(*database);
  require_ours(*database);
  return std::make_unique<SqliteLog>(std::move(lock), std::move(database), options);
}

std::unique_ptr<LogReader> read_sqlite_log(const std::string& directory) {
  const std::string file = file_in(directory);
  if (!fs::exists(file))
    throw Error({directory, "store", "none", "a directory that armature serve has worked in"});
  auto database = std::make_unique<Database>(file, Database::Mode::kReadWrite);
  require_ours(*database);
  return std::make_unique<SqliteReader>(std::move(database));
}

void back_up_sqlite_log(const std::string& directory, const std::string& target) {
  const std::string file = file_in(directory);
  if (!fs::exists(file))
    throw Error({directory, "store", "none", "a directory that armature serve has worked in"});
  make_private_directory(target);
  if (fs::exists(file_in(target)))
    throw Error({target, "store", "one that is there", "a directory without"});
  Database database(file, Database::Mode::kReadWrite);
  require_ours(database);
  const std::string aside = file_in(target) + ".partial";
  fs::remove(aside);
  make_private_file(aside);
  Statement(database, "VACUUM INTO ?").bind(1, aside).run();
  sync_path(aside);
  fs::rename(aside, file_in(target));
  sync_path(target);
}

}  // namespace armature::service
