#include "service/sqlite_log.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/directory_lock.h"
#include "base/file.h"
#include "base/machine.h"
#include "base/refusal.h"
#include "base/sqlite.h"
#include "service/export.h"
#include "service/replay_check.h"
#include "service/stand.h"
#include "support/program.h"

namespace armature::service::test {
namespace {

using armature::test::refusal;
using armature::test::TemporaryDirectory;

Event full_event() {
  Event event;
  event.seq = 2;
  event.kind = EventKind::kLearned;
  event.decision = 1;
  event.key = std::string("\0\1\xff with a zero in it", 20);
  event.time = 1'700'000'000'000'000;
  event.epoch = 3;
  event.action = 4'000'000'000;
  event.ticket = ~std::uint64_t{0};
  event.position = std::uint64_t{1} << 63;
  event.propensity = 0.1;
  event.context = 2;
  event.reward = 1.0 / 3;
  event.note = "Grüße, 'quoted'\n";
  return event;
}

TEST(SqliteLog, KeepsEveryFieldOfAnEvent) {
  const TemporaryDirectory directory;
  {
    const auto log = open_sqlite_log(directory.path());
    log->begin();
    Event first;
    first.seq = 1;
    log->append(1, first);
    log->append(1, full_event());
    log->commit();
    log->close();
  }
  EXPECT_EQ(directory.listing(), std::vector<std::string>{"service.sqlite"});
  const auto log = read_sqlite_log(directory.path());
  EXPECT_EQ(first_difference(log->event(1, 2).value(), full_event()), "");
  const Event empty = log->event(1, 1).value();
  EXPECT_FALSE(empty.decision || empty.action || empty.ticket || empty.position ||
               empty.propensity || empty.context || empty.reward);
  EXPECT_EQ(log->last(1), 2u);
  EXPECT_EQ(log->closing(1, 1)->seq, 2u);
  EXPECT_FALSE(log->closing(1, 2).has_value());
  EXPECT_FALSE(log->event(1, 3).has_value());
  EXPECT_EQ(log->last(2), 0u);
}

TEST(SqliteLog, KeepsFactsEpochsSnapshotsAndTokens) {
  const TemporaryDirectory directory;
  Creation creation = rich_creation("sentry");
  creation.facts.tenant = "shop";
  creation.facts.seed = ~std::uint64_t{0};
  creation.facts.created = 5;
  creation.facts.settings.silence = Silence{"ignored", 0.25};
  creation.facts.settings.floor = 0.1;
  const Token token{"ab", "page", "shop", {"read", "report"}, {"mail"}, 7, 9};
  const auto log = open_sqlite_log(directory.path());
  log->begin();
  EXPECT_EQ(log->add_experiment(creation.facts), 1);
  Event event;
  event.seq = 1;
  event.kind = EventKind::kEpoch;
  auto epoch = std::make_shared<Epoch>();
  epoch->problem = creation.problem;
  epoch->policy = "canonical";
  epoch->written = "as written";
  epoch->start = Start::kSince;
  epoch->since = 17;
  event.opened = epoch;
  log->append(1, event);
  for (const Sequence seq : {1, 10, 20, 30, 40})
    log->add_snapshot(
        1, {seq, ~std::uint64_t{0} - seq, seq == 1 || seq == 20, std::string("\0bytes", 6)});
  log->add_token(token);
  log->add_token({"cd", "other", "", {}, {}, 8, {}});
  log->remove_token("cd");
  log->commit();

  const auto reader = log->reader();
  const auto stored = reader->experiments();
  ASSERT_EQ(stored.size(), 1u);
  EXPECT_EQ(stored[0].facts.name, "mail");
  EXPECT_EQ(stored[0].facts.tenant, "shop");
  EXPECT_EQ(stored[0].facts.seed, ~std::uint64_t{0});
  EXPECT_EQ(stored[0].facts.settings, creation.facts.settings);
  const auto epochs = reader->epochs(1);
  ASSERT_EQ(epochs.size(), 1u);
  EXPECT_EQ(epochs[0]->problem.fingerprint(), creation.problem.fingerprint());
  EXPECT_EQ(epochs[0]->written, "as written");
  EXPECT_EQ(epochs[0]->since, 17u);
  EXPECT_EQ(reader->event(1, 1)->opened->policy, "canonical");
  EXPECT_EQ(reader->snapshots(1), (std::vector<Sequence>{40, 30, 20, 1}));  // 10 is gone
  EXPECT_EQ(reader->snapshot(1, 40)->state, std::string("\0bytes", 6));
  EXPECT_EQ(reader->snapshot(1, 40)->digest, ~std::uint64_t{0} - 40);
  const auto tokens = reader->tokens();
  ASSERT_EQ(tokens.size(), 1u);
  EXPECT_EQ(tokens[0].roles, token.roles);
  EXPECT_EQ(tokens[0].expires, 9);
}

TEST(SqliteLog, ReadersSeeWhatWasCommitted) {
  const TemporaryDirectory directory;
  const auto log = open_sqlite_log(directory.path());
  const auto reader = log->reader();
  Event event;
  event.seq = 1;
  log->begin();
  log->append(1, event);
  EXPECT_EQ(log->last(1), 1u);
  EXPECT_EQ(reader->last(1), 0u);
  log->roll_back();
  EXPECT_EQ(log->last(1), 0u);
  log->begin();
  log->append(1, event);
  log->commit();
  EXPECT_EQ(reader->last(1), 1u);
}

TEST(SqliteLog, RefusesASecondHistory) {
  const TemporaryDirectory directory;
  const auto log = open_sqlite_log(directory.path());
  Event event;
  event.seq = 1;
  log->begin();
  log->append(1, event);
  EXPECT_THROW(log->append(1, event), Error);
}

TEST(SqliteLog, RefusesAGap) {
  const TemporaryDirectory directory;
  const auto log = open_sqlite_log(directory.path());
  Event event;
  event.seq = 1;
  log->begin();
  log->append(1, event);
  event.seq = 3;
  EXPECT_THROW(log->append(1, event), Error);
  log->roll_back();
  log->begin();
  event.seq = 2;
  EXPECT_THROW(log->append(1, event), Error);  // the first was taken back
  event.seq = 1;
  log->append(1, event);
  log->commit();
}

// Rows that make no sense: whoever asks for them is told so, and everything else goes on.
TEST(SqliteLog, AnUnreadableRowCostsWhoAskedForIt) {
  const TemporaryDirectory directory;
  Stand stand([&] { return open_sqlite_log(directory.path(), {.synchronous = "OFF"}); });
  stand.create(small_creation("mail", "ucb"));
  std::vector<Decided> made;
  for (int i = 0; i < 6; ++i) {
    made.push_back(stand.decide("mail", "key " + std::to_string(i)));
    stand.report(made.back(), "opened", 1);
  }
  {
    Database database(directory.file("service.sqlite"), Database::Mode::kReadWrite);
    database.execute(
        "UPDATE events SET kind = 99 WHERE seq = 2; UPDATE events SET action = 5000000000 WHERE "
        "seq = 4; UPDATE events SET reward = 'much' WHERE seq = 7; UPDATE events SET position = "
        "'there' WHERE seq = 8");
  }
  for (int again = 0; again < 3; ++again) {
    for (const int damaged : {0, 1, 2, 3})
      EXPECT_EQ(stand.refused(Look{"mail", made[static_cast<std::size_t>(damaged)].decision}),
                RefusalKind::kStore);
    EXPECT_EQ(stand.refused(Stand::reporting(made[2], "opened", 1)), RefusalKind::kStore);
    EXPECT_EQ(stand.refused(Decide{"mail", "key 0", ""}), RefusalKind::kStore);
    EXPECT_EQ(stand.look(made[4]).status, Status::kLearned);
    stand.report(stand.decide("mail"), "opened", 1);
  }
  EXPECT_FALSE(stand.shard->broken());
  EXPECT_TRUE(stand.shard->quarantined().empty());
}

// Numbers that fit their column and no problem: they are nobody's index.
TEST(SqliteLog, ANumberThatIsNoneIsNotUsed) {
  const TemporaryDirectory directory;
  Stand stand([&] { return open_sqlite_log(directory.path(), {.synchronous = "OFF"}); });
  stand.create(small_creation("mail", "ucb"));
  std::vector<Decided> made;
  for (int i = 0; i < 6; ++i) {
    made.push_back(stand.decide("mail", "key " + std::to_string(i)));
    stand.report(made.back(), "opened", 1);
  }
  {
    Database database(directory.file("service.sqlite"), Database::Mode::kReadWrite);
    database.execute(
        "UPDATE events SET action = 1000000 WHERE seq = 2; UPDATE events SET context = 1000000 "
        "WHERE seq = 5; UPDATE events SET decision = 11 WHERE seq = 7; UPDATE events SET reward = "
        "NULL WHERE seq = 9; UPDATE events SET decision = 0 WHERE seq = 11");
  }
  EXPECT_EQ(stand.refused(Decide{"mail", "key 0", ""}), RefusalKind::kStore);
  for (const std::size_t damaged : {0, 1, 2, 3, 4}) {
    EXPECT_EQ(stand.refused(Look{"mail", made[damaged].decision}), RefusalKind::kStore) << damaged;
    if (damaged > 0)
      EXPECT_EQ(stand.refused(Stand::reporting(made[damaged], "opened", 1)), RefusalKind::kStore);
  }
  EXPECT_EQ(stand.refused(OpenEpoch{"mail", {}, {}, Start::kReplay, 0, ""}), RefusalKind::kStore);
  EXPECT_EQ(stand.look(made[5]).status, Status::kLearned);
  for (const ExportFormat format : {ExportFormat::kCsv, ExportFormat::kDsjson})
    EXPECT_THROW(
        {
          LogExport log(read_sqlite_log(directory.path()), "mail", format, 1);
          for (std::string piece; log.next(piece);) continue;
        },
        Unreadable);
  EXPECT_NE(check_log(*stand.log).at(0).trouble, "");
  stand.report(stand.decide("mail"), "opened", 1);
  EXPECT_TRUE(stand.shard->quarantined().empty());
}

// A page of the file that no longer is what it was, anywhere but in the header: the service starts,
// the other experiment is none the worse for it, and no question ends anything.
TEST(SqliteLog, ADamagedPageCostsNobodyElse) {
  std::uint64_t noticed = 0;
  const TemporaryDirectory directory;
  const std::string file = directory.file("service.sqlite");
  {
    Stand stand([&] { return open_sqlite_log(directory.path(), {.synchronous = "OFF"}); });
    stand.options.snapshot_events = 100;
    stand.create(small_creation("bad", "ts"));
    for (int i = 0; i < 1'000; ++i) stand.report(stand.decide("bad"), "opened", 1);
    stand.create(small_creation("good", "ucb"));
    for (int i = 0; i < 10; ++i) stand.decide("good");
    stand.log->close();
  }
  const std::string whole = read_file(file);
  std::vector<std::size_t> pages;  // of the bad one: the last events are also the good one's
  {
    Database database(file, Database::Mode::kReadWrite);
    Statement rows(database,
                   "SELECT pageno FROM dbstat WHERE name IN ('events', 'snapshots', 'closed') AND "
                   "pagetype IN ('leaf', 'overflow') AND pageno NOT IN (SELECT pageno FROM dbstat "
                   "WHERE name = 'events' ORDER BY path DESC LIMIT 2) ORDER BY pageno");
    try {
      while (rows.step()) pages.push_back(static_cast<std::size_t>(rows.integer(0)));
    } catch (const Error&) {
    }
  }
  ASSERT_GT(pages.size(), 10u);
  for (std::size_t i = 0; i + 1 < pages.size(); i += pages.size() / 10) {
    std::string damaged = whole;
    damaged.replace((pages[i] - 1) * 4'096, 4'096, std::string(4'096, '\xff'));
    write_file(file, damaged);
    Stand stand([&] { return open_sqlite_log(directory.path(), {.synchronous = "OFF"}); });
    for (Sequence seq = 2; seq < 2'000; seq += 20) {
      const Answer answer = stand.ask(Look{"bad", decision_id("bad", seq)});
      const auto* refusal = std::get_if<Refusal>(&answer);
      if (refusal != nullptr && refusal->kind() == RefusalKind::kStore) ++noticed;
    }
    ReplayCheck(stand.log->reader()).pass([] { return false; }, [](ExperimentId) { return true; });
    EXPECT_FALSE(stand.shard->broken()) << "page " << pages[i] << ": " << stand.shard->trouble();
    const Answer answer = stand.ask(Decide{"good", "", ""});
    EXPECT_TRUE(std::holds_alternative<Decided>(answer)) << "page " << pages[i];
  }
  EXPECT_GT(noticed, 0u);
}

// Of one experiment's facts nothing can be read: the others start.
TEST(SqliteLog, DamagedSettingsCostOneExperiment) {
  const TemporaryDirectory directory;
  {
    Stand stand([&] { return open_sqlite_log(directory.path()); });
    stand.create(small_creation("bad", "ucb"));
    stand.create(small_creation("good", "ucb"));
  }
  {
    Database database(directory.file("service.sqlite"), Database::Mode::kReadWrite);
    database.execute("UPDATE experiments SET settings = '{' WHERE name = 'bad'");
  }
  Stand stand([&] { return open_sqlite_log(directory.path()); });
  EXPECT_EQ(stand.refused(Decide{"bad", "", ""}), RefusalKind::kQuarantined);
  EXPECT_EQ(stand.refused(Create{small_creation("bad", "ucb")}), RefusalKind::kConflict);
  stand.decide("good");
  EXPECT_NE(check_log(*stand.log).at(0).trouble, "");
  EXPECT_EQ(check_log(*stand.log).at(1).trouble, "");
  EXPECT_TRUE(ReplayCheck(stand.log->reader())
                  .pass([] { return false; }, [](ExperimentId) { return true; })
                  .empty());
}

// What is made of events must say what they say.
TEST(SqliteLog, ALostEndIsFound) {
  for (const char* sql :
       {"DELETE FROM closed WHERE decision = 2", "UPDATE closed SET seq = 5 WHERE decision = 2",
        "UPDATE closed SET late = NULL WHERE decision = 4"}) {
    const TemporaryDirectory directory;
    Stand stand([&] { return open_sqlite_log(directory.path()); });
    stand.create(small_creation("mail", "ucb"));
    stand.report(stand.decide("mail"), "opened", 1);
    const Decided late = stand.decide("mail");
    stand.must<Received>(Forget{"mail", late.decision});
    stand.report(late, "opened", 1);
    EXPECT_EQ(check_log(*stand.log).at(0).trouble, "");
    {
      Database database(directory.file("service.sqlite"), Database::Mode::kReadWrite);
      database.execute(sql);
    }
    EXPECT_NE(check_log(*stand.log).at(0).trouble.find("end of decision"), std::string::npos)
        << sql;
  }
}

TEST(SqliteLog, ABackupIsAStore) {
  const TemporaryDirectory directory;
  const TemporaryDirectory other;
  const std::string target = other.file("deep/inside");
  std::uint64_t digest = 0;
  {
    Stand stand([&] { return open_sqlite_log(directory.path()); });
    stand.create(small_creation("mail", "ts"));
    for (int i = 0; i < 20; ++i) stand.report(stand.decide("mail"), "opened", 0.5);
    digest = stand.fold("mail").digest();
    back_up_sqlite_log(directory.path(), target);  // while the service is at work
    stand.decide("mail");
  }
  EXPECT_NE(refusal([&] { back_up_sqlite_log(directory.path(), target); }).find("there"),
            std::string::npos);
  Stand copy([&] { return open_sqlite_log(target); });
  EXPECT_EQ(copy.fold("mail").digest(), digest);
  EXPECT_EQ(check_log(*copy.log).at(0).trouble, "");
}

TEST(SqliteLog, ABackupIsForItsOwnerAlone) {
  const TemporaryDirectory directory;
  const TemporaryDirectory target;  // was there, and anybody may look into it
  open_sqlite_log(directory.path());
  back_up_sqlite_log(directory.path(), target.path());
  const auto modes = std::filesystem::status(target.file("service.sqlite")).permissions();
  EXPECT_EQ(modes, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

// A reader that stays keeps the write-ahead log as it is: tidying then waits for as much again.
TEST(SqliteLog, TidiesLessOftenWhileSomebodyReads) {
  const TemporaryDirectory directory;
  const auto log = open_sqlite_log(directory.path(), {.synchronous = "OFF", .pages_ahead = 10});
  Event event;
  const auto write = [&](int events) {
    for (int i = 0; i < events; ++i) {
      ++event.seq;
      log->begin();
      log->append(1, event);
      log->commit();
      log->tidy();
    }
  };
  write(20);
  const auto before = log->bytes_ahead();
  write(200);
  EXPECT_LT(log->bytes_ahead(), 2 * before);  // moved, and begun anew
  const auto reader = log->reader();
  reader->walk(1, 1, 3, [&](const Event& one) {
    if (one.seq == 1) write(200);
  });
  EXPECT_GT(log->bytes_ahead(), 4 * before);
  EXPECT_GT(log->bytes(), log->bytes_ahead());
}

TEST(SqliteLog, KeepsOthersOut) {
  const TemporaryDirectory directory;
  const auto log = open_sqlite_log(directory.path());
  EXPECT_NE(refusal([&] { open_sqlite_log(directory.path()); }).find("another process at work"),
            std::string::npos);
}

TEST(SqliteLog, RefusesWhatIsNotItsOwn) {
  const TemporaryDirectory directory;
  EXPECT_NE(refusal([&] { read_sqlite_log(directory.path()); }).find("store: got none"),
            std::string::npos);
  {
    Database study(directory.file("service.sqlite"), Database::Mode::kCreate);
    study.execute("PRAGMA application_id = 1095912769; CREATE TABLE cells(x)");
  }
  EXPECT_NE(refusal([&] { open_sqlite_log(directory.path()); }).find("another program's"),
            std::string::npos);
  write_file(directory.file("service.sqlite"), std::string(5'000, 'x'));
  EXPECT_NE(refusal([&] { open_sqlite_log(directory.path()); }), "(accepted)");
}

TEST(SqliteLog, RefusesDisksOfOtherMachines) {
  const TemporaryDirectory directory;
  const AllOnNetwork network;
  EXPECT_NE(refusal([&] { open_sqlite_log(directory.path()); }).find("a network's file system"),
            std::string::npos);
  EXPECT_GT(free_bytes_in("."), 0u);
}

TEST(SqliteLog, RefusesALaterSchema) {
  const TemporaryDirectory directory;
  open_sqlite_log(directory.path());
  {
    Database database(directory.file("service.sqlite"), Database::Mode::kReadWrite);
    database.execute("PRAGMA user_version = 2");
  }
  EXPECT_NE(refusal([&] { open_sqlite_log(directory.path()); }).find("schema: got 2"),
            std::string::npos);
}

}  // namespace
}  // namespace armature::service::test
