// A store that an earlier build wrote: it is read, replays decision by decision, and lives on. The
// files are written anew by ARMATURE_REGENERATE=1, which is for a new schema or a policy whose
// decisions have changed on purpose: then old stores no longer replay, and the changelog says so.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

#include "base/file.h"
#include "base/sqlite.h"
#include "base/text.h"
#include "service/sqlite_log.h"
#include "service/stand.h"
#include "service/transfer.h"
#include "support/program.h"

namespace armature::service::test {
namespace {

namespace fs = std::filesystem;
using armature::test::TemporaryDirectory;

const fs::path kGolden = fs::path(ARMATURE_SOURCE_DIR) / "tests/service/golden";

// Three policies, every kind of event.
void live(Stand& stand) {
  stand.options.snapshot_events = 60;
  for (const char* policy : {"sentry", "ts", "ucb"}) {
    Creation creation = rich_creation(policy);
    creation.facts.name = policy;
    creation.facts.settings.deadline = kHour;
    if (std::string(policy) == "ts") {
      creation.facts.settings.floor = 0.2;
      creation.facts.settings.silence = Silence{"ignored", 0};
    }
    stand.create(creation);
  }
  for (const std::string name : {"sentry", "ts", "ucb"}) {
    Stream luck({3, static_cast<std::uint32_t>(name.size()), Purpose::kTest});
    std::vector<Decided> made;
    const auto play = [&](int rounds) {
      for (int i = 0; i < rounds; ++i) {
        stand.clock.pass(kMinute);
        made.push_back(stand.decide(name, i % 5 == 0 ? fmt::format("{}", made.size()) : ""));
        const Decided& one = made[uniform_index(luck, static_cast<std::uint32_t>(made.size()))];
        const double dice = luck.uniform();
        if (dice < 0.1)
          stand.ask(Forget{name, one.decision});
        else
          stand.ask(Stand::reporting(one, "opened",
                                     dice < 0.3 ? std::nullopt : std::optional(luck.uniform())));
      }
    };
    play(40);
    stand.must<Done>(AddShadow{name, "kl-ucb"});
    stand.must<Done>(Pause{name, "for lunch"});
    play(5);
    stand.must<Done>(Resume{name, ""});
    for (const Decided& one : made)
      if (stand.look(one).status == Status::kLearned) {
        stand.must<Received>(Amend{name, one.decision, {}, 0.5, "a mistake"});
        break;
      }
    stand.must<Done>(OpenEpoch{name, {}, "ucb", Start::kReplay, 0, "the next one"});
    play(40);
  }
  stand.must<Done>(Finish{"ucb", "done"});
  stand.shard->keep_all();
}

std::string exported(LogReader& log) {
  std::string lines;
  for (const StoredExperiment& experiment : log.experiments())
    export_json_lines(log, experiment, [&](const std::string& line) { lines += line + "\n"; });
  return lines;
}

void regenerate() {
  const TemporaryDirectory directory;
  {
    Stand stand([&] { return open_sqlite_log(directory.path(), {.synchronous = "OFF"}); });
    live(stand);
  }
  // With its snapshots, in their form of today.
  make_directory(kGolden.string());
  {
    Database database(directory.file("service.sqlite"), Database::Mode::kReadWrite);
    database.execute("PRAGMA journal_mode = DELETE");
  }
  fs::copy_file(directory.file("service.sqlite"), kGolden / "service-1-snapshots.sqlite",
                fs::copy_options::overwrite_existing);
  // By a build that nobody has, so that who opens it next is an upgrade.
  {
    Database database(directory.file("service.sqlite"), Database::Mode::kReadWrite);
    database.execute(
        "UPDATE epochs SET build = 'an older build'; DELETE FROM snapshots; VACUUM;"
        "PRAGMA journal_mode = DELETE");
  }
  fs::copy_file(directory.file("service.sqlite"), kGolden / "service-1.sqlite",
                fs::copy_options::overwrite_existing);
  const auto log = read_sqlite_log(directory.path());
  write_file((kGolden / "service-1.jsonl").string(), exported(*log));
}

TEST(GoldenStore, OfSchemaOneIsReadReplayedAndLivesOn) {
  if (std::getenv("ARMATURE_REGENERATE") != nullptr) regenerate();
  const TemporaryDirectory directory;
  fs::copy_file(kGolden / "service-1.sqlite", directory.file("service.sqlite"));
  std::map<std::string, std::uint64_t> digests;
  {
    const auto log = read_sqlite_log(directory.path());
    EXPECT_EQ(exported(*log), read_file((kGolden / "service-1.jsonl").string()));
    for (const CheckedExperiment& checked : check_log(*log)) {
      EXPECT_EQ(checked.trouble, "") << checked.name;
      EXPECT_GT(checked.decisions, 80u);
      digests[checked.name] = checked.digest;
    }
  }
  EXPECT_EQ(digests.size(), 3u);
  Stand stand([&] { return open_sqlite_log(directory.path(), {.synchronous = "OFF"}); });
  EXPECT_TRUE(stand.shard->quarantined().empty());
  EXPECT_EQ(stand.shard->replay_mismatches(), 0u);
  for (const char* name : {"sentry", "ts", "ucb"}) {
    const Sequence last = stand.log->last(stand.shard->find(name)->id());
    EXPECT_EQ(stand.log->event(stand.shard->find(name)->id(), last)->kind, EventKind::kUpgraded);
    EXPECT_EQ(stand.fold(name).build(), this_build());
  }
  stand.decide("ts");
  EXPECT_EQ(stand.refused(Decide{"ucb", "", ""}), RefusalKind::kState);
  for (const CheckedExperiment& checked : check_log(*stand.log)) EXPECT_EQ(checked.trouble, "");
}

// Old snapshots are read, and are what replay gives; a store that is opened begins at the newest.
TEST(GoldenStore, SnapshotsOfAnEarlierBuildAreRead) {
  const TemporaryDirectory directory;
  fs::copy_file(kGolden / "service-1-snapshots.sqlite", directory.file("service.sqlite"));
  const auto log = open_sqlite_log(directory.path(), {.synchronous = "OFF"});
  std::size_t loaded = 0;
  for (const StoredExperiment& stored : log->experiments())
    for (const Sequence seq : log->snapshots(stored.id)) {
      const Snapshot kept = log->snapshot(stored.id, seq).value();
      EXPECT_EQ(Fold::load(stored.facts, *log, stored.id, kept).digest(), kept.digest);
      ++loaded;
    }
  EXPECT_GE(loaded, 9u);  // of three experiments: two epochs' anchors and the newest
  for (const CheckedExperiment& checked : check_log(*log)) {
    EXPECT_EQ(checked.trouble, "") << checked.name;
    EXPECT_EQ(checked.before, "") << checked.name;
  }
}

TEST(GoldenStore, IsImportedFromItsLines) {
  Stand stand;
  std::istringstream lines(read_file((kGolden / "service-1.jsonl").string()));
  const auto next = [&]() -> std::optional<std::string> {
    std::string line;
    return std::getline(lines, line) ? std::optional(line) : std::nullopt;
  };
  const auto imported = import_json_lines(*stand.log, next, "golden");
  EXPECT_EQ(imported.size(), 3u);
  for (const CheckedExperiment& one : imported) EXPECT_EQ(one.trouble, "") << one.name;
}

// Every kind of event is in it, or a change of one would go unseen.
TEST(GoldenStore, HasEveryKindOfEvent) {
  const std::string lines = read_file((kGolden / "service-1.jsonl").string());
  for (int kind = 1; kind <= 11; ++kind) {
    const EventKind known = event_kind(kind);
    if (known == EventKind::kUpgraded) continue;  // comes with the opening
    EXPECT_NE(lines.find(fmt::format("\"kind\":\"{}\"", event_kind_name(known))), std::string::npos)
        << event_kind_name(known);
  }
}

}  // namespace
}  // namespace armature::service::test
