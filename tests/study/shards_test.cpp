// The cut of a study into shards: every replication belongs to one of them, on every machine the
// same one, and none has much more to do than another.
#include "study/shards.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <numeric>

#include "armature/leap.h"
#include "armature/policy.h"
#include "armature/random.h"
#include "base/refusal.h"
#include "support/program.h"
#include "support/studies.h"

namespace armature {
namespace {

using test::contains;
using test::plan_of;
using test::refusal;
using test::TemporaryDirectory;

PlannedCell cell_of(const std::string& policy, Round horizon, std::uint32_t actions = 20,
                    std::uint32_t contexts = 5) {
  PlannedCell cell;
  cell.policy = policy;
  cell.horizon = horizon;
  cell.actions = actions;
  cell.contexts = contexts;
  cell.gap = 0.1;
  return cell;
}

std::uint64_t below(Stream& luck, std::uint64_t bound) {
  return static_cast<std::uint64_t>(luck.uniform() * static_cast<double>(bound));
}

// Any policies, sizes and horizons, those that leap and those that take longer than the universe
// among them.
std::vector<PlannedCell> random_cells(Stream& luck) {
  std::vector<PlannedCell> cells;
  const std::size_t count = 1 + below(luck, 30);
  for (std::size_t i = 0; i < count; ++i) {
    const PolicyEntry& entry = policies()[below(luck, policies().size())];
    Round horizon = 1;
    for (std::uint64_t digits = below(luck, 18); digits > 0; --digits) horizon *= 10;
    cells.push_back(cell_of(entry.facts.name, horizon, 2 + below(luck, 200), 1 + below(luck, 20)));
  }
  return cells;
}

TEST(ShardCut, HoldsEveryReplicationOnce) {
  Stream luck({1, 0, Purpose::kTest});
  for (int trial = 0; trial < 300; ++trial) {
    const std::vector<PlannedCell> cells = random_cells(luck);
    const auto replications = static_cast<std::uint32_t>(1 + below(luck, 40));
    const auto all = static_cast<std::uint32_t>(replications * cells.size());
    const auto shards = static_cast<std::uint32_t>(1 + below(luck, trial % 3 == 0 ? 2 * all : 30));
    const ShardCut cut(cells, replications, "auto", shards);
    // One range after the other: then none is missing and none is there twice.
    std::vector<std::uint32_t> next(cells.size());
    for (std::uint32_t number = 1; number <= shards; ++number) {
      const std::vector<ReplicationRange> part = cut.part(number);
      ASSERT_EQ(part.size(), cells.size());
      for (std::size_t cell = 0; cell < cells.size(); ++cell) {
        ASSERT_EQ(part[cell].first, next[cell]);
        ASSERT_GE(part[cell].count, replications / shards);
        next[cell] += part[cell].count;
      }
    }
    for (const std::uint32_t end : next) ASSERT_EQ(end, replications);
  }
}

// What is left over differs between two shards by no more than the longest replication of it.
TEST(ShardCut, IsBalanced) {
  Stream luck({2, 0, Purpose::kTest});
  for (int trial = 0; trial < 100; ++trial) {
    std::vector<PlannedCell> cells = random_cells(luck);
    for (PlannedCell& cell : cells) cell.horizon = std::min<Round>(cell.horizon, 100'000);
    const auto replications = static_cast<std::uint32_t>(1 + below(luck, 40));
    const auto shards = static_cast<std::uint32_t>(1 + below(luck, 60));
    const ShardCut cut(cells, replications, "auto", shards);
    std::uint64_t least = UINT64_MAX, most = 0, longest = 0;
    for (const std::uint64_t work : cut.work()) longest = std::max(longest, work);
    for (std::uint32_t number = 1; number <= shards; ++number) {
      const std::vector<ReplicationRange> part = cut.part(number);
      std::uint64_t work = 0;
      for (std::size_t cell = 0; cell < cells.size(); ++cell)
        work += part[cell].count * cut.work()[cell];
      least = std::min(least, work);
      most = std::max(most, work);
    }
    EXPECT_LE(most - least, longest) << shards << " shards of " << cells.size() << " cells";
  }
}

// Written down once: what other machines have computed by this cut must fit for good.
TEST(ShardCut, IsTheSameForever) {
  const std::vector<PlannedCell> cells = {cell_of("ucb", 1000), cell_of("ts", 1000),
                                          cell_of("db", 100'000), cell_of("oracle", 1000)};
  const ShardCut cut(cells, 5, "auto", 3);
  std::string words;
  for (std::uint32_t number = 1; number <= 3; ++number) {
    for (const ReplicationRange& range : cut.part(number))
      words += std::to_string(range.first) + "+" + std::to_string(range.count) + " ";
    words += "| ";
  }
  EXPECT_EQ(words, "0+1 0+1 0+2 0+1 | 1+1 1+1 2+2 1+1 | 2+3 2+3 4+1 2+3 | ");
}

TEST(ShardCut, EveryPolicyHasACost) {
  EXPECT_TRUE(has_cost(kOracle));
  for (const PolicyEntry& entry : policies())
    // But those that other tests register here.
    EXPECT_TRUE(has_cost(entry.facts.name) || entry.facts.name.starts_with("test-"))
        << entry.facts.name << " needs a row in kCosts of study/shards.cpp";
  EXPECT_FALSE(has_cost("nobody"));
}

// Where `auto` leaps a replication does not grow with its horizon.
TEST(ShardCut, KnowsWhoLeaps) {
  const Problem problem =
      InstanceSource("hidden-arm:actions=5", 1'000'000'000, 1).instance(0)->problem(1'000'000'000);
  for (const PolicyEntry& entry : policies()) {
    const auto policy = make_policy(entry.facts.name, problem);
    const bool leaps = leap::obstacle(*policy).empty();
    EXPECT_EQ(expected_to_leap_beyond(entry.facts.name) > 0, leaps) << entry.facts.name;
    if (!leaps) continue;
    EXPECT_EQ(expected_to_leap_beyond(entry.facts.name),
              std::max<Round>(1'000'000, policy->leaper()->leaps_well_beyond()))
        << entry.facts.name;
  }
}

TEST(ShardCut, LongAndLateIsMoreWorkAndALeapIsNot) {
  const auto work = [](const PlannedCell& cell, const char* engine = "auto") {
    return expected_work(cell, engine);
  };
  EXPECT_GT(work(cell_of("ucb", 2000)), work(cell_of("ucb", 1000)));
  EXPECT_GT(work(cell_of("ts", 1000, 200)), work(cell_of("ts", 1000, 20)));
  EXPECT_EQ(work(cell_of("ucb", 100'000'000)), work(cell_of("ucb", 1'000'000'000)));
  EXPECT_GT(work(cell_of("ucb", 1'000'000'000), "step"), work(cell_of("ucb", 100'000'000), "step"));
  EXPECT_EQ(work(cell_of("ucb", 10'000'000), "leap"), work(cell_of("ucb", 3'000'000), "leap"));
  EXPECT_GT(work(cell_of("ts", 1'000'000'000)), work(cell_of("ts", 100'000'000)));
  EXPECT_EQ(work(cell_of("ts", 1'000'000'000'000'000'000)), UINT64_MAX);
  PlannedCell late = cell_of("ucb", 1000), random = late;
  late.feedback.batch = 10;
  random.gap.reset();
  EXPECT_GT(work(late), work(cell_of("ucb", 1000)));
  EXPECT_GT(work(random), work(cell_of("ucb", 1000)));
  EXPECT_EQ(work(cell_of("ucb:delta=0.1", 1000)), work(cell_of("ucb", 1000)));
}

// --- Their names

TEST(ShardName, IsANumberAndACount) {
  const Shard shard = parse_shard("3/40");
  EXPECT_EQ(shard.number, 3u);
  EXPECT_EQ(shard.of, 40u);
  EXPECT_EQ(shard_text(shard), "3/40");
  EXPECT_EQ(shard_path("runs/x", shard), "runs/x/shards/03-of-40");
  EXPECT_EQ(shard_path("x", {7, 100}), "x/shards/007-of-100");
  EXPECT_EQ(parse_shard("100000/100000").number, 100'000u);
  for (const char* text : {"5/4", "0/4", "x/y", "3", "1/0", "1/100001", "", "/", "1/", "/4", "-1/4",
                           "1/4 ", " 1/4", "1/2/3", "1.0/4", "99999999999/99999999999"}) {
    const std::string message = refusal([&] { parse_shard(text); });
    EXPECT_TRUE(contains(
        message, std::string("--shard: got '") + text + "', expected NUMBER/COUNT, as 3/40"))
        << message;
  }
}

class Slurm : public testing::Test {
 protected:
  ~Slurm() override {
    for (const char* name : kNames) unsetenv(name);
  }
  // ID, MIN, MAX, STEP, COUNT
  static std::string asked(const std::vector<const char*>& values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i])
        setenv(kNames[i], values[i], 1);
      else
        unsetenv(kNames[i]);
    std::string text;
    const std::string message = refusal([&] { text = shard_text(parse_shard("slurm")); });
    return text.empty() ? message : text;
  }
  static constexpr const char* kNames[] = {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN",
                                           "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_STEP",
                                           "SLURM_ARRAY_TASK_COUNT"};
};

TEST_F(Slurm, TellsTheShardOfAWholeArray) {
  EXPECT_EQ(asked({"3", "1", "40", "1", "40"}), "3/40");
  EXPECT_EQ(asked({"0", "0", "39", "1", "40"}), "1/40");
  EXPECT_EQ(asked({"39", "0", "39", "1", "40"}), "40/40");
  EXPECT_EQ(asked({"1", "1", "1", "1", "1"}), "1/1");
}

TEST_F(Slurm, IsRefusedWhereItCannotTell) {
  for (const std::vector<const char*>& holes :
       std::vector<std::vector<const char*>>{{"3", "3", "40", "1", "38"},
                                             {"3", "1", "39", "2", "20"},
                                             {"3", "1", "40", "1", "12"},
                                             {"41", "1", "40", "1", "40"},
                                             {"1", "1", "0", "1", "0"},
                                             {"0", "0", "100000", "1", "100001"}}) {
    const std::string message = asked(holes);
    EXPECT_TRUE(contains(message, "--shard: got slurm, and an array of ")) << message;
    EXPECT_TRUE(contains(message, "--shard \"$SLURM_ARRAY_TASK_ID/N\"")) << message;
  }
  EXPECT_TRUE(contains(asked({nullptr, nullptr, nullptr, nullptr, nullptr}),
                       "--shard: got slurm, and no SLURM_ARRAY_TASK_ID, expected a task of a"));
  EXPECT_TRUE(contains(asked({"x", "1", "2", "1", "2"}), "got slurm, and SLURM_ARRAY_TASK_ID=x"));
}

TEST(ShardName, TellsHowManyThereAre) {
  const TemporaryDirectory directory;
  EXPECT_FALSE(shard_count(directory.path()));
  make_directory(directory.file("shards/lost+found"));
  make_directory(directory.file("shards/9-of-8"));
  EXPECT_FALSE(shard_count(directory.path()));
  make_directory(shard_path(directory.path(), {2, 8}));
  EXPECT_EQ(shard_count(directory.path()), 8u);
  make_directory(shard_path(directory.path(), {2, 9}));
  EXPECT_TRUE(contains(refusal([&] { shard_count(directory.path()); }),
                       "shards: got some of 8 and some of 9, expected those of one cut"));
}

}  // namespace
}  // namespace armature
