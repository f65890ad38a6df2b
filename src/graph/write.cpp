// Graphs as text, each format as the programs that made it write it.
#include <fmt/format.h>

#include <algorithm>

#include "armature/error.h"
#include "armature/graph.h"
#include "base/text.h"
#include "graph/names.h"

namespace armature::graph {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

bool made_of(std::string_view text, bool (*fits)(char)) {
  return !text.empty() && std::all_of(text.begin(), text.end(), fits);
}

// ---- BIF ----------------------------------------------------------------------------------------

std::string bif_word(const std::string& text) {
  const bool bare = made_of(text, [](char c) {
    return is_letter(c) || is_digit(c) || std::string_view("-.<>=+/").find(c) != std::string::npos;
  });
  return bare && text.find("//") == std::string::npos ? text : in_double_quotes(text);
}

std::string bif_list(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + bif_word(text);
  return list;
}

void write_numbers(std::string& out, const double* numbers, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) out += (i == 0 ? " " : ", ") + print_real(numbers[i]);
  out += ";\n";
}

std::string bif_variable(const Variable& variable) {
  std::string out =
      fmt::format("variable {} {{\n  type discrete [ {} ] {{ {} }};\n", bif_word(variable.name),
                  variable.states.size(), bif_list(variable.states));
  const auto property = [&](bool is, const char* name) {
    if (is) out += fmt::format("  property {};\n", name);
  };
  property(variable.latent, "latent");
  property(variable.exposure, "exposure");
  property(variable.outcome, "outcome");
  property(variable.adjusted, "adjusted");
  property(variable.selected, "selected");
  if (variable.position)
    out += fmt::format("  property position = ({}, {});\n", print_real(variable.position->x),
                       print_real(variable.position->y));
  return out + "}\n";
}

std::string bif_probability(const CausalGraph& graph, Node node) {
  const auto all = graph.dag().parents(node);
  const std::vector<Node> parents(all.begin(), all.end());
  std::vector<std::string> names;
  for (const Node parent : parents) names.push_back(graph.name(parent));
  const std::string bar = parents.empty() ? "" : " | ";
  std::string out =
      fmt::format("probability ( {}{}{} ) {{\n", bif_word(graph.name(node)), bar, bif_list(names));
  const std::vector<double>& table = graph.parts().tables[node];
  const std::size_t width = graph.variable(node).states.size();
  std::vector<std::size_t> digits(parents.size());
  for (std::size_t row = 0; row * width < table.size(); ++row) {
    std::vector<std::string> states;
    for (std::size_t i = 0; i < parents.size(); ++i)
      states.push_back(graph.variable(parents[i]).states[digits[i]]);
    out += parents.empty() ? "  table" : "  (" + bif_list(states) + ")";
    write_numbers(out, table.data() + row * width, width);
    for (std::size_t i = parents.size(); i > 0; --i) {  // the last parent runs fastest
      if (++digits[i - 1] < graph.variable(parents[i - 1]).states.size()) break;
      digits[i - 1] = 0;
    }
  }
  return out + "}\n";
}

// ---- DOT ----------------------------------------------------------------------------------------

std::string dot_word(const std::string& text) {
  const bool bare = made_of(text, [](char c) { return is_letter(c) || is_digit(c); }) &&
                    !is_digit(text[0]) && !is_dot_keyword(text);
  return bare ? text : in_double_quotes(text);
}

// ---- dagitty ------------------------------------------------------------------------------------

bool is_bare_in_dagitty(const std::string& text) {
  const std::string_view rest = std::string_view(text).substr(text.starts_with('-') ? 1 : 0);
  return made_of(rest, [](char c) { return is_letter(c) || is_digit(c) || c == '.'; });
}

std::string dagitty_word(const std::string& text) {
  if (text == "graph" || text == "node")
    throw Error({"", "nodes", fmt::format("a node called '{}'", text),
                 "another name: dagitty's language reserves 'graph' and 'node'"});
  const bool keyword = text == "edge" || text == "subgraph";
  return is_bare_in_dagitty(text) && !keyword ? text : in_double_quotes(text);
}

std::vector<std::string> roles_of(const Variable& variable) {
  std::vector<std::string> roles;
  if (variable.exposure) roles.emplace_back("exposure");
  if (variable.outcome) roles.emplace_back("outcome");
  if (variable.adjusted) roles.emplace_back("adjusted");
  if (variable.latent) roles.emplace_back("latent");
  if (variable.selected) roles.emplace_back("selected");
  return roles;
}

std::string dagitty_node(const Variable& variable) {
  std::vector<std::string> options = roles_of(variable);
  if (variable.position)
    options.push_back(
        fmt::format("pos=\"{:.3f},{:.3f}\"", variable.position->x, variable.position->y));
  return dagitty_word(variable.name) + (options.empty() ? "" : " [" + join(options, ",") + "]");
}

std::string joined_lines(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

}  // namespace

std::string write_bif(const CausalGraph& graph) {
  if (!graph.has_tables())
    throw Error({"", "graph", "no tables (" + graph.parts().why_no_tables + ")",
                 "a graph with tables: BIF is made of them"});
  const std::string& name = graph.parts().name;
  std::string out = fmt::format("network {} {{\n}}\n", name.empty() ? "unknown" : bif_word(name));
  for (Node node = 0; node < graph.size(); ++node) out += bif_variable(graph.variable(node));
  for (Node node = 0; node < graph.size(); ++node) out += bif_probability(graph, node);
  return out;
}

std::string write_dot(const CausalGraph& graph) {
  const CausalGraph::Parts& parts = graph.parts();
  std::string out = "digraph " + (parts.name.empty() ? "" : dot_word(parts.name) + " ") + "{\n";
  for (const Variable& variable : parts.variables) {
    std::vector<std::string> options;
    for (const std::string& role : roles_of(variable)) options.push_back(role + "=yes");
    if (variable.position)  // DOT counts upwards, dagitty downwards
      options.push_back(fmt::format("pos=\"{},{}\"", print_real(variable.position->x),
                                    print_real(0.0 - variable.position->y)));
    out += fmt::format("  {}{}\n", dot_word(variable.name),
                       options.empty() ? "" : " [" + join(options, ", ") + "]");
  }
  const auto arrow = [&](const Arrow& ends, const char* looks) {
    out += fmt::format("  {} -> {}{}\n", dot_word(graph.name(ends.from)),
                       dot_word(graph.name(ends.to)), looks);
  };
  for (const Arrow& ends : parts.directed) arrow(ends, "");
  for (const Arrow& ends : parts.bidirected) arrow(ends, " [dir=both]");
  return out + "}\n";
}

std::string write_dagitty(const CausalGraph& graph) {
  const CausalGraph::Parts& parts = graph.parts();
  std::vector<std::string> nodes;
  std::vector<std::string> arrows;
  for (const Variable& variable : parts.variables) nodes.push_back(dagitty_node(variable));
  const auto arrow = [&](Node from, const char* mark, Node to) {
    arrows.push_back(fmt::format("{} {} {}", dagitty_word(graph.name(from)), mark,
                                 dagitty_word(graph.name(to))));
  };
  for (const Arrow& ends : parts.directed) arrow(ends.from, "->", ends.to);
  for (const Arrow& ends : parts.bidirected) {
    const bool in_order = graph.name(ends.from) < graph.name(ends.to);
    arrow(in_order ? ends.from : ends.to, "<->", in_order ? ends.to : ends.from);
  }
  // Sorted, as dagitty does it: unless tables stand beside, whose rows go by the order of parents.
  if (!graph.has_tables()) {
    std::vector<Node> order(graph.size());
    for (Node node = 0; node < graph.size(); ++node) order[node] = node;
    std::sort(order.begin(), order.end(),
              [&](Node a, Node b) { return graph.name(a) < graph.name(b); });
    std::vector<std::string> sorted;
    for (const Node node : order) sorted.push_back(nodes[node]);
    nodes = std::move(sorted);
    std::sort(arrows.begin(), arrows.end());
  }
  // A quoted name would make dagitty take the header for nodes.
  const bool named = !parts.name.empty() && is_bare_in_dagitty(parts.name);
  return "dag " + (named ? parts.name + " " : "") + "{\n" + joined_lines(nodes) +
         joined_lines(arrows) + "}\n";
}

}  // namespace armature::graph
