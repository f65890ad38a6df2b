// Tables beside a graph that has none, as JSON: format "armature-tables", version 1
// (docs/formats.md, "Tables of a graph"). Every error names the field by its path.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>

#include "armature/error.h"
#include "armature/graph.h"
#include "base/json_field.h"
#include "base/json_text.h"
#include "base/text.h"
#include "graph/scanner.h"
#include "graph/tables.h"

namespace armature::graph {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;
constexpr const char* kFormat = "armature-tables";
constexpr std::size_t kMostNested = 8;  // parents whose states are written as nested objects

std::vector<std::string> names_in(const JsonField& list) {
  if (!list.json().is_array()) list.fail("a list of names");
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < list.list_size(); ++i) {
    const JsonField field = list.at(i);
    if (!field.json().is_string()) field.fail("a name");
    names.push_back(field.text());
    if (!is_name_in_files(names.back())) field.fail("a name on one line");
    if (!seen.insert(names.back()).second)
      field.fail(fmt::format("'{}' again", names.back()), "every name once");
  }
  return names;
}

// The fields of an object: JsonField itself goes through them all to find one.
class FieldsByName {
 public:
  explicit FieldsByName(const JsonField& object) : object_(object) {
    for (const auto& item : object.json().items()) fields_.emplace(item.key(), &item.value());
  }
  JsonField at(const std::string& name) const {
    const auto found = fields_.find(name);
    if (found == fields_.end()) return object_.at(name);  // which says that there is none
    return JsonField(*found->second, object_.path() + "." + name);
  }

 private:
  const JsonField& object_;
  std::unordered_map<std::string, const Json*> fields_;
};

class TablesReader {
 public:
  TablesReader(const CausalGraph& graph) : graph_(graph), parts_(graph.parts()) {}

  CausalGraph::Parts read(const JsonField& root) {
    root.only({"format", "version", "nodes"});
    if (root.at("format").json() != kFormat) root.at("format").fail(fmt::format("\"{}\"", kFormat));
    if (root.at("version").json() != kVersion)
      root.at("version").fail(fmt::format("{}, the version this armature reads", kVersion));
    const JsonField nodes = root.at("nodes");
    if (!nodes.json().is_object()) nodes.fail("an object: a field for every node");
    for (const auto& item : nodes.json().items()) graph_.node(item.key(), "nodes");
    const FieldsByName fields(nodes);
    for (Node node = 0; node < graph_.size(); ++node)
      read_states(fields.at(graph_.name(node)), node);
    parts_.tables.resize(graph_.size());
    for (Node node = 0; node < graph_.size(); ++node)
      read_table(fields.at(graph_.name(node)), node);
    sums_.warn(parts_.warnings);
    parts_.why_no_tables.clear();
    return std::move(parts_);
  }

 private:
  void read_states(const JsonField& field, Node node) {
    field.only({"states", "parents", "rows"});
    std::vector<std::string>& states = parts_.variables[node].states;
    if (!states.empty() && !field.has("states")) return;
    const std::vector<std::string> given = names_in(field.at("states"));
    if (given.empty()) field.at("states").fail("at least one state");
    if (!states.empty() && given != states)
      field.at("states").fail("those of the graph, in their order: " + join(states, ", "));
    states = given;
  }

  // The parents in the order of the rows.
  std::vector<Node> read_parents(const JsonField& field, Node node) const {
    const auto drawn = graph_.dag().parents(node);
    std::vector<std::string> names;
    for (const Node parent : drawn) names.push_back(graph_.name(parent));
    const std::string all = names.empty()
                                ? "no parents: no arrow leads to this node"
                                : "the nodes whose arrows lead here: " + join(names, ", ");
    if (!field.has("parents")) {
      if (drawn.size() > 1) field.fail("no field 'parents'", "the order of the rows, of " + all);
      return {drawn.begin(), drawn.end()};
    }
    const JsonField list = field.at("parents");
    const std::set<Node> known(drawn.begin(), drawn.end());
    std::vector<Node> parents;
    for (const std::string& name : names_in(list)) {
      const auto found = graph_.find(name);
      if (!found || !known.contains(*found))
        list.fail(in_quotes(name), all + did_you_mean(name, names));
      parents.push_back(*found);
    }
    if (parents.size() != drawn.size()) list.fail(counted(parents.size(), "parent"), all);
    return parents;
  }

  void read_table(const JsonField& field, Node node) {
    const std::vector<Node> parents = read_parents(field, node);
    const std::size_t rows = row_count(parts_.variables, parents);
    const std::size_t width = parts_.variables[node].states.size();
    if (rows > (kMostNumbers - numbers_) / width)
      field.fail(counted(parents.size(), "parent"), "tables of at most 2^24 numbers together");
    numbers_ += rows * width;
    std::vector<double> table;  // in the order of the listed parents
    const JsonField given = field.at("rows");
    if (given.json().is_object())
      read_nested(given, node, parents, 0, table);
    else
      read_listed(given, node, parents, rows, table);
    parts_.tables[node] = in_drawn_order(node, parents, table);
  }

  void read_listed(const JsonField& given, Node node, const std::vector<Node>& parents,
                   std::size_t rows, std::vector<double>& table) {
    if (!given.json().is_array())
      given.fail("a list of rows, or an object by states of the parents");
    const bool bare = parents.empty() && !(given.json().size() == 1 && given.json()[0].is_array());
    if (bare) return read_row(given, node, parents, table);
    if (given.json().size() != rows)
      given.fail(counted(given.json().size(), "row"),
                 fmt::format("{} rows, one for every joint state of the parents; the last parent "
                             "runs fastest",
                             rows));
    for (std::size_t i = 0; i < rows; ++i) read_row(given.at(i), node, parents, table);
  }

  // {"yes": {"no": [0.1, 0.9], …}, …}: state by state, in the order of the parents.
  void read_nested(const JsonField& given, Node node, const std::vector<Node>& parents,
                   std::size_t depth, std::vector<double>& table) {
    if (depth == parents.size()) return read_row(given, node, parents, table);
    const Variable& parent = parts_.variables[parents[depth]];
    if (!given.json().is_object())
      given.fail(fmt::format("an object by states of '{}'", parent.name));
    const std::set<std::string_view> known(parent.states.begin(), parent.states.end());
    for (const auto& item : given.json().items())
      if (!known.contains(item.key()))
        given.fail(in_quotes(item.key()),
                   fmt::format("a state of '{}': {}{}", parent.name, join(parent.states, ", "),
                               did_you_mean(item.key(), parent.states)));
    const FieldsByName fields(given);
    for (const std::string& state : parent.states)
      read_nested(fields.at(state), node, parents, depth + 1, table);
  }

  void read_row(const JsonField& given, Node node, const std::vector<Node>& parents,
                std::vector<double>& table) {
    const std::size_t width = parts_.variables[node].states.size();
    const std::size_t row = table.size() / width;
    const auto whose = [&] {
      const std::string states = row_words(parts_.variables, parents, row);
      return fmt::format("'{}'{}{}", graph_.name(node), states.empty() ? "" : " given ", states);
    };
    if (!given.json().is_array()) given.fail("a list of probabilities of " + whose());
    if (given.json().size() != width)
      given.fail(counted(given.json().size(), "number"),
                 fmt::format("{} for {}, one for each state", counted(width, "number"), whose()));
    for (std::size_t i = 0; i < width; ++i) {
      if (!given.json()[i].is_number() || !(given.json()[i].get<double>() >= 0))
        given.at(i).fail("a probability");
      table.push_back(given.json()[i].get<double>() + 0.0);  // -0 becomes 0
    }
    const std::span<double> numbers(table.data() + row * width, width);
    const double sum = row_sum(numbers);
    if (!RowSums::acceptable(sum))
      given.fail(fmt::format("a row of {} that sums to {:.6g}", whose(), sum),
                 "probabilities that sum to 1 within 1e-3");
    sums_.scale(numbers, sum, whose);
  }

  // Rows by the listed parents to rows by the parents as the arrows have them.
  std::vector<double> in_drawn_order(Node node, const std::vector<Node>& listed,
                                     const std::vector<double>& table) const {
    const auto drawn = graph_.dag().parents(node);
    if (std::equal(drawn.begin(), drawn.end(), listed.begin(), listed.end())) return table;
    const std::size_t width = parts_.variables[node].states.size();
    std::map<Node, std::size_t> stride;  // of a listed parent's state in the table
    std::size_t rows = 1;
    for (std::size_t i = listed.size(); i > 0; --i) {
      stride[listed[i - 1]] = rows;
      rows *= parts_.variables[listed[i - 1]].states.size();
    }
    std::vector<double> ordered;
    for (std::size_t row = 0; row < rows; ++row) {
      std::size_t rest = row;
      std::size_t from = 0;
      for (std::size_t i = drawn.size(); i > 0; --i) {
        const std::size_t states = parts_.variables[drawn[i - 1]].states.size();
        from += rest % states * stride[drawn[i - 1]];
        rest /= states;
      }
      const auto begin = table.begin() + static_cast<std::ptrdiff_t>(from * width);
      ordered.insert(ordered.end(), begin, begin + static_cast<std::ptrdiff_t>(width));
    }
    return ordered;
  }

  const CausalGraph& graph_;
  CausalGraph::Parts parts_;
  std::size_t numbers_ = 0;
  RowSums sums_;
};

std::string row_text(const double* numbers, std::size_t count) {
  std::string text = "[";
  for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "" : ", ") + print_real(numbers[i]);
  return text + "]";
}

std::string list_text(const std::vector<std::string>& names) {
  std::string text = "[";
  for (const std::string& name : names) text += (text.size() == 1 ? "" : ", ") + Json(name).dump();
  return text + "]";
}

// The rows below one state of each of the first `depth` parents.
void write_nested(const CausalGraph& graph, const std::vector<Node>& parents, std::size_t depth,
                  const double*& next, std::size_t width, std::string& out) {
  if (depth == parents.size()) {
    out += row_text(next, width);
    next += width;
    return;
  }
  const std::string pad(8 + 2 * depth, ' ');
  const char* separator = "{\n";
  for (const std::string& state : graph.variable(parents[depth]).states) {
    out += separator + pad + Json(state).dump() + ": ";
    separator = ",\n";
    write_nested(graph, parents, depth + 1, next, width, out);
  }
  out += "}";
}

std::string node_text(const CausalGraph& graph, Node node) {
  const auto drawn = graph.dag().parents(node);
  const std::vector<Node> parents(drawn.begin(), drawn.end());
  std::string out =
      fmt::format("    {}: {{\n      \"states\": {},\n", Json(graph.name(node)).dump(),
                  list_text(graph.variable(node).states));
  std::vector<std::string> names;
  for (const Node parent : parents) names.push_back(graph.name(parent));
  if (!parents.empty()) out += fmt::format("      \"parents\": {},\n", list_text(names));
  const std::size_t width = graph.variable(node).states.size();
  const std::vector<double>& table = graph.parts().tables[node];
  out += "      \"rows\": ";
  if (parents.size() <= kMostNested) {
    const double* next = table.data();
    write_nested(graph, parents, 0, next, width, out);
  } else {
    for (std::size_t at = 0; at < table.size(); at += width)
      out += (at == 0 ? "[\n        " : ",\n        ") + row_text(table.data() + at, width);
    out += "]";
  }
  return out + "\n    }";
}

}  // namespace

CausalGraph with_tables(const CausalGraph& graph, const std::string& json,
                        const std::string& source) {
  require_utf8(json, source);
  if (graph.has_tables())
    throw Error({source, "", "tables for a graph that has tables", "tables of one file alone"});
  if (!graph.parts().bidirected.empty()) {
    const Arrow& ends = graph.parts().bidirected.front();
    throw Error(
        {source, "",
         fmt::format("tables beside '{} <-> {}'", graph.name(ends.from), graph.name(ends.to)),
         "a latent node with a table of its own in place of every <->"});
  }
  const Json root = parsed_json(json, source);
  try {
    return CausalGraph(TablesReader(graph).read(JsonField(root)));
  } catch (const Error& error) {
    throw error.in_file(source);
  }
}

std::string write_tables(const CausalGraph& graph) {
  if (!graph.has_tables())
    throw Error(
        {"", "graph", "no tables (" + graph.parts().why_no_tables + ")", "a graph with tables"});
  std::string out = fmt::format("{{\n  \"format\": \"{}\",\n  \"version\": {},\n  \"nodes\": {{\n",
                                kFormat, kVersion);
  for (Node node = 0; node < graph.size(); ++node)
    out += (node == 0 ? "" : ",\n") + node_text(graph, node);
  return out + "\n  }\n}\n";
}

}  // namespace armature::graph
