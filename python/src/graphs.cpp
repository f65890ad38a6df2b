// Causal graphs: questions by names, answers as dictionaries, field by field what `armature graph`
// writes as JSON; armature/graphs.py makes typed objects of them.
#include "arguments.h"
#include "armature/graph.h"
#include "bindings.h"
#include "graph/answers.h"
#include "graph/drawing.h"
#include "graph/names.h"
#include "graph/open.h"
#include "questions.h"

namespace armature::python {
namespace {

using namespace py::literals;
using graph::CausalGraph;
using graph::Node;
using Names = std::vector<std::string>;

/// A graph and what errors call it.
struct NamedGraph {
  CausalGraph graph;
  std::string source;
};

// Complaints about what was asked name the graph that it was asked of.
template <class Answer>
auto about(const NamedGraph& named, const Answer& answer) {
  try {
    return answer();
  } catch (const Error& caught) {
    const Error error = of_arguments(caught);
    throw error.report().file.empty() && !named.source.empty() ? error.in_file(named.source)
                                                               : error;
  }
}

std::vector<Node> nodes_of(const CausalGraph& graph, const Names& names, const char* field) {
  std::vector<Node> nodes;
  for (const std::string& name : names) nodes.push_back(graph.node(name, field));
  return nodes;
}

Names names_of_nodes(const CausalGraph& graph, const std::vector<Node>& nodes) {
  Names names;
  for (const Node node : nodes) names.push_back(graph.name(node));
  return names;
}

// --- What is asked -------------------------------------------------------------------------------

struct Asked {
  graph::Question question;
  graph::Reward reward;
};

// The file's exposures where no action is named, its outcome where no reward is.
graph::Actions actions_of(const CausalGraph& graph, const std::optional<Names>& action, bool empty,
                          bool single) {
  graph::Actions actions;
  actions.targets = action ? nodes_of(graph, *action, "action")
                           : graph::with_role(graph, &graph::Variable::exposure);
  if (actions.targets.empty())
    throw Error(
        {"", "action", "nothing, and no [exposure] in the graph", "the nodes that actions set"});
  actions.empty = empty;
  actions.single = single;
  return actions;
}

graph::Reward reward_of(const CausalGraph& graph, const std::optional<std::string>& reward) {
  if (reward) return graph::parse_reward(graph, *reward, "reward");
  const std::vector<Node> outcomes = graph::with_role(graph, &graph::Variable::outcome);
  if (outcomes.size() != 1)
    throw Error({"", "reward",
                 fmt::format("nothing, and {} nodes with [outcome] in the graph", outcomes.size()),
                 "the node that is the reward"});
  return graph::parse_reward(graph, graph.name(outcomes.front()), "reward");
}

Asked asked_of(const CausalGraph& graph, const std::optional<Names>& action, const Names& context,
               const std::optional<std::string>& reward, bool empty, bool single) {
  Asked asked;
  asked.reward = reward_of(graph, reward);
  asked.question = {actions_of(graph, action, empty, single), nodes_of(graph, context, "context"),
                    asked.reward.node};
  return asked;
}

// --- Answers -------------------------------------------------------------------------------------

py::dict assignment_fields(const CausalGraph& graph, const graph::Assignment& assignment) {
  py::dict fields;
  for (const auto& [node, state] : assignment)
    fields[py::str(graph.name(node))] = graph.variable(node).states[state];
  return fields;
}

py::dict separation(const NamedGraph& named, const Names& from, const Names& to,
                    const Names& given) {
  return about(named, [&] {
    const CausalGraph& graph = named.graph;
    const auto first = nodes_of(graph, from, "first"), second = nodes_of(graph, to, "second"),
               observed = nodes_of(graph, given, "given");
    if (first.empty() || second.empty())
      throw Error({"", first.empty() ? "first" : "second", "nothing", "at least one node"});
    const graph::Separation found = graph::d_separation(graph, first, second, observed);
    const std::string words =
        found.separated()
            ? fmt::format("{} and {} are d-separated given {}: every path between them is closed",
                          graph::names_of(graph, first), graph::names_of(graph, second),
                          graph::names_of(graph, observed))
            : found.words;
    return py::dict("separated"_a = found.separated(),
                    "witness"_a = graph::path_words(graph, found.witness), "words"_a = words);
  });
}

// With tables: are the laws of the reward the same? Nothing where there are none, or where they
// would not fit into memory.
std::optional<bool> benign_by_tables(const CausalGraph& graph, const Asked& asked) {
  if (!graph.has_tables()) return std::nullopt;
  graph::Reward reward = asked.reward;
  if (reward.values.empty()) {  // any worth will do, as long as no two states are worth the same
    const std::size_t states = graph.variable(reward.node).states.size();
    for (std::size_t s = 0; s < states; ++s)
      reward.values.push_back(static_cast<double>(s) /
                              static_cast<double>(std::max<std::size_t>(states - 1, 1)));
  }
  try {
    const py::gil_scoped_release free;
    return graph::graph_instance(graph, graph::do_marginals(graph, asked.question), reward, "")
        .benign_verdict()
        .benign();
  } catch (const Error&) {
    return std::nullopt;
  }
}

py::object criterion_fields(const graph::Criterion& criterion) {
  return criterion.applies ? py::object(py::bool_(criterion.holds)) : py::object(py::none());
}

py::dict verdict(const NamedGraph& named, const std::optional<Names>& action, const Names& context,
                 const std::optional<std::string>& reward, bool empty, bool single) {
  return about(named, [&] {
    constexpr std::size_t kMostSuggestions = 5;
    const CausalGraph& graph = named.graph;
    const Asked asked = asked_of(graph, action, context, reward, empty, single);
    const graph::Verdict verdict = graph::verdict(graph, asked.question);
    const std::optional<bool> by_tables = benign_by_tables(graph, asked);
    const graph::Separators found =
        graph::separators(graph, asked.question.actions, asked.question.reward, {});
    py::dict answer("benign"_a = verdict.benign,
                    "witness"_a = graph::path_words(graph, verdict.witness),
                    "words"_a = verdict.words,
                    "criteria"_a = py::dict("graph"_a = criterion_fields(verdict.graph),
                                            "surgery"_a = criterion_fields(verdict.surgery),
                                            "front_door"_a = criterion_fields(verdict.front_door)),
                    "criteria_words"_a = py::dict("graph"_a = verdict.graph.words,
                                                  "surgery"_a = verdict.surgery.words,
                                                  "front_door"_a = verdict.front_door.words));
    if (by_tables) {
      answer["benign_by_tables"] = *by_tables;
      const std::string why = graph::disagreement(verdict, *by_tables, asked.reward);
      if (!why.empty()) answer["tables_words"] = why;
    }
    py::list suggestions;
    for (std::size_t i = 0; i < std::min(found.sets.size(), kMostSuggestions); ++i)
      suggestions.append(names_of_nodes(graph, found.sets[i]));
    answer["suggestions"] = suggestions;
    answer["suggestions_words"] = found.words;
    Names warnings = graph.parts().warnings;
    warnings.insert(warnings.end(), verdict.warnings.begin(), verdict.warnings.end());
    answer["warnings"] = warnings;
    return answer;
  });
}

py::dict separators(const NamedGraph& named, const std::optional<Names>& action,
                    const std::optional<std::string>& reward, const Names& contains,
                    const Names& avoid, bool under_interventions, py::handle most, bool empty,
                    bool single) {
  return about(named, [&] {
    const CausalGraph& graph = named.graph;
    graph::SeparatorSearch search;
    search.under_interventions = under_interventions;
    search.contains = nodes_of(graph, contains, "contains");
    search.avoid = nodes_of(graph, avoid, "avoid");
    if (!most.is_none()) search.most_nodes = whole("most", most, 0, UINT32_MAX);
    const graph::Separators found = graph::separators(
        graph, actions_of(graph, action, empty, single), reward_of(graph, reward).node, search);
    py::list sets;
    for (const auto& set : found.sets) sets.append(names_of_nodes(graph, set));
    return py::dict("exists"_a = found.exists, "separators"_a = sets, "complete"_a = found.complete,
                    "words"_a = found.words);
  });
}

py::dict marginals(const NamedGraph& named, const std::optional<Names>& action,
                   const Names& context, const std::optional<std::string>& reward, bool empty,
                   bool single) {
  return about(named, [&] {
    const CausalGraph& graph = named.graph;
    const Asked asked = asked_of(graph, action, context, reward, empty, single);
    graph::DoMarginals law;
    std::optional<Instance> instance;
    {
      const py::gil_scoped_release free;
      law = graph::do_marginals(graph, asked.question);
      instance = graph::graph_instance(graph, law, asked.reward, "");
    }
    const std::size_t actions = law.actions.size(), contexts = law.contexts.size();
    py::array_t<double> nu({actions, contexts}), means({actions, contexts}), reward_means(actions);
    py::list action_list, context_list, action_names, context_names;
    for (std::size_t a = 0; a < actions; ++a) {
      action_list.append(assignment_fields(graph, law.actions[a]));
      action_names.append(graph::assignment_text(graph, law.actions[a]));
      reward_means.mutable_at(a) = instance->mean(static_cast<Arm>(a));
      for (std::size_t z = 0; z < contexts; ++z) {
        const double marginal = law.marginal(a, z);
        nu.mutable_at(a, z) = marginal;
        means.mutable_at(a, z) =
            marginal > 0 ? instance->law(static_cast<Arm>(a), static_cast<Context>(z)).mean()
                         : std::numeric_limits<double>::quiet_NaN();
      }
    }
    for (std::size_t z = 0; z < contexts; ++z) {
      context_list.append(assignment_fields(graph, law.contexts[z]));
      context_names.append(graph::assignment_text(graph, law.contexts[z]));
    }
    return py::dict("actions"_a = action_list, "contexts"_a = context_list, "marginals"_a = nu,
                    "means"_a = means, "mean_reward"_a = reward_means,
                    "action_names"_a = action_names, "context_names"_a = context_names);
  });
}

Instance instance(const NamedGraph& named, const std::optional<Names>& action, const Names& context,
                  const std::optional<std::string>& reward, bool empty, bool single,
                  const std::string& name) {
  return about(named, [&] {
    const Asked asked = asked_of(named.graph, action, context, reward, empty, single);
    const py::gil_scoped_release free;
    return graph::graph_instance(named.graph, asked.question, asked.reward, name);
  });
}

std::string svg(const NamedGraph& named, const std::optional<Names>& action, const Names& context,
                const std::optional<std::string>& reward) {
  return about(named, [&] {
    const CausalGraph& graph = named.graph;
    graph::Roles roles;
    roles.actions = action ? nodes_of(graph, *action, "action")
                           : graph::with_role(graph, &graph::Variable::exposure);
    roles.contexts = nodes_of(graph, context, "context");
    roles.rewards = reward ? std::vector{graph::parse_reward(graph, *reward, "reward").node}
                           : graph::with_role(graph, &graph::Variable::outcome);
    if (!roles.actions.empty() && roles.rewards.size() == 1) try {
        roles.witness =
            graph::verdict(graph, {{roles.actions}, roles.contexts, roles.rewards[0]}).witness;
      } catch (const Error&) {  // roles are drawn whatever they are; a path only where they make a
      }                         // question
    return graph::picture(graph, roles);
  });
}

// --- In and out ----------------------------------------------------------------------------------

py::dict parts_of(const NamedGraph& named) {
  const CausalGraph::Parts& parts = named.graph.parts();
  const auto arrows = [&](const std::vector<graph::Arrow>& list) {
    py::list result;
    for (const graph::Arrow& arrow : list)
      result.append(py::make_tuple(named.graph.name(arrow.from), named.graph.name(arrow.to)));
    return result;
  };
  py::list nodes;
  for (Node node = 0; node < named.graph.size(); ++node) {
    const graph::Variable& variable = named.graph.variable(node);
    py::dict fields("name"_a = variable.name, "states"_a = variable.states,
                    "latent"_a = variable.latent, "exposure"_a = variable.exposure,
                    "outcome"_a = variable.outcome, "adjusted"_a = variable.adjusted,
                    "selected"_a = variable.selected);
    fields["position"] =
        variable.position ? py::object(py::make_tuple(variable.position->x, variable.position->y))
                          : py::object(py::none());
    if (named.graph.has_tables()) {
      const std::vector<double>& table = parts.tables[node];
      const std::size_t states = variable.states.size();
      py::array_t<double> rows({table.size() / states, states});
      std::copy(table.begin(), table.end(), rows.mutable_data());
      fields["table"] = rows;
    }
    nodes.append(fields);
  }
  return py::dict("name"_a = parts.name, "nodes"_a = nodes, "directed"_a = arrows(parts.directed),
                  "bidirected"_a = arrows(parts.bidirected), "warnings"_a = parts.warnings,
                  "why_no_tables"_a = parts.why_no_tables);
}

NamedGraph from_parts(const py::dict& fields) {
  CausalGraph::Parts parts;
  parts.name = fields["name"].cast<std::string>();
  std::map<std::string, Node> numbers;
  bool all_tables = true;
  for (const py::handle item : fields["nodes"]) {
    const auto node = py::cast<py::dict>(item);
    graph::Variable variable;
    variable.name = node["name"].cast<std::string>();
    variable.states = node["states"].cast<Names>();
    variable.latent = node["latent"].cast<bool>();
    variable.exposure = node["exposure"].cast<bool>();
    variable.outcome = node["outcome"].cast<bool>();
    variable.adjusted = node["adjusted"].cast<bool>();
    variable.selected = node["selected"].cast<bool>();
    if (!node["position"].is_none()) {
      const auto [x, y] = node["position"].cast<std::pair<double, double>>();
      variable.position = graph::Position{x, y};
    }
    std::vector<double> table;
    if (node.contains("table") && !node["table"].is_none()) {
      const auto rows =
          py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(node["table"]);
      if (!rows || rows.ndim() != 2)
        throw Error({"", "table of '" + variable.name + "'",
                     shown(std::string(py::str(node["table"])), 80),
                     "a matrix: a row per joint state of the parents, a column per state"});
      table.assign(rows.data(), rows.data() + rows.size());
    } else {
      all_tables = false;
    }
    numbers.emplace(variable.name, static_cast<Node>(parts.variables.size()));
    parts.variables.push_back(std::move(variable));
    parts.tables.push_back(std::move(table));
  }
  if (!all_tables) {
    parts.tables.clear();
    parts.why_no_tables = "not every node has one";
  }
  const auto arrows = [&](py::handle list, std::vector<graph::Arrow>& result) {
    for (const py::handle item : list) {
      const auto [from, to] = item.cast<std::pair<std::string, std::string>>();
      for (const std::string& end : {from, to})
        if (!numbers.contains(end)) throw Error({"", "arrow", "'" + end + "'", "a node"});
      result.push_back({numbers[from], numbers[to]});
    }
  };
  arrows(fields["directed"], parts.directed);
  arrows(fields["bidirected"], parts.bidirected);
  return {CausalGraph(std::move(parts)), ""};
}

}  // namespace

void bind_graphs(py::module_& module) {
  const CheckedCall checked;
  py::class_<NamedGraph>(module, "CausalGraph")
      .def_static(
          "read",
          [](py::handle path, py::handle tables) {
            const std::string file = path_of(path, "path");
            return NamedGraph{graph::open_graph(file, tables.is_none() ? std::string()
                                                                       : path_of(tables, "tables")),
                              file};
          },
          "path"_a, "tables"_a, checked)
      .def_static(
          "parse",
          [](const std::string& text, const std::optional<std::string>& tables) {
            CausalGraph graph = graph::read_graph(text, "text");
            if (tables) graph = graph::with_tables(graph, *tables, "tables");
            return NamedGraph{std::move(graph), "text"};
          },
          "text"_a, "tables"_a, checked)
      .def_static("from_parts", &from_parts, "parts"_a, checked)
      .def("parts", &parts_of, checked)
      .def(
          "with_latent",
          [](const NamedGraph& named, const Names& latent) {
            return about(named, [&] {
              return NamedGraph{named.graph.with_latent(nodes_of(named.graph, latent, "latent")),
                                named.source};
            });
          },
          "latent"_a, checked)
      .def("separation", &separation, "first"_a, "second"_a, "given"_a, checked)
      .def("verdict", &verdict, "action"_a, "context"_a, "reward"_a, "empty"_a, "single"_a, checked)
      .def("separators", &separators, "action"_a, "reward"_a, "contains"_a, "avoid"_a,
           "under_interventions"_a, "most"_a, "empty"_a, "single"_a, checked)
      .def("marginals", &marginals, "action"_a, "context"_a, "reward"_a, "empty"_a, "single"_a,
           checked)
      .def("instance", &instance, "action"_a, "context"_a, "reward"_a, "empty"_a, "single"_a,
           "name"_a, checked)
      .def("svg", &svg, "action"_a, "context"_a, "reward"_a, checked)
      .def(
          "bif", [](const NamedGraph& named) { return graph::write_bif(named.graph); }, checked)
      .def(
          "dot", [](const NamedGraph& named) { return graph::write_dot(named.graph); }, checked)
      .def(
          "dagitty", [](const NamedGraph& named) { return graph::write_dagitty(named.graph); },
          checked)
      .def(
          "tables", [](const NamedGraph& named) { return graph::write_tables(named.graph); },
          checked);
}

}  // namespace armature::python
