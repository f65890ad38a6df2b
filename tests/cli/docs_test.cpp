// The documents tell the truth: every command shown in a ```sh block runs, and generated pages are
// fresh.
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "base/file.h"
#include "support/program.h"

namespace armature::test {
namespace {

struct Shown {
  std::string document;
  std::string command;
};

// Lines of ```sh blocks, joined where they end in a backslash. `make` and `git` lines are run by
// people and by CI; everything else is run here.
std::vector<Shown> shown_commands() {
  std::vector<std::string> documents{ARMATURE_SOURCE_DIR "/README.md",
                                     ARMATURE_SOURCE_DIR "/HACKING.md"};
  for (const auto& entry : std::filesystem::directory_iterator(ARMATURE_SOURCE_DIR "/docs"))
    if (entry.path().extension() == ".md") documents.push_back(entry.path().string());
  std::vector<Shown> commands;
  for (const std::string& document : documents) {
    std::istringstream lines(read_file(document));
    std::string line, joined;
    bool inside = false;
    while (std::getline(lines, line)) {
      if (line.starts_with("```")) {
        inside = line == "```sh";
        continue;
      }
      if (!inside || line.empty() || line.starts_with("#")) continue;
      joined += line;
      if (joined.ends_with('\\')) {
        joined.pop_back();
        continue;
      }
      if (!joined.starts_with("make") && !joined.starts_with("git ") && !joined.starts_with("cd "))
        commands.push_back({std::filesystem::path(document).filename().string(), joined});
      joined.clear();
    }
  }
  return commands;
}

TEST(Docs, EveryShownCommandRuns) {
  const TemporaryDirectory directory;  // shared: later commands may use what earlier ones wrote
  const auto commands = shown_commands();
  EXPECT_GT(commands.size(), 5u);
  for (const Shown& shown : commands) {
    const ProgramResult result = run_shell(shown.command, directory.path());
    EXPECT_EQ(result.status, 0) << shown.document << ": " << shown.command << "\n" << result.err;
  }
}

TEST(Docs, GeneratedPagesAreFresh) {
  for (const char* page : {"policies", "families"})
    EXPECT_EQ(run_armature(std::string(page) + " --format markdown").out,
              read_file(std::string(ARMATURE_SOURCE_DIR "/docs/") + page + ".md"))
        << "run `make docs`";
}

}  // namespace
}  // namespace armature::test
