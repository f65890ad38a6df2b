#include "study/files.h"

#include <algorithm>

#include "armature/families.h"
#include "families/graph_world.h"
#include "graph/open.h"

namespace armature {
namespace {

// The values of one key of a graph; those of a key that is not written are one default.
std::vector<std::string> values_of(const GridEntry& entry, const std::string& key) {
  for (const GridAxis& axis : entry.axes)
    if (axis.key == key) return axis.values;
  return {""};
}

// In every combination of the grid: which tables are read depends on the graph. A graph without a
// file is refused by the plan, which knows all its keys.
std::vector<std::string> paths_of(const GridEntry& entry, const Files& files) {
  if (names_instance_file(entry.name, files)) return {entry.name};
  std::vector<std::string> paths;
  if (entry.name != kGraph) return paths;
  for (const std::string& file : values_of(entry, "file"))
    for (const std::string& tables : values_of(entry, "tables"))
      if (!file.empty())
        for (std::string& path : graph::graph_files(file, tables, files))
          paths.push_back(std::move(path));
  return paths;
}

// Then it is asked for nothing more: a graph that is kept takes no tables that happen to lie about
// now.
bool keeps_files_of(const Study& study, const GridEntry& entry) {
  if (entry.name != kGraph) return study.files.contains(entry.name);
  const std::vector<std::string> graphs = values_of(entry, "file");
  return std::all_of(graphs.begin(), graphs.end(),
                     [&](const std::string& path) { return study.files.contains(path); });
}

}  // namespace

void keep_files(Study& study, const Files& files) {
  for (const GridEntry& entry : study.instances) {
    if (keeps_files_of(study, entry)) continue;
    try {
      for (const std::string& path : paths_of(entry, files))
        study.files.try_emplace(path, files.read(path));
    } catch (const Error& error) {
      throw in_study(error);
    }
  }
}

Error in_study(const Error& error) {
  const ErrorReport& report = error.report();
  if (report.file.empty()) return error;
  return Error(
      {"", "instance: " + report.file + ": " + report.field, report.value, report.expected});
}

}  // namespace armature
