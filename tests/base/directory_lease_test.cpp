#include "base/directory_lease.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/file.h"
#include "base/machine.h"
#include "base/refusal.h"
#include "support/child_process.h"
#include "support/other_process.h"
#include "support/program.h"

namespace armature {
namespace {

using test::contains;
using test::OtherProcess;
using test::refusal;
using test::TemporaryDirectory;
using Json = nlohmann::json;

// --- Machines made up ----------------------------------------------------------------------------

// As on a machine of this name, where no lock of the kernel reaches; ten times as fast.
LeaseTerms terms_of(const std::string& host) {
  LeaseTerms terms;
  terms.identity.host = host;
  terms.identity.boot = "boot of " + host;
  terms.renewal = .2;
  terms.silence = 1.6;
  terms.settle = .4;
  terms.locks = false;
  return terms;
}

// A file system that hangs once for so long, in the first such step after it is told to.
class Hanging {
 public:
  explicit Hanging(LeaseStep step) : step_(step) {}

  LeaseTerms on(const std::string& host, double seconds) {
    LeaseTerms terms = terms_of(host);
    terms.within = [this, seconds](LeaseStep step) {
      if (step != step_ || !next_.exchange(false)) return;
      hangs_ = true;
      std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    };
    return terms;
  }
  void hang_next() { next_ = true; }
  void wait_until_it_hangs() const {
    while (!hangs_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

 private:
  const LeaseStep step_;
  std::atomic<bool> next_{false}, hangs_{false};
};

void pause_for(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// What a process of another machine leaves that died without a word.
std::string left_by(const std::string& host, double time, const std::string& note = "") {
  return Json{{"host", host},    {"boot", "boot of " + host},
              {"processes", ""}, {"process", 4242},
              {"started", "7"},  {"id", "0123456789abcdef"},
              {"counter", 3},    {"locked", true},
              {"time", time},    {"note", note}}
      .dump();
}

double now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// The lease as a process has it that is about to be forked.
auto lease_of_another(const std::string& directory, const LeaseTerms& given) {
  return [=] {
    LeaseTerms terms = given;
    terms.identity.process = LeaseIdentity::own().process;
    terms.identity.started = LeaseIdentity::own().started;
    return DirectoryLease(directory, terms);
  };
}

// --- One machine ---------------------------------------------------------------------------------

TEST(DirectoryLease, OneAtATimeAndNothingIsLeft) {
  const TemporaryDirectory directory;
  EXPECT_FALSE(DirectoryLease::holder(directory.path()));
  {
    const DirectoryLease lease(directory.path());
    EXPECT_FALSE(lease.lost());
    EXPECT_EQ(directory.listing(), std::vector<std::string>{"lease"});
    const auto holder = DirectoryLease::holder(directory.path());
    ASSERT_TRUE(holder);
    EXPECT_EQ(holder->host, host_name());
    EXPECT_EQ(holder->process, getpid());
    EXPECT_TRUE(holder->alive);
    EXPECT_TRUE(holder->here);
    EXPECT_EQ(refusal([&] { DirectoryLease second(directory.path()); }),
              directory.path() + ": directory: got process " + std::to_string(getpid()) + " on " +
                  host_name() + " at work in it, expected one at a time");
    EXPECT_FALSE(lease.lost());
  }
  EXPECT_FALSE(DirectoryLease::holder(directory.path()));
  EXPECT_TRUE(directory.listing().empty());
  const DirectoryLease again(directory.path());
}

// With the kernel's locks and without.
class OfOneMachine : public ::testing::TestWithParam<bool> {
 protected:
  LeaseTerms terms() const {
    LeaseTerms terms;
    terms.locks = GetParam();
    return terms;
  }
  TemporaryDirectory directory_;
};
INSTANTIATE_TEST_SUITE_P(Locks, OfOneMachine, ::testing::Bool());

TEST_P(OfOneMachine, TheLivingAreRefusedAndTheDeadReplacedAtOnce) {
  {
    const OtherProcess other(lease_of_another(directory_.path(), terms()));
    const auto holder = DirectoryLease::holder(directory_.path(), terms());
    ASSERT_TRUE(holder);
    EXPECT_EQ(holder->process, other.number());
    std::string message;
    EXPECT_LT(seconds_of([&] {
                message = refusal([&] { DirectoryLease mine(directory_.path(), terms()); });
              }),
              1.5);
    EXPECT_TRUE(contains(message, "process " + std::to_string(other.number()) + " on ")) << message;
    // Stopped it is still there, for as long as it likes.
    kill(other.number(), SIGSTOP);
    EXPECT_TRUE(
        contains(refusal([&] { DirectoryLease mine(directory_.path(), terms()); }), "at work"));
  }
  EXPECT_EQ(directory_.listing(), std::vector<std::string>{"lease"});
  EXPECT_FALSE(DirectoryLease::holder(directory_.path(), terms()));
  EXPECT_LT(seconds_of([&] {
              const DirectoryLease mine(directory_.path(), terms());
              EXPECT_FALSE(mine.lost());
            }),
            GetParam() ? 1 : terms().settle + 1);
  EXPECT_TRUE(directory_.listing().empty());
}

// The number of a process says nothing without the time it began.
TEST_P(OfOneMachine, AnotherProcessOfTheSameNumberIsAnother) {
  Json left = Json::parse(left_by(host_name(), now()));
  const LeaseIdentity own = LeaseIdentity::own();
  left["boot"] = own.boot;
  left["processes"] = own.processes;
  left["process"] = own.process;
  write_file(directory_.file("lease"), left.dump());
  EXPECT_FALSE(DirectoryLease::holder(directory_.path(), terms()));
  EXPECT_LT(seconds_of([&] { const DirectoryLease mine(directory_.path(), terms()); }),
            terms().settle + 2);
}

TEST(DirectoryLease, StartsAtOnce) {
  const TemporaryDirectory directory;
  double fastest = 1;
  for (int i = 0; i < 10; ++i)
    fastest = std::min(fastest, seconds_of([&] { const DirectoryLease lease(directory.path()); }));
  EXPECT_LT(fastest, .02);
}

// A copy of a directory at work is nobody's, though the process named in it lives.
TEST(DirectoryLease, ACopyOfADirectoryIsNotHeld) {
  const TemporaryDirectory directory;
  LeaseTerms terms = terms_of(host_name());
  terms.locks = true;
  const std::string copy = directory.file("copy");
  make_directory(copy);
  make_directory(directory.file("first"));
  const DirectoryLease lease(directory.file("first"), terms);
  std::filesystem::copy_file(directory.file("first/lease"), copy + "/lease");
  EXPECT_FALSE(DirectoryLease::holder(copy, terms));
  const DirectoryLease mine(copy, terms);
  EXPECT_FALSE(mine.lost());
  EXPECT_FALSE(lease.lost());
}

TEST(DirectoryLease, NeedsADirectoryToWriteTo) {
  const TemporaryDirectory directory;
  write_file(directory.file("x"), "");
  EXPECT_TRUE(contains(refusal([&] { DirectoryLease lease(directory.file("none")); }),
                       "none: directory: got No such file or directory"));
  EXPECT_TRUE(contains(refusal([&] { DirectoryLease lease(directory.file("x")); }),
                       "x: directory: got Not a directory"));
  EXPECT_TRUE(
      contains(refusal([&] { DirectoryLease lease(directory.file("none"), terms_of("a")); }),
               "none: directory: got No such file or directory"));
  EXPECT_FALSE(DirectoryLease::holder(directory.file("none")));
  EXPECT_FALSE(DirectoryLease::holder(directory.file("x")));
  EXPECT_FALSE(DirectoryLease::holder_elsewhere(directory.file("none")));
  // Nobody may write to /proc, not even who may do everything else.
  EXPECT_TRUE(contains(refusal([] { DirectoryLease lease("/proc"); }),
                       "one to write to: who works in it leaves a file 'lease' there"));
}

TEST(DirectoryLease, AskingDoesNotRefuseAnyone) {
  const TemporaryDirectory directory;
  std::atomic<bool> done{false};
  std::jthread asking([&] {
    while (!done) DirectoryLease::holder(directory.path());
  });
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(refusal([&] { DirectoryLease lease(directory.path()); }), "(accepted)");
  done = true;
}

// --- Several machines ----------------------------------------------------------------------------

TEST(DirectoryLease, IsRenewedWithItsNote) {
  const TemporaryDirectory directory;
  DirectoryLease lease(directory.path(), terms_of("a"));
  lease.note("half \"done\" of it \xff");
  const std::string first = read_file(directory.file("lease"));
  std::optional<DirectoryLease::Holder> holder;
  EXPECT_TRUE(test::comes_true([&] {
    holder = DirectoryLease::holder(directory.path(), terms_of("b"));
    return read_file(directory.file("lease")) != first && holder &&
           contains(holder->note, "half \"done\" of it ");
  }));
  ASSERT_TRUE(holder);
  EXPECT_EQ(holder->host, "a");
  EXPECT_TRUE(holder->alive);
  EXPECT_FALSE(holder->here);
}

TEST(DirectoryLease, OfAnotherMachineIsRefusedWhileItIsRenewed) {
  const TemporaryDirectory directory;
  const DirectoryLease lease(directory.path(), terms_of("a"));
  std::vector<std::string> notices;
  LeaseTerms terms = terms_of("b");
  terms.notice = [&](const std::string& words) { notices.push_back(words); };
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(refusal([&] { DirectoryLease mine(directory.path(), terms); }),
              directory.path() + ": directory: got process " + std::to_string(getpid()) +
                  " on a at work in it, expected one at a time");
  EXPECT_FALSE(lease.lost());
  EXPECT_EQ(directory.listing(), std::vector<std::string>{"lease"});
  ASSERT_EQ(notices.size(), 2u);
  EXPECT_TRUE(contains(notices[0], "to see whether process ")) << notices[0];
}

// Whatever its clock says, before ours or behind it.
TEST(DirectoryLease, OfASilentMachineIsTakenOver) {
  for (const double ahead : {-1e6, 0., 1e6}) {
    const TemporaryDirectory directory;
    write_file(directory.file("lease"), left_by("a", now() + ahead));
    write_file(directory.file("lease.0123456789abcdef"), "of a renewal that never ended");
    const LeaseTerms terms = terms_of("b");
    EXPECT_GT(seconds_of([&] {
                const DirectoryLease mine(directory.path(), terms);
                EXPECT_FALSE(mine.lost());
                EXPECT_EQ(directory.listing(), std::vector<std::string>{"lease"});
              }),
              terms.silence);
    EXPECT_TRUE(directory.listing().empty());
  }
}

// Another machine of the same name, or the same one after a restart: nobody can tell.
TEST(DirectoryLease, ANameAloneIsNoMachine) {
  const TemporaryDirectory directory;
  LeaseTerms other = terms_of("localhost");
  other.identity.boot = "another boot";
  const DirectoryLease lease(directory.path(), other);
  EXPECT_TRUE(contains(
      refusal([&] { DirectoryLease mine(directory.path(), terms_of("localhost")); }), "at work"));
}

TEST(DirectoryLease, WhatIsNoLeaseIsWatchedToo) {
  for (const char* content : {"", "{", "[]", "{\"host\": 3}"}) {
    const TemporaryDirectory directory;
    write_file(directory.file("lease"), content);
    const auto holder = DirectoryLease::holder(directory.path(), terms_of("b"));
    ASSERT_TRUE(holder);
    EXPECT_FALSE(holder->alive);
    const DirectoryLease mine(directory.path(), terms_of("b"));
    EXPECT_FALSE(mine.lost());
  }
}

TEST(DirectoryLease, GivenBackWhileOneWaitsIsTaken) {
  const TemporaryDirectory directory;
  auto lease = std::make_unique<DirectoryLease>(directory.path(), [] {
    LeaseTerms slow = terms_of("a");
    slow.renewal = 60;
    return slow;
  }());
  std::jthread giving([&] {
    pause_for(.3);
    lease.reset();
  });
  LeaseTerms patient = terms_of("b");
  patient.silence = 60;
  const DirectoryLease mine(directory.path(), patient);
  EXPECT_FALSE(mine.lost());
}

// Who has what was taken, as each of them knows at once.
class Takers {
 public:
  explicit Takers(const std::string& directory) : directory_(directory) {}

  // Whoever has it now is the only one, or the others know better already.
  std::string take(const LeaseTerms& terms) {
    return refusal([&] {
      auto lease = std::make_unique<DirectoryLease>(directory_, terms);
      const std::lock_guard lock(mutex_);
      for (const auto& earlier : leases_) EXPECT_TRUE(earlier->lost());
      EXPECT_FALSE(lease->lost());
      leases_.push_back(std::move(lease));
    });
  }
  std::size_t count() const { return leases_.size(); }
  std::size_t holding() const {
    return static_cast<std::size_t>(std::count_if(
        leases_.begin(), leases_.end(), [](const auto& lease) { return !lease->lost(); }));
  }

 private:
  const std::string directory_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<DirectoryLease>> leases_;
};

TEST(DirectoryLease, OfSeveralWhoTakeOverOneHasIt) {
  for (int round = 0; round < 3; ++round) {
    const TemporaryDirectory directory;
    write_file(directory.file("lease"), left_by("dead", now() - round));
    Takers takers(directory.path());
    constexpr int kTakers = 6;
    std::string refusals[kTakers];
    {
      std::vector<std::jthread> threads;
      for (int i = 0; i < kTakers; ++i)
        threads.emplace_back(
            [&, i] { refusals[i] = takers.take(terms_of("taker" + std::to_string(i))); });
    }
    EXPECT_EQ(takers.count(), 1u);
    EXPECT_EQ(takers.holding(), 1u);
    for (const std::string& words : refusals)
      EXPECT_TRUE(words == "(accepted)" || contains(words, " on taker")) << words;
  }
}

// Slow to write, one that takes over looks once more, and finds the other.
TEST(DirectoryLease, WhoIsSlowToTakeOverLooksAgain) {
  const TemporaryDirectory directory;
  write_file(directory.file("lease"), left_by("dead", now()));
  Takers takers(directory.path());
  Hanging disk(LeaseStep::kWrite);
  disk.hang_next();
  std::string slow;
  {
    const std::jthread first([&] { slow = takers.take(disk.on("slow", 2)); });
    disk.wait_until_it_hangs();
    EXPECT_EQ(takers.take(terms_of("quick")), "(accepted)");
  }
  EXPECT_TRUE(contains(slow, " on quick at work in it")) << slow;
  EXPECT_EQ(takers.count(), 1u);
  EXPECT_EQ(takers.holding(), 1u);
  EXPECT_EQ(directory.listing(), std::vector<std::string>{"lease"});
}

// Slow to rename, it may have taken it from one that has it already: that one must have noticed
// before anybody begins to work.
TEST(DirectoryLease, WhoTookItFromAnotherTooLateWaits) {
  const TemporaryDirectory directory;
  write_file(directory.file("lease"), left_by("dead", now()));
  Hanging disk(LeaseStep::kRename);
  disk.hang_next();
  const LeaseTerms slow = disk.on("slow", 1);
  const std::jthread other([&] {
    disk.wait_until_it_hangs();
    write_file(directory.file("lease"), left_by("quick", now()));
  });
  EXPECT_GT(seconds_of([&] {
              const DirectoryLease lease(directory.path(), slow);
              EXPECT_FALSE(lease.lost());
            }),
            slow.silence + 1 + slow.silence + slow.settle);
}

TEST(DirectoryLease, OfSeveralWhoBeginOneHasIt) {
  const TemporaryDirectory directory;
  std::atomic<int> holding{0}, most{0};
  std::vector<std::jthread> takers;
  for (int i = 0; i < 6; ++i)
    takers.emplace_back([&, i] {
      refusal([&] {
        const DirectoryLease lease(directory.path(), terms_of("host" + std::to_string(i)));
        most = std::max(most.load(), ++holding);
        pause_for(1);
        EXPECT_FALSE(lease.lost());
        --holding;
      });
    });
  takers.clear();
  EXPECT_EQ(most, 1);
}

// --- Losing it -----------------------------------------------------------------------------------

TEST(DirectoryLease, WhoHasLostItNoticesAndWritesNothingMore) {
  const TemporaryDirectory directory;
  {
    const DirectoryLease lease(directory.path(), terms_of("a"));
    const std::string others = left_by("b", now());
    write_file(directory.file("lease"), others);
    EXPECT_TRUE(lease.lost());
    EXPECT_EQ(refusal([&] { lease.require(); }),
              directory.path() +
                  ": directory: got process 4242 on b at work in it, expected one at a time");
    pause_for(.5);
    EXPECT_EQ(read_file(directory.file("lease")), others);
  }
  EXPECT_EQ(directory.listing(), std::vector<std::string>{"lease"});
}

TEST(DirectoryLease, WithoutItsFileItIsLost) {
  const TemporaryDirectory directory;
  const DirectoryLease lease(directory.path(), terms_of("a"));
  std::filesystem::remove(directory.file("lease"));
  EXPECT_TRUE(lease.lost());
  EXPECT_TRUE(contains(refusal([&] { lease.require(); }), "none left in the directory"));
  pause_for(.5);
  EXPECT_TRUE(directory.listing().empty());
}

// Stopped for longer than the silence, it goes on where nobody came, and else ends.
TEST(DirectoryLease, WhoWasStoppedLooksFirst) {
  for (const bool taken : {false, true}) {
    const TemporaryDirectory directory;
    int answers[2];
    ASSERT_EQ(pipe(answers), 0);
    const pid_t child = fork();
    if (child == 0) {
      {
        const DirectoryLease lease(directory.path(), terms_of("a"));
        const auto tell = [&](char word) { return write(answers[1], &word, 1) == 1; };
        if (!tell('x')) _exit(1);
        raise(SIGSTOP);
        tell(lease.lost() ? 'l' : 'h');
      }
      _exit(0);
    }
    char answer = 0;
    EXPECT_EQ(read(answers[0], &answer, 1), 1);
    int status = 0;
    waitpid(child, &status, WUNTRACED);
    std::unique_ptr<DirectoryLease> mine;
    if (taken)
      mine = std::make_unique<DirectoryLease>(directory.path(), terms_of("b"));
    else
      pause_for(2);
    kill(child, SIGCONT);
    EXPECT_EQ(read(answers[0], &answer, 1), 1);
    EXPECT_EQ(answer, taken ? 'l' : 'h');
    waitpid(child, &status, 0);
    EXPECT_TRUE(!mine || !mine->lost());
    close(answers[0]);
    close(answers[1]);
  }
}

// No room for the file: tried again and again, and given up before another machine would come.
TEST(DirectoryLease, ThatCannotBeRenewedRunsOut) {
  const TemporaryDirectory directory;
  const LeaseTerms terms = terms_of("a");
  const DirectoryLease lease(directory.path(), terms);
  // A directory of the name that renewals are written under.
  const std::string id = Json::parse(read_file(directory.file("lease"))).at("id");
  make_directory(directory.file("lease." + id));
  pause_for(.5);
  EXPECT_FALSE(lease.lost());
  pause_for(terms.silence - terms.renewal);
  EXPECT_TRUE(lease.lost());
  EXPECT_TRUE(contains(refusal([&] { lease.require(); }), "could not be renewed for "));
  // There is room again, and nobody has come: seen by the thread that renews.
  std::filesystem::remove(directory.file("lease." + id));
  pause_for(2 * terms.renewal + terms.settle);
  EXPECT_FALSE(lease.lost());
}

// Hanging in a renewal for longer than the silence, it leaves the lease to who came meanwhile.
TEST(DirectoryLease, WhoHangsInARenewalDoesNotTakeItBack) {
  const TemporaryDirectory directory;
  Hanging disk(LeaseStep::kWrite);
  const DirectoryLease slow(directory.path(), disk.on("slow", 4));
  disk.hang_next();
  disk.wait_until_it_hangs();
  const DirectoryLease quick(directory.path(), terms_of("quick"));
  EXPECT_TRUE(slow.lost());  // waits for the renewal
  EXPECT_TRUE(contains(refusal([&] { slow.require(); }), " on quick at work in it"));
  EXPECT_FALSE(quick.lost());
  EXPECT_EQ(directory.listing(), std::vector<std::string>{"lease"});
}

// Where nobody came it goes on.
TEST(DirectoryLease, WhoHangsInARenewalGoesOn) {
  const TemporaryDirectory directory;
  Hanging disk(LeaseStep::kWrite);
  const LeaseTerms terms = disk.on("slow", 2);
  const DirectoryLease lease(directory.path(), terms);
  disk.hang_next();
  disk.wait_until_it_hangs();
  EXPECT_FALSE(lease.lost());
  EXPECT_EQ(DirectoryLease::holder(directory.path(), terms_of("b"))->host, "slow");
}

// What was moved into place too late may have been another's place: then neither goes on.
TEST(DirectoryLease, WhoHangsAtTheEndOfARenewalEnds) {
  const TemporaryDirectory directory;
  Hanging disk(LeaseStep::kRename);
  const DirectoryLease slow(directory.path(), disk.on("slow", 2));
  disk.hang_next();
  disk.wait_until_it_hangs();
  write_file(directory.file("lease"), left_by("quick", now()));
  EXPECT_TRUE(slow.lost());  // waits for the renewal
  EXPECT_TRUE(contains(refusal([&] { slow.require(); }), "others may be at work there now"));
  const std::string then = read_file(directory.file("lease"));
  EXPECT_TRUE(contains(then, "\"slow\""));
  pause_for(.5);
  EXPECT_EQ(read_file(directory.file("lease")), then);
}

// --- Asking from elsewhere -----------------------------------------------------------------------

TEST(DirectoryLease, AskingNeverWaits) {
  const TemporaryDirectory directory;
  for (const double silent : {5., 200.}) {
    write_file(directory.file("lease"), left_by("a", now() - silent, "so far"));
    const auto holder = DirectoryLease::holder(directory.path());
    ASSERT_TRUE(holder);
    EXPECT_EQ(holder->host, "a");
    EXPECT_EQ(holder->process, 4242);
    EXPECT_EQ(holder->note, "so far");
    EXPECT_NEAR(holder->silent_seconds, silent, 3);
    EXPECT_EQ(holder->alive, silent < 60);
    EXPECT_FALSE(holder->here);
  }
}

// Clocks may refuse who would look at another's files, but never let anybody in.
TEST(DirectoryLease, WhoMustNotLookIsToldForSure) {
  const TemporaryDirectory directory;
  const LeaseTerms terms = terms_of("b");
  EXPECT_FALSE(DirectoryLease::holder_elsewhere(directory.path(), terms));
  write_file(directory.file("lease"), left_by("a", now() - 5));
  EXPECT_TRUE(DirectoryLease::holder_elsewhere(directory.path(), terms));
  for (const double ahead : {-1e6, 1e6}) {
    write_file(directory.file("lease"), left_by("a", now() + ahead));
    EXPECT_GT(seconds_of(
                  [&] { EXPECT_FALSE(DirectoryLease::holder_elsewhere(directory.path(), terms)); }),
              terms.silence);
    // Known by now, and no reason to wait again.
    EXPECT_LT(seconds_of(
                  [&] { EXPECT_FALSE(DirectoryLease::holder_elsewhere(directory.path(), terms)); }),
              terms.silence / 2);
  }
  // The same with a clock that is wrong and a process that lives.
  std::atomic<bool> done{false};
  std::jthread renewing([&] {
    for (int i = 0; !done; ++i) {
      write_file(directory.file("lease"), left_by("a", now() - 1e6, std::to_string(i)));
      pause_for(.2);
    }
  });
  pause_for(.3);
  const auto holder = DirectoryLease::holder_elsewhere(directory.path(), terms);
  done = true;
  ASSERT_TRUE(holder);
  EXPECT_EQ(holder->host, "a");
}

TEST(DirectoryLease, AWaitCanBeStopped) {
  const TemporaryDirectory directory;
  write_file(directory.file("lease"), left_by("a", now()));
  const std::atomic<bool> stop{true};
  LeaseTerms terms = terms_of("b");
  terms.stop = &stop;
  EXPECT_THROW(DirectoryLease(directory.path(), terms), LeaseWaitStopped);
  EXPECT_EQ(DirectoryLease::holder(directory.path(), terms)->process, 4242);
}

TEST(DirectoryLease, KnowsItsOwnFiles) {
  EXPECT_TRUE(DirectoryLease::is_lease_file("lease"));
  EXPECT_TRUE(DirectoryLease::is_lease_file("lease.0123456789abcdef"));
  EXPECT_FALSE(DirectoryLease::is_lease_file("leases.txt"));
}

}  // namespace
}  // namespace armature
