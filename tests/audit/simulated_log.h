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

/// `policy` must know its probabilities.
inline SimulatedLog simulated_log(const std::shared_ptr<const Instance>& truth,
                                  const std::string& policy, Round rounds, std::uint64_t seed,
                                  std::uint32_t replication = 0) {
  SimulatedLog log{truth, {}, policy != "uniform", 0};
  const OutcomeTables tables(*truth);
  Environment environment(tables, seed, replication);
  PolicySession session(policy, truth->problem(rounds), seed, replication);
  for (Round t = 1; t <= rounds; ++t) {
    const std::vector<double> law = session.probabilities().value();
    for (Arm a = 0; a < law.size(); ++a)
      log.expected += law[a] * truth->mean(a) / static_cast<double>(rounds);
    const Decision decision = session.choose();
    const Outcome outcome = environment.play(decision.arm);
    session.observe(decision, outcome);
    LogRow row;
    row.action = decision.arm;
    row.context = outcome.context;
    row.reward = outcome.reward;
    row.propensity = law[decision.arm];
    row.line = t + 1;
    log.rows.push_back(row);
  }
  return log;
}

}  // namespace armature::test
