// Which engine runs a cell, and the block runner over both. Blocks know nothing of threads: what
// they compute depends on the cell and the replication numbers alone.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <iterator>

#include "armature/error.h"
#include "armature/leap.h"
#include "armature/simulate.h"
#include "base/discrete.h"
#include "simulate/lanes.h"
#include "simulate/leap.h"
#include "simulate/leap_laws.h"
#include "simulate/step.h"

namespace armature {
namespace {

// Up to here stepping takes moments, and common random numbers, which leaping gives up, are worth
// more than speed.
constexpr Round kStepUpTo = 1'000'000;

// Computing time of this thread: what others do on a busy machine is not counted. In a browser
// there is no such clock, and that on the wall has to do.
double computing_seconds() {
  timespec now = {};
#ifdef __EMSCRIPTEN__
  clock_gettime(CLOCK_MONOTONIC, &now);
#else
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
#endif
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The best action may differ between replications of a random family, so `oracle` is resolved in
// each world and never when a cell is planned.
std::string resolved_policy(const std::string& text, const Instance& instance) {
  return text == kOracle ? fmt::format("fixed:arm={}", instance.best_action()) : text;
}

// Why the leap engine cannot play this policy in this world; empty if it can.
std::string obstacle_to_leaping(const Cell& cell, const World& world, AnyPolicy& policy) {
  if (world.problem.horizon.value_or(0) > kLargestCount)
    return "counts beyond 2^60 cannot be drawn";
  if (!cell.feedback.prompt())
    return fmt::format("outcomes that are not prompt ({}) are seen one by one",
                       cell.feedback.describe());
  if (const std::string laws = leap::Laws::obstacle(*world.instance); !laws.empty()) return laws;
  const std::string why = leap::obstacle(policy);
  return why.empty() ? why : fmt::format("{}: {}", cell.policy, why);
}

// Cells come from C++ callers; files and the command line were checked on their way here, with
// messages for users. The limit on delays keeps the round an outcome is due in far from overflow.
void check_cell(const Cell& cell) {
  const std::vector<Round>& checkpoints = cell.checkpoints;
  ARMATURE_CHECK(cell.world != nullptr, "a cell has worlds");
  ARMATURE_CHECK(!checkpoints.empty() && checkpoints.back() <= cell.horizon &&
                     std::is_sorted(checkpoints.begin(), checkpoints.end()),
                 "checkpoints ascend, at most to the horizon");
  ARMATURE_CHECK(cell.feedback.batch >= 1, "a batch has at least one round");
  ARMATURE_CHECK(cell.feedback.rounds >= 0 && cell.feedback.rounds <= 1e15,
                 "a delay is a number of rounds");
  ARMATURE_CHECK(cell.leap_tolerance >= 0 && cell.leap_tolerance < 1,
                 "a leap tolerance is a probability below 1");
  ARMATURE_CHECK(cell.max_events > 0, "a leaping replication has events");
  ARMATURE_CHECK(cell.feedback.loss >= 0 && cell.feedback.loss <= 1, "a loss is a probability");
}

// What policies are told may differ from the truth (`--given`), but not in size: every index would
// be out of range.
void check_world(const World* world, Round horizon) {
  ARMATURE_CHECK(world != nullptr && world->instance != nullptr, "a world has an instance");
  ARMATURE_CHECK(world->problem.actions() == world->instance->actions() &&
                     world->problem.contexts() == world->instance->contexts(),
                 "policies are told of as many actions and contexts as there are");
  ARMATURE_CHECK(world->problem.horizon.value_or(horizon) == horizon,
                 "policies are told the cell's horizon, or none");
}

}  // namespace

// The check is part of the initialiser: `tables` reads through the pointer before any body runs.
World::World(std::shared_ptr<const Instance> truth, Round horizon)
    : instance((ARMATURE_CHECK(truth != nullptr, "a world has an instance"), std::move(truth))),
      tables(*instance),
      problem(instance->problem(horizon)) {}

// These words stand in files, results and options: engine_named reads all of them back.
std::string engine_name(Engine engine) {
  return engine == Engine::kAuto   ? "auto"
         : engine == Engine::kStep ? "step"
         : engine == Engine::kLeap ? "leap"
                                   : "cuda";
}

Engine engine_named(const std::string& name) {
  for (const Engine engine : {Engine::kAuto, Engine::kStep, Engine::kLeap, Engine::kCuda})
    if (engine_name(engine) == name) return engine;
  throw Error({"", "engine", "'" + name + "'", "one of auto, step, leap, cuda"});
}

std::string canonical_cell_policy(const std::string& text, const FormulaVariables& variables) {
  return text == kOracle ? text : canonical_policy(text, variables);
}

Engine engine_for(const Cell& cell, const World& world) {
  check_world(&world, cell.horizon);
  // From cheap to dear: no policy is built at horizons that are stepped anyway. `auto` turns every
  // obstacle into stepping; where leaping was asked for by name, the obstacle is the answer.
  const bool automatic = cell.engine == Engine::kAuto;
  if (cell.make_policy || cell.make_environment) {
    if (cell.engine == Engine::kLeap)
      throw Error(
          {"", "engine", "leap, but parts of the caller's own are stepped", "step or auto here"});
    return Engine::kStep;
  }
  const bool stepped = cell.engine == Engine::kStep || cell.engine == Engine::kCuda;
  if (stepped || (automatic && cell.horizon <= kStepUpTo)) return Engine::kStep;
  const auto policy = make_policy(resolved_policy(cell.policy, *world.instance), world.problem);
  const leap::Leaper* const leaper = policy->leaper();
  if (automatic && leaper && cell.horizon <= leaper->leaps_well_beyond()) return Engine::kStep;
  const std::string obstacle = obstacle_to_leaping(cell, world, *policy);
  if (obstacle.empty()) return Engine::kLeap;
  if (automatic) return Engine::kStep;
  throw Error({"", "engine", "leap, but " + obstacle, "step or auto here"});
}

BlockResult run_block(const Cell& cell, ReplicationRange range, const std::atomic<bool>& stop) {
  check_cell(cell);
  // The one clock of the room. Its time is told beside results, never used in them.
  const double start = computing_seconds();
  BlockResult result;
  LockStep lock_step(cell);
  while (result.replications.size() < range.count && !stop.load(std::memory_order_relaxed)) {
    const auto done = static_cast<std::uint32_t>(result.replications.size());
    const std::uint32_t replication = range.first + done;
    // Per replication: families that draw their instance have a new one each time, and another
    // instance may allow another engine.
    const std::shared_ptr<const World> world = cell.world(replication);
    check_world(world.get(), cell.horizon);
    const std::string policy = resolved_policy(cell.policy, *world->instance);
    const bool leaps = engine_for(cell, *world) == Engine::kLeap;
    if (!leaps) {
      std::vector<Replication> together =
          lock_step.play(world, policy, {replication, range.count - done}, stop);
      std::move(together.begin(), together.end(), std::back_inserter(result.replications));
      if (!together.empty()) continue;
    }
    std::optional<Replication> one =
        leaps ? leap_replication(cell, *world, policy, replication, stop)
              : step_replication(cell, *world, policy, replication, stop);
    // Cut short: half a replication has no place in a mean.
    if (!one) break;
    result.replications.push_back(std::move(*one));
  }
  result.seconds = computing_seconds() - start;
  return result;
}

}  // namespace armature
