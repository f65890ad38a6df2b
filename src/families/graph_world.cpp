#include "families/graph_world.h"

#include <filesystem>

#include "armature/error.h"
#include "graph/open.h"
#include "graph/regime.h"

namespace armature {
namespace {

// `reward=(sales:low=0,mid=0.4)`: the parentheses only keep its commas together.
std::string without_parentheses(const std::string& text) {
  return text.starts_with('(') && text.ends_with(')') ? text.substr(1, text.size() - 2) : text;
}

// At every '+' outside parentheses. Names are no numbers: in `stage2e+dose` there is no exponent.
std::vector<std::string> split_names(const std::string& list) {
  std::vector<std::string> names;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    if (i == list.size() || (list[i] == '+' && depth == 0)) {
      names.push_back(without_parentheses(list.substr(begin, i - begin)));
      begin = i + 1;
    } else {
      depth += (list[i] == '(') - (list[i] == ')');
    }
  }
  return names;
}

std::vector<graph::Node> nodes_of(const graph::CausalGraph& graph, const Arguments& arguments,
                                  const std::string& key) {
  std::vector<graph::Node> nodes;
  if (arguments.word(key).empty()) return nodes;
  for (const std::string& name : split_names(arguments.word(key)))
    nodes.push_back(graph.node(name, key));
  return nodes;
}

// The room speaks of options of the command; here they are keys.
Error about_keys(const Error& error, const std::string& file) {
  const ErrorReport& report = error.report();
  const std::string field = report.field.starts_with("--") ? report.field.substr(2) : report.field;
  return Error({report.file.empty() ? file : report.file, field, report.value, report.expected});
}

}  // namespace

std::vector<Parameter> graph_parameters() {
  return {
      Parameter::text("file", "a file: BIF, DOT or dagitty text").help("the graph", "§8"),
      Parameter::text("tables", "a file: tables as JSON")
          .defaults_to("")
          .help("conditional tables beside a graph that has none", "§8"),
      Parameter::text("action", "nodes joined by '+'").help("what actions set", "§8"),
      Parameter::text("context", "nodes joined by '+'")
          .defaults_to("")
          .help("what is observed after acting", "§8"),
      Parameter::text("reward", "node=state, or (node:state=value,…)").help("what is earned", "§8"),
      Parameter::choice("empty", {"no", "yes"}).help("doing nothing is an action too", "§8"),
      Parameter::choice("single", {"no", "yes"}).help("one node at a time", "§8"),
      Parameter::text("latent", "nodes joined by '+'")
          .defaults_to("")
          .help("nodes nobody can observe", "§8"),
  };
}

Instance GraphWorld::instance() const {
  try {
    return graph::graph_instance(graph, question, reward,
                                 std::filesystem::path(file).stem().string());
  } catch (const Error& error) {
    throw about_keys(error, file);
  }
}

GraphWorld graph_world(const Arguments& arguments, const Files& files) {
  for (const char* key : {"file", "action", "reward"})
    if (arguments.word(key).empty())
      throw Error(
          {"", std::string("graph: ") + key, "nothing",
           "graph:file=asia.bif,action=smoke,context=lung+bronc,reward=dysp=yes or the like"});
  const std::string& file = arguments.word("file");
  graph::CausalGraph graph = graph::open_graph(file, arguments.word("tables"), files);
  try {
    graph = graph.with_latent(nodes_of(graph, arguments, "latent"));
    graph::Reward reward =
        graph::parse_reward(graph, without_parentheses(arguments.word("reward")), "reward");
    graph::Question question{
        {nodes_of(graph, arguments, "action"), arguments.is_word("empty", "yes"),
         arguments.is_word("single", "yes")},
        nodes_of(graph, arguments, "context"),
        reward.node};
    graph::check_question(graph, question);
    return {file, std::move(graph), std::move(question), std::move(reward)};
  } catch (const Error& error) {
    throw about_keys(error, files.where(file));
  }
}

std::optional<GraphWorld> graph_world(const std::string& text, const Files& files) {
  if (!text.starts_with(std::string(kGraph) + ":")) return std::nullopt;
  return graph_world(Arguments("graph", TextForm::parse(text), graph_parameters()), files);
}

}  // namespace armature
