// Witnessing a log equals having played it: what a policy learned in rounds of its own, a fresh one
// learns from the log of those rounds. What counts decisions is no part of that.
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "armature/families.h"
#include "armature/simulate.h"
#include "conformance/registered_texts.h"

namespace armature {
namespace {

constexpr Round kRounds = 400;

const World& binary_world() {  // rewards are 0 and 1: no coin is tossed for them
  static const World world(InstanceSource("semi-benign:actions=7", kRounds, 3).instance(0),
                           kRounds);
  return world;
}

// Fields of a state that count a policy's own decisions, or say when one was made.
const std::set<std::string> kOfDecisions{"rounds", "dispatched", "in_flight", "explorations",
                                         "rejection_round"};

// A state for people, without the fields above.
std::string learned(const AnyPolicy& policy) {
  std::istringstream dump(policy.dump());
  std::string kept;
  for (std::string line; std::getline(dump, line);)
    if (!kOfDecisions.contains(line.substr(0, line.find(' ')))) kept += line + "\n";
  return kept;
}

struct Play {
  Arm arm;
  Outcome outcome;
};

class Witness : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<AnyPolicy> player = make_policy(GetParam(), binary_world().problem);
  std::unique_ptr<AnyPolicy> witness = make_policy(GetParam(), binary_world().problem);
  Stream stream{{3, 0, Purpose::kPolicy}};

  std::vector<Play> played() {
    Environment environment(binary_world().tables, 3, 0);
    std::vector<Play> log;
    for (Round t = 0; t < kRounds; ++t) {
      const Decision decision = player->choose(stream);
      log.push_back({decision.arm, environment.play(decision.arm)});
      player->observe(decision, log.back().outcome, stream);
    }
    return log;
  }
};

TEST_P(Witness, ALogTeachesWhatPlayingItDid) {
  if (!witness->witness_obstacle().empty()) GTEST_SKIP() << witness->witness_obstacle();
  const std::string fresh = learned(*witness);
  for (const Play& play : played()) {
    ASSERT_TRUE(play.outcome.reward == 0 || play.outcome.reward == 1);
    witness->witness(play.arm, play.outcome, stream);
  }
  EXPECT_NE(learned(*witness), fresh);
  EXPECT_EQ(learned(*witness), learned(*player));
}

// Added up beforehand, cell by cell.
TEST_P(Witness, SoDoesTheLogAddedUp) {
  if (!witness->witness_obstacle().empty()) GTEST_SKIP() << witness->witness_obstacle();
  std::vector<Tally> tallies;
  for (Arm a = 0; a < binary_world().problem.actions(); ++a)
    for (Context z = 0; z < binary_world().problem.contexts(); ++z) tallies.push_back({a, z, 0, 0});
  for (const Play& play : played()) {
    Tally& tally = tallies[play.arm * binary_world().problem.contexts() + play.outcome.context];
    ++tally.plays;
    tally.rewards += play.outcome.reward;
  }
  for (const Tally& tally : tallies) witness->witness(tally, stream);
  EXPECT_EQ(learned(*witness), learned(*player));
}

INSTANTIATE_TEST_SUITE_P(Learning, Witness,
                         testing::Values("ts", "c-ts", "ucb", "moss", "kl-ucb", "c-ucb",
                                         "ucb:confidence=anytime-kl", "c-ucb:ties=random",
                                         "c-ucb-2", "hac-ucb", "epsilon-greedy", "bayes-ucb"),
                         test::readable_name);

// Where a policy cannot, it says what to do, and nothing has changed.
TEST(WitnessObstacle, SaysWhatToDoInstead) {
  Stream stream({1, 0, Purpose::kPolicy});
  for (const char* text : {"pe", "corral", "exp3", "etc", "db:base=pe+ts,d=1+1", "floor:base=pe"}) {
    const auto policy = make_policy(text, binary_world().problem);
    EXPECT_TRUE(policy->witness_obstacle().starts_with(replay_instead())) << text;
    const std::uint64_t before = policy->digest();
    EXPECT_THROW(policy->witness(0, {0, 1}, stream), Error) << text;
    EXPECT_EQ(policy->digest(), before) << text;
  }
}

}  // namespace
}  // namespace armature
