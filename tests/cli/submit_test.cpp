// `armature submit`: what it shows and refuses. Slurm's programs are stand-ins here, which note how
// they were called; a real Slurm is in tests/slurm.
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/refusal.h"
#include "base/sqlite.h"
#include "support/program.h"
#include "support/studies.h"

namespace armature::test {
namespace {

constexpr const char* kCall = "armature submit small.toml --nodes 2 --time 1h ";

class SubmitCommand : public testing::Test {
 protected:
  SubmitCommand() {
    write_file(directory_.file("small.toml"), kSmallStudy);
    make_directory(directory_.file("programs"));
    stand_in("sinfo",
             "echo 'short up 1:30:00 4'; echo 'all* up infinite 16'; echo 'all* up infinite 12'; "
             "echo 'closed down infinite 64'");
    stand_in("squeue", "cat queue 2>/dev/null || true");
    stand_in("scancel", "true");
    // Numbers jobs from 101 on; refuses the one whose script a file names.
    stand_in("sbatch",
             "case \"$*\" in *\"$(cat refused 2>/dev/null || echo nothing-at-all)\") "
             "echo 'sbatch: error: invalid account' >&2; exit 1;; esac\n"
             "echo $(( $(grep -c ^sbatch calls) + 100 ))");
  }
  void stand_in(const std::string& name, const std::string& script) {
    write_file(directory_.file("programs/" + name), "#!/bin/bash\ncd '" + directory_.path() +
                                                        "'\necho " + name + " \"$@\" >>calls\n" +
                                                        script + "\n");
    run_shell("chmod +x programs/" + name, directory_.path());
  }
  ProgramResult shell(const std::string& command) {
    return run_shell("PATH=$PWD/programs:$PATH\n" + command, directory_.path());
  }
  std::string calls() const { return run_shell("cat calls", directory_.path()).out; }
  bool is_there(const std::string& path) const {
    return run_shell("test -e '" + path + "'", directory_.path()).status == 0;
  }
  TemporaryDirectory directory_;
};

TEST_F(SubmitCommand, ADryRunShowsTheScriptsAndLeavesNothing) {
  const ProgramResult result = shell(std::string(kCall) + "--account causal --dry-run");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");
  for (const char* part :
       {"18 cells, about ", "2 shards, at most 2 at a time, each on 12 cores of one node",
        "runs/small/job/shards.sh\n#!/bin/bash\n", "#SBATCH --array=1,2%2\n",
        "#SBATCH --cpus-per-task=12\n", "#SBATCH --time=01:00:00\n", "#SBATCH --account=causal\n",
        "--shard \"$SLURM_ARRAY_TASK_ID/2\"", "runs/small/job/merge.sh\n#!/bin/bash\n",
        " report /"})
    EXPECT_TRUE(contains(result.out, part)) << part << "\n" << result.out;
  EXPECT_FALSE(contains(calls(), "sbatch")) << calls();
  EXPECT_FALSE(is_there("runs"));
}

// Seen here as it was given: no minute has 60 seconds.
TEST_F(SubmitCommand, TimesAreRoundedBeforeTheyAreSplit) {
  for (const auto& [given, shown] : {std::pair("3599.7s", " of 1 h 00 min."),
                                     {"119.6s", " of 2 min 00 s."},
                                     {"7199s", " of 2 h 00 min."},
                                     {"3539.4s", " of 58 min 59 s."}}) {
    const ProgramResult result =
        shell(std::string("armature submit small.toml --nodes 2 --dry-run --time ") + given);
    EXPECT_TRUE(contains(result.out, shown)) << given << "\n" << result.out << result.err;
  }
}

TEST_F(SubmitCommand, ADryRunNeedsNoSlurm) {
  const ProgramResult result = run_shell(
      "PATH=$(dirname $(command -v armature))\narmature submit small.toml --nodes 2 "
      "--time 1h --dry-run",
      directory_.path());
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(contains(result.err, "note: Slurm does not say how many processors")) << result.err;
}

TEST_F(SubmitCommand, SubmitsOneAfterTheOther) {
  const ProgramResult result = shell(std::string(kCall) + "--partition short");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "Submitted: 101 (shards), 102 (merge)\n")) << result.out;
  EXPECT_TRUE(contains(result.out, "squeue -j 101,102\n"));
  EXPECT_TRUE(contains(read_file(directory_.file("runs/small/job/shards.sh")),
                       "#SBATCH --partition=short\n"));
  EXPECT_TRUE(contains(calls(),
                       "sbatch --parsable --dependency=afterany:101 "
                       "--kill-on-invalid-dep=yes "))
      << calls();
  EXPECT_TRUE(
      contains(read_file(directory_.file("runs/small/job/shards.sh")), "cpus-per-task=4\n"));
  EXPECT_TRUE(is_there("runs/small/job/study/study.toml"));
  EXPECT_TRUE(is_there("runs/small/job/logs"));
}

TEST_F(SubmitCommand, NoShardWithoutAReplication) {
  const ProgramResult result =
      shell("armature submit small.toml replications=1 --nodes 1000 --time 1h --dry-run");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "18 shards, at most 18 at a time")) << result.out;
}

TEST_F(SubmitCommand, PassesOtherOptionsOn) {
  const ProgramResult result = shell(
      std::string(kCall) + "--sbatch=--mem=8G --sbatch '--constraint=\"a&b\"' replications=5");
  ASSERT_EQ(result.status, 0) << result.err;
  for (const char* script : {"runs/small/job/shards.sh", "runs/small/job/merge.sh"})
    EXPECT_TRUE(contains(read_file(directory_.file(script)),
                         "#SBATCH --mem=8G\n#SBATCH --constraint=\"a&b\"\n"))
        << script;
}

TEST_F(SubmitCommand, ASearchHasTwoRounds) {
  const ProgramResult result = shell(std::string(kCall) + "'search={replications=3}'");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(contains(result.out,
                       "Submitted: 101 (search-shards), 102 (search-merge), 103 "
                       "(shards), 104 (merge)\n"))
      << result.out;
  for (const char* part : {"afterany:101", "afterok:102", "afterany:103"})
    EXPECT_TRUE(contains(calls(), part)) << calls();
}

TEST_F(SubmitCommand, AgainSubmitsOnlyWhatIsNotInTheQueue) {
  ASSERT_EQ(shell(kCall).status, 0);
  write_file(directory_.file("queue"), "101 1\n101 2\n102 N/A\n");
  const ProgramResult nothing = shell(kCall);
  EXPECT_EQ(nothing.status, 0) << nothing.err;
  EXPECT_TRUE(contains(nothing.out, "nothing to submit. 2 shards in the queue")) << nothing.out;
  // Other nodes and another limit do not cut it anew.
  write_file(directory_.file("queue"), "101 1\n102 N/A\n");
  const ProgramResult one = shell("armature submit small.toml --nodes 5 --time 2h");
  ASSERT_EQ(one.status, 0) << one.err;
  EXPECT_TRUE(contains(one.out, "#SBATCH --array=2%4\n")) << one.out;
  EXPECT_TRUE(contains(one.out, "$SLURM_ARRAY_TASK_ID/2\"")) << one.out;
  EXPECT_TRUE(contains(calls(), "--dependency=afterany:103:101")) << calls();
  EXPECT_TRUE(contains(calls(), "scancel 102\n")) << calls();
}

// Tasks of earlier submissions count.
TEST_F(SubmitCommand, NeverMoreAtATimeThanNodes) {
  ASSERT_EQ(shell("armature submit small.toml --nodes 4 --time 1h").status, 0);
  write_file(directory_.file("queue"), "101 2\n101 3\n102 N/A\n");
  const ProgramResult fewer = shell("armature submit small.toml --nodes 3 --time 1h --dry-run");
  EXPECT_TRUE(contains(fewer.out, "#SBATCH --array=1,4%1\n")) << fewer.out << fewer.err;
  const ProgramResult none = shell("armature submit small.toml --nodes 2 --time 1h");
  ASSERT_EQ(none.status, 0) << none.err;
  EXPECT_TRUE(contains(none.out, "#SBATCH --array=1,4%2\n")) << none.out;
  EXPECT_TRUE(contains(none.out, "Already in the queue: 2 shards, at work: 0; the new ones wait"))
      << none.out;
  EXPECT_TRUE(contains(none.out, "squeue -j 101,103,104\n")) << none.out;
  EXPECT_TRUE(contains(calls(), "--dependency=afterany:101 --kill-on-invalid-dep=yes " +
                                    directory_.file("runs/small/job/shards.sh")))
      << calls();
  EXPECT_TRUE(contains(calls(), "--dependency=afterany:103:101")) << calls();
}

TEST_F(SubmitCommand, StatusKnowsWhatWaitsInTheQueue) {
  ASSERT_EQ(shell("armature submit small.toml --nodes 4 --time 1h").status, 0);
  ASSERT_EQ(shell("armature run small.toml --quiet --shard 1/4 --out runs/small").status, 0);
  ASSERT_EQ(shell("armature run small.toml --quiet --shard 2/4 --out runs/small").status, 0);
  Database(directory_.file("runs/small/shards/2-of-4/study.sqlite"), Database::Mode::kReadWrite)
      .execute("DELETE FROM run WHERE key = 'seal'");
  const auto status = [&] { return shell("armature status runs/small").out; };
  EXPECT_TRUE(contains(status(), "1 of 4 shards finished, 1 stopped, 2 missing")) << status();
  write_file(directory_.file("queue"), "101 2\n101 3\n101 4\n102 N/A\n");
  EXPECT_TRUE(contains(status(), "1 of 4 shards finished, 3 in the queue;")) << status();
  EXPECT_TRUE(contains(status(), "3–4")) << status();
  EXPECT_TRUE(contains(status(), "not begun")) << status();
  EXPECT_TRUE(contains(status(), "stopped, in the queue again")) << status();
  write_file(directory_.file("queue"), "101 3\n102 N/A\n");
  EXPECT_TRUE(contains(status(), "1 in the queue, 1 stopped, 1 missing")) << status();
  stand_in("squeue", "echo 'squeue: error: no' >&2; exit 1");
  EXPECT_TRUE(contains(status(), "1 stopped, 2 missing")) << status();
}

TEST_F(SubmitCommand, AnEditedStudyIsAnother) {
  ASSERT_EQ(shell(kCall).status, 0);
  write_file(directory_.file("small.toml"), "title = \"edited\"\n" + std::string(kSmallStudy + 17));
  const ProgramResult result = shell(kCall);
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(contains(result.err, "study: got another one, submitted before")) << result.err;
}

TEST_F(SubmitCommand, WhatIsFinishedIsNotSubmitted) {
  ASSERT_EQ(shell("armature run small.toml --quiet").status, 0);
  const ProgramResult result = shell(kCall);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "finished already; nothing to submit")) << result.out;
  EXPECT_FALSE(contains(calls(), "sbatch"));
  EXPECT_FALSE(is_there("runs/small/job"));
}

// Whatever was computed there, and however.
TEST_F(SubmitCommand, AnotherStudysResultsAreNoSuccess) {
  const std::string search = " 'search={replications=3}'";
  ASSERT_EQ(shell("armature run small.toml --quiet --out run").status, 0);
  ASSERT_EQ(shell("armature run small.toml --quiet --shard 1/2 --out shards").status, 0);
  ASSERT_EQ(shell("armature run small.toml --quiet --out search" + search).status, 0);
  const auto refused = [&](const std::string& options, const std::string& message) {
    const ProgramResult result = shell(kCall + options);
    EXPECT_EQ(result.status, 2) << options << result.out;
    EXPECT_TRUE(contains(result.err, message)) << options << "\n" << result.err;
  };
  refused("seed=8 --out run", "seed: got 8, expected 7");
  refused("replications=5 --out run", "replications: got 5, expected 6");
  refused("replications=7 --out run", "replications: got 7, expected 6");
  refused("horizons=50 --out run", "number of cells: got 9, expected 18");
  refused("--out run" + search, "search: got 3 replications, expected none");
  refused("seed=8 --out shards", "seed: got 8, expected 7, as the shards that were begun here");
  // Also where nothing is left of them but what they agreed in, until that goes, too.
  ASSERT_EQ(shell("cp -r shards mark && rm -r mark/shards/*-of-*").status, 0);
  refused("seed=8 --out mark", "or remove \"shards\" if nothing in it is wanted");
  refused("replications=5 --out shards", "replications: got 5, expected 6");
  refused("seed=8 --out search" + search, "seed: got 8, expected 7");
  refused("replications=7 --out search" + search, "replications: got 7, expected 6");
  refused("horizons=50 --out search" + search, "number of cells: got 9, expected 18");
  refused("--out search", "search: got none, expected 3 replications");
  EXPECT_FALSE(contains(calls(), "sbatch"));
  for (const char* job : {"run/job", "shards/job", "search/job"})
    EXPECT_FALSE(is_there(job)) << job;
  EXPECT_TRUE(contains(shell(kCall + ("--out search" + search)).out, "finished already"));
}

TEST_F(SubmitCommand, ARunThatIsNotFinishedIsNotCut) {
  ASSERT_EQ(shell("armature run small.toml replications=5 --quiet --out run").status, 0);
  Database(directory_.file("run/study.sqlite"), Database::Mode::kReadWrite)
      .execute("DELETE FROM replications WHERE replication = 4");
  const ProgramResult result = shell(std::string(kCall) + "replications=5 --out run");
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(contains(result.err, "armature run goes on with this one")) << result.err;
}

// What merge says is no longer needed may be gone.
TEST_F(SubmitCommand, AMergedSearchIsNotSearchedAgain) {
  const std::string study = " small.toml 'search={replications=3}' --out cut ";
  const auto shards = [&] {
    for (const char* shard : {"1/2", "2/2"})
      ASSERT_EQ(shell("armature run" + study + "--quiet --shard " + shard).status, 0);
    ASSERT_EQ(shell("armature merge cut --quiet").status, 0);
  };
  const std::string call = "armature submit" + study + "--nodes 2 --time 1h --dry-run";
  shards();
  for (const char* removed : {"true", "rm -r cut/search/shards"}) {
    const ProgramResult result = shell(std::string(removed) + "\n" + call);
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_TRUE(contains(result.out, "job/shards.sh\n")) << result.out;
    EXPECT_FALSE(contains(result.out, "search-shards")) << result.out;
  }
  make_directory(directory_.file("cut/search/shards/1-of-2"));
  shards();
  for (const char* removed : {"true", "rm -r cut/shards", "rm -r cut/search"}) {
    const ProgramResult result = shell(std::string(removed) + "\n" + call);
    EXPECT_TRUE(contains(result.out, "finished already")) << removed << result.out << result.err;
  }
}

TEST_F(SubmitCommand, SomebodysFilesAreLeftAlone) {
  make_directory(directory_.file("notes"));
  write_file(directory_.file("notes/mine.txt"), "mine");
  for (const char* options : {"--out notes", "--out notes --dry-run",
                              "--out notes 'search={replications=3}'", "--out notes/mine.txt"}) {
    const ProgramResult result = shell(kCall + std::string(options));
    EXPECT_EQ(result.status, 2) << options;
    EXPECT_TRUE(contains(result.err, "directory: got other files") ||
                contains(result.err, "--out: got a file"))
        << result.err;
    EXPECT_EQ(run_shell("ls -A notes", directory_.path()).out, "mine.txt\n");
  }
  EXPECT_FALSE(contains(calls(), "sbatch"));
}

TEST_F(SubmitCommand, ARefusalLeavesNothing) {
  write_file(directory_.file("refused"), "shards.sh");
  const ProgramResult result = shell(kCall);
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(contains(result.err,
                       "sbatch: got exit status 1, expected success; it said: sbatch: "
                       "error: invalid account"))
      << result.err;
  EXPECT_FALSE(is_there("runs"));
}

// Seconds or minutes lie between its beginning and its end.
TEST_F(SubmitCommand, ARefusalLeavesWhatOthersMadeMeanwhile) {
  stand_in("sbatch", "mkdir -p runs/other; echo result >runs/other/x; exit 1");
  EXPECT_EQ(shell(kCall).status, 2);
  EXPECT_TRUE(is_there("runs/other/x"));
  EXPECT_FALSE(is_there("runs/small"));
  // Beside its own files, too.
  stand_in("sbatch", "mkdir -p runs/small/shards; exit 1");
  EXPECT_EQ(shell(kCall).status, 2);
  EXPECT_TRUE(is_there("runs/small/shards"));
  EXPECT_FALSE(is_there("runs/small/job"));
}

// Six begin at the same moment, and the one that submits waits until all others have ended.
TEST_F(SubmitCommand, WhoCannotHaveTheDirectoryLeavesItToWhoHas) {
  const auto until_there_are = [](const std::string& lines, const std::string& file) {
    return "for i in $(seq 3000); do [ $(wc -l <" + file + ") -ge " + lines +
           " ] && break; sleep 0.02; done\n";
  };
  stand_in("sinfo", "echo x >>begun\nflock -s gate true\necho 'all* up infinite 4'");
  stand_in("sbatch", until_there_are("5", "ended") + "echo $(( $(grep -c ^sbatch calls) + 100 ))");
  const ProgramResult result =
      shell("touch begun ended\nexec 9>gate; flock 9\nfor n in 1 2 3 4 5 6; do (" +
            std::string(kCall) + ">$n.out 2>$n.err; echo $? >>ended) 9>&- & done\n" +
            until_there_are("6", "begun") + "flock -u 9; wait; sort ended; cat ?.err >&2");
  EXPECT_EQ(result.out, "0\n2\n2\n2\n2\n2\n") << result.err;
  EXPECT_TRUE(contains(result.err, "at work in it, expected one at a time")) << result.err;
  for (const char* file : {"shards.sh", "merge.sh", "submitted.json", "study/study.toml", "logs"})
    EXPECT_TRUE(is_there(std::string("runs/small/job/") + file)) << file;
}

TEST_F(SubmitCommand, NothingIsSubmittedByHalf) {
  write_file(directory_.file("refused"), "merge.sh");
  const ProgramResult result = shell(kCall);
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(contains(result.err, "; job 101 submitted before it: cancelled")) << result.err;
  EXPECT_TRUE(contains(calls(), "scancel 101\n")) << calls();
  EXPECT_FALSE(is_there("runs"));

  stand_in("scancel", "echo 'scancel: error: no' >&2; exit 1");
  const ProgramResult again = shell(kCall);
  EXPECT_EQ(again.status, 2);
  EXPECT_TRUE(contains(again.err, "NOT cancelled: scancel: ")) << again.err;
}

TEST_F(SubmitCommand, RefusesBadInput) {
  const auto refused = [&](const std::string& command, const std::string& message) {
    const ProgramResult result = shell(command);
    EXPECT_EQ(result.status, 2) << command;
    EXPECT_TRUE(contains(result.err, message)) << command << "\n" << result.err;
    EXPECT_FALSE(is_there("runs")) << command;
  };
  const std::string file = "armature submit small.toml ";
  refused(file + "--nodes 0 --time 1h", "--nodes: got '0', expected a whole number from 1 to 1000");
  refused(file + "--nodes 2 --time x", "--time: got 'x', expected a time from a minute to a year");
  refused(file + "--nodes 2 --time 90", "--time: got '90'");
  refused(file + "--nodes 2", "--time is required");
  refused(file + "--nodes 2 --time 1h --cores none", "--cores: got 'none'");
  refused(file + "--nodes 2 --time 1h --partition 'a b'", "--partition: got 'a b'");
  refused(file + "--nodes 2 --time 1h --account $'a\\n#'", "--account: got ");
  refused(file + "--nodes 2 --time 1h --out 'a\"b'", "without double quotes");
  refused(file + "--nodes 2 --time 1h --sbatch mem=8G", "--sbatch: got 'mem=8G'");
  refused(file + "--nodes 2 --time 1h --sbatch=$'--mem=8G\\nx'", "--sbatch: got ");
  const std::string two = file + "--nodes 2 --time 2h ";
  refused(two + "--partition short",
          "--time: got 02:00:00, expected at most 01:30:00, as the partition short has it");
  refused("export SBATCH_PARTITION=short\n" + two, "expected at most 01:30:00");
  refused(two + "--cores 17",
          "--cores: got 17, expected at most 16, as a node of the partition all");
  refused(two + "--partition nosuch",
          "--partition: got 'nosuch', of which there is none, expected one of short, all, closed");
  refused(
      two + "--partition closed",
      "--partition: got 'closed', which takes no jobs now, expected one that is up: short, all");
  refused("armature submit none.toml --nodes 2 --time 1h", "none.toml");
  refused(file + "horizons=[0] --nodes 2 --time 1h", "small.toml");
  // Too much for any machine: the estimate comes of a trial, and so of how fast this one is.
  refused(file + "replications=1_000_000_000 horizons=[1e5] --nodes 2 --time 1min --cores 1",
          "estimated work: got ");
  refused("PATH=$(dirname $(command -v armature))\n" + file + "--nodes 2 --time 1h",
          "sbatch: got no program of this name on the PATH");
}

}  // namespace
}  // namespace armature::test
