// One row per policy. Everything else (command line, docs, conformance and golden tests) reads
// this.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "armature/error.h"
#include "armature/policy.h"
#include "base/text.h"
#include "policies/adaptive/floor.h"
#include "policies/adaptive/learned_marginals.h"
#include "policies/adaptive/sentry.h"
#include "policies/adaptive/warden.h"
#include "policies/balancing/corral.h"
#include "policies/balancing/dynamic_balancing.h"
#include "policies/balancing/regret_balancing.h"
#include "policies/baseline/fixed_arm.h"
#include "policies/baseline/round_robin.h"
#include "policies/baseline/uniform.h"
#include "policies/classic/epsilon_greedy.h"
#include "policies/classic/exp3.h"
#include "policies/classic/explore_then_commit.h"
#include "policies/index/bayes_ucb.h"
#include "policies/index/c_ucb.h"
#include "policies/index/c_ucb_2.h"
#include "policies/index/hac_ucb.h"
#include "policies/index/kl_ucb.h"
#include "policies/index/moss.h"
#include "policies/index/thompson.h"
#include "policies/index/ucb.h"
#include "policies/linear/linear_bandit.h"
#include "policies/linear/phased_elimination.h"

namespace armature {
namespace {

std::vector<PolicyEntry>& table() {
  static std::vector<PolicyEntry> entries = {
      policy_entry<Ucb>(),
      policy_entry<CausalUcb>(),
      policy_entry<PhasedElimination>(),
      policy_entry<DynamicBalancing>(),
      policy_entry<Sentry>(),
      policy_entry<Warden>(),
      policy_entry<HacUcb>(),
      policy_entry<Thompson>(),
      policy_entry<CausalThompson>(),
      policy_entry<Moss>(),
      policy_entry<KlUcb>(),
      policy_entry<CausalUcb2>(),
      policy_entry<CausalLinearUcb>(),
      policy_entry<CausalLinearThompson>(),
      policy_entry<Corral>(),
      policy_entry<DoublingBalancing>(),
      policy_entry<EstimatingBalancing>(),
      policy_entry<Floor>(),
      policy_entry<LearnedMarginals>(),
      policy_entry<UniformPolicy>(),
      policy_entry<RoundRobin>(),
      policy_entry<FixedArm>(),
      policy_entry<EpsilonGreedy>(),
      policy_entry<Exp3>(),
      policy_entry<BayesUcb>(),
      policy_entry<ExploreThenCommit>(),
  };
  return entries;
}

Arguments parse_arguments(const TextForm& form, const PolicyFacts& facts,
                          const FormulaVariables& variables) {
  return {"policy " + form.name, form, facts.parameters, variables};
}

}  // namespace

AnyPolicy::AnyPolicy(std::string text, const Problem& problem)
    : text_(std::move(text)),
      problem_fingerprint_(problem.fingerprint()),
      actions_(problem.actions()),
      contexts_(problem.contexts()) {}

std::string AnyPolicy::owner() const {
  return fmt::format("policy {}, problem {:016x}", text_, problem_fingerprint_);
}
// One list of fields serves who reads and who writes them, so visit_state is not const. What saves,
// hashes or prints leaves every field as it is: the one const_cast there is says so.
StateVisit AnyPolicy::fields() const {
  return
      [self = const_cast<AnyPolicy*>(this)](StateVisitor& visitor) { self->visit_state(visitor); };
}
std::string AnyPolicy::save() const { return save_state(owner(), fields()); }
void AnyPolicy::load(std::string_view saved) { load_state(owner(), saved, fields()); }
std::uint64_t AnyPolicy::digest() const { return state_digest(fields()); }
std::string AnyPolicy::dump() const { return dump_state(fields()); }

std::string replay_instead() {
  return "replay: ask it to choose; where it chose what was played observe the outcome, else forget "
         "the decision";
}

void AnyPolicy::witness(const Tally& tally, Stream& stream) {
  check_arm({tally.arm});
  ARMATURE_CHECK(tally.context < contexts_, "a context is one of the problem's");
  ARMATURE_CHECK(tally.rewards >= 0 && tally.rewards <= static_cast<double>(tally.plays),
                 "a reward is a number in [0,1]");
  if (const std::string instead = witness_obstacle(); !instead.empty())
    throw Error({"", "policy " + text_, "the outcome of another's decision", instead});
  if (tally.plays > 0) do_witness(tally, stream);
}

ProbabilityEstimate AnyPolicy::estimate_probabilities(std::uint64_t draws,
                                                      std::uint64_t seed) const {
  ARMATURE_CHECK(draws > 0, "something is drawn");
  std::vector<std::uint64_t> chosen(actions_);
  ARMATURE_CHECK(draws <= std::numeric_limits<std::uint32_t>::max(), "every trial has its number");
  for (std::uint64_t i = 0; i < draws; ++i) {
    // A stream per trial: what a policy draws aside from it must differ too.
    Stream stream({seed, static_cast<std::uint32_t>(i), Purpose::kEstimate});
    const std::unique_ptr<AnyPolicy> trial = clone();
    if (!trial)
      throw Error({"", "policy " + text_, "a kind that cannot be copied",
                   "one that can, to try its choices"});
    ++chosen[trial->choose(stream).arm];
  }
  ProbabilityEstimate estimate{{}, 0.5 / std::sqrt(static_cast<double>(draws))};
  for (const std::uint64_t count : chosen)
    estimate.probabilities.push_back(static_cast<double>(count) / static_cast<double>(draws));
  return estimate;
}

const std::vector<PolicyEntry>& policies() { return table(); }

void require_fit(const PolicyFacts& facts, const Problem& problem) {
  problem.validate();
  if (facts.needs_horizon && !problem.horizon)
    throw Error({"", "policy " + facts.name, "a problem without a horizon", "a horizon"});
  if (facts.needs_marginals && !problem.marginals)
    throw Error({"", "policy " + facts.name, "a problem without given marginals",
                 "given marginals of the contexts, one row per action"});
}

void register_policy(PolicyEntry entry) {
  ARMATURE_CHECK(entry.make != nullptr, "a policy can be made");
  ARMATURE_CHECK(is_name(entry.facts.name), "a policy's name can be typed in a text form");
  for (const PolicyEntry& known : table())
    ARMATURE_CHECK(known.facts.name != entry.facts.name, "a policy's name is new");
  table().push_back(std::move(entry));
}

const PolicyEntry& find_policy(const std::string& name) {
  std::vector<std::string> names;
  for (const PolicyEntry& entry : table()) {
    if (entry.facts.name == name) return entry;
    names.push_back(entry.facts.name);
  }
  throw Error({"", "policy", fmt::format("'{}'", name),
               "one of " + join(names, ", ") + did_you_mean(name, names)});
}

namespace {

struct Call {
  const PolicyEntry& entry;
  Arguments arguments;
};

Call parse_call(const std::string& text, const FormulaVariables& variables) {
  const TextForm form = TextForm::parse(text);
  const PolicyEntry& entry = find_policy(form.name);
  return {entry, parse_arguments(form, entry.facts, variables)};
}

}  // namespace

std::unique_ptr<AnyPolicy> make_policy(const std::string& text, const Problem& problem) {
  const Call call = parse_call(text, problem.formula_variables());
  return call.entry.make(problem, call.arguments);
}

std::optional<double> policy_coefficient(const std::string& text, const Problem& problem) {
  const Call call = parse_call(text, problem.formula_variables());
  return call.entry.coefficient ? call.entry.coefficient(problem, call.arguments) : std::nullopt;
}

std::string canonical_policy(const std::string& text, const FormulaVariables& variables) {
  return parse_call(text, variables).arguments.canonical();
}

}  // namespace armature
