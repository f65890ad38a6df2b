#include "graph/open.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "armature/error.h"

namespace armature::graph {

namespace {

// Where the graph's tables are; empty: in the graph itself, or nowhere.
std::string tables_path(const CausalGraph& graph, const std::string& file,
                        const std::string& tables, const Files& files) {
  if (!tables.empty()) {
    if (graph.has_tables())
      throw Error({files.where(file), "--tables", fmt::format("'{}'", tables),
                   "no other tables: the file has its own"});
    return tables;
  }
  if (graph.has_tables()) return "";
  const std::string beside = std::filesystem::path(file).replace_extension(".tables.json").string();
  return files.has(beside) ? beside : "";
}

}  // namespace

CausalGraph open_graph(const std::string& file, const std::string& tables, const Files& files) {
  CausalGraph graph = read_graph(files.read(file), files.where(file));
  const std::string path = tables_path(graph, file, tables, files);
  if (path.empty()) return graph;
  try {
    return with_tables(graph, files.read(path), files.where(path));
  } catch (const Error& error) {
    if (!tables.empty()) throw;
    // Nobody asked for what lies beside it, and the graph answers without.
    CausalGraph::Parts parts = graph.parts();
    parts.why_no_tables = error.what();
    parts.warnings.push_back(fmt::format("tables are left out: {}", error.what()));
    return CausalGraph(std::move(parts));
  }
}

void add_graph_files(const std::string& file, const std::string& tables, const Files& files,
                     FileTable& contents) {
  const auto content = [&](const std::string& path) -> const std::string& {
    const auto known = contents.find(path);
    return known != contents.end() ? known->second : contents[path] = files.read(path);
  };
  const CausalGraph graph = read_graph(content(file), files.where(file));
  const std::string path = tables_path(graph, file, tables, files);
  if (!path.empty()) content(path);
}

std::optional<std::string> quoted_name(const std::string& text, std::size_t& at) {
  std::string name;
  for (++at; at < text.size(); ++at) {
    if (text[at] != '"') {
      name += text[at];
    } else if (at + 1 < text.size() && text[at + 1] == '"') {
      name += text[at++];
    } else {
      ++at;
      return name;
    }
  }
  return std::nullopt;
}

std::vector<Node> parse_nodes(const CausalGraph& graph, const std::string& list,
                              const std::string& field) {
  std::vector<Node> nodes;
  if (list.empty()) return nodes;
  const auto skip_blanks = [&](std::size_t at) {
    return std::min(list.find_first_not_of(' ', at), list.size());
  };
  for (std::size_t at = 0;; ++at) {  // from comma to comma
    at = skip_blanks(at);
    std::string name;
    if (at < list.size() && list[at] == '"') {
      const auto quoted = quoted_name(list, at);
      at = skip_blanks(at);
      if (!quoted || (at < list.size() && list[at] != ','))
        throw Error({"", field, fmt::format("'{}'", list),
                     "a name with a comma in double quotes: \"a, b\",c"});
      name = *quoted;
    } else {
      const std::size_t end = std::min(list.find(',', at), list.size());
      name = list.substr(at, end - at);
      name.erase(name.find_last_not_of(' ') + 1);
      at = end;
    }
    if (name.empty())
      throw Error({"", field, fmt::format("'{}'", list), "names with single commas between them"});
    nodes.push_back(graph.node(name, field));
    if (at == list.size()) return nodes;
  }
}

}  // namespace armature::graph
