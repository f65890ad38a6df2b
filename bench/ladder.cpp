// The ladder from a draw to a replication: ns per round of armature beside a naive reference
// measured in the same run. `make bench` prints it; docs/performance.md keeps what was expected and
// what was found.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "armature/lab.h"
#include "armature/simulate.h"
#include "base/mathematics.h"
#include "naive.h"

namespace armature::bench {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr Round kChunk = 1 << 14;      // rounds per timed iteration
constexpr Round kHorizon = 1'000'000;  // what the policies believe

World world_of(const std::string& family) {
  return {InstanceSource(family, kHorizon, kSeed).instance(0), kHorizon};
}

void set_rounds(benchmark::State& state, Round rounds_per_iteration) {
  const double rounds =
      static_cast<double>(state.iterations()) * static_cast<double>(rounds_per_iteration);
  state.counters["ns_per_round"] =
      benchmark::Counter(rounds, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

// One call of a function a round, the C library's beside ours.
void function_call(benchmark::State& state, double (*function)(double)) {
  std::vector<double> arguments(kChunk);
  Stream stream({kSeed, 0, Purpose::kPolicy});
  for (double& argument : arguments) argument = 20 * stream.open_uniform();
  for (auto _ : state)
    for (const double argument : arguments) benchmark::DoNotOptimize(function(argument));
  set_rounds(state, kChunk);
}

void philox_one_by_one(benchmark::State& state) {
  const StreamKey key{kSeed, 0, Purpose::kOutcome};
  Round round = 0;
  for (auto _ : state)
    for (Round i = 0; i < kChunk; ++i)
      benchmark::DoNotOptimize(Philox::block(philox_counter(key, ++round, 0), philox_key(kSeed)));
  set_rounds(state, kChunk);
}

void philox_many(benchmark::State& state) {
  std::vector<std::uint64_t> contexts(256), rewards(256);
  Round round = 1;
  for (auto _ : state)
    for (Round i = 0; i < kChunk; i += 256, round += 256) {
      outcome_draws({kSeed, 0, Purpose::kOutcome}, round, contexts, rewards);
      benchmark::DoNotOptimize(contexts.data());
    }
  set_rounds(state, kChunk);
}

void environment_round(benchmark::State& state, const std::string& family) {
  const World world = world_of(family);
  Environment environment(world.tables, kSeed, 0);
  Arm arm = 0;
  for (auto _ : state)
    for (Round i = 0; i < kChunk; ++i) {
      benchmark::DoNotOptimize(environment.play(arm));
      arm = arm + 1 == world.instance->actions() ? 0 : arm + 1;
    }
  set_rounds(state, kChunk);
}

void policy_round(benchmark::State& state, const std::string& family,
                  const std::string& policy_text) {
  const World world = world_of(family);
  const auto at_the_start = make_policy(policy_text, world.problem);
  Environment environment(world.tables, kSeed, 0);
  Stream stream({kSeed, 0, Purpose::kPolicy});
  std::vector<std::uint64_t> pulls(world.instance->actions());
  std::unique_ptr<AnyPolicy> policy;
  Round left = 0;
  for (auto _ : state) {
    if (left < kChunk) {  // nothing is played longer than it believes: the next replication
      policy = at_the_start->clone();
      left = kHorizon;
    }
    policy->play(environment, kChunk, stream, pulls);
    left -= kChunk;
  }
  set_rounds(state, kChunk);
}

template <class Naive>
void naive_round(benchmark::State& state, const std::string& family) {
  const World world = world_of(family);
  Naive policy(world.problem);
  Environment environment(world.tables, kSeed, 0);
  std::vector<std::uint64_t> pulls(world.instance->actions());
  const Round rounds =
      world.instance->actions() * world.instance->contexts() > 10'000 ? 512 : kChunk;
  for (auto _ : state)
    for (Round i = 0; i < rounds; ++i) {
      const Arm arm = policy.choose();
      policy.observe(arm, environment.play(arm));
      ++pulls[arm];
    }
  benchmark::DoNotOptimize(pulls.data());
  set_rounds(state, rounds);
}

void replication(benchmark::State& state, const std::string& family, const std::string& policy,
                 Round horizon) {
  const InstanceSource source(family, horizon, kSeed);
  const auto world = std::make_shared<const World>(source.instance(0), horizon);
  Cell cell{[&](std::uint32_t) { return world; }, policy, horizon, kSeed,
            log_checkpoints(horizon, 32),         {}};
  const std::atomic<bool> stop{false};
  std::uint32_t next = 0;
  for (auto _ : state) benchmark::DoNotOptimize(run_block(cell, {next++, 1}, stop));
  set_rounds(state, horizon);
}

// A block of replications, as a study plays it: in lock step where that can be. Beside it stands
// the same policy one replication at a time.
void block_round(benchmark::State& state, const std::string& family, const std::string& policy) {
  constexpr std::uint32_t kReplications = 64;
  constexpr Round kRounds = 4 * kChunk;
  const auto world = std::make_shared<const World>(world_of(family));
  const Cell cell{[&](std::uint32_t) { return world; }, policy, kHorizon, kSeed, {kRounds}, {}};
  const std::atomic<bool> stop{false};
  std::uint32_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(run_block(cell, {next, kReplications}, stop));
    next += kReplications;
  }
  set_rounds(state, kReplications * kRounds);
}

// Collects ns per round by name and prints ratios at the end.
class RatioReporter : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs) {
      const auto found = run.counters.find("ns_per_round");
      if (found != run.counters.end())
        found_[run.run_name.function_name] = found->second.value * 1e9;
    }
  }
  // What a policy that runs others costs, against the sum of what it runs.
  void print_shares() const {
    fmt::print("\n{:<34} {:>12} {:>12} {:>8}\n", "composed", "its parts ns", "itself ns", "ratio");
    for (const auto& [name, ns] : found_)
      for (const char* composed : {"db ", "sentry ", "warden "}) {
        if (!name.starts_with(composed)) continue;
        const std::string size = name.substr(name.find('('));
        const auto ucb = found_.find("ucb " + size);
        const auto causal = found_.find("c-ucb " + size);
        if (ucb == found_.end() || causal == found_.end()) continue;
        const double parts = ucb->second + causal->second;
        fmt::print("{:<34} {:>12.1f} {:>12.1f} {:>7.1f}x\n", name, parts, ns, ns / parts);
      }
  }
  // What a policy costs in lock step, against one replication at a time.
  void print_lock_step() const {
    fmt::print("\n{:<34} {:>12} {:>12} {:>8}\n", "lock step", "one ns", "lanes ns", "ratio");
    for (const auto& [name, ns] : found_) {
      if (!name.starts_with("lanes ")) continue;
      const auto one = found_.find(name.substr(6));
      if (one != found_.end())
        fmt::print("{:<34} {:>12.1f} {:>12.1f} {:>7.1f}x\n", one->first, one->second, ns,
                   one->second / ns);
    }
  }
  void Finalize() override {
    print_shares();
    print_lock_step();
    fmt::print("\n{:<34} {:>12} {:>12} {:>8}\n", "rung", "naive ns", "armature ns", "ratio");
    for (const auto& [name, ns] : found_) {
      if (!name.starts_with("naive ")) continue;
      const auto ours = found_.find(name.substr(6));
      if (ours != found_.end())
        fmt::print("{:<34} {:>12.1f} {:>12.1f} {:>7.1f}x\n", ours->first, ns, ours->second,
                   ns / ours->second);
    }
  }

 private:
  std::map<std::string, double> found_;
};

void add(const std::string& name, const std::function<void(benchmark::State&)>& body) {
  benchmark::RegisterBenchmark(name.c_str(), body)->MinTime(0.4);
}

void add_functions() {
  struct Pair {
    const char* name;
    double (*theirs)(double);
    double (*ours)(double);
  };
  const Pair pairs[] = {{"log", [](double x) { return std::log(x); }, portable::log},
                        {"log1p", [](double x) { return std::log1p(x); }, portable::log1p},
                        {"exp", [](double x) { return std::exp(x); }, portable::exp},
                        {"log2", [](double x) { return std::log2(x); }, portable::log2},
                        {"cbrt", [](double x) { return std::cbrt(x); }, portable::cbrt},
                        {"x^1.7", [](double x) { return std::pow(x, 1.7); },
                         [](double x) { return portable::pow(x, 1.7); }},
                        {"hypot", [](double x) { return std::hypot(x, 1.7); },
                         [](double x) { return portable::hypot(x, 1.7); }}};
  for (const Pair& pair : pairs) {
    add(fmt::format("naive {}", pair.name),
        [=](auto& state) { function_call(state, pair.theirs); });
    add(pair.name, [=](auto& state) { function_call(state, pair.ours); });
  }
}

void add_ladder() {
  add_functions();
  add("naive draw", philox_one_by_one);
  add("draw", philox_many);
  for (const int actions : {20, 200, 2000}) {
    const std::string family = fmt::format("hidden-arm:actions={}", actions);
    add(fmt::format("environment {} arms", actions),
        [=](auto& state) { environment_round(state, family); });
    add(fmt::format("naive ucb {}", actions),
        [=](auto& state) { naive_round<NaiveUcb>(state, family); });
    add(fmt::format("ucb {}", actions), [=](auto& state) { policy_round(state, family, "ucb"); });
  }
  add("lanes ucb 20", [=](auto& state) { block_round(state, "hidden-arm:actions=20", "ucb"); });
  for (const auto& [actions, contexts] :
       {std::pair{20, 5}, std::pair{100, 10}, std::pair{1000, 50}}) {
    const std::string family =
        fmt::format("random-benign:actions={},contexts={}", actions, contexts);
    const std::string size = fmt::format("({},{})", actions, contexts);
    add("environment " + size, [=](auto& state) { environment_round(state, family); });
    add("naive c-ucb " + size, [=](auto& state) { naive_round<NaiveCausalUcb>(state, family); });
    add("c-ucb " + size, [=](auto& state) { policy_round(state, family, "c-ucb"); });
    add("ucb " + size, [=](auto& state) { policy_round(state, family, "ucb"); });
    for (const char* policy : {"ucb", "c-ucb"})
      add(fmt::format("{} anytime {}", policy, size), [=](auto& state) {
        policy_round(state, family, fmt::format("{}:confidence=anytime", policy));
      });
    add("pe " + size, [=](auto& state) { policy_round(state, family, "pe"); });
    add("db " + size, [=](auto& state) { policy_round(state, family, "db"); });
    add("db printed " + size, [=](auto& state) { policy_round(state, family, "db:bias=printed"); });
    add("sentry " + size, [=](auto& state) { policy_round(state, family, "sentry"); });
    add("sentry spread " + size,
        [=](auto& state) { policy_round(state, family, "sentry:schedule=spread"); });
    add("warden " + size, [=](auto& state) { policy_round(state, family, "warden"); });
    for (const char* rival : {"moss", "kl-ucb", "c-ucb-2", "cl-ucb", "cl-ts", "corral", "ed2rb"})
      add(rival + (" " + size), [=](auto& state) { policy_round(state, family, rival); });
    add("d3rb " + size, [=](auto& state) { policy_round(state, family, "d3rb"); });
    add("hac-ucb " + size, [=](auto& state) { policy_round(state, family, "hac-ucb"); });
    add("ts " + size, [=](auto& state) { policy_round(state, family, "ts"); });
    add("c-ts " + size, [=](auto& state) { policy_round(state, family, "c-ts"); });
  }
  for (const char* policy : {"ucb", "moss", "c-ucb", "sentry"})
    add(fmt::format("lanes {} (20,5)", policy),
        [=](auto& state) { block_round(state, "random-benign:actions=20,contexts=5", policy); });
  for (const char* policy : {"ucb", "c-ucb", "hac-ucb"})
    add(fmt::format("replication {} bilodeau T=1e5", policy),
        [=](auto& state) { replication(state, "bilodeau-confounded", policy, 100'000); });
}

}  // namespace
}  // namespace armature::bench

int main(int argc, char** argv) {
  armature::bench::add_ladder();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  armature::bench::RatioReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
}
