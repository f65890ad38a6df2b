// A million replications are exported without being held in memory.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>

#include "base/sqlite.h"
#include "study/store.h"
#include "support/program.h"
#include "support/studies.h"

namespace armature::test {
namespace {

constexpr const char* kStudy =
    "replications = 1\nhorizons = 100\ncheckpoints = 2\n"
    "instances = 'bilodeau-benign'\npolicies = ['ucb', 'ts']\n";

// Two cells of half a million replications each, with regrets in no order.
void grow_to_a_million(const std::string& directory) {
  run_study(plan_of(kStudy), directory);
  Database database(store_path(directory), Database::Mode::kReadWrite);
  const std::string cells_and_numbers =
      "FROM (SELECT 0 AS cell UNION SELECT 1), (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT "
      "i + 1 FROM n WHERE i < 499999) SELECT i FROM n)";
  Transaction transaction(database);
  database.execute(
      "INSERT INTO replications(cell, replication, regret, simple_regret) SELECT cell, i, (i * 7919 + cell) % 1000003 / 7.0, 0 " +
      cells_and_numbers);
  database.execute(
      "INSERT INTO curves(cell, checkpoint, replication, regret) SELECT cell, checkpoint, i, (i * 7919 + cell) % 1000003 / "
      "7.0 " +
      cells_and_numbers + ", (SELECT 0 AS checkpoint UNION SELECT 1)");
  database.execute(
      "UPDATE run SET value = replace(value, 'replications = 1', 'replications = 500000') WHERE "
      "key = 'study'");
  transaction.commit();
}

// The largest of all processes started so far; what this one had counts too, so it is no less.
double most_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

TEST(LargeExport, StaysInBoundedMemory) {
#ifndef NDEBUG
  GTEST_SKIP() << "sanitizers have a memory of their own";
#endif
  const TemporaryDirectory directory;
  run_study(plan_of(kStudy), directory.file("small"));
  ASSERT_EQ(run_shell("armature export small", directory.path()).status, 0);
  const double before = most_megabytes();
  grow_to_a_million(directory.file("large"));
  const ProgramResult result = run_shell("armature export large", directory.path());
  ASSERT_EQ(result.status, 0) << result.err;
  const double growth = most_megabytes() - before;
  RecordProperty("growth_megabytes", std::to_string(growth));
  EXPECT_LT(growth, 64) << "over " << before;
  EXPECT_LT(most_megabytes(), 128);
  const std::string rows = read_file(directory.file("large/csv/replications.csv"));
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 1 + 1'000'000);
  const StudyStatus status = study_status(directory.file("large"));
  EXPECT_EQ(status.replications, (std::vector<std::uint32_t>{500'000, 500'000}));
}

}  // namespace
}  // namespace armature::test
