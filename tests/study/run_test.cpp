// Running a study: the same bytes for any number of threads and however often it was interrupted.
#include <gtest/gtest.h>
#include <unistd.h>

#include <sstream>

#include "armature/report.h"
#include "base/machine.h"
#include "base/refusal.h"
#include "base/sqlite.h"
#include "base/text.h"
#include "study/store.h"
#include "support/program.h"
#include "support/studies.h"

namespace armature {
namespace {

using test::contains;
using test::exported;
using test::kSmallStudy;
using test::on_threads;
using test::plan_of;
using test::refusal;
using test::TemporaryDirectory;
using Files = std::map<std::string, std::string>;

Files undisturbed(const StudyPlan& plan) {
  const TemporaryDirectory directory;
  const StudyOutcome outcome = run_study(plan, directory.file("run"), on_threads(1));
  EXPECT_TRUE(outcome.complete);
  return exported(directory.file("run"));
}

// Runs until `replications` of this time's are finished.
StudyOutcome run_for(const StudyPlan& plan, const std::string& directory,
                     std::uint64_t replications, unsigned threads = 1) {
  std::atomic<bool> stop{replications == 0};
  RunHooks hooks = on_threads(threads);
  hooks.stop = &stop;
  hooks.progress = [&](const Progress& progress) {
    if (progress.replications_done >= replications) stop = true;
  };
  return run_study(plan, directory, hooks);
}

TEST(StudyRun, LeavesOneFileAndSaysWhatItDid) {
  const TemporaryDirectory directory;
  const StudyOutcome outcome = run_study(plan_of(kSmallStudy), directory.file("a/b"));
  EXPECT_TRUE(outcome.complete);
  EXPECT_EQ(outcome.computed, 18u * 6);
  EXPECT_EQ(test::files_in(directory.file("a/b")).size(), 1u);
  EXPECT_TRUE(std::filesystem::exists(store_path(directory.file("a/b"))));
}

TEST(StudyRun, ExportIsTheSameBytesForAnyNumberOfThreads) {
  const StudyPlan plan = plan_of(kSmallStudy);
  const Files reference = undisturbed(plan);
  std::vector<std::string> names;
  for (const auto& [name, content] : reference) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"cells.csv", "curves.csv", "diagnostics.csv",
                                             "differences.csv", "pulls.csv", "replications.csv"}));
  for (const unsigned threads : {2u, 4u}) {
    const TemporaryDirectory directory;
    run_study(plan, directory.file("run"), on_threads(threads));
    EXPECT_EQ(exported(directory.file("run")), reference) << threads << " threads";
  }
}

TEST(StudyRun, AFinishedOneHasNothingToDo) {
  const TemporaryDirectory directory;
  const StudyPlan plan = plan_of(kSmallStudy);
  run_study(plan, directory.file("run"));
  const Files before = exported(directory.file("run"));
  const StudyOutcome again = run_study(plan, directory.file("run"));
  EXPECT_TRUE(again.complete);
  EXPECT_EQ(again.computed, 0u);
  EXPECT_EQ(exported(directory.file("run")), before);
}

TEST(StudyRun, StoppedItKeepsWhatIsFinishedAndGoesOn) {
  const StudyPlan plan = plan_of(kSmallStudy);
  const Files reference = undisturbed(plan);
  for (const unsigned threads : {1u, 3u}) {
    const TemporaryDirectory directory;
    std::uint64_t stored = 0;
    for (const std::uint64_t replications : {0u, 10u, 1u, 25u}) {
      const StudyOutcome outcome = run_for(plan, directory.file("run"), replications, threads);
      EXPECT_FALSE(outcome.complete);
      EXPECT_GE(outcome.computed, replications);
      stored += outcome.computed;
      EXPECT_EQ(StudyStore::read(directory.file("run")).stored_replications(), stored);
    }
    const StudyOutcome rest = run_study(plan, directory.file("run"), on_threads(threads));
    EXPECT_TRUE(rest.complete);
    EXPECT_EQ(rest.computed, 18u * 6 - stored);
    EXPECT_EQ(exported(directory.file("run")), reference);
  }
}

TEST(StudyRun, WhatAnUnfinishedOneExportsIsAPartOfTheWhole) {
  const StudyPlan plan = plan_of(kSmallStudy);
  const TemporaryDirectory directory;
  run_for(plan, directory.file("run"), 20);
  const StudyResult part = read_results(directory.file("run"));
  EXPECT_FALSE(part.complete);
  EXPECT_EQ(part.replications_total, 18u * 6);
  std::uint64_t counted = 0;
  for (const CellSummary& summary : part.cells) counted += summary.final_regret().count;
  EXPECT_EQ(counted, part.replications_done);
  const std::string rows = exported(directory.file("run")).at("replications.csv");
  const std::string all = undisturbed(plan).at("replications.csv");
  std::istringstream lines(rows);
  std::uint64_t found = 0;
  for (std::string line; std::getline(lines, line); ++found)
    EXPECT_TRUE(contains(all, line + "\n")) << line;
  EXPECT_EQ(found, 1 + part.replications_done);
  EXPECT_TRUE(contains(study_latex(part), "% Not finished"));
}

TEST(StudyRun, MoreReplicationsAreTheSameAsHavingAskedForThemAtFirst) {
  const Files reference = undisturbed(plan_of(kSmallStudy, {"replications=9"}));
  const TemporaryDirectory directory;
  run_for(plan_of(kSmallStudy, {"replications=4"}), directory.file("run"), 5);
  run_study(plan_of(kSmallStudy, {"replications=6"}), directory.file("run"), on_threads(2));
  const StudyOutcome outcome =
      run_study(plan_of(kSmallStudy, {"replications=9"}), directory.file("run"));
  EXPECT_EQ(outcome.computed, 18u * 3);
  EXPECT_EQ(exported(directory.file("run")), reference);
}

TEST(StudyRun, LabelsWordsAndFiguresMayChange) {
  const TemporaryDirectory directory;
  run_study(plan_of(kSmallStudy), directory.file("run"));
  std::string changed = kSmallStudy;
  changed.replace(changed.find("balancer"), 8, "other label");
  const StudyOutcome outcome = run_study(
      plan_of(changed, {"title=other", "text=words", "figures='box'"}), directory.file("run"));
  EXPECT_EQ(outcome.computed, 0u);
  const StudyResult result = read_results(directory.file("run"));
  EXPECT_EQ(result.plan.study.title, "other");
  EXPECT_EQ(result.plan.study.figures.size(), 1u);
  EXPECT_EQ(result.plan.cells[1].policy_label, "other label");
  EXPECT_TRUE(contains(exported(directory.file("run")).at("cells.csv"), "other label"));
}

TEST(StudyRun, StatusTellsWhatIsStored) {
  const TemporaryDirectory directory;
  const StudyPlan plan = plan_of(kSmallStudy);
  run_for(plan, directory.file("run"), 20);
  const StudyStatus status = study_status(directory.file("run"));
  EXPECT_FALSE(status.running);
  EXPECT_EQ(status.plan.study.title, "small");
  std::uint64_t stored = 0;
  for (const std::uint32_t count : status.replications) stored += count;
  EXPECT_EQ(stored, StudyStore::read(directory.file("run")).stored_replications());
}

TEST(StudyRun, CanBeLookedAtWhileItRuns) {
  const TemporaryDirectory directory;
  const StudyPlan plan = plan_of(kSmallStudy);
  std::uint64_t looks = 0;
  RunHooks hooks = on_threads(1);
  hooks.progress = [&](const Progress& progress) {
    const StudyStatus status = study_status(directory.file("run"));
    EXPECT_TRUE(status.running);
    std::uint64_t stored = 0;
    for (const std::uint32_t count : status.replications) stored += count;
    EXPECT_EQ(stored, progress.replications_done);
    const StudyResult result = read_results(directory.file("run"));
    EXPECT_EQ(result.replications_done, stored);
    ++looks;
  };
  run_study(plan, directory.file("run"), hooks);
  EXPECT_GT(looks, 0u);
  EXPECT_EQ(exported(directory.file("run")), undisturbed(plan));
}

TEST(StudyRun, TheStoreNamesItsEnvironmentAndTheExportDoesNot) {
  const TemporaryDirectory directory;
  run_study(plan_of(kSmallStudy), directory.file("run"));
  const RunEnvironment environment = read_results(directory.file("run")).environment;
  EXPECT_NE(environment.version, "");
  EXPECT_NE(environment.compiler, "");
  EXPECT_NE(environment.processor, "");
  for (const auto& [name, content] : exported(directory.file("run"))) {
    EXPECT_FALSE(contains(content, environment.processor)) << name;
    EXPECT_FALSE(contains(content, directory.path())) << name;
    EXPECT_FALSE(contains(content, "seconds")) << name;
  }
}

TEST(StudyRun, SeveralLearnersOfOneKindAreToldApart) {
  const TemporaryDirectory directory;
  run_study(plan_of(kSmallStudy, {"policies=['db:base=ucb+ucb', 'd3rb']", "horizons=[60]"}),
            directory.file("run"));
  const StudyResult result = read_results(directory.file("run"));
  ASSERT_EQ(result.cells.front().shares.size(), 2u);
  EXPECT_NE(result.cells.front().shares[0].learner, result.cells.front().shares[1].learner);
}

// --- What may not change

struct Change {
  std::vector<std::string> overrides;
  const char* message;
};

TEST(StudyRefusal, AChangedStudyIsNamed) {
  const TemporaryDirectory directory;
  run_for(plan_of(kSmallStudy), directory.file("run"), 5);
  const Files before = exported(directory.file("run"));
  for (const Change& change : std::vector<Change>{
           {{"seed=8"}, "seed: got 8, expected 7, as when this study was begun"},
           {{"checkpoints=6"}, "checkpoints: got 6, expected 5"},
           {{"engine=step"}, "engine: got step, expected auto"},
           {{"replications=5"}, "replications: got 5, expected at least 6"},
           {{"horizons=[50]"}, "number of cells: got 9, expected 18"},
           {{"horizons=[50,300]"}, "got ucb on bilodeau-confounded:actions=4 at T = 300"},
           {{"policies=['ucb','pe','ts']"}, "cell 1: got pe on bilodeau-confounded"},
           {{"instances=['hidden-arm','semi-benign','pe-trap']"},
            "cell 0: got ucb on hidden-arm"}}) {
    const std::string message =
        refusal([&] { run_study(plan_of(kSmallStudy, change.overrides), directory.file("run")); });
    EXPECT_TRUE(contains(message, change.message)) << message;
    EXPECT_TRUE(contains(message, "study.sqlite: ")) << message;
    EXPECT_TRUE(contains(message, "use another directory")) << message;
  }
  EXPECT_EQ(exported(directory.file("run")), before);
}

TEST(StudyRefusal, AnInstanceFileThatChanged) {
  const TemporaryDirectory directory;
  const std::string world = R"({"format": "armature-instance", "version": 1, "actions": 2,
    "contexts": 1, "marginals": [[1], [1]],
    "rewards": {"given_action_and_context": [[0.5], [LAW]]}})";
  const auto write_world = [&](const std::string& law) {
    std::string json = world;
    write_file(directory.file("w.json"), json.replace(json.find("LAW"), 3, law));
  };
  const std::vector<std::string> overrides{"instances='" + directory.file("w.json") + "'"};
  write_world("0.25");
  run_study(plan_of(kSmallStudy, overrides), directory.file("run"));
  for (const char* law : {"0.26", "{\"point\": 0.25}"}) {
    write_world(law);
    const std::string message =
        refusal([&] { run_study(plan_of(kSmallStudy, overrides), directory.file("run")); });
    EXPECT_TRUE(contains(message, "file " + directory.file("w.json") + ": got another content"))
        << message;
  }
  write_world("0.25");
  EXPECT_EQ(run_study(plan_of(kSmallStudy, overrides), directory.file("run")).computed, 0u);
}

// --- What else may lie there

class Elsewhere : public testing::Test {
 protected:
  std::string run() {
    return refusal([&] { run_study(plan_of(kSmallStudy), directory_.path()); });
  }
  void execute(const std::string& sql) {
    Database(store_path(directory_.path()), Database::Mode::kCreate).execute(sql);
  }
  TemporaryDirectory directory_;
};

TEST(StudyExport, OfOneReplicationTheErrorIsEmpty) {
  const TemporaryDirectory directory;
  run_study(plan_of(kSmallStudy, {"replications=1"}), directory.file("run"));
  Files files = exported(directory.file("run"));
  for (const char* name : {"curves.csv", "differences.csv"}) {
    std::istringstream lines(files[name]);
    std::string line;
    std::getline(lines, line);
    EXPECT_TRUE(contains(line, ",replications,mean,deviation,standard_error,low95,high95,least,"));
    while (std::getline(lines, line)) EXPECT_TRUE(contains(line, ",,,,,")) << name << ": " << line;
  }
}

// Every replication at every checkpoint, on request: the last of them is its final regret.
TEST_F(Elsewhere, CurvesOfReplicationsAreExportedOnRequest) {
  ASSERT_EQ(run(), "(accepted)");
  export_csv(directory_.path(), directory_.file("csv"));
  EXPECT_FALSE(std::filesystem::exists(directory_.file("csv/replication_curves.csv")));
  export_csv(directory_.path(), directory_.file("csv"), /*every_curve=*/true);
  const std::string csv = read_file(directory_.file("csv/replication_curves.csv"));
  EXPECT_EQ(csv.substr(0, csv.find('\n')), "cell,round,replication,regret");
  const StudyResult result = read_results(directory_.path());
  std::string expected_ends;
  std::ptrdiff_t rows = 1;
  for (const CellSummary& summary : result.cells) {
    rows += static_cast<std::ptrdiff_t>(summary.curve.size() * summary.finals.size());
    for (std::size_t i = 0; i < summary.finals.size(); ++i)
      expected_ends += std::to_string(summary.cell.id) + "," +
                       std::to_string(summary.cell.horizon) + "," + std::to_string(i) + "," +
                       print_real(summary.finals[i]) + "\n";
  }
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), rows);
  std::istringstream ends(expected_ends);
  for (std::string end; std::getline(ends, end);)
    EXPECT_TRUE(contains(csv, "\n" + end + "\n")) << end;
}

TEST_F(Elsewhere, OtherFilesAreRefusedAndLeftAlone) {
  write_file(directory_.file("thesis.tex"), "precious");
  EXPECT_EQ(run(), directory_.path() +
                       ": directory: got other files, expected a new or empty one, or a study's "
                       "own");
  EXPECT_EQ(directory_.listing(), std::vector<std::string>{"thesis.tex"});
}

TEST_F(Elsewhere, AFileIsNoDirectory) {
  write_file(directory_.file("x"), "");
  const std::string message =
      refusal([&] { run_study(plan_of(kSmallStudy), directory_.file("x")); });
  EXPECT_TRUE(contains(message, "x: directory: got ")) << message;
}

TEST_F(Elsewhere, GarbageIsRefusedAndLeftAlone) {
  const std::string garbage(5000, 'g');
  write_file(store_path(directory_.path()), garbage);
  EXPECT_TRUE(contains(run(), "expected a SQLite database"));
  for (const auto& call : std::vector<std::function<void()>>{
           [&] { read_results(directory_.path()); }, [&] { study_status(directory_.path()); },
           [&] { export_csv(directory_.path(), directory_.file("csv")); }})
    EXPECT_TRUE(contains(refusal(call), "study.sqlite: ")) << refusal(call);
  EXPECT_EQ(read_file(store_path(directory_.path())), garbage);
  EXPECT_FALSE(std::filesystem::exists(directory_.file("csv")));
}

TEST_F(Elsewhere, AnotherProgramsDatabaseIsRefused) {
  execute("CREATE TABLE mail(x)");
  EXPECT_TRUE(contains(run(), "study.sqlite: database: got another program's"));
  EXPECT_TRUE(contains(refusal([&] { read_results(directory_.path()); }), "another program's"));
}

TEST_F(Elsewhere, AnotherSchemaIsRefused) {
  ASSERT_EQ(run(), "(accepted)");
  execute("PRAGMA user_version = 4");
  EXPECT_TRUE(contains(
      run(), "study.sqlite: schema version: got 4, expected at most 3, this armature's; read it"));
  EXPECT_TRUE(contains(refusal([&] { study_status(directory_.path()); }), "schema version: got 4"));
}

// Schema 2 is schema 3 without the names of diagnostics. It knew one that is a name.
TEST_F(Elsewhere, AStoreOfTheSecondSchemaIsReadAsItIs) {
  const StudyPlan plan = plan_of(
      "horizons = 3000\ninstances = 'hidden-arm:gap=0.4'\npolicies = ['sentry', 'db']\n"
      "replications = 4\n");
  run_study(plan, directory_.path(), on_threads(1));
  const StudyResult now = read_results(directory_.path());
  const auto names = [](const StudyResult& result) {
    std::map<std::string, DiagnosticSummary> found;
    for (const DiagnosticSummary& diagnostic : result.cells[0].diagnostics)
      if (diagnostic.is_name()) found[diagnostic.name] = diagnostic;
    return found;
  };
  ASSERT_EQ(names(now).count("rejection_action"), 1u);  // sentry rejects in some replication
  execute("ALTER TABLE diagnostics DROP COLUMN word; PRAGMA user_version = 2");
  const std::string before = read_file(store_path(directory_.path()));
  const StudyResult then = read_results(directory_.path());
  EXPECT_EQ(names(then)["rejection_action"].counts, names(now)["rejection_action"].counts);
  EXPECT_TRUE(contains(exported(directory_.path())["diagnostics.csv"], ",value,word\n"));
  EXPECT_EQ(read_file(store_path(directory_.path())), before);
  EXPECT_TRUE(contains(refusal([&] { run_study(plan, directory_.path()); }),
                       "schema version: got 3, expected 2, as when this study was begun"));
}

// The same rows without the columns that Student's t is in: its last bit was the C library's.
std::string without_intervals(const std::string& csv) {
  std::string kept;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> cells;
    std::istringstream parts(line);
    for (std::string part; std::getline(parts, part, ',');) cells.push_back(part);
    cells.erase(cells.end() - 9, cells.end() - 7);  // low95 and high95 stand before the quantiles
    kept += join(cells, ",") + "\n";
  }
  return kept;
}

// A store of version 0.1.0 with the CSV it exported then. It is read, and stays as it is.
TEST_F(Elsewhere, AStoreOfTheFirstSchemaIsReadAsItIs) {
  const std::string stores = ARMATURE_SOURCE_DIR "/tests/study/stores/";
  const std::string before = read_file(stores + "first-schema.sqlite");
  write_file(store_path(directory_.path()), before);
  const StudyResult result = read_results(directory_.path());
  EXPECT_TRUE(result.complete);
  ASSERT_EQ(result.cells.size(), 12u);
  EXPECT_EQ(result.cells[1].cell.policy_label, "db:dial=0");
  EXPECT_EQ(result.cells[1].cell.sweep(), "db");
  EXPECT_EQ(result.cells[1].cell.instance_name.sweep(), "hidden");
  EXPECT_EQ(result.cells[0].engine, "");  // it did not say
  EXPECT_EQ(judge(result).at(0).outcome, "holds");
  const std::string curves = exported(directory_.path())["curves.csv"];
  EXPECT_TRUE(contains(curves, ",low95,high95,"));
  EXPECT_EQ(without_intervals(curves),
            without_intervals(read_file(stores + "first-schema-curves.csv")));
  EXPECT_EQ(study_status(directory_.path()).replications, std::vector<std::uint32_t>(12, 3));
  EXPECT_EQ(read_file(store_path(directory_.path())), before);
  EXPECT_TRUE(contains(refusal([&] { run_study(result.plan, directory_.path()); }),
                       "expected 0.1.0, as when this study was begun"));
}

// Keys that were accepted once must not lock results in.
TEST_F(Elsewhere, UselessKeysInAStoreArePassedOver) {
  ASSERT_EQ(run(), "(accepted)");
  execute(
      "UPDATE run SET value = value || '\n[[figures]]\nkind = \"box\"\nscale = \"linear\"\n' "
      "WHERE key = 'study'");
  EXPECT_EQ(read_results(directory_.path()).plan.study.figures.at(0).kind, FigureKind::kBox);
}

// Even if that version describes studies in words this one does not know.
TEST_F(Elsewhere, AnotherVersionIsRefusedBeforeItsStudyIsRead) {
  ASSERT_EQ(run(), "(accepted)");
  execute(
      "UPDATE run SET value = '9.9.9' WHERE key = 'version';UPDATE run SET value = 'new_key = 1' "
      "WHERE key = 'study'");
  EXPECT_TRUE(contains(run(), "version of armature: got "));
  EXPECT_TRUE(contains(run(), "expected 9.9.9, as when this study was begun"));
}

TEST_F(Elsewhere, ADamagedPlanIsRefused) {
  ASSERT_EQ(run(), "(accepted)");
  execute("UPDATE cells SET names = '{' WHERE cell = 3");
  EXPECT_TRUE(contains(refusal([&] { read_results(directory_.path()); }), "cells.names"));
  execute("DELETE FROM cells WHERE cell = 3");
  EXPECT_TRUE(contains(refusal([&] { study_status(directory_.path()); }), "cells: got number 4"));
}

// Anyone may edit a database. What a run would not have left is an Error that names it.
TEST_F(Elsewhere, ADamagedStoreIsRefused) {
  ASSERT_EQ(run(), "(accepted)");
  const std::string sound = read_file(store_path(directory_.path()));
  const auto told = [&](const std::string& sql) {
    write_file(store_path(directory_.path()), sound);
    execute(sql);
    std::string message;
    for (const auto& call : std::vector<std::function<void()>>{
             [&] { study_status(directory_.path()); }, [&] { read_results(directory_.path()); },
             [&] { export_csv(directory_.path(), directory_.file("csv")); }}) {
      const std::string said = refusal(call);
      if (said != "(accepted)") message = said;
    }
    return message;
  };
  for (const char* table :
       {"run", "cells", "checkpoints", "replications", "curves", "diagnostics", "pulls", "blocks"})
    EXPECT_TRUE(contains(told(std::string("DROP TABLE ") + table),
                         std::string("study.sqlite: tables: got no ") + table))
        << table;
  EXPECT_TRUE(contains(told("DELETE FROM cells"), "cells: got none"));
  EXPECT_TRUE(contains(told("DELETE FROM checkpoints WHERE cell = 1"), "checkpoints: got no end"));
  EXPECT_TRUE(contains(told("DELETE FROM curves WHERE cell = 1 AND checkpoint = 0"),
                       "curves: got 0 replications of cell 1 at round"));
  EXPECT_TRUE(contains(told("UPDATE replications SET replication = 1000 WHERE cell = 0 AND "
                            "replication = 0"),
                       "column replication: got 1000"));
  EXPECT_TRUE(
      contains(told("UPDATE replications SET cell = 99 WHERE cell = 0"), "column cell: got 99"));
  EXPECT_TRUE(contains(told("UPDATE pulls SET arm = 99 WHERE arm = 0"), "column arm: got 99"));
  EXPECT_TRUE(contains(told("UPDATE pulls SET plays = -1"), "column plays: got -1"));
  EXPECT_TRUE(contains(told("UPDATE checkpoints SET round = -5 WHERE checkpoint = 0"),
                       "column round: got -5"));
  EXPECT_TRUE(contains(told("UPDATE cells SET horizon = 0"), "column horizon: got 0"));
  EXPECT_TRUE(contains(told("UPDATE cells SET loss = 2.0"), "loss: got 2"));
  EXPECT_TRUE(contains(told("UPDATE curves SET regret = 9e999"), "column regret: got "));
  // Every column of numbers, each with a text in it.
  const std::vector<std::pair<std::string, std::vector<std::string>>> numbers = {
      {"cells",
       {"cell", "horizon", "actions", "contexts", "rank", "gap", "epsilon", "benign", "batch",
        "loss", "leap_tolerance"}},
      {"checkpoints", {"round"}},
      {"replications", {"replication", "simple_regret", "leap_error"}},
      {"curves", {"regret"}},
      {"diagnostics", {"value"}},
      {"pulls", {"arm", "plays"}}};
  for (const auto& [table, columns] : numbers)
    for (const std::string& column : columns) {
      if (column == "cell") continue;  // an INTEGER PRIMARY KEY takes no text
      const std::string key = column == "replication" || column == "arm" ? " WHERE cell = 0" : "";
      EXPECT_TRUE(contains(told("UPDATE OR REPLACE " + table + " SET " + column + " = 'x'" + key),
                           "got 'x'"))
          << table << "." << column;
    }
}

TEST_F(Elsewhere, NothingThereIsNothingToRead) {
  for (const auto& call : std::vector<std::function<void()>>{
           [&] { read_results(directory_.path()); }, [&] { study_status(directory_.path()); },
           [&] { export_csv(directory_.path(), directory_.file("csv")); }})
    EXPECT_EQ(refusal(call), directory_.path() +
                                 ": study: got none, expected a directory that armature run has "
                                 "left");
  EXPECT_TRUE(directory_.listing().empty());
}

TEST_F(Elsewhere, ARunKilledBeforeItBeganLeavesAPlaceToBegin) {
  write_file(store_path(directory_.path()), "");
  EXPECT_TRUE(contains(refusal([&] { study_status(directory_.path()); }), "one that never began"));
  EXPECT_EQ(run(), "(accepted)");
}

TEST_F(Elsewhere, TwoRunsAtOnceAreRefused) {
  const StudyPlan plan = plan_of(kSmallStudy);
  std::string message;
  RunHooks hooks = on_threads(1);
  hooks.progress = [&](const Progress&) {
    if (message.empty()) message = refusal([&] { run_study(plan, directory_.path()); });
  };
  run_study(plan, directory_.path(), hooks);
  EXPECT_EQ(message, directory_.path() + ": directory: got process " + std::to_string(getpid()) +
                         " on " + host_name() + " at work in it, expected one at a time");
}

TEST(StudyRefusal, PullsMustBeCountable) {
  EXPECT_TRUE(contains(
      refusal([] {
        const TemporaryDirectory directory;
        run_study(plan_of(kSmallStudy, {"horizons=[1e18]", "replications=10"}), directory.path());
      }),
      "horizon × replications: got 1000000000000000000 × 10, expected at most 9e18"));
}

// Late, batched and lost outcomes in a study are those of `simulate`.
TEST(Conditions, AStudyRunsThemAsSimulateDoes) {
  const TemporaryDirectory directory;
  const StudyPlan plan = plan_of(
      "horizons = 300\ninstances = 'hidden-arm:gap=0.3'\npolicies = ['ucb', 'uniform']\n"
      "delay = [0, 50]\nloss = 0.1\nreplications = 5\n");
  run_study(plan, directory.path(), on_threads(2));
  const StudyResult result = read_results(directory.path());
  ASSERT_EQ(result.cells.size(), 4u);
  EXPECT_EQ(result.differences.size(), 2u);  // one for each delay
  EXPECT_NE(result.cells[0].final_regret().mean, result.cells[2].final_regret().mean);
  for (const CellSummary& summary : result.cells) {
    Simulation simulation;
    simulation.instance = summary.cell.instance;
    simulation.policies = {summary.cell.policy};
    simulation.horizon = 300;
    simulation.replications = 5;
    simulation.feedback = summary.cell.feedback;
    EXPECT_EQ(simulate(simulation).cells[0].final_regret().mean, summary.final_regret().mean);
  }
  const auto files = exported(directory.path());
  EXPECT_TRUE(contains(files.at("cells.csv"), ",fixed:50,1,0.1,1e-09\n")) << files.at("cells.csv");
}

// Which engine ran, replication by replication.
TEST(Engines, AreStoredAndExported) {
  const TemporaryDirectory directory;
  run_study(plan_of("horizons = 20000\ninstances = 'hidden-arm:gap=0.3'\npolicies = ['ucb']\n"
                    "engine = 'leap'\nreplications = 2\nleap_tolerance = 1e-6\n"),
            directory.path(), on_threads(1));
  const CellSummary summary = read_results(directory.path()).cells.at(0);
  EXPECT_EQ(summary.engine, "leap");
  EXPECT_GT(summary.leap_error, 1e-9);  // more than the default would allow
  EXPECT_LE(summary.leap_error, 1e-6);
  const std::string csv = exported(directory.path())["replications.csv"];
  EXPECT_TRUE(csv.starts_with("cell,replication,regret,simple_regret,engine,leap_error\n"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3);
  EXPECT_TRUE(contains(csv, ",leap,")) << csv;
}

}  // namespace
}  // namespace armature
