// Logs whose truth is known: a policy plays an instance, and what it did is written down.
#pragma once

#include <memory>

#include "armature/environment.h"
#include "armature/families.h"
#include "armature/policy_session.h"
#include "audit/vector_source.h"

namespace armature::test {

struct SimulatedLog {
  std::shared_ptr<const Instance> truth;
  std::vector<LogRow> rows;
  bool adaptive = false;
  double expected = 0;  // of the logger: the mean over rounds of Σ_a p(a)·μ(a)

  VectorSource source() const {
    const Problem problem = truth->problem(std::nullopt);
    return {rows, problem.action_names, problem.context_names, adaptive};
  }
};

/// `uniform` is the one policy that does not learn. Propensities are logged, and the log's expected
/// reward is known, where the policy knows its probabilities.
inline SimulatedLog simulated_log(const std::shared_ptr<const Instance>& truth,
                                  const std::string& policy, Round rounds, std::uint64_t seed,
                                  std::uint32_t replication = 0) {
  SimulatedLog log{truth, {}, policy != "uniform", 0};
  const OutcomeTables tables(*truth);
  Environment environment(tables, seed, replication);
  PolicySession session(policy, truth->problem(rounds), seed, replication);
  for (Round t = 1; t <= rounds; ++t) {
    const std::optional<std::vector<double>> law = session.probabilities();
    const Decision decision = session.choose();
    const Outcome outcome = environment.play(decision.arm);
    session.observe(decision, outcome);
    LogRow row;
    row.action = decision.arm;
    row.context = outcome.context;
    row.reward = outcome.reward;
    row.line = t + 1;
    if (law) {
      row.propensity = (*law)[decision.arm];
      for (Arm a = 0; a < law->size(); ++a)
        log.expected += (*law)[a] * truth->mean(a) / static_cast<double>(rounds);
    }
    log.rows.push_back(row);
  }
  return log;
}

/// Of a family's text form. Without propensities where the policy learns: an audit must not need
/// them there.
inline VectorSource simulated_log(const std::string& world, const std::string& policy, Round rounds,
                                  std::uint32_t replication, std::uint64_t seed = 1) {
  const InstanceSource source(world, rounds, seed);
  SimulatedLog log = simulated_log(source.instance(replication), policy, rounds, seed, replication);
  if (log.adaptive)
    for (LogRow& row : log.rows) row.propensity = LogRow{}.propensity;
  return log.source();
}

}  // namespace armature::test
