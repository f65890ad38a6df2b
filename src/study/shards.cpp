#include "study/shards.h"

// The cut is made of whole numbers alone, so that every machine makes the same.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <queue>
#include <set>
#include <string_view>
#include <tuple>

#include "armature/error.h"

namespace armature {
namespace {

namespace fs = std::filesystem;

// --- What a replication costs --------------------------------------------------------------------

// Picoseconds a round: once, per action, and per action and context.
struct Cost {
  std::string_view policy;
  std::uint64_t round;
  std::uint64_t action;
  std::uint64_t entry;
  Round leaps_beyond = 0;  // where `auto` leaps; 0: nowhere
};

constexpr Round kStepUpTo = 1'000'000;  // as the engine `auto` does

// Measured once (semi-benign worlds of 20 × 5, 100 × 10 and 1000 × 50) and then left alone: another
// table is another cut, and shards that were computed by the old one would no longer fit together.
// A policy that is composed of others is taken with its default parts.
constexpr Cost kCosts[] = {
    {kOracle, 8'000, 0, 0, kStepUpTo},
    {"ucb", 25'000, 0, 0, kStepUpTo},
    {"c-ucb", 52'000, 0, 0, kStepUpTo},
    {"pe", 25'000, 0, 10, kStepUpTo},
    {"db", 110'000, 0, 0, 10'000'000},
    {"sentry", 115'000, 0, 0, kStepUpTo},
    {"warden", 210'000, 0, 0, kStepUpTo},
    {"hac-ucb", 30'000, 4'000, 150, kStepUpTo},
    {"ts", 10'000, 122'000, 0},
    {"c-ts", 650'000, 5'000, 150},
    {"moss", 28'000, 0, 0, 100'000'000},
    {"kl-ucb", 250'000, 0, 0},
    {"c-ucb-2", 30'000, 3'000, 60},
    {"cl-ucb", 300'000, 10'000, 500},
    {"cl-ts", 550'000, 12'000, 600},
    {"corral", 60'000, 5'000, 40},
    {"d3rb", 80'000, 0, 0},
    {"ed2rb", 80'000, 0, 0},
    {"floor", 145'000, 0, 0},
    {"learned-marginals", 160'000, 0, 0},
    {"uniform", 12'000, 0, 0, kStepUpTo},
    {"round-robin", 8'000, 0, 0, kStepUpTo},
    {"fixed", 8'000, 0, 0, kStepUpTo},
    {"epsilon-greedy", 40'000, 0, 0},
    {"exp3", 40'000, 7'300, 0},
    {"bayes-ucb", 5'000'000, 200'000, 0},
    {"etc", 16'000, 1'200, 0, kStepUpTo},
};

// As slow as the slower ones of a kind that looks at every action.
constexpr Cost kUnknown = {"", 200'000, 2'000, 0};

constexpr Round kRoundsLeapIsWorth = 2'000'000;  // a guess; a leap does not grow with its horizon
constexpr std::uint64_t kLatePicoseconds = 250'000;     // a round's outcome in a queue
constexpr std::uint64_t kBeginPicoseconds = 5'000'000;  // a replication's, whatever its rounds
constexpr std::uint64_t kEntryPicoseconds = 800'000;    // of a world that is drawn anew each time

const Cost* find_cost(std::string_view policy) {
  const auto* const found = std::find_if(std::begin(kCosts), std::end(kCosts),
                                         [&](const Cost& cost) { return cost.policy == policy; });
  return found == std::end(kCosts) ? nullptr : found;
}

const Cost& cost_of(std::string_view policy) {
  const Cost* const found = find_cost(policy);
  return found ? *found : kUnknown;
}

std::uint64_t sum(std::uint64_t one, std::uint64_t other) {
  return one > UINT64_MAX - other ? UINT64_MAX : one + other;
}

std::uint64_t product(std::uint64_t one, std::uint64_t other) {
  return other != 0 && one > UINT64_MAX / other ? UINT64_MAX : one * other;
}

bool leaps(const PlannedCell& cell, const std::string& engine, const Cost& cost) {
  if (engine != "auto") return engine == "leap";
  return cost.leaps_beyond > 0 && cell.horizon > cost.leaps_beyond && cell.feedback.prompt();
}

}  // namespace

std::uint64_t expected_work(const PlannedCell& cell, const std::string& engine) {
  const Cost& cost = cost_of(std::string_view(cell.policy).substr(0, cell.policy.find(':')));
  const std::uint64_t entries = product(cell.actions, cell.contexts);
  std::uint64_t round =
      sum(cost.round, sum(product(cost.action, cell.actions), product(cost.entry, entries)));
  if (!cell.feedback.prompt()) round = sum(round, kLatePicoseconds);
  const Round rounds =
      leaps(cell, engine, cost) ? std::min(cell.horizon, kRoundsLeapIsWorth) : cell.horizon;
  // Worlds of random families have no gap that could be told beforehand.
  const std::uint64_t world = cell.gap ? 0 : product(kEntryPicoseconds, entries);
  return sum(product(round, rounds), sum(kBeginPicoseconds, world));
}

bool has_cost(const std::string& policy) { return find_cost(policy) != nullptr; }

Round expected_to_leap_beyond(const std::string& policy) { return cost_of(policy).leaps_beyond; }

// --- The cut -------------------------------------------------------------------------------------

ShardCut::ShardCut(const std::vector<PlannedCell>& cells, std::uint32_t replications,
                   const std::string& engine, std::uint32_t shards)
    : replications_(replications), shards_(shards), given_(cells.size()) {
  ARMATURE_CHECK(shards >= 1 && shards <= kMostShards, "there is a shard, and not too many");
  for (const PlannedCell& cell : cells) work_.push_back(expected_work(cell, engine));
  if (replications % shards == 0) return;

  // The longest first; of equals the first of the plan.
  std::vector<std::size_t> order(cells.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t one, std::size_t other) { return work_[one] > work_[other]; });
  // Whoever has the least so far is next; of equals who was given less often (sums saturate), then
  // the lowest number.
  using Load = std::tuple<std::uint64_t, std::uint64_t, std::uint32_t>;
  std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
  for (std::uint32_t number = 0; number < shards; ++number) loads.emplace(0, 0, number);
  for (const std::size_t cell : order) {
    for (std::uint32_t left = replications % shards; left > 0; --left) {
      auto [load, times, number] = loads.top();
      loads.pop();
      given_[cell].push_back(number);
      loads.emplace(sum(load, work_[cell]), times + 1, number);
    }
    std::sort(given_[cell].begin(), given_[cell].end());
  }
}

std::vector<ReplicationRange> ShardCut::part(std::uint32_t number) const {
  ARMATURE_CHECK(number >= 1 && number <= shards_, "shards are numbered from 1 on");
  const std::uint32_t place = number - 1;
  const std::uint32_t everyone = replications_ / shards_;
  std::vector<ReplicationRange> ranges;
  for (const std::vector<std::uint32_t>& given : given_) {
    const auto [first, last] = std::equal_range(given.begin(), given.end(), place);
    ranges.push_back({everyone * place + static_cast<std::uint32_t>(first - given.begin()),
                      everyone + static_cast<std::uint32_t>(last - first)});
  }
  return ranges;
}

// --- Their names ---------------------------------------------------------------------------------

namespace {

// The whole of the text as a number; nothing else.
std::optional<std::uint32_t> number_in(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<Shard> numbers_around(std::string_view text, std::string_view between) {
  const std::size_t place = text.find(between);
  if (place == std::string_view::npos) return std::nullopt;
  const auto number = number_in(text.substr(0, place));
  const auto of = number_in(text.substr(place + between.size()));
  if (!number || !of || *number < 1 || *number > *of || *of > kMostShards) return std::nullopt;
  return Shard{*number, *of};
}

[[noreturn]] void refuse_shard(const std::string& value, const std::string& expected) {
  throw Error({"", "--shard", value, expected});
}

constexpr const char* kByHand = "--shard \"$SLURM_ARRAY_TASK_ID/N\" with N the number of shards";

std::uint32_t slurm_number(const char* name) {
  const char* const value = std::getenv(name);
  if (!value)
    refuse_shard(fmt::format("slurm, and no {}", name),
                 std::string("a task of a Slurm array (sbatch --array=1-40), or ") + kByHand);
  const auto number = number_in(value);
  if (!number) refuse_shard(fmt::format("slurm, and {}={}", name, value), "a number there");
  return *number;
}

// Only of an array that is whole: of one with holes nobody would compute what belongs to them.
Shard shard_of_slurm() {
  const std::uint32_t id = slurm_number("SLURM_ARRAY_TASK_ID");
  const std::uint32_t first = slurm_number("SLURM_ARRAY_TASK_MIN");
  const std::uint32_t last = slurm_number("SLURM_ARRAY_TASK_MAX");
  const std::uint32_t step = slurm_number("SLURM_ARRAY_TASK_STEP");
  const std::uint32_t count = slurm_number("SLURM_ARRAY_TASK_COUNT");
  const bool whole = first <= 1 && step == 1 && last >= first && count == last - first + 1 &&
                     id >= first && id <= last && count <= kMostShards;
  if (!whole)
    refuse_shard(fmt::format("slurm, and an array of {} tasks from {} to {} in steps of {}", count,
                             first, last, step),
                 std::string("one from 0 or 1 on without holes, as --array=1-40; or ") + kByHand);
  return {id - first + 1, count};
}

}  // namespace

Shard parse_shard(const std::string& text) {
  if (text == "slurm") return shard_of_slurm();
  const auto shard = numbers_around(text, "/");
  if (!shard)
    refuse_shard("'" + text + "'",
                 fmt::format("NUMBER/COUNT, as 3/40: the number from 1 to the count, which is at "
                             "most {}; or slurm",
                             kMostShards));
  return *shard;
}

std::string shard_text(Shard shard) { return fmt::format("{}/{}", shard.number, shard.of); }

std::string shards_path(const std::string& directory) { return directory + "/shards"; }

std::string shard_path(const std::string& directory, Shard shard) {
  const std::string count = fmt::format("{}", shard.of);
  return fmt::format("{}/{:0{}}-of-{}", shards_path(directory), shard.number, count.size(), count);
}

std::vector<Shard> shards_in(const std::string& directory) {
  std::vector<Shard> found;
  std::error_code error;
  for (fs::directory_iterator entry(shards_path(directory), error), end; entry != end;
       entry.increment(error))
    if (const auto shard = numbers_around(entry->path().filename().string(), "-of-"))
      found.push_back(*shard);
  return found;
}

std::optional<std::uint32_t> shard_count(const std::string& directory) {
  std::set<std::uint32_t> counts;
  for (const Shard& shard : shards_in(directory)) counts.insert(shard.of);
  if (counts.empty()) return std::nullopt;
  if (counts.size() > 1)
    throw Error({shards_path(directory), "shards",
                 fmt::format("some of {} and some of {}", *counts.begin(), *counts.rbegin()),
                 "those of one cut; remove the others"});
  return *counts.begin();
}

}  // namespace armature
