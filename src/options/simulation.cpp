#include "options/simulation.h"

#include <fmt/format.h>

#include <algorithm>

#include "armature/error.h"
#include "options/long_work.h"
#include "options/numbers.h"
#include "options/setting.h"

namespace armature {
namespace {

// Cut here and not by the option parser, which drops what stands between two commas.
std::vector<Round> rounds_of(const std::vector<std::string>& lists, Round horizon) {
  FormulaVariables known;
  known.horizon = static_cast<double>(horizon);
  std::vector<Round> rounds;
  for (const std::string& list : lists)
    for (std::size_t start = 0; start <= list.size();) {
      const std::size_t comma = std::min(list.find(',', start), list.size());
      const std::string round = list.substr(start, comma - start);
      if (round.empty())
        throw Error({"", "--at", "'" + list + "'", "rounds with one comma between two"});
      rounds.push_back(whole_number("--at", round, 1, horizon, known));
      start = comma + 1;
    }
  return rounds;
}

}  // namespace

Simulation simulation_of(const SimulationOptions& options) {
  Simulation simulation;
  simulation.instance = options.instance;
  simulation.policies = options.policies;
  simulation.horizon = whole_number("--horizon", options.horizon, 1, kMostRounds);
  simulation.replications = static_cast<std::uint32_t>(
      whole_number("--replications", options.replications, 1, 1'000'000'000));
  simulation.seed = whole_number("--seed", options.seed, 0, UINT64_MAX);
  simulation.checkpoints =
      static_cast<std::uint32_t>(whole_number("--checkpoints", options.checkpoints, 1, 100'000));
  simulation.also_at = rounds_of(options.at, simulation.horizon);
  simulation.feedback = Feedback::parse_delay(options.delay);
  simulation.feedback.batch = whole_number("--batch", options.batch, 1, 1'000'000'000);
  simulation.feedback.loss = real_number("--loss", options.loss, "a probability in [0,1)");
  if (!(simulation.feedback.loss >= 0 && simulation.feedback.loss < 1))
    throw Error({"", "--loss", "'" + options.loss + "'", "a probability in [0,1)"});
  simulation.engine = engine_named(options.engine);
  simulation.leap_tolerance =
      real_number("--leap-tolerance", options.leap_tolerance, "a probability in (0,1)");
  if (!(simulation.leap_tolerance > 0 && simulation.leap_tolerance < 1))
    throw Error(
        {"", "--leap-tolerance", "'" + options.leap_tolerance + "'", "a probability in (0,1)"});
  simulation.max_events =
      whole_number("--max-events", options.max_events, 1, 1'000'000'000'000'000'000);
  if (options.given) simulation.given = given_problem(*options.given);
  return simulation;
}

void refuse_too_long(const Simulation& simulation, const RunHooks& hooks) {
  const double seconds = estimated_seconds(simulation, hooks);
  if (seconds > kLongSeconds)
    throw Error(
        {"", "estimated time",
         time_text(seconds) + (simulation.engine == Engine::kCuda ? "" : " of one core"),
         fmt::format("at most {}, or --yes to run it all the same", time_text(kLongSeconds))});
}

}  // namespace armature
