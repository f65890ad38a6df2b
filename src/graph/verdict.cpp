// Is the environment conditionally benign? One rule decides (the regime and the reward are
// separated given the contexts); the conditions of textbooks explain.
#include <fmt/format.h>

#include <algorithm>

#include "graph/names.h"
#include "graph/regime.h"
#include "graph/separation.h"

namespace armature::graph {
namespace {

std::vector<Node> without(const std::vector<Node>& set, const std::vector<Node>& removed) {
  std::vector<Node> rest;
  for (const Node node : set)
    if (!contains(removed, node)) rest.push_back(node);
  return rest;
}

std::vector<std::string> warnings(const CausalGraph& graph, const Question& question) {
  std::vector<std::string> said;
  const std::vector<bool> above_reward = graph.dag().ancestors({question.reward});
  for (const Node context : question.contexts) {
    if (contains(question.actions.targets, context))
      said.push_back(
          fmt::format("context '{}' is set by the actions: there is nothing to learn at "
                      "the price of the context",
                      graph.name(context)));
    if (graph.dag().ancestors({context})[question.reward])
      said.push_back(
          fmt::format("context '{}' is a consequence of the reward: it is seen only "
                      "after what it should predict",
                      graph.name(context)));
  }
  if (std::none_of(question.actions.targets.begin(), question.actions.targets.end(),
                   [&](Node target) { return above_reward[target]; }))
    said.push_back(fmt::format("no action can change '{}': nothing leads from them to it",
                               graph.name(question.reward)));
  for (std::string& warning : role_warnings(graph, question.contexts))
    said.push_back(std::move(warning));
  return said;
}

Criterion separated(const CausalGraph& graph, const Dag& dag, const std::vector<Node>& from,
                    const std::vector<Node>& to, const std::vector<Node>& given,
                    const std::string& holds, const std::string& fails) {
  const std::vector<Node> unseen = without(from, given);
  if (const auto path = active_path(dag, unseen, without(to, given), given))
    return {false, true, fails + active_words(graph, dag, *path, given)};
  // What is given is separated from everything, and that is no reason for a verdict.
  if (unseen.size() < from.size())
    return {false, false, "an action is itself a context, which separates it from everything"};
  return {true, true, holds};
}

Criterion front_door(const CausalGraph& graph, const Question& question) {
  const std::vector<Node>& targets = question.actions.targets;
  const std::vector<Node>& contexts = question.contexts;
  for (const Node context : contexts)
    if (contains(targets, context))
      return {
          false, true,
          fmt::format("front-door: context {} is set by the actions itself", graph.name(context))};
  // 1: every directed way from a target to the reward passes a context.
  const Dag without_contexts(graph.dag().size(), arrows_without(graph, contexts, false));
  const std::vector<bool> above = without_contexts.ancestors({question.reward});
  for (const Node target : targets)
    if (above[target])
      return {false, true,
              fmt::format("front-door, first condition: a directed way from {} to {} passes "
                          "no context",
                          graph.name(target), graph.name(question.reward))};
  // 2: no open back-door path from the targets to the contexts.
  const Dag behind_targets(graph.dag().size(), arrows_without(graph, targets, false));
  Criterion second = separated(graph, behind_targets, targets, contexts, {}, "",
                               "front-door, second condition: a back-door path from the actions "
                               "to the contexts: ");
  if (!second.holds) return second;
  // 3: every back-door path from the contexts to the reward is closed by the targets.
  const Dag behind_contexts(graph.dag().size(), arrows_without(graph, contexts, false));
  Criterion third = separated(graph, behind_contexts, contexts, {question.reward}, targets, "",
                              "front-door, third condition: a back-door path from the contexts to "
                              "the reward that the actions do not close: ");
  if (!third.holds) return third;
  return {true, true,
          question.actions.leaves_natural()
              ? "the front-door conditions hold (not enough where an action leaves a target "
                "natural)"
              : "the front-door conditions hold"};
}

}  // namespace

std::vector<std::string> role_warnings(const CausalGraph& graph,
                                       const std::vector<Node>& observed) {
  std::vector<std::string> said;
  for (Node node = 0; node < graph.size(); ++node) {
    if (graph.variable(node).selected)
      said.push_back(fmt::format("'{}' is marked as selected, which is not taken into account",
                                 graph.name(node)));
    if (graph.variable(node).adjusted && !contains(observed, node))
      said.push_back(
          fmt::format("'{}' is marked as adjusted in the file, but not named here as "
                      "observed: the mark is not taken into account",
                      graph.name(node)));
  }
  return said;
}

Verdict verdict(const CausalGraph& graph, const Question& question) {
  check_question(graph, question);
  const RegimeGraph acting = regime_graph(graph, question.actions);
  const std::string observed =
      question.contexts.empty() ? "with no context" : "given " + names_of(graph, question.contexts);
  const std::string& reward = graph.name(question.reward);

  Verdict verdict;
  const auto path = active_path(acting.dag, {acting.regime}, {question.reward}, question.contexts);
  verdict.benign = !path.has_value();
  if (path) {
    verdict.witness = drawn_path(graph, acting.dag, *path);
    verdict.words = fmt::format("not benign: {}, {} still depends on the action. {}", observed,
                                reward, active_words(graph, acting.dag, *path, question.contexts));
  } else {
    verdict.words = fmt::format(
        "conditionally benign: {}, {} does not depend on which action was "
        "taken",
        observed, reward);
  }
  verdict.graph =
      separated(graph, graph.dag(), question.actions.targets, {question.reward}, question.contexts,
                "actions and reward are separated in the graph", "in the graph as drawn: ");
  const Dag after_surgery(graph.dag().size(),
                          arrows_without(graph, question.actions.targets, true));
  verdict.surgery = separated(graph, after_surgery, question.actions.targets, {question.reward},
                              question.contexts,
                              "actions and reward are separated once edges into actions are cut",
                              "once edges into actions are cut: ");
  verdict.front_door = front_door(graph, question);
  verdict.warnings = warnings(graph, question);
  return verdict;
}

}  // namespace armature::graph
