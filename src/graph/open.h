// Graphs and nodes as command lines and text forms name them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "armature/files.h"
#include "armature/graph.h"

namespace armature::graph {

/// Reads the file, and beside a structure-only one its tables: those named, or else
/// NAME.tables.json where it exists ("mail.dag" and "mail.tables.json"). Those beside it that
/// cannot be read are left out with a warning; those named throw.
CausalGraph open_graph(const std::string& file, const std::string& tables, const Files& files = {});
/// The files that this reads, each read once: the graph's, and that of its tables if it takes any.
/// Those that are among `contents` are taken from there.
void add_graph_files(const std::string& file, const std::string& tables, const Files& files,
                     FileTable& contents);

/// A name in double quotes that begins at `at`, a quote in it doubled; `at` moves behind it.
/// Nothing if it has no end.
std::optional<std::string> quoted_name(const std::string& text, std::size_t& at);

/// "a, b,"c, d"": a name with a comma in double quotes, a quote in it doubled; blanks around names
/// do not count. Nothing is the empty list.
std::vector<Node> parse_nodes(const CausalGraph& graph, const std::string& list,
                              const std::string& field);

}  // namespace armature::graph
