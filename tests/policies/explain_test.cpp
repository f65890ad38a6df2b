// What policies tell of their next choice is what the choice compares: the largest index is played,
// and a look changes nothing. Nothing here is left to chance: seeds are fixed, every check is
// exact.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <set>

#include "armature/families.h"
#include "armature/simulate.h"
#include "conformance/registered_texts.h"
#include "policies/small_problems.h"

namespace armature {
namespace {

using test::Hand;
using test::problem_of;

constexpr Round kHorizon = 300;

const Insight* find(const Insights& told, const std::string& name) {
  const auto found = std::find_if(told.begin(), told.end(),
                                  [&](const Insight& insight) { return insight.name == name; });
  return found == told.end() ? nullptr : &*found;
}
const std::vector<double>& values(const Insights& told, const std::string& name) {
  const Insight* found = find(told, name);
  if (found) return found->values;
  ADD_FAILURE() << "no " << name;
  static const std::vector<double> none;
  return none;
}

bool goes_by_index(const Insights& told) {
  const Insight* by_index = find(told, "by_index");
  return find(told, "index") && (!by_index || by_index->values.front() == 1);
}

void expect_well_formed(const Insights& told, const Problem& problem) {
  std::set<std::string> names;
  std::set<std::size_t> learners;
  for (const auto& [name, of, numbers, yes_or_no] : told) {
    EXPECT_TRUE(names.insert(name).second) << name << " is told twice";
    if (of == Insight::Of::kActions) {
      EXPECT_EQ(numbers.size(), problem.actions()) << name;
    }
    if (of == Insight::Of::kContexts) {
      EXPECT_EQ(numbers.size(), problem.contexts()) << name;
    }
    if (of == Insight::Of::kPolicy) {
      EXPECT_EQ(numbers.size(), 1u) << name;
    }
    if (of == Insight::Of::kLearners) learners.insert(numbers.size());
    for (const double value : numbers) {
      EXPECT_FALSE(std::isnan(value)) << name;
      EXPECT_TRUE(!yes_or_no || value == 0 || value == 1) << name;
    }
  }
  EXPECT_LE(learners.size(), 1u) << "one number for each learner";
}

class Explained : public testing::TestWithParam<std::string> {
 protected:
  // Every round is explained before it is chosen; a twin that nobody looks at plays the same. So
  // many rounds went by the index.
  Round play(const std::string& family, std::size_t delay) {
    const World world{InstanceSource(family, kHorizon, 5).instance(0), kHorizon};
    const auto policy = make_policy(GetParam(), world.problem);
    const auto twin = make_policy(GetParam(), world.problem);
    Environment environment{world.tables, 5, 0};
    Stream stream{{5, 0, Purpose::kPolicy}};
    Stream twins_stream{{5, 0, Purpose::kPolicy}};
    std::deque<std::pair<Decision, Outcome>> waiting;
    Round by_index = 0;
    for (Round round = 0; round < kHorizon && !HasFailure(); ++round) {
      SCOPED_TRACE(testing::Message() << family << ", delay " << delay << ", round " << round);
      const std::uint64_t digest = policy->digest();
      const Insights told = policy->explain();
      EXPECT_EQ(policy->digest(), digest);
      expect_well_formed(told, world.problem);
      const Decision decision = policy->choose(stream);
      EXPECT_EQ(twin->choose(twins_stream).arm, decision.arm);
      if (goes_by_index(told)) {
        expect_largest(values(told, "index"), decision.arm);
        ++by_index;
      }
      waiting.emplace_back(decision, environment.play(decision.arm));
      if (waiting.size() <= delay) continue;
      const auto [due, outcome] = waiting.front();
      waiting.pop_front();
      if (delay > 0 && round % 9 == 8) {
        policy->forget(due);
        twin->forget(due);
      } else {
        policy->observe(due, outcome, stream);
        twin->observe(due, outcome, twins_stream);
      }
    }
    EXPECT_EQ(policy->digest(), twin->digest());
    return by_index;
  }

 private:
  void expect_largest(const std::vector<double>& index, Arm chosen) const {
    const auto best = std::max_element(index.begin(), index.end());
    EXPECT_EQ(index[chosen], *best);
    // Warden's equals are told apart by its watch.
    const bool lowest =
        GetParam().find("ties=random") == std::string::npos && !GetParam().starts_with("warden");
    EXPECT_TRUE(!lowest || chosen == static_cast<Arm>(best - index.begin()));
  }
};

// Policies that go by an index in most rounds at the latest when they have begun.
bool is_index_policy(const std::string& text) {
  static const std::set<std::string> names{"ucb",     "moss",   "kl-ucb",  "bayes-ucb", "c-ucb",
                                           "c-ucb-2", "cl-ucb", "hac-ucb", "sentry",    "warden"};
  return names.contains(text.substr(0, text.find(':')));
}

TEST_P(Explained, TheLargestIndexIsPlayed) {
  for (const char* family : {"semi-benign:actions=7", "hidden-arm:actions=6"})
    for (const std::size_t delay : {0u, 5u}) {
      const Round by_index = play(family, delay);
      EXPECT_TRUE(!is_index_policy(GetParam()) || by_index > kHorizon / 4) << family;
    }
}

INSTANTIATE_TEST_SUITE_P(Policies, Explained, testing::ValuesIn(test::registered_texts()),
                         test::readable_name);

const std::vector<std::vector<double>> kThreeArms{{1, 0}, {0, 1}, {0.5, 0.5}};

// |A| = 3, T = 8, δ = 1/8: L = log(2·3·8·8) = 5.9506, w(1) = 1.7249, w(2) = 1.2197.
TEST(Explain, UcbByHand) {
  Hand hand("ucb", problem_of(kThreeArms, 8));
  hand.round(0, 1);
  hand.round(0, 0);
  const Insights told = hand.policy->explain();
  EXPECT_EQ(values(told, "mean"), (std::vector<double>{0.5, 0, 0}));
  EXPECT_NEAR(values(told, "width")[0], 1.2197, 1e-4);
  EXPECT_NEAR(values(told, "width")[2], 1.7249, 1e-4);
  EXPECT_NEAR(values(told, "index")[0], 1.7197, 1e-4);
}

TEST(Explain, CausalIndicesAreSumsOverContexts) {
  Hand hand("c-ucb", problem_of(kThreeArms, 8));
  hand.round(1, 1);
  const Insights told = hand.policy->explain();
  const auto& contexts = values(told, "context_index");
  EXPECT_EQ(values(told, "index"),
            (std::vector<double>{contexts[0], contexts[1], 0.5 * contexts[0] + 0.5 * contexts[1]}));
  EXPECT_EQ(values(told, "context_mean"), (std::vector<double>{0, 1}));
  EXPECT_EQ(values(told, "mean"), (std::vector<double>{0, 1, 0.5}));
}

TEST(Explain, CandidatesReachTheBar) {
  Hand hand("sentry:budget=1,rejection=off,scale=0.1", problem_of(kThreeArms, 1000));
  for (int t = 0; t < 200; ++t) hand.round(t % 2, t % 2);
  const Insights told = hand.policy->explain();
  const double bar = values(told, "bar").front();
  const auto& candidate = values(told, "candidate");
  for (Arm a = 0; a < 3; ++a) {
    EXPECT_EQ(candidate[a] == 1, values(told, "upper")[a] >= bar) << a;
    EXPECT_TRUE(candidate[a] == 1 || values(told, "index")[a] == -INFINITY) << a;
  }
  EXPECT_TRUE(find(told, "candidate")->yes_or_no);
}

TEST(Explain, PosteriorsOfThompson) {
  Hand hand("ts", problem_of(kThreeArms, 8));
  hand.witness(1, 0, 1);
  const Insights told = hand.policy->explain();
  EXPECT_EQ(values(told, "mean"), (std::vector<double>{0.5, 2.0 / 3, 0.5}));
  EXPECT_EQ(values(told, "successes"), (std::vector<double>{0, 1, 0}));
}

// The next round is the least level's, or potential's.
TEST(Explain, LearnersOfBalancers) {
  Hand hand("db:base=c-ucb+ucb", problem_of(kThreeArms, 100));
  for (int t = 0; t < 20; ++t) hand.round(t % 2, 1);
  const Insights told = hand.policy->explain();
  EXPECT_EQ(values(told, "active"), (std::vector<double>{1, 1}));
  const auto& plays = values(told, "learner_plays");
  EXPECT_EQ(plays[0] + plays[1], 20);
  EXPECT_EQ(values(told, "learner_rewards"), plays);
  const auto& level = values(told, "learner_level");
  const std::size_t next = level[1] < level[0] ? 1 : 0;
  hand.round(0, 1);
  EXPECT_EQ(values(hand.policy->explain(), "learner_plays")[next], plays[next] + 1);
}

TEST(Explain, PhasesOfElimination) {
  Hand hand("pe", problem_of(kThreeArms, 100));
  const Insights told = hand.policy->explain();
  EXPECT_EQ(values(told, "active"), (std::vector<double>{1, 1, 1}));
  EXPECT_EQ(values(told, "phase").front(), 1);
}

// A floor's base is explained, but nobody knows whether it will be asked.
TEST(Explain, AFloorSpeaksForItsBase) {
  const Problem problem = problem_of(kThreeArms, 100);
  const Insights base = Hand("ucb", problem).policy->explain();
  const Insights told = Hand("floor:base=ucb", problem).policy->explain();
  EXPECT_EQ(values(told, "index"), values(base, "index"));
  EXPECT_EQ(values(told, "by_index").front(), 0);
  EXPECT_EQ(find(base, "by_index"), nullptr);
}

TEST(Explain, WhoHasNothingToTellTellsNothing) {
  EXPECT_TRUE(Hand("uniform", problem_of(kThreeArms, 8)).policy->explain().empty());
}

}  // namespace
}  // namespace armature
