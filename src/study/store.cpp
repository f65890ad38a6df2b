#include "study/store.h"

// The study's record on disk, and all SQL there is. Everything is stored per replication and
// nothing summed but whole numbers, so that blocks, threads and kills leave no trace in what is
// read back.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "armature/error.h"
#include "armature/state.h"
#include "armature/version.h"
#include "base/directory_lease.h"
#include "base/file.h"
#include "base/machine.h"
#include "base/text.h"
#include "lab/planned_cell.h"
#include "study/batch_job.h"
#include "study/build.h"
#include "study/name_json.h"
#include "study/plan.h"
#include "study/read.h"
#include "study/shard_mark.h"
#include "study/shards.h"

namespace armature {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kApplication = 0x41524d41;  // "ARMA": what `file` calls the database by
// Rises with any change to the tables; stand_in then needs views for the one before.
constexpr std::int64_t kSchema = 3;
constexpr std::uint64_t kMostActions = 100'000'000;  // a list of all plays must fit in memory
constexpr const char* kJobFolder = "job";  // in the study's directory: what armature submit writes

// Where shards are merged: beside the store, so that it can be renamed into place.
std::string path_aside(const std::string& directory) { return store_path(directory) + ".merging"; }

#ifdef __clang__
constexpr const char* kCompiler = __VERSION__;  // names itself
#else
constexpr const char* kCompiler = "GCC " __VERSION__;
#endif

// WITHOUT ROWID keeps rows in the order of their primary key, and the keys are chosen by how the
// summary reads: all replications of one checkpoint lie together, in order, and need no sorting.
// `regret` in replications repeats the last point of curves, for paired differences and for
// readers. `gap` is null where there is none, `engine` in stores of schema 1, which cannot say;
// `word` is null but for diagnostics that are names (Diagnostic::word). A fingerprint is text, as
// SQLite's integers are signed.
constexpr const char* kTables = R"sql(
CREATE TABLE run(key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE cells(
  cell INTEGER PRIMARY KEY, instance TEXT NOT NULL, policy TEXT NOT NULL, horizon INTEGER NOT NULL,
  instance_label TEXT NOT NULL, policy_label TEXT NOT NULL, role TEXT NOT NULL,
  actions INTEGER NOT NULL, contexts INTEGER NOT NULL, rank INTEGER NOT NULL, gap REAL,
  epsilon REAL NOT NULL, benign INTEGER NOT NULL, fingerprint TEXT NOT NULL,
  parameters TEXT NOT NULL, delay TEXT NOT NULL, batch INTEGER NOT NULL, loss REAL NOT NULL,
  leap_tolerance REAL NOT NULL, names TEXT NOT NULL);
CREATE TABLE checkpoints(
  cell INTEGER NOT NULL, checkpoint INTEGER NOT NULL, round INTEGER NOT NULL,
  PRIMARY KEY(cell, checkpoint)) WITHOUT ROWID;
CREATE TABLE replications(
  cell INTEGER NOT NULL, replication INTEGER NOT NULL, regret REAL NOT NULL,
  simple_regret REAL NOT NULL, engine TEXT, leap_error REAL,
  PRIMARY KEY(cell, replication)) WITHOUT ROWID;
CREATE TABLE curves(
  cell INTEGER NOT NULL, checkpoint INTEGER NOT NULL, replication INTEGER NOT NULL,
  regret REAL NOT NULL, PRIMARY KEY(cell, checkpoint, replication)) WITHOUT ROWID;
CREATE TABLE diagnostics(
  cell INTEGER NOT NULL, name TEXT NOT NULL, checkpoint INTEGER NOT NULL,
  replication INTEGER NOT NULL, value REAL NOT NULL, word TEXT,
  PRIMARY KEY(cell, name, checkpoint, replication)) WITHOUT ROWID;
CREATE TABLE pulls(
  cell INTEGER NOT NULL, arm INTEGER NOT NULL, plays INTEGER NOT NULL,
  PRIMARY KEY(cell, arm)) WITHOUT ROWID;
CREATE TABLE blocks(
  cell INTEGER NOT NULL, first INTEGER NOT NULL, replications INTEGER NOT NULL,
  seconds REAL NOT NULL, PRIMARY KEY(cell, first)) WITHOUT ROWID;
)sql";

// Schema 1 did not say which engine ran, how outcomes came or what names are made of. Views of the
// same names, seen before the tables, stand in for it: a store is never changed by being looked at.
constexpr const char* kViewsOfFirstSchema = R"sql(
CREATE TEMP VIEW cells AS SELECT *, 'none' AS delay, 1 AS batch, 0.0 AS loss,
  1e-9 AS leap_tolerance, '' AS names FROM main.cells;
CREATE TEMP VIEW replications AS SELECT *, NULL AS engine, NULL AS leap_error
  FROM main.replications;
)sql";

// Schemas 1 and 2 did not say which diagnostics are names. There was one.
constexpr const char* kViewsOfSecondSchema = R"sql(
CREATE TEMP VIEW diagnostics AS SELECT *, CASE WHEN name = 'rejection_action'
  THEN CAST(CAST(value AS INTEGER) AS TEXT) END AS word FROM main.diagnostics;
)sql";

void stand_in(Database& database, std::int64_t schema) {
  if (schema < 2) database.execute(kViewsOfFirstSchema);
  if (schema < 3) database.execute(kViewsOfSecondSchema);
}

// What an export holds of the store: a file, its columns in order, and where the rows come from.
// The type of a column: text, integer or real.
struct Column {
  const char* name;
  char type;
};
struct ExportedTable {
  const char* file;
  bool always;  // or only where it is asked for: it may be many times as long as all others
  std::vector<Column> columns;
  const char* rows;  // after SELECT …: FROM and ORDER BY
};

// Every query says its order, as an export must be the same bytes however the study was run. Left
// out for the same reason: computing times. Fingerprints and names are for armature alone.
const std::vector<ExportedTable>& exported_tables() {
  static const std::vector<ExportedTable> tables = {
      {"cells.csv",
       true,
       {{"cell", 'i'},
        {"instance", 't'},
        {"policy", 't'},
        {"horizon", 'i'},
        {"instance_label", 't'},
        {"policy_label", 't'},
        {"role", 't'},
        {"actions", 'i'},
        {"contexts", 'i'},
        {"rank", 'i'},
        {"gap", 'r'},
        {"epsilon", 'r'},
        {"benign", 'i'},
        {"parameters", 't'},
        {"delay", 't'},
        {"batch", 'i'},
        {"loss", 'r'},
        {"leap_tolerance", 'r'}},
       "FROM cells ORDER BY cell"},
      {"replications.csv",
       true,
       {{"cell", 'i'},
        {"replication", 'i'},
        {"regret", 'r'},
        {"simple_regret", 'r'},
        {"engine", 't'},
        {"leap_error", 'r'}},
       "FROM replications ORDER BY cell, replication"},
      {"pulls.csv",
       true,
       {{"cell", 'i'}, {"arm", 'i'}, {"plays", 'i'}},
       "FROM pulls ORDER BY cell, arm"},
      {"replication_curves.csv",
       false,
       {{"cell", 'i'}, {"round", 'i'}, {"replication", 'i'}, {"regret", 'r'}},
       "FROM curves NATURAL JOIN checkpoints ORDER BY cell, checkpoint, replication"},
      {"diagnostics.csv",
       true,
       {{"cell", 'i'},
        {"name", 't'},
        {"round", 'i'},
        {"replication", 'i'},
        {"value", 'r'},
        {"word", 't'}},
       "FROM diagnostics NATURAL JOIN checkpoints ORDER BY cell, name, checkpoint, replication"},
  };
  return tables;
}

// Whole numbers as such, reals so that they read back the same, nothing for null.
std::string csv_value(const Statement& row, const Column& column) {
  if (row.is_null(column.name)) return "";
  if (column.type == 'i') return fmt::format("{}", row.integer(column.name));
  if (column.type == 'r') return print_real(row.real(column.name));
  return csv_field(row.text(column.name));
}

std::int64_t number_from(Database& database, const std::string& sql) {
  Statement statement(database, sql);
  return statement.step() ? statement.integer(0) : 0;
}

// For the report's words on where a study was run. Where there is no such file, "unknown" will do.
std::string processor_name() {
  std::ifstream lines("/proc/cpuinfo");
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

// Empty for a key that is not there, which no version and no study is.
std::string run_value(Database& database, const std::string& key) {
  Statement statement(database, "SELECT value FROM run WHERE key = :key");
  statement.bind(":key", key);
  return statement.step() ? statement.text("value") : "";
}

void set_run_value(Database& database, const std::string& key, const std::string& value) {
  Statement(database, "INSERT OR REPLACE INTO run(key, value) VALUES (:key, :value)")
      .bind(":key", key)
      .bind(":value", value)
      .run();
}

void remove_run_value(Database& database, const std::string& key) {
  Statement(database, "DELETE FROM run WHERE key = :key").bind(":key", key).run();
}

using Json = nlohmann::json;

// For readers of the database: what varies, as it was written. armature itself reads `names`.
Json parameters_json(const PlannedCell& cell) {
  WrittenValues of_instance = cell.instance_name.varied;
  for (const auto& condition : cell.instance_name.conditions) of_instance.push_back(condition);
  return {{"instance", of_instance}, {"policy", cell.policy_name.varied}};
}

std::string names_text(const PlannedName& instance, const PlannedName& policy) {
  return Json{{"instance", name_json(instance)}, {"policy", name_json(policy)}}.dump();
}

// Replaces: a run that goes on may bring new labels and roles for cells that are there.
void write_cell(Database& database, const PlannedCell& cell) {
  Statement row(database,
                "INSERT OR REPLACE INTO cells(cell, instance, policy, horizon, instance_label, "
                "policy_label, role, actions, contexts, rank, gap, epsilon, benign, fingerprint, "
                "parameters, delay, batch, loss, leap_tolerance, names) VALUES (:cell, :instance, "
                ":policy, :horizon, :instance_label, :policy_label, :role, :actions, :contexts, "
                ":rank, :gap, :epsilon, :benign, :fingerprint, :parameters, :delay, :batch, :loss, "
                ":leap_tolerance, :names)");
  row.bind(":cell", std::int64_t{cell.id});
  row.bind(":instance", cell.instance).bind(":policy", cell.policy);
  row.bind(":horizon", static_cast<std::int64_t>(cell.horizon));
  row.bind(":instance_label", cell.instance_label).bind(":policy_label", cell.policy_label);
  row.bind(":role", cell.role);
  row.bind(":actions", std::int64_t{cell.actions}).bind(":contexts", std::int64_t{cell.contexts});
  row.bind(":rank", std::int64_t{cell.rank}).bind(":gap", cell.gap);
  row.bind(":epsilon", cell.epsilon).bind(":benign", std::int64_t{cell.benign ? 1 : 0});
  row.bind(":fingerprint", fmt::format("{:016x}", cell.fingerprint));
  row.bind(":parameters", parameters_json(cell).dump());
  row.bind(":delay", cell.feedback.delay_text());
  row.bind(":batch", static_cast<std::int64_t>(cell.feedback.batch));
  row.bind(":loss", cell.feedback.loss).bind(":leap_tolerance", cell.leap_tolerance);
  row.bind(":names", names_text(cell.instance_name, cell.policy_name));
  row.run();
}

void read_names(const std::string& text, PlannedCell& cell) {
  if (text.empty()) return;  // schema 1
  try {
    const Json names = Json::parse(text);
    cell.instance_name = name_from(names.at("instance"));
    cell.policy_name = name_from(names.at("policy"));
  } catch (const Json::exception&) {
    throw Error({"", "cells.names", "'" + text + "'", "what armature run writes there"});
  }
}

// Anyone may have edited the database: a number that could not be is an Error, not an abort later.
template <class Whole>
Whole whole(const Database& database, const Statement& row, const char* column,
            std::uint64_t least = 0, std::uint64_t most = std::numeric_limits<Whole>::max()) {
  const std::int64_t value = row.integer(column);
  if (value < 0 || static_cast<std::uint64_t>(value) < least ||
      static_cast<std::uint64_t>(value) > most)
    throw Error({database.path(), std::string("column ") + column, fmt::format("{}", value),
                 fmt::format("a number from {} to {}", least, most)});
  return static_cast<Whole>(value);
}

PlannedCell read_cell(const Database& database, const Statement& row) {
  PlannedCell cell;
  cell.id = whole<std::uint32_t>(database, row, "cell");
  cell.instance = row.text("instance");
  cell.policy = row.text("policy");
  cell.horizon = whole<Round>(database, row, "horizon", 1, kLongestHorizon);
  cell.instance_label = row.text("instance_label");
  cell.policy_label = row.text("policy_label");
  cell.role = row.text("role");
  cell.actions = whole<std::uint32_t>(database, row, "actions", 1, kMostActions);
  cell.contexts = whole<std::uint32_t>(database, row, "contexts", 1);
  cell.rank = whole<std::uint32_t>(database, row, "rank");
  if (!row.is_null("gap")) cell.gap = row.real("gap");
  cell.epsilon = row.real("epsilon");
  cell.benign = row.integer("benign") != 0;
  const std::string fingerprint = row.text("fingerprint");
  std::from_chars(fingerprint.data(), fingerprint.data() + fingerprint.size(), cell.fingerprint,
                  16);
  cell.feedback = Feedback::parse_delay(row.text("delay"));
  cell.feedback.batch = whole<Round>(database, row, "batch", 1);
  cell.feedback.loss = row.real("loss");
  cell.leap_tolerance = row.real("leap_tolerance");
  check_conditions(cell.feedback, cell.leap_tolerance);
  read_names(row.text("names"), cell);
  return cell;
}

// Names are made of what the study says alone: where a store does not hold them, they are told
// again, in the order of the plan.
void name_again(StudyPlan& plan, const std::string& path) {
  const auto names = planned_names(plan.study);
  if (names.size() != plan.cells.size())
    throw Error({path, "cells", fmt::format("{}", plan.cells.size()),
                 fmt::format("{}, as the study there has", names.size())});
  for (PlannedCell& cell : plan.cells) {
    cell.instance_name = names[cell.id].first;
    cell.policy_name = names[cell.id].second;
  }
}

constexpr const char* kAcceleratorKey = "accelerator";  // what computed beside the processor

// Keys of `run` that only shards have, and what is made of them.
constexpr const char* kShardKey = "shard";      // which one: "3/40"
constexpr const char* kBuildKey = "build";      // by which build of armature
constexpr const char* kMarkKey = "mark";        // what all shards of a study have in common
constexpr const char* kSealKey = "seal";        // it is finished: a digest of its results
constexpr const char* kPartialKey = "partial";  // merged of shards that were not all finished

// A row of `run` for each, beside the study they belong to: older versions pass them over.
constexpr const char* kFileKey = "file:";

FileTable read_files(Database& database) {
  FileTable files;
  Statement rows(database, "SELECT key, value FROM run");
  while (rows.step())
    if (const std::string key = rows.text("key"); key.starts_with(kFileKey))
      files.emplace(key.substr(std::string(kFileKey).size()), rows.text("value"));
  return files;
}

Study read_study_in(Database& database) {
  return read_stored_study(run_value(database, "study"), database.path() + ", study",
                           read_files(database));
}

StudyPlan read_plan(Database& database) {
  StudyPlan plan;
  plan.study = read_study_in(database);
  Statement rows(database, "SELECT * FROM cells ORDER BY cell");
  bool named = true;
  while (rows.step()) {
    plan.cells.push_back(read_cell(database, rows));
    named = named && !rows.text("names").empty();
    // Ids serve as places in lists everywhere: a hole would make them those of other cells.
    if (plan.cells.back().id + 1 != plan.cells.size())
      throw Error({database.path(), "cells", fmt::format("number {}", plan.cells.back().id),
                   fmt::format("number {}", plan.cells.size() - 1)});
  }
  if (plan.cells.empty()) throw Error({database.path(), "cells", "none", "those of the study"});
  if (!named) name_again(plan, database.path());
  return plan;
}

// Empty: created but not filled when a run was killed, or not a study's at all. There is nothing
// between: tables and plan are written in one transaction.
bool is_empty(Database& database) {
  return number_from(database, "SELECT count(*) FROM sqlite_master") == 0;
}

// Asked before anything is written: a database of another program that happens to have the name
// must stay as it is.
void require_our_kind(Database& database) {
  if (number_from(database, "PRAGMA application_id") != kApplication)
    throw Error({database.path(), "database", "another program's", "one begun by armature run"});
  const std::int64_t schema = number_from(database, "PRAGMA user_version");
  if (schema < 1 || schema > kSchema)
    throw Error({database.path(), "schema version", fmt::format("{}", schema),
                 fmt::format("at most {}, this armature's; read it with the version that wrote it, "
                             "or run the study again into another directory",
                             kSchema)});
}

// Said here, and not by whoever happens to ask for what is gone.
void require_tables(Database& database) {
  Statement table(database, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = :name");
  for (const char* name : {"run", "cells", "checkpoints", "replications", "curves", "diagnostics",
                           "pulls", "blocks"}) {
    table.bind(":name", std::string(name));
    bool there = false;
    while (table.step()) there = true;
    if (!there)
      throw Error({database.path(), "tables", fmt::format("no {}", name),
                   "those that armature run makes (docs/formats.md)"});
  }
}

// With its study as TOML and the files that it names: a store can be read, reported and reproduced
// without the files it came from.
void write_plan(Database& database, const StudyPlan& plan) {
  set_run_value(database, "study", write_study(plan.study));
  for (const auto& [path, content] : plan.study.files)
    set_run_value(database, kFileKey + path, content);
  for (const PlannedCell& cell : plan.cells) write_cell(database, cell);
}

// One transaction, with both pragmas in it: a database has all of this or is_empty.
void fill(Database& database, const StudyPlan& plan, std::optional<Shard> shard = std::nullopt) {
  Transaction transaction(database);
  database.execute(kTables);
  if (shard) {
    set_run_value(database, kShardKey, shard_text(*shard));
    set_run_value(database, kBuildKey, build());
    set_run_value(database, kMarkKey, study_mark(plan));
  }
  set_run_value(database, "version", version());
  set_run_value(database, "compiler", kCompiler);
  set_run_value(database, "processor", processor_name());
  write_plan(database, plan);
  Statement checkpoint(
      database,
      "INSERT INTO checkpoints(cell, checkpoint, round) VALUES (:cell, :checkpoint, :round)");
  for (const PlannedCell& cell : plan.cells) {
    const std::vector<Round> rounds = log_checkpoints(cell.horizon, plan.study.checkpoints);
    for (std::size_t i = 0; i < rounds.size(); ++i)
      checkpoint.bind(":cell", std::int64_t{cell.id})
          .bind(":checkpoint", static_cast<std::int64_t>(i))
          .bind(":round", static_cast<std::int64_t>(rounds[i]))
          .run();
  }
  database.execute(fmt::format("PRAGMA application_id = {}", kApplication));
  database.execute(fmt::format("PRAGMA user_version = {}", kSchema));
  transaction.commit();
}

constexpr const char* kAsBegun =
    ", as when this study was begun; use another directory for another study";
[[noreturn]] void refuse(const Database& database, const std::string& field, const std::string& now,
                         const std::string& then) {
  throw Error({database.path(), field, now, then + kAsBegun});
}

// What decides a cell's numbers, and no label: as it is compared, so it is printed.
std::string described(const PlannedCell& cell) {
  return fmt::format("{} on {} at T = {}, {}, leap tolerance {}", cell.policy, cell.instance,
                     cell.horizon, cell.feedback.describe(), cell.leap_tolerance);
}

// Another version may compute other numbers, and describe studies in other words.
void require_same_version(Database& database) {
  if (run_value(database, "version") != version())
    refuse(database, "version of armature", version(), run_value(database, "version"));
}

// A shard holds its own part and nothing else, whoever is told to run here.
void require_same_part(Database& database, std::optional<Shard> now) {
  const std::string then = run_value(database, kShardKey);
  const auto words = [](const std::string& shard) { return shard.empty() ? "all of it" : shard; };
  const std::string mine = now ? shard_text(*now) : "";
  if (mine != then) refuse(database, "shard", words(mine), words(then));
}

// The version alone does not tell what is between two releases, and shards are computed on machines
// that nobody looks at.
void require_same_build(Database& database) {
  const std::string then = run_value(database, kBuildKey);
  if (then != build())
    throw Error({database.path(), "build of armature", build(),
                 (then.empty() ? "unknown" : then) +
                     ", as when this shard was begun: one build for all shards"});
}

// An older store is read as it is, but rows can be added to its own tables alone.
void require_this_schema(Database& database) {
  const std::int64_t schema = number_from(database, "PRAGMA user_version");
  if (schema != kSchema)
    refuse(database, "schema version", fmt::format("{}", kSchema), fmt::format("{}", schema));
}

std::string search_words(const Study& study) {
  return study.search ? fmt::format("{} replications", study.search->replications) : "none";
}

// More replications of the search might choose other cells.
void require_same_stages(Database& database, const Study& now, const Study& then) {
  if (search_words(now) != search_words(then))
    refuse(database, "search", search_words(now), search_words(then));
}

// Only what leaves stored results as they are may differ: words, labels, roles, figures, verdicts;
// more replications; and max_events, which gives a replication up but never alters one.
std::optional<StudyDifference> difference_in_results(const StudyPlan& now, const StudyPlan& then) {
  std::optional<StudyDifference> found;
  const auto compare = [&](const std::string& field, const auto& ours, const auto& theirs) {
    if (!found && ours != theirs)
      found = {field, fmt::format("{}", ours), fmt::format("{}", theirs)};
  };
  compare("seed", now.study.seed, then.study.seed);
  compare("checkpoints", now.study.checkpoints, then.study.checkpoints);
  compare("engine", engine_of_results(now.study), engine_of_results(then.study));
  compare("search", search_words(now.study), search_words(then.study));
  // By their bytes: what is kept is what was played. Which files a study names its cells tell, and
  // stores of before files were kept have only the cells.
  for (const auto& [path, content] : now.study.files)
    if (const auto kept = then.study.files.find(path);
        !found && kept != then.study.files.end() && kept->second != content)
      found = {"file " + path, "another content", "the content it had"};
  compare("number of cells", now.cells.size(), then.cells.size());
  for (std::size_t i = 0; !found && i < now.cells.size(); ++i) {
    compare(fmt::format("cell {}", i), described(now.cells[i]), described(then.cells[i]));
    // The text may name a file, whose contents are not in it.
    if (!found && now.cells[i].fingerprint != then.cells[i].fingerprint)
      found = {fmt::format("cell {}: instance", i), now.cells[i].instance + ", changed",
               "the same truth behind the name"};
  }
  return found;
}

void require_same_study(Database& database, const StudyPlan& now, const StudyPlan& then) {
  if (const auto found = difference_in_results(now, then))
    refuse(database, found->field, found->now, found->then);
  // Fewer would leave stored replications that the study does not ask for, and that summaries would
  // count all the same.
  if (now.study.replications < then.study.replications)
    refuse(database, "replications", fmt::format("{}", now.study.replications),
           fmt::format("at least {}", then.study.replications));
}

// Of what is cut into shards nothing may grow: which replications belong to whom goes by their
// number.
void require_same_cut(Database& database, const StudyPlan& now, const StudyPlan& then) {
  if (const auto found = study_difference(now, then))
    refuse(database, found->field, found->now, found->then);
}

// A mistyped --out must not put a database among somebody's files. The search of a study that has
// one is its own, and so are the lease of a run, what a merge that was killed has left, and what
// armature submit writes.
bool holds_other_files(const std::string& directory, const Study& study) {
  std::error_code ignored;
  if (!fs::exists(directory, ignored) || StudyStore::exists(directory)) return false;
  for (const auto& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    const bool own = DirectoryLease::is_lease_file(name) || name == kJobFolder ||
                     entry.path().filename() == fs::path(path_aside(directory)).filename() ||
                     (study.search && entry.path().string() == search_path(directory));
    if (!own) return true;
  }
  return false;
}

// What begins in shards goes on in shards, and ends as a study that anyone may go on with.
void require_no_shards(const std::string& directory) {
  if (!StudyStore::exists(directory) && shard_count(directory))
    throw Error(
        {directory, "directory", "shards that are not merged",
         "another directory, or what armature merge " + shell_word(directory) + " leaves there"});
}

void require_own_directory(const std::string& directory, const Study& study) {
  require_no_shards(directory);
  if (holds_other_files(directory, study))
    throw Error({directory, "directory", "other files", "a new or empty one, or a study's own"});
}

}  // namespace

std::optional<StudyDifference> study_difference(const StudyPlan& now, const StudyPlan& then) {
  if (auto found = difference_in_results(now, then)) return found;
  if (now.study.replications == then.study.replications) return std::nullopt;
  return StudyDifference{"replications", fmt::format("{}", now.study.replications),
                         fmt::format("{}", then.study.replications)};
}

std::string store_path(const std::string& directory) { return directory + "/study.sqlite"; }
std::string search_path(const std::string& directory) { return directory + "/search"; }

namespace {

// On a network's file system alone: with nobody beside us SQLite keeps in its own memory what it
// would otherwise share.
std::unique_ptr<Database> open_store(const std::string& directory, Database::Mode mode) {
  auto database = std::make_unique<Database>(store_path(directory), mode);
  if (on_network_file_system(directory)) database->execute("PRAGMA locking_mode = EXCLUSIVE");
  return database;
}

}  // namespace

StudyStore::StudyStore(std::unique_ptr<Database> database, StudyPlan plan,
                       std::function<void()> guard)
    : database_(std::move(database)), plan_(std::move(plan)), guard_(std::move(guard)) {}

StudyStore StudyStore::begin(const std::string& directory, const StudyPlan& plan,
                             std::function<void()> guard, std::optional<Shard> shard) {
  require_own_directory(directory, plan.study);
  // Before it is opened, too: that alone may make files, and closing it may move its log.
  if (guard) guard();
  StudyStore store(open_store(directory, Database::Mode::kCreate), plan, std::move(guard));
  Database* const database = store.database_.get();
  const bool fresh = is_empty(*database);
  // In this order, so that nothing is ever written to a store of another program or version.
  if (!fresh) {
    require_our_kind(*database);
    require_same_version(*database);
    require_this_schema(*database);
    require_tables(*database);
    require_same_part(*database, shard);
    if (shard) require_same_build(*database);
    (shard ? require_same_cut : require_same_study)(*database, plan, read_plan(*database));
  }
  // WAL: readers see a view of their own while blocks are added, and neither waits for the other.
  // FULL: a committed block survives a power cut, not only the death of the process.
  store.require_mine();
  database->execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
  store.require_mine();
  if (fresh) {
    fill(*database, plan, shard);
  } else {
    Transaction transaction(*database);
    write_plan(*database, plan);
    // From here on it is a run's own: what is merged once more would be without what is added.
    remove_run_value(*database, kPartialKey);
    transaction.commit();
  }
  return store;
}

// What cannot even be asked for (a name too long, a folder that may not be entered) is not there.
bool StudyStore::exists(const std::string& directory) {
  std::error_code ignored;
  return fs::exists(store_path(directory), ignored);
}

bool StudyStore::has_begun(const std::string& directory) {
  if (!exists(directory)) return false;
  return !is_empty(*open_store(directory, Database::Mode::kReadWrite));
}

bool StudyStore::only_searched(const std::string& directory) {
  // Killed between the stages: a file is there, but nothing in it.
  return exists(search_path(directory)) && !has_begun(directory);
}

void StudyStore::require_shared(const std::string& directory) {
  const auto refuse_to_look = [&](const DirectoryLease::Holder& holder, const char* where) {
    throw Error({directory, "study", holder_words(holder) + " at work in it" + where,
                 "one that is not at work; armature status tells how far it is"});
  };
  if (const auto holder = DirectoryLease::holder_elsewhere(directory))
    refuse_to_look(*holder, ", on another machine");
  if (!on_network_file_system(directory)) return;
  // What another machine has left that is no more, is nobody's.
  if (const auto holder = DirectoryLease::holder(directory); holder && holder->here)
    refuse_to_look(*holder, ", on a network's file system");
}

namespace {

// The study that a store holds, if it is one of this version that has begun.
std::optional<Study> study_in(Database& database) {
  if (is_empty(database)) return std::nullopt;
  require_our_kind(database);
  require_same_version(database);
  return read_study_in(database);
}

}  // namespace

void StudyStore::require_place_for_shards(const std::string& directory, const Study& study) {
  const auto begun = [&] {
    std::error_code ignored;
    return fs::exists(shards_path(directory), ignored) ||
           (study.search && fs::exists(shards_path(search_path(directory)), ignored));
  };
  // In this order: another shard may begin in between, and what it makes is nobody else's.
  if (holds_other_files(directory, study) && !begun())
    throw Error({directory, "directory", "other files", "a new or empty one, or a study's own"});
}

StudyStore::Merged StudyStore::merged(const std::string& directory, const StudyPlan& plan) {
  if (!has_begun(directory)) return Merged::kNot;
  const auto opened = open_store(directory, Database::Mode::kReadWrite);
  Database& database = *opened;
  require_our_kind(database);
  require_same_version(database);
  require_this_schema(database);
  require_tables(database);
  require_same_part(database, std::nullopt);
  require_same_cut(database, plan, read_plan(database));
  if (!run_value(database, kPartialKey).empty()) return Merged::kInPart;
  const std::uint64_t total = std::uint64_t{plan.study.replications} * plan.cells.size();
  const auto stored =
      static_cast<std::uint64_t>(number_from(database, "SELECT count(*) FROM replications"));
  if (stored != total)
    throw Error({directory, "directory",
                 fmt::format("a study that armature run has begun here without shards ({} of {} "
                             "replications)",
                             stored, total),
                 "another directory for shards; armature run goes on with this one"});
  return Merged::kWhole;
}

StudyStore::Standing StudyStore::standing(const std::string& directory) {
  if (!has_begun(directory)) return Standing::kNone;
  const auto opened = open_store(directory, Database::Mode::kReadWrite);
  require_our_kind(*opened);
  require_tables(*opened);
  if (!run_value(*opened, kPartialKey).empty()) return Standing::kInPart;
  const std::uint64_t total =
      read_study_in(*opened).replications *
      static_cast<std::uint64_t>(number_from(*opened, "SELECT count(*) FROM cells"));
  const auto stored =
      static_cast<std::uint64_t>(number_from(*opened, "SELECT count(*) FROM replications"));
  return stored < total ? Standing::kRun : Standing::kWhole;
}

void StudyStore::require_same_search(const std::string& directory, const Study& study,
                                     bool in_shards) {
  if (in_shards)
    require_place_for_shards(directory, study);
  else
    require_own_directory(directory, study);
  if (exists(directory)) {
    const auto database = open_store(directory, Database::Mode::kReadWrite);
    if (const auto then = study_in(*database)) require_same_stages(*database, study, *then);
  }
  // All else is found by the search's own store; but of the seed it knows only what became of it.
  if (exists(search_path(directory))) {
    const auto database = open_store(search_path(directory), Database::Mode::kReadWrite);
    const auto then = study_in(*database);
    if (then && then->seed != search_seed(study.seed))
      refuse(*database, "seed", fmt::format("{}", study.seed),
             fmt::format("{}", search_seed(then->seed)));
  }
}

StudyStore StudyStore::read(const std::string& directory) {
  require_shared(directory);
  return read_held(directory);
}

StudyStore StudyStore::read_held(const std::string& directory) {
  if (only_searched(directory))
    throw Error({directory, "study", "its search alone",
                 "a finished search; the same armature run goes on with it, and " +
                     search_path(directory) + " can be looked at"});
  if (!exists(directory) && (shard_count(directory) || shard_count(search_path(directory))))
    throw Error({directory, "study", "shards that are not merged",
                 "what armature merge " + shell_word(directory) + " makes of them"});
  if (!exists(directory))
    throw Error({directory, "study", "none", "a directory that armature run has left"});
  // Read-write: a killed run leaves a log, and only a writer can bring it in.
  auto database = open_store(directory, Database::Mode::kReadWrite);
  if (is_empty(*database))
    throw Error({directory, "study", "one that never began", "run it again"});
  require_our_kind(*database);
  require_tables(*database);
  stand_in(*database, number_from(*database, "PRAGMA user_version"));
  // A transaction that is never committed: from its first read on, SQLite shows one state of the
  // database, until it is closed.
  database->execute("BEGIN");
  StudyPlan plan = read_plan(*database);
  return {std::move(database), std::move(plan), {}};
}

FileTable stored_files(const std::string& directory) {
  try {
    StudyStore::require_shared(directory);
    return StudyStore::read(StudyStore::only_searched(directory) ? search_path(directory)
                                                                 : directory)
        .plan()
        .study.files;
  } catch (const Error&) {
    return {};
  }
}

FileTable stored_files(const std::string& directory, Shard shard) {
  FileTable files = stored_files(shard_path(directory, shard));
  return files.empty() ? stored_files(shard_path(search_path(directory), shard)) : files;
}

std::string StudyStore::shard_mark() { return run_value(*database_, kMarkKey); }

std::string StudyStore::shard_build() {
  const std::string build = run_value(*database_, kBuildKey);
  return build.empty() ? "unknown" : build;
}

RunEnvironment StudyStore::environment() {
  return {run_value(*database_, "version"), run_value(*database_, "compiler"),
          run_value(*database_, "processor"), run_value(*database_, kAcceleratorKey)};
}

// --- Reading -------------------------------------------------------------------------------------

std::vector<ReplicationRange> StudyStore::missing(std::uint32_t cell) {
  // Found from the rows of replications alone, not from blocks: what is not there whole is missing.
  std::vector<ReplicationRange> ranges;
  std::uint32_t expected = 0;
  const auto gap_before = [&](std::uint32_t replication) {
    if (replication > expected) ranges.push_back({expected, replication - expected});
    expected = replication + 1;
  };
  Statement rows(*database_,
                 "SELECT replication FROM replications WHERE cell = :cell ORDER BY replication");
  rows.bind(":cell", std::int64_t{cell});
  while (rows.step())
    gap_before(whole<std::uint32_t>(*database_, rows, "replication", expected,
                                    plan_.study.replications - 1));
  // The number after the last closes the last gap.
  gap_before(plan_.study.replications);
  return ranges;
}

std::uint64_t StudyStore::stored_replications() {
  return static_cast<std::uint64_t>(number_from(*database_, "SELECT count(*) FROM replications"));
}

std::vector<std::uint32_t> StudyStore::replications_per_cell() {
  std::vector<std::uint32_t> counts(plan_.cells.size());
  Statement rows(*database_, "SELECT cell, count(*) AS stored FROM replications GROUP BY cell");
  while (rows.step())
    counts[whole<std::uint32_t>(*database_, rows, "cell", 0, counts.size() - 1)] =
        whole<std::uint32_t>(*database_, rows, "stored", 1, plan_.study.replications);
  return counts;
}

void StudyStore::require_whole(const Results& results) {
  const std::vector<std::uint32_t> stored = replications_per_cell();
  for (const CellSummary& summary : results.cells)
    for (const CurvePoint& point : summary.curve)
      if (point.regret.count != stored[summary.cell.id])
        throw Error({database_->path(), "curves",
                     fmt::format("{} replications of cell {} at round {}", point.regret.count,
                                 summary.cell.id, point.round),
                     fmt::format("{}, as in replications", stored[summary.cell.id])});
}

std::vector<Round> StudyStore::checkpoints(std::uint32_t cell) {
  std::vector<Round> rounds;
  Statement rows(*database_,
                 "SELECT round FROM checkpoints WHERE cell = :cell ORDER BY checkpoint");
  rows.bind(":cell", std::int64_t{cell});
  const Round horizon = plan_.cells.at(cell).horizon;
  while (rows.step())
    rounds.push_back(
        whole<Round>(*database_, rows, "round", rounds.empty() ? 1 : rounds.back() + 1, horizon));
  if (rounds.empty() || rounds.back() != horizon)
    throw Error({database_->path(), "checkpoints", fmt::format("no end of cell {}", cell),
                 fmt::format("its horizon {}", horizon)});
  return rounds;
}

namespace {

// The one column of every row, handed over in turn.
void hand_over(Statement& rows, const Recorder::Values& each) {
  while (rows.step()) each(rows.real(0));
}

}  // namespace

void StudyStore::regrets(std::uint32_t cell, std::size_t checkpoint, Order order,
                         const Values& each) {
  Statement rows(*database_,
                 std::string("SELECT regret FROM curves WHERE cell = :cell AND checkpoint = "
                             ":checkpoint ORDER BY ") +
                     (order == Order::kOfSize ? "regret" : "replication"));
  rows.bind(":cell", std::int64_t{cell}).bind(":checkpoint", static_cast<std::int64_t>(checkpoint));
  hand_over(rows, each);
}

void StudyStore::differences(std::uint32_t first, std::uint32_t second, Order order,
                             const Values& each) {
  Statement rows(*database_,
                 std::string("SELECT a.regret - b.regret AS difference FROM replications a JOIN "
                             "replications b ON a.replication = b.replication WHERE a.cell = "
                             ":first AND b.cell = :second ORDER BY ") +
                     (order == Order::kOfSize ? "difference" : "a.replication"));
  rows.bind(":first", std::int64_t{first}).bind(":second", std::int64_t{second});
  hand_over(rows, each);
}

void StudyStore::simple_regrets(std::uint32_t cell, const Values& each) {
  Statement rows(*database_,
                 "SELECT simple_regret FROM replications WHERE cell = :cell ORDER BY replication");
  rows.bind(":cell", std::int64_t{cell});
  hand_over(rows, each);
}

void StudyStore::diagnostics(std::uint32_t cell, const NotedValues& each) {
  Statement rows(*database_,
                 "SELECT name, checkpoint, value, word FROM diagnostics WHERE cell = :cell "
                 "ORDER BY name, checkpoint, replication");
  rows.bind(":cell", std::int64_t{cell});
  while (rows.step())
    each({rows.text("name"), rows.real("value"), rows.text("word")},
         static_cast<std::size_t>(rows.integer("checkpoint")));
}

std::vector<std::uint64_t> StudyStore::pulls(const PlannedCell& cell) {
  // Arms that were never played have no row.
  std::vector<std::uint64_t> pulls(cell.actions);
  Statement rows(*database_, "SELECT arm, plays FROM pulls WHERE cell = :cell");
  rows.bind(":cell", std::int64_t{cell.id});
  while (rows.step())
    pulls[whole<std::uint32_t>(*database_, rows, "arm", 0, cell.actions - 1)] =
        whole<std::uint64_t>(*database_, rows, "plays");
  return pulls;
}

// Descending, as "step" comes before "leap" in what is printed. Stores of schema 1 cannot say.
Recorder::Engines StudyStore::engines(std::uint32_t cell) {
  Engines engines;
  Statement rows(*database_,
                 "SELECT engine, max(leap_error) AS error FROM replications WHERE cell = :cell AND "
                 "engine IS NOT NULL GROUP BY engine ORDER BY engine DESC");
  rows.bind(":cell", std::int64_t{cell});
  while (rows.step()) {
    engines.names.push_back(rows.text("engine"));
    engines.largest_error = std::max(engines.largest_error, rows.real("error"));
  }
  return engines;
}

double StudyStore::seconds(std::uint32_t cell) {
  // total, not sum: 0 and not null where there is no block.
  Statement row(*database_, "SELECT total(seconds) FROM blocks WHERE cell = :cell");
  row.bind(":cell", std::int64_t{cell});
  return row.step() ? row.real(0) : 0;
}

void StudyStore::export_tables(const std::string& folder, bool every_curve) {
  for (const ExportedTable& table : exported_tables()) {
    if (!table.always && !every_curve) continue;
    std::vector<std::string> names;
    for (const Column& column : table.columns) names.emplace_back(column.name);
    FileWriter file(folder + "/" + table.file);
    file.write(join(names, ",") + "\n");
    Statement rows(*database_, "SELECT " + join(names, ", ") + " " + table.rows);
    while (rows.step()) {
      std::vector<std::string> values;
      for (const Column& column : table.columns) values.push_back(csv_value(rows, column));
      file.write(join(values, ",") + "\n");
    }
    file.commit();
  }
}

// --- Writing -------------------------------------------------------------------------------------

// Inserts rows that share their first values, many by one statement: half of what a row costs is
// beginning and ending the statement.
class StudyStore::RowInserter {
 public:
  /// `columns` with the table, as in INSERT INTO: of these the first `shared` are the same for all
  /// rows, `own` are each row's.
  RowInserter(Database& database, const std::string& columns, int shared, int own, bool many)
      : shared_(shared), own_(own), one_(database, statement(columns, 1)) {
    if (many) many_.emplace(database, statement(columns, kRowsAtOnce));
  }

  template <class Value>
  void share(int place, const Value& value) {
    one_.bind(place, value);
    if (many_) many_->bind(place, value);
  }
  /// bind(statement, place, row): the row's own values, from this place on.
  template <class Bind>
  void insert(int rows, const Bind& bind) {
    int row = 0;
    for (; many_ && row + kRowsAtOnce <= rows; row += kRowsAtOnce) {
      for (int i = 0; i < kRowsAtOnce; ++i) bind(*many_, shared_ + i * own_ + 1, row + i);
      many_->run();
    }
    for (; row < rows; ++row) {
      bind(one_, shared_ + 1, row);
      one_.run();
    }
  }

  static constexpr int kRowsAtOnce = 64;

 private:
  std::string statement(const std::string& columns, int rows) const {
    std::string sql = "INSERT INTO " + columns + " VALUES ";
    for (int row = 0; row < rows; ++row) {
      std::vector<std::string> places;
      for (int i = 1; i <= shared_; ++i) places.push_back(fmt::format("?{}", i));
      for (int i = 1; i <= own_; ++i)
        places.push_back(fmt::format("?{}", shared_ + row * own_ + i));
      sql += (row > 0 ? ", (" : "(") + join(places, ", ") + ")";
    }
    return sql;
  }

  int shared_, own_;
  Statement one_;
  std::optional<Statement> many_;
};

// Prepared once per transaction. INSERT without OR REPLACE: a replication stored twice is a mistake
// that must not pass. Only pulls add up, and as whole numbers: in any order of blocks the same.
// Rows go in in the order of their table's key, which is the quickest way in.
struct StudyStore::Insertions {
  Insertions(Database& database, bool many)
      : replications(database,
                     "replications(cell, replication, regret, simple_regret, engine, leap_error)",
                     1, 5, many),
        curves(database, "curves(cell, checkpoint, replication, regret)", 2, 2, many),
        diagnostics(database, "diagnostics(cell, name, checkpoint, replication, value, word)", 3, 3,
                    many),
        pulls(database,
              "INSERT INTO pulls(cell, arm, plays) VALUES (:cell, :arm, :plays) ON CONFLICT DO "
              "UPDATE SET plays = plays + excluded.plays"),
        blocks(database,
               "INSERT INTO blocks(cell, first, replications, seconds) VALUES (:cell, :first, "
               ":replications, :seconds)") {}

  void add_replications(const Block& block) {
    const std::vector<Replication>& list = block.result.replications;
    replications.share(1, std::int64_t{block.cell});
    replications.insert(rows_of(block), [&](Statement& statement, int place, int row) {
      const Replication& one = list[static_cast<std::size_t>(row)];
      statement.bind(place, number(block, row)).bind(place + 1, one.regret.back());
      statement.bind(place + 2, one.simple_regret).bind(place + 3, engine_name(one.engine));
      statement.bind(place + 4, one.leap_error);
    });
  }

  void add_curves(const Block& block) {
    const std::vector<Replication>& list = block.result.replications;
    curves.share(1, std::int64_t{block.cell});
    for (std::size_t k = 0; k < list.front().regret.size(); ++k) {
      curves.share(2, static_cast<std::int64_t>(k));
      curves.insert(rows_of(block), [&](Statement& statement, int place, int row) {
        statement.bind(place, number(block, row));
        statement.bind(place + 1, list[static_cast<std::size_t>(row)].regret[k]);
      });
    }
  }

  void add_diagnostics(const Block& block) {
    using Key = std::pair<std::string_view, std::size_t>;  // name and checkpoint
    std::map<Key, std::vector<std::pair<std::int64_t, const Diagnostic*>>> sorted;
    const auto sort = [&](const Diagnostics& entries, std::size_t checkpoint, std::int64_t of) {
      for (const Diagnostic& entry : entries)
        sorted[{entry.name, checkpoint}].emplace_back(of, &entry);
    };
    for (int row = 0; row < rows_of(block); ++row) {
      const Replication& one = block.result.replications[static_cast<std::size_t>(row)];
      // Shares at the horizon are among the diagnostics already: as in MemoryRecorder::add, and
      // here the primary key would refuse the second.
      const std::size_t last = one.regret.size() - 1;
      sort(one.diagnostics, last, number(block, row));
      for (std::size_t k = 0; k < std::min(last, one.shares.size()); ++k)
        sort(one.shares[k], k, number(block, row));
    }
    diagnostics.share(1, std::int64_t{block.cell});
    for (const auto& [key, list] : sorted) {
      const auto& entries = list;
      diagnostics.share(2, std::string(key.first));
      diagnostics.share(3, static_cast<std::int64_t>(key.second));
      diagnostics.insert(static_cast<int>(entries.size()),
                         [&](Statement& statement, int place, int row) {
                           const auto& [of, entry] = entries[static_cast<std::size_t>(row)];
                           statement.bind(place, of).bind(place + 1, entry->value);
                           if (entry->word.empty())
                             statement.bind_null(place + 2);
                           else
                             statement.bind(place + 2, entry->word);
                         });
    }
  }

  static int rows_of(const Block& block) {
    return static_cast<int>(block.result.replications.size());
  }
  static std::int64_t number(const Block& block, int row) {
    return std::int64_t{block.first} + row;
  }

  void add_pulls(std::int64_t cell, const BlockResult& result) {
    // Summed over the block first: one row per arm instead of one per arm and replication.
    std::vector<std::uint64_t> plays(result.replications.front().pulls.size());
    for (const Replication& one : result.replications)
      for (std::size_t a = 0; a < plays.size(); ++a) plays[a] += one.pulls[a];
    for (std::size_t a = 0; a < plays.size(); ++a) {
      if (plays[a] == 0) continue;
      pulls.bind(":cell", cell).bind(":arm", static_cast<std::int64_t>(a));
      pulls.bind(":plays", static_cast<std::int64_t>(plays[a])).run();
    }
  }

  RowInserter replications, curves, diagnostics;
  Statement pulls, blocks;
};

void StudyStore::add(std::uint32_t cell, std::uint32_t first, const BlockResult& result) {
  add({{cell, first, result}});
}

void StudyStore::add(const std::vector<Block>& blocks) {
  // One connection for all threads, and a transaction belongs to the connection.
  const std::lock_guard lock(*writing_);
  require_mine();
  Transaction transaction(*database_);
  const bool many = std::any_of(blocks.begin(), blocks.end(), [](const Block& block) {
    return block.result.replications.size() >= RowInserter::kRowsAtOnce;
  });
  Insertions rows(*database_, many);
  for (const Block& block : blocks) {
    const auto& [cell, first, result] = block;
    // A run that was stopped hands over empty blocks. A row for one would stand in the way of the
    // block that the next run begins at the same number.
    if (result.replications.empty()) continue;
    rows.add_replications(block);
    rows.add_curves(block);
    rows.add_diagnostics(block);
    rows.add_pulls(cell, result);
    rows.blocks.bind(":cell", std::int64_t{cell}).bind(":first", std::int64_t{first});
    rows.blocks.bind(":replications", static_cast<std::int64_t>(result.replications.size()));
    rows.blocks.bind(":seconds", result.seconds).run();
  }
  transaction.commit();
}

void StudyStore::note_accelerator(const std::string& name) {
  const std::lock_guard lock(*writing_);
  require_mine();
  set_run_value(*database_, kAcceleratorKey, name);
}

void StudyStore::require_mine() {
  try {
    if (guard_) guard_();
  } catch (...) {
    database_->abandon();
    throw;
  }
}

void StudyStore::finish() {
  require_mine();
  // A reader at work keeps the log; the next run or reader then finds both files.
  try {
    database_->execute("PRAGMA journal_mode = DELETE");
  } catch (const Error&) {
  }
}

// --- Shards and what is made of them -------------------------------------------------------------

namespace {

// All results, in the order of their keys; not how long they took, nor what words go with them.
std::string digest_of_results(Database& database) {
  Fingerprint fingerprint;
  const auto add_number = [&](auto number) { fingerprint.add(&number, sizeof number); };
  const auto add_rows = [&](const char* sql, const std::string& types) {
    Statement rows(database, sql);
    while (rows.step())
      for (int column = 0; column < static_cast<int>(types.size()); ++column) {
        const bool null = rows.is_null(column);
        add_number(static_cast<std::uint8_t>(null ? 1 : 0));
        if (null) continue;
        if (types[static_cast<std::size_t>(column)] == 'i') {
          add_number(rows.integer(column));
        } else if (types[static_cast<std::size_t>(column)] == 'r') {
          add_number(rows.real(column));
        } else {
          const std::string text = rows.text(column);
          fingerprint.add(text.data(), text.size() + 1);  // with its end
        }
      }
  };
  add_rows(
      "SELECT cell, replication, regret, simple_regret, engine, leap_error FROM replications "
      "ORDER BY cell, replication",
      "iirrtr");
  add_rows(
      "SELECT cell, checkpoint, replication, regret FROM curves "
      "ORDER BY cell, checkpoint, replication",
      "iiir");
  add_rows(
      "SELECT cell, name, checkpoint, replication, value, word FROM diagnostics "
      "ORDER BY cell, name, checkpoint, replication",
      "itiirt");
  add_rows("SELECT cell, arm, plays FROM pulls ORDER BY cell, arm", "iii");
  return fmt::format("{:016x}", fingerprint.value());
}

[[noreturn]] void refuse_damage(const Database& database, const std::string& table,
                                const std::string& found, const std::string& expected) {
  throw Error({database.path(), table, found, expected});
}

void require_sound_pages(Database& database) {
  Statement check(database, "PRAGMA quick_check(1)");
  const std::string found = check.step() ? check.text(0) : "nothing";
  if (found != "ok") refuse_damage(database, "database", found, "one as SQLite wrote it");
}

// Rows of a table that belong to no replication.
void require_no_strays(Database& database, const char* table) {
  const std::int64_t strays = number_from(
      database, fmt::format("SELECT count(*) FROM {0} LEFT JOIN replications r ON r.cell = "
                            "{0}.cell AND r.replication = {0}.replication WHERE r.cell IS NULL",
                            table));
  if (strays != 0)
    refuse_damage(database, table, fmt::format("{} rows of no replication", strays), "none");
}

}  // namespace

void StudyStore::seal() {
  require_mine();
  Transaction transaction(*database_);
  set_run_value(*database_, kSealKey, digest_of_results(*database_));
  transaction.commit();
}

bool StudyStore::sealed() { return !run_value(*database_, kSealKey).empty(); }

void StudyStore::require_shard(Shard shard) {
  require_same_version(*database_);
  require_this_schema(*database_);
  if (const std::string name = run_value(*database_, kShardKey); name != shard_text(shard))
    refuse_damage(*database_, "shard", name.empty() ? "none" : name, shard_text(shard));
}

void StudyStore::require_part(const std::vector<ReplicationRange>& part, bool whole) {
  Database& database = *database_;
  require_sound_pages(database);

  std::vector<std::uint32_t> stored(part.size());
  Statement cells(database,
                  "SELECT cell, count(*) AS stored, min(replication) AS first, max(replication) AS "
                  "last FROM replications GROUP BY cell");
  while (cells.step()) {
    const auto cell = armature::whole<std::uint32_t>(database, cells, "cell", 0, part.size() - 1);
    const std::int64_t begin = part[cell].first, end = begin + part[cell].count;
    if (cells.integer("first") < begin || cells.integer("last") >= end)
      refuse_damage(
          database, "replications",
          fmt::format("{} to {} of cell {}", cells.integer("first"), cells.integer("last"), cell),
          fmt::format("{} from {} on", part[cell].count, begin));
    stored[cell] = armature::whole<std::uint32_t>(database, cells, "stored");
  }
  for (std::size_t cell = 0; whole && cell < part.size(); ++cell)
    if (stored[cell] != part[cell].count)
      refuse_damage(database, "replications", fmt::format("{} of cell {}", stored[cell], cell),
                    fmt::format("{}", part[cell].count));

  // As many at every checkpoint, and none of others: the same ones.
  std::vector<std::vector<std::uint32_t>> points(part.size());
  for (const PlannedCell& cell : plan_.cells) {
    const std::vector<Round> rounds = log_checkpoints(cell.horizon, plan_.study.checkpoints);
    if (checkpoints(cell.id) != rounds)
      refuse_damage(database, "checkpoints", fmt::format("others of cell {}", cell.id),
                    "those of the study");
    points[cell.id].resize(rounds.size());
  }
  Statement curves(database,
                   "SELECT cell, checkpoint, count(*) AS stored FROM curves GROUP BY cell, "
                   "checkpoint");
  while (curves.step()) {
    const auto cell = armature::whole<std::uint32_t>(database, curves, "cell", 0, part.size() - 1);
    const auto checkpoint =
        armature::whole<std::uint32_t>(database, curves, "checkpoint", 0, points[cell].size() - 1);
    points[cell][checkpoint] = armature::whole<std::uint32_t>(database, curves, "stored");
  }
  for (std::size_t cell = 0; cell < part.size(); ++cell)
    for (const std::uint32_t count : points[cell])
      if (count != stored[cell])
        refuse_damage(database, "curves",
                      fmt::format("{} replications of cell {} at a checkpoint", count, cell),
                      fmt::format("{}, as in replications", stored[cell]));
  require_no_strays(database, "curves");
  require_no_strays(database, "diagnostics");

  for (const PlannedCell& cell : plan_.cells) {
    std::uint64_t plays = 0;
    for (const std::uint64_t count : pulls(cell)) plays += count;
    if (plays != stored[cell.id] * cell.horizon)
      refuse_damage(database, "pulls", fmt::format("{} plays of cell {}", plays, cell.id),
                    fmt::format("{} replications × {} rounds", stored[cell.id], cell.horizon));
  }

  const std::string seal = run_value(database, kSealKey);
  if (!seal.empty() && seal != digest_of_results(database))
    refuse_damage(database, "results", "others than when it was finished",
                  "those that were computed");
}

namespace {

void remove_database(const std::string& path) {
  std::error_code ignored;
  for (const char* suffix : {"", "-journal", "-wal", "-shm"}) fs::remove(path + suffix, ignored);
}

}  // namespace

StoreMerger::Aside::Aside(std::string path) : path_(std::move(path)) { remove_database(path_); }

StoreMerger::Aside::~Aside() {
  if (!path_.empty()) remove_database(path_);
}

void StoreMerger::Aside::rename(const std::string& to) {
  std::error_code error;
  fs::rename(path_, to, error);
  if (error) throw Error({to, "rename", error.message(), "a file that can be written"});
  path_.clear();
}

StoreMerger::StoreMerger(const std::string& directory, const StudyPlan& plan,
                         const RunEnvironment& environment, std::function<void()> guard)
    : directory_(directory), guard_(std::move(guard)), aside_(path_aside(directory)) {
  auto database = std::make_unique<Database>(aside_.path(), Database::Mode::kCreate);
  // Nobody else sees it, and on any failure it is thrown away: nothing to roll back, and synced
  // once at the end.
  database->execute(
      "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536;");
  fill(*database, plan);
  set_run_value(*database, "compiler", environment.compiler);
  set_run_value(*database, "processor", environment.processor);
  if (!environment.accelerator.empty())
    set_run_value(*database, kAcceleratorKey, environment.accelerator);
  store_.emplace(StudyStore(std::move(database), plan, guard_));
}

void StoreMerger::require_mine() const {
  if (guard_) guard_();
}

void StoreMerger::absorb(const std::string& directory) {
  Database& database = *store_->database_;
  store_->require_mine();
  Statement(database, "ATTACH :path AS part").bind(":path", store_path(directory)).run();
  if (on_network_file_system(directory))
    database.execute("PRAGMA part.locking_mode = EXCLUSIVE");  // as open_store does
  {
    Transaction transaction(database);
    // Columns by their names, in the order that both have them; a replication that is there twice
    // is refused by the primary key.
    for (const char* columns :
         {"replications(cell, replication, regret, simple_regret, engine, leap_error)",
          "curves(cell, checkpoint, replication, regret)",
          "diagnostics(cell, name, checkpoint, replication, value, word)",
          "blocks(cell, first, replications, seconds)"}) {
      const std::string text = columns;
      const std::size_t open = text.find('(');
      database.execute(fmt::format("INSERT INTO main.{} SELECT {} FROM part.{}", text,
                                   text.substr(open + 1, text.size() - open - 2),
                                   text.substr(0, open)));
    }
    database.execute(
        "INSERT INTO main.pulls(cell, arm, plays) SELECT cell, arm, plays FROM part.pulls WHERE "
        "true ON CONFLICT DO UPDATE SET plays = plays + excluded.plays");
    transaction.commit();
  }
  database.execute("DETACH part");
}

void StoreMerger::commit(bool whole) {
  if (!whole) set_run_value(*store_->database_, kPartialKey, "yes");
  store_->require_mine();
  store_.reset();
  sync_path(aside_.path());
  require_mine();  // a large file may have taken minutes
  // What stands there is of an earlier merge, or never began. Its log must not be taken for that of
  // the new one.
  if (StudyStore::exists(directory_))
    open_store(directory_, Database::Mode::kReadWrite)->execute("PRAGMA journal_mode = DELETE");
  require_mine();
  aside_.rename(store_path(directory_));
  sync_path(directory_);
}

std::optional<StoreGlance> glance_at_store(const std::string& directory, std::size_t cells,
                                           const std::string& mark) {
  if (!StudyStore::has_begun(directory)) return std::nullopt;
  const auto opened = open_store(directory, Database::Mode::kReadWrite);
  Database& database = *opened;
  require_our_kind(database);
  StoreGlance glance;
  glance.other = mark_difference(run_value(database, kMarkKey), mark);
  if (glance.other) return glance;
  glance.sealed = !run_value(database, kSealKey).empty();
  glance.replications.resize(cells);
  Statement rows(database, "SELECT cell, count(*) AS stored FROM replications GROUP BY cell");
  while (rows.step())
    glance.replications[whole<std::uint32_t>(database, rows, "cell", 0, cells - 1)] =
        whole<std::uint32_t>(database, rows, "stored");
  return glance;
}

}  // namespace armature
