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
  return path.empty() ? graph : with_tables(graph, files.read(path), files.where(path));
}

std::vector<std::string> graph_files(const std::string& file, const std::string& tables,
                                     const Files& files) {
  const CausalGraph graph = read_graph(files.read(file), files.where(file));
  std::string path = tables_path(graph, file, tables, files);
  return path.empty() ? std::vector{file} : std::vector{file, std::move(path)};
}

std::vector<Node> parse_nodes(const CausalGraph& graph, const std::string& list,
                              const std::string& field) {
  std::vector<Node> nodes;
  if (list.empty()) return nodes;
  std::size_t at = 0;
  while (true) {
    std::string name;
    if (at < list.size() && list[at] == '"') {
      const std::size_t end = list.find('"', at + 1);
      if (end == std::string::npos || (end + 1 < list.size() && list[end + 1] != ','))
        throw Error({"", field, fmt::format("'{}'", list),
                     "a name with a comma in double quotes: \"a, b\",c"});
      name = list.substr(at + 1, end - at - 1);
      at = end + 1;
    } else {
      const std::size_t end = std::min(list.find(',', at), list.size());
      name = list.substr(at, end - at);
      at = end;
    }
    if (name.empty())
      throw Error({"", field, fmt::format("'{}'", list), "names with single commas between them"});
    nodes.push_back(graph.node(name, field));
    if (at >= list.size()) return nodes;
    ++at;  // the comma
  }
}

}  // namespace armature::graph
