// `simulate --log`, and the logs of examples/logs, which it wrote.
#include "armature/log.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "base/file.h"
#include "support/program.h"

namespace armature::test {
namespace {

constexpr const char* kLogs = ARMATURE_SOURCE_DIR "/examples/logs";

// The ```sh block of the README, line by line.
std::string shown_commands() {
  std::istringstream lines(read_file(std::string(kLogs) + "/README.md"));
  std::string commands;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```"))
      inside = line == "```sh";
    else if (inside)
      commands += line + "\n";
  }
  return commands;
}

std::uint64_t rows_of(const std::string& file, const LogOptions& options, bool adaptive) {
  const auto log = open_log(std::string(kLogs) + "/" + file, options);
  LogRow row;
  while (log->next(row)) {
  }
  EXPECT_EQ(log->adaptive(), adaptive) << file;
  EXPECT_EQ(log->facts().rows_bad(), 0u) << file;
  return log->facts().rows_used;
}

TEST(ExampleLogs, AreWrittenByTheCommandsShown) {
  const TemporaryDirectory directory;
  for (const char* name : {"mail.json", "mail-benign.json", "campaigns.json"})
    std::filesystem::copy(std::string(kLogs) + "/" + name, directory.file(name));
  const ProgramResult result = run_shell("set -e\n" + shown_commands(), directory.path());
  ASSERT_EQ(result.status, 0) << result.err;
  for (const char* name : {"mail.csv", "mail-benign.csv", "campaigns.csv", "uniform.csv"})
    EXPECT_TRUE(read_file(directory.file(name)) == read_file(std::string(kLogs) + "/" + name))
        << name;
  // Packed bytes are those of a version of zlib; the content is not.
  EXPECT_EQ(run_shell("gzip -dc ucb.csv.gz > ours; gzip -dc " + std::string(kLogs) +
                          "/ucb.csv.gz > there; cmp ours there",
                      directory.path())
                .status,
            0);
}

TEST(ExampleLogs, AreReadWithoutABadRow) {
  LogOptions mail;
  mail.action = "campaign";
  mail.contexts = {"opened", "clicked"};
  mail.reward = "bought";
  EXPECT_EQ(rows_of("mail.csv", mail, false), 16'000u);
  EXPECT_EQ(rows_of("mail-benign.csv", mail, false), 16'000u);
  EXPECT_EQ(rows_of("campaigns.csv", {}, false), 4'000u);
  EXPECT_EQ(rows_of("uniform.csv", {}, false), 5'000u);
  EXPECT_EQ(rows_of("ucb.csv.gz", {}, true), 20'000u);
}

TEST(SimulateLog, IsTheSameForAnyNumberOfThreadsAndChangesNoResult) {
  const TemporaryDirectory directory;
  const std::string simulate =
      "armature simulate -i hidden-arm:actions=5 -p uniform -p sentry -p ts -T 300 -m 5 "
      "--delay geometric:mean=3 --loss 0.1 --format csv -q ";
  ASSERT_EQ(run_shell(simulate + "-j 1 --log one.csv > with && " + simulate +
                          "-j 4 --log four.csv > again && " + simulate + " > without",
                      directory.path())
                .status,
            0);
  EXPECT_TRUE(read_file(directory.file("one.csv")) == read_file(directory.file("four.csv")));
  EXPECT_EQ(read_file(directory.file("with")), read_file(directory.file("without")));
  const std::string log = read_file(directory.file("one.csv"));
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 8 + 3 * 5 * 300);
  EXPECT_NE(log.find("# learns: yes\n"), std::string::npos);
  EXPECT_NE(log.find("\n1,"), std::string::npos);
  EXPECT_NE(log.find("\n4500,"), std::string::npos);
}

TEST(SimulateLog, RefusesWhatIsNoLog) {
  const TemporaryDirectory directory;
  const auto refused = [&](const std::string& arguments) {
    const ProgramResult result =
        run_shell("armature simulate --log log.csv " + arguments, directory.path());
    EXPECT_EQ(result.status, 2) << arguments;
    EXPECT_TRUE(directory.listing().empty()) << arguments;
    return result.err;
  };
  EXPECT_NE(refused("-i hidden-arm -p ucb -T 1e3 --engine leap").find("--engine step"),
            std::string::npos);
  EXPECT_NE(refused("-i random-benign -p ucb -T 1e3 -m 2").find("--replications 1"),
            std::string::npos);
  EXPECT_NE(refused("-i hidden-arm -p ucb -T 1e9 -m 1").find("--yes"), std::string::npos);
  EXPECT_NE(refused("-i hidden-arm -p ucbb -T 1e3").find("did you mean"), std::string::npos);
}

TEST(SimulateLog, AFullDiskLeavesNothing) {
  const TemporaryDirectory directory;
  const ProgramResult result = run_shell(
      "armature simulate -i hidden-arm -p uniform -T 1e4 -m 1 --log /dev/full", directory.path());
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("No space left"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace armature::test
