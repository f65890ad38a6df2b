#include "browser/graph_requests.h"

#include "armature/graph.h"
#include "graph/answers.h"
#include "graph/drawing.h"
#include "graph/open.h"
#include "graph/regime.h"
#include "options/numbers.h"

namespace armature::browser {
namespace {

using graph::CausalGraph;

struct Asking {
  graph::Wanted wanted;
  std::string latent;
};

// In the command's order, in which complaints list them.
std::vector<Option> options_of(Asking& asking, Option format, std::vector<Option> more) {
  std::vector<Option> options{
      refused_option("tables", "tables in the diagram itself, as BIF has them"),
      std::move(format),
      refused_option("output", "nothing: a page has no disk"),
      {.name = "action", .target = &asking.wanted.action},
      {.name = "reward", .target = &asking.wanted.reward},
      {.name = "empty", .target = &asking.wanted.empty},
      {.name = "single", .target = &asking.wanted.single},
      {.name = "latent", .target = &asking.latent}};
  options.insert(options.end(), more.begin(), more.end());
  return with_terminal_options(std::move(options));
}

// The options of the request, and its diagram.
CausalGraph read(const Request& request, const Asking& asking, const std::vector<Option>& options) {
  constexpr const char* kText = "text";
  request.read(options, {kText});
  CausalGraph graph = graph::read_graph(request.text(kText), asking.wanted.source);
  if (asking.latent.empty()) return graph;
  return graph.with_latent(graph::parse_nodes(graph, asking.latent, "--latent"));
}

}  // namespace

std::string graph_check(const Request& request, const Progress&) {
  Asking asking;
  const CausalGraph graph =
      read(request, asking,
           options_of(asking, json_option({"table", "json"}),
                      {{.name = "context", .target = &asking.wanted.context}}));
  const auto unheard = [](const std::string&) {};  // the command says it on standard error
  return graph::check_json(
      graph, graph::check(graph, graph::wanted_question(graph, asking.wanted), unheard));
}

std::string graph_separators(const Request& request, const Progress&) {
  Asking asking;
  std::string under = "interventions", contains, avoid, most;
  const CausalGraph graph =
      read(request, asking,
           options_of(asking, json_option({"table", "json"}),
                      {{.name = "under", .target = &under, .choices = {"graph", "interventions"}},
                       {.name = "contains", .target = &contains},
                       {.name = "avoid", .target = &avoid},
                       {.name = "most", .target = &most}}));
  graph::SeparatorSearch search;
  search.under_interventions = under == "interventions";
  search.contains = graph::parse_nodes(graph, contains, "--contains");
  search.avoid = graph::parse_nodes(graph, avoid, "--avoid");
  if (!most.empty()) search.most_nodes = whole_number("--most", most, 0, UINT32_MAX);
  const graph::Question question = graph::wanted_question(graph, asking.wanted).question;
  return graph::separators_json(
      graph, graph::separators(graph, question.actions, question.reward, search));
}

std::string graph_show(const Request& request, const Progress&) {
  Asking asking;
  std::string format = "json";
  const CausalGraph graph =
      read(request, asking,
           options_of(
               asking,
               {.name = "format", .target = &format, .choices = {"json", "dot", "dagitty", "svg"}},
               {{.name = "context", .target = &asking.wanted.context}}));
  const graph::Roles roles = graph::wanted_roles(graph, asking.wanted);
  if (format == "dot") return graph::write_dot(graph);
  if (format == "dagitty") return graph::write_dagitty(graph);
  if (format == "json") return graph::show_json(graph, graph::role_warnings(graph, roles.contexts));
  graph::require_drawable(graph);
  return graph::picture(graph, roles);
}

}  // namespace armature::browser
