#include <fmt/format.h>

#include "armature/error.h"
#include "armature/lab.h"
#include "lab/runner.h"
#include "lab/worlds.h"

namespace armature {
namespace {

void check(const Simulation& simulation) {
  if (simulation.horizon < 1) throw Error({"", "horizon", "0", "at least 1"});
  if (simulation.replications < 1) throw Error({"", "replications", "0", "at least 1"});
  if (simulation.policies.empty()) throw Error({"", "policies", "none", "at least one"});
  if (simulation.feedback.batch < 1) throw Error({"", "batch", "0", "at least 1"});
  if (!(simulation.feedback.rounds >= 0 && simulation.feedback.rounds <= 1e9))
    throw Error({"", "delay", fmt::format("{}", simulation.feedback.rounds), "0 to 10^9 rounds"});
  if (!(simulation.feedback.loss >= 0 && simulation.feedback.loss < 1))
    throw Error(
        {"", "loss", fmt::format("{}", simulation.feedback.loss), "a probability in [0,1)"});
  if (!(simulation.leap_tolerance > 0 && simulation.leap_tolerance < 1))
    throw Error({"", "leap-tolerance", fmt::format("{}", simulation.leap_tolerance),
                 "a probability in (0,1)"});
  for (const Round round : simulation.also_at)
    if (round < 1 || round > simulation.horizon)
      throw Error({"", "checkpoint", fmt::format("{}", round),
                   fmt::format("a round from 1 to the horizon {}", simulation.horizon)});
}

}  // namespace

SimulationResult simulate(const Simulation& simulation, const RunHooks& hooks) {
  check(simulation);
  InstanceSource source(simulation.instance, simulation.horizon, simulation.seed);
  if (simulation.given) source.tell(*simulation.given);
  const WorldSource worlds = world_source(source, simulation.horizon);

  const std::shared_ptr<const World> first = worlds(0);
  std::vector<Cell> cells;
  for (const std::string& policy : simulation.policies)
    cells.push_back(
        {worlds, canonical_cell_policy(policy, first->problem.formula_variables()),
         simulation.horizon, simulation.seed,
         log_checkpoints(simulation.horizon, simulation.checkpoints, simulation.also_at),
         simulation.feedback, simulation.engine, simulation.leap_tolerance, simulation.max_events});
  for (const Cell& cell :
       cells)  // a policy that does not fit the problem is refused before any work
  {
    if (cell.policy != kOracle) make_policy(cell.policy, first->problem);
    engine_for(cell, *first);
  }

  SimulationResult result;
  result.instance = source.text();
  result.horizon = simulation.horizon;
  result.replications = simulation.replications;
  result.seed = simulation.seed;
  result.conditions = simulation.feedback.describe();
  if (simulation.given) result.conditions += " given=other";
  result.policies = run_cells(cells, simulation.replications, hooks);
  for (const PolicySummary& summary : result.policies)
    result.complete = result.complete && summary.replications == simulation.replications;
  return result;
}

}  // namespace armature
