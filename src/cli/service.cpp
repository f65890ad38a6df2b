// What is done to a decision service's store from outside: looking, checking, copying, tokens.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <thread>

#include "base/display.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/store_option.h"
#include "cli/terminal.h"
#include "options/long_work.h"
#include "report/table.h"
#include "service/archive.h"
#include "service/export.h"
#include "service/fold.h"
#include "service/http/guard.h"
#include "service/http/views.h"
#include "service/postgres/schema.h"
#include "service/store.h"
#include "service/transfer.h"

namespace armature::cli {
namespace {

using service::LogReader;
using service::StoredExperiment;
using service::Token;

constexpr const char* kStoreHelp =
    "a directory that armature serve works in, or the database of its nodes: postgresql://…";
constexpr const char* kNewStoreHelp =
    "a directory where the store is, or will be, or the database of several nodes: postgresql://…";

// --- check ---------------------------------------------------------------------------------------

void check(const std::string& store) {
  const auto log = service::read_store(store);
  TextTable table({"experiment", "events", "decisions", "digest", "replay"});
  table.words(4);
  bool good = true;
  for (const service::CheckedExperiment& one : service::check_log(*log)) {
    good = good && one.trouble.empty();
    table.add({one.name, std::to_string(one.events), std::to_string(one.decisions),
               one.trouble.empty() ? fmt::format("{:016x}", one.digest) : "-",
               !one.trouble.empty() ? one.trouble
               : !one.before.empty()
                   ? fmt::format("as logged from event {} on; before: {}", one.from, one.before)
               : one.first == 1 ? "as logged"
                                : fmt::format("as logged, from seq {}; earlier events are in "
                                              "the archive",
                                              one.first)});
  }
  emit(std::nullopt, table.print(screen()));
  if (!good) throw ExitStatus{1};
}

// --- export and import ---------------------------------------------------------------------------

struct ExportOptions {
  std::string store;
  std::string experiment;
  std::string format = "jsonl";
  std::string from = "1";
  std::optional<std::string> output;
};

// The one that was named, or the only one there is.
std::string experiment_in(LogReader& log, const std::string& named, const std::string& store) {
  if (!named.empty()) return named;
  std::vector<std::string> names;
  for (const StoredExperiment& one : log.experiments()) names.push_back(one.facts.name);
  if (names.size() == 1) return names.front();
  throw Error({service::shown_store(store), "--experiment", "nothing",
               names.empty() ? "a store that holds one" : "one of " + join(names, ", ")});
}

void export_log(const ExportOptions& options) {
  const service::ExportFormat format = service::export_format_named(options.format, "--format");
  const std::uint64_t from = whole_number("--from", options.from, 0, UINT64_MAX);
  auto log = service::read_store(options.store);
  const std::string experiment = experiment_in(*log, options.experiment, options.store);
  service::LogExport pieces(std::move(log), experiment, format, from);
  std::optional<FileWriter> file;
  if (options.output) file.emplace(*options.output, FileReaders::kOwner);  // as the store is
  for (std::string piece; pieces.next(piece); piece.clear()) {
    if (file)
      file->write(piece);
    else
      emit(std::nullopt, piece);
  }
  if (file) file->commit();
}

// As one text, so that the months of an archive may come first: files are looked at before a store
// is made for them.
void import_logs(const std::string& store, const std::vector<std::string>& files) {
  std::vector<std::ifstream> streams;
  for (const std::string& file : files)
    if (streams.emplace_back(file).peek() != '{')
      throw Error({file, "file", "none that begins as one", "an exported log"});
  auto stream = streams.begin();
  const auto next = [&]() -> std::optional<std::string> {
    for (std::string line; stream != streams.end(); ++stream)
      if (std::getline(*stream, line)) return line;
    return std::nullopt;
  };
  const auto log = service::open_store(store);
  bool good = true;
  for (const service::CheckedExperiment& one :
       service::import_json_lines(*log, next, join(files, " + "))) {
    good = good && one.trouble.empty();
    emit(std::nullopt, one.trouble.empty()
                           ? fmt::format("{}: {} events, {} decisions, digest {:016x}\n", one.name,
                                         one.events, one.decisions, one.digest)
                           : fmt::format("{}: not imported: {}\n", one.name, one.trouble));
  }
  log->close();
  if (!good) throw ExitStatus{1};
}

// --- migrate and copy ----------------------------------------------------------------------------

void migrate(const std::string& store) {
  const std::string url =
      store.empty() ? store_in_environment("migrate", "postgresql://USER@HOST/DATABASE") : store;
  if (!service::is_database(url))
    throw Error({"", "store", "'" + url + "'", "a database: postgresql://USER@HOST/DATABASE"});
  const service::postgres::Migration done = service::postgres::migrate(url);
  const std::string shown = visible(service::shown_store(url));
  emit(std::nullopt,
       done.from == done.to ? fmt::format("{} has schema {} already\n", shown, done.to)
       : done.from == 0 ? fmt::format("{} has armature's tables now, schema {}\n", shown, done.to)
                        : fmt::format("{} went from schema {} to {}\n", shown, done.from, done.to));
}

// What is wrong with the source is said before a store is made for it.
void copy(const std::string& source, const std::string& target) {
  if (source == target)
    throw Error(
        {"", "TARGET", "'" + service::shown_store(target) + "', the same", "another store"});
  const auto from = service::read_store(source);
  const auto to = service::open_store(target);
  const bool terminal = isatty(STDERR_FILENO) != 0;
  const auto progress = [&](const std::string& name, service::Sequence at, service::Sequence last) {
    if (!terminal) return;
    fmt::print(stderr, "\r\033[K{}: event {} of {}", name, at, last);
    std::fflush(stderr);
  };
  bool good = true;
  const auto copied = service::copy_store(*from, *to, progress);
  if (terminal) fmt::print(stderr, "\r\033[K");
  for (const service::Copied& one : copied) {
    good = good && one.trouble.empty();
    emit(std::nullopt,
         one.trouble.empty()
             ? fmt::format("{}: {} events, digest {:016x}\n", one.name, one.events, one.digest)
             : fmt::format("{}: not copied: {}\n", one.name, one.trouble));
  }
  to->close();
  if (!good) throw ExitStatus{1};
}

// --- archive -------------------------------------------------------------------------------------

struct ArchivingOptions {
  std::string store;
  std::string before;
  std::string to;
  std::string experiment;
  bool dry_run = false;
};

std::string archived_text(const service::Archived& archived, bool dry_run) {
  const auto moved = archived.last + 1 - archived.first;
  std::string text =
      moved == 0
          ? std::string("nothing to move")
          : fmt::format("{} events ({} to {}) {} to {}", moved, archived.first, archived.last,
                        dry_run ? "would be moved" : "moved", join(archived.files, ", "));
  if (moved > 0 && !dry_run)
    text += fmt::format("; the store begins at event {}, digest {:016x}", archived.last + 1,
                        archived.digest);
  if (!archived.held_back.empty())
    text += (moved == 0 ? ", for " : "; more stays, for ") + archived.held_back;
  return text;
}

void archive(const ArchivingOptions& options) {
  service::ArchiveOptions how;
  how.before = service::parse_date(options.before, "--before");
  if (options.to.empty() && service::is_database(options.store))
    throw Error({"", "--to", "nothing", "a folder for the files: a database has none of its own"});
  how.folder = options.to.empty() ? options.store + "/archive" : options.to;
  how.dry_run = options.dry_run;
  service::read_store(options.store);  // there must be one: opening would make it
  const auto log = service::open_store(options.store);
  bool found = false;
  bool good = true;
  for (const StoredExperiment& one : log->experiments()) {
    if (!options.experiment.empty() && one.facts.name != options.experiment) continue;
    found = true;
    const bool terminal = isatty(STDERR_FILENO) != 0;
    if (terminal)
      how.progress = [&](const char* doing, service::Sequence at, service::Sequence last) {
        fmt::print(stderr, "\r\033[K{}: {}, event {} of {}", one.facts.name, doing, at, last);
        std::fflush(stderr);
      };
    if (!options.dry_run) log->hold(one.id);  // until its rows are moved, or it is let go
    const service::Archived archived = service::archive_experiment(*log, one, how);
    log->roll_back();
    if (terminal) fmt::print(stderr, "\r\033[K");
    good = good && archived.trouble.empty();
    emit(std::nullopt,
         fmt::format("{}: {}\n", one.facts.name,
                     archived.trouble.empty() ? archived_text(archived, options.dry_run)
                                              : "nothing was moved: " + archived.trouble));
  }
  log->close();
  if (!found && !options.experiment.empty())
    throw Error({service::shown_store(options.store), "--experiment",
                 "'" + options.experiment + "'", "one that is there"});
  if (!good) throw ExitStatus{1};
}

// --- tokens --------------------------------------------------------------------------------------

struct TokenOptions {
  std::string store;
  std::string name;
  std::vector<std::string> roles;
  std::vector<std::string> experiments;
  std::string tenant;
  std::string expires;
  std::string revoke;
};

// The one that stays where all others went opens nothing, and is nobody's.
std::vector<Token> usable_tokens(LogReader& log) {
  std::vector<Token> tokens = log.tokens();
  std::erase_if(tokens, [](const Token& token) { return token.hash.empty(); });
  return tokens;
}

void list_tokens(LogReader& log) {
  TextTable table({"id", "name", "roles", "experiments", "tenant", "expires"});
  table.words(1).words(2).words(3).words(4);
  for (const Token& token : usable_tokens(log))
    table.add({service::http::token_id(token), token.name, join(token.roles, " "),
               token.experiments.empty() ? "all" : join(token.experiments, " "),
               token.tenant.empty() ? "all" : token.tenant,
               token.expires ? service::print_time(*token.expires) : "never"});
  emit(std::nullopt, table.print(screen()));
}

void add_token(const TokenOptions& options) {
  Token token;
  token.name = options.name;
  token.roles = options.roles;
  token.experiments = options.experiments;
  token.tenant = options.tenant;
  token.created = service::system_clock().wall();
  if (!options.expires.empty())
    if (const auto lasts = service::parse_duration(options.expires, "--expires"))
      token.expires = token.created + *lasts;
  service::http::check_token(token);
  const std::string secret = service::http::new_secret();
  token.hash = service::http::secret_hash(secret);
  const auto log = service::open_store(options.store);
  for (const Token& other : log->tokens())
    if (other.name == token.name)
      throw Error(
          {service::shown_store(options.store), "--name", "'" + token.name + "'", "a new name"});
  log->begin();
  log->add_token(token);
  log->commit();
  log->close();
  emit(std::nullopt, secret + "\n");
}

void revoke_token(const TokenOptions& options) {
  // Looked for as a reader, who makes no store where there is none.
  const std::vector<Token> tokens = usable_tokens(*service::read_store(options.store));
  for (const Token& token : tokens) {
    if (service::http::token_id(token) != options.revoke && token.name != options.revoke) continue;
    const auto log = service::open_store(options.store);
    log->begin();
    log->remove_token(token.hash);
    log->commit();
    log->close();
    if (service::rules_all(token) &&
        std::count_if(tokens.begin(), tokens.end(), service::rules_all) == 1)
      fmt::print(stderr,
                 "armature: nobody can manage tokens over HTTP until armature service token {} "
                 "--name admin --role admin makes one who can\n",
                 visible(service::shown_store(options.store)));
    return;
  }
  throw Error({service::shown_store(options.store), "--revoke", "'" + options.revoke + "'",
               "the id or the name of a token that is there"});
}

void tokens(const TokenOptions& options) {
  const bool describes = !options.name.empty() || !options.roles.empty() ||
                         !options.experiments.empty() || !options.tenant.empty() ||
                         !options.expires.empty();
  if (!options.revoke.empty()) {
    if (describes)
      throw Error({"", "--revoke", "one beside the description of a new token",
                   "--revoke by itself, or --name, --role, … without it"});
    return revoke_token(options);
  }
  if (describes) return add_token(options);
  list_tokens(*service::read_store(options.store));
}

// --- top -----------------------------------------------------------------------------------------

const std::string kClearScreen = "\x1b[H\x1b[2J";

std::string age_text(service::Time age) {
  return time_text(static_cast<double>(std::max<service::Time>(age, 0)) / service::kSecond);
}

std::string summary_table(const std::string& store) {
  const ThrowingChecks checks;
  const auto log = service::read_store(store);
  TextTable table({"experiment", "state", "policy", "decisions", "learned", "open", "late",
                   "mean reward", "favourite", "oldest open"});
  table.words(1).words(2).words(8).optional(2).optional(6).optional(9);
  const service::Time now = service::system_clock().wall();
  for (const StoredExperiment& one : log->experiments()) {
    std::vector<std::string> mismatches;
    service::Summary summary;
    try {
      if (!one.damage.empty()) throw Error({"", "experiment", "damaged", one.damage});
      summary = service::recovered(one.facts, *log, one.id, mismatches).summary();
    } catch (const std::exception&) {
      table.add({one.facts.name, "does not replay"});
      continue;
    }
    double rewards = 0;
    double outcomes = 0;
    const service::ActionSummary* favourite = nullptr;
    for (const service::ActionSummary& action : summary.actions) {
      rewards += action.outcomes.rewards;
      outcomes += static_cast<double>(action.outcomes.learned);
      if (favourite == nullptr || action.decided > favourite->decided) favourite = &action;
    }
    table.add({one.facts.name, service::state_name(summary.state), summary.policy,
               grouped(static_cast<double>(summary.decisions)),
               grouped(static_cast<double>(summary.learned)),
               grouped(static_cast<double>(summary.open + summary.waiting)),
               grouped(static_cast<double>(summary.late)),
               outcomes > 0 ? fmt::format("{:.4f}", rewards / outcomes) : "-",
               favourite != nullptr && favourite->decided > 0 ? favourite->name : "-",
               summary.oldest_open ? age_text(now - *summary.oldest_open) : "-"});
  }
  return table.print(screen());
}

// On a terminal always in the same place; elsewhere one table after the other, for whoever keeps
// them.
void top(const std::string& store, bool once) {
  if (once) return emit(std::nullopt, summary_table(store));
  const bool redraws = isatty(STDOUT_FILENO) != 0;
  const std::atomic<bool>& interrupted = stop_on_interrupt();
  for (bool first = true; !interrupted; first = false) {
    const std::string table = summary_table(store);
    emit(std::nullopt, redraws ? kClearScreen + table : (first ? "" : "\n") + table);
    for (int i = 0; i < 20 && !interrupted; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

// What is not said is in the environment, where passwords are nobody else's to see.
void add_store(CLI::App& command, std::string& store, const char* help = kStoreHelp) {
  command.add_option("STORE", store, std::string(help) + "; or in ARMATURE_STORE");
}
std::string store_or_environment(const std::string& store) {
  return store.empty() ? store_in_environment("service", "a directory, or postgresql://…") : store;
}

// --- The commands --------------------------------------------------------------------------------

void add_check(CLI::App& parent) {
  auto store = std::make_shared<std::string>();
  CLI::App* command = parent.add_subcommand(
      "check", "replays every event: does each decision come out as it was logged?");
  add_store(*command, *store);
  command->footer(
      "Before an upgrade is let loose: with the new armature on a backup. Exit status 1 if an "
      "experiment does not replay.\n\n"
      "Examples:\n"
      "  armature service check mail-service\n"
      "  armature service check mail-service --wide");
  command->callback([store] { check(store_or_environment(*store)); });
}

void add_export_log(CLI::App& parent) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App* command = parent.add_subcommand("export", "the log of an experiment, for others");
  add_store(*command, options->store);
  command->add_option("--experiment,-e", options->experiment, "which one, if there are several");
  command
      ->add_option("--format,-f", options->format,
                   "jsonl: every event; csv: a row per decision; dsjson: for Vowpal Wabbit")
      ->capture_default_str();
  command->add_option("--from", options->from, "seq of the first event")->capture_default_str();
  command->add_option("--output,-o", options->output, "a file instead of the terminal");
  command->footer(
      "The service may be at work meanwhile.\n\n"
      "Examples:\n"
      "  armature service export mail-service --format csv --output mail.csv\n"
      "  armature service export mail-service --output mail.jsonl");
  command->callback([options] {
    options->store = store_or_environment(options->store);
    export_log(*options);
  });
}

void add_import(CLI::App& parent) {
  auto store = std::make_shared<std::string>();
  auto files = std::make_shared<std::vector<std::string>>();
  CLI::App* command =
      parent.add_subcommand("import", "rebuilds experiments from logs exported as JSON lines");
  command->add_option("STORE", *store, kNewStoreHelp)->required();
  command->add_option("FILE", *files, "what armature service export wrote")->required();
  command->footer(
      "Every event is replayed: an experiment whose log was changed on its way, or cut short, is left "
      "out and named (exit status 1); the others go in. Several files are read as one: the months of "
      "an archive in order, then the rest. The digest is the one that check prints for the log it "
      "came from.\n\n"
      "Examples:\n"
      "  armature service import copy-service mail.jsonl\n"
      "  armature service import third-service mail.jsonl");
  command->callback([store, files] { import_logs(*store, *files); });
}

void add_backup(CLI::App& parent) {
  auto store = std::make_shared<std::string>();
  auto target = std::make_shared<std::string>();
  CLI::App* command = parent.add_subcommand("backup", "a copy of the store, as of one moment");
  command->add_option("STORE", *store, kStoreHelp)->required();
  command->add_option("TARGET", *target, "a new directory; armature serve can work in it")
      ->required();
  command->footer(
      "The service may be at work meanwhile.\n\n"
      "Examples:\n"
      "  armature service backup mail-service mail-backup\n"
      "  armature service backup mail-service second-backup");
  command->callback([store, target] { service::back_up_store(*store, *target); });
}

void add_migrate(CLI::App& parent) {
  auto store = std::make_shared<std::string>();
  CLI::App* command = parent.add_subcommand(
      "migrate",
      "makes the tables of several nodes in a PostgreSQL database, or brings them up to date");
  command->add_option("STORE", *store, "postgresql://USER@HOST/DATABASE; or in ARMATURE_STORE");
  command->footer(
      "All of it in one transaction, in a schema of its own, armature. A database whose "
      "synchronous_commit or fsync is off is refused. It may be run again, and by several at once: as "
      "the first step of every deployment.\n\n"
      "Examples:\n"
      "  armature service migrate postgresql://armature@db.example.org/armature\n"
      "  armature service migrate \"postgresql://db.example.org/armature?user=armature\"");
  command->callback([store] { migrate(*store); });
}

void add_copy(CLI::App& parent) {
  auto source = std::make_shared<std::string>();
  auto target = std::make_shared<std::string>();
  CLI::App* command = parent.add_subcommand(
      "copy", "everything of one store into another: from a directory to a database, and back");
  command->add_option("STORE", *source, kStoreHelp)->required();
  command->add_option("TARGET", *target, kNewStoreHelp)->required();
  command->footer(
      "Row by row, with snapshots and tokens; every experiment is checked to have the digest that it "
      "had (exit status 1 where one has not; it is left out then). Stop the service first: what comes "
      "while it copies is not there. A target that has an experiment of the same name is refused.\n\n"
      "Examples:\n"
      "  armature service copy mail-service copied-service\n"
      "  armature service copy mail-service another-copy");
  command->callback([source, target] { copy(*source, *target); });
}

void add_archive(CLI::App& parent) {
  auto options = std::make_shared<ArchivingOptions>();
  CLI::App* command =
      parent.add_subcommand("archive", "moves old events out of the store, into a file per month");
  add_store(*command, options->store);
  command->add_option("--before", options->before, "only events before this day (UTC): 2026-10-01")
      ->required();
  command->add_option("--to", options->to, "a folder for the files; STORE/archive unless told");
  command->add_option("--experiment,-e", options->experiment, "only of this one");
  command->add_flag("--dry-run", options->dry_run, "only says what would be moved");
  command->footer(
      "A service on a directory must be stopped; nodes on a database may be at work, and answer 503 for "
      "an experiment while it is moved. Each experiment has a file a month, EXPERIMENT-2026-10.jsonl, "
      "with lines as export writes them: written, synced, read again and compared before anything "
      "is removed. The store goes on from an anchor, with the same digest; what it is asked about "
      "archived decisions it answers with 410. What is still needed stays, and everything after "
      "it: open decisions, keys that are known, what an epoch or a shadow was taught. The store's "
      "file does not shrink: SQLite reuses the room. To have all of it again, import the months in "
      "order and then what the store exports, in one file.\n\n"
      "Examples:\n"
      "  armature service archive mail-service --before 2026-01-01 --dry-run\n"
      "  armature service archive mail-service --before 2026-01-01 --to old-mail");
  command->callback([options] {
    options->store = store_or_environment(options->store);
    archive(*options);
  });
}

void add_tokens(CLI::App& parent) {
  auto options = std::make_shared<TokenOptions>();
  CLI::App* command =
      parent.add_subcommand("token", "lists tokens, makes one (its secret is shown once), revokes");
  add_store(*command, options->store, kNewStoreHelp);
  command->add_option("--name", options->name, "of a new token");
  command->add_option("--role", options->roles, "decide, report, read or admin; may be repeated");
  command->add_option("--experiment", options->experiments, "only for this one; may be repeated");
  command->add_option("--tenant", options->tenant, "only for this one");
  command->add_option("--expires", options->expires, "after so long: 90s, 30m, 24h, 7d");
  command->add_option("--revoke", options->revoke, "the id or the name of one");
  command->footer(
      "To make and revoke while the service is at work, ask it: POST and DELETE /v1/tokens.\n\n"
      "Examples:\n"
      "  armature service token mail-service --name boss --role admin\n"
      "  armature service token mail-service --name web --role decide --role report \\\n"
      "    --expires 90d");
  command->callback([options] {
    options->store = store_or_environment(options->store);
    tokens(*options);
  });
}

void add_top(CLI::App& parent) {
  auto store = std::make_shared<std::string>();
  auto once = std::make_shared<bool>(false);
  CLI::App* command = parent.add_subcommand("top", "experiments and their counts, again and again");
  add_store(*command, *store);
  command->add_flag("--once", *once, "once");
  command->footer(
      "Examples:\n"
      "  armature service top mail-service --once\n"
      "  armature service top mail-service --once --wide");
  command->callback([store, once] { top(store_or_environment(*store), *once); });
}

}  // namespace

void add_service(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("service", "look after what armature serve keeps: check, copy, tokens");
  command->require_subcommand(1);
  command->footer(
      "Examples:\n"
      "  armature service check mail-service\n"
      "  armature service top mail-service --once");
  add_check(*command);
  add_export_log(*command);
  add_import(*command);
  add_backup(*command);
  add_copy(*command);
  add_migrate(*command);
  add_archive(*command);
  add_tokens(*command);
  add_top(*command);
}

}  // namespace armature::cli
