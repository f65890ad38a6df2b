// Ranks as threads of one process: the same results as by threads, whatever happens on the way.
#include "ranks/rank_crew.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "base/refusal.h"
#include "ranks/worker.h"
#include "study/stage.h"
#include "support/program.h"
#include "support/studies.h"
#include "support/thread_transport.h"

namespace armature::ranks {
namespace {

using test::kSmallStudy;
using test::plan_of;
using test::TemporaryDirectory;
using test::ThreadJob;

Hello hello_on(const std::string& host, std::vector<int> cores) {
  Hello hello = hello_of_this_process();
  hello.host = host;
  hello.quota = static_cast<std::uint32_t>(cores.size());
  hello.cores = std::move(cores);
  return hello;
}

// Workers of ranks 1, 2, …, each in a thread of its own.
class Workers {
 public:
  Workers(ThreadJob& job, int size, const WorkerOptions& options = {})
      : Workers(job, size, [&](int) { return options; }) {}
  Workers(ThreadJob& job, int size, const std::function<WorkerOptions(int rank)>& options_of) {
    for (int rank = 1; rank < size; ++rank)
      threads_.emplace_back([&job, rank, options = options_of(rank), this] {
        const auto transport = job.transport(rank);
        ends_[static_cast<std::size_t>(rank)] = work_for_rank_zero(
            *transport, hello_on("node" + std::to_string(rank), {0, 1}), options);
      });
  }
  WorkerEnd end_of(int rank) {
    threads_[static_cast<std::size_t>(rank - 1)].join();
    return ends_[static_cast<std::size_t>(rank)];
  }

 private:
  std::array<WorkerEnd, 64> ends_{};
  std::vector<std::jthread> threads_;
};

void wait_for(const std::atomic<bool>& event) {
  while (!event) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// Blocks of one replication of the first cell.
std::vector<BlockTask> short_tasks(std::uint32_t count) {
  std::vector<BlockTask> tasks;
  for (std::uint32_t i = 0; i < count; ++i) tasks.push_back({0, {i, 1}, 1});
  return tasks;
}

// With one thread rank 0 cannot take all blocks before others are handed one, however many cores
// there are: tests in which something happens to another rank's block say `threads = 1`.

// Of a rank that is cut off by its own first block: one that has none yet would wait for rank 0
// without end, and one whose blocks have come back would not be missed. Then `sign` is set.
WorkerOptions cut_off_at_work(ThreadJob& job, int rank, std::atomic<bool>* sign = nullptr) {
  WorkerOptions options;
  options.read_stage = [&job, rank, sign](const std::string& stage) -> Compute {
    return [&job, rank, sign, real = cells_of_stage(stage)](const Order& order,
                                                            const std::atomic<bool>& stop) {
      job.cut_off(rank);
      if (sign) *sign = true;
      return real(order, stop);
    };
  };
  return options;
}

// Of a rank that goes when it is cut off, as one that has died.
WorkerOptions ending(ThreadJob& job, int rank, WorkerOptions options) {
  options.told_to_end = &job.is_cut_off(rank);
  return options;
}

std::map<std::string, std::string> run_on(int ranks, const StudyPlan& plan,
                                          const CrewOptions& options = {}) {
  const TemporaryDirectory directory;
  ThreadJob job(ranks);
  Workers workers(job, ranks);
  const auto transport = job.transport(0);
  {
    RankCrew crew(*transport, options);
    RunHooks hooks;
    hooks.crew = &crew;
    EXPECT_TRUE(run_study(plan, directory.file("study"), hooks).complete);
  }
  return test::exported(directory.file("study"));
}

TEST(RankCrew, AnyNumberOfRanksGivesTheBytesOfOneThread) {
  const StudyPlan plan = plan_of(kSmallStudy);
  const TemporaryDirectory directory;
  ASSERT_TRUE(run_study(plan, directory.file("threads"), test::on_threads(1)).complete);
  const auto reference = test::exported(directory.file("threads"));
  for (const int ranks : {2, 3, 7}) EXPECT_EQ(run_on(ranks, plan), reference) << ranks;
  CrewOptions one_thread;
  one_thread.threads = 1;
  EXPECT_EQ(run_on(4, plan, one_thread), reference);
}

TEST(RankCrew, StudiesOfTwoStagesToo) {
  const StudyPlan plan = plan_of(R"(
replications = 6
horizons = [100]
instances = ["hidden-arm:actions=5", "hidden-arm:actions=5,gap=0.1"]
policies = ["ucb", "ts"]
search = {replications = 4}
)");
  const TemporaryDirectory directory;
  ASSERT_TRUE(run_study(plan, directory.file("threads"), test::on_threads(1)).complete);
  EXPECT_EQ(run_on(3, plan), test::exported(directory.file("threads")));
}

TEST(RankCrew, CoresThatAreSharedAreDivided) {
  const auto threads = [](const std::vector<Hello>& ranks) { return threads_by_rank(ranks); };
  const std::vector<int> eight{0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(threads({hello_on("a", eight)}), (std::vector<unsigned>{8}));
  EXPECT_EQ(threads({hello_on("a", eight), hello_on("b", eight)}), (std::vector<unsigned>{8, 8}));
  EXPECT_EQ(threads({hello_on("a", eight), hello_on("a", eight), hello_on("a", eight)}),
            (std::vector<unsigned>{2, 3, 3}));
  EXPECT_EQ(threads({hello_on("a", {0, 1}), hello_on("a", {2, 3})}), (std::vector<unsigned>{2, 2}));
  // Oversubscribed: each has at least one.
  EXPECT_EQ(threads({hello_on("a", {0}), hello_on("a", {0}), hello_on("a", {0})}),
            (std::vector<unsigned>{1, 1, 1}));
  Hello bounded = hello_on("a", eight);
  bounded.quota = 4;
  EXPECT_EQ(threads({bounded, bounded}), (std::vector<unsigned>{2, 2}));
}

TEST(RankCrew, AnotherBuildIsRefusedByName) {
  ThreadJob job(3);
  std::vector<std::jthread> workers;
  for (int rank = 1; rank < 3; ++rank)
    workers.emplace_back([&job, rank] {
      Hello hello = hello_on("node" + std::to_string(rank), {0});
      hello.process = 70 + rank;
      if (rank == 2) hello.build = "0.1.0 (sources 123)";
      EXPECT_EQ(work_for_rank_zero(*job.transport(rank), hello), WorkerEnd::kSentHome);
    });
  const auto transport = job.transport(0);
  const std::string message = test::refusal([&] { RankCrew crew(*transport, {}); });
  // The command ends the job for good; here they are sent home.
  for (int rank = 1; rank < 3; ++rank) transport->send(rank, write_message(End{}));
  EXPECT_TRUE(
      message.starts_with("rank 2 on node2 (process 72): build of armature: got 0.1.0 "
                          "(sources 123), expected "))
      << message;
}

// A worker whose lines were slow finds many large results at once.
TEST(RankCrew, ManyLargeResultsAreManyMessages) {
  constexpr std::uint32_t kBlocks = 40;
  constexpr std::size_t kNumbers = 128 << 10;  // of 8 bytes, in each
  ThreadJob job(2);
  std::atomic<std::uint32_t> computed{0};
  WorkerOptions options;
  options.read_stage = [&](const std::string&) -> Compute {
    return [&](const Order&, const std::atomic<bool>&) {
      BlockResult result;
      result.replications.resize(1);
      result.replications[0].regret.resize(kNumbers);
      ++computed;
      return result;
    };
  };
  // Once blocks are being computed, it takes until all are.
  class Slow final : public Transport {
   public:
    Slow(std::unique_ptr<Transport> line, const std::atomic<std::uint32_t>& computed)
        : line_(std::move(line)), computed_(computed) {}
    int rank() const override { return line_->rank(); }
    int size() const override { return line_->size(); }
    void send(int to, std::string message) override { line_->send(to, std::move(message)); }
    std::optional<Received> receive() override {
      while (computed_ > 0 && computed_ < kBlocks)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      return line_->receive();
    }
    void close() override {}
    void abort(int) noexcept override {}

   private:
    std::unique_ptr<Transport> line_;
    const std::atomic<std::uint32_t>& computed_;
  };
  std::jthread worker([&] {
    Slow line(job.transport(1), computed);
    work_for_rank_zero(line, hello_on("node1", {0}), options);
  });
  const auto transport = job.transport(0);
  transport->send(1, write_message(Stage{1, "", 1}));
  Blocks blocks{1, {}};
  for (std::uint32_t i = 0; i < kBlocks; ++i) blocks.orders.push_back({i, 0, {i, 1}});
  transport->send(1, write_message(blocks));
  for (std::size_t came = 0; came < kBlocks;) {
    const auto received = transport->receive();
    if (!received) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      continue;
    }
    const Message message = read_message(received->message);
    if (const auto* results = std::get_if<Results>(&message)) came += results->blocks.size();
    EXPECT_LT(received->message.size(), std::size_t{8} << 20);
  }
  transport->send(1, write_message(End{}));
}

// Where a launcher makes one job of tasks that were to compute a shard each.
TEST(RankCrew, AnotherShardIsRefusedByName) {
  for (const auto& [shard, others, message] :
       std::vector<std::tuple<std::string, std::string, std::string>>{
           {"1/40", "8/40", "--shard: got 8/40, expected 1/40, as rank 0; srun --mpi=none for a "},
           {"1/40", "", "--shard: got none, expected 1/40, as rank 0"},
           {"", "8/40", "--shard: got 8/40, expected none, as rank 0"},
           {"8/40", "8/40", "(accepted)"}}) {
    ThreadJob job(2);
    Hello hello = hello_on("node1", {0});
    hello.process = 71;
    hello.shard = others;
    job.transport(1)->send(0, write_message(hello));
    const auto transport = job.transport(0);
    CrewOptions options;
    options.shard = shard;
    const std::string said = test::refusal([&] { RankCrew crew(*transport, options); });
    EXPECT_TRUE(test::contains(said, message)) << said;
    EXPECT_EQ(said.starts_with("rank 1 on node1 (process 71): "), shard != others) << said;
  }
}

// What stands against a block is told with the rank it stood against.
TEST(RankCrew, AFailureIsToldWithItsRank) {
  const StudyPlan plan = plan_of(kSmallStudy);
  const TemporaryDirectory directory;
  ThreadJob job(2);
  WorkerOptions failing;
  failing.read_stage = [](const std::string&) -> Compute {
    return [](const Order&, const std::atomic<bool>&) -> BlockResult {
      throw Error({"", "memory", "too little", "more"});
    };
  };
  Workers workers(job, 2, failing);
  const auto transport = job.transport(0);
  CrewOptions options;
  options.threads = 1;
  RankCrew crew(*transport, options);
  RunHooks hooks;
  hooks.crew = &crew;
  const std::string message =
      test::refusal([&] { run_study(plan, directory.file("study"), hooks); });
  EXPECT_TRUE(message.starts_with("rank 1 on node1")) << message;
  EXPECT_TRUE(test::contains(message, "memory: got too little, expected more")) << message;
}

TEST(RankCrew, AStageThatCannotBeReadEndsTheRun) {
  const TemporaryDirectory directory;
  ThreadJob job(3);
  WorkerOptions failing;
  failing.read_stage = [](const std::string&) -> Compute {
    throw Error({"", "plan of the study", "another", "the same"});
  };
  Workers workers(job, 3, failing);
  const auto transport = job.transport(0);
  CrewOptions options;
  options.threads = 1;
  RankCrew crew(*transport, options);
  RunHooks hooks;
  hooks.crew = &crew;
  const std::string message =
      test::refusal([&] { run_study(plan_of(kSmallStudy), directory.file("study"), hooks); });
  EXPECT_TRUE(test::contains(message, "plan of the study: got another, expected the same"))
      << message;
}

// A rank that says nothing any more: who it was, and what it was at. What came before is stored.
TEST(RankCrew, TheDeadAreNamed) {
  const TemporaryDirectory directory;
  const StudyPlan plan = plan_of(kSmallStudy);
  ThreadJob job(3);
  Workers workers(job, 3, [&](int rank) {
    WorkerOptions options = rank == 2 ? cut_off_at_work(job, 2) : WorkerOptions{};
    options.silence = std::chrono::seconds(5);  // a busy machine may take one to read the stage
    return options;
  });
  const auto transport = job.transport(0);
  CrewOptions options;
  options.threads = 1;
  options.silence = std::chrono::milliseconds(500);
  auto crew = std::make_unique<RankCrew>(*transport, options);
  RunHooks hooks;
  hooks.crew = crew.get();
  try {
    run_study(plan, directory.file("study"), hooks);
    FAIL() << "the dead were not missed";
  } catch (const JobEnded& ended) {
    EXPECT_FALSE(ended.told());
    EXPECT_TRUE(test::contains(ended.what(), "rank 2 on node2 (process ")) << ended.what();
    EXPECT_TRUE(test::contains(ended.what(), "has died")) << ended.what();
  }
  wait_for(job.is_cut_off(2));  // it may have been missed before it began
  crew.reset();
  EXPECT_EQ(workers.end_of(2), WorkerEnd::kRankZeroSilent);
  // What was stored is there, and the rest can be computed by anybody.
  ASSERT_TRUE(run_study(plan, directory.file("study"), test::on_threads(2)).complete);
  ASSERT_TRUE(run_study(plan, directory.file("whole"), test::on_threads(1)).complete);
  EXPECT_EQ(test::exported(directory.file("study")), test::exported(directory.file("whole")));
}

// All are told to end, but one: that is the one that died.
TEST(RankCrew, WhoSaysNoFarewellHasDied) {
  for (const bool one_died : {true, false}) {
    const TemporaryDirectory directory;
    ThreadJob job(3);
    std::atomic<bool> told{false};
    std::atomic<int> begun{0};
    Workers workers(job, 3, [&](int rank) {
      WorkerOptions options;
      if (one_died && rank == 1)  // at its first block: nothing of it is under way
        options = cut_off_at_work(job, 1, &told);
      else if (!one_died)
        options.read_stage = [&](const std::string& stage) -> Compute {
          return
              [&, real = cells_of_stage(stage)](const Order& order, const std::atomic<bool>& stop) {
                if (++begun == 3) told = true;
                return real(order, stop);
              };
        };
      options.told_to_end = &told;
      return options;
    });
    const auto transport = job.transport(0);
    CrewOptions crew_options;
    crew_options.threads = 1;
    crew_options.told_to_end = &told;
    // All the time they need, on a busy machine, or a moment for one who never will.
    crew_options.patience = one_died ? std::chrono::milliseconds(300) : std::chrono::minutes(2);
    crew_options.compute = [&](const Cell& cell, ReplicationRange range,
                               const std::atomic<bool>& stop) {
      while (!told) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      return run_block(cell, range, stop);
    };
    RankCrew crew(*transport, crew_options);
    RunHooks hooks;
    hooks.crew = &crew;
    try {
      run_study(plan_of(kSmallStudy), directory.file("study"), hooks);
      FAIL() << "nobody ended";
    } catch (const JobEnded& ended) {
      EXPECT_EQ(ended.told(), !one_died);
      EXPECT_EQ(std::string(ended.what()).starts_with("rank 1 on node1"), one_died) << ended.what();
    }
  }
}

// When something has happened, all are called; who does not answer is named, and the others go on.
TEST(RankCrew, WhoDoesNotAnswerIsNamed) {
  const TemporaryDirectory directory;
  ThreadJob job(3);
  std::atomic<bool> roll{false};
  Workers workers(job, 3, [&](int rank) {
    return rank == 1 ? ending(job, 1, cut_off_at_work(job, 1, &roll)) : WorkerOptions{};
  });
  const auto transport = job.transport(0);
  std::atomic<bool> told_to_end{false};
  CrewOptions crew_options;
  crew_options.threads = 1;
  crew_options.call_the_roll = &roll;
  crew_options.told_to_end = &told_to_end;
  std::vector<std::string> notices;
  crew_options.notice = [&](const std::string& notice) {
    notices.push_back(notice);
    told_to_end = true;
  };
  RankCrew crew(*transport, crew_options);
  RunHooks hooks;
  hooks.crew = &crew;
  EXPECT_THROW(run_study(plan_of(kSmallStudy), directory.file("study"), hooks), JobEnded);
  ASSERT_FALSE(notices.empty());
  EXPECT_TRUE(notices[0].starts_with("rank 1 on node1")) << notices[0];
  EXPECT_TRUE(test::contains(notices[0], "does not answer")) << notices[0];
}

// Time that rank 0 itself spent on storing is no sign of life of others.
TEST(RankCrew, WhoDoesNotAnswerIsNamedWhileStoringTakesLong) {
  const std::vector<Cell> cells = cells_of(plan_of(kSmallStudy));
  ThreadJob job(2);
  std::atomic<bool> roll{false};
  Workers workers(job, 2, [&](int) { return ending(job, 1, cut_off_at_work(job, 1, &roll)); });
  const auto transport = job.transport(0);
  std::atomic<bool> told_to_end{false};
  CrewOptions options;
  options.threads = 1;
  options.call_the_roll = &roll;
  options.told_to_end = &told_to_end;
  std::vector<std::string> notices;
  options.notice = [&](const std::string& notice) {
    notices.push_back(notice);
    told_to_end = true;
  };
  RankCrew crew(*transport, options);
  crew.announce(write_stage(plan_of(kSmallStudy)));
  static const std::atomic<bool> never{false};
  bool first = true;
  const auto finished = [&](const std::vector<FinishedBlock>&) {
    if (!std::exchange(first, false)) return;
    wait_for(job.is_cut_off(1));  // not `roll`, which may have been called by now
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  };
  EXPECT_THROW(crew.compute(cells, short_tasks(20), never, finished), JobEnded);
  ASSERT_EQ(notices.size(), 1u);
  EXPECT_TRUE(notices[0].starts_with("rank 1 on node1")) << notices[0];
}

// A rank that says its first word, and to what comes then what the test says.
class ScriptedRank {
 public:
  using Answer = std::function<void(Transport&, const Message&)>;
  ScriptedRank(ThreadJob& job, int rank, Answer answer)
      : thread_([&job, rank, answer = std::move(answer)](const std::stop_token& stop) {
          const auto line = job.transport(rank);
          line->send(0, write_message(hello_on("node" + std::to_string(rank), {0})));
          while (!stop.stop_requested())
            if (const auto received = line->receive())
              answer(*line, read_message(received->message));
            else
              std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }) {}

 private:
  std::jthread thread_;
};

// Its answer has come, and nobody has read it yet.
TEST(RankCrew, WhoAnsweredWhileStoringTookLongIsNotBlamed) {
  const std::vector<Cell> cells = cells_of(plan_of(kSmallStudy));
  ThreadJob job(3);
  std::atomic<bool> roll{false}, called{false}, storing{false}, answered{false};
  std::atomic<bool> told_to_end{false};
  const ScriptedRank dead(job, 1, [](Transport&, const Message&) {});
  const ScriptedRank living(job, 2, [&](Transport& line, const Message& message) {
    if (!std::holds_alternative<Call>(message)) return;
    called = true;
    wait_for(storing);
    line.send(0, write_message(Alive{}));
    answered = true;
  });
  const auto transport = job.transport(0);
  CrewOptions options;
  options.threads = 1;
  options.patience = std::chrono::seconds(4);
  options.call_the_roll = &roll;
  options.told_to_end = &told_to_end;
  options.compute = [&](const Cell& cell, ReplicationRange range, const std::atomic<bool>& stop) {
    if (!called) roll = true;
    wait_for(called);
    return run_block(cell, range, stop);
  };
  std::vector<std::string> notices;
  options.notice = [&](const std::string& notice) {
    notices.push_back(notice);
    told_to_end = true;
  };
  RankCrew crew(*transport, options);
  static const std::atomic<bool> never{false};
  const auto finished = [&](const std::vector<FinishedBlock>&) {
    if (storing.exchange(true)) return;
    wait_for(answered);
    std::this_thread::sleep_for(options.patience + std::chrono::milliseconds(100));
  };
  EXPECT_THROW(crew.compute(cells, short_tasks(20), never, finished), JobEnded);
  ASSERT_EQ(notices.size(), 1u);
  EXPECT_TRUE(notices[0].starts_with("rank 1 on node1")) << notices[0];
}

// A suspended job that goes on, say: by the time it is told to end, nobody is missing.
TEST(RankCrew, WhoAnswersLateHasNotDied) {
  const std::vector<Cell> cells = cells_of(plan_of(kSmallStudy));
  ThreadJob job(2);
  std::atomic<bool> roll{false}, missed{false}, told_to_end{false};
  std::uint32_t block = 0;
  const ScriptedRank late(job, 1, [&](Transport& line, const Message& message) {
    if (const auto* blocks = std::get_if<Blocks>(&message)) block = blocks->orders.front().number;
    if (!std::holds_alternative<Call>(message)) return;
    wait_for(missed);
    line.send(0, write_message(Alive{}));
    line.send(0, write_message(Results{0, {{block, {}}}}));
  });
  const auto transport = job.transport(0);
  CrewOptions options;
  options.threads = 1;
  options.patience = std::chrono::milliseconds(10);
  options.call_the_roll = &roll;
  options.told_to_end = &told_to_end;
  options.compute = [&](const Cell& cell, ReplicationRange range, const std::atomic<bool>& stop) {
    roll = true;
    wait_for(told_to_end);
    return run_block(cell, range, stop);
  };
  std::vector<std::string> notices;
  options.notice = [&](const std::string& notice) {
    notices.push_back(notice);
    missed = true;
  };
  RankCrew crew(*transport, options);
  static const std::atomic<bool> never{false};
  try {
    // Its block comes after its answer.
    crew.compute(cells, short_tasks(20), never,
                 [&](const std::vector<FinishedBlock>&) { told_to_end = true; });
    FAIL() << "nobody ended";
  } catch (const JobEnded& ended) {
    EXPECT_TRUE(ended.told());
    EXPECT_STREQ(ended.what(), "told to end");
  }
  ASSERT_EQ(notices.size(), 2u);
  EXPECT_TRUE(notices[0].starts_with("rank 1 on node1")) << notices[0];
  // It has not ended yet, and may not.
  EXPECT_TRUE(test::contains(notices[0], "; should the job end by this, ")) << notices[0];
  EXPECT_EQ(notices[1], "all ranks have answered after all");
}

// Whoever stores results may fail, with blocks still under way: it is told, all ranks go home, and
// what comes late is nobody's.
TEST(RankCrew, AFailureToStoreSendsAllHome) {
  const StudyPlan plan = plan_of(kSmallStudy);
  const std::vector<Cell> cells = cells_of(plan);
  std::vector<BlockTask> tasks;
  for (std::uint32_t i = 0; i < 6; ++i)
    for (std::size_t cell = 0; cell < cells.size(); ++cell) tasks.push_back({cell, {i, 1}, 1});
  static const std::atomic<bool> never{false};
  ThreadJob job(3);
  Workers workers(job, 3);
  const auto transport = job.transport(0);
  RankCrew crew(*transport, {});
  crew.announce(write_stage(plan));
  const std::string message = test::refusal([&] {
    crew.compute(cells, tasks, never, [](const std::vector<FinishedBlock>&) {
      // As long as a disk may take: meanwhile the others hand in what they have.
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      throw Error({"disk", "space", "none", "some"});
    });
  });
  EXPECT_EQ(message, "disk: space: got none, expected some");
  // The same crew with another seed: nothing of the first stage is taken for one of the second.
  const StudyPlan other = plan_of(kSmallStudy, {"seed=8"});
  const std::vector<Cell> other_cells = cells_of(other);
  crew.announce(write_stage(other));
  std::size_t came = 0;
  crew.compute(other_cells, tasks, never, [&](const std::vector<FinishedBlock>& blocks) {
    for (const auto& [task, result] : blocks) {
      ++came;
      const BlockResult again = run_block(other_cells[task.cell], task.range, never);
      ASSERT_EQ(result.replications.size(), 1u);
      EXPECT_EQ(result.replications[0].regret, again.replications[0].regret);
    }
  });
  EXPECT_EQ(came, tasks.size());
  EXPECT_TRUE(crew.dismiss());
  EXPECT_EQ(workers.end_of(1), WorkerEnd::kSentHome);
  EXPECT_EQ(workers.end_of(2), WorkerEnd::kSentHome);
}

// Rank 0 plans the next stage, say, and is not missed, however long that takes.
TEST(RankCrew, BetweenStagesNobodyIsMissed) {
  const StudyPlan plan = plan_of(kSmallStudy);
  ThreadJob job(2);
  WorkerOptions options;
  options.silence = std::chrono::seconds(2);
  Workers workers(job, 2, options);
  const auto line = job.transport(0);
  const auto hear = [&](const auto& wanted) {  // as rank 0 does: it speaks while it waits
    for (;;) {
      line->send(1, write_message(Alive{}));
      while (const auto received = line->receive())
        if (wanted(read_message(received->message))) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  };
  line->send(1, write_message(Stage{0, write_stage(plan), 1}));
  line->send(1, write_message(Blocks{0, {{0, 0, {0, 1}}}}));
  hear([](const Message& message) { return std::holds_alternative<Results>(message); });
  line->send(1, write_message(Pause{}));
  std::this_thread::sleep_for(2 * options.silence);
  line->send(1, write_message(End{}));
  EXPECT_EQ(workers.end_of(1), WorkerEnd::kSentHome);
}

TEST(RankCrew, APauseFollowsTheLastBlock) {
  const std::vector<Cell> cells = cells_of(plan_of(kSmallStudy));
  ThreadJob job(2);
  std::atomic<bool> paused{false};
  const ScriptedRank other(job, 1, [&](Transport& line, const Message& message) {
    if (const auto* blocks = std::get_if<Blocks>(&message))
      for (const Order& order : blocks->orders)
        line.send(0, write_message(Results{0, {{order.number, {}}}}));
    if (std::holds_alternative<Pause>(message)) paused = true;
  });
  const auto transport = job.transport(0);
  CrewOptions options;
  options.threads = 1;
  RankCrew crew(*transport, options);
  static const std::atomic<bool> never{false};
  crew.compute(cells, short_tasks(5), never,
               [&](const std::vector<FinishedBlock>&) { EXPECT_FALSE(paused); });
  wait_for(paused);
}

// One rank alone is told to end: the others are not blamed for it.
TEST(RankCrew, AFarewellEndsTheJobAtOnce) {
  const TemporaryDirectory directory;
  ThreadJob job(3);
  std::atomic<bool> told{false};
  std::vector<std::jthread> threads;
  for (int rank = 1; rank < 3; ++rank)
    threads.emplace_back([&, rank] {
      WorkerOptions options;
      if (rank == 1) options.told_to_end = &told;
      options.read_stage = [&](const std::string& stage) -> Compute {
        const Compute real = cells_of_stage(stage);
        return [&, real](const Order& order, const std::atomic<bool>& stop) {
          told = true;
          return real(order, stop);
        };
      };
      work_for_rank_zero(*job.transport(rank), hello_on("node" + std::to_string(rank), {0}),
                         options);
    });
  const auto transport = job.transport(0);
  CrewOptions options;
  options.threads = 1;
  options.patience = std::chrono::minutes(2);
  options.compute = [&](const Cell& cell, ReplicationRange range, const std::atomic<bool>& stop) {
    while (!told) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return run_block(cell, range, stop);
  };
  RankCrew crew(*transport, options);
  RunHooks hooks;
  hooks.crew = &crew;
  try {
    run_study(plan_of(kSmallStudy), directory.file("study"), hooks);
    FAIL() << "nobody ended";
  } catch (const JobEnded& ended) {
    EXPECT_TRUE(ended.told());
    EXPECT_TRUE(test::contains(ended.what(), "rank 1 on node1")) << ended.what();
    EXPECT_TRUE(test::contains(ended.what(), "was told to end")) << ended.what();
  }
}

// A first word of another form is another build, too.
TEST(RankCrew, AFirstWordThatMakesNoSenseIsRefusedByRank) {
  ThreadJob job(2);
  job.transport(1)->send(0, write_message(hello_on("node1", {0})) + "and more");
  const auto transport = job.transport(0);
  const std::string message = test::refusal([&] { RankCrew crew(*transport, {}); });
  EXPECT_TRUE(message.starts_with("rank 1: message between ranks")) << message;
}

TEST(RankCrew, StoppedRunsKeepWhatIsFinished) {
  const TemporaryDirectory directory;
  const StudyPlan plan = plan_of(kSmallStudy);
  ThreadJob job(3);
  // The first block comes back; all others wait until they are told to stop.
  std::atomic<bool> begun{false}, go_on{false};
  const auto wait_but_for_the_first = [&](const std::atomic<bool>& stop) {
    if (!begun.exchange(true)) return;
    while (!stop && !go_on) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  WorkerOptions waiting;
  waiting.read_stage = [&](const std::string& stage) -> Compute {
    return [&, real = cells_of_stage(stage)](const Order& order, const std::atomic<bool>& stop) {
      wait_but_for_the_first(stop);
      return real(order, stop);
    };
  };
  Workers workers(job, 3, waiting);
  const auto transport = job.transport(0);
  CrewOptions options;
  options.compute = [&](const Cell& cell, ReplicationRange range, const std::atomic<bool>& stop) {
    wait_but_for_the_first(stop);
    return run_block(cell, range, stop);
  };
  RankCrew crew(*transport, options);
  std::atomic<bool> stop{false};
  RunHooks hooks;
  hooks.crew = &crew;
  hooks.stop = &stop;
  hooks.progress = [&](const Progress&) { stop = true; };
  const StudyOutcome stopped = run_study(plan, directory.file("study"), hooks);
  EXPECT_FALSE(stopped.complete);
  EXPECT_GT(stopped.computed, 0u);
  hooks.stop = nullptr;
  hooks.progress = nullptr;
  go_on = true;
  // The same ranks go on, with what was not finished.
  const StudyOutcome rest = run_study(plan, directory.file("study"), hooks);
  ASSERT_TRUE(rest.complete);
  EXPECT_EQ(stopped.computed + rest.computed,
            std::uint64_t{plan.study.replications} * plan.cells.size());
  ASSERT_TRUE(run_study(plan, directory.file("whole"), test::on_threads(1)).complete);
  EXPECT_EQ(test::exported(directory.file("study")), test::exported(directory.file("whole")));
}

}  // namespace
}  // namespace armature::ranks
