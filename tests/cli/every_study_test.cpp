// Every study of the repository can be run: checked as it is, and run small to the end. Gaps that
// shrink like 1/√T fit their families from 2·10^5 rounds on; that is too long under sanitizers.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/refusal.h"
#include "support/program.h"
#include "support/studies.h"

namespace armature::test {
namespace {

std::vector<std::string> all_studies() {
  std::vector<std::string> paths;
  const std::filesystem::path root = ARMATURE_SOURCE_DIR;
  for (const char* folder : {"studies", "examples"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder))
      if (entry.path().extension() == ".toml")
        paths.push_back(std::filesystem::relative(entry.path(), root).string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string test_name(const testing::TestParamInfo<std::string>& study) {
  std::string name = study.param;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

class EveryStudy : public testing::TestWithParam<std::string> {};

TEST_P(EveryStudy, FitsAsItStands) {
  const std::string path = ARMATURE_SOURCE_DIR "/" + GetParam();
  EXPECT_GT(plan_study(read_study_file(path)).cells.size(), 0u);
}

TEST_P(EveryStudy, RunsSmall) {
#ifndef NDEBUG
  GTEST_SKIP() << "runs in Release builds";
#endif
  const TemporaryDirectory directory;
  const std::string path = ARMATURE_SOURCE_DIR "/" + GetParam();
  // A search has thousands of cells, each of them tried: shorter ones.
  const bool searches = contains(read_file(path), "[search]");
  const std::string study =
      "'" + path + "' replications=1 " +
      (searches ? "'horizons=[2e4]' 'search={replications=1}' " : "'horizons=[2e5]' ");
  const ProgramResult check = run_shell("armature study check " + study, directory.path());
  EXPECT_TRUE(contains(check.out, " × 1 replications")) << check.err;
  const ProgramResult run =
      run_shell("armature run --out run " + study + "&& armature status run && armature export run",
                directory.path());
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(contains(run.out, "(100%), finished")) << run.out;
  EXPECT_EQ(files_in(directory.file("run/csv")).size(), 6u);
}

INSTANTIATE_TEST_SUITE_P(Repository, EveryStudy, testing::ValuesIn(all_studies()), test_name);

}  // namespace
}  // namespace armature::test
