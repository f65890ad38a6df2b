// A study without a file and without a store: one instance, one horizon, everything in memory. It
// walks the same way as a study (plan, cells, blocks, recorder, summary), and so prints the same
// bytes for the same cell.
#include <fmt/format.h>

#include <algorithm>

#include "armature/error.h"
#include "armature/lab.h"
#include "base/machine.h"
#include "lab/growing_simulation.h"
#include "lab/placement.h"
#include "lab/planned_cell.h"
#include "lab/runner.h"
#include "lab/worlds.h"

namespace armature {
namespace {

// Every regret at every checkpoint is kept: 2 GiB of them at most.
constexpr double kMostValues = 0x1p28;
// What else a replication leaves: its simple regret, some diagnostics.
constexpr std::size_t kBesideRegrets = 8;
// Enough blocks to keep many cores busy, few enough that handing them over weighs nothing.
constexpr std::uint32_t kMostBlocks = 256;

void check(const Simulation& simulation) {
  if (simulation.horizon < 1) throw Error({"", "horizon", "0", "at least 1"});
  if (simulation.replications < 1) throw Error({"", "replications", "0", "at least 1"});
  if (simulation.policies.empty()) throw Error({"", "policies", "none", "at least one"});
  check_conditions(simulation.feedback, simulation.leap_tolerance);
  for (const Round round : simulation.also_at)
    if (round < 1 || round > simulation.horizon)
      throw Error({"", "checkpoint", fmt::format("{}", round),
                   fmt::format("a round from 1 to the horizon {}", simulation.horizon)});
  // Bounds and looks go by a policy's name: nobody may take another's.
  for (const auto& [name, maker] : simulation.own_policies) {
    const std::string taken = TextForm::parse(name).name;
    const bool registered =
        std::any_of(policies().begin(), policies().end(),
                    [&](const PolicyEntry& entry) { return entry.facts.name == taken; });
    if (registered || taken == kOracle)
      throw Error({"", "policy", "'" + name + "'", "a name that the registry does not have"});
  }
}

// Asked before the run: the allocation that fails would else come after hours of work.
// `checkpoints` is the number there are; of a short horizon that is fewer than were asked for.
void require_room(const Simulation& simulation, std::size_t checkpoints) {
  const double values = static_cast<double>(simulation.policies.size()) *
                        static_cast<double>(simulation.replications) *
                        static_cast<double>(checkpoints + kBesideRegrets);
  if (values > kMostValues)
    throw Error({"", "policies × replications × checkpoints", fmt::format("{:.3g}", values),
                 fmt::format("at most {:.3g} to be kept in memory; armature run, which keeps them "
                             "in a file, or fewer checkpoints",
                             kMostValues)});
}

std::vector<PlannedCell> plan_of(const Simulation& simulation, const InstanceSource& source) {
  PlannedCell shared = planned_world(source, simulation.horizon);
  // Formulas in policies speak of the instance they meet, so its sizes must be known first.
  const FormulaVariables variables =
      source.instance(0)->problem(simulation.horizon).formula_variables();
  name_instance(shared, {.label = source.text()});
  shared.feedback = simulation.feedback;
  shared.leap_tolerance = simulation.leap_tolerance;
  std::vector<PlannedCell> plan;
  for (const std::string& policy : simulation.policies) {
    PlannedCell cell = shared;
    cell.id = static_cast<std::uint32_t>(plan.size());
    cell.policy = simulation.own_policies.contains(policy)
                      ? policy
                      : canonical_cell_policy(policy, variables);
    name_policy(cell, {.label = cell.policy});
    plan.push_back(std::move(cell));
  }
  return plan;
}

// Of one finished replication, roughly: what it leaves, and if they are followed the shares of two
// learners, each with its name.
double bytes_of(const Cell& cell, const PlannedCell& planned) {
  const auto points = static_cast<double>(cell.checkpoints.size());
  return 8.0 * (planned.actions + points * (cell.follow_shares ? 20 : 1) + 100);
}

// Cut by the number of replications alone: a trial of each policy, as a study makes it, would often
// take longer than what is asked for here. For a device the blocks are as large as it wants them,
// within what their results may take of memory.
std::uint32_t block_size(const PlannedCell& planned, const Cell& cell, const Placement& placement,
                         std::uint32_t replications, unsigned hands) {
  if (!placement.on_device(planned.id))
    return size_for_lock_step(cell, (replications + kMostBlocks - 1) / kMostBlocks, replications,
                              hands);
  const double most =
      most_device_block_bytes(*placement.accelerator, memory_given()) / bytes_of(cell, planned);
  return static_cast<std::uint32_t>(
      std::clamp<double>(placement.per_block[planned.id], 1, std::max(most, 1.0)));
}

// Who watches is told of cells and replications in order, by one thread: blocks said to take
// equally long are run in the order of the plan.
void watch(std::vector<Cell>& cells, std::vector<BlockTask>& tasks, RunHooks& hooks) {
  for (std::size_t i = 0; i < cells.size(); ++i)
    cells[i].watch = [&hooks, cell = static_cast<std::uint32_t>(i)](const PlayedRound& round) {
      hooks.watch(cell, round);
    };
  for (BlockTask& task : tasks) task.work = 1;
  hooks.threads = 1;
}

// All that is known before anything runs.
struct Prepared {
  std::string instance;  // canonical text form
  std::vector<Round> checkpoints;
  std::vector<PlannedCell> plan;
  std::vector<Cell> cells;
};

Prepared prepare(const Simulation& simulation) {
  check(simulation);
  InstanceSource source(simulation.instance, simulation.horizon, simulation.seed,
                        simulation.files.empty() ? Files() : Files::only(simulation.files));
  // Before the plan is made: ranks, fingerprints and policies follow from what is told.
  if (simulation.given) source.tell(*simulation.given);
  Prepared prepared;
  prepared.instance = source.text();
  prepared.checkpoints =
      log_checkpoints(simulation.horizon, simulation.checkpoints, simulation.also_at);
  require_room(simulation, prepared.checkpoints.size());
  prepared.plan = plan_of(simulation, source);
  const WorldSource worlds = world_source(source, simulation.horizon);
  const RunSettings settings{simulation.seed, prepared.checkpoints, simulation.engine,
                             simulation.max_events, simulation.follow_shares};
  for (const PlannedCell& cell : prepared.plan) {
    const auto own = simulation.own_policies.find(cell.policy);
    prepared.cells.push_back(engine_cell(
        cell, worlds, settings, own == simulation.own_policies.end() ? PolicyMaker{} : own->second,
        simulation.own_environment));
  }
  return prepared;
}

}  // namespace

std::vector<double> SimulationResult::final_regrets(std::uint32_t cell) const {
  std::vector<double> values;
  recorder->regrets(cell, recorder->checkpoints(cell).size() - 1, Recorder::Order::kOfReplications,
                    [&](double value) { values.push_back(value); });
  return values;
}

double estimated_seconds(const Simulation& simulation, const RunHooks& hooks) {
  // A trial of less than a hundredth of what is asked for costs nothing worth saving.
  constexpr double kShare = 100;
  const double rounds =
      static_cast<double>(simulation.horizon) * static_cast<double>(simulation.replications);
  if (rounds < kShare * static_cast<double>(kTrialRounds)) return 0;
  const std::vector<Cell> cells = prepare(simulation).cells;
  const Placement placement = place_cells(cells, simulation.replications, hooks);
  std::vector<double> known(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (placement.on_device(i)) known[i] = placement.device_seconds(i);
  double seconds = 0;
  for (const double one : trial_seconds(cells, std::move(known)))
    seconds += one * static_cast<double>(simulation.replications);
  return seconds;
}

GrowingSimulation::GrowingSimulation(const Simulation& simulation, const RunHooks& hooks)
    : simulation_(simulation), hooks_(hooks) {
  Prepared prepared = prepare(simulation);
  instance_ = std::move(prepared.instance);
  plan_ = std::move(prepared.plan);
  cells_ = std::move(prepared.cells);
  recorder_ = std::make_shared<MemoryRecorder>(plan_.size(), simulation.replications,
                                               std::move(prepared.checkpoints));
  placement_ = place_cells(cells_, simulation.replications, hooks);
  if (hooks.notice)
    for (const std::string& words : placement_.notes) hooks.notice(words);
  if (simulation.has_own_parts()) hooks_.threads = 1;
}

std::vector<BlockTask> GrowingSimulation::blocks_up_to(std::uint32_t replications) const {
  std::vector<BlockTask> tasks;
  for (const PlannedCell& cell : plan_) {
    const std::uint32_t size =
        block_size(cell, cells_[cell.id], placement_, replications, hands_of(hooks_));
    for (const ReplicationRange& missing : recorder_->missing(cell.id)) {
      const std::uint32_t end = std::min(missing.first + missing.count, replications);
      for (std::uint32_t first = missing.first; first < end;) {
        const std::uint32_t count = std::min(size, end - first);
        tasks.push_back(
            {cell.id, {first, count}, static_cast<double>(count), placement_.on_device(cell.id)});
        first += count;
      }
    }
  }
  return tasks;
}

void GrowingSimulation::grow(std::uint32_t replications) {
  std::vector<BlockTask> tasks = blocks_up_to(std::min(replications, simulation_.replications));
  RunHooks run_hooks = hooks_;
  std::vector<Cell> cells = cells_;
  if (hooks_.watch) {
    ARMATURE_CHECK(simulation_.engine == Engine::kStep, "only rounds that are stepped are seen");
    watch(cells, tasks, run_hooks);
  }
  run_blocks(
      cells, std::move(tasks), run_hooks,
      [&](const std::vector<FinishedBlock>& blocks) {
        for (const auto& [task, result] : blocks)
          recorder_->add(static_cast<std::uint32_t>(task.cell), task.range.first, result);
      },
      placement_.accelerator.get());
}

SimulationResult GrowingSimulation::result() const {
  SimulationResult result;
  static_cast<Results&>(result) = summarize(*recorder_, plan_, simulation_.replications);
  // Texts in canonical form, formulas worked out: what is printed says what was run, and can be
  // given to the command again.
  result.simulation = simulation_;
  result.simulation.instance = instance_;
  for (const PlannedCell& cell : plan_) result.simulation.policies.at(cell.id) = cell.policy;
  result.conditions = simulation_.feedback.describe();
  // What was told cannot be named in a line, but nobody should take the result for one without it.
  if (simulation_.given) result.conditions += " given=other";
  result.plan = plan_;
  result.recorder = recorder_;
  return result;
}

SimulationResult simulate(const Simulation& simulation, const RunHooks& hooks) {
  GrowingSimulation whole(simulation, hooks);
  whole.grow(simulation.replications);
  return whole.result();
}

}  // namespace armature
