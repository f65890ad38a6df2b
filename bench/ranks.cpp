// Studies on many ranks, beside what they are measured by:
//   1. ranks that pretend (sleep) for 10 ms a block, 10,000 blocks into a real store: how busy they
//      are kept, and what rank 0 pays per block;
//   2. the command under mpirun with n ranks of one thread beside n threads, in turns;
//   3. one study on 1, 2, 4, … cores: by threads, by ranks, and by shards at once with their merge.
//
//   bench_ranks ARMATURE WORK-DIRECTORY [scaling]
//
// "scaling": the last alone.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "base/file.h"
#include "base/machine.h"
#include "ranks/rank_crew.h"
#include "ranks/worker.h"
#include "study/stage.h"
#include "study/store.h"
#include "support/thread_transport.h"

namespace {

using namespace armature;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

BlockResult pretended(const BlockResult& real, std::chrono::microseconds length) {
  const auto start = Clock::now();
  std::this_thread::sleep_for(length);
  BlockResult result = real;
  result.seconds = seconds_since(start);
  return result;
}

void pretend(int ranks, std::chrono::microseconds length, std::uint32_t blocks,
             const std::string& directory) {
  const StudyPlan plan = plan_study(
      read_study(fmt::format("replications = {}\nhorizons = [1000]\ninstances = [\"hidden-arm\"]\n"
                             "policies = [\"ucb\"]\n",
                             blocks),
                 "bench.toml"));
  const std::vector<Cell> cells = cells_of(plan);
  static const std::atomic<bool> never{false};
  const BlockResult real = run_block(cells[0], {0, 1}, never);
  std::vector<BlockTask> tasks;
  for (std::uint32_t i = 0; i < blocks; ++i) tasks.push_back({0, {i, 1}, 1});

  test::ThreadJob job(ranks);
  ranks::WorkerOptions options;
  options.read_stage = [&](const std::string&) -> ranks::Compute {
    return [&](const ranks::Order&, const std::atomic<bool>&) { return pretended(real, length); };
  };
  std::vector<std::jthread> workers;
  for (int rank = 1; rank < ranks; ++rank)
    workers.emplace_back([&, rank] {
      ranks::work_for_rank_zero(*job.transport(rank), ranks::hello_of_this_process(), options);
    });
  const auto transport = job.transport(0);
  ranks::CrewOptions crew_options;
  crew_options.threads = 1;
  crew_options.compute = [&](const Cell&, ReplicationRange, const std::atomic<bool>&) {
    return pretended(real, length);
  };
  ranks::RankCrew crew(*transport, crew_options);
  const std::string place = directory + "/pretended";
  std::filesystem::remove_all(place);
  make_directory(place);
  StudyStore store = StudyStore::begin(place, plan);
  crew.announce(write_stage(plan));
  std::size_t groups = 0;
  const auto start = Clock::now();
  const double paid = processor_seconds();
  crew.compute(cells, tasks, never, [&](const std::vector<FinishedBlock>& finished) {
    std::vector<StudyStore::Block> rows;
    for (const auto& [task, result] : finished) rows.push_back({0, task.range.first, result});
    store.add(rows);
    ++groups;
  });
  const double wall = seconds_since(start);
  const double cost = (processor_seconds() - paid) / blocks;
  fmt::print(
      "{} ranks, {} blocks of {:.1f} ms: {:.1f}% busy, rank 0 pays {:.3f} ms a block, {:.1f} "
      "blocks a transaction\n",
      ranks, blocks, 1e-3 * static_cast<double>(length.count()),
      100 * blocks * 1e-6 * static_cast<double>(length.count()) / (ranks * wall), 1e3 * cost,
      static_cast<double>(blocks) / static_cast<double>(groups));
  store.finish();
  std::filesystem::remove_all(place);
}

constexpr const char* kMpirun =
    "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe --bind-to none";

double run_of(const std::string& line, const std::string& directory) {
  std::filesystem::remove_all(directory + "/run");
  const auto start = Clock::now();
  if (std::system(line.c_str()) != 0) {
    fmt::print("could not run: {}\n", line);
    std::exit(1);
  }
  return seconds_since(start);
}

// Blocks of about a second: replications long enough.
void beside_threads(const std::string& command, unsigned hands, const std::string& directory) {
  const std::string study = directory + "/bench.toml";
  const auto write = [&](unsigned replications) {
    write_file(study, fmt::format("replications = {}\nhorizons = [2e7]\nengine = \"step\"\n"
                                  "instances = [\"hidden-arm:actions=20\"]\npolicies = [\"ucb\", "
                                  "\"moss\"]\n",
                                  replications));
  };
  const std::string run =
      fmt::format("'{}' run '{}' --out '{}/run' --yes --quiet", command, study, directory);
  const std::string mpirun = fmt::format("{} -n {} {} --threads 1", kMpirun, hands, run);
  write(1);
  const double begin_threads = run_of(fmt::format("{} --threads {}", run, hands), directory);
  const double begin_ranks = run_of(mpirun, directory);
  write(32 * hands);
  std::vector<double> ratios;
  for (int turn = 0; turn < 3; ++turn) {
    const double threads = run_of(fmt::format("{} --threads {}", run, hands), directory);
    const double ranks = run_of(mpirun, directory);
    ratios.push_back(threads / ranks);
    fmt::print("{} threads {:.2f} s, {} ranks {:.2f} s: {:.3f} of the threads' rate\n", hands,
               threads, hands, ranks, threads / ranks);
  }
  std::sort(ratios.begin(), ratios.end());
  fmt::print(
      "median {:.3f}; a study of one replication takes {:.2f} s by threads, {:.2f} s by "
      "ranks, most of it to begin\n",
      ratios[1], begin_threads, begin_ranks);
}

// Starting and ending included, as whoever waits for the numbers has it.
void scaling(const std::string& command, unsigned cores, const std::string& directory) {
  const std::string study = directory + "/scaling.toml";
  write_file(study,
             "replications = 64\nhorizons = [1e7]\nengine = \"step\"\n"
             "instances = [\"hidden-arm:actions=20\"]\npolicies = [\"ucb\", \"moss\"]\n");
  const std::string run =
      fmt::format("'{}' run '{}' --out '{}/run' --yes --quiet", command, study, directory);
  fmt::print("{:>5} {:>18} {:>18} {:>18}\n", "cores", "threads", "ranks", "shards and merge");
  double alone = 0;
  for (unsigned hands = 1; hands <= cores; hands *= 2) {
    const std::string shards = fmt::format(
        "all=; for n in $(seq {}); do {} --threads 1 --shard $n/{} & all=\"$all $!\"; done; "
        "for one in $all; do wait $one || exit 1; done; '{}' merge '{}/run' --quiet",
        hands, run, hands, command, directory);
    const std::string ranks = fmt::format("{} -n {} {} --threads 1", kMpirun, hands, run);
    const double seconds[] = {run_of(fmt::format("{} --threads {}", run, hands), directory),
                              run_of(ranks, directory), run_of(shards, directory)};
    if (hands == 1) alone = seconds[0];
    fmt::print("{:>5}", hands);
    for (const double one : seconds) fmt::print(" {:>8.2f} s {:>6.2f}x", one, alone / one);
    fmt::print("\n");
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool scaling_alone = argc == 4 && std::string(argv[3]) == "scaling";
  if (argc != 3 && !scaling_alone) {
    fmt::print(stderr, "usage: bench_ranks ARMATURE WORK-DIRECTORY [scaling]\n");
    return 2;
  }
  const std::string directory = std::string(argv[2]) + "/bench-ranks";
  make_directory(directory);
  if (scaling_alone) {
    scaling(argv[1], cores_given(), directory);
    std::filesystem::remove_all(directory);
    return 0;
  }
  pretend(16, 10ms, 10'000, directory);
  pretend(64, 10ms, 40'000, directory);
  pretend(16, 1000ms, 320, directory);
  beside_threads(argv[1], cores_given(), directory);
  scaling(argv[1], cores_given(), directory);
  std::filesystem::remove_all(directory);
  return 0;
}
