#include "study/files.h"

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
// file is refused by the plan, which knows all its keys. Each is read once: what is looked at is
// what is kept, and a pipe has no second time.
void add_contents(const GridEntry& entry, const Files& files, FileTable& contents) {
  if (names_instance_file(entry.name, files)) {
    // A file says all there is to say: keys beside it would look as if they changed something.
    if (!entry.axes.empty())
      throw Error({"", "instance " + entry.name, "keys", "none for an instance file"});
    if (!contents.contains(entry.name)) contents[entry.name] = files.read_text(entry.name);
    return;
  }
  if (entry.name != kGraph) return;
  for (const std::string& file : values_of(entry, "file"))
    for (const std::string& tables : values_of(entry, "tables"))
      if (!file.empty()) graph::add_graph_files(file, tables, files, contents);
}

// Then the disk is asked for nothing more: a graph that is kept takes no tables that happen to lie
// about now.
bool all_kept(const FileTable& kept, const GridEntry& entry) {
  if (entry.name != kGraph) return entry.axes.empty() && kept.contains(entry.name);
  for (const char* key : {"file", "tables"})
    for (const std::string& path : values_of(entry, key))
      if (!kept.contains(path) && !(path.empty() && std::string(key) == "tables")) return false;
  return true;
}

}  // namespace

void keep_files(Study& study, const Files& files) {
  // As it was: of a graph that two instances name, each may have tables of its own.
  const FileTable before = study.files;
  for (const GridEntry& entry : study.instances) {
    if (all_kept(before, entry)) continue;
    try {
      add_contents(entry, files, study.files);
    } catch (const Error& error) {
      throw in_study(error);
    }
  }
}

Error in_study(const Error& error) {
  const ErrorReport& report = error.report();
  if (report.file.empty()) return error;
  const std::string field = report.field.empty() ? "" : ": " + report.field;
  return Error({"", "instance: " + report.file + field, report.value, report.expected});
}

}  // namespace armature
