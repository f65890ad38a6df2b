// A terminal that fits: nothing that people read is wider than their screen, colours come only
// where they are wanted, and names cannot give orders to a terminal.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "base/display.h"
#include "base/file.h"
#include "support/program.h"

namespace armature::test {
namespace {

std::string without_styles(const std::string& text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text.compare(at, 2, "\033[") != 0) {
      plain += text[at];
      continue;
    }
    at = text.find_first_of("mK", at);
    if (at == std::string::npos) break;
  }
  return plain;
}

// The lines that are wider; empty if all fit.
std::string too_wide(const std::string& text, std::size_t columns) {
  std::istringstream lines(without_styles(text));
  std::string wide;
  for (std::string line; std::getline(lines, line);)
    if (display_width(line) > columns) wide += line + "\n";
  return wide;
}

// The names of the commands below a command, as its help lists them.
std::vector<std::string> commands_below(const std::string& command) {
  std::istringstream lines(run_armature(command + " --help").out);
  std::vector<std::string> names;
  bool listed = false;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("  "))
      listed = line == "Commands:";
    else if (listed && line[2] != ' ')
      names.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  return names;
}

void collect(const std::string& command, std::vector<std::string>& all) {
  all.push_back(command);
  for (const std::string& name : commands_below(command))
    collect(command.empty() ? name : command + " " + name, all);
}

TEST(Terminal, EveryHelpFitsEightyColumns) {
  std::vector<std::string> commands;
  collect("", commands);
  EXPECT_GT(commands.size(), 18u);  // the walk found them
  for (const std::string& command : commands) {
    const ProgramResult help = run_armature(command + " --help");
    EXPECT_EQ(help.status, 0) << command;
    EXPECT_EQ(too_wide(help.out, 80), "") << command;
    EXPECT_EQ(help.out.find('\033'), std::string::npos) << command;
    EXPECT_NE(help.out.find("--wide"), std::string::npos) << command;
  }
  for (const std::string command : {"simulate", "export"}) {
    EXPECT_EQ(too_wide(run_shell("COLUMNS=60 armature " + command + " --help", ".").out, 60), "");
    EXPECT_NE(too_wide(run_shell("COLUMNS=120 armature " + command + " --help", ".").out, 80), "");
  }
}

constexpr const char* kStudy =
    "title = 'A title that is quite long, longer than a line of eighty columns has room for, and "
    "still goes on'\nreplications = 3\nhorizons = [200, 400]\n"
    "policies = ['ucb', 'c-ucb', 'sentry', 'warden', 'db:base=c-ucb+ucb,dial=0.25', 'ts', 'moss']\n"
    "instances = ['hidden-arm', 'pareto-benign:actions=5,gap=0.1']\n";

TEST(Terminal, AdviceFitsANarrowScreen) {
  const std::string command = "armature advise -q -A 4 -Z 3 -T 500 --why";
  EXPECT_EQ(too_wide(run_shell("COLUMNS=60 " + command, ".").out, 60), "");
}

TEST(Terminal, EveryListingFitsEightyColumns) {
  const TemporaryDirectory directory;
  write_file(directory.file("s.toml"), kStudy);
  for (const std::string command :
       {"policies",
        "policies sentry",
        "policies db",
        "families",
        "families hidden-arm",
        "bounds -A 20 -Z 2 -T 1e6",
        "bounds -A 20 -Z 2 -T 1e6 --all",
        "bounds -i hidden-arm -T 1e5",
        "frontier -A 20 -Z 2 -T 1e6",
        "frontier -A 1000 -Z 50 -T 1e12 -n 3",
        "frontier -A 20 -Z 2 -T 1e6 --r1 3e4 --r2 2e5",
        "design pareto-benign:actions=12",
        "instance show random-benign:contexts=9",
        "instance show pareto-confounded",
        "advise -A 200 -Z 5 -T 1e6 --gap 0.1",
        "study check -q s.toml",
        "simulate -i pareto-benign:actions=5,gap=0.1 -T 300 -m 25 -p ucb "
        "-p db:base=c-ucb+ucb,dial=0.25,bias=printed -p sentry",
        "simulate -i hidden-arm -T 1e8 -m 3 -p ucb -p c-ucb",
        "run s.toml",
        "status runs/s",
        "run s.toml",
        "studies ."}) {
    const ProgramResult result = run_shell("armature " + command, directory.path());
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(too_wide(result.out, 80), "") << command;
    EXPECT_EQ(result.out.find('\033'), std::string::npos) << command;
  }
}

TEST(Terminal, TablesUseTheRoomThereIs) {
  const TemporaryDirectory directory;
  const std::string command = "armature bounds -A 20 -Z 2 -T 1e6";
  const std::string narrow = run_on_terminal(command, directory.path(), 80).out;
  const std::string wide = run_on_terminal(command, directory.path(), 140).out;
  EXPECT_EQ(too_wide(narrow, 80), "");
  EXPECT_EQ(narrow.find("Thm C.3"), std::string::npos);
  EXPECT_NE(narrow.find("--wide also shows: source"), std::string::npos);
  EXPECT_EQ(too_wide(wide, 140), "");
  EXPECT_NE(wide.find("Thm C.3"), std::string::npos);
  EXPECT_NE(run_armature("bounds -A 20 -Z 2 -T 1e6 --wide").out.find("Thm C.3"), std::string::npos);
  EXPECT_NE(run_armature("--wide bounds -A 20 -Z 2 -T 1e6").out.find("Thm C.3"), std::string::npos);
  // COLUMNS goes before what the terminal says, and what is no number says nothing.
  EXPECT_EQ(without_styles(run_on_terminal("COLUMNS=80 " + command, directory.path(), 140).out),
            without_styles(narrow));
  EXPECT_EQ(run_on_terminal("COLUMNS=many " + command, directory.path(), 140).out, wide);
}

TEST(Terminal, ColoursOnlyWhereTheyAreWanted) {
  const TemporaryDirectory directory;
  const auto coloured = [&](const std::string& command, bool terminal) {
    const ProgramResult result = terminal ? run_on_terminal(command, directory.path(), 80)
                                          : run_shell(command, directory.path());
    EXPECT_EQ(result.status, 0) << result.out << result.err;
    EXPECT_EQ(too_wide(result.out, 80), "") << command;
    return result.out.find("\033[1m") != std::string::npos;
  };
  EXPECT_TRUE(coloured("armature policies ucb", true));
  EXPECT_FALSE(coloured("armature policies ucb", false));
  EXPECT_FALSE(coloured("NO_COLOR=1 armature policies ucb", true));
  EXPECT_TRUE(coloured("NO_COLOR= armature policies ucb", true));  // empty is not set
  EXPECT_FALSE(coloured("TERM=dumb armature policies ucb", true));
  EXPECT_FALSE(coloured("armature policies ucb --color never", true));
  EXPECT_TRUE(coloured("armature policies ucb --color=always", false));
  EXPECT_TRUE(coloured("NO_COLOR=1 armature --color always policies ucb", false));
  EXPECT_TRUE(coloured("armature bounds --help", true));
  EXPECT_TRUE(coloured("armature bounds --color=always --help", false));
  // A file is no terminal, wherever the command was typed.
  EXPECT_FALSE(coloured("armature design hidden-arm -o file; cat file", true));
}

TEST(Terminal, ErrorsAreOneLineInAPipeAndFitATerminal) {
  const TemporaryDirectory directory;
  const std::string command = "armature simulate --wrong";
  const std::string piped = run_shell(command, directory.path()).err;
  EXPECT_EQ(std::count(piped.begin(), piped.end(), '\n'), 2) << piped;  // and where to look
  const std::string shown = run_on_terminal(command, directory.path(), 60).out;
  EXPECT_EQ(too_wide(shown, 60), "");
  EXPECT_TRUE(shown.starts_with("\033[31marmature: \033[0m")) << shown;
}

TEST(Terminal, NamesGiveNoOrders) {
  const TemporaryDirectory directory;
  write_file(directory.file("i.json"),
             R"({"format": "armature-instance", "version": 1,
                 "actions": ["a\u001b[2J", "b\nc"], "contexts": ["z", "\u202ey"],
                 "marginals": [[0.5, 0.5], [0.2, 0.8]],
                 "rewards": {"given_context": [{"bernoulli": 0.1}, {"bernoulli": 0.2}]}})");
  write_file(directory.file("s.toml"),
             "title = \"a\\u001b[2Jb\"\nreplications = 2\nhorizons = 20\npolicies = 'ucb'\n"
             "[[instances]]\ninstance = 'hidden-arm'\nlabel = \"x\\u001b[31my\"\n");
  for (const std::string command :
       {"armature instance show i.json", "armature design i.json", "armature study check -q s.toml",
        "armature run s.toml -o r; armature status r", "armature studies .",
        "armature simulate -i $'\\e[2J' -p ucb -T 5", "armature policies $'\\e[2J'",
        "armature $'\\e[2J'", "armature run $'\\e[2J.toml'"}) {
    const ProgramResult result = run_shell(command, directory.path());
    const std::string all = result.out + result.err;
    EXPECT_EQ(all.find('\033'), std::string::npos) << command << "\n" << visible(all);
    EXPECT_EQ(all.find("\u202e"), std::string::npos) << command << "\n" << visible(all);
    EXPECT_NE(all.find("\\x1b["), std::string::npos) << command << "\n" << visible(all);
  }
}

// What people see, kept as files: read the diff before you commit it. ARMATURE_REGENERATE=1 writes
// them anew.
TEST(Terminal, ScreensAreAsTheyWere) {
  const TemporaryDirectory directory;
  const std::string folder = ARMATURE_SOURCE_DIR "/tests/cli/screens/";
  const std::vector<std::pair<std::string, std::string>> commands = {
      {"bounds", "bounds -A 20 -Z 2 -T 1e6"},
      {"frontier", "frontier -A 20 -Z 2 -T 1e6 -n 3"},
      {"instance", "instance show pareto-confounded:arm=3"},
      {"family", "families rare-context"},
      {"design", "design pareto-benign:actions=6"}};
  for (const auto& [name, command] : commands) {
    const std::string line = "armature " + command;
    const std::vector<std::pair<std::string, std::string>> screens = {
        {"-80.txt", run_shell(line, directory.path()).out},
        {"-120.txt", run_shell("COLUMNS=120 " + line, directory.path()).out},
        {"-terminal.txt", run_on_terminal(line, directory.path(), 72).out}};
    for (const auto& [ending, screen] : screens) {
      const std::string file = folder + name + ending;
      if (std::getenv("ARMATURE_REGENERATE") != nullptr) write_file(file, screen);
      EXPECT_EQ(screen, read_file(file)) << file;
    }
    EXPECT_EQ(too_wide(screens[0].second, 80), "");
    EXPECT_EQ(too_wide(screens[1].second, 120), "");
    EXPECT_EQ(too_wide(screens[2].second, 72), "");
  }
}

// Counts and percentage speak of the same: every line is checked, and the line fits.
TEST(Terminal, ProgressAgreesWithItself) {
  const TemporaryDirectory directory;
  const ProgramResult result = run_on_terminal(
      "armature simulate -i hidden-arm -p ucb -p moss -p uniform -T 2e4 -m 300 -j 1",
      directory.path(), 50);
  ASSERT_EQ(result.status, 0) << result.out;
  std::size_t lines = 0;
  const std::string redraw = "\r\033[K";
  for (std::size_t at = result.out.find(redraw); at != std::string::npos;
       at = result.out.find(redraw, at + 1)) {
    const std::size_t start = at + redraw.size();
    const std::string line =
        result.out.substr(start, result.out.find_first_of("\r\n", start) - start);
    unsigned long done = 0, total = 0, percent = 0;
    if (std::sscanf(line.c_str(), "%lu of %lu replications (%lu%%)", &done, &total, &percent) != 3)
      continue;
    ++lines;
    EXPECT_EQ(total, 900u);
    EXPECT_EQ(percent, 100 * done / total);
    EXPECT_LT(display_width(line), 50u) << line;
  }
  EXPECT_GT(lines, 0u);
}

}  // namespace
}  // namespace armature::test
