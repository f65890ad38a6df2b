// Published results from the command line: written, listed with their verdicts, reported on.
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/refusal.h"
#include "support/program.h"
#include "support/studies.h"

namespace armature::test {
namespace {

constexpr const char* kQuestion = R"(
[[verdicts]]
name = "does ucb learn?"
rule = "slope"
policy = "ucb"
high = 1.5
)";

class PublishedCommand : public testing::Test {
 protected:
  PublishedCommand() {
    write_file(directory_.file("small.toml"),
               "horizons = [50, 100, 200]\n" + without_horizons() + kQuestion);
    const ProgramResult made = shell(
        "mkdir results && armature run small.toml -q && "
        "armature export runs/small --published --to results/small.json && rm -r runs");
    EXPECT_EQ(made.status, 0) << made.err;
    EXPECT_EQ(made.out, "results/small.json\n");
  }
  static std::string without_horizons() {
    std::string toml = kSmallStudy;
    return toml.erase(toml.find("horizons"), sizeof "horizons = [50, 200]");
  }
  ProgramResult shell(const std::string& command) { return run_shell(command, directory_.path()); }
  TemporaryDirectory directory_;
};

TEST_F(PublishedCommand, VerdictsComeFromTheFileAlone) {
  const ProgramResult result = shell("armature studies . --results results");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "  does ucb learn?\n    does not ")) << result.out;
  EXPECT_FALSE(contains(result.out, "not as it was published")) << result.out;
}

TEST_F(PublishedCommand, SaysWhatWasAskedAfterTheData) {
  write_file(directory_.file("small.toml"),
             read_file(directory_.file("small.toml")) + kQuestion + "low = 0.1\n");
  const ProgramResult result = shell("armature studies . --results results");
  EXPECT_TRUE(contains(result.out, "not as it was published: asked after the data")) << result.out;
  // Run and published again it is answered, and late for good.
  const ProgramResult again = shell(
      "armature run small.toml -q && armature export runs/small --published --to "
      "results/small.json && armature studies . --results results --format json");
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_TRUE(contains(again.out, "\"late\": true")) << again.out;
}

TEST_F(PublishedCommand, SaysWhatWasChangedAfterTheData) {
  ASSERT_EQ(shell("sed -i 's/high = 1.5/high = 2.5/' small.toml").status, 0);
  const ProgramResult listed = shell("armature studies . --results results");
  EXPECT_TRUE(contains(listed.out, "'does ucb learn?' is gone or asks something else"))
      << listed.out;
  const ProgramResult again = shell(
      "armature run small.toml -q && armature export runs/small --published --to "
      "results/small.json");
  EXPECT_EQ(again.status, 2);
  EXPECT_TRUE(contains(again.err, "results/small.json: questions: got others")) << again.err;
}

// A file that reads well and cannot be judged, beside one that cannot be read and one that is well.
TEST_F(PublishedCommand, OneBadFileDoesNotHideTheOthers) {
  write_file(
      directory_.file("unjudged.toml"),
      "figures = [\"final\"]\n" + read_file(directory_.file("small.toml")) + "per = \"1/(A-1)\"\n");
  const ProgramResult made = shell(
      "armature run unjudged.toml -q && "
      "armature export runs/unjudged --published --to results/unjudged.json && "
      "sed -i 's/\"actions\":4/\"actions\":1/' results/unjudged.json && "
      "cp small.toml broken.toml && echo '{' > results/broken.json");
  ASSERT_EQ(made.status, 0) << made.err;
  const ProgramResult listed = shell("armature studies . --results results");
  EXPECT_EQ(listed.status, 2) << listed.err;  // but a script notices
  EXPECT_TRUE(
      contains(listed.out, "  results/broken.json: line 2, column 1: got the end of the text, "))
      << listed.out;
  EXPECT_TRUE(contains(listed.out, "  results/unjudged.json: formula: ")) << listed.out;
  EXPECT_TRUE(contains(listed.out, "  does ucb learn?\n    does not ")) << listed.out;
  // A page that is to be read by others lacks nothing, or is not written.
  const ProgramResult page =
      shell("armature studies . --results results --format markdown --output page.md");
  EXPECT_EQ(page.status, 2);
  EXPECT_TRUE(
      contains(page.err, "results/broken.json: line 2, column 1: got the end of the text, "))
      << page.err;
  EXPECT_NE(shell("test -e page.md").status, 0);
}

TEST_F(PublishedCommand, FoldersMustBeThere) {
  for (const char* option : {"--results", "--pictures"})
    for (const char* path : {"nowhere", "small.toml"}) {
      const ProgramResult result =
          shell(std::string("armature studies . --format markdown ") + option + " " + path);
      EXPECT_EQ(result.status, 2);
      EXPECT_TRUE(contains(result.err, std::string(path) + ": " + option + ": got no folder"))
          << result.err;
    }
}

// Reading it back first would wait for ever; `timeout` only ends a test that has failed.
TEST_F(PublishedCommand, MayGoIntoAPipe) {
  const ProgramResult result = shell(
      "armature run small.toml -q && timeout 60 armature export runs/small --published --to "
      "/dev/stdout | cat > piped && head -n -1 piped | cmp - results/small.json");
  EXPECT_EQ(result.status, 0) << result.out << result.err;
}

TEST_F(PublishedCommand, ChosenCellsNeedTheirSearch) {
  write_file(directory_.file("searched.toml"),
             read_file(directory_.file("small.toml")) + "[search]\nreplications = 2\n");
  const ProgramResult searched =
      shell("armature run searched.toml -q && armature export runs/searched --published");
  EXPECT_EQ(searched.status, 0) << searched.err;
  write_file(directory_.file("chosen.toml"),
             read_file(directory_.file("searched.toml")) + "chosen = [0, 1]\n");
  const ProgramResult chosen =
      shell("armature run chosen.toml -q && armature export runs/chosen --published");
  EXPECT_EQ(chosen.status, 2);
  EXPECT_TRUE(contains(chosen.err, "runs/chosen: search: got cells that no search")) << chosen.err;
  // Nor does a search that chose others help.
  const ProgramResult borrowed = shell(
      "cp -r runs/searched/search runs/chosen/search && armature export runs/chosen --published");
  EXPECT_EQ(borrowed.status, 2);
  EXPECT_TRUE(contains(borrowed.err, "got cells that no search")) << borrowed.err;
}

TEST_F(PublishedCommand, AReportNeedsAPlace) {
  const ProgramResult result = shell("armature report results/small.json");
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(contains(result.err, "--out")) << result.err;
}

}  // namespace
}  // namespace armature::test
