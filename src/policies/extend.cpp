#include "armature/extend.h"

namespace armature {
namespace {

std::unique_ptr<AnyPolicy> make_witness(const std::string& policy, const Problem& problem) {
  auto made = make_policy(policy, problem);
  if (const std::string instead = made->witness_obstacle(); !instead.empty())
    throw Error({"", "policy " + made->text(), "outcomes of another's decisions", instead});
  return made;
}

}  // namespace

std::vector<Logged> renamed(std::span<const Logged> log, const Problem& from, const Problem& to) {
  const auto actions = places_by_name(from.action_names, to.action_names);
  const auto contexts = places_by_name(from.context_names, to.context_names);
  std::vector<Logged> kept;
  for (const Logged& entry : log) {
    ARMATURE_CHECK(entry.arm < actions.size() && entry.outcome.context < contexts.size(),
                   "a log speaks of its problem's actions and contexts");
    const Arm arm = actions[entry.arm];
    const Context context = contexts[entry.outcome.context];
    if (arm >= to.actions()) continue;
    if (context >= to.contexts()) refuse_lost_context(from, entry.arm, entry.outcome.context);
    kept.push_back({arm, {context, entry.outcome.reward}});
  }
  return kept;
}

std::unique_ptr<AnyPolicy> extend(const std::string& policy, const Problem& problem,
                                  std::span<const Logged> log, const Problem& log_problem,
                                  Stream& stream) {
  auto made = make_witness(policy, problem);
  for (const auto& [arm, outcome] : renamed(log, log_problem, problem))
    made->witness(arm, outcome, stream);
  return made;
}

std::unique_ptr<AnyPolicy> extend(const std::string& policy, const Problem& problem,
                                  const Evidence& evidence, const Problem& evidence_problem,
                                  Stream& stream) {
  auto made = make_witness(policy, problem);
  if (!evidence.whole() && tosses_coins(*made))
    throw Error({"", "policy " + made->text(), "sums of rewards other than 0 and 1",
                 "the log: it tosses a coin for each such reward"});
  for (const Tally& tally : evidence.renamed(evidence_problem, problem).tallies())
    made->witness(tally, stream);
  return made;
}

std::uint64_t replay(AnyPolicy& policy, std::span<const Logged> log, Stream& stream) {
  std::uint64_t used = 0;
  for (const auto& [arm, outcome] : log) {
    const Decision decision = policy.choose(stream);
    if (decision.arm == arm) {
      policy.observe(decision, outcome, stream);
      ++used;
    } else {
      policy.forget(decision);
    }
  }
  return used;
}

bool tosses_coins(const AnyPolicy& policy) {
  const auto probe = policy.clone();
  if (!probe) return true;  // who cannot be tried is taken for one that does
  Stream stream({0, 0, Purpose::kEstimate});
  probe->witness(0, {0, 0.5}, stream);
  return stream.position() > 0;
}

}  // namespace armature
