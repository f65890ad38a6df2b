#include "graph/regime.h"

#include <fmt/format.h>

#include <algorithm>

#include "armature/error.h"

namespace armature::graph {

std::vector<Arrow> arrows_without(const CausalGraph& graph, const std::vector<Node>& nodes,
                                  bool into) {
  std::vector<bool> cut(graph.dag().size());
  for (const Node node : nodes) cut[node] = true;
  std::vector<Arrow> arrows;
  for (Node child = 0; child < graph.dag().size(); ++child)
    for (const Node parent : graph.dag().parents(child))
      if (!cut[into ? child : parent]) arrows.push_back({parent, child});
  return arrows;
}

RegimeGraph regime_graph(const CausalGraph& graph, const Actions& actions) {
  std::vector<Arrow> arrows =
      arrows_without(graph, actions.leaves_natural() ? std::vector<Node>{} : actions.targets, true);
  const auto regime = static_cast<Node>(graph.dag().size());
  for (const Node target : actions.targets) arrows.push_back({regime, target});
  return {Dag(regime + 1, arrows), regime};
}

void check_actions(const CausalGraph& graph, const Actions& actions, Node reward) {
  if (actions.targets.empty())
    throw Error({"", "--action", "nothing", "at least one node that actions set"});
  for (std::size_t i = 0; i < actions.targets.size(); ++i) {
    const Node target = actions.targets[i];
    if (std::count(actions.targets.begin(), actions.targets.end(), target) > 1)
      throw Error(
          {"", "--action", fmt::format("'{}' twice", graph.name(target)), "each node once"});
    if (target == reward)
      throw Error({"", "--reward", fmt::format("'{}', which the actions set", graph.name(target)),
                   "another node"});
  }
  if (graph.variable(reward).latent)
    throw Error({"", "--reward", fmt::format("'{}', which is latent", graph.name(reward)),
                 "a node that is observed"});
}

void check_question(const CausalGraph& graph, const Question& question) {
  check_actions(graph, question.actions, question.reward);
  for (const Node context : question.contexts) {
    const std::string& name = graph.name(context);
    if (std::count(question.contexts.begin(), question.contexts.end(), context) > 1)
      throw Error({"", "--context", fmt::format("'{}' twice", name), "each node once"});
    if (context == question.reward)
      throw Error({"", "--context", fmt::format("'{}', which is the reward", name),
                   "nodes seen beside the reward"});
    if (graph.variable(context).latent)
      throw Error(
          {"", "--context", fmt::format("'{}', which is latent", name), "nodes that are observed"});
  }
}

}  // namespace armature::graph
