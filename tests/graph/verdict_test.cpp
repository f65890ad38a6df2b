#include <gtest/gtest.h>

#include "armature/error.h"
#include "graph/random_graphs.h"

namespace armature::graph {
namespace {

using test::made;

// With tables from a continuum the laws of the reward given the contexts are equal for all actions
// if and only if the rule says so.
TEST(Verdict, IsTheTruthOfRandomTables) {
  Stream stream({31, 0, Purpose::kTest});
  std::size_t benign = 0;
  constexpr int kTrials = 3000;
  for (int trial = 0; trial < kTrials; ++trial) {
    const std::size_t size = 3 + uniform_index(stream, 4);
    CausalGraph::Parts parts;
    parts.variables = test::named(size);
    for (Node j = 1; j < size; ++j)
      for (Node i = 0; i < j; ++i)
        if (bernoulli(stream, 0.45)) parts.directed.push_back({i, j});
    Question question;
    question.reward = static_cast<Node>(size - 1 - uniform_index(stream, 2));
    for (Node node = 0; node < size; ++node) {
      if (node == question.reward) continue;
      const std::uint32_t role = uniform_index(stream, 4);
      if (role == 0) question.actions.targets.push_back(node);
      // Now and then what is set is seen too.
      if (role == 1 || (role == 0 && bernoulli(stream, 0.1))) question.contexts.push_back(node);
      if (role == 2 && bernoulli(stream, 0.5)) parts.variables[node].latent = true;
    }
    if (question.actions.targets.empty()) continue;
    question.actions.empty = bernoulli(stream, 0.4);
    question.actions.single = bernoulli(stream, 0.4);
    const CausalGraph graph(test::continuous_tables(std::move(parts), stream));
    Reward reward{question.reward, {}};
    for (std::size_t s = 0; s < graph.variable(question.reward).states.size(); ++s)
      reward.values.push_back(static_cast<double>(s) / 2);
    const Verdict found = verdict(graph, question);
    const bool truth = graph_instance(graph, question, reward, "").benign_verdict().benign();
    ASSERT_EQ(found.benign, truth) << "trial " << trial << ": " << found.words;
    EXPECT_EQ(found.witness.has_value(), !found.benign);
    benign += found.benign;
  }
  EXPECT_GT(benign, 500u);
  EXPECT_LT(benign, 2500u);
}

// x → z → y with a hidden common cause of x and y: the front door.
TEST(Verdict, OfTheFrontDoor) {
  const CausalGraph graph = made(3, {{0, 1}, {1, 2}}, {{0, 2}});
  const Verdict acting = verdict(graph, {{{0}, false, false}, {1}, 2});
  EXPECT_TRUE(acting.benign);
  EXPECT_TRUE(acting.front_door.holds);
  EXPECT_TRUE(acting.surgery.holds);
  EXPECT_FALSE(acting.graph.holds);
  EXPECT_EQ(acting.graph.words,
            "in the graph as drawn: n0 ↔ n2: open, because nothing stands between them");
  // Once doing nothing is an action too, x tells of the hidden cause.
  const Verdict idle = verdict(graph, {{{0}, true, false}, {1}, 2});
  EXPECT_FALSE(idle.benign);
  EXPECT_TRUE(idle.front_door.holds);
  EXPECT_EQ(idle.words,
            "not benign: given n1, n2 still depends on the action. the choice of action → n0 ↔ n2: "
            "open, because n1, a consequence of n0, is observed");
  EXPECT_EQ(idle.witness->nodes, (std::vector<Node>{0, 2}));
  EXPECT_EQ(idle.witness->marks, (std::vector<Mark>{Mark::kBoth}));
}

// An action that is a context is separated from everything, and that is no condition that holds.
TEST(Verdict, LeavesConditionsOpenThatAskNothing) {
  const CausalGraph graph = made(3, {{0, 1}, {1, 2}}, {{0, 2}});
  const Verdict seen = verdict(graph, {{{0}, true, false}, {0, 1}, 2});
  EXPECT_FALSE(seen.benign);
  EXPECT_FALSE(seen.graph.applies || seen.graph.holds);
  EXPECT_FALSE(seen.surgery.applies || seen.surgery.holds);
  EXPECT_TRUE(seen.front_door.applies);
  EXPECT_FALSE(seen.front_door.holds);
  // Of two actions one is seen, and the other has its path still.
  const Verdict half = verdict(made(3, {{0, 2}, {1, 2}}), {{{0, 1}}, {0}, 2});
  EXPECT_TRUE(half.graph.applies && half.surgery.applies);
  EXPECT_FALSE(half.graph.holds || half.surgery.holds);
}

TEST(Verdict, NamesTheConditionThatFails) {
  // x → y directly.
  EXPECT_EQ(verdict(made(3, {{0, 1}, {1, 2}, {0, 2}}), {{{0}}, {1}, 2}).front_door.words,
            "front-door, first condition: a directed way from n0 to n2 passes no context");
  // x ↔ z.
  EXPECT_EQ(verdict(made(3, {{0, 1}, {1, 2}}, {{0, 1}}), {{{0}}, {1}, 2}).front_door.words,
            "front-door, second condition: a back-door path from the actions to the contexts: "
            "n0 ↔ n1: open, because nothing stands between them");
  // z ↔ y.
  const Verdict third = verdict(made(3, {{0, 1}, {1, 2}}, {{1, 2}}), {{{0}}, {1}, 2});
  EXPECT_EQ(third.front_door.words,
            "front-door, third condition: a back-door path from the contexts to the reward that "
            "the actions do not close: n1 ↔ n2: open, because nothing stands between them");
  EXPECT_FALSE(third.benign);
}

// x moves y between two states, which may or may not be worth the same.
TEST(Verdict, SaysWhyTablesSayOtherwise) {
  const CausalGraph graph = made(3, {{0, 1}, {1, 2}});
  const Verdict open = verdict(graph, {{{0}}, {}, 2});
  const Verdict closed = verdict(graph, {{{0}}, {1}, 2});
  const Reward distinct{2, {0, 0.5, 1}};
  const Reward merged{2, {0, 1, 1}};
  EXPECT_EQ(disagreement(open, false, distinct), "");
  EXPECT_EQ(disagreement(closed, true, merged), "");
  EXPECT_NE(disagreement(open, true, distinct).find("cancels, or is not there. "),
            std::string::npos);
  EXPECT_NE(disagreement(open, true, merged).find("states that are worth the same"),
            std::string::npos);
  EXPECT_NE(disagreement(closed, false, distinct).find("is not benign all the same"),
            std::string::npos);
}

TEST(Verdict, WarnsOfOddContexts) {
  const CausalGraph graph = made(4, {{0, 1}, {1, 2}, {2, 3}});
  EXPECT_EQ(verdict(graph, {{{0}}, {0}, 2}).warnings.size(), 1u);
  EXPECT_TRUE(verdict(graph, {{{0}}, {0}, 2}).benign);
  const Verdict after = verdict(graph, {{{0}}, {1, 3}, 2});
  ASSERT_EQ(after.warnings.size(), 1u);
  EXPECT_NE(after.warnings[0].find("'n3' is a consequence of the reward"), std::string::npos);
  EXPECT_NE(verdict(graph, {{{3}}, {1}, 2}).warnings.back().find("no action can change"),
            std::string::npos);
}

TEST(Verdict, RefusesQuestionsWithoutSense) {
  const CausalGraph graph = made(3, {{0, 1}, {1, 2}});
  EXPECT_THROW(verdict(graph, {{{}}, {1}, 2}), Error);
  EXPECT_THROW(verdict(graph, {{{0, 0}}, {1}, 2}), Error);
  EXPECT_THROW(verdict(graph, {{{2}}, {1}, 2}), Error);
  EXPECT_THROW(verdict(graph, {{{0}}, {2}, 2}), Error);
  EXPECT_THROW(verdict(graph, {{{0}}, {1, 1}, 2}), Error);
  EXPECT_THROW(verdict(graph.with_latent({1}), {{{0}}, {1}, 2}), Error);
  EXPECT_THROW(verdict(graph.with_latent({2}), {{{0}}, {1}, 2}), Error);
}

}  // namespace
}  // namespace armature::graph
