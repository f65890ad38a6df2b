#include "graph/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "armature/error.h"
#include "graph/open.h"

namespace armature::graph {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostSuggestions = 5;

Json names_json(const CausalGraph& graph, const std::vector<Node>& nodes) {
  Json names = Json::array();
  for (const Node node : nodes) names.push_back(graph.name(node));
  return names;
}

Json criterion_json(const Criterion& criterion) {
  return criterion.applies ? Json(criterion.holds) : Json(nullptr);
}

// Are the laws of the reward the same? Nothing where there are no tables, or where they would not
// fit into memory.
std::optional<bool> benign_by_tables(const CausalGraph& graph, const Asked& asked,
                                     const std::function<void(const std::string&)>& say) {
  if (!graph.has_tables()) return std::nullopt;
  Reward reward = asked.reward;
  if (reward.values.empty()) {  // any worth will do, as long as no two states are worth the same
    const std::size_t states = graph.variable(reward.node).states.size();
    for (std::size_t s = 0; s < states; ++s)
      reward.values.push_back(static_cast<double>(s) /
                              static_cast<double>(std::max<std::size_t>(states - 1, 1)));
  }
  try {
    return graph_instance(graph, told_marginals(graph, asked.question, say), reward, "")
        .benign_verdict()
        .benign();
  } catch (const Error& error) {
    say(fmt::format("warning: no verdict by the tables: {}", error.what()));
    return std::nullopt;
  }
}

std::optional<Path> witness_of(const CausalGraph& graph, const Question& question) {
  try {
    return verdict(graph, question).witness;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

// ---- what was asked ----------------------------------------------------------------------------

std::vector<Node> with_role(const CausalGraph& graph, bool Variable::*role) {
  std::vector<Node> nodes;
  for (Node node = 0; node < graph.size(); ++node)
    if (graph.variable(node).*role) nodes.push_back(node);
  return nodes;
}

namespace {

Actions wanted_actions(const CausalGraph& graph, const Wanted& wanted) {
  Actions actions;
  actions.targets = wanted.action.empty() ? with_role(graph, &Variable::exposure)
                                          : parse_nodes(graph, wanted.action, "--action");
  if (actions.targets.empty())
    throw Error({wanted.source, "--action", "nothing, and no [exposure] in the file",
                 "the nodes that actions set"});
  actions.empty = wanted.empty;
  actions.single = wanted.single;
  return actions;
}

Reward wanted_reward(const CausalGraph& graph, const Wanted& wanted) {
  if (!wanted.reward.empty()) return parse_reward(graph, wanted.reward, "--reward");
  const std::vector<Node> outcomes = with_role(graph, &Variable::outcome);
  if (outcomes.size() != 1)
    throw Error({wanted.source, "--reward",
                 fmt::format("nothing, and {} nodes with [outcome] in the file", outcomes.size()),
                 "the node that is the reward"});
  return parse_reward(graph, graph.name(outcomes.front()), "--reward");
}

}  // namespace

Asked wanted_question(const CausalGraph& graph, const Wanted& wanted) {
  Asked result;
  result.reward = wanted_reward(graph, wanted);
  result.question = {wanted_actions(graph, wanted), parse_nodes(graph, wanted.context, "--context"),
                     result.reward.node};
  return result;
}

Roles wanted_roles(const CausalGraph& graph, const Wanted& wanted) {
  Roles roles;
  roles.actions = wanted.action.empty() ? with_role(graph, &Variable::exposure)
                                        : parse_nodes(graph, wanted.action, "--action");
  roles.contexts = parse_nodes(graph, wanted.context, "--context");
  if (!wanted.reward.empty())
    roles.rewards = {parse_reward(graph, wanted.reward, "--reward").node};
  else
    roles.rewards = with_role(graph, &Variable::outcome);
  if (roles.rewards.size() == 1) {
    const Actions actions{roles.actions, wanted.empty, wanted.single};
    roles.witness = witness_of(graph, {actions, roles.contexts, roles.rewards[0]});
  }
  return roles;
}

// ---- answers -----------------------------------------------------------------------------------

DoMarginals told_marginals(const CausalGraph& graph, const Question& question,
                           const std::function<void(const std::string&)>& say) {
  return do_marginals(graph, question, kMostEntries, [&](const EliminationSize& size) {
    if (size.entries > 1e6) say("the sums take " + size.words());
  });
}

Check check(const CausalGraph& graph, const Asked& asked,
            const std::function<void(const std::string&)>& say) {
  Check check;
  check.verdict = verdict(graph, asked.question);
  check.by_tables = benign_by_tables(graph, asked, say);
  if (check.by_tables)
    check.tables_words = disagreement(check.verdict, *check.by_tables, asked.reward);
  check.separators = separators(graph, asked.question.actions, asked.question.reward, {});
  const auto& sets = check.separators.sets;
  check.suggestions.assign(sets.begin(), sets.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                            sets.size(), kMostSuggestions)));
  return check;
}

std::vector<std::string> path_words(const CausalGraph& graph, const std::optional<Path>& path) {
  std::vector<std::string> words;
  if (!path) return words;
  constexpr const char* kMarks[] = {"->", "<-", "<->"};
  for (std::size_t i = 0; i < path->nodes.size(); ++i) {
    if (i > 0) words.emplace_back(kMarks[static_cast<int>(path->marks[i - 1])]);
    words.push_back(graph.name(path->nodes[i]));
  }
  return words;
}

std::string check_json(const CausalGraph& graph, const Check& check) {
  const Verdict& verdict = check.verdict;
  Json json = {{"benign", verdict.benign},
               {"witness", path_words(graph, verdict.witness)},
               {"words", verdict.words},
               {"criteria",
                {{"graph", criterion_json(verdict.graph)},
                 {"surgery", criterion_json(verdict.surgery)},
                 {"front_door", criterion_json(verdict.front_door)}}},
               {"criteria_words",
                {{"graph", verdict.graph.words},
                 {"surgery", verdict.surgery.words},
                 {"front_door", verdict.front_door.words}}}};
  if (check.by_tables) json["benign_by_tables"] = *check.by_tables;
  if (!check.tables_words.empty()) json["tables_words"] = check.tables_words;
  json["suggestions"] = Json::array();
  for (const auto& set : check.suggestions) json["suggestions"].push_back(names_json(graph, set));
  json["suggestions_words"] = check.separators.words;
  json["warnings"] = graph.parts().warnings;
  for (const std::string& warning : verdict.warnings) json["warnings"].push_back(warning);
  return json.dump(2) + "\n";
}

std::string separators_json(const CausalGraph& graph, const Separators& separators) {
  Json json = {{"exists", separators.exists}, {"separators", Json::array()}};
  for (const auto& set : separators.sets) json["separators"].push_back(names_json(graph, set));
  json["complete"] = separators.complete;
  json["words"] = separators.words;
  return json.dump(2) + "\n";
}

std::string dsep_json(const CausalGraph& graph, const Separation& separation,
                      const std::string& words) {
  return Json{{"separated", separation.separated()},
              {"witness", path_words(graph, separation.witness)},
              {"words", words}}
             .dump(2) +
         "\n";
}

std::string show_json(const CausalGraph& graph, const std::vector<std::string>& warnings) {
  const auto& parts = graph.parts();
  const auto arrows = [&](const std::vector<Arrow>& list) {
    Json json = Json::array();
    for (const Arrow& arrow : list) json.push_back({graph.name(arrow.from), graph.name(arrow.to)});
    return json;
  };
  Json json = {{"nodes", Json::array()},
               {"directed", arrows(parts.directed)},
               {"bidirected", arrows(parts.bidirected)},
               {"latent", names_json(graph, with_role(graph, &Variable::latent))},
               {"exposure", names_json(graph, with_role(graph, &Variable::exposure))},
               {"outcome", names_json(graph, with_role(graph, &Variable::outcome))},
               {"tables", graph.has_tables()}};
  for (Node node = 0; node < graph.size(); ++node) json["nodes"].push_back(graph.name(node));
  Json states = Json::object();
  for (Node node = 0; node < graph.size(); ++node)
    if (!graph.variable(node).states.empty())
      states[graph.name(node)] = graph.variable(node).states;
  if (!states.empty()) json["states"] = states;
  json["warnings"] = parts.warnings;
  for (const std::string& warning : warnings) json["warnings"].push_back(warning);
  return json.dump(2) + "\n";
}

}  // namespace armature::graph
