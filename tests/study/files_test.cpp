// The files that a study's instances name: found beside the study, kept with it, and refused when
// they have become others.
#include <gtest/gtest.h>

#include <filesystem>

#include "armature/graph.h"
#include "base/refusal.h"
#include "study/questions.h"
#include "study/store.h"
#include "support/program.h"
#include "support/studies.h"

namespace armature {
namespace {

using test::contains;
using test::exported;
using test::refusal;
using test::TemporaryDirectory;

constexpr const char* kGraph = R"(dag {
dose [exposure]
level
mood [outcome]
dose -> level
level -> mood
}
)";
constexpr const char* kTables = R"({"format": "armature-tables", "version": 1, "nodes": {
  "dose": {"states": ["low", "high"], "rows": [0.5, 0.5]},
  "level": {"states": ["low", "high"], "parents": ["dose"],
            "rows": {"low": [0.8, 0.2], "high": [0.3, 0.7]}},
  "mood": {"states": ["bad", "good"], "parents": ["level"],
           "rows": {"low": [0.7, 0.3], "high": [0.4, 0.6]}}}})";
constexpr const char* kWorld = R"({"format": "armature-instance", "version": 1, "actions": 2,
  "contexts": 1, "marginals": [[1], [1]], "rewards": {"given_action_and_context": [[0.5], [0.2]]}})";
constexpr const char* kStudy = R"(
title = "files"
replications = 3
horizons = [40, 80]
policies = ["ucb", "c-ucb"]
[[instances]]
instance = "graph:file=graphs/mood.dag,action=dose,context=level,reward=mood=good"
label = "mood"
[[instances]]
instance = "world"
)";

// A study in a folder of its own, with what it names beside it: nothing of it is in the working
// directory.
class StudyFiles : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(directory_.file("home/graphs"));
    write_file(directory_.file("home/graphs/mood.dag"), kGraph);
    write_file(directory_.file("home/graphs/mood.tables.json"), kTables);
    write_file(directory_.file("home/world"), kWorld);
    write_file(study_, kStudy);
  }
  Study read(const std::vector<std::string>& overrides = {}) const {
    return read_study_file(study_, overrides);
  }
  std::string run(const FileTable& kept = {}, const std::vector<std::string>& overrides = {}) {
    return refusal([&] { run_study(plan_study(read_study_file(study_, overrides, kept)), out_); });
  }
  void lose_files() {
    std::filesystem::remove_all(directory_.file("home/graphs"));
    std::filesystem::remove(directory_.file("home/world"));
  }

  const TemporaryDirectory directory_;
  const std::string study_ = directory_.file("home/study.toml");
  const std::string out_ = directory_.file("run");
};

TEST_F(StudyFiles, AreFoundBesideTheStudy) {
  const Study study = read();
  const FileTable expected{
      {"graphs/mood.dag", kGraph}, {"graphs/mood.tables.json", kTables}, {"world", kWorld}};
  EXPECT_EQ(study.files, expected);
  const StudyPlan plan = plan_study(study);
  EXPECT_EQ(plan.cells.size(), 8u);
  // As it was written, wherever the study lies.
  EXPECT_EQ(plan.cells[0].instance,
            "graph:file=graphs/mood.dag,action=dose,context=level,reward=mood=good");
  EXPECT_EQ(write_study(study).find(directory_.path()), std::string::npos);
}

// From C++ or a pipe a study has no folder.
TEST_F(StudyFiles, OfATextAreFoundFromTheWorkingDirectory) {
  EXPECT_TRUE(contains(refusal([] { plan_study(read_study(kStudy, "s.toml")); }),
                       "instance: graphs/mood.dag: open: got No such file"));
  std::string absolute = kStudy;
  absolute.replace(absolute.find("graphs/"), 0, directory_.file("home/"));
  absolute.replace(absolute.find("\"world\"") + 1, 0, directory_.file("home/"));
  const StudyPlan plan = plan_study(read_study(absolute, "s.toml"));
  EXPECT_EQ(plan.study.files.size(), 3u);
}

TEST_F(StudyFiles, OutliveTheDisk) {
  ASSERT_EQ(run(), "(accepted)");
  const std::string page = directory_.file("published.json");
  publish(read_results(out_), page);
  const std::string bytes = read_file(page);
  const auto csv = exported(out_);
  lose_files();
  const StudyResult result = read_results(out_);
  EXPECT_EQ(result.plan.study.files.size(), 3u);
  EXPECT_EQ(exported(out_), csv);
  publish(result, page);
  EXPECT_EQ(read_file(page), bytes);
  // What is stored or published can be planned and run elsewhere.
  for (const StudyResult& kept : {result, read_published(page)}) {
    EXPECT_EQ(kept.plan.study.files, result.plan.study.files);
    const std::string again = directory_.file("again");
    run_study(plan_study(kept.plan.study), again);
    EXPECT_EQ(exported(again), csv);
    std::filesystem::remove_all(again);
  }
}

TEST_F(StudyFiles, ThatAreGoneAreTakenFromTheStoreThatGoesOn) {
  ASSERT_EQ(run(), "(accepted)");
  lose_files();
  EXPECT_TRUE(contains(run(), "study.toml: instance: "));
  EXPECT_TRUE(contains(run(), "graphs/mood.dag: open: got No such file"));
  EXPECT_EQ(run(stored_files(out_), {"replications=5"}), "(accepted)");
  EXPECT_EQ(read_results(out_).replications_done, 40u);
  EXPECT_TRUE(stored_files(directory_.file("nowhere")).empty());
}

// By their bytes: what is kept is what was played.
TEST_F(StudyFiles, ThatHaveChangedAreRefusedByName) {
  ASSERT_EQ(run(), "(accepted)");
  const auto csv = exported(out_);
  for (const char* file : {"graphs/mood.dag", "graphs/mood.tables.json", "world"}) {
    const std::string path = directory_.file("home/") + file;
    const std::string before = read_file(path);
    write_file(path, before + "\n");
    // The store's copy is for what is gone, never for what has changed.
    EXPECT_TRUE(contains(run(stored_files(out_)),
                         std::string("study.sqlite: file ") + file +
                             ": got another content, expected the content it had, as when this "
                             "study was begun; use another directory for another study"))
        << run();
    write_file(path, before);
  }
  EXPECT_EQ(run(), "(accepted)");
  EXPECT_EQ(exported(out_), csv);
}

// Published results were of the files as they were.
TEST_F(StudyFiles, ArePartOfTheDesign) {
  const Study then = read();
  EXPECT_EQ(other_design(read(), then), "");
  write_file(directory_.file("home/world"), std::string(kWorld) + " ");
  EXPECT_EQ(other_design(read(), then), "another content of 'world'");
  Study old = then;
  old.files.clear();  // published before files were kept
  EXPECT_EQ(other_design(read(), old), "");
}

// What has become of the disk since is none of a study that was read.
TEST_F(StudyFiles, ThatAreKeptTakeNoOthers) {
  const std::string graph = directory_.file("home/graphs/mood.dag");
  const Study study =
      read({"instances='graph:file=" + graph + ",action=dose,context=level,reward=mood=good'"});
  EXPECT_EQ(study.files.size(), 2u);
  write_file(graph, "nonsense");
  write_file(directory_.file("home/graphs/mood.tables.json"), "nonsense");
  EXPECT_EQ(plan_study(study).study.files, study.files);
}

// A grid over graphs keeps them all; the same file named twice is kept once.
TEST_F(StudyFiles, OfAGridAreAllKept) {
  write_file(directory_.file("home/graphs/two.dag"), kGraph);
  write_file(directory_.file("home/two.json"), kTables);
  write_file(study_, R"(
horizons = 20
policies = "ucb"
[[instances]]
instance = "graph"
file = ["graphs/mood.dag", "graphs/two.dag"]
tables = "two.json"
action = "dose"
context = ["level", "mood"]
reward = "mood=good"
)");
  EXPECT_EQ(read().files.size(), 3u);
}

// Two instances may share a graph and not its tables.
TEST_F(StudyFiles, OfOneGraphWithSeveralTablesAreAllKept) {
  std::string other = kTables;
  other.replace(other.find("0.3, 0.7"), 8, "0.1, 0.9");
  write_file(directory_.file("home/other.json"), other);
  write_file(study_, R"(
horizons = 20
policies = "ucb"
[[instances]]
instance = "graph:file=graphs/mood.dag,action=dose,context=level,reward=mood=good"
[[instances]]
instance = "graph:file=graphs/mood.dag,tables=other.json,action=dose,context=level,reward=mood=good"
)");
  const StudyPlan plan = plan_study(read());
  EXPECT_EQ(plan.study.files.size(), 3u);
  EXPECT_NE(plan.cells[0].fingerprint, plan.cells[1].fingerprint);
  EXPECT_EQ(plan_study(plan.study).study.files, plan.study.files);
}

// Both stages keep them, and what the search chose can be checked without them.
TEST_F(StudyFiles, OfASearchAreKeptByBothStages) {
  const std::string toml = std::string(kStudy) + "[search]\nreplications = 2\n";
  write_file(study_, toml);
  ASSERT_EQ(run(), "(accepted)");
  lose_files();
  EXPECT_TRUE(chosen_by_its_search(out_));
  EXPECT_EQ(stored_files(search_path(out_)), stored_files(out_));
  EXPECT_EQ(stored_files(out_).size(), 3u);
}

// Stores of before files were kept: nothing kept, everything else as ever.
TEST_F(StudyFiles, OfAnOlderStoreAreNotThere) {
  ASSERT_EQ(run(), "(accepted)");
  Database(store_path(out_), Database::Mode::kReadWrite)
      .execute("DELETE FROM run WHERE key LIKE 'file:%'");
  EXPECT_TRUE(read_results(out_).plan.study.files.empty());
  // It goes on, by the truth behind its cells alone, and keeps them from now on.
  EXPECT_EQ(run({}, {"replications=4"}), "(accepted)");
  EXPECT_EQ(stored_files(out_).size(), 3u);
}

struct Mistake {
  const char* instance;
  const char* message;
};

class StudyFileMistake : public StudyFiles, public testing::WithParamInterface<Mistake> {};

// Study, field and file are named, and nothing is begun.
TEST_P(StudyFileMistake, IsNamed) {
  write_file(directory_.file("home/graphs/bare.dag"), kGraph);
  write_file(directory_.file("home/graphs/bad.dag"), "dag { a -> b -> a }");
  write_file(directory_.file("home/graphs/bad.json"), "{\"format\": \"armature-tables\"}");
  const test::ProgramResult result =
      test::run_shell(std::string("armature run home/study.toml -o run \"instances='") +
                          GetParam().instance + "'\"",
                      directory_.path());
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(contains(result.err, std::string("home/study.toml: ") + GetParam().message))
      << result.err;
  EXPECT_FALSE(std::filesystem::exists(out_));
}

INSTANTIATE_TEST_SUITE_P(
    Graphs, StudyFileMistake,
    testing::Values(
        Mistake{"graph:file=gone.bif,action=dose,reward=mood=good",
                "instance: home/gone.bif: open: got No such file"},
        Mistake{"graph:file=graphs,action=dose,reward=mood=good",
                "instance: home/graphs: open: got a directory"},
        Mistake{"graph:file=graphs/mood.dag,tables=gone.json,action=dose,reward=mood=good",
                "instance: home/gone.json: open: got No such file"},
        Mistake{"graph:file=graphs/mood.dag,action=doze,reward=mood=good",
                "instance: graphs/mood.dag: action: got 'doze'"},
        Mistake{"graph:file=graphs/mood.dag,action=dose,context=levl,reward=mood=good",
                "instance: graphs/mood.dag: context: got 'levl'"},
        Mistake{"graph:file=graphs/mood.dag,action=dose,reward=mood=fine",
                "instance: graphs/mood.dag: reward: got"},
        Mistake{"graph:file=graphs/bare.dag,action=dose,reward=mood=good",
                "instance: graphs/bare.dag: "},
        Mistake{"graph:file=graphs/bad.dag,action=a,reward=b=1", "instance: home/graphs/bad.dag: "},
        Mistake{"graph:file=graphs/mood.dag,tables=graphs/bad.json,action=dose,reward=mood=good",
                "instance: graphs/bad.json: "},
        Mistake{"gone.json", "instance: home/gone.json: open: got No such file"}));

}  // namespace
}  // namespace armature
