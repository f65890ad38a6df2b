#include "service/sqlite_log.h"

#include <gtest/gtest.h>

#include "base/directory_lock.h"
#include "base/file.h"
#include "base/refusal.h"
#include "base/sqlite.h"
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
  EXPECT_THROW(log->append(1, event), StoreFailure);
}

TEST(SqliteLog, RefusesAGap) {
  const TemporaryDirectory directory;
  const auto log = open_sqlite_log(directory.path());
  Event event;
  event.seq = 1;
  log->begin();
  log->append(1, event);
  event.seq = 3;
  EXPECT_THROW(log->append(1, event), StoreFailure);
  log->roll_back();
  log->begin();
  event.seq = 2;
  EXPECT_THROW(log->append(1, event), StoreFailure);  // the first was taken back
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

TEST(SqliteLog, KnowsDisksOfOtherMachines) {
  EXPECT_TRUE(is_network_file_system(0x6969));       // NFS
  EXPECT_TRUE(is_network_file_system(0xfe534d42));   // SMB 2
  EXPECT_FALSE(is_network_file_system(0xef53));      // ext4
  EXPECT_FALSE(is_network_file_system(0x58465342));  // XFS
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
