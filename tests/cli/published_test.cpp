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
  EXPECT_TRUE(contains(result.out, "  does ucb learn?: ")) << result.out;
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
  EXPECT_TRUE(contains(listed.out,
                       "'does ucb learn?' is gone or asks something else; questions may "
                       "not be changed after their data"))
      << listed.out;
  const ProgramResult again = shell(
      "armature run small.toml -q && armature export runs/small --published --to "
      "results/small.json");
  EXPECT_EQ(again.status, 2);
  EXPECT_TRUE(contains(again.err, "results/small.json: questions: got others")) << again.err;
}

TEST_F(PublishedCommand, AReportNeedsAPlace) {
  const ProgramResult result = shell("armature report results/small.json");
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(contains(result.err, "--out")) << result.err;
}

}  // namespace
}  // namespace armature::test
