// The decision service on disks that fail: whatever was answered is there afterwards, and replays.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/refusal.h"
#include "fault/faulty_disk.h"
#include "service/promises.h"
#include "service/sqlite_log.h"
#include "service/stand.h"
#include "support/program.h"

namespace armature::service::test {
namespace {

using armature::test::FaultyDisk;
using armature::test::TemporaryDirectory;

// Ten times as often with ARMATURE_LONG=1, a fifth as often under sanitizers.
std::uint32_t times(std::uint32_t usual) {
#ifdef NDEBUG
  static const bool full = std::getenv("ARMATURE_LONG") != nullptr;
  return full ? 10 * usual : usual;
#else
  return usual / 5;
#endif
}
constexpr std::uint32_t kCuts = 100;
constexpr std::uint32_t kFullPoints = 200;
constexpr std::uint32_t kFailedSyncs = 200;

// A service that one restless client talks to. Snapshots come often, so that there are some.
class Life {
 public:
  /// Every other one moves its write-ahead log into the database every few commits.
  /// Every third learns by silence, and all of it at deadlines.
  Life(const std::string& directory, const std::string& synchronous, std::uint32_t seed)
      : directory_(directory),
        options_{synchronous, seed % 2 == 0 ? 4'000 : 30},
        silent_(seed % 3 == 2) {}

  void start() {
    stand_ = std::make_unique<Stand>([this] { return open_sqlite_log(directory_, options_); });
    stand_->options.snapshot_events = 40;
    if (stand_->shard->find("mail") == nullptr) {
      Creation creation = rich_creation("ts");
      if (silent_) creation.facts.settings.silence = Silence{"ignored", 0};
      stand_->ask(Create{creation});
    }
  }
  void stop() { stand_.reset(); }

  // A batch of a few requests; what is answered is promised. False: refused.
  bool step(Stream& luck) {
    // Once in a while everything that is open expires, in the batch that comes.
    if (luck.uniform() < 0.1) stand_->clock.pass(25 * kHour);
    std::vector<Request> batch;
    for (std::uint32_t i = 1 + uniform_index(luck, 4); i > 0; --i)
      batch.push_back(some_request(luck));
    const std::vector<Answer> answers = stand_->shard->process(batch);
    stand_->shard->tidy();
    bool any = false;
    for (std::size_t i = 0; i < batch.size(); ++i) any = note(batch[i], answers[i]) || any;
    return any;
  }

  Answer ask(const Request& request) { return stand_->ask(request); }
  std::uint64_t broken() {
    return promises_.broken("mail", [this](const Request& request) { return ask(request); });
  }
  Stand& stand() { return *stand_; }
  std::size_t promised() const { return promises_.size(); }

 private:
  Request some_request(Stream& luck) {
    if (open_.empty() || luck.uniform() < 0.5)
      return Decide{"mail", luck.uniform() < 0.5 ? fmt::format("k{}", ++keys_) : "", ""};
    const std::size_t pick = uniform_index(luck, static_cast<std::uint32_t>(open_.size()));
    const std::string id = open_[pick];
    const double dice = luck.uniform();
    // What there is to say of a decision is always the same; some of it comes in parts.
    Report report{"mail", id, {}, {}};
    if (dice < 0.8) report.context = Named(std::string(id.back() % 2 == 0 ? "opened" : "ignored"));
    if (dice < 0.6 || dice >= 0.8) report.reward = (id.back() % 5) / 4.0;
    if (dice >= 0.6 && dice < 0.9) return report;
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(pick));
    if (dice >= 0.9) return Forget{"mail", id};
    return report;
  }

  bool note(const Request& request, const Answer& answer) {
    if (const auto* decided = std::get_if<Decided>(&answer)) {
      promises_.decided(decided->decision, decided->action, std::get<Decide>(request).key);
      open_.push_back(decided->decision);
      return true;
    }
    if (const auto* refusal = std::get_if<Refusal>(&answer))
      return refusal->kind() == RefusalKind::kConflict;  // forgotten after silence was learned
    const auto* received = std::get_if<Received>(&answer);
    if (received == nullptr) return false;
    if (const auto* report = std::get_if<Report>(&request))
      promises_.told(
          report->decision,
          report->context ? std::optional(std::get<std::string>(*report->context)) : std::nullopt,
          report->reward);
    else if (received->status == Status::kForgotten)
      promises_.forgotten(received->decision);
    return true;
  }

  std::string directory_;
  SqliteLogOptions options_;
  bool silent_;
  std::unique_ptr<Stand> stand_;
  Promises promises_;
  std::vector<std::string> open_;
  std::uint64_t keys_ = 0;
};

// Lives, loses power, lives on, several times over; how many promises were broken in the end. A
// store that is no store any more has broken them all.
struct Cuts {
  std::uint64_t cuts = 0;
  std::uint64_t promised = 0;
  std::uint64_t broken = 0;
  std::uint64_t troubles = 0;  // replays that are not as they were logged
};

Cuts cut_again_and_again(const std::string& synchronous, std::uint32_t seed, int lives) {
  const TemporaryDirectory directory;
  Stream luck({31, seed, Purpose::kTest});
  Life life(directory.path(), synchronous, seed);
  Cuts result;
  for (int i = 0; i < lives; ++i) {
    FaultyDisk disk;
    disk.power_cut_after(luck.next_u64() % 1'500);
    try {
      life.start();
      while (life.step(luck)) {
      }
    } catch (const Error&) {
      EXPECT_TRUE(disk.power_is_off());
    }
    life.stop();
    result.cuts += disk.power_is_off() ? 1 : 0;
    disk.restart(luck);
    try {
      life.start();
      result.broken += life.broken();
      for (const CheckedExperiment& checked : check_log(*life.stand().log))
        result.troubles += checked.trouble.empty() ? 0 : 1;
    } catch (const Error&) {
      result.broken += life.promised();
      return result;
    }
    life.stop();
  }
  result.promised = life.promised();
  return result;
}

TEST(ServicePowerCut, BreaksNoPromise) {
  Cuts all;
  for (std::uint32_t seed = 0; all.cuts < times(kCuts); ++seed) {
    const Cuts cuts = cut_again_and_again("FULL", seed, 5);
    all.cuts += cuts.cuts;
    all.promised += cuts.promised;
    ASSERT_EQ(cuts.broken, 0u) << "seed " << seed;
    ASSERT_EQ(cuts.troubles, 0u) << "seed " << seed;
  }
  EXPECT_GT(all.promised, 20u * times(kCuts));
}

// The test of the test: where commits are not synced, promises are broken.
TEST(ServicePowerCut, IsSeenWhereCommitsAreNotSynced) {
  for (const char* synchronous : {"NORMAL", "OFF"}) {
    std::uint64_t broken = 0;
    for (std::uint32_t seed = 0; seed < 10; ++seed)
      broken += cut_again_and_again(synchronous, seed, 2).broken;
    EXPECT_GT(broken, 20u) << synchronous;
  }
}

// SQLite goes on in another journal mode where it cannot have this one: a commit would not be what
// it is taken for.
TEST(ServiceJournal, IsInsistedOn) {
  const TemporaryDirectory directory;
  FaultyDisk disk;
  disk.share_no_memory();
  EXPECT_NE(
      armature::test::refusal([&] { open_sqlite_log(directory.path()); }).find("journal_mode"),
      std::string::npos);
}

// At so many points there is no room; then there is again.
TEST(ServiceFullDisk, RefusesAndGoesOn) {
  std::uint64_t refused = 0;
  std::uint64_t promised = 0;
  for (std::uint32_t point = 0; point < times(kFullPoints); ++point) {
    const TemporaryDirectory directory;
    Stream luck({32, point, Purpose::kTest});
    FaultyDisk disk;
    Life life(directory.path(), "FULL", point);
    life.start();
    disk.full_after(luck.next_u64() % 1'000'000, point % 2 == 1);
    for (int i = 0; i < 60; ++i)
      if (!life.step(luck)) ++refused;
    ASSERT_FALSE(life.stand().shard->broken()) << life.stand().shard->trouble();
    disk.make_room();
    const Answer answer = life.ask(Decide{"mail", "afterwards", ""});
    ASSERT_TRUE(std::holds_alternative<Decided>(answer)) << "point " << point;
    ASSERT_EQ(life.broken(), 0u) << "point " << point;
    life.stop();
    life.start();
    ASSERT_EQ(life.broken(), 0u) << "point " << point;
    ASSERT_EQ(check_log(*life.stand().log).at(0).trouble, "");
    promised += life.promised();
  }
  EXPECT_GT(refused, 5u * times(kFullPoints));
  EXPECT_GT(promised, 20u * times(kFullPoints));
}

// A sync fails once. From there nothing more is acknowledged, and what was is there after a
// restart; syncing again would say that all is well, and it is not.
TEST(ServiceFailedSync, IsTheEndOfTheProcessAndOfNothingElse) {
  std::uint64_t ended = 0;
  for (std::uint32_t point = 0; point < times(kFailedSyncs); ++point) {
    const TemporaryDirectory directory;
    Stream luck({33, point, Purpose::kTest});
    FaultyDisk disk;
    Life life(directory.path(), "FULL", point);
    life.start();
    disk.fail_sync_after(luck.next_u64() % 60);
    for (int i = 0; i < 80; ++i) {
      const bool answered = life.step(luck);
      if (life.stand().shard->broken()) {
        ASSERT_FALSE(answered);
      }
    }
    ended += life.stand().shard->broken() ? 1 : 0;
    ASSERT_EQ(life.stand().shard->broken(), disk.sync_has_failed());
    disk.power_cut_after(0);  // nothing more reaches the disk
    life.stop();
    disk.restart(luck);
    life.start();
    ASSERT_EQ(life.broken(), 0u) << "point " << point;
    ASSERT_EQ(check_log(*life.stand().log).at(0).trouble, "");
  }
  EXPECT_GT(ended, times(kFailedSyncs) / 2);
}

}  // namespace
}  // namespace armature::service::test
