// The help of every command ends in examples of its own, and they run.
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <sstream>

#include "support/postgres_server.h"
#include "support/program.h"

namespace armature::test {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The lines after a heading, up to the next empty one.
std::vector<std::string> section(const std::string& help, const std::string& heading) {
  std::vector<std::string> found;
  bool inside = false;
  for (const std::string& line : lines_of(help)) {
    if (inside && line.empty()) break;
    if (inside) found.push_back(line);
    inside = inside || line == heading;
  }
  return found;
}

std::string help_of(const std::string& command) {
  const ProgramResult result = run_armature(command + " --help");
  EXPECT_EQ(result.status, 0) << command << result.err;
  return result.out;
}

// "simulate", "instance", "instance show", …: whatever the help lists, and what stands below it.
// `command` by value: the list it stands in grows.
void add_commands_below(std::string command, std::vector<std::string>& commands) {
  for (const std::string& line : section(help_of(command), "Commands:")) {
    // Names stand two columns in; what is farther in goes on with the line above.
    if (!line.starts_with("  ") || line.starts_with("   ")) continue;
    std::string name;
    std::istringstream(line) >> name;
    commands.push_back(command.empty() ? name : command + " " + name);
    add_commands_below(commands.back(), commands);
  }
}

std::vector<std::string> all_commands() {
  std::vector<std::string> commands;
  add_commands_below("", commands);
  return commands;
}

// Joined where they end in a backslash.
std::vector<std::string> examples_of(const std::string& command) {
  std::vector<std::string> examples;
  bool goes_on = false;
  for (std::string line : section(help_of(command), "Examples:")) {
    const bool ends_here = !line.ends_with('\\');
    if (!ends_here) line.pop_back();
    const std::string text = line.substr(std::min(line.size(), line.find_first_not_of(' ')));
    if (goes_on)
      examples.back() += text;
    else
      examples.push_back(text);
    goes_on = !ends_here;
  }
  return examples;
}

std::size_t columns(const std::string& line) {
  std::size_t count = 0;
  for (const char c : line) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
  return count;
}

// A line that was too long leaves a stump behind; an example, a line that goes on elsewhere.
TEST(Help, HasNoCrookedLines) {
  for (const std::string& command : all_commands()) {
    const std::vector<std::string> lines = lines_of(help_of(command));
    for (std::size_t i = 1; i + 1 < lines.size(); ++i) {
      const bool stump = columns(lines[i]) < 12 && !lines[i].empty() && !lines[i].ends_with(':') &&
                         !lines[i].starts_with(' ') && !lines[i - 1].empty() &&
                         !lines[i + 1].empty();
      EXPECT_FALSE(stump) << command << ": " << lines[i];
      const auto goes_on = [&](std::size_t line) { return lines[line].ends_with('\\'); };
      const bool goes_astray =
          goes_on(i - 1) && goes_on(i) &&
          lines[i].find_first_not_of(' ') != lines[i + 1].find_first_not_of(' ');
      EXPECT_FALSE(goes_astray) << command << ": " << lines[i + 1];
    }
  }
}

class HelpExamples : public testing::TestWithParam<std::string> {};

TEST_P(HelpExamples, AreTwoOfItsOwnAndRun) {
  const std::string& command = GetParam();
  for (const std::string& line : section(help_of(command), "Examples:"))
    EXPECT_LE(columns(line), 80u) << line;
  const std::vector<std::string> examples = examples_of(command);
  EXPECT_GE(examples.size(), 2u) << command << " --help shows no two examples";

  const TemporaryDirectory directory;
  for (const char* folder : {"studies", "examples"})
    std::filesystem::create_directory_symlink(std::string(ARMATURE_SOURCE_DIR "/") + folder,
                                              directory.file(folder));
  // Who looks at runs finds those that the examples of `run` leave.
  const auto about_runs = [](const std::string& line) {
    return line.find(" runs/") != std::string::npos && line.find("--out runs/") == line.npos;
  };
  // And who looks after a service, the one that the examples of `serve` leave.
  const auto about_services = [](const std::string& line) {
    return line.find("-service") != std::string::npos;
  };
  std::vector<std::string> lines = examples;
  const auto find_what = [&](const std::string& leaves, const auto& about) {
    if (command == leaves || std::none_of(examples.begin(), examples.end(), about)) return;
    const std::vector<std::string> before = examples_of(leaves);
    lines.insert(lines.begin(), before.begin(), before.end());
  };
  const auto about_exports = [](const std::string& line) {
    return line.find(" mail.jsonl") != std::string::npos;
  };
  find_what("run", about_runs);
  find_what("service export", about_exports);
  find_what("serve", about_services);
  for (const std::string& example : examples)
    EXPECT_TRUE(example.starts_with("armature " + command + " ") ||
                example == "armature " + command)
        << example << " is no example of " << command;
  // Databases of examples are nobody's: a server of our own stands in for them.
  std::optional<PostgresServer> server;
  for (std::string line : lines) {
    if (const std::size_t begin = line.find("postgresql://"); begin != line.npos) {
      if (!server) server.emplace();
      const std::size_t end = std::min(line.find_first_of(" \"", begin), line.size());
      line.replace(begin, end - begin, "'" + server->url() + "'");
      std::erase(line, '"');
    }
    const ProgramResult result = run_shell(line, directory.path());
    EXPECT_EQ(result.status, 0) << line << "\n" << result.err;
  }
}

std::string readable_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), ' ', '_');
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Commands, HelpExamples, testing::ValuesIn(all_commands()), readable_name);

TEST(Help, WalksAllCommands) {
  const std::vector<std::string> commands = all_commands();
  for (const char* known : {"simulate", "demo", "instance show", "study check", "completion"})
    EXPECT_EQ(std::count(commands.begin(), commands.end(), known), 1) << known;
}

}  // namespace
}  // namespace armature::test
