#include "study/store.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "armature/error.h"
#include "armature/version.h"

namespace armature {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kApplication = 0x41524d41;  // "ARMA": what `file` calls the database by
constexpr std::int64_t kSchema = 1;

#ifdef __clang__
constexpr const char* kCompiler = __VERSION__;  // names itself
#else
constexpr const char* kCompiler = "GCC " __VERSION__;
#endif

constexpr const char* kTables = R"sql(
CREATE TABLE run(key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE cells(
  cell INTEGER PRIMARY KEY, instance TEXT NOT NULL, policy TEXT NOT NULL, horizon INTEGER NOT NULL,
  instance_label TEXT NOT NULL, policy_label TEXT NOT NULL, role TEXT NOT NULL,
  actions INTEGER NOT NULL, contexts INTEGER NOT NULL, rank INTEGER NOT NULL, gap REAL,
  epsilon REAL NOT NULL, benign INTEGER NOT NULL, fingerprint TEXT NOT NULL,
  parameters TEXT NOT NULL);
CREATE TABLE checkpoints(
  cell INTEGER NOT NULL, checkpoint INTEGER NOT NULL, round INTEGER NOT NULL,
  PRIMARY KEY(cell, checkpoint)) WITHOUT ROWID;
CREATE TABLE replications(
  cell INTEGER NOT NULL, replication INTEGER NOT NULL, regret REAL NOT NULL,
  simple_regret REAL NOT NULL, PRIMARY KEY(cell, replication)) WITHOUT ROWID;
CREATE TABLE curves(
  cell INTEGER NOT NULL, checkpoint INTEGER NOT NULL, replication INTEGER NOT NULL,
  regret REAL NOT NULL, PRIMARY KEY(cell, checkpoint, replication)) WITHOUT ROWID;
CREATE TABLE diagnostics(
  cell INTEGER NOT NULL, name TEXT NOT NULL, checkpoint INTEGER NOT NULL,
  replication INTEGER NOT NULL, value REAL NOT NULL,
  PRIMARY KEY(cell, name, checkpoint, replication)) WITHOUT ROWID;
CREATE TABLE pulls(
  cell INTEGER NOT NULL, arm INTEGER NOT NULL, plays INTEGER NOT NULL,
  PRIMARY KEY(cell, arm)) WITHOUT ROWID;
CREATE TABLE blocks(
  cell INTEGER NOT NULL, first INTEGER NOT NULL, replications INTEGER NOT NULL,
  seconds REAL NOT NULL, PRIMARY KEY(cell, first)) WITHOUT ROWID;
CREATE TABLE summaries(
  cell INTEGER NOT NULL, checkpoint INTEGER NOT NULL, round INTEGER NOT NULL,
  replications INTEGER NOT NULL, mean REAL NOT NULL, variance REAL NOT NULL, least REAL NOT NULL,
  q05 REAL NOT NULL, q25 REAL NOT NULL, median REAL NOT NULL, q75 REAL NOT NULL,
  q95 REAL NOT NULL, most REAL NOT NULL, PRIMARY KEY(cell, checkpoint)) WITHOUT ROWID;
)sql";

std::int64_t number_from(Database& database, const std::string& sql) {
  Statement statement(database, sql);
  return statement.step() ? statement.integer(0) : 0;
}

std::string processor_name() {
  std::ifstream lines("/proc/cpuinfo");
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

std::string run_value(Database& database, const std::string& key) {
  Statement statement(database, "SELECT value FROM run WHERE key = ?");
  statement.bind(1, key);
  return statement.step() ? statement.text(0) : "";
}

void set_run_value(Database& database, const std::string& key, const std::string& value) {
  Statement(database, "INSERT OR REPLACE INTO run VALUES (?, ?)").bind(1, key).bind(2, value).run();
}

nlohmann::json parameters_json(const StudyCell& cell) {
  return {{"instance", cell.instance_parameters}, {"policy", cell.policy_parameters}};
}

void write_cell(Database& database, const StudyCell& cell) {
  Statement row(database, "INSERT OR REPLACE INTO cells VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  row.bind(1, std::int64_t{cell.id}).bind(2, cell.instance).bind(3, cell.policy);
  row.bind(4, static_cast<std::int64_t>(cell.horizon)).bind(5, cell.instance_label);
  row.bind(6, cell.policy_label).bind(7, cell.role).bind(8, std::int64_t{cell.actions});
  row.bind(9, std::int64_t{cell.contexts}).bind(10, std::int64_t{cell.rank});
  if (cell.gap)
    row.bind(11, *cell.gap);
  else
    row.bind_null(11);
  row.bind(12, cell.epsilon).bind(13, std::int64_t{cell.benign ? 1 : 0});
  row.bind(14, fmt::format("{:016x}", cell.fingerprint)).bind(15, parameters_json(cell).dump());
  row.run();
}

void read_parameters(const std::string& text, StudyCell& cell) {
  try {
    const nlohmann::json parameters = nlohmann::json::parse(text);
    parameters.at("instance").get_to(cell.instance_parameters);
    parameters.at("policy").get_to(cell.policy_parameters);
  } catch (const nlohmann::json::exception&) {
    throw Error({"", "cells.parameters", "'" + text + "'", "what armature run writes there"});
  }
}

StudyCell read_cell(const Statement& row) {
  StudyCell cell;
  cell.id = static_cast<std::uint32_t>(row.integer(0));
  cell.instance = row.text(1);
  cell.policy = row.text(2);
  cell.horizon = static_cast<Round>(row.integer(3));
  cell.instance_label = row.text(4);
  cell.policy_label = row.text(5);
  cell.role = row.text(6);
  cell.actions = static_cast<std::uint32_t>(row.integer(7));
  cell.contexts = static_cast<std::uint32_t>(row.integer(8));
  cell.rank = static_cast<std::uint32_t>(row.integer(9));
  if (!row.is_null(10)) cell.gap = row.real(10);
  cell.epsilon = row.real(11);
  cell.benign = row.integer(12) != 0;
  const std::string fingerprint = row.text(13);
  std::from_chars(fingerprint.data(), fingerprint.data() + fingerprint.size(), cell.fingerprint,
                  16);
  read_parameters(row.text(14), cell);
  return cell;
}

StudyPlan read_plan(Database& database) {
  StudyPlan plan;
  plan.study = read_study(run_value(database, "study"), database.path() + ", study");
  Statement rows(database, "SELECT * FROM cells ORDER BY cell");
  while (rows.step()) {
    plan.cells.push_back(read_cell(rows));
    if (plan.cells.back().id + 1 != plan.cells.size())
      throw Error({database.path(), "cells", fmt::format("number {}", plan.cells.back().id),
                   fmt::format("number {}", plan.cells.size() - 1)});
  }
  return plan;
}

// Empty: created but not filled when a run was killed, or not a study's at all.
bool is_empty(Database& database) {
  return number_from(database, "SELECT count(*) FROM sqlite_master") == 0;
}

void require_our_kind(Database& database) {
  if (number_from(database, "PRAGMA application_id") != kApplication)
    throw Error({database.path(), "database", "another program's", "one begun by armature run"});
  const std::int64_t schema = number_from(database, "PRAGMA user_version");
  if (schema != kSchema)
    throw Error({database.path(), "schema version", fmt::format("{}", schema),
                 fmt::format("{}, this armature's; run with the version that began it, or begin "
                             "anew in another directory",
                             kSchema)});
}

void write_plan(Database& database, const StudyPlan& plan) {
  set_run_value(database, "study", write_study(plan.study));
  for (const StudyCell& cell : plan.cells) write_cell(database, cell);
}

void fill(Database& database, const StudyPlan& plan) {
  Transaction transaction(database);
  database.execute(kTables);
  set_run_value(database, "version", version());
  set_run_value(database, "compiler", kCompiler);
  set_run_value(database, "processor", processor_name());
  write_plan(database, plan);
  Statement checkpoint(database, "INSERT INTO checkpoints VALUES (?,?,?)");
  for (const StudyCell& cell : plan.cells) {
    const std::vector<Round> rounds = log_checkpoints(cell.horizon, plan.study.checkpoints);
    for (std::size_t i = 0; i < rounds.size(); ++i)
      checkpoint.bind(1, std::int64_t{cell.id})
          .bind(2, static_cast<std::int64_t>(i))
          .bind(3, static_cast<std::int64_t>(rounds[i]))
          .run();
  }
  database.execute(fmt::format("PRAGMA application_id = {}", kApplication));
  database.execute(fmt::format("PRAGMA user_version = {}", kSchema));
  transaction.commit();
}

[[noreturn]] void refuse(const Database& database, const std::string& field, const std::string& now,
                         const std::string& then) {
  throw Error({database.path(), field, now,
               then + ", as when this study was begun; use another directory for another study"});
}

std::string described(const StudyCell& cell) {
  return fmt::format("{} on {} at T = {}", cell.policy, cell.instance, cell.horizon);
}

// Another version may compute other numbers, and describe studies in other words.
void require_same_version(Database& database) {
  if (run_value(database, "version") != version())
    refuse(database, "version of armature", version(), run_value(database, "version"));
}

// Only what leaves stored results as they are may differ.
void require_same_study(Database& database, const StudyPlan& now, const StudyPlan& then) {
  const auto compare = [&](const std::string& field, const auto& ours, const auto& theirs) {
    if (ours != theirs) refuse(database, field, fmt::format("{}", ours), fmt::format("{}", theirs));
  };
  compare("seed", now.study.seed, then.study.seed);
  compare("checkpoints", now.study.checkpoints, then.study.checkpoints);
  compare("engine", now.study.engine, then.study.engine);
  compare("number of cells", now.cells.size(), then.cells.size());
  for (std::size_t i = 0; i < now.cells.size(); ++i) {
    compare(fmt::format("cell {}", i), described(now.cells[i]), described(then.cells[i]));
    if (now.cells[i].fingerprint != then.cells[i].fingerprint)
      refuse(database, fmt::format("cell {}: instance", i), now.cells[i].instance + ", changed",
             "the same truth behind the name");
  }
  if (now.study.replications < then.study.replications)
    refuse(database, "replications", fmt::format("{}", now.study.replications),
           fmt::format("at least {}", then.study.replications));
}

bool holds_other_files(const std::string& directory) {
  return fs::exists(directory) && !fs::exists(store_path(directory)) && !fs::is_empty(directory);
}

}  // namespace

std::string store_path(const std::string& directory) { return directory + "/study.sqlite"; }

StudyStore::StudyStore(std::unique_ptr<Database> database, StudyPlan plan)
    : database_(std::move(database)), plan_(std::move(plan)) {}

StudyStore StudyStore::begin(const std::string& directory, const StudyPlan& plan) {
  if (holds_other_files(directory))
    throw Error({directory, "directory", "other files", "a new or empty one, or a study's own"});
  auto database = std::make_unique<Database>(store_path(directory), Database::Mode::kCreate);
  const bool fresh = is_empty(*database);
  if (!fresh) {
    require_our_kind(*database);
    require_same_version(*database);
    require_same_study(*database, plan, read_plan(*database));
  }
  // FULL: a committed block survives a power cut, not only the death of the process.
  database->execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
  if (fresh) {
    fill(*database, plan);
  } else {
    Transaction transaction(*database);
    write_plan(*database, plan);
    transaction.commit();
  }
  return {std::move(database), plan};
}

StudyStore StudyStore::read(const std::string& directory) {
  if (!fs::exists(store_path(directory)))
    throw Error({directory, "study", "none", "a directory that armature run has left"});
  auto database = std::make_unique<Database>(store_path(directory), Database::Mode::kReadWrite);
  database->execute("BEGIN");
  if (is_empty(*database))
    throw Error({directory, "study", "one that never began", "run it again"});
  require_our_kind(*database);
  StudyPlan plan = read_plan(*database);
  return {std::move(database), std::move(plan)};
}

RunEnvironment StudyStore::environment() {
  return {run_value(*database_, "version"), run_value(*database_, "compiler"),
          run_value(*database_, "processor")};
}

std::vector<ReplicationRange> StudyStore::missing(std::uint32_t cell) {
  std::vector<ReplicationRange> ranges;
  std::uint32_t expected = 0;
  const auto gap_before = [&](std::uint32_t replication) {
    if (replication > expected) ranges.push_back({expected, replication - expected});
    expected = replication + 1;
  };
  Statement rows(*database_,
                 "SELECT replication FROM replications WHERE cell = ? ORDER BY replication");
  rows.bind(1, std::int64_t{cell});
  while (rows.step()) gap_before(static_cast<std::uint32_t>(rows.integer(0)));
  gap_before(plan_.study.replications);
  return ranges;
}

std::uint64_t StudyStore::stored_replications() {
  return static_cast<std::uint64_t>(number_from(*database_, "SELECT count(*) FROM replications"));
}

struct StudyStore::Insertions {
  explicit Insertions(Database& database)
      : replication(database, "INSERT INTO replications VALUES (?,?,?,?)"),
        curve(database, "INSERT INTO curves VALUES (?,?,?,?)"),
        diagnostic(database, "INSERT INTO diagnostics VALUES (?,?,?,?,?)"),
        pulls(database,
              "INSERT INTO pulls VALUES (?,?,?) ON CONFLICT DO UPDATE SET plays = plays + "
              "excluded.plays"),
        block(database, "INSERT INTO blocks VALUES (?,?,?,?)") {}

  void add(std::int64_t cell, std::int64_t number, const Replication& result) {
    replication.bind(1, cell).bind(2, number).bind(3, result.regret.back());
    replication.bind(4, result.simple_regret).run();
    for (std::size_t i = 0; i < result.regret.size(); ++i) {
      curve.bind(1, cell).bind(2, static_cast<std::int64_t>(i));
      curve.bind(3, number).bind(4, result.regret[i]).run();
    }
    const std::size_t last = result.regret.size() - 1;
    add_diagnostics(cell, number, last, result.diagnostics);
    for (std::size_t i = 0; i < std::min(last, result.shares.size()); ++i)
      add_diagnostics(cell, number, i, result.shares[i]);
  }

  void add_diagnostics(std::int64_t cell, std::int64_t number, std::size_t checkpoint,
                       const Diagnostics& list) {
    for (const Diagnostic& entry : list) {
      diagnostic.bind(1, cell).bind(2, entry.name).bind(3, static_cast<std::int64_t>(checkpoint));
      diagnostic.bind(4, number).bind(5, entry.value).run();
    }
  }

  Statement replication, curve, diagnostic, pulls, block;
};

void StudyStore::add(std::uint32_t cell, std::uint32_t first, const BlockResult& result) {
  if (result.replications.empty()) return;
  std::vector<std::uint64_t> plays(result.replications.front().pulls.size());
  for (const Replication& replication : result.replications)
    for (std::size_t a = 0; a < plays.size(); ++a) plays[a] += replication.pulls[a];

  const std::lock_guard lock(*writing_);
  Transaction transaction(*database_);
  Insertions rows(*database_);
  for (std::size_t i = 0; i < result.replications.size(); ++i)
    rows.add(cell, first + static_cast<std::int64_t>(i), result.replications[i]);
  for (std::size_t a = 0; a < plays.size(); ++a) {
    if (plays[a] == 0) continue;
    rows.pulls.bind(1, std::int64_t{cell}).bind(2, static_cast<std::int64_t>(a));
    rows.pulls.bind(3, static_cast<std::int64_t>(plays[a])).run();
  }
  rows.block.bind(1, std::int64_t{cell}).bind(2, std::int64_t{first});
  rows.block.bind(3, static_cast<std::int64_t>(result.replications.size()));
  rows.block.bind(4, result.seconds).run();
  transaction.commit();
}

void StudyStore::finish() {
  // A reader at work keeps the log; the next run or reader then finds both files.
  try {
    database_->execute("PRAGMA journal_mode = DELETE");
  } catch (const Error&) {
  }
}

}  // namespace armature
