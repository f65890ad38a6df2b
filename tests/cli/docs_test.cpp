// The documents tell the truth: every command shown in a ```sh block runs, on the files shown in
// ```toml blocks; so does the Python; and generated pages are fresh.
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "base/file.h"
#include "support/postgres_server.h"
#include "support/program.h"
#include "support/studies.h"

namespace armature::test {
namespace {

struct Shown {
  std::string document;
  std::string command;
};

std::vector<std::string> documents() {
  std::vector<std::string> paths{ARMATURE_SOURCE_DIR "/README.md",
                                 ARMATURE_SOURCE_DIR "/HACKING.md"};
  for (const auto& entry : std::filesystem::directory_iterator(ARMATURE_SOURCE_DIR "/docs"))
    if (entry.path().extension() == ".md") paths.push_back(entry.path().string());
  return paths;
}

// The ``` blocks of a language, line by line.
std::vector<std::vector<std::string>> blocks(const std::string& document,
                                             const std::string& language) {
  std::vector<std::vector<std::string>> found;
  bool inside = false;
  std::istringstream lines(read_file(document));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) {
      inside = line == "```" + language;
      if (inside) found.emplace_back();
    } else if (inside) {
      found.back().push_back(line);
    }
  }
  return found;
}

// Lines of ```sh blocks, joined where they end in a backslash. `make` and `git` lines are run by
// people and by CI; everything else is run here.
std::vector<Shown> shown_commands() {
  std::vector<Shown> commands;
  for (const std::string& document : documents())
    for (const std::vector<std::string>& block : blocks(document, "sh")) {
      std::string joined;
      for (const std::string& line : block) {
        if (line.empty() || line.starts_with("#")) continue;
        joined += line;
        if (joined.ends_with('\\')) {
          joined.pop_back();
          continue;
        }
        if (!joined.starts_with("make") && !joined.starts_with("git ") &&
            !joined.starts_with("cd "))
          commands.push_back({std::filesystem::path(document).filename().string(), joined});
        joined.clear();
      }
    }
  return commands;
}

// A ```toml block that begins with `# NAME.toml` is that file.
void write_shown_files(const TemporaryDirectory& directory) {
  for (const std::string& document : documents())
    for (const std::vector<std::string>& block : blocks(document, "toml")) {
      std::string content;
      for (const std::string& line : block) content += line + "\n";
      if (!block.empty() && block.front().starts_with("# ") && block.front().ends_with(".toml"))
        write_file(directory.file(block.front().substr(2)), content);
    }
  for (const char* folder : {"studies", "examples"})
    std::filesystem::create_directory_symlink(std::string(ARMATURE_SOURCE_DIR "/") + folder,
                                              directory.file(folder));
}

TEST(Docs, EveryShownCommandRuns) {
  const TemporaryDirectory directory;  // shared: later commands may use what earlier ones wrote
  write_shown_files(directory);
  const auto commands = shown_commands();
  EXPECT_GT(commands.size(), 5u);
  for (const Shown& shown : commands) {
    const ProgramResult result = run_shell(shown.command, directory.path());
    EXPECT_EQ(result.status, 0) << shown.document << ": " << shown.command << "\n" << result.err;
  }
}

TEST(Docs, TheShownPythonReadsAnExportedStudy) {
  const auto snippets = blocks(ARMATURE_SOURCE_DIR "/docs/formats.md", "python");
  ASSERT_EQ(snippets.size(), 1u);
  std::string code;
  for (const std::string& line : snippets.front()) code += line + "\n";
  const TemporaryDirectory directory;
  write_file(directory.file("small.toml"), kSmallStudy);
  write_file(directory.file("snippet.py"), code);
  const ProgramResult result = run_shell(
      "armature run small.toml -o run -q && armature export run --to csv && "
      "/usr/bin/python3 snippet.py",
      directory.path());
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("balancer"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("high95"), std::string::npos) << result.out;
}

// A service beside what is typed: $address is where it listens.
ProgramResult run_beside_service(const std::string& typed, const TemporaryDirectory& directory) {
  write_file(directory.file("typed.sh"),
             "armature serve store --listen 127.0.0.1:0 >listening 2>journal & service=$!\n"
             "trap 'kill $service' EXIT\n"
             "until grep -q http listening; do kill -0 $service; sleep 0.05; done\n"
             "address=$(sed 's|.*http://||' listening)\n" +
                 typed);
  return run_shell("bash -e typed.sh", directory.path());
}

// The walk of docs/service.md: its ```bash blocks are typed one after the other, and every line of
// its ```json blocks, up to …, is answered.
TEST(Docs, TheWalkThroughTheServiceIsAsShown) {
  const std::string document = ARMATURE_SOURCE_DIR "/docs/service.md";
  std::string typed;
  for (const std::vector<std::string>& block : blocks(document, "bash"))
    for (std::string line : block) {
      const std::string shown_address = "127.0.0.1:8600";
      if (const std::size_t place = line.find(shown_address); place != std::string::npos)
        line.replace(place, shown_address.size(), "$address");
      typed += line + "\n";
    }
  const TemporaryDirectory directory;
  const ProgramResult result = run_beside_service(typed, directory);
  EXPECT_EQ(result.status, 0) << result.out << result.err;
  std::size_t answers = 0;
  for (const std::vector<std::string>& block : blocks(document, "json"))
    for (const std::string& line : block) {
      const std::string shown = line.substr(0, line.find("…"));
      EXPECT_NE(result.out.find(shown), std::string::npos) << line << "\nis not in\n" << result.out;
      ++answers;
    }
  EXPECT_GT(answers, 10u);
}

// "Several machines": its ```shell blocks are typed as they stand, but for the database, which is
// one of the test's own, the ports, which are whatever is free, and the lease, which is short.
TEST(Docs, TheNodesOfTheServiceWorkAsShown) {
  PostgresServer server;
  std::string typed = "set -m\ntrap 'kill -9 $(jobs -p) 2>/dev/null || true' EXIT\n";
  for (const std::vector<std::string>& block :
       blocks(ARMATURE_SOURCE_DIR "/docs/service.md", "shell"))
    for (const std::string& line : block) typed += line + "\n";
  const auto replace = [&](const std::string& shown, const std::string& instead) {
    std::size_t times = 0;
    for (std::size_t at = typed.find(shown); at != typed.npos;
         at = typed.find(shown, at + instead.size()), ++times)
      typed.replace(at, shown.size(), instead);
    EXPECT_GT(times, 0u) << shown;
  };
  replace("postgresql://armature@db.example.org/armature", "'" + server.url() + "'");
  // Nobody has it yet: the same may be free twice.
  const unsigned short first = free_port();
  unsigned short second = free_port();
  while (second == first) second = free_port();
  replace("127.0.0.1:8601", "127.0.0.1:" + std::to_string(first));
  replace("127.0.0.1:8602", "127.0.0.1:" + std::to_string(second));
  replace(" --node", " --lease 1s --node");
  const TemporaryDirectory directory;
  std::filesystem::create_directory_symlink(ARMATURE_SOURCE_DIR "/examples",
                                            directory.file("examples"));
  write_file(directory.file("typed.sh"), typed);
  const ProgramResult result = run_shell("bash -e typed.sh", directory.path());
  EXPECT_EQ(result.status, 0) << result.out << result.err;
  for (const char* words : {"has armature's tables now", "Armature-Owner: http://127.0.0.1:",
                            "\"repeated\":true", "as logged", "demo-mail: "})
    EXPECT_NE(result.out.find(words), std::string::npos) << words << "\n" << result.out;
}

TEST(Docs, TheClientsOfTheServiceWork) {
  const TemporaryDirectory directory;
  const std::string examples = ARMATURE_SOURCE_DIR "/examples/service";
  const ProgramResult result = run_beside_service(
      "bash " + examples + "/curl.sh http://$address\n/usr/bin/python3 " + examples +
          "/client.py http://$address\nservice_client ${address%:*} ${address#*:}\n",
      directory);
  EXPECT_EQ(result.status, 0) << result.out << result.err;
  for (const char* words : {"visitor 10 gets", "learned", "110 decisions", "it is \"learned\""})
    EXPECT_NE(result.out.find(words), std::string::npos) << words << "\n" << result.out;
}

TEST(Docs, GeneratedPagesAreFresh) {
  for (const char* page : {"policies", "families"})
    EXPECT_EQ(run_armature(std::string(page) + " --format markdown").out,
              read_file(std::string(ARMATURE_SOURCE_DIR "/docs/") + page + ".md"))
        << "run `make docs`";
}

}  // namespace
}  // namespace armature::test
