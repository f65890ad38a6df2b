#include "service/archive.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>

#include "base/file.h"
#include "base/refusal.h"
#include "base/sqlite.h"
#include "service/http/complaint.h"
#include "service/sqlite_log.h"
#include "service/stand.h"
#include "service/transfer.h"
#include "support/program.h"

namespace armature::service::test {
namespace {

using armature::test::refusal;
using armature::test::TemporaryDirectory;

constexpr Time kDay = 24 * kHour;
const Time kDecember = parse_date("2023-12-01", "date");  // a stand's clock begins in November

// Two decisions a day. Of three one is reported, one in part, one not at all; both are forgotten at
// the deadline.
void play(Stand& stand, int days) {
  for (int i = 0; i < 2 * days; ++i) {
    stand.clock.pass(kDay / 2);
    const Decided decided = stand.decide("mail");
    if (i % 3 == 0) stand.report(decided, "opened", 0.25 * (i % 5));
    if (i % 3 == 1) stand.report(decided, "ignored", std::nullopt);
  }
}

void create(Stand& stand) {
  Creation creation = rich_creation("ts");
  creation.facts.settings.floor = 0.1;
  creation.facts.settings.deadline = kHour;
  stand.create(creation);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> exported(LogReader& log) {
  std::vector<std::string> lines;
  export_json_lines(log, log.experiments().at(0),
                    [&](const std::string& line) { lines.push_back(line); });
  return lines;
}

std::vector<CheckedExperiment> imported(Log& log, const std::vector<std::string>& lines) {
  std::size_t at = 0;
  return import_json_lines(
      log,
      [&]() -> std::optional<std::string> {
        return at < lines.size() ? std::optional(lines[at++]) : std::nullopt;
      },
      "whole.jsonl");
}

// A store on disk, and beside it one that is never archived and lives through the same.
class Archiving : public testing::Test {
 protected:
  Archiving() {
    create(store_);
    create(twin_);
  }
  // No power is cut here: nothing waits for the disk.
  std::unique_ptr<Log> open() const {
    return open_sqlite_log(directory_.file("store"), {.synchronous = "OFF"});
  }
  void play_both(int days) {
    play(store_, days);
    play(twin_, days);
  }
  void restart_both() {
    store_.crash();
    twin_.crash();
  }
  ArchiveOptions options(Time before) const {
    ArchiveOptions options;
    options.folder = directory_.file("old");
    options.before = before;
    return options;
  }
  // As the command does it: while nobody serves.
  Archived archive(const ArchiveOptions& options) {
    store_.shard.reset();
    const Archived archived =
        archive_experiment(*store_.log, store_.log->experiments().at(0), options);
    store_.crash();
    EXPECT_EQ(archived.trouble, "");
    return archived;
  }
  Archived archive(Time before) { return archive(options(before)); }
  std::string refused_archive(Time before) {
    store_.shard.reset();
    const std::string message = refusal(
        [&] { archive_experiment(*store_.log, store_.log->experiments().at(0), options(before)); });
    store_.crash();
    return message;
  }
  std::string old_file(const std::string& month) const {
    return directory_.file("old/mail-" + month + ".jsonl");
  }
  // All archived lines there are, in the order of months, then what the store exports.
  std::vector<std::string> whole() {
    std::vector<std::string> lines;
    for (const std::string month : {"2023-11", "2023-12", "2024-01"})
      if (std::filesystem::exists(old_file(month)))
        for (const std::string& line : lines_of(read_file(old_file(month)))) lines.push_back(line);
    for (const std::string& line : exported(*store_.log)) lines.push_back(line);
    return lines;
  }
  void expect_as_the_twin() {
    EXPECT_EQ(store_.fold("mail").digest(), twin_.fold("mail").digest());
    EXPECT_EQ(store_.fold("mail").last_seq(), twin_.fold("mail").last_seq());
    const CheckedExperiment checked = check_log(*store_.log).at(0);
    EXPECT_EQ(checked.trouble, "");
    EXPECT_EQ(checked.digest, twin_.fold("mail").digest());
    EXPECT_EQ(checked.first, store_.log->first(1));
    Stand rebuilt;
    EXPECT_EQ(imported(*rebuilt.log, whole()).at(0).digest, twin_.fold("mail").digest());
  }

  TemporaryDirectory directory_;
  Stand store_{[this] { return open(); }};
  Stand twin_;
};

TEST_F(Archiving, LeavesAnExperimentAsItWas) {
  play_both(60);
  restart_both();
  const Archived archived = archive(kDecember);
  twin_.crash();
  EXPECT_EQ(archived.first, 1u);
  EXPECT_EQ(archived.held_back, "");
  EXPECT_EQ(archived.files, std::vector<std::string>{old_file("2023-11")});
  // The first event that is there is the first of December.
  EXPECT_EQ(store_.log->first(1), archived.last + 1);
  EXPECT_GE(store_.log->event(1, archived.last + 1)->time, kDecember);
  EXPECT_LT(twin_.log->event(1, archived.last)->time, kDecember);
  expect_as_the_twin();
  play_both(30);
  expect_as_the_twin();
  restart_both();
  expect_as_the_twin();
  EXPECT_EQ(store_.decide("mail").decision, twin_.decide("mail").decision);
}

TEST_F(Archiving, FilesAreTheLinesOfAnExport) {
  play_both(80);
  const std::vector<std::string> before = exported(*store_.log);
  const std::string header = experiment_json(store_.log->experiments().at(0).facts);
  const Archived archived = archive(parse_date("2024-01-15", "date"));
  ASSERT_EQ(archived.files.size(), 3u);
  std::vector<std::string> after{before.front()};  // says where the log ends; an archive does not
  for (const std::string& line : whole())
    if (line != header && line != before.front()) after.push_back(line);
  EXPECT_EQ(after, before);
  for (const std::string month : {"2023-11", "2023-12", "2024-01"}) {
    const std::vector<std::string> lines = lines_of(read_file(old_file(month)));
    EXPECT_EQ(lines.front(), header);
    for (std::size_t i = 1; i < lines.size(); ++i) {
      const Time time = event_of_json(lines[i]).time;
      EXPECT_GE(time, parse_date(month + "-01", "date"));
      EXPECT_LT(time, parse_date(month + "-01", "date") + 31 * kDay);
    }
  }
}

TEST_F(Archiving, IsDoneAgainAndAgain) {
  play_both(20);
  for (int day = 0; day < 60; day += 6) {
    const Sequence first = store_.log->first(1);
    archive(store_.clock.wall() - 5 * kDay);  // months are continued
    EXPECT_GT(store_.log->first(1), first);
    twin_.crash();
    play_both(6);
  }
  EXPECT_EQ(exported(*store_.log).size(), store_.log->last(1) + 2 - store_.log->first(1));
  expect_as_the_twin();
}

TEST_F(Archiving, ARestAloneOrWithoutAMonthIsRefused) {
  play_both(80);
  archive(parse_date("2024-01-15", "date"));
  Stand other;
  const std::string first = std::to_string(store_.log->first(1));
  const std::string message = imported(*other.log, exported(*store_.log)).at(0).trouble;
  EXPECT_NE(message.find("missing"), std::string::npos) << message;
  EXPECT_NE(message.find(first), std::string::npos) << message;
  std::filesystem::remove(old_file("2023-12"));
  EXPECT_NE(imported(*other.log, whole()).at(0).trouble.find("missing"), std::string::npos);
  EXPECT_TRUE(other.log->experiments().empty());
}

TEST_F(Archiving, QuestionsAboutArchivedDecisionsAreAnswered) {
  const Decided old = store_.decide("mail");
  store_.report(old, "opened", 1);
  const Decided silent = store_.decide("mail");
  play(store_, 60);
  archive(kDecember);
  const std::uint64_t digest = store_.fold("mail").digest();
  const std::vector<Request> questions = {
      Look{"mail", old.decision},         Stand::reporting(old, "opened", 1),
      Stand::reporting(old, "opened", 0), Stand::reporting(silent, "opened", 1),
      Forget{"mail", silent.decision},    Amend{"mail", old.decision, {}, 0.5, "wrong"}};
  for (const Request& question : questions) {
    const Answer answer = store_.ask(question);
    ASSERT_TRUE(std::holds_alternative<Refusal>(answer));
    const Refusal& refusal = std::get<Refusal>(answer);
    EXPECT_EQ(refusal.kind(), RefusalKind::kArchived);
    EXPECT_EQ(refusal.report().field, "decision");
    EXPECT_NE(refusal.report().expected.find("mail-YYYY-MM.jsonl"), std::string::npos);
  }
  EXPECT_EQ(http_status(RefusalKind::kArchived), 410);
  EXPECT_STREQ(http::status_words(410), "Gone");
  const ExperimentFacts facts = store_.log->experiments().at(0).facts;
  try {
    replayed_probabilities(facts, *store_.log, 1, old.seq, 100);
    ADD_FAILURE() << "answered";
  } catch (const Refusal& refusal) {
    EXPECT_EQ(refusal.kind(), RefusalKind::kArchived);
  }
  // Of one that is there it is worked out, from the anchor on.
  Sequence there = store_.log->first(1);
  while (store_.log->event(1, there)->kind != EventKind::kDecided) ++there;
  EXPECT_EQ(replayed_probabilities(facts, *store_.log, 1, there, 100).probabilities.size(), 3u);
  // What never was is still told apart.
  EXPECT_EQ(store_.refused(Look{"mail", decision_id("mail", 1'000'000)}), RefusalKind::kNoDecision);
  EXPECT_EQ(store_.refused(Look{"mail", decision_id("mail", 0)}), RefusalKind::kNoDecision);
  EXPECT_EQ(store_.refused(Look{"mail", "mail.2.0000"}), RefusalKind::kMistyped);
  EXPECT_EQ(store_.fold("mail").digest(), digest);
}

TEST_F(Archiving, ADecisionThatEndedLaterIsArchivedToo) {
  store_.clock.wall_now = twin_.clock.wall_now = kDecember - kMinute;
  const Decided across = store_.decide("mail");
  twin_.decide("mail");
  for (Stand* stand : {&store_, &twin_}) {
    stand->clock.pass(2 * kMinute);
    stand->report(across, "opened", 1);  // in December
  }
  play_both(5);
  const Archived archived = archive(kDecember);
  twin_.crash();
  EXPECT_EQ(archived.last, across.seq);
  EXPECT_EQ(store_.refused(Look{"mail", across.decision}), RefusalKind::kArchived);
  expect_as_the_twin();
}

TEST_F(Archiving, NewEpochsAreTaughtFromWhatIsThere) {
  play_both(60);
  const Sequence first = archive(kDecember).last + 1;
  twin_.crash();
  OpenEpoch request{"mail", std::nullopt, "ucb", Start::kReplay, 0, "because"};
  const auto refused_field = [&] {
    const Answer answer = store_.ask(request);
    EXPECT_TRUE(std::holds_alternative<Refusal>(answer));
    const ErrorReport report = std::get<Refusal>(answer).report();
    EXPECT_NE(report.expected.find(std::to_string(first)), std::string::npos) << report.expected;
    return report.field;
  };
  EXPECT_EQ(refused_field(), "start");
  request.start = Start::kSince;
  request.since = first - 1;
  EXPECT_EQ(refused_field(), "since");
  EXPECT_EQ(store_.refused(AddShadow{"mail", "ucb"}), RefusalKind::kState);
  request.since = first;
  store_.must<Done>(request);
  twin_.must<Done>(request);
  play_both(5);
  restart_both();
  expect_as_the_twin();
}

TEST_F(Archiving, WhatIsStillNeededStays) {
  // A key, for there are fewer than 100,000.
  play_both(2);
  const Sequence keyed = store_.decide("mail", "visitor").seq;
  play(store_, 60);
  Archived archived = archive(kDecember);
  EXPECT_EQ(archived.last, keyed - 1);
  EXPECT_NE(archived.held_back.find("key"), std::string::npos) << archived.held_back;
  EXPECT_TRUE(store_.decide("mail", "visitor").repeated);
  EXPECT_EQ(archive(kDecember).last, keyed - 1);  // nothing more
}

TEST_F(Archiving, AnOpenDecisionStays) {
  Creation creation = rich_creation("ucb");
  creation.facts.name = "slow";
  creation.facts.settings.deadline.reset();
  store_.create(creation);
  store_.report(store_.decide("slow"), "opened", 1);
  const Decided open = store_.decide("slow");
  for (int i = 0; i < 40; ++i) {
    store_.clock.pass(kDay);
    store_.report(store_.decide("slow"), "opened", 0.5);
  }
  const std::uint64_t digest = store_.fold("slow").digest();
  store_.shard.reset();
  const Archived archived =
      archive_experiment(*store_.log, store_.log->experiments().at(1), options(kDecember));
  store_.crash();
  EXPECT_EQ(archived.last, open.seq - 1);
  EXPECT_NE(archived.held_back.find("without an outcome"), std::string::npos);
  EXPECT_EQ(store_.fold("slow").digest(), digest);
  EXPECT_EQ(store_.look(open).status, Status::kOpen);
  EXPECT_EQ(store_.report(open, "opened", 1).status, Status::kLearned);
}

// What an epoch or a shadow was taught is needed to replay it, unless it is archived itself.
TEST_F(Archiving, LessonsStayWithThoseTheyTaught) {
  play_both(25);  // into December
  for (Stand* stand : {&store_, &twin_}) {
    stand->must<Done>(OpenEpoch{"mail", {}, "ucb", Start::kReplay, 0, "better"});
    stand->must<Done>(AddShadow{"mail", "kl-ucb"});
  }
  const Sequence shadow = store_.fold("mail").last_seq();
  play_both(25);
  const Archived none = archive(kDecember);
  EXPECT_LT(none.last, none.first);
  EXPECT_NE(none.held_back.find("taught"), std::string::npos) << none.held_back;
  EXPECT_EQ(store_.log->first(1), 1u);
  EXPECT_GT(archive(store_.clock.wall() - 5 * kDay).last, shadow);
  twin_.crash();
  twin_.crash();
  expect_as_the_twin();
  // Its shadow goes on, and a new epoch would have to teach it anew.
  EXPECT_EQ(store_.refused(OpenEpoch{"mail", {}, "ucb", Start::kFresh, 0, ""}),
            RefusalKind::kState);
  play_both(5);
  expect_as_the_twin();
}

TEST_F(Archiving, PreviewChangesNothing) {
  play_both(60);
  ArchiveOptions preview = options(kDecember);
  preview.dry_run = true;
  const Archived archived = archive(preview);
  EXPECT_GT(archived.last, 1u);
  EXPECT_EQ(archived.files.size(), 1u);
  EXPECT_EQ(store_.log->first(1), 1u);
  EXPECT_EQ(directory_.listing(), std::vector<std::string>{"store"});
}

// Killed at every step: the rows are there or the files are complete, and the next run finishes.
TEST_F(Archiving, KilledAnywhereNothingIsLost) {
  play_both(80);
  store_.shard.reset();
  store_.log.reset();
  bool killed = true;
  int steps = 0;
  for (; killed; ++steps) {
    const auto archive_until_killed = [&] {
      ArchiveOptions deadly = options(parse_date("2024-01-15", "date"));
      deadly.progress = [&, told = 0](const char*, Sequence, Sequence) mutable {
        if (told++ == steps) ::_exit(9);
      };
      const auto log = open();
      archive_experiment(*log, log->experiments().at(0), deadly);
      ::_exit(0);
    };
    killed = false;
    EXPECT_EXIT(
        archive_until_killed(),
        [&](int status) {
          killed = WEXITSTATUS(status) == 9;
          return killed || WEXITSTATUS(status) == 0;
        },
        "");
    store_.start();
    const bool removed = store_.log->first(1) > 1;
    EXPECT_EQ(removed, !killed);
    EXPECT_EQ(store_.fold("mail").digest(), twin_.fold("mail").digest());
    store_.shard.reset();
    store_.log.reset();
  }
  EXPECT_EQ(steps, 3 + 2 + 1);  // files, both ends of the transaction, and once unharmed
  store_.start();
  twin_.crash();
  expect_as_the_twin();
}

TEST_F(Archiving, AFileThatDoesNotFitIsLeftAlone) {
  play_both(20);
  archive(store_.clock.wall() - 10 * kDay);
  const std::string good = read_file(old_file("2023-11"));
  const std::vector<std::string> lines = lines_of(good);
  const auto text_of = [](const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts) text += part + "\n";
    return text;
  };
  const auto without = [&](std::size_t line) {
    std::vector<std::string> rest = lines;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(line));
    return text_of(rest);
  };
  std::string other_seed = good;
  other_seed.replace(other_seed.find("\"seed\":\"7\""), 10, "\"seed\":\"8\"");
  const Sequence first = store_.log->first(1);
  for (const std::string& bad : {std::string(), std::string("hello\n"), without(0), without(5),
                                 without(lines.size() - 1), other_seed, good + "{\"seq\":\"9"}) {
    write_file(old_file("2023-11"), bad);
    const std::string message = refused_archive(kDecember);
    EXPECT_NE(message.find("mail-2023-11.jsonl: line "), std::string::npos) << message;
    EXPECT_NE(message.find("left as it is"), std::string::npos) << message;
    EXPECT_EQ(read_file(old_file("2023-11")), bad);
    EXPECT_EQ(store_.log->first(1), first);
  }
  // A row that it has and the store has, too, must be the same in both.
  Event changed = store_.log->event(1, first).value();
  changed.note = "changed";
  write_file(old_file("2023-11"), good + event_json(changed) + "\n");
  EXPECT_NE(refused_archive(kDecember).find("the same as in the store"), std::string::npos);
  write_file(old_file("2023-11"), good);
  EXPECT_GT(archive(kDecember).last, first);
  EXPECT_TRUE(read_file(old_file("2023-11")).starts_with(good));
  twin_.crash();
  twin_.crash();
}

// Without its anchor the rest is of no use, and says so; nobody guesses.
TEST_F(Archiving, ALostAnchorIsNotGuessedAt) {
  play_both(60);
  archive(kDecember);
  store_.shard.reset();
  store_.log.reset();
  Database(directory_.file("store/service.sqlite"), Database::Mode::kReadWrite)
      .execute("DELETE FROM snapshots");
  store_.start();
  EXPECT_EQ(store_.shard->find("mail"), nullptr);
  EXPECT_EQ(store_.refused(Decide{"mail", "", ""}), RefusalKind::kQuarantined);
  const std::string trouble = check_log(*store_.log).at(0).trouble;
  EXPECT_NE(trouble.find("archive"), std::string::npos) << trouble;
  store_.create(small_creation("other", "ucb"));  // others do not notice
  // The archive and the rest are still all of it.
  Stand rebuilt;
  EXPECT_EQ(imported(*rebuilt.log, whole()).at(0).digest, twin_.fold("mail").digest());
}

TEST_F(Archiving, WhatDoesNotReplayIsNotMoved) {
  play_both(60);
  store_.shard.reset();
  store_.log.reset();
  Database(directory_.file("store/service.sqlite"), Database::Mode::kReadWrite)
      .execute("UPDATE events SET position = position + 1 WHERE seq = 5");
  const auto log = open();
  const Archived archived = archive_experiment(*log, log->experiments().at(0), options(kDecember));
  EXPECT_NE(archived.trouble.find("event 5"), std::string::npos) << archived.trouble;
  EXPECT_EQ(log->first(1), 1u);
  EXPECT_EQ(directory_.listing(), std::vector<std::string>{"store"});
}

TEST(ArchiveDates, AreDays) {
  EXPECT_EQ(parse_date("1970-01-02", "x"), kDay);
  EXPECT_EQ(parse_date("2024-02-29", "x"), Time{1'709'164'800} * kSecond);
  for (const char* bad : {"", "2023-02-29", "2023-13-01", "2023-1-01", "2023-01-01T00:00",
                          "2023-00-10", "2023-10-00", "-023-10-01", "2023/10/01", "yesterday"})
    EXPECT_NE(refusal([&] { parse_date(bad, "--before"); }).find("2026-10-01"), std::string::npos)
        << bad;
}

}  // namespace
}  // namespace armature::service::test
