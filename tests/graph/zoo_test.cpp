// Files that are wrong, each in its own way, and what is said about them: as one file, so that a
// change of words is read as a whole. Regenerate with
// ARMATURE_REGENERATE=1 unit_tests --gtest_filter='GraphZoo.*'
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "armature/error.h"
#include "armature/graph.h"
#include "base/file.h"

namespace armature::graph {
namespace {

const std::filesystem::path kFolder = std::filesystem::path(ARMATURE_SOURCE_DIR) / "tests/graph";

std::string message_about(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  const std::string text = read_file(path.string());
  try {
    if (path.extension() == ".json")
      with_tables(read_graph("{a b} -> c", "graph"), text, name);
    else
      read_graph(text, name);
  } catch (const Error& error) {
    EXPECT_EQ(error.report().file, name);
    EXPECT_FALSE(error.report().value.empty()) << name;
    EXPECT_FALSE(error.report().expected.empty()) << name;
    return error.what();
  }
  ADD_FAILURE() << name << " is read without complaint";
  return "";
}

TEST(GraphZoo, MessagesAreAsRecorded) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder / "zoo"))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  EXPECT_GE(paths.size(), 60u);
  std::string messages;
  for (const auto& path : paths) messages += message_about(path) + "\n";
  const std::string recorded = (kFolder / "zoo_messages.txt").string();
  const char* asked = std::getenv("ARMATURE_REGENERATE");
  if (asked != nullptr && std::string(asked) == "1") write_file(recorded, messages);
  EXPECT_EQ(read_file(recorded), messages);
}

}  // namespace
}  // namespace armature::graph
