// Shards from the command line: run --shard, status, merge.
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/refusal.h"
#include "support/program.h"
#include "support/studies.h"

namespace armature::test {
namespace {

class ShardCommand : public testing::Test {
 protected:
  ShardCommand() { write_file(directory_.file("small.toml"), kSmallStudy); }
  ProgramResult shell(const std::string& command) { return run_shell(command, directory_.path()); }
  TemporaryDirectory directory_;
};

TEST_F(ShardCommand, RunsShardsAndMergesThem) {
  const ProgramResult first = shell("armature run small.toml --shard 1/2 --out here");
  ASSERT_EQ(first.status, 0) << first.err;
  EXPECT_EQ(first.out,
            "here: shard 1 of 2: finished, 54 replications computed\n"
            "When all 2 are finished: armature merge here\n");
  EXPECT_EQ(first.err, "");
  const ProgramResult again = shell("armature run small.toml --shard 1/2 --out here");
  EXPECT_EQ(again.out,
            "here: shard 1 of 2: finished already; nothing to do\n"
            "When all 2 are finished: armature merge here\n");
  const ProgramResult early = shell("armature merge here");
  EXPECT_EQ(early.status, 2);
  EXPECT_EQ(early.out, "");
  EXPECT_EQ(early.err,
            "shard missing: 2\n"
            "armature: here: 2 shards: got 1 missing, expected all finished (armature run … "
            "--shard N/2 goes on with one), or --partial to merge what there is\n");
  const ProgramResult look = shell("armature show here");
  EXPECT_EQ(look.status, 2);
  EXPECT_TRUE(contains(look.err,
                       "got shards that are not merged, expected what armature merge "
                       "here makes of them"))
      << look.err;
  const ProgramResult status = shell("armature status here");
  EXPECT_EQ(status.status, 0) << status.err;
  EXPECT_TRUE(contains(status.out, "1 of 2 shards finished, 1 missing; 50% of the work\n") ||
              contains(status.out, "1 of 2 shards finished, 1 missing; 49% of the work\n"))
      << status.out;
  EXPECT_TRUE(contains(status.out, "missing\n")) << status.out;
  EXPECT_EQ(shell("armature run small.toml --shard 2/2 --out here --quiet").out, "");
  EXPECT_EQ(shell("armature status here").out,
            "small\n"
            "2 of 2 shards finished; 100% of the work\n"
            "Now: armature merge here\n");
  const ProgramResult merged = shell("armature merge here");
  EXPECT_EQ(merged.status, 0) << merged.err;
  EXPECT_EQ(merged.out,
            "here: merged, 108 replications\n"
            "here/shards is no longer needed. What came out: armature show here\n");
  const ProgramResult twice = shell("armature merge here");
  EXPECT_EQ(twice.status, 0) << twice.err;
  EXPECT_EQ(twice.out,
            "here: merged already; nothing to do\n"
            "here/shards is no longer needed. What came out: armature show here\n");
  EXPECT_EQ(shell("armature run small.toml --shard 2/2 --out here").out,
            "here: shard 2 of 2: merged already; nothing to do\n");
  EXPECT_TRUE(contains(shell("armature status here").out, "108 of 108 replications (100%)"));
  const ProgramResult same = shell(
      "armature run small.toml -o whole -q -j 1 && armature export whole >/dev/null && "
      "armature export here >/dev/null && diff -r whole/csv here/csv && armature show whole >a && "
      "armature show here >b && cmp a b");
  EXPECT_EQ(same.status, 0) << same.out << same.err;
}

TEST_F(ShardCommand, MergesInPart) {
  ASSERT_EQ(shell("armature run small.toml --shard 2/3 --out here -q").status, 0);
  const ProgramResult part = shell("armature merge here --partial");
  EXPECT_EQ(part.status, 0) << part.err;
  EXPECT_EQ(part.out,
            "here: merged in part, 36 replications; 2 shards were not finished\n"
            "A look at it: armature show here. Shards can go on and be merged again, or armature "
            "run --out here computes the rest.\n");
  EXPECT_EQ(shell("armature show here").status, 0);
  EXPECT_EQ(shell("armature merge here --partial --quiet").out, "");
  EXPECT_TRUE(contains(shell("armature status here").out, "1 of 3 shards finished, 2 missing"));
}

// What is printed to be pasted is one word to a shell.
TEST_F(ShardCommand, CommandsAreQuoted) {
  const std::string word = R"('it'\''s here')";
  const ProgramResult run = shell("armature run small.toml --shard 1/2 -o " + word);
  EXPECT_EQ(run.out,
            "it's here: shard 1 of 2: finished, 54 replications computed\n"
            "When all 2 are finished: armature merge " +
                word + "\n");
  const ProgramResult part = shell("armature merge --partial " + word);
  EXPECT_TRUE(contains(part.out, "armature show " + word + ". ")) << part.out;
  EXPECT_TRUE(contains(part.out, "armature run --out " + word + " computes")) << part.out;
  EXPECT_EQ(shell("armature run small.toml --shard 2/2 -q -o " + word).status, 0);
  EXPECT_TRUE(contains(shell("armature status " + word).out, "Now: armature merge " + word + "\n"));
  EXPECT_EQ(shell("armature merge " + word).out,
            "it's here: merged, 108 replications\nit's here/shards is no longer needed. What came "
            "out: armature show " +
                word + "\n");
  EXPECT_TRUE(contains(shell("armature status " + word).out,
                       "What came out: armature show " + word + "\n"));
  const ProgramResult show =
      shell("armature run small.toml --shard 1/2 -q -o 'a b'; armature show 'a b'");
  EXPECT_TRUE(contains(show.err, "what armature merge 'a b' makes of them")) << show.err;
}

TEST_F(ShardCommand, OneIsNotMany) {
  write_file(directory_.file("one.toml"),
             "replications = 1\nhorizons = 50\ninstances = 'hidden-arm'\npolicies = 'ucb'\n");
  EXPECT_EQ(shell("armature run one.toml --shard 1/1 --out here").out,
            "here: shard 1 of 1: finished, 1 replication computed\nNow: armature merge here\n");
  EXPECT_TRUE(contains(shell("armature status here").out, "1 of 1 shard finished; 100%"));
  EXPECT_TRUE(contains(shell("armature run one.toml --shard 1/2 --out here").err,
                       "expected one of 1 shard, as those that are there"));
  EXPECT_TRUE(contains(shell("armature merge here").out, "here: merged, 1 replication\n"));
  EXPECT_TRUE(
      contains(shell("armature run one.toml --shard 1/2 --out part -q && armature merge part "
                     "--partial")
                   .out,
               "part: merged in part, 1 replication; 1 shard was not finished\n"));
}

TEST_F(ShardCommand, StatusCountsWhatIsNoGood) {
  ASSERT_EQ(shell("armature run small.toml --shard 1/3 -o here -q && mkdir here/shards/2-of-3 && "
                  "head -c 5000 /dev/zero | tr '\\0' x >here/shards/2-of-3/study.sqlite")
                .status,
            0);
  const ProgramResult status = shell("armature status here");
  EXPECT_TRUE(contains(status.out, "1 of 3 shards finished, 1 missing, 1 no good; 3"))
      << status.out << status.err;
  EXPECT_TRUE(contains(status.out, "cannot be read: ")) << status.out;
}

TEST_F(ShardCommand, StatusOfWhatARunGoesOnWith) {
  ASSERT_EQ(shell("armature run small.toml --shard 1/1 --out here -q && armature merge here -q && "
                  "armature run small.toml replications=8 --out here -q")
                .status,
            0);
  const ProgramResult status = shell("armature status here");
  EXPECT_EQ(status.status, 0) << status.err;
  EXPECT_TRUE(contains(status.out, "18 cells, 144 of 144 replications (100%), finished\n"))
      << status.out;
}

TEST_F(ShardCommand, AWholeStudyHasNothingToMerge) {
  ASSERT_EQ(shell("armature run small.toml --out here -q").status, 0);
  EXPECT_EQ(shell("armature merge here").out,
            "here: a whole study; nothing to merge\nWhat came out: armature show here\n");
  EXPECT_EQ(shell("armature run small.toml --shard 2/3 --out here").out,
            "here: shard 2 of 3: a whole study; nothing to do\n");
}

TEST_F(ShardCommand, TwoStages) {
  write_file(directory_.file("two.toml"),
             "replications = 4\nhorizons = 50\nsearch = {replications = 2}\n"
             "instances = ['hidden-arm', 'hidden-arm:gap=0.4']\npolicies = ['ucb']\n");
  const std::string both =
      "armature run two.toml --shard 1/2 -o here && armature run two.toml --shard 2/2 -o here";
  const ProgramResult search = shell(both);
  EXPECT_TRUE(contains(search.out, "here: search, shard 1 of 2: finished, 2 replications"))
      << search.out << search.err;
  EXPECT_TRUE(contains(shell("armature status here").out, "search: 2 of 2 shards finished"));
  const ProgramResult part = shell(
      "armature run two.toml --shard 1/2 -o part -q && armature merge part --partial && armature "
      "show part/search >shown");
  EXPECT_EQ(part.status, 0) << part.err;
  EXPECT_TRUE(contains(part.out, "A look at it: armature show part/search. ")) << part.out;
  EXPECT_EQ(shell("armature merge here").out,
            "here: search merged, 4 replications\n"
            "here/search/shards is no longer needed. Now the cells it chose: the same armature run "
            "--shard again.\n");
  EXPECT_TRUE(contains(shell("armature status here").out, "The search is merged; now the cells"));
  EXPECT_TRUE(contains(shell(both).out, "here: shard 1 of 2: finished, 2 replications"));
  EXPECT_EQ(shell("armature merge here").out,
            "here: merged, 4 replications\n"
            "here/shards is no longer needed. What came out: armature show here\n");
  EXPECT_TRUE(contains(shell("armature status here").out, "search finished, 4 replications; "));
}

// The same command with another digest written into it.
TEST_F(ShardCommand, ShardsOfAnotherBuildAreRefused) {
  std::string binary = read_file(ARMATURE_COMMAND);
  const std::string digest = read_file(ARMATURE_STUDY_DIGEST).substr(1, 12);
  std::size_t found = 0;
  for (std::size_t at = 0; (at = binary.find(digest, at)) != std::string::npos; ++found)
    binary.replace(at, digest.size(), "another12345");
  ASSERT_GT(found, 0u);
  write_file(directory_.file("other"), binary);
  const ProgramResult result = shell(
      "chmod +x other && armature run small.toml --shard 1/2 -o here -q && ./other run small.toml "
      "--shard 2/2 -o here -q");
  EXPECT_EQ(result.status, 2) << result.err;
  EXPECT_TRUE(contains(result.err, "build of armature: got ")) << result.err;
  EXPECT_TRUE(contains(result.err, "(sources another12345), expected ")) << result.err;
}

TEST_F(ShardCommand, SlurmTellsWhichShard) {
  const ProgramResult result = shell(
      "SLURM_ARRAY_TASK_ID=0 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_MAX=1 "
      "SLURM_ARRAY_TASK_STEP=1 SLURM_ARRAY_TASK_COUNT=2 armature run small.toml --shard slurm -o "
      "here");
  EXPECT_TRUE(contains(result.out, "here: shard 1 of 2: finished")) << result.err;
}

TEST_F(ShardCommand, MistakesAreNamed) {
  for (const auto& [arguments, message] : std::vector<std::pair<std::string, std::string>>{
           {"run small.toml --shard 5/4", "--shard: got '5/4', expected NUMBER/COUNT, as 3/40"},
           {"run small.toml --shard 3", "--shard: got '3', expected"},
           {"run small.toml --shard slurm", "--shard: got slurm, and no SLURM_ARRAY_TASK_ID"},
           {"run small.toml --shard ''", "got an empty text"},
           {"run small.toml --shard 1/2 --out .", ".: directory: got other files"},
           {"merge", "DIR is required"},
           {"merge none", "none: directory: got "},
           {"merge .", ".: shards: got none, expected those that armature run --shard leaves"}}) {
    const ProgramResult result = shell("armature " + arguments);
    EXPECT_EQ(result.status, 2) << arguments;
    EXPECT_TRUE(contains(result.err, message)) << result.err;
    EXPECT_FALSE(contains(result.err, "unexpected")) << result.err;
    EXPECT_EQ(directory_.listing(), std::vector<std::string>{"small.toml"}) << arguments;
  }
}

TEST_F(ShardCommand, AnInterruptedMergeLeavesNothing) {
  ASSERT_EQ(
      shell("for i in $(seq 30); do armature run small.toml --shard $i/30 -o here -q || exit 1; "
            "done")
          .status,
      0);
  for (const auto& [signal, status] : {std::pair("INT", 130), {"TERM", 143}}) {
    // It may be through before the signal comes: then again.
    const ProgramResult result =
        shell(std::string("for attempt in $(seq 100); do\n"
                          "rm -f here/study.sqlite\n"
                          "armature merge here -q 2> merge.err & merging=$!\n"
                          "until [ -e here/lease ] || ! kill -0 $merging 2>/dev/null; do :; done\n"
                          "kill -") +
              signal +
              " $merging 2>/dev/null; wait $merging; status=$?\n"
              "[ $status = 0 ] || break\n"
              "done; cat merge.err >&2; ls here; exit $status");
    EXPECT_EQ(result.status, status) << result.err;
    EXPECT_EQ(result.out, "shards\n");
    EXPECT_EQ(result.err,
              "armature: interrupted; nothing was merged, the same command begins anew\n");
  }
  EXPECT_EQ(shell("armature merge here -q").status, 0);
}

// The second of two processes is refused; meanwhile status tells of the first.
// As the tasks of an array job do: what one makes in the directory is no surprise to another.
TEST_F(ShardCommand, AllStartAtOnce) {
  const std::string together =
      "for n in 1 2 3 4 5 6; do armature run small.toml --shard $n/6 --out here$try --quiet & "
      "all=\"$all $!\"; done; for one in $all; do wait $one || exit 1; done";
  const ProgramResult result = shell("for try in 1 2 3 4 5; do all=; " + together + "; done");
  EXPECT_EQ(result.status, 0) << result.err;
}

TEST_F(ShardCommand, TwoOnOneShardAreRefused) {
  write_file(directory_.file("long.toml"),
             "replications = 100_000\nhorizons = 3e5\ninstances = 'hidden-arm'\npolicies = ['ucb', "
             "'db']\n");
  // An hour at least: until it is killed.
  const ProgramResult result = shell(
      "armature run long.toml --shard 1/2 -o here -y -q & first=$!\n"
      "trap 'kill -KILL $first 2>/dev/null' EXIT\n"
      "until armature status here 2>/dev/null | grep -q '1 running'; do kill -0 $first || exit 1; "
      "sleep 0.05; done\n"
      "armature run long.toml --shard 1/2 -o here -y -q; refused=$?\n"
      "armature merge here --partial; merged=$?\n"
      "kill -KILL $first; wait $first 2>/dev/null\n"
      "exit $((10 * refused + merged))");
  EXPECT_EQ(result.status, 22) << result.err;
  EXPECT_TRUE(contains(result.err, "expected one at a time")) << result.err;
  EXPECT_TRUE(contains(result.err, "none of 2 that can be merged")) << result.err;
}

}  // namespace
}  // namespace armature::test
