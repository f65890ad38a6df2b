// Studies from the command line: check, run, status, export.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/file.h"
#include "base/machine.h"
#include "base/refusal.h"
#include "support/program.h"
#include "support/studies.h"

namespace armature::test {
namespace {

class StudyCommand : public testing::Test {
 protected:
  StudyCommand() { write_file(directory_.file("small.toml"), kSmallStudy); }
  ProgramResult shell(const std::string& command) { return run_shell(command, directory_.path()); }
  TemporaryDirectory directory_;
};

constexpr const char* kSmallAnswer = R"(small

Mean regret at T = 200, as a multiple of the least of its row

world                          least     ucb  balancer     ts
─────────────────────────────────────────────────────────────
bilodeau-confounded:actions=4   6.03  1.85×      6.2×   1.00★
random (actions=3)              6.32  1.57×     1.91×☆  1.00☆
random (actions=5)             12.27  1.55×     1.60×   1.00★
★ the best, settled (the 95% intervals of its paired differences leave out 0)
☆ not to be told from the best (the 95% interval reaches 0)

`ts` is among the best in all 3 worlds; `balancer` is among the best in random
(actions=3), but has 6.2 times the least in bilodeau-confounded:actions=4.
)";

TEST_F(StudyCommand, CheckShowsTheStudyWithItsDefaultsAndThePlan) {
  const ProgramResult result = shell("armature study check small.toml replications=3");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");
  for (const char* part :
       {"title = \"small\"\n", "engine = \"auto\"\n", "replications = 3\n",
        "max_events = 1000000000\n", "random (actions=5)", "worst-case",
        "18 cells × 3 replications; about ", "of one core, estimated from a short trial"})
    EXPECT_TRUE(contains(result.out, part)) << part << "\n" << result.out;
  EXPECT_EQ(directory_.listing(), std::vector<std::string>{"small.toml"});
}

TEST_F(StudyCommand, WhatCheckShowsIsAStudy) {
  const ProgramResult result = shell(
      "armature study check small.toml | sed '/^instance  /,$d' > spelt.toml\n"
      "armature study check spelt.toml | sed '/^instance  /,$d' > again.toml\n"
      "cmp spelt.toml again.toml && grep -c policy spelt.toml");
  EXPECT_EQ(result.status, 0) << result.err;
}

TEST_F(StudyCommand, CheckQuietlyShowsThePlanOnly) {
  const ProgramResult result = shell("armature study check --quiet small.toml");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_FALSE(contains(result.out, "title"));
  EXPECT_TRUE(contains(result.out, "18 cells × 6 replications"));
}

TEST_F(StudyCommand, RunsIntoItsOwnDirectoryAndThenHasNothingToDo) {
  const auto first_line = [](const std::string& text) { return text.substr(0, text.find('\n')); };
  const ProgramResult first = shell("armature run small.toml");
  ASSERT_EQ(first.status, 0) << first.err;
  EXPECT_EQ(first_line(first.out), "runs/small: finished, 108 replications computed");
  EXPECT_EQ(first.err, "");  // over before a line of progress was due
  const ProgramResult again = shell("armature run small.toml");
  EXPECT_EQ(again.status, 0);
  EXPECT_EQ(first_line(again.out), "runs/small: finished already; nothing to do");
  const ProgramResult more = shell("armature run small.toml replications=7 --threads 2");
  EXPECT_EQ(first_line(more.out), "runs/small: finished, 18 replications computed");
  const ProgramResult quiet = shell("armature run small.toml replications=8 --quiet");
  EXPECT_EQ(quiet.status, 0);
  EXPECT_EQ(quiet.out + quiet.err, "");
}

// The same answer at the end of a run, at any time later, and of what was published.
TEST_F(StudyCommand, EndsWithTheAnswerWhichShowRepeats) {
  const ProgramResult run = shell("armature run small.toml");
  ASSERT_EQ(run.status, 0) << run.err;
  const std::string answer = run.out.substr(run.out.find("\n\n") + 2);
  EXPECT_EQ(answer, kSmallAnswer);
  const ProgramResult shown = shell("armature show runs/small");
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_EQ(shown.out, answer);
  const ProgramResult published = shell(
      "armature export runs/small --published --to small.json >/dev/null && "
      "armature show small.json");
  EXPECT_EQ(published.out, answer) << published.err;
  const ProgramResult table = shell("armature show runs/small --table");
  EXPECT_EQ(table.status, 0) << table.err;
  EXPECT_TRUE(contains(table.out, "mean ± s.e.")) << table.out;
  EXPECT_TRUE(contains(table.out, "In 6 contests")) << table.out;
}

TEST_F(StudyCommand, ShowOfNothingIsRefused) {
  const ProgramResult nowhere = shell("armature show nowhere");
  EXPECT_EQ(nowhere.status, 2);
  EXPECT_TRUE(contains(nowhere.err, "armature: nowhere")) << nowhere.err;
  const ProgramResult toml = shell("armature show small.toml");
  EXPECT_EQ(toml.status, 2);
  EXPECT_TRUE(contains(toml.err, "small.toml")) << toml.err;
  EXPECT_EQ(shell("armature show").status, 2);
}

TEST_F(StudyCommand, StatusIsShortWhenAllIsDone) {
  ASSERT_EQ(shell("armature run small.toml -o here -q").status, 0);
  const ProgramResult result = shell("armature status here");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out,
            "small\n"
            "18 cells, 108 of 108 replications (100%), finished\n"
            "What came out: armature show here\n");
}

TEST_F(StudyCommand, ExportsTheSameBytesFromAnyNumberOfThreads) {
  ASSERT_EQ(
      shell("armature run small.toml -o one -q -j 1 && armature run small.toml -o two -q -j 2 "
            "&& armature run small.toml -o four -q -j 4")
          .status,
      0);
  const ProgramResult result = shell(
      "armature export one && armature export two --csv --to elsewhere/deep && "
      "armature export four --to four-csv");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "one/csv\nelsewhere/deep\nfour-csv\n");
  const auto files = files_in(directory_.file("one/csv"));
  EXPECT_EQ(files.size(), 6u);
  EXPECT_EQ(files_in(directory_.file("elsewhere/deep")), files);
  EXPECT_EQ(files_in(directory_.file("four-csv")), files);
}

TEST_F(StudyCommand, ExportsLatex) {
  ASSERT_EQ(shell("armature run small.toml -o here -q").status, 0);
  const ProgramResult result = shell("armature export here --latex");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "here/regret.tex\n");
  const std::string latex = read_file(directory_.file("here/regret.tex"));
  for (const char* part : {"% Final regret", "6 replications", "\\begin{tabular}{lrr}",
                           "policy & $T=50$ & $T=200$", "balancer & $", "\\pm", "\\mathbf{"})
    EXPECT_TRUE(contains(latex, part)) << part << "\n" << latex;
  EXPECT_FALSE(contains(latex, "Not finished"));
  EXPECT_EQ(shell("armature export here --latex --csv").status, 2);
}

TEST_F(StudyCommand, ExportsMarkdown) {
  ASSERT_EQ(shell("armature run small.toml -o here -q").status, 0);
  const ProgramResult result = shell("armature export here --markdown");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "here/regret.md\n");
  const std::string markdown = read_file(directory_.file("here/regret.md"));
  for (const char* part : {"### T = 50 (6 replications)", "### T = 200 (", "| world |", "**"})
    EXPECT_TRUE(contains(markdown, part)) << part << "\n" << markdown;
  EXPECT_EQ(shell("armature export here --markdown --latex").status, 2);
}

constexpr const char* kLongStudy =
    "replications = 1000\nhorizons = 3e5\ninstances = 'hidden-arm'\npolicies = ['ucb', 'db']\n";

TEST_F(StudyCommand, InAPipeProgressIsPlainLinesAndAnInterruptKeepsWhatIsFinished) {
  write_file(directory_.file("long.toml"), kLongStudy);
  // Interrupted when a line has come, however long that takes on a busy machine.
  const ProgramResult result = shell(
      "armature run long.toml -o here 2>err & run=$!\n"
      "while kill -0 $run 2>/dev/null && ! grep -q ' left$' err; do sleep 0.1; done\n"
      "kill -INT $run; wait $run; status=$?\n"
      "cat err >&2; exit $status");
  EXPECT_EQ(result.status, 130);
  EXPECT_EQ(result.out, "");
  for (const char* part : {" of 2000 replications (", " rounds/s, ", " left\n",
                           "armature: interrupted; the same command goes on from here\n"})
    EXPECT_TRUE(contains(result.err, part)) << part << "\n" << result.err;
  EXPECT_EQ(result.err.find_first_of("\r\033"), std::string::npos) << result.err;
  const ProgramResult status = shell("armature status here");
  EXPECT_TRUE(contains(status.out, "not running; armature run goes on from here")) << status.out;
  EXPECT_TRUE(contains(status.out, "\n2 cells, ")) << status.out;
  EXPECT_FALSE(contains(status.out, " 0 of 2000 replications")) << status.out;
}

TEST_F(StudyCommand, CheckHasARowForEveryCondition) {
  write_file(directory_.file("late.toml"),
             "replications = 1\nhorizons = 10\ninstances = 'hidden-arm'\npolicies = 'ucb'\n"
             "delay = [0, 5]\n");
  const ProgramResult result = shell("armature study check late.toml -q");
  EXPECT_EQ(result.status, 0) << result.err;
  for (const char* row : {"hidden-arm (delay=none)", "hidden-arm (delay=fixed:5)"})
    EXPECT_TRUE(contains(result.out, row)) << result.out;
}

TEST_F(StudyCommand, TwoAtOnceAreRefusedAndStatusSaysItRuns) {
  write_file(directory_.file("long.toml"), kLongStudy);
  const ProgramResult result = shell(
      "armature run long.toml -o here -q & first=$!\n"
      "until armature status here >status 2>/dev/null; do kill -0 $first || exit 1; sleep 0.05; "
      "done\n"
      "armature run long.toml -o here -q; refused=$?\n"
      "kill -KILL $first; wait $first 2>/dev/null\n"
      "cat status; exit $refused");
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(contains(result.out, "%), running on " + host_name() + " (process ")) << result.out;
  EXPECT_TRUE(contains(result.err, "here: directory: got process ")) << result.err;
  EXPECT_TRUE(contains(result.err, " on " + host_name() + " at work in it, expected one at a time"))
      << result.err;
}

TEST(StudyHelp, NamesWhatMatters) {
  const std::pair<const char*, const char*> helps[] = {{"study --help", "check"},
                                                       {"study check --help", "KEY=VALUE"},
                                                       {"study check --help", "--quiet"},
                                                       {"run --help", "--out"},
                                                       {"run --help", "--threads"},
                                                       {"run --help", "--yes"},
                                                       {"run --help", "goes on where it ended"},
                                                       {"run --help", "armature status DIR"},
                                                       {"status --help", "DIR"},
                                                       {"show --help", "--table"},
                                                       {"show --help", "armature show runs/"},
                                                       {"export --help", "--latex"},
                                                       {"export --help", "--markdown"},
                                                       {"export --help", "--to"},
                                                       {"--help", "status"}};
  for (const auto& [command, part] : helps) {
    const ProgramResult result = run_armature(command);
    EXPECT_EQ(result.status, 0) << command;
    EXPECT_TRUE(contains(result.out, part)) << command << "\n" << result.out;
  }
}

// --- Mistakes

struct Mistake {
  const char* toml;
  const char* arguments;
  const char* message;
};

void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.arguments; }

class StudyMistake : public testing::TestWithParam<Mistake> {};

TEST_P(StudyMistake, IsNamedAndLeavesNothing) {
  const TemporaryDirectory directory;
  write_file(directory.file("s.toml"), GetParam().toml);
  const ProgramResult result =
      run_shell(std::string("armature ") + GetParam().arguments, directory.path());
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(contains(result.err, GetParam().message)) << result.err;
  EXPECT_FALSE(contains(result.err, "unexpected")) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(directory.listing(), std::vector<std::string>{"s.toml"});
}

constexpr const char* kTiny = "horizons = 50\ninstances = 'hidden-arm'\npolicies = 'ucb'\n";
constexpr const char* kExploding =
    "horizons = 50\npolicies = 'ucb'\n[[instances]]\ninstance = 'hidden-arm'\n"
    "gap = 'linspace(0,0.5,20000)'\n";

INSTANTIATE_TEST_SUITE_P(
    Studies, StudyMistake,
    testing::Values(
        Mistake{kTiny, "study", "study: command: got nothing, expected check"},
        Mistake{kTiny, "study check", "FILE is required"},
        Mistake{kTiny, "run none.toml", "none.toml: open: got No such file"},
        Mistake{"title = \"x\n", "run s.toml", "s.toml: line 1: got "},
        Mistake{"horizons = 5\n\nreplicatoins = 5\n", "run s.toml",
                "s.toml: line 3: key: got 'replicatoins', expected one of"},
        Mistake{"horizons = 5\n\nreplicatoins = 5\n", "study check s.toml",
                "did you mean 'replications'?"},
        Mistake{kTiny, "run s.toml replication=5", "override: got 'replication'"},
        Mistake{kTiny, "run s.toml horizons=-5", "horizons: got -5, expected a whole number"},
        Mistake{kTiny, "run s.toml horizons", "override: got 'horizons', expected key=value"},
        Mistake{kTiny, "run s.toml policies=uccb", "s.toml: policy: got 'uccb'"},
        Mistake{kTiny, "run s.toml policies=fixed:arm=20", "arm: got 20, expected an action"},
        Mistake{kTiny, "run s.toml instances=hiden-arm", "did you mean 'hidden-arm'?"},
        Mistake{kTiny, "run s.toml \"policies=['ucb','ucb']\"", "twice"},
        Mistake{kTiny, "run s.toml --threads many", "--threads: got 'many'"},
        Mistake{kTiny, "run s.toml --out s.toml", "s.toml: directory: got "},
        Mistake{kTiny, "run s.toml --out /dev/null/x", "/dev/null/x: directory: got "},
        Mistake{kTiny, "run s.toml --out .", ".: directory: got other files"},
        Mistake{kTiny, "run s.toml horizons=1e9 replications=1e7", "s.toml: estimated time: got "},
        Mistake{kTiny, "run s.toml horizons=1e9 replications=1e7",
                "1 cells × 10000000 replications"},
        Mistake{kTiny, "run s.toml horizons=1e18 replications=1e6 --yes", "at most 9e18"},
        Mistake{
            kExploding, "run s.toml",
            "s.toml: cells: got 20000, expected at most 5000 (instances × horizons × policies), "
            "or --yes to run it all the same"},
        Mistake{kExploding, "run s.toml \"policies=['ucb:scale=linspace(1,2,100000)']\" --yes",
                "cells: got 2000000000, expected at most 1000000"},
        Mistake{kTiny, "status none", "none: study: got none"},
        Mistake{kTiny, "status .", ".: study: got none, expected a directory that armature run"},
        Mistake{kTiny, "export none", "none: study: got none"},
        Mistake{kTiny, "export . --latex", ".: study: got none"}));

TEST_F(StudyCommand, AnotherStudyInTheDirectoryIsRefused) {
  ASSERT_EQ(shell("armature run small.toml -o here -q").status, 0);
  const ProgramResult result = shell("armature run small.toml -o here -q seed=8");
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(contains(result.err,
                       "here/study.sqlite: seed: got 8, expected 7, as when this study "
                       "was begun; use another directory for another study"))
      << result.err;
}

TEST_F(StudyCommand, SomethingElseInItsPlaceIsRefused) {
  const ProgramResult result = shell(
      "mkdir here && echo 'not a database, but long enough to be looked at' > here/study.sqlite\n"
      "armature status here; armature export here; armature run small.toml -o here -q");
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(contains(result.err, "here/study.sqlite: ")) << result.err;
  EXPECT_TRUE(contains(result.err, "expected a SQLite database")) << result.err;
}

TEST_F(StudyCommand, AnUnwritablePlaceForAnExportIsNamed) {
  ASSERT_EQ(shell("armature run small.toml -o here -q").status, 0);
  const ProgramResult csv = shell("armature export here --to small.toml");
  EXPECT_EQ(csv.status, 2);
  EXPECT_TRUE(contains(csv.err, "small.toml: directory: got ")) << csv.err;
  const ProgramResult latex = shell("armature export here --latex --to none/x.tex");
  EXPECT_EQ(latex.status, 2);
  EXPECT_TRUE(contains(latex.err, "none/x.tex: open: got ")) << latex.err;
}

// Both stages are told of, before and after.
TEST_F(StudyCommand, OfTwoStagesBothAreTold) {
  write_file(directory_.file("two.toml"), R"(
title = "two"
replications = 3
horizons = [40, 80, 160]
[search]
replications = 2
[[instances]]
instance = "pareto-benign:actions=3"
label = "benign"
gap = [0.05, 0.2]
[[instances]]
instance = "hidden-arm:actions=3"
label = "hidden"
gap = [0.1, 0.3]
[[policies]]
policy = "uniform"
[[verdicts]]
name = "the product grows like a square"
rule = "plane"
policy = "uniform"
low = 1.5
high = 2.5
catches = "a policy that learns"
)");
  const ProgramResult check = shell("armature study check two.toml");
  ASSERT_EQ(check.status, 0) << check.err;
  for (const char* part :
       {"[search]\nreplications = 2\n", "search: 12 cells × 2 replications; about ",
        "then the worst: 6 cells × 3 replications; about "})
    EXPECT_TRUE(contains(check.out, part)) << part << "\n" << check.out;
  const ProgramResult run = shell("armature run two.toml --threads 1");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(contains(run.out, "finished, 42 replications computed")) << run.out;
  // Rows are what a policy was searched for within; nothing is marked.
  EXPECT_TRUE(contains(run.out, "in the worst world found for each policy")) << run.out;
  EXPECT_TRUE(contains(run.out, "\nworst-case ")) << run.out;
  EXPECT_FALSE(contains(run.out, "★")) << run.out;
  const ProgramResult status = shell("armature status runs/two");
  EXPECT_TRUE(contains(status.out,
                       "search finished, 24 replications; the worst cells: 6 cells, 18 of 18 "
                       "replications (100%), finished"))
      << status.out;
  EXPECT_FALSE(contains(status.out, "gap=0.05")) << status.out;
  const ProgramResult search = shell("armature status runs/two/search");
  EXPECT_TRUE(contains(search.out, "two (search)")) << search.out;
  EXPECT_TRUE(contains(search.out, "24 of 24 replications (100%), finished")) << search.out;
  const ProgramResult studies = shell("armature studies . --format markdown");
  ASSERT_EQ(studies.status, 0) << studies.err;
  EXPECT_TRUE(contains(studies.out, "*would catch: a policy that learns*")) << studies.out;
  EXPECT_TRUE(contains(studies.out, "Holm's correction at 5% over 1 question of this page"))
      << studies.out;
  EXPECT_TRUE(contains(shell("armature studies .").out, "would catch: a policy that learns"));
}

}  // namespace
}  // namespace armature::test
