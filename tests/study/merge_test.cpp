// Shards, and the study that is made of them: the bytes of a run on one thread, or a refusal that
// names what is wrong and changes nothing.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <thread>

#include "armature/report.h"
#include "base/directory_lease.h"
#include "base/machine.h"
#include "base/refusal.h"
#include "base/sqlite.h"
#include "study/build.h"
#include "study/shard_mark.h"
#include "study/shards.h"
#include "study/store.h"
#include "support/forged_lease.h"
#include "support/program.h"
#include "support/studies.h"

namespace armature {
namespace {

namespace fs = std::filesystem;
using test::contains;
using test::exported;
using test::kSmallStudy;
using test::on_threads;
using test::plan_of;
using test::refusal;
using test::TemporaryDirectory;

// Late outcomes, the oracle, policies that end early, questions.
constexpr const char* kConditions = R"(
title = "conditions"
replications = 5
horizons = [40, 160]
checkpoints = 4
delay = [0, 10]
loss = 0.1
instances = ["hidden-arm:actions=4", "random-benign:actions=3,contexts=3"]

[[policies]]
policy = "ucb"

[[policies]]
policy = "oracle"

[[policies]]
policy = "pe"
until = 40

[[verdicts]]
name = "is it small?"
rule = "level"
policy = "ucb"
quantity = "regret"
high = 100
)";

constexpr const char* kTwoStages = R"(
seed = 5
replications = 7
horizons = [50, 200]
checkpoints = 3
search = {replications = 3}
instances = ["hidden-arm:actions=4", "hidden-arm:actions=4,gap=0.4", "semi-benign:actions=4"]
policies = ["uniform", "ucb"]
)";

// All that is read of a study, but for the times it took.
std::map<std::string, std::string> told(const std::string& directory) {
  std::map<std::string, std::string> all = exported(directory);
  const StudyResult result = read_results(directory);
  all["latex"] = study_latex(result);
  all["markdown"] = study_markdown(result);
  for (const Verdict& verdict : judge(result)) all["verdicts"] += verdict.because + verdict.outcome;
  all["study"] = write_study(result.plan.study);
  return all;
}

void run_shards(const StudyPlan& plan, const std::string& directory, std::uint32_t count) {
  // Not in order, and each on another number of threads.
  for (std::uint32_t number = count; number >= 1; --number)
    ASSERT_TRUE(run_shard(plan, directory, {number, count}, on_threads(1 + number % 3)).complete);
}

class Merge : public testing::Test {
 protected:
  std::string shard(std::uint32_t number, std::uint32_t of = 3) const {
    return shard_path(here_, {number, of});
  }
  void execute(std::uint32_t number, const std::string& sql) const {
    Database(store_path(shard(number)), Database::Mode::kReadWrite).execute(sql);
  }
  // With all that is wrong, line by line, before it.
  std::string merged(bool partial = false) const {
    std::string troubles;
    const std::string message = refusal([&] {
      try {
        merge_shards(here_, partial);
      } catch (const MergeRefused& refused) {
        for (const std::string& trouble : refused.troubles()) troubles += trouble + "\n";
        throw;
      }
    });
    return troubles + message;
  }
  // Ends with the first block.
  void stop_early(const StudyPlan& plan, Shard shard) const {
    std::atomic<bool> stop{false};
    RunHooks hooks = on_threads(1);
    hooks.stop = &stop;
    hooks.progress = [&](const Progress&) { stop = true; };
    ASSERT_FALSE(run_shard(plan, here_, shard, hooks).complete);
  }
  bool nothing_left() const {
    return !fs::exists(store_path(here_)) && !fs::exists(store_path(here_) + ".merging");
  }
  TemporaryDirectory directory_;
  std::string here_ = directory_.file("run");
};

TEST_F(Merge, EveryKindOfStudyEndsWithTheSameBytes) {
  for (const char* study : {kSmallStudy, kConditions}) {
    const StudyPlan plan = plan_of(study);
    run_study(plan, directory_.file("whole"), on_threads(1));
    const auto reference = told(directory_.file("whole"));
    for (const std::uint32_t count : {1u, 4u, 7u}) {
      run_shards(plan, here_, count);
      std::vector<std::string> heard;
      MergeHooks hooks;
      hooks.progress = [&](const MergeProgress& now) {
        heard.push_back((now.checking ? "checked " : "merged ") + std::to_string(now.done));
        EXPECT_EQ(now.total, count);
      };
      const MergeOutcome outcome = merge_shards(here_, false, hooks);
      EXPECT_FALSE(outcome.already);
      EXPECT_FALSE(outcome.search);
      EXPECT_TRUE(outcome.left_out.empty());
      EXPECT_EQ(outcome.replications, plan.cells.size() * plan.study.replications);
      EXPECT_EQ(heard.size(), 2 * count);
      EXPECT_EQ(heard.front(), "checked 1");
      EXPECT_EQ(heard.back(), "merged " + std::to_string(count));
      EXPECT_EQ(told(here_), reference) << count << " shards";
      EXPECT_FALSE(fs::exists(store_path(here_) + ".merging"));
      EXPECT_TRUE(merge_shards(here_).already);
      // Nobody needs them any more.
      fs::remove_all(shards_path(here_));
      EXPECT_TRUE(merge_shards(here_).already);
      EXPECT_EQ(run_study(plan, here_).computed, 0u);
      fs::remove_all(here_);
    }
    fs::remove_all(directory_.file("whole"));
  }
}

TEST_F(Merge, MoreShardsThanReplications) {
  const StudyPlan plan = plan_of(
      "replications = 1\nhorizons = 20\ninstances = 'hidden-arm'\n"
      "policies = ['ucb', 'ts']\n");
  run_study(plan, directory_.file("whole"));
  run_shards(plan, here_, 5);
  EXPECT_EQ(merge_shards(here_).replications, 2u);
  EXPECT_EQ(told(here_), told(directory_.file("whole")));
}

TEST_F(Merge, AStudyOfTwoStagesIsMergedTwice) {
  const StudyPlan plan = plan_of(kTwoStages);
  run_study(plan, directory_.file("whole"), on_threads(1));
  const auto search = told(directory_.file("whole/search"));
  const auto reference = told(directory_.file("whole"));
  for (std::uint32_t number = 1; number <= 3; ++number) {
    const StudyOutcome outcome = run_shard(plan, here_, {number, 3});
    EXPECT_TRUE(outcome.complete && outcome.searching && !outcome.merged);
    EXPECT_EQ(run_shard(plan, here_, {number, 3}).computed, 0u);
  }
  EXPECT_FALSE(fs::exists(shards_path(here_)));
  EXPECT_TRUE(contains(refusal([&] { read_results(here_); }), "shards that are not merged"));
  EXPECT_TRUE(contains(refusal([&] { run_study(plan, here_); }), "shards that are not merged"));
  const MergeOutcome first = merge_shards(here_);
  EXPECT_TRUE(first.search && !first.already);
  EXPECT_TRUE(merge_shards(here_).already);
  EXPECT_EQ(told(search_path(here_)), search);
  // Another number of shards: the first ones are merged.
  for (std::uint32_t number = 1; number <= 2; ++number) {
    const StudyOutcome outcome = run_shard(plan, here_, {number, 2});
    EXPECT_TRUE(outcome.complete && !outcome.searching);
  }
  EXPECT_TRUE(contains(refusal([&] { run_study(plan, here_); }), "shards that are not merged"));
  EXPECT_FALSE(merge_shards(here_).search);
  EXPECT_EQ(told(here_), reference);
  EXPECT_TRUE(chosen_by_its_search(here_));
  EXPECT_TRUE(run_shard(plan, here_, {1, 2}).merged);
  EXPECT_TRUE(merge_shards(here_).already);
}

TEST_F(Merge, AStoppedShardGoesOn) {
  const StudyPlan plan = plan_of(kSmallStudy);
  run_study(plan, directory_.file("whole"), on_threads(1));
  std::atomic<bool> stop{false};
  RunHooks hooks = on_threads(1);
  hooks.stop = &stop;
  hooks.progress = [&](const Progress& progress) { stop = progress.replications_done >= 7; };
  const StudyOutcome begun = run_shard(plan, here_, {2, 3}, hooks);
  EXPECT_FALSE(begun.complete);
  EXPECT_GE(begun.computed, 7u);
  const StudyOutcome rest = run_shard(plan, here_, {2, 3});
  EXPECT_TRUE(rest.complete);
  EXPECT_EQ(begun.computed + rest.computed, 18u * 2);
  EXPECT_EQ(run_shard(plan, here_, {2, 3}).computed, 0u);
  run_shards(plan, here_, 3);
  merge_shards(here_);
  EXPECT_EQ(told(here_), told(directory_.file("whole")));
}

TEST_F(Merge, AShardsStoreSaysWhichOneItIsAndTakesNothingElse) {
  const StudyPlan plan = plan_of(kSmallStudy);
  run_shards(plan, here_, 3);
  Database database(store_path(shard(2)), Database::Mode::kReadWrite);
  Statement row(database, "SELECT value FROM run WHERE key = 'shard'");
  ASSERT_TRUE(row.step());
  EXPECT_EQ(row.text(0), "2/3");
  EXPECT_TRUE(
      contains(refusal([&] { run_study(plan, shard(2)); }), "shard: got all of it, expected 2/3"));
  const StudyPlan more = plan_of(kSmallStudy, {"replications=9"});
  EXPECT_TRUE(contains(refusal([&] {
                         run_shard(more, here_, {2, 3});
                       }),
                       "replications: got 9, expected 6"));
  EXPECT_TRUE(contains(refusal([&] {
                         run_shard(plan_of(kSmallStudy, {"seed=8"}), here_, {2, 3});
                       }),
                       "seed: got 8, expected 7"));
  EXPECT_TRUE(contains(refusal([&] {
                         run_shard(plan, here_, {2, 4});
                       }),
                       "--shard: got 2/4, expected one of 3 shards"));
  EXPECT_TRUE(contains(refusal([&] { run_study(plan, here_); }),
                       "directory: got shards that are not merged, expected another directory, or "
                       "what armature merge "));
  const DirectoryLease lease(shard(1));
  EXPECT_TRUE(contains(refusal([&] { run_shard(plan, here_, {1, 3}); }), "expected one at a time"));
}

TEST_F(Merge, ShardsHaveADirectoryOfTheirOwn) {
  const StudyPlan plan = plan_of(kSmallStudy);
  make_directory(here_);
  write_file(here_ + "/thesis.tex", "precious");
  EXPECT_TRUE(contains(refusal([&] { run_shard(plan, here_, {1, 3}); }), "got other files"));
  fs::remove(here_ + "/thesis.tex");
  make_directory(here_ + "/job");  // what armature submit writes
  EXPECT_TRUE(run_shard(plan, here_, {1, 3}).complete);

  // A run of its own.
  const std::string ordinary = directory_.file("ordinary");
  std::atomic<bool> stop{true};
  RunHooks hooks;
  hooks.stop = &stop;
  run_study(plan, ordinary, hooks);
  for (const std::string& message : {refusal([&] {
                                       run_shard(plan, ordinary, {1, 3});
                                     }),
                                     refusal([&] { merge_shards(ordinary); })})
    EXPECT_TRUE(contains(message, "a study that armature run has begun here without shards"))
        << message;
  run_study(plan, ordinary);
  EXPECT_TRUE(run_shard(plan, ordinary, {1, 3}).merged);
  EXPECT_TRUE(contains(refusal([&] {
                         run_shard(plan_of(kSmallStudy, {"replications=9"}), ordinary, {1, 3});
                       }),
                       "replications: got 9, expected 6"));
  EXPECT_FALSE(fs::exists(shards_path(ordinary)));
}

TEST_F(Merge, NamesAllThatIsNotFinished) {
  const StudyPlan plan = plan_of(kSmallStudy);
  EXPECT_TRUE(contains(refusal([&] { merge_shards(directory_.path()); }), "shards: got none"));
  for (const std::uint32_t number : {1u, 4u, 9u}) run_shard(plan, here_, {number, 9});
  stop_early(plan, {3, 9});
  const DirectoryLease lease(shard(9, 9));
  EXPECT_EQ(merged(),
            "shards missing: 2, 5–8\nshard unfinished: 3\nshard running: 9\n" + here_ +
                ": 9 shards: got 5 missing, 1 unfinished, 1 running, expected all finished "
                "(armature run … --shard N/9 goes on with one), or --partial to merge what there "
                "is");
  EXPECT_TRUE(nothing_left());
}

TEST_F(Merge, InPartItCanBeLookedAtAndFinishedEitherWay) {
  const StudyPlan plan = plan_of(kSmallStudy);
  run_study(plan, directory_.file("whole"), on_threads(1));
  const auto reference = told(directory_.file("whole"));
  for (const bool by_shards : {true, false}) {
    fs::remove_all(here_);
    stop_early(plan, {1, 4});
    run_shard(plan, here_, {2, 4});
    run_shard(plan, here_, {4, 4});
    const MergeOutcome outcome = merge_shards(here_, /*partial=*/true);
    ASSERT_EQ(outcome.left_out.size(), 2u);
    EXPECT_EQ(outcome.left_out[0].number, 1u);
    EXPECT_EQ(outcome.left_out[1].number, 3u);
    const StudyResult part = read_results(here_);
    EXPECT_FALSE(part.complete);
    EXPECT_EQ(part.replications_done, outcome.replications);
    EXPECT_TRUE(contains(merged(), "shard missing: 3\nshard unfinished: 1\n"));
    EXPECT_EQ(read_results(here_).replications_done, outcome.replications);
    if (by_shards) {
      run_shards(plan, here_, 4);
      EXPECT_FALSE(merge_shards(here_).already);
    } else {
      EXPECT_EQ(run_study(plan, here_).computed, 18u * 6 - outcome.replications);
      EXPECT_TRUE(merge_shards(here_).already);
    }
    EXPECT_EQ(told(here_), reference);
  }
}

// From here on a run has its own results there: they are not replaced by what the shards have.
TEST_F(Merge, InPartAndThenGoneOnWithItIsNotMergedAgain) {
  const StudyPlan plan = plan_of(kSmallStudy);
  run_shard(plan, here_, {2, 3});
  merge_shards(here_, /*partial=*/true);
  std::atomic<bool> stop{false};
  RunHooks hooks = on_threads(1);
  hooks.stop = &stop;
  hooks.progress = [&](const Progress&) { stop = true; };
  run_study(plan, here_, hooks);
  EXPECT_TRUE(contains(merged(), "a study that armature run has begun here without shards"));
  EXPECT_TRUE(contains(merged(true), "a study that armature run has begun here without shards"));
}

// Where a run goes on from a merge, its store tells how far the study is, whatever the shards had.
TEST_F(Merge, WhatARunGoesOnWithHasAStatusOfItsOwn) {
  const StudyPlan plan = plan_of(kSmallStudy);
  const StudyPlan more = plan_of(kSmallStudy, {"replications=8"});
  for (const bool partial : {true, false}) {
    fs::remove_all(here_);
    run_shard(plan, here_, {2, 3});
    if (!partial) run_shards(plan, here_, 3);
    merge_shards(here_, partial);
    EXPECT_EQ(shards_status(here_)->merged, !partial);
    std::atomic<bool> stop{false};
    RunHooks hooks = on_threads(1);
    hooks.stop = &stop;
    hooks.progress = [&](const Progress&) {
      EXPECT_FALSE(shards_status(here_));
      EXPECT_TRUE(study_status(here_).running);
      stop = true;
    };
    EXPECT_FALSE(run_study(partial ? plan : more, here_, hooks).complete);
    EXPECT_FALSE(shards_status(here_));
    EXPECT_TRUE(run_study(partial ? plan : more, here_).complete);
    EXPECT_TRUE(shards_status(here_)->merged);
    EXPECT_TRUE(merge_shards(here_).already);
  }
}

TEST_F(Merge, ASearchThatARunGoesOnWithHasAStatusOfItsOwn) {
  const StudyPlan plan = plan_of(kTwoStages);
  run_shard(plan, here_, {1, 2});
  merge_shards(here_, /*partial=*/true);
  EXPECT_TRUE(shards_status(here_)->searching);
  std::atomic<bool> stop{false};
  RunHooks hooks = on_threads(1);
  hooks.stop = &stop;
  hooks.progress = [&](const Progress&) { stop = true; };
  EXPECT_FALSE(run_study(plan, here_, hooks).complete);
  EXPECT_FALSE(shards_status(here_));
  EXPECT_TRUE(study_status(here_).searching);
  EXPECT_TRUE(run_study(plan, here_).complete);
  EXPECT_FALSE(shards_status(here_));
  EXPECT_FALSE(study_status(here_).searching);
}

// A store at work that cannot be opened: the lease tells whether that is a run.
TEST_F(Merge, OnANetworkARunThatGoesOnIsKnownByItsLease) {
  const AllOnNetwork network;
  const StudyPlan plan = plan_of(kSmallStudy);
  run_shard(plan, here_, {2, 3});
  merge_shards(here_, /*partial=*/true);
  LeaseTerms terms;
  terms.renewal = 0.01;
  DirectoryLease lease(here_, terms);
  EXPECT_TRUE(shards_status(here_));
  lease.note(R"({"searching":false,"replications":9,"of":36,"rounds":1,"share":0.2,"seconds":2})");
  while (shards_status(here_)) {
  }
  EXPECT_TRUE(study_status(here_).hidden);
}

// --- What is no good

TEST_F(Merge, OtherStudiesAreNamed) {
  const StudyPlan plan = plan_of(kSmallStudy);
  for (const auto& [overrides, words] : std::vector<std::pair<std::string, std::string>>{
           {"seed=8", "shards of one kind: 1, 3: seed 7\nshard of one kind: 2: seed 8\n"},
           {"replications=9",
            "shards of one kind: 1, 3: replications 6\nshard of one kind: 2: replications 9\n"},
           {"checkpoints=6", "shard of one kind: 2: checkpoints 6\n"},
           {"policies=['ucb','pe','ts']", "shard of one kind: 2: cell 1 pe on "}}) {
    run_shards(plan, here_, 3);
    const std::string other = directory_.file("other");
    run_shard(plan_of(kSmallStudy, {overrides}), other, {2, 3});
    fs::remove_all(shard(2));
    fs::rename(shard_path(other, {2, 3}), shard(2));
    EXPECT_TRUE(contains(merged(),
                         ": 3 shards: got 2 studies or builds, expected those of one study, by "
                         "one build of armature; others need another directory"))
        << merged();
    EXPECT_TRUE(contains(merged(), words)) << merged();
    EXPECT_TRUE(contains(merged(true), words)) << merged(true);
    EXPECT_TRUE(nothing_left());
    fs::remove_all(here_);
    fs::remove_all(other);
  }
}

// Whoever comes first is not therefore right.
TEST_F(Merge, OfSeveralStudiesNoneIsBlamed) {
  const StudyPlan plan = plan_of(kSmallStudy);
  run_shards(plan, here_, 5);
  const std::string other = directory_.file("other");
  const auto replace = [&](std::uint32_t number, const std::string& override) {
    fs::remove_all(other);
    run_shard(plan_of(kSmallStudy, {override}), other, {number, 5});
    fs::remove_all(shard(number, 5));
    fs::rename(shard_path(other, {number, 5}), shard(number, 5));
  };
  replace(1, "seed=9");
  EXPECT_EQ(merged(), "shard of one kind: 1: seed 9\nshards of one kind: 2–5: seed 7\n" + here_ +
                          ": 5 shards: got 2 studies or builds, expected those of one study, by "
                          "one build of armature; others need another directory");
  replace(4, "checkpoints=6");
  fs::remove_all(shard(3, 5));
  write_file(store_path(shard(5, 5)), "no database at all, but long enough to be looked at");
  const std::string message = merged();
  EXPECT_TRUE(contains(message, "shard missing: 3\nshard 5: ")) << message;
  EXPECT_TRUE(contains(message,
                       "shard of one kind: 1: seed 9\nshard of one kind: 2: seed 7\n"
                       "shard of one kind: 4: seed 7"))
      << message;
  EXPECT_TRUE(contains(message, "got 1 missing, 1 no good, 3 studies or builds, expected"))
      << message;
  EXPECT_FALSE(contains(message, "remove")) << message;
  EXPECT_TRUE(nothing_left());
}

TEST_F(Merge, ShardsOfTwoBuildsAreNamed) {
  const StudyPlan plan = plan_of(kSmallStudy);
  run_shards(plan, here_, 3);
  execute(2, "UPDATE run SET value = '0.2.0 (sources 123)' WHERE key = 'build'");
  for (const bool partial : {false, true}) {
    const std::string message = merged(partial);
    EXPECT_TRUE(contains(message, std::string("shards of one kind: 1, 3: build ") + build() +
                                      "\nshard of one kind: 2: build 0.2.0 (sources 123)\n"))
        << message;
    EXPECT_TRUE(contains(message, ": 3 shards: got 2 studies or builds, expected")) << message;
  }
  const std::string resumed = refusal([&] { run_shard(plan, here_, {2, 3}); });
  EXPECT_TRUE(contains(resumed, std::string("build of armature: got ") + build() +
                                    ", expected 0.2.0 (sources 123), as when this shard was begun"))
      << resumed;
  execute(2, "DELETE FROM run WHERE key = 'build'");
  EXPECT_TRUE(contains(merged(), "shard of one kind: 2: build unknown\n")) << merged();
  // What one build has computed another may merge: nothing is computed there.
  for (const std::uint32_t number : {1u, 2u, 3u})
    execute(number, "INSERT OR REPLACE INTO run VALUES ('build', '0.2.0 (sources 123)')");
  EXPECT_EQ(merged(), "(accepted)");
  // An ordinary run knows of versions alone.
  EXPECT_EQ(run_study(plan, here_).computed, 0u);
}

// A version cannot be mended by computing again what another one has computed.
TEST_F(Merge, ShardsOfAnotherVersionAreNotToBeRemoved) {
  run_shards(plan_of(kSmallStudy), here_, 3);
  for (const std::uint32_t number : {1u, 2u, 3u})
    execute(number, "UPDATE run SET value = '0.0.1' WHERE key = 'version'");
  EXPECT_TRUE(contains(merged(),
                       ": 3 shards: got 3 no good, expected all whole and by this "
                       "version of armature, or the version that computed them"))
      << merged();
}

TEST_F(Merge, ShardsInEachOthersPlacesAreNamed) {
  run_shards(plan_of(kSmallStudy), here_, 3);
  fs::rename(shard(1), directory_.file("aside"));
  fs::rename(shard(2), shard(1));
  fs::rename(directory_.file("aside"), shard(2));
  EXPECT_TRUE(
      contains(merged(), "shard 1: " + store_path(shard(1)) + ": shard: got 2/3, expected 1/3\n"))
      << merged();
  EXPECT_TRUE(contains(merged(), "shard: got 1/3, expected 2/3\n")) << merged();
  EXPECT_TRUE(nothing_left());
}

TEST_F(Merge, ShardsOfAnotherCountAreNamed) {
  run_shards(plan_of(kSmallStudy), here_, 3);
  make_directory(shard(1, 4));
  EXPECT_TRUE(contains(merged(), "shards: got some of 3 and some of 4")) << merged();
}

struct Damage {
  const char* sql;
  const char* words;
};

TEST_F(Merge, ChangedRowsAreNamed) {
  run_shards(plan_of(kSmallStudy), here_, 3);
  fs::copy(here_, directory_.file("good"), fs::copy_options::recursive);
  for (const Damage& damage : std::vector<Damage>{
           {"DELETE FROM replications WHERE cell = 3 AND replication = 2",
            "replications: got 1 of"},
           {"DELETE FROM curves WHERE cell = 3 AND checkpoint = 2 AND replication = 2",
            "curves: got 1 replications of cell 3 at a checkpoint, expected 2"},
           {"DELETE FROM curves WHERE cell = 17", "curves: got 0 replications of cell 17"},
           {"DELETE FROM pulls WHERE cell = 4 AND arm = 1", "pulls: got "},
           {"UPDATE pulls SET plays = 2 * plays", "plays of cell 0, expected 2 replications × 50"},
           {"DELETE FROM diagnostics WHERE cell = 1",
            "results: got others than when it was finished"},
           {"UPDATE replications SET regret = regret + 1e-9 WHERE cell = 2",
            "results: got others than when it was finished"},
           {"INSERT INTO replications SELECT cell, replication + 2, regret, simple_regret, engine, "
            "leap_error FROM replications WHERE cell = 5",
            "replications: got 2 to 5 of cell 5, expected 2 from 2 on"},
           {"INSERT INTO curves SELECT cell, checkpoint, replication + 2, regret FROM curves WHERE "
            "cell = 5",
            "curves: got 4 replications of cell 5"},
           {"DELETE FROM checkpoints WHERE cell = 5 AND checkpoint = 1", "checkpoints: got "},
           {"DROP TABLE pulls", "tables: got no pulls"},
           {"DELETE FROM run WHERE key = 'shard'", "shard: got none, expected 2/3"},
           {"UPDATE run SET value = '0.0.1' WHERE key = 'version'", "version of armature: got "},
           {"PRAGMA user_version = 2", "schema version: got 3, expected 2"},
           {"PRAGMA application_id = 7", "database: got another program's"}}) {
    fs::remove_all(here_);
    fs::copy(directory_.file("good"), here_, fs::copy_options::recursive);
    const std::string sql = damage.sql;
    execute(2, sql);
    EXPECT_TRUE(contains(merged(), ": 3 shards: got 1 no good, expected all whole")) << sql << "\n"
                                                                                     << merged();
    EXPECT_TRUE(contains(merged(), damage.words)) << sql << "\n" << merged();
    EXPECT_TRUE(contains(merged(true), damage.words)) << sql;
    EXPECT_TRUE(nothing_left());
  }
}

// Bytes of a store that somebody's disk, network or hand has changed.
void overwrite(const std::string& path, std::uint64_t at, const std::string& bytes) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(at));
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

TEST_F(Merge, DamagedFilesAreNamed) {
  const StudyPlan plan = plan_of(kSmallStudy);
  run_study(plan, directory_.file("whole"));
  const auto reference = exported(directory_.file("whole"));
  run_shards(plan, here_, 3);
  fs::copy(here_, directory_.file("good"), fs::copy_options::recursive);
  const std::string path = store_path(shard(2));
  const std::uint64_t size = fs::file_size(path);
  Stream luck({3, 0, Purpose::kTest});
  int refused = 0;
  constexpr int kTrials = 30;
  for (int trial = 0; trial < kTrials; ++trial) {
    fs::remove_all(here_);
    fs::copy(directory_.file("good"), here_, fs::copy_options::recursive);
    if (trial % 3 == 0)
      fs::resize_file(path, static_cast<std::uint64_t>(luck.uniform() * static_cast<double>(size)));
    else
      overwrite(path, static_cast<std::uint64_t>(luck.uniform() * static_cast<double>(size - 64)),
                std::string(trial % 3 == 1 ? 64 : 1, static_cast<char>(0xa5)));
    const std::string message = merged();
    if (message != "(accepted)") {
      ++refused;
      EXPECT_TRUE(contains(message, "shard 2: ") || contains(message, "shard missing: 2"))
          << message;
      EXPECT_TRUE(nothing_left());
    } else {
      EXPECT_EQ(exported(here_), reference);  // it hit what nobody reads
    }
  }
  EXPECT_GT(refused, kTrials / 2);
}

TEST_F(Merge, ADamagedStudyIsNotWrittenOver) {
  run_shards(plan_of(kSmallStudy), here_, 3);
  write_file(store_path(here_), std::string(5000, 'x'));
  EXPECT_TRUE(contains(merged(), "a SQLite database")) << merged();
  EXPECT_EQ(read_file(store_path(here_)), std::string(5000, 'x'));
  write_file(store_path(here_), "");  // killed before it began
  EXPECT_EQ(merged(), "(accepted)");
}

TEST_F(Merge, WhatAKilledMergeLeftIsRemoved) {
  run_shards(plan_of(kSmallStudy), here_, 3);
  write_file(store_path(here_) + ".merging", "half of it");
  EXPECT_EQ(merged(), "(accepted)");
  EXPECT_FALSE(fs::exists(store_path(here_) + ".merging"));
  // Nor is it taken for somebody's file where the shards are gone.
  fs::remove_all(here_);
  make_directory(here_);
  write_file(store_path(here_) + ".merging", "half of it");
  EXPECT_TRUE(run_study(plan_of(kSmallStudy), here_).complete);
}

TEST_F(Merge, WhoeverIsToldMayEndItAtAnyTime) {
  run_shards(plan_of(kSmallStudy), here_, 3);
  for (int calls = 1; calls <= 6; ++calls) {
    MergeHooks hooks;
    hooks.progress = [left = calls](const MergeProgress&) mutable {
      if (--left == 0) throw 7;
    };
    EXPECT_THROW(merge_shards(here_, false, hooks), int) << calls;
    EXPECT_TRUE(nothing_left()) << calls;
    EXPECT_FALSE(DirectoryLease::holder(here_)) << calls;
    EXPECT_FALSE(DirectoryLease::holder(shard(1))) << calls;
  }
  EXPECT_EQ(merged(), "(accepted)");
}

// Somebody else may have taken the directory while a large file was synced.
TEST_F(Merge, ItsLastLookAtTheLeaseIsAtAFinishedFile) {
  const StudyPlan plan = plan_of(kSmallStudy);
  run_shards(plan, here_, 2);
  const auto is_open = [&] {
    for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
      std::error_code gone;
      if (fs::read_symlink(entry, gone) == store_path(here_) + ".merging") return true;
    }
    return false;
  };
  int looks = 0, when_closed = 0;
  const auto merge = [&](int refused) {
    looks = 0;
    StoreMerger merger(here_, plan, {}, [&] {
      if (looks++ == refused) throw Error({"here", "directory", "another", "one at a time"});
      when_closed += is_open() ? 0 : 1;
    });
    for (const std::uint32_t number : {1u, 2u}) merger.absorb(shard(number, 2));
    merger.commit(/*whole=*/true);
  };
  merge(-1);
  EXPECT_GT(when_closed, 0);
  const int all = looks;
  fs::remove(store_path(here_));
  for (int refused = 0; refused < all; ++refused) {
    EXPECT_EQ(refusal([&] { merge(refused); }),
              "here: directory: got another, expected one at a time");
    EXPECT_TRUE(nothing_left()) << refused;
  }
}

TEST_F(Merge, OneAtATime) {
  run_shards(plan_of(kSmallStudy), here_, 3);
  const DirectoryLease lease(here_);
  EXPECT_TRUE(contains(merged(), "expected one at a time")) << merged();
}

// As a task of a queue does while somebody merges what there is: it would not be started again.
TEST_F(Merge, AShardThatStartsMeanwhileWaitsForItsEnd) {
  const StudyPlan plan = plan_of(kSmallStudy), search = plan_of(kTwoStages);
  std::vector<std::string> notices;
  std::atomic<bool> stop{false};
  RunHooks hooks = on_threads(1);
  hooks.stop = &stop;
  const auto waits_for = [&](const std::string& who, const std::string& where) {
    ASSERT_EQ(notices.size(), 1u);
    EXPECT_EQ(notices[0], "waiting for " + who + ", which merges in " + where);
    notices.clear();
  };
  std::optional<test::ForgedHolder> elsewhere;
  const auto ends_when_noticed = [&](const std::string& place) {
    make_directory(place);
    elsewhere.emplace(place);
    hooks.notice = [&, place](const std::string& words) {
      notices.push_back(words);
      elsewhere.reset();
      fs::remove(place + "/lease");
    };
  };
  ends_when_noticed(here_);
  EXPECT_TRUE(run_shard(plan, here_, {1, 2}, hooks).complete);
  waits_for("process 4242 on node7", here_);

  const std::string two = directory_.file("two");
  ends_when_noticed(search_path(two));
  EXPECT_TRUE(run_shard(search, two, {1, 2}, hooks).complete);
  waits_for("process 4242 on node7", search_path(two));

  // On this machine, on a disk that others see, too.
  const AllOnNetwork network;
  std::optional<DirectoryLease> here(std::in_place, here_);
  hooks.notice = [&](const std::string& words) {
    notices.push_back(words);
    here.reset();
  };
  EXPECT_TRUE(run_shard(plan, here_, {2, 2}, hooks).complete);
  waits_for(holder_words({host_name(), getpid(), ""}), here_);

  // Whoever is told to end does not wait.
  here.emplace(here_);
  hooks.notice = [&](const std::string&) { stop = true; };
  EXPECT_FALSE(run_shard(plan, here_, {1, 2}, hooks).complete);
}

TEST_F(Merge, AShardWaitsForTheEndOfOneThatBeganAfterItHadLooked) {
  const std::string own = shard_path(here_, {1, 2});
  make_directory(own);
  std::optional<test::ForgedHolder> shard(std::in_place, own), merge;
  std::vector<std::string> notices;
  RunHooks hooks = on_threads(1);
  hooks.notice = [&](const std::string& words) {
    notices.push_back(words);
    if (notices.size() == 1) return merge.emplace(here_), void();
    merge.reset();
    shard.reset();
    for (const std::string& place : {here_, own}) fs::remove(place + "/lease");
  };
  EXPECT_TRUE(run_shard(plan_of(kSmallStudy), here_, {1, 2}, hooks).complete);
  ASSERT_EQ(notices.size(), 2u);
  EXPECT_TRUE(contains(notices[0], "to see whether process 4242 on node7 is still at work"))
      << notices[0];
  EXPECT_EQ(notices[1], "waiting for process 4242 on node7, which merges in " + here_);
}

// Which tells how far it is, and may take days.
TEST_F(Merge, AShardDoesNotWaitForARun) {
  make_directory(here_);
  const test::ForgedHolder run(
      here_, R"({"searching":false,"replications":3,"of":8,"rounds":1,"share":0.25,"seconds":2})");
  EXPECT_EQ(refusal([&] {
              run_shard(plan_of(kSmallStudy), here_, {1, 2});
            }),
            here_ +
                ": study: got process 4242 on node7 at work in it, on another machine, expected "
                "one that is not at work; armature status tells how far it is");
}

// Whoever only asks needs no lease, and so no disk that can be written.
TEST_F(Merge, WhatIsMergedIsFoundWithoutALease) {
  for (const char* study : {kSmallStudy, kTwoStages}) {
    fs::remove_all(here_);
    run_shards(plan_of(study), here_, 2);
    merge_shards(here_);
    const std::uint64_t replications = merge_shards(here_).replications;
    const DirectoryLease lease(here_);
    const MergeOutcome outcome = merge_shards(here_);
    EXPECT_TRUE(outcome.already);
    EXPECT_EQ(outcome.search, study == kTwoStages);
    EXPECT_EQ(outcome.replications, replications);
  }
}

TEST_F(Merge, OnANetworkToo) {
  const AllOnNetwork network;
  const StudyPlan plan = plan_of(kTwoStages);
  run_study(plan, directory_.file("whole"), on_threads(1));
  run_shards(plan, here_, 2);
  merge_shards(here_);
  run_shards(plan, here_, 2);
  merge_shards(here_);
  EXPECT_EQ(told(here_), told(directory_.file("whole")));
  EXPECT_TRUE(run_shard(plan, here_, {1, 2}).merged);
}

// --- Shards of another study, found when they start

TEST_F(Merge, AShardOfAnotherStudyDoesNotStart) {
  const StudyPlan plan = plan_of(kSmallStudy);
  run_shard(plan, here_, {1, 3});
  const std::string mark = read_file(shards_path(here_) + "/study");
  EXPECT_EQ(mark, study_mark(plan));
  for (const auto& [override, words] : std::vector<std::pair<std::string, std::string>>{
           {"seed=8", "seed: got 8, expected 7"},
           {"replications=9", "replications: got 9, expected 6"},
           {"checkpoints=6", "checkpoints: got 6, expected 5"},
           {"engine=\"step\"", "engine: got step, expected auto"},
           {"horizons=[50,300]", "horizons: got 50, 300, expected 50, 200"},
           {"policies=['ucb','pe','ts']", "policies: got ucb, pe, ts, expected ucb, db, ts"},
           {"delay=[0,3]", "number of cells: got 36, expected 18"},
           {"delay=3", "digest of its cells: got "}}) {
    const std::string message = refusal([&] {
      run_shard(plan_of(kSmallStudy, {override}), here_, {2, 3});
    });
    EXPECT_TRUE(contains(message, here_ + "/shards/study: " + words)) << message;
    EXPECT_TRUE(contains(message, ", as the shards that were begun here")) << message;
    EXPECT_FALSE(fs::exists(shard(2))) << override;
  }
  const auto left = fs::directory_iterator(shards_path(here_));
  EXPECT_EQ(std::distance(begin(left), end(left)), 2);  // the shard and the mark
}

TEST_F(Merge, TheMarkOfAStudyBlocksNobody) {
  const StudyPlan plan = plan_of(kSmallStudy), other = plan_of(kSmallStudy, {"seed=8"});
  const std::string path = shards_path(here_) + "/study";
  // Torn, empty, no JSON, of a later version that has other fields.
  for (const std::string& left :
       {study_mark(plan).substr(0, 50), std::string(), std::string("[1]"), std::string("{}")}) {
    fs::remove_all(here_);
    make_directory(shards_path(here_));
    write_file(path, left);
    EXPECT_TRUE(run_shard(plan, here_, {1, 2}).complete) << left;
    EXPECT_EQ(read_file(path), study_mark(plan));
  }
  fs::remove(path);  // shards from before there were marks
  EXPECT_TRUE(run_shard(plan, here_, {2, 2}).complete);
  EXPECT_EQ(read_file(path), study_mark(plan));
  EXPECT_EQ(merged(), "(accepted)");
  // Where nothing of it is left but the mark, a person says that it is not wanted.
  fs::remove_all(here_);
  make_directory(shards_path(here_));
  write_file(path, study_mark(plan));
  const std::string message = refusal([&] { run_shard(other, here_, {1, 2}); });
  EXPECT_TRUE(contains(message, "seed: got 8, expected 7")) << message;
  EXPECT_TRUE(contains(message, "or remove \"shards\" if nothing in it is wanted")) << message;
  fs::remove_all(shards_path(here_));
  EXPECT_TRUE(run_shard(other, here_, {1, 2}).complete);
}

// Two arrays of the same size: whose task comes first has the directory, and all of its tasks go
// on.
TEST_F(Merge, OfTwoArraysThatStartAtOnceOneGoesOn) {
  const StudyPlan plans[] = {plan_of(kSmallStudy), plan_of(kSmallStudy, {"seed=8"})};
  constexpr std::uint32_t kTasks = 4;
  for (int array = 0; array < 10; ++array) {
    fs::remove_all(here_);
    std::vector<std::thread> threads;
    std::atomic<std::uint32_t> through[2] = {};
    for (std::uint32_t number = 1; number <= kTasks; ++number)
      for (std::size_t study = 0; study < 2; ++study)
        threads.emplace_back([&, number, study] {
          try {
            if (run_shard(plans[study], here_, {number, kTasks}).complete) ++through[study];
          } catch (const Error&) {
          }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(std::max(through[0], through[1]), kTasks);
    EXPECT_EQ(std::min(through[0], through[1]), 0u);
    EXPECT_EQ(merged(), "(accepted)");
  }
}

TEST_F(Merge, TheSeedOfASearchIsToldAsTheStudysOwn) {
  run_shard(plan_of(kTwoStages), here_, {1, 2});
  const StudyPlan other = plan_of(kTwoStages, {"seed=6"});
  EXPECT_TRUE(contains(refusal([&] {
                         run_shard(other, here_, {2, 2});
                       }),
                       "seed: got 6, expected 5"));
  const std::string aside = directory_.file("other");
  run_shard(other, aside, {2, 2});
  fs::rename(shard_path(search_path(aside), {2, 2}), shard_path(search_path(here_), {2, 2}));
  EXPECT_TRUE(contains(merged(), "shard of one kind: 2: seed 6\n")) << merged();
  EXPECT_EQ(shards_status(here_)->shards[1].trouble, "of another study: seed 6, not 5");
}

TEST_F(Merge, StatusNamesAShardOfAnotherStudy) {
  run_shards(plan_of(kSmallStudy), here_, 3);
  const std::string other = directory_.file("other");
  run_shard(plan_of(kSmallStudy, {"policies=['ucb']", "seed=8"}), other, {1, 3});
  fs::remove_all(shard(1));
  fs::rename(shard_path(other, {1, 3}), shard(1));
  const ShardsStatus status = shards_status(here_).value();
  EXPECT_EQ(status.shards[0].trouble, "of another study: seed 8, not 7");
  EXPECT_EQ(status.shards[0].state, ShardStatus::State::kStopped);
  EXPECT_EQ(status.shards[0].work_done, 0);
  EXPECT_EQ(status.shards[1].trouble, "");
  EXPECT_EQ(status.shards[1].state, ShardStatus::State::kFinished);
}

// --- How far they are

TEST_F(Merge, StatusTellsOfEveryShard) {
  using State = ShardStatus::State;
  EXPECT_FALSE(shards_status(here_));
  const StudyPlan plan = plan_of(kSmallStudy);
  run_shard(plan, here_, {1, 4});
  stop_early(plan, {3, 4});
  ShardsStatus status = shards_status(here_).value();
  EXPECT_EQ(status.of, 4u);
  EXPECT_EQ(status.title, "small");
  EXPECT_FALSE(status.merged || status.searching);
  std::vector<State> states;
  double work = 0, longest = 0;
  for (const ShardStatus& shard : status.shards) {
    states.push_back(shard.state);
    EXPECT_EQ(shard.trouble, "");
    work += shard.work_total;
    longest = std::max(longest, shard.work_total);
  }
  EXPECT_EQ(states,
            (std::vector{State::kFinished, State::kMissing, State::kStopped, State::kMissing}));
  EXPECT_LT(longest, 1.2 * work / 4);
  EXPECT_EQ(status.shards[0].done, status.shards[0].total);
  EXPECT_EQ(status.shards[0].work_done, status.shards[0].work_total);
  EXPECT_EQ(status.shards[1].done, 0u);
  EXPECT_GT(status.shards[2].done, 0u);
  EXPECT_LT(status.shards[2].done, status.shards[2].total);
  make_directory(shard(2, 4));
  write_file(store_path(shard(2, 4)), "no database at all, but long enough to be looked at");
  status = shards_status(here_).value();
  EXPECT_TRUE(contains(status.shards[1].trouble, "a SQLite database"));
  fs::remove_all(shard(2, 4));
  run_shards(plan, here_, 4);
  merge_shards(here_);
  EXPECT_TRUE(shards_status(here_)->merged);
}

// While it runs: from its lease, and on a network from nothing else.
TEST_F(Merge, StatusOfAShardAtWork) {
  const StudyPlan plan = plan_of(kSmallStudy);
  for (const bool on_network : {false, true}) {
    std::optional<AllOnNetwork> network;
    if (on_network) network.emplace();
    fs::remove_all(here_);
    run_shard(plan, here_, {1, 2});
    RunHooks hooks = on_threads(1);
    std::uint64_t looks = 0;
    hooks.progress = [&](const Progress& progress) {
      const ShardsStatus status = shards_status(here_).value();
      EXPECT_EQ(status.shards[1].state, ShardStatus::State::kRunning);
      EXPECT_EQ(status.shards[1].total, 18u * 3);
      if (!on_network) {
        EXPECT_EQ(status.shards[1].done, progress.replications_done);
      }
      ++looks;
    };
    run_shard(plan, here_, {2, 2}, hooks);
    EXPECT_GT(looks, 0u);
  }
}

// Where nothing can be opened, the leases alone tell.
TEST_F(Merge, StatusOnANetworkOfShardsThatAllWork) {
  const AllOnNetwork network;
  const StudyPlan plan = plan_of(kSmallStudy);
  const auto note = [](std::uint64_t done) {
    return R"({"searching":false,"replications":)" + std::to_string(done) +
           R"(,"of":36,"rounds":1e6,"share":0.25,"seconds":2})";
  };
  run_shard(plan, here_, {1, 2});
  make_directory(shard(2, 2));
  LeaseTerms terms;
  terms.renewal = 0.01;
  DirectoryLease first(shard(1, 2), terms), second(shard(2, 2), terms);
  first.note(note(9));
  second.note(note(27));
  std::optional<ShardsStatus> status;
  do {
    status = shards_status(here_);
  } while (status->shards[0].done == 0 || status->shards[1].done == 0);
  EXPECT_EQ(status->title, "");
  for (const ShardStatus& shard : status->shards) {
    EXPECT_EQ(shard.state, ShardStatus::State::kRunning);
    EXPECT_EQ(shard.total, 36u);
    EXPECT_EQ(shard.work_total, 36);
    EXPECT_EQ(shard.rounds_per_second, 5e5);
    EXPECT_EQ(shard.seconds_left, 6);
  }
  EXPECT_EQ(status->shards[0].work_done, 9);
  EXPECT_EQ(status->shards[1].work_done, 27);
}

TEST_F(Merge, StatusOfASearch) {
  const StudyPlan plan = plan_of(kTwoStages);
  run_shard(plan, here_, {1, 2});
  EXPECT_TRUE(shards_status(here_)->searching);
  EXPECT_FALSE(shards_status(here_)->merged);
  run_shard(plan, here_, {2, 2});
  merge_shards(here_);
  EXPECT_TRUE(shards_status(here_)->searching);
  EXPECT_TRUE(shards_status(here_)->merged);
  run_shard(plan, here_, {2, 2});
  EXPECT_FALSE(shards_status(here_)->searching);
}

}  // namespace
}  // namespace armature
