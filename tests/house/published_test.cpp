// What is published in studies/results answers the questions that the study files ask: they were
// frozen before the data, and so was the design.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "armature/study.h"
#include "house/source_tree.h"
#include "study/questions.h"

namespace armature {
namespace {

namespace fs = std::filesystem;
const fs::path kStudies = ARMATURE_SOURCE_DIR "/studies";

// By stem, as results are: two files of one name would share theirs.
std::map<std::string, std::string> study_files() {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(kStudies))
    if (entry.path().extension() == ".toml") {
      const bool first = files.emplace(entry.path().stem(), entry.path()).second;
      EXPECT_TRUE(first) << entry.path() << ": another study has this name";
    }
  return files;
}

TEST(PublishedResults, AnswerTheQuestionsAskedBeforehand) {
  const auto studies = study_files();
  EXPECT_GT(studies.size(), 10u);
  for (const test::SourceFile& file : test::files_under("studies/results", {".json"})) {
    const auto study = studies.find(fs::path(file.path).stem());
    if (study == studies.end()) {
      ADD_FAILURE() << file.path << ": there is no such study";
      continue;
    }
    const Study now = read_study_file(study->second);
    const Study then = read_published(ARMATURE_SOURCE_DIR "/" + file.path).plan.study;
    EXPECT_EQ(broken_freeze(now, then), "") << study->second;
    EXPECT_EQ(other_design(now, then), "")
        << study->second << ": not the design that was published; run it and publish it again";
  }
}

}  // namespace
}  // namespace armature
