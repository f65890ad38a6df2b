// dlib's join tree as a witness from outside: the network after surgery, built anew from a graph's
// tables. For tests and benchmarks.
#pragma once

#include <dlib/bayes_utils.h>
#include <dlib/directed_graph.h>
#include <dlib/graph.h>
#include <dlib/graph_utils.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "armature/graph.h"

namespace armature::graph::test {

/// The network that one action leaves. Its join tree is made once; each set of evidence costs a
/// pass of messages over it.
class JoinTree {
 public:
  JoinTree(const CausalGraph& graph, const Assignment& action) : graph_(graph) {
    const auto size = static_cast<unsigned long>(graph.size());
    network_.set_number_of_nodes(size);
    std::vector<std::vector<Node>> parents(size);
    for (Node node = 0; node < size; ++node) {
      dlib::bayes_node_utils::set_node_num_values(network_, node,
                                                  graph.variable(node).states.size());
      if (!held(action, node))
        parents[node].assign(graph.dag().parents(node).begin(), graph.dag().parents(node).end());
      for (const Node parent : parents[node]) network_.add_edge(parent, node);
    }
    std::vector<std::vector<Node>> heard = parents;
    connect(heard);
    for (Node node = 0; node < size; ++node) fill(node, parents[node], heard[node], action);
    make_tree();
  }

  void make_tree() {
    dlib::create_moral_graph(network_, tree_);
    dlib::create_join_tree(tree_, tree_);
  }

  /// P(node = state | evidence), for every node and state: one pass of messages.
  std::vector<std::vector<double>> laws(const Assignment& evidence) {
    for (const auto& [other, state] : evidence) {
      dlib::bayes_node_utils::set_node_value(network_, other, state);
      dlib::bayes_node_utils::set_node_as_evidence(network_, other);
    }
    const dlib::bayesian_network_join_tree solution(network_, tree_);
    std::vector<std::vector<double>> all;
    for (Node node = 0; node < graph_.size(); ++node) {
      const auto probabilities = solution.probability(node);
      all.emplace_back(probabilities.begin(), probabilities.end());
    }
    for (const auto& [other, state] : evidence)
      dlib::bayes_node_utils::set_node_as_nonevidence(network_, other);
    return all;
  }

 private:
  using Network = dlib::directed_graph<dlib::bayes_node>::kernel_1a;
  using Members = dlib::set<unsigned long>::compare_1b;
  using Tree = dlib::graph<Members, Members>::kernel_1a;

  static const std::pair<Node, std::uint32_t>* held(const Assignment& action, Node node) {
    const auto found = std::find_if(action.begin(), action.end(),
                                    [&](const auto& pair) { return pair.first == node; });
    return found == action.end() ? nullptr : &*found;
  }

  // dlib's join trees are of connected networks, and surgery may take one apart: the first node
  // of each other part gets an arrow from node 0's part that its table does not heed.
  void connect(std::vector<std::vector<Node>>& heard) {
    std::vector<bool> reached(heard.size());
    const auto reach = [&](Node start) {
      std::vector<Node> queue{start};
      reached[start] = true;
      for (std::size_t i = 0; i < queue.size(); ++i)
        for (Node other = 0; other < heard.size(); ++other)
          if (!reached[other] &&
              (network_.has_edge(queue[i], other) || network_.has_edge(other, queue[i]))) {
            reached[other] = true;
            queue.push_back(other);
          }
    };
    reach(0);
    for (Node node = 1; node < heard.size(); ++node) {
      if (reached[node]) continue;
      reach(node);
      network_.add_edge(0, node);
      heard[node].push_back(0);
    }
  }

  void fill(Node node, const std::vector<Node>& parents, const std::vector<Node>& heard,
            const Assignment& action) {
    const std::size_t states = graph_.variable(node).states.size();
    std::vector<std::uint32_t> digits(heard.size());
    while (true) {
      dlib::assignment above;
      std::size_t row = 0;
      for (std::size_t i = 0; i < heard.size(); ++i) {
        above.add(heard[i], digits[i]);
        if (i < parents.size()) row = row * graph_.variable(parents[i]).states.size() + digits[i];
      }
      for (std::size_t state = 0; state < states; ++state) {
        const auto* set = held(action, node);
        const double probability = set != nullptr
                                       ? static_cast<double>(set->second == state)
                                       : graph_.parts().tables[node][row * states + state];
        dlib::bayes_node_utils::set_node_probability(network_, node, state, above, probability);
      }
      std::size_t at = 0;
      while (at < digits.size() && ++digits[at] == graph_.variable(heard[at]).states.size())
        digits[at++] = 0;
      if (at == digits.size()) return;
    }
  }

  const CausalGraph& graph_;
  Network network_;
  Tree tree_;
};

}  // namespace armature::graph::test
