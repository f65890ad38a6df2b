// Every registered policy, with every choice it offers, against every law.
#include "armature/conformance.h"

#include <gtest/gtest.h>

#include <deque>

#include "armature/families.h"
#include "armature/simulate.h"
#include "conformance/registered_texts.h"

namespace armature {
namespace {

class Conformance : public testing::TestWithParam<std::string> {};

TEST_P(Conformance, ObeysEveryLaw) {
  for (const ConformanceFailure& failure : check_conformance(GetParam()))
    ADD_FAILURE() << failure.law << ": " << failure.detail;
}

// The battery saves and loads between prompt rounds. Here outcomes are outstanding and some were
// lost when the state is saved: what a policy owes (a sweep play to repeat) must be in its state
// too.
class Interrupted {
 public:
  Interrupted(const std::string& text, const World& world)
      : policy_(make_policy(text, world.problem)),
        environment_(world.tables, 3, 0),
        stream_({3, 0, Purpose::kPolicy}) {}

  // Outcomes come 11 rounds late; every fourth is lost.
  Decision step() {
    const Decision decision = policy_->choose(stream_);
    waiting_.emplace_back(decision, environment_.play(decision.arm));
    if (waiting_.size() <= 11) return decision;
    const auto [late, outcome] = waiting_.front();
    waiting_.pop_front();
    if (++arrived_ % 4 == 0)
      policy_->forget(late);
    else
      policy_->observe(late, outcome, stream_);
    return decision;
  }
  // Everything but the policy itself goes on; the policy is replaced by a new one with its state.
  void replace_policy(const std::string& text, const World& world) {
    const std::string saved = policy_->save();
    policy_ = make_policy(text, world.problem);
    policy_->load(saved);
  }
  std::uint64_t digest() const { return policy_->digest(); }

 private:
  std::unique_ptr<AnyPolicy> policy_;
  Environment environment_;
  Stream stream_;
  std::deque<std::pair<Decision, Outcome>> waiting_;
  std::uint64_t arrived_ = 0;
};

TEST_P(Conformance, SavedWithOutcomesOutstandingItContinuesTheSame) {
  constexpr Round kRounds = 500;
  const World world(InstanceSource("semi-benign:actions=7", kRounds, 3).instance(0), kRounds);
  Interrupted steady(GetParam(), world);
  Interrupted interrupted(GetParam(), world);
  for (Round t = 1; t <= kRounds; ++t) {
    const Decision expected = steady.step();
    const Decision decision = interrupted.step();
    ASSERT_EQ(decision.arm, expected.arm) << "round " << t;
    ASSERT_EQ(decision.ticket, expected.ticket) << "round " << t;
    interrupted.replace_policy(GetParam(), world);
  }
  EXPECT_EQ(interrupted.digest(), steady.digest());
}

INSTANTIATE_TEST_SUITE_P(Registered, Conformance, testing::ValuesIn(test::registered_texts()),
                         test::readable_name);

TEST(RegisteredTexts, CoverEveryPolicyAndChoice) {
  const std::vector<std::string> texts = test::registered_texts();
  for (const char* expected : {"ucb",
                               "ucb:confidence=bilodeau",
                               "ucb:ties=random",
                               "c-ucb:confidence=bilodeau",
                               "hac-ucb:variant=paper",
                               "ts",
                               "c-ts",
                               "uniform",
                               "round-robin",
                               "fixed",
                               "ucb:confidence=anytime",
                               "c-ucb:confidence=anytime-kl",
                               "moss",
                               "kl-ucb",
                               "c-ucb-2",
                               "cl-ucb",
                               "cl-ts",
                               "sentry",
                               "sentry:schedule=spread",
                               "sentry:schedule=free",
                               "sentry:confidence=paper",
                               "sentry:confidence=anytime-kl",
                               "sentry:proposal=cl-ucb",
                               "sentry:rejection=off",
                               "warden",
                               "warden:schedule=free",
                               "warden:test=stratified",
                               "warden:inflight=ignore",
                               "corral",
                               "corral:variant=published",
                               "d3rb",
                               "ed2rb",
                               "db:base=c-ucb+pe+ucb",
                               "d3rb:base=pe+ts+ucb",
                               "epsilon-greedy",
                               "exp3",
                               "exp3:variant=ix",
                               "bayes-ucb",
                               "etc",
                               "floor",
                               "floor:base=ts"})
    EXPECT_EQ(std::count(texts.begin(), texts.end(), expected), 1) << expected;
}

}  // namespace
}  // namespace armature
