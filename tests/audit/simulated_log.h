// Logs as policies write them in simulated worlds.
#pragma once

#include <memory>
#include <string>

#include "armature/environment.h"
#include "armature/families.h"
#include "armature/policy_session.h"
#include "audit/vector_source.h"

namespace armature::test {

/// Plays a policy's text form in a family's. `uniform` is the one policy that does not learn.
inline VectorSource simulated_log(const std::string& world, const std::string& policy, Round rounds,
                                  std::uint32_t replication, std::uint64_t seed = 1) {
  const InstanceSource source(world, rounds, seed);
  const std::shared_ptr<const Instance> instance = source.instance(replication);
  const OutcomeTables tables(*instance);
  Environment environment(tables, seed, replication);
  PolicySession session(policy, instance->problem(rounds), seed, replication);
  const bool learns = policy != "uniform";
  std::vector<LogRow> rows(rounds);
  for (LogRow& row : rows) {
    const Decision decision = session.choose();
    const Outcome outcome = environment.play(decision.arm);
    session.observe(decision, outcome);
    row.action = decision.arm;
    row.context = outcome.context;
    row.reward = outcome.reward;
    if (!learns) row.propensity = 1.0 / instance->actions();
    row.line = static_cast<std::uint64_t>(&row - rows.data()) + 2;
  }
  return VectorSource(std::move(rows), instance->parts().action_names,
                      instance->parts().context_names, learns);
}

}  // namespace armature::test
