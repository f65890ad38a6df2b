// Several nodes on one PostgreSQL, under clients that outlive them, while everything between them
// breaks: processes killed and stopped, the database killed, halted and paused, lines cut in the
// middle of a statement, clocks that jump. Whatever was acknowledged is there in the end, once, as
// it was acknowledged, and every experiment has one history.
#include "fault/cluster.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <thread>

namespace armature::service::test {
namespace {

using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

constexpr auto kLease = 1'000ms;  // the shortest there is
constexpr const char* kLeaseText = "1s";
const std::vector<std::string> kExperiments = {"mail", "news", "shop"};
constexpr std::uint32_t kClients = 3;

bool is_long() { return std::getenv("ARMATURE_LONG") != nullptr; }

// In each of ten runs.
int rounds() {
#ifdef NDEBUG
  return is_long() ? 50 : 5;
#else
  return 1;  // not optimised, or under sanitizers
#endif
}

double seconds_since(Steady::time_point begin) {
  return std::chrono::duration<double>(Steady::now() - begin).count();
}

Crowd crowd_at(const Cluster& cluster, std::uint32_t run) {
  return Crowd(run * kClients, kClients, cluster.experiments(),
               [&](std::uint32_t number) { return any_node(cluster, number); });
}

void expect_kept(const Cluster& cluster, const Promises& promises) {
  const std::vector<std::string> wrong = cluster.wrong(promises);
  EXPECT_TRUE(wrong.empty()) << fmt::format("{}", fmt::join(wrong, "\n"));
}

// --- What may break ------------------------------------------------------------------------------

// Where it breaks. Mended in this order: a process begins when it finds what it needs.
enum class Part { kLine, kLeases, kDatabase, kProcess };

// How long until it is mended.
enum class Length { kMoment, kLongerThanLease };

struct Breakage {
  Cluster& cluster;
  std::size_t node;
  Stream& luck;
};

struct Fault {
  const char* name;
  Part part;
  Length length;
  void (*begin)(Breakage&);
  void (*end)(Breakage&);
};

void nothing(Breakage&) {}

void expect_good_end(int status) {
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

// A statement is some hundred bytes and its answer fewer: they are cut at their beginning, in their
// middle and between two of them.
void cut_soon(Breakage& at, CuttingProxy::Way way) {
  at.cluster.to_store(at.node).cut_after(way, 1 + at.luck.next_u64() % 2'000,
                                         CuttingProxy::Times::kOnce);
}

// The library that shifts a process's clock, but not the one that only counts.
std::string shifting_library() {
  std::error_code none;
  for (const auto& folder : std::filesystem::directory_iterator("/usr/lib", none)) {
    const auto path = folder.path() / "faketime/libfaketimeMT.so.1";
    if (std::filesystem::exists(path, none)) return path.string();
  }
  return "";
}

void start_with_shifted_clock(Breakage& at) {
  Cluster::Environment environment;
#ifdef NDEBUG  // a sanitizer must be the first of all libraries
  environment = {{"LD_PRELOAD", shifting_library()},
                 {"FAKETIME", at.luck.open_uniform() < 0.5 ? "+1h" : "-1h"},
                 {"FAKETIME_DONT_FAKE_MONOTONIC", "1"},
                 {"DONT_FAKE_MONOTONIC", "1"}};
  ASSERT_NE(environment["LD_PRELOAD"], "") << "no libfaketime: install faketime";
#endif
  at.cluster.start(at.node, environment);
}

constexpr Fault kFaults[] = {
    {"a node is killed, and begins again at once", Part::kProcess, Length::kMoment,
     [](Breakage& at) { at.cluster.end(at.node, SIGKILL); },
     [](Breakage& at) { at.cluster.start(at.node); }},
    {"a node is killed, and others take over", Part::kProcess, Length::kLongerThanLease,
     [](Breakage& at) { at.cluster.end(at.node, SIGKILL); },
     [](Breakage& at) { at.cluster.start(at.node); }},
    {"a node stands still, and wakes up", Part::kProcess, Length::kLongerThanLease,
     [](Breakage& at) { at.cluster.signal(at.node, SIGSTOP); },
     [](Breakage& at) { at.cluster.signal(at.node, SIGCONT); }},
    {"a node stands still for a moment", Part::kProcess, Length::kMoment,
     [](Breakage& at) { at.cluster.signal(at.node, SIGSTOP); },
     [](Breakage& at) { at.cluster.signal(at.node, SIGCONT); }},
    {"a node is told to end, and begins again", Part::kProcess, Length::kMoment,
     [](Breakage& at) { expect_good_end(at.cluster.end(at.node, SIGTERM)); },
     [](Breakage& at) { at.cluster.start(at.node); }},
    {"a node begins again with a clock an hour off", Part::kProcess, Length::kMoment,
     [](Breakage& at) { at.cluster.end(at.node, SIGKILL); }, start_with_shifted_clock},
    {"the database is killed", Part::kDatabase, Length::kMoment,
     [](Breakage& at) { at.cluster.database().kill(); },
     [](Breakage& at) { at.cluster.database().start(); }},
    {"the database is halted", Part::kDatabase, Length::kMoment,
     [](Breakage& at) { at.cluster.database().stop_immediately(); },
     [](Breakage& at) { at.cluster.database().start(); }},
    {"the database is away for a while", Part::kDatabase, Length::kLongerThanLease,
     [](Breakage& at) { at.cluster.database().kill(); },
     [](Breakage& at) { at.cluster.database().start(); }},
    {"the database stands still", Part::kDatabase, Length::kLongerThanLease,
     [](Breakage& at) { at.cluster.database().pause(); },
     [](Breakage& at) { at.cluster.database().resume(); }},
    {"a node's line to the store is cut", Part::kLine, Length::kMoment,
     [](Breakage& at) { at.cluster.to_store(at.node).cut(); },
     [](Breakage& at) { at.cluster.to_store(at.node).cut(); }},
    {"a node's line to the store is cut in a statement", Part::kLine, Length::kMoment,
     [](Breakage& at) { cut_soon(at, CuttingProxy::Way::kToServer); },
     [](Breakage& at) { at.cluster.to_store(at.node).cut_no_more(); }},
    {"a node's line to the store is cut in an answer", Part::kLine, Length::kMoment,
     [](Breakage& at) { cut_soon(at, CuttingProxy::Way::kFromServer); },
     [](Breakage& at) { at.cluster.to_store(at.node).cut_no_more(); }},
    {"a node's line to the store stalls", Part::kLine, Length::kLongerThanLease,
     [](Breakage& at) { at.cluster.to_store(at.node).stall(); },
     [](Breakage& at) { at.cluster.to_store(at.node).go_on(); }},
    {"a node reaches the others, and not the store", Part::kLine, Length::kLongerThanLease,
     [](Breakage& at) { at.cluster.to_store(at.node).isolate(); },
     [](Breakage& at) { at.cluster.to_store(at.node).heal(); }},
    {"a node is not reached by the others", Part::kLine, Length::kLongerThanLease,
     [](Breakage& at) { at.cluster.from_others(at.node).isolate(); },
     [](Breakage& at) { at.cluster.from_others(at.node).heal(); }},
    {"a node reaches the store, and not the others", Part::kLine, Length::kLongerThanLease,
     [](Breakage& at) {
       for (std::size_t i = 0; i < at.cluster.size(); ++i)
         if (i != at.node) at.cluster.from_others(i).isolate();
     },
     [](Breakage& at) {
       for (std::size_t i = 0; i < at.cluster.size(); ++i) at.cluster.from_others(i).heal();
     }},
    {"the line between nodes is cut", Part::kLine, Length::kMoment,
     [](Breakage& at) { at.cluster.from_others(at.node).cut(); },
     [](Breakage& at) { at.cluster.from_others(at.node).cut(); }},
    {"the line between nodes is cut in a request", Part::kLine, Length::kMoment,
     [](Breakage& at) {
       at.cluster.from_others(at.node).cut_after(CuttingProxy::Way::kToServer,
                                                 1 + at.luck.next_u64() % 600);
     },
     [](Breakage& at) { at.cluster.from_others(at.node).cut_no_more(); }},
    {"the line between nodes is cut in an answer", Part::kLine, Length::kMoment,
     [](Breakage& at) {
       at.cluster.from_others(at.node).cut_after(CuttingProxy::Way::kFromServer,
                                                 1 + at.luck.next_u64() % 600);
     },
     [](Breakage& at) { at.cluster.from_others(at.node).cut_no_more(); }},
    {"all leases end, as by a jump of the server's clock", Part::kLeases, Length::kMoment,
     [](Breakage& at) {
       at.cluster.sql("UPDATE armature.nodes SET lease_until = now() - interval '1 hour'");
     },
     nothing},
    {"a lease ends, and its node does not know", Part::kLeases, Length::kMoment,
     [](Breakage& at) {
       at.cluster.sql(
           "UPDATE armature.nodes SET lease_until = now() - interval '1 hour' WHERE "
           "name = '" +
           Cluster::name(at.node) + "'");
     },
     nothing},
};

// Each in its turn, so that all have come after a while, and often another one with it, at another
// part; of the leases nobody asks a database that is away.
std::vector<const Fault*> draw(std::size_t number, Stream& luck) {
  constexpr std::size_t kStride = 7;  // neighbours in the list are alike
  static_assert(std::gcd(kStride, std::size(kFaults)) == 1);
  std::vector<const Fault*> drawn = {&kFaults[number * kStride % std::size(kFaults)]};
  if (luck.open_uniform() < 0.6) return drawn;
  const Fault* second = &kFaults[luck.next_u64() % std::size(kFaults)];
  const auto is_either = [&](Part part) { return drawn[0]->part == part || second->part == part; };
  if (second->part == drawn[0]->part) return drawn;
  if (is_either(Part::kLeases) && is_either(Part::kDatabase)) return drawn;
  drawn.push_back(second);
  return drawn;
}

// All at once, for a while, and mended.
void break_and_mend(Cluster& cluster, const std::vector<const Fault*>& faults, Stream& luck) {
  std::vector<Breakage> places;
  std::chrono::milliseconds longest{0};
  for (const Fault* fault : faults) {
    places.push_back({cluster, luck.next_u64() % cluster.size(), luck});
    const auto part = static_cast<std::int64_t>(100 * luck.open_uniform());
    longest = std::max(
        longest, fault->length == Length::kMoment ? 2 * part * 1ms : kLease + part * kLease / 100);
  }
  for (std::size_t i = 0; i < faults.size(); ++i) faults[i]->begin(places[i]);
  std::this_thread::sleep_for(longest);  // the fault, not a wait for anything
  for (const Part part : {Part::kLine, Part::kLeases, Part::kDatabase, Part::kProcess})
    for (std::size_t i = 0; i < faults.size(); ++i)
      if (faults[i]->part == part) faults[i]->end(places[i]);
}

std::string described(const std::vector<const Fault*>& faults) {
  std::string text;
  for (const Fault* fault : faults) text += (text.empty() ? "" : "; ") + std::string(fault->name);
  return text;
}

// --- Rounds --------------------------------------------------------------------------------------

class ClusterFaults : public testing::TestWithParam<std::uint32_t> {};

TEST_P(ClusterFaults, LoseAndDoubleNothing) {
  const std::uint32_t run = GetParam();
  Stream luck({52, run, Purpose::kTest});
  Cluster cluster(2 + run % 2, kExperiments, kLeaseText);
  Promises settled;
  ASSERT_TRUE(cluster.settle(settled));
  Crowd crowd = crowd_at(cluster, 1 + run);
  for (int round = 0; round < rounds(); ++round) {
    const std::vector<const Fault*> faults =
        draw(run * static_cast<std::size_t>(rounds()) + static_cast<std::size_t>(round), luck);
    const auto begin = Steady::now();
    const std::string what = fmt::format("run {}, round {}: {}", run, round, described(faults));
    SCOPED_TRACE(what);
    ASSERT_TRUE(crowd.wait_for(5 + luck.next_u64() % 20));
    break_and_mend(cluster, faults, luck);
    ASSERT_TRUE(cluster.settle(settled));
    for (std::size_t i = 0; i < cluster.size(); ++i)
      EXPECT_TRUE(cluster.running(i)) << cluster.journal(i);
    if (is_long()) fmt::print("{} ({:.1f} s)\n", what, seconds_since(begin));
    if (HasFailure()) break;
  }
  ASSERT_TRUE(crowd.wait_for(10));
  crowd.stop();
  cluster.stop();
  settled.add(crowd.promises);
  EXPECT_GT(settled.size(), static_cast<std::size_t>(rounds()) * 10);
  expect_kept(cluster, settled);
}

INSTANTIATE_TEST_SUITE_P(Runs, ClusterFaults, testing::Range(0u, 10u));

// --- What must be found out ----------------------------------------------------------------------

// A node that stood still has lost what it had, and must find that out though nobody asks it for
// anything: until then nobody else gives it back to it for good.
TEST(ClusterFault, WhoWakesUpFindsOut) {
  Cluster cluster(2, {"mail"}, kLeaseText);
  Promises promises;
  ASSERT_TRUE(cluster.settle(promises));
  const std::size_t sleeper = cluster.owner("mail").value();
  const std::size_t other = 1 - sleeper;
  cluster.from_others(sleeper).isolate();  // or it would find questions when it wakes up
  cluster.signal(sleeper, SIGSTOP);
  int asked = 0;
  const auto ask = [&] {
    return cluster.node_at(
        cluster.decide(other, "mail", fmt::format("asked-{}", ++asked), promises));
  };
  while (!HasFailure() && ask() != other) continue;
  cluster.signal(sleeper, SIGCONT);
  cluster.from_others(sleeper).heal();
  while (!HasFailure() && ask() != sleeper) continue;
  cluster.stop();
  expect_kept(cluster, promises);
}

// What a node cannot let go of by its epoch, since a statement of its own that it had given up on
// has raised it meanwhile, it lets go of all the same when it ends: nobody waits for that.
TEST(ClusterFault, WhoEndsLetsGoOfEverything) {
  Cluster cluster(2, {"mail"}, kLeaseText);
  Promises promises;
  ASSERT_TRUE(cluster.settle(promises));
  const std::size_t owner = cluster.owner("mail").value();
  cluster.sql("UPDATE armature.owners SET epoch = epoch + 1");
  const auto begin = Steady::now();
  EXPECT_EQ(cluster.end(owner, SIGTERM), 0);
  EXPECT_LT(seconds_since(begin), 9);  // it waits for ten at most
  cluster.decide(1 - owner, "mail", "after", promises);
  EXPECT_EQ(cluster.end(1 - owner, SIGTERM), 0);
  expect_kept(cluster, promises);
}

// Without the fence of epochs and without the key of events two nodes write two histories: that is
// noticed here, or nothing of the above would mean anything.
TEST(ClusterFault, TwoHistoriesAreNoticed) {
  Cluster cluster(2, {"mail"}, kLeaseText);
  Promises promises;
  ASSERT_TRUE(cluster.settle(promises));
  const std::size_t first = cluster.owner("mail").value();
  const std::size_t second = 1 - first;
  cluster.decide(first, "mail", "before", promises);
  const std::string epoch = cluster.value("SELECT epoch FROM armature.owners WHERE experiment > 0");
  cluster.sql("ALTER TABLE armature.events DROP CONSTRAINT events_pkey");
  cluster.signal(first, SIGSTOP);
  for (int i = 0; i < 5; ++i)
    cluster.decide(second, "mail", fmt::format("meanwhile-{}", i), promises);
  cluster.sql("UPDATE armature.owners SET epoch = " + epoch + ", node = '" + Cluster::name(first) +
              "' WHERE experiment > 0");
  cluster.signal(first, SIGCONT);
  cluster.decide(first, "mail", "after", promises);
  cluster.stop();
  const auto expect_wrong = [&](const std::string& what) {
    const std::string wrong = fmt::format("{}", fmt::join(cluster.wrong(promises), "\n"));
    EXPECT_NE(wrong.find(what), std::string::npos) << wrong;
  };
  expect_wrong("events that are there twice");
  expect_wrong("promised to two");
  // Nor does it go unnoticed if one is changed or gone.
  cluster.sql("UPDATE armature.events SET action = 1 - action WHERE seq = 2");
  expect_wrong(decision_id("mail", 2) + ": not as it was promised");
  cluster.sql("DELETE FROM armature.events WHERE seq > 3");
  expect_wrong("decisions 2 are there");
}

// --- How long it takes ---------------------------------------------------------------------------

// With the lease that nobody has changed.
TEST(ClusterFault, TakesOverWithinFifteenSeconds) {
  Cluster cluster(3, {"mail"}, "");
  Promises promises;
  ASSERT_TRUE(cluster.settle(promises));
  const std::size_t owner = cluster.owner("mail").value();
  const auto begin = Steady::now();
  cluster.end(owner, SIGKILL);
  cluster.decide((owner + 1) % 3, "mail", "after", promises);
  const double took = seconds_since(begin);
  fmt::print("taken over after {:.1f} s\n", took);
  EXPECT_LE(took, 15);
  cluster.start(owner);
  ASSERT_TRUE(cluster.settle(promises));
  cluster.stop();
  expect_kept(cluster, promises);
}

// One node after the other is told to end and begun again, as by an upgrade: nobody is cut off, and
// nobody sees anything but answers and "a little later".
TEST(ClusterFault, NobodyIsCutOffByARollingRestart) {
  Cluster cluster(3, kExperiments, kLeaseText);
  Promises promises;
  ASSERT_TRUE(cluster.settle(promises));
  Crowd crowd(1'000, kClients, kExperiments,
              [&](std::uint32_t number) { return any_node(cluster, number, true); });
  for (std::size_t i = 0; i < cluster.size(); ++i) {
    ASSERT_TRUE(crowd.wait_for(50));
    const int status = cluster.end(i, SIGTERM);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status << cluster.journal(i);
    ASSERT_TRUE(crowd.wait_for(50));  // the others go on
    cluster.start(i);
    ASSERT_TRUE(cluster.settle(promises));
  }
  crowd.stop();
  cluster.stop();
  promises.add(crowd.promises);
  expect_kept(cluster, promises);
}

// --- Five minutes --------------------------------------------------------------------------------

// Acknowledged decisions of each experiment.
class Counts {
 public:
  explicit Counts(std::vector<std::string> experiments) : experiments_(std::move(experiments)) {
    for (const std::string& one : experiments_) counts_[one] = 0;
  }
  Insist counted(const Insist& insist) {
    return [this, insist](const auto& target, const auto& body, const auto& headers) {
      Reply reply = insist(target, body, headers);
      for (const std::string& one : experiments_)
        if (target == "/v1/experiments/" + one + "/decide" && reply.status == 200)
          ++counts_.at(one);
      return reply;
    };
  }
  std::map<std::string, std::uint64_t> now() const { return {counts_.begin(), counts_.end()}; }

 private:
  std::vector<std::string> experiments_;
  std::map<std::string, std::atomic<std::uint64_t>> counts_;
};

// Three nodes with the lease that nobody has changed, nothing in front of them; every ten seconds
// one is killed, and begun again a second later by whoever looks after it. Every experiment decides
// in every minute, at 40% of its undisturbed rate at least.
TEST(ClusterFault, DecidesThroughFiveMinutesOfKills) {
  if (!is_long()) GTEST_SKIP() << "five minutes: make test-long";
  std::vector<std::string> experiments;
  for (int i = 1; i <= 8; ++i) experiments.push_back(fmt::format("mail-{}", i));
  Cluster cluster(3, experiments, "");
  Promises promises;
  ASSERT_TRUE(cluster.settle(promises));
  Counts counts(experiments);
  Crowd crowd(2'000, 8, experiments,
              [&](std::uint32_t number) { return counts.counted(any_node(cluster, number)); });
  std::this_thread::sleep_for(10s);  // until all are at work
  auto before = counts.now();
  std::this_thread::sleep_for(60s);
  auto after = counts.now();
  std::map<std::string, double> undisturbed;
  for (const auto& [name, count] : after) {
    undisturbed[name] = static_cast<double>(count - before[name]);
    fmt::print("{}: {:.0f} a minute, undisturbed\n", name, undisturbed[name]);
  }
  Stream luck({53, 0, Purpose::kTest});
  auto next = Steady::now();
  for (int minute = 1; minute <= 5; ++minute) {
    before = counts.now();
    for (int kill = 0; kill < 6; ++kill) {
      const std::size_t node = luck.next_u64() % cluster.size();
      cluster.end(node, SIGKILL);
      std::this_thread::sleep_for(1s);
      cluster.start(node);
      std::this_thread::sleep_until(next += 10s);
    }
    after = counts.now();
    for (const auto& [name, count] : after) {
      const double rate = static_cast<double>(count - before[name]);
      fmt::print("minute {}, {}: {:.0f}, {:.0f}%\n", minute, name, rate,
                 100 * rate / undisturbed[name]);
      EXPECT_GE(rate, 0.4 * undisturbed[name]) << name << " in minute " << minute;
    }
  }
  ASSERT_TRUE(cluster.settle(promises));
  crowd.stop();
  cluster.stop();
  promises.add(crowd.promises);
  fmt::print("{} decisions\n", promises.size());
  expect_kept(cluster, promises);
}

}  // namespace
}  // namespace armature::service::test
