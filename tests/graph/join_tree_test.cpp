// Our do-marginals beside dlib's join tree: another program, another algorithm.
#include "graph/join_tree.h"

#include <gtest/gtest.h>

#include "graph/random_graphs.h"

namespace armature::graph {
namespace {

// Two targets, two contexts and the reward, anywhere in the network: a target may be a
// consequence of the reward, or of the other target.
Question random_question(std::size_t size, Stream& stream) {
  std::vector<Node> drawn;
  while (drawn.size() < 5) {
    const Node node = uniform_index(stream, static_cast<std::uint32_t>(size));
    if (std::find(drawn.begin(), drawn.end(), node) == drawn.end()) drawn.push_back(node);
  }
  Question question;
  question.actions.targets = {drawn[0], drawn[1]};
  question.contexts = {drawn[2], drawn[3]};
  question.reward = drawn[4];
  question.actions.empty = bernoulli(stream, 0.5);
  question.actions.single = bernoulli(stream, 0.5);
  return question;
}

// How many numbers were compared.
std::size_t compare(const CausalGraph& graph, const Question& question) {
  const DoMarginals found = do_marginals(graph, question);
  std::size_t compared = 0;
  for (std::size_t a = 0; a < found.actions.size(); ++a) {
    test::JoinTree tree(graph, found.actions[a]);
    for (std::size_t z = 0; z < found.contexts.size(); ++z) {
      const auto expected = test::ask(tree, found.contexts[z], question.reward);
      EXPECT_NEAR(found.marginal(a, z), expected.probability, 1e-13);
      for (std::size_t y = 0; y < expected.reward.size(); ++y, ++compared)
        EXPECT_NEAR(found.law(a, z)[y], expected.reward[y], 1e-12);
    }
  }
  return compared;
}

TEST(JoinTree, AgreesOnNetworksOfManySizes) {
  Stream stream({31, 0, Purpose::kTest});
  std::size_t compared = 0;
  for (int trial = 0; trial < 30; ++trial) {
    const std::size_t nodes = 5 + uniform_index(stream, 16);
    const CausalGraph graph = test::random_network(nodes, nodes + nodes / 4, stream);
    compared += compare(graph, random_question(nodes, stream));
    if (HasFailure()) FAIL() << "trial " << trial;
  }
  EXPECT_GT(compared, 2000u);
}

TEST(JoinTree, AgreesOnNetworksOfTheSizeOfAlarm) {
  Stream stream({32, 0, Purpose::kTest});
  std::size_t compared = 0;
  for (int trial = 0; trial < 6; ++trial) {
    const CausalGraph graph = test::random_network(37, 46, stream);
    compared += compare(graph, random_question(37, stream));
    if (HasFailure()) FAIL() << "trial " << trial;
  }
  EXPECT_GT(compared, 300u);
}

}  // namespace
}  // namespace armature::graph
