// Rounds a second of a device beside those of its own host's cores, and the same bytes from both.
// `make bench-gpu` prints it; docs/performance.md keeps what was expected and found.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include "armature/error.h"
#include "armature/families.h"
#include "armature/simulate.h"
#include "base/machine.h"
#include "cuda/block_accelerator.h"
#include "cuda/open.h"

namespace armature::bench {
namespace {

struct Rung {
  std::string policy;
  std::string instance;
  Round horizon;
  std::uint32_t replications;  // on the device
};

// "one " before a random family: the same world for all replications.
Cell cell_of(const Rung& rung) {
  const bool one = rung.instance.starts_with("one ");
  const auto source =
      std::make_shared<InstanceSource>(rung.instance.substr(one ? 4 : 0), rung.horizon, 7);
  std::shared_ptr<const World> shared;
  if (one || !source->fresh_per_replication())
    shared = std::make_shared<const World>(source->instance(0), rung.horizon);
  Cell cell;
  cell.world = [source, shared, horizon = rung.horizon](std::uint32_t replication) {
    return shared ? shared : std::make_shared<const World>(source->instance(replication), horizon);
  };
  cell.policy = canonical_cell_policy(
      rung.policy, source->instance(0)->problem(rung.horizon).formula_variables());
  cell.horizon = rung.horizon;
  cell.seed = 11;
  cell.checkpoints = log_checkpoints(rung.horizon, 32);
  cell.engine = Engine::kStep;
  return cell;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

bool same(const Replication& a, const Replication& b) {
  const auto equal = [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  };
  if (a.pulls != b.pulls || !equal(a.simple_regret, b.simple_regret)) return false;
  if (a.regret.size() != b.regret.size() || a.diagnostics.size() != b.diagnostics.size())
    return false;
  for (std::size_t c = 0; c < a.regret.size(); ++c)
    if (!equal(a.regret[c], b.regret[c])) return false;
  for (std::size_t i = 0; i < a.diagnostics.size(); ++i)
    if (a.diagnostics[i].name != b.diagnostics[i].name ||
        a.diagnostics[i].word != b.diagnostics[i].word ||
        !equal(a.diagnostics[i].value, b.diagnostics[i].value))
      return false;
  return true;
}

// Steps on all cores for about so long; the replications it got to.
std::vector<Replication> step(const Cell& cell, std::uint32_t most, double seconds,
                              double& rounds_per_second) {
  constexpr std::uint32_t kTogether = 16;  // as lock step wants them
  const std::atomic<bool> never{false};
  const unsigned cores = cores_given();
  const auto start = std::chrono::steady_clock::now();
  std::vector<Replication> all(most);
  std::atomic<std::uint32_t> next{0};
  {
    std::vector<std::jthread> crew;
    for (unsigned i = 0; i < cores; ++i)
      crew.emplace_back([&] {
        while (seconds_since(start) < seconds) {
          const std::uint32_t first = next.fetch_add(kTogether);
          if (first >= most) return;
          const std::uint32_t count = std::min(kTogether, most - first);
          BlockResult block = run_block(cell, {first, count}, never);
          std::move(block.replications.begin(), block.replications.end(), all.begin() + first);
        }
      });
  }
  all.resize(std::min(next.load(), most));
  rounds_per_second =
      static_cast<double>(all.size()) * static_cast<double>(cell.horizon) / seconds_since(start);
  while (!all.empty() && all.back().regret.empty()) all.pop_back();
  return all;
}

}  // namespace
}  // namespace armature::bench

int main(int argc, char** argv) {
  using namespace armature;
  using namespace armature::bench;
  std::shared_ptr<cuda::BlockAccelerator> opened;
  try {
    opened =
        std::dynamic_pointer_cast<cuda::BlockAccelerator>(cuda::open_accelerator(cores_given()));
  } catch (const Error& error) {
    fmt::print("{}\n", error.what());
    return 2;
  }
  cuda::BlockAccelerator& device = *opened;
  const double seconds = argc > 1 ? std::stod(argv[1]) : 1;
  std::vector<Rung> rungs;
  const auto fields = [&](int i) { return std::string(argv[i]); };
  for (int i = 2; i + 3 < argc; i += 4)
    rungs.push_back({fields(i), fields(i + 1), static_cast<Round>(std::stod(argv[i + 2])),
                     static_cast<std::uint32_t>(std::stod(argv[i + 3]))});
  if (rungs.empty()) {
    for (const auto& [horizon, replications] : {std::pair{10'000, 1'000'000}, {100'000, 200'000}})
      for (const char* policy : {"ucb", "ucb:confidence=anytime", "moss", "c-ucb", "sentry",
                                 "warden", "db", "hac-ucb", "uniform"})
        for (const char* instance : {"pareto-benign:actions=20", "bilodeau-confounded:actions=20",
                                     "one random-benign:actions=20,contexts=5"})
          rungs.push_back({policy, instance, static_cast<Round>(horizon),
                           static_cast<std::uint32_t>(replications)});
    rungs.push_back({"ucb", "hidden-arm:actions=200", 10'000, 200'000});
    rungs.push_back({"c-ucb", "random-benign:actions=20,contexts=5", 10'000, 100'000});
  }
  fmt::print("{}, {} cores beside it\n", device.name(), cores_given());
  fmt::print("{:<28} {:<34} {:>9} {:>9} {:>10} {:>10} {:>10} {:>10} {:>6} {}\n", "policy",
             "instance", "T", "replic.", "played/s", "transfers", "results", "cores", "ratio",
             "same bytes of");
  const std::atomic<bool> never{false};
  int differ_in_all = 0;
  for (const Rung& rung : rungs) {
    const Cell cell = cell_of(rung);
    if (const std::string why = device.obstacle(cell, *cell.world(0)); !why.empty()) {
      fmt::print("{:<28} {:<34} {}\n", rung.policy, rung.instance, why);
      continue;
    }
    // The first is slower: code is loaded, memory is asked for.
    device.run(cell, {0, std::min(rung.replications, 1000u)}, 0, never);
    double best = 0;
    double with_transfers = 0;
    double whole = 0;
    BlockResult found;
    for (int repeat = 0; repeat < 2; ++repeat) {
      found = device.run(cell, {0, rung.replications}, 0, never);
      const double rounds =
          static_cast<double>(rung.replications) * static_cast<double>(rung.horizon);
      best = std::max(best, rounds / device.last_seconds().played);
      with_transfers = std::max(with_transfers, rounds / device.last_seconds().transfers_included);
      whole = std::max(whole, rounds / found.seconds);
    }
    double on_cores = 0;
    const std::vector<Replication> stepped = step(cell, rung.replications, seconds, on_cores);
    std::size_t differ = 0;
    for (std::size_t r = 0; r < stepped.size(); ++r)
      differ += same(stepped[r], found.replications[r]) ? 0 : 1;
    differ_in_all += differ > 0 ? 1 : 0;
    fmt::print("{:<28} {:<34} {:>9} {:>9} {:>10.3g} {:>10.3g} {:>10.3g} {:>10.3g} {:>6.0f} {}\n",
               rung.policy, rung.instance, rung.horizon, rung.replications, best, with_transfers,
               whole, on_cores, best / on_cores,
               differ == 0 ? fmt::format("{} ({:.2g} rounds)", stepped.size(),
                                         static_cast<double>(stepped.size()) *
                                             static_cast<double>(rung.horizon))
                           : fmt::format("{} DIFFER of {}", differ, stepped.size()));
    std::fflush(stdout);
  }
  return differ_in_all == 0 ? 0 : 1;
}
