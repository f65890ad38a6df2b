// From a graph to a regret comparison on the command line: studies that name graphs.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"
#include "base/refusal.h"
#include "support/program.h"

namespace armature::test {
namespace {

const std::string kGraphs = ARMATURE_SOURCE_DIR "/examples/graphs/";

class GraphStudy : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(directory_.file("home"));
    for (const char* file : {"front-door.toml", "front-door.dag", "front-door.tables.json"})
      std::filesystem::copy_file(kGraphs + file, directory_.file(std::string("home/") + file));
  }
  ProgramResult shell(const std::string& command) const {
    return run_shell(command, directory_.path());
  }

  const TemporaryDirectory directory_;
  const std::string small_ = "replications=2 'horizons=[100,300]' ";
};

TEST_F(GraphStudy, IsRunAndReportedInTwoCommands) {
  const ProgramResult result =
      shell("armature run home/front-door.toml " + small_ + "&& armature report runs/front-door");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "smoke, not, or do nothing")) << result.out;
  EXPECT_TRUE(std::filesystem::exists(directory_.file("runs/front-door/report.html")));
}

// When graph and tables are gone all that is stored can still be used, and gone on with.
TEST_F(GraphStudy, NeedsItsFilesNoMoreOnceItIsStored) {
  ASSERT_EQ(
      shell("armature run home/front-door.toml -q -o run " + small_ +
            "&& armature report run --out one && armature export run --published --to one.json")
          .status,
      0);
  const ProgramResult later = shell(
      "rm home/front-door.dag home/front-door.tables.json && armature show run && "
      "armature report run --out two && armature export run --csv && "
      "armature export run --published --to two.json && armature report two.json --out three "
      "&& armature run home/front-door.toml -o run " +
      small_ + "replications=3 && cmp one/report.html two/report.html && cmp one.json two.json");
  EXPECT_EQ(later.status, 0) << later.err;
  EXPECT_TRUE(contains(later.out, "finished, 16 replications computed")) << later.out;
  EXPECT_TRUE(contains(read_file(directory_.file("three/report.html")), "<svg"));
  // Elsewhere there is nothing to go on with.
  const ProgramResult elsewhere = shell("armature run home/front-door.toml -o other " + small_);
  EXPECT_EQ(elsewhere.status, 2);
  EXPECT_TRUE(contains(
      elsewhere.err, "home/front-door.toml: instance: home/front-door.dag: open: got No such file"))
      << elsewhere.err;
  EXPECT_FALSE(std::filesystem::exists(directory_.file("other")));
}

// Another graph is another study.
TEST_F(GraphStudy, IsRefusedWithAnotherGraph) {
  ASSERT_EQ(shell("armature run home/front-door.toml -q -o run " + small_).status, 0);
  const ProgramResult result = shell(
      "sed -i 's/0.35/0.36/; s/0.65/0.64/' home/front-door.tables.json && "
      "armature run home/front-door.toml -q -o run " +
      small_);
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(contains(result.err, "run/study.sqlite: file front-door.tables.json: got another "))
      << result.err;
}

// A pipe has no folder: the working directory is meant.
TEST_F(GraphStudy, FromAPipeFindsItsFilesInTheWorkingDirectory) {
  const std::string check = "armature study check /dev/stdin -q ";
  EXPECT_EQ(shell("cd home && cat front-door.toml | " + check + small_).status, 0);
  const ProgramResult result = shell("cat home/front-door.toml | " + check + small_);
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(contains(result.err, "instance: front-door.dag: open: got No such file"))
      << result.err;
}

// Elsewhere a path is relative to the working directory, as ever.
TEST_F(GraphStudy, SimulateLooksInTheWorkingDirectory) {
  const std::string simulate =
      "armature simulate -T 100 -m 1 -p ucb -i "
      "graph:file=front-door.dag,action=smoking,context=tar,reward=cancer=no";
  EXPECT_EQ(shell(simulate).status, 2);
  EXPECT_EQ(shell("cd home && " + simulate).status, 0);
}

// Reports are laid out by armature alone: a `dot` on the path is never asked. sprinkler.bif has no
// positions of its own.
TEST_F(GraphStudy, ReportsAreTheSameBytesWithOrWithoutGraphviz) {
  const ProgramResult result = shell(
      "mkdir bin && printf '#!/bin/sh\\ntouch %s/asked\\nexit 1\\n' \"$PWD\" > bin/dot && "
      "chmod +x bin/dot && armature run " +
      kGraphs + "sprinkler.toml -q -o run " + small_ +
      "&& armature report run --out one && "
      "PATH=\"$PWD/bin:$PATH\" armature report run --out two && "
      "cmp one/report.html two/report.html");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_FALSE(std::filesystem::exists(directory_.file("asked")));
}

// What lies in the working directory says nothing of what is kept, whatever its name.
TEST_F(GraphStudy, StoredFilesGoBeforeWhatLiesAbout) {
  const ProgramResult result = shell(
      "armature instance write bilodeau-benign:gap=0.1 'home/my world' && printf "
      "'horizons=[100]\nreplications=2\npolicies=[\"ucb\"]\ninstances=[\"my world\"]\n' > "
      "home/i.toml && armature run home/i.toml -q -o run && rm 'home/my world' && "
      "armature export run --published --to run.json && mkdir 'my world' 'home/my world' && "
      "armature show run && armature show run.json && armature report run && "
      "armature run home/i.toml -q -o run replications=3");
  EXPECT_EQ(result.status, 0) << result.err;
}

TEST_F(GraphStudy, IsListedWhenItsFilesAreGone) {
  const ProgramResult result = shell("armature run home/front-door.toml -q " + small_ +
                                     "&& rm home/front-door.dag && armature studies home");
  EXPECT_EQ(result.status, 0) << result.err << result.out;
}

TEST_F(GraphStudy, AGraphFromAPipeIsReadOnce) {
  const ProgramResult result = shell(
      "sed 's/front-door.dag/\\/dev\\/stdin/; s/^file = .*/&\\ntables = \"front-door.tables.json\"/' "
      "home/front-door.toml > home/pipe.toml && cat home/front-door.dag | "
      "armature study check home/pipe.toml -q " +
      small_);
  EXPECT_EQ(result.status, 0) << result.err;
}

TEST_F(GraphStudy, WithoutAFileIsToldWhatIsMissing) {
  const ProgramResult result = shell(
      "grep -v '^file' home/front-door.toml > home/none.toml; armature study check home/none.toml");
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(
      contains(result.err, "home/none.toml: graph: file: got nothing, expected graph:file="))
      << result.err;
  // Keys are called keys, not options of another command.
  const ProgramResult latent = shell(
      "cd home && armature instance show "
      "graph:file=front-door.dag,action=smoking,context=habit,reward=cancer=no");
  EXPECT_TRUE(contains(latent.err, "front-door.dag: context: got 'habit'")) << latent.err;
}

}  // namespace
}  // namespace armature::test
