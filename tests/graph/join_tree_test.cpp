// Our do-marginals beside dlib's join tree: another program, another algorithm.
#include "graph/join_tree.h"

#include <gtest/gtest.h>

#include "graph/random_graphs.h"

namespace armature::graph {
namespace {

// Two targets and two contexts, anywhere in the network: a target may be a consequence of a
// context, or of the other target.
Question random_question(std::size_t size, Stream& stream) {
  std::vector<Node> drawn;
  while (drawn.size() < 4) {
    const Node node = uniform_index(stream, static_cast<std::uint32_t>(size));
    if (std::find(drawn.begin(), drawn.end(), node) == drawn.end()) drawn.push_back(node);
  }
  Question question;
  question.actions.targets = {drawn[0], drawn[1]};
  question.contexts = {drawn[2], drawn[3]};
  question.actions.empty = bernoulli(stream, 0.5);
  question.actions.single = bernoulli(stream, 0.5);
  return question;
}

// One action and one joint context: its probability by the chain rule, and with it as evidence the
// law of every other node, each in turn as our reward. How many numbers were compared.
std::size_t compare(const CausalGraph& graph, Question question, Stream& stream) {
  std::optional<std::vector<std::vector<double>>> expected;
  double probability = 0;
  std::size_t action = 0;
  std::size_t context = 0;
  std::size_t compared = 0;
  for (Node reward = 0; reward < graph.size(); ++reward) {
    const auto is_reward = [&](Node node) { return node == reward; };
    const auto among = [&](const std::vector<Node>& set) {
      return std::any_of(set.begin(), set.end(), is_reward);
    };
    if (among(question.actions.targets) || among(question.contexts)) continue;
    question.reward = reward;
    const DoMarginals found = do_marginals(graph, question);
    if (!expected) {
      action = uniform_index(stream, static_cast<std::uint32_t>(found.actions.size()));
      context = uniform_index(stream, static_cast<std::uint32_t>(found.contexts.size()));
      test::JoinTree tree(graph, found.actions[action]);
      const Assignment& seen = found.contexts[context];
      probability = tree.laws({})[seen[0].first][seen[0].second] *
                    tree.laws({seen[0]})[seen[1].first][seen[1].second];
      expected = tree.laws(seen);
    }
    EXPECT_NEAR(found.marginal(action, context), probability, 1e-13);
    for (std::size_t y = 0; y < (*expected)[reward].size(); ++y, ++compared)
      EXPECT_NEAR(found.law(action, context)[y], (*expected)[reward][y], 1e-12);
  }
  return compared;
}

std::size_t compare_networks(int count, std::size_t fewest, std::size_t most, std::uint64_t seed) {
  Stream stream({seed, 0, Purpose::kTest});
  std::size_t compared = 0;
  for (int trial = 0; trial < count; ++trial) {
    const std::size_t nodes =
        fewest + uniform_index(stream, static_cast<std::uint32_t>(most - fewest + 1));
    const CausalGraph graph = test::random_network(nodes, nodes + nodes / 4, stream);
    compared += compare(graph, random_question(nodes, stream), stream);
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << "trial " << trial;
      break;
    }
  }
  return compared;
}

TEST(JoinTree, AgreesOnNetworksOfManySizes) { EXPECT_GT(compare_networks(60, 5, 16, 31), 1000u); }

TEST(JoinTree, AgreesOnNetworksOfTheSizeOfAlarm) {
  EXPECT_GT(compare_networks(6, 37, 37, 32), 500u);  // 37 nodes, 46 arcs
}

}  // namespace
}  // namespace armature::graph
