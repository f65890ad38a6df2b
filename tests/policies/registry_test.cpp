#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/refusal.h"
#include "base/text.h"
#include "policies/small_problems.h"

namespace armature {
namespace {

using test::problem_of;

std::string message_of(const std::string& text, const Problem& problem) {
  try {
    make_policy(text, problem);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

Problem small_problem() { return problem_of({{0.5, 0.5}, {0.25, 0.75}}, 100); }

TEST(PolicyRegistry, EveryPolicyStatesItsFactsAndBuildsByName) {
  for (const PolicyEntry& entry : policies()) {
    SCOPED_TRACE(entry.facts.name);
    EXPECT_FALSE(entry.facts.summary.empty());
    EXPECT_FALSE(entry.facts.text.empty());
    EXPECT_TRUE(entry.facts.section.find("§") != std::string::npos);
    EXPECT_EQ(&find_policy(entry.facts.name), &entry);
    EXPECT_EQ(make_policy(entry.facts.name, small_problem())->text(), entry.facts.name);
    for (const Parameter& parameter : entry.facts.parameters) {
      EXPECT_FALSE(parameter.help_text().empty()) << parameter.name();
      EXPECT_FALSE(parameter.default_text().empty()) << parameter.name();
      EXPECT_FALSE(parameter.section().empty()) << parameter.name();
    }
  }
}

TEST(PolicyRegistry, NamesAreUnique) {
  std::vector<std::string> names;
  for (const PolicyEntry& entry : policies()) names.push_back(entry.facts.name);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

TEST(PolicyRegistry, UnknownNameSuggestsTheNearest) {
  const std::string message = message_of("hac-ucv", small_problem());
  EXPECT_NE(message.find("'hac-ucv'"), std::string::npos) << message;
  EXPECT_NE(message.find("did you mean 'hac-ucb'?"), std::string::npos) << message;
  EXPECT_NE(message.find("round-robin"), std::string::npos) << message;  // lists what there is
}

TEST(PolicyRegistry, UnknownNameFarFromAllSuggestsNothing) {
  const std::string message = message_of("gradient-descent", small_problem());
  EXPECT_EQ(message.find("did you mean"), std::string::npos) << message;
}

TEST(PolicyRegistry, UnknownParameterSuggestsTheNearest) {
  const std::string message = message_of("ucb:dleta=0.1", small_problem());
  EXPECT_NE(message.find("policy ucb"), std::string::npos) << message;
  EXPECT_NE(message.find("did you mean 'delta'?"), std::string::npos) << message;
}

TEST(PolicyRegistry, CanonicalFormLeavesDefaultsOutAndOrdersKeys) {
  EXPECT_EQ(canonical_policy("ucb"), "ucb");
  EXPECT_EQ(canonical_policy("ucb:scale=1.0,ties=lowest"), "ucb");
  EXPECT_EQ(canonical_policy("ucb:ties=random,delta=1e-2"), "ucb:delta=0.01,ties=random");
  EXPECT_EQ(canonical_policy("fixed:arm=1_0"), "fixed:arm=10");
  EXPECT_EQ(make_policy("ucb:scale=0.50", small_problem())->text(), "ucb:scale=0.5");
}

TEST(PolicyRegistry, FormulasSpeakOfTheProblem) {
  const Problem problem = small_problem();
  ASSERT_TRUE(problem.horizon);
  EXPECT_EQ(canonical_policy("ucb:delta=1/4"), "ucb:delta=0.25");
  EXPECT_THROW(canonical_policy("ucb:delta=1/T"), Error);  // of what problem?
  EXPECT_EQ(
      make_policy("ucb:delta=1/T^2", problem)->text(),
      make_policy("ucb:delta=" + print_real(1 / std::pow(*problem.horizon, 2)), problem)->text());
  EXPECT_EQ(make_policy("fixed:arm=A-1", problem)->text(),
            "fixed:arm=" + std::to_string(problem.actions() - 1));
}

// Base learners and their coefficients are formulas' ground too.
TEST(PolicyRegistry, FormulasReachTheLearnersOfABalancer) {
  const FormulaVariables sizes{4, 2, 100};
  EXPECT_EQ(canonical_policy("db:base=(c-ucb:delta=1/T)+ucb,d=sqrt(A)+(A+1)", sizes),
            "db:base=(c-ucb:delta=0.01)+ucb,d=2+5");
  EXPECT_THROW(make_policy("db:d=2+B", small_problem()), Error);
}

TEST(PolicyRegistry, CanonicalFormIsAFixedPoint) {
  for (const char* text :
       {"ucb:ties=random,delta=1e-2,confidence=bilodeau", "hac-ucb:variant=paper,scale=0.5"}) {
    const std::string once = canonical_policy(text);
    EXPECT_EQ(canonical_policy(once), once);
  }
}

TEST(PolicyRegistry, PoliciesThatNeedAHorizonSayThatTheyHaveNone) {
  Problem problem = small_problem();
  problem.horizon.reset();
  for (const char* text : {"hac-ucb", "pe", "db", "moss"})
    EXPECT_EQ(
        message_of(text, problem),
        "policy " + std::string(text) + ": got a problem without a horizon, expected a horizon");
  for (const char* text :
       {"ucb", "c-ucb", "sentry", "ts", "c-ts", "uniform", "round-robin", "fixed"})
    EXPECT_EQ(message_of(text, problem), "no error") << text;
}

TEST(PolicyRegistry, PoliciesThatNeedMarginalsSayThatTheyHaveNone) {
  Problem problem = small_problem();
  problem.marginals = nullptr;
  for (const char* text : {"c-ucb", "hac-ucb", "c-ts"})
    EXPECT_NE(message_of(text, problem).find("a problem without given marginals"),
              std::string::npos)
        << text;
  for (const char* text : {"ucb", "ts", "uniform", "round-robin", "fixed"})
    EXPECT_EQ(message_of(text, problem), "no error") << text;
}

TEST(PolicyRegistry, ABadProblemIsRefused) {
  Problem problem = problem_of({{0.5, 0.6}, {0.25, 0.75}}, 100);
  EXPECT_NE(message_of("ucb", problem).find("marginals[0]"), std::string::npos);
  Problem empty;
  EXPECT_NE(message_of("ucb", empty).find("actions"), std::string::npos);
}

TEST(PolicyRegistry, StatesOfOtherPoliciesAndProblemsAreRefused) {
  auto ucb = make_policy("ucb", small_problem());
  const std::string saved = ucb->save();
  EXPECT_THROW(make_policy("ucb:scale=0.5", small_problem())->load(saved), Error);
  EXPECT_THROW(make_policy("ucb", problem_of({{0.5, 0.5}, {0.25, 0.75}}, 101))->load(saved), Error);
  EXPECT_THROW(make_policy("ucb", problem_of({{0.5, 0.5}, {0.5, 0.5}}, 100))->load(saved), Error);
  EXPECT_NO_THROW(make_policy("ucb:scale=1", small_problem())->load(saved));
}

// A policy of one's own, as examples/own-policy writes it.
class LastArm {
 public:
  static PolicyFacts facts() {
    return {
        .name = "test-last-arm", .summary = "the last arm", .text = "For tests.", .section = "§5"};
  }
  LastArm(const Problem& problem, const Arguments&) : arm_(problem.actions() - 1) {}
  Decision choose(Stream&) { return {arm_}; }
  void observe(Decision, Outcome, Stream&) {}
  void forget(Decision) {}
  void visit_state(StateVisitor&) {}
  Diagnostics diagnostics() const { return {}; }

 private:
  Arm arm_;
};

void register_last_arm_once() {
  static const bool done = [] {
    register_policy(policy_entry<LastArm>());
    return true;
  }();
  (void)done;
}

TEST(PolicyRegistry, OwnPoliciesCanBeRegistered) {
  register_last_arm_once();
  test::Hand hand("test-last-arm", small_problem());
  EXPECT_EQ(hand.round(0, 1), 1u);
  EXPECT_EQ(policies().back().facts.name, "test-last-arm");
  EXPECT_EQ(hand.policy->leaper(), nullptr);
}

TEST(PolicyRegistryDeathTest, ANameIsRegisteredOnce) {
  register_last_arm_once();
  EXPECT_DEATH(register_policy(policy_entry<LastArm>()), "a policy's name is new");
}

// --- Mistakes of callers

// The entry's own functions look before they build, as make_policy does.
TEST(PolicyRegistry, EntriesRefuseProblemsThatDoNotFit) {
  Problem bare;
  bare.action_names = numbered_names('a', 2);
  bare.context_names = numbered_names('z', 2);
  for (const PolicyEntry& entry : policies()) {
    const Arguments arguments("policy", TextForm::parse(entry.facts.name), entry.facts.parameters);
    EXPECT_NE(test::refusal([&] { entry.make(Problem{}, arguments); }), "(accepted)");
    if (!entry.facts.needs_horizon && !entry.facts.needs_marginals) continue;
    EXPECT_NE(test::refusal([&] { entry.make(bare, arguments); }), "(accepted)");
    if (entry.coefficient)
      EXPECT_NE(test::refusal([&] { entry.coefficient(bare, arguments); }), "(accepted)");
  }
}

TEST(PolicyRegistry, APolicyThatCannotBeMadeIsNotRegistered) {
  PolicyEntry entry;
  entry.facts.name = "test-none";
  EXPECT_DEATH(register_policy(entry), "a policy can be made");
}

// A state as it was saved, with the bytes of one list's first element replaced and the digest made
// right again.
template <class T>
std::string forged(const std::string& saved, const std::string& field, T value) {
  std::string body = saved.substr(0, saved.size() - 8);
  const std::size_t element = body.find(field) + field.size() + 8;
  std::memcpy(body.data() + element, &value, sizeof value);
  Fingerprint fingerprint;
  fingerprint.add(body);
  const std::uint64_t digest = fingerprint.value();
  return body + std::string(reinterpret_cast<const char*>(&digest), 8);
}

template <class T>
std::string told_of_forged(const std::string& policy, const std::string& field, T value) {
  test::Hand hand(policy, test::problem_of({{0.5, 0.5}, {0.25, 0.75}}, 100));
  std::vector<Decision> decisions;
  for (int i = 0; i < 3; ++i) decisions.push_back(hand.choose());
  hand.policy->forget(decisions[0]);
  hand.observe(decisions[1], 0, 0.5);
  const std::string before = hand.policy->save();
  const std::string told = test::refusal([&] { hand.policy->load(forged(before, field, value)); });
  EXPECT_EQ(hand.policy->save(), before);
  return told;
}

TEST(PolicyRegistry, StatesWithValuesOutOfRangeAreRefused) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(told_of_forged<std::uint64_t>("round-robin", "next", 2),
            "saved state, field 'next': got values that do not fit, expected a state saved by this "
            "policy");
  const auto refused = [](const std::string& told) { return told.ends_with("by this policy"); };
  EXPECT_TRUE(refused(told_of_forged("ucb", "reward_sums", kNone)));
  EXPECT_TRUE(refused(told_of_forged("sentry", "bar", kNone)));
  EXPECT_TRUE(refused(told_of_forged<std::uint32_t>("sentry", "touched", 2)));
  EXPECT_TRUE(refused(told_of_forged<std::uint32_t>("cl-ucb", "pending_row", 2)));
  EXPECT_TRUE(refused(told_of_forged("cl-ts", "factor", kNone)));
  EXPECT_TRUE(refused(told_of_forged<std::uint64_t>("hac-ucb", "lost", 2 * 4 + 1)));
  EXPECT_TRUE(refused(told_of_forged<std::uint32_t>("corral", "due_arm", 2)));
  EXPECT_TRUE(refused(told_of_forged<std::uint32_t>("corral", "due_context", 2)));
  EXPECT_TRUE(refused(told_of_forged<std::uint32_t>("pe", "lost", 2)));
  EXPECT_TRUE(refused(told_of_forged<std::uint64_t>("pe", "extra_turn", 9)));
  EXPECT_TRUE(refused(told_of_forged<std::uint64_t>("pe", "phase", 5000)));
}

TEST(PolicyRegistry, NamesCanBeTyped) {
  PolicyEntry entry = find_policy("ucb");
  for (const char* name : {"", "a:b", "a b", "a,b", "a=b"}) {
    entry.facts.name = name;
    EXPECT_DEATH(register_policy(entry), "can be typed") << name;
  }
}

}  // namespace
}  // namespace armature
