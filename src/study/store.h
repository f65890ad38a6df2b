// Where a study's results live: one SQLite database in the study's directory, one transaction per
// block of replications (schema: docs/formats.md). Whatever the moment of a crash, each
// replication is there whole or not at all.
#pragma once

#include <mutex>

#include "armature/study.h"
#include "base/sqlite.h"

namespace armature {

class StudyStore {
 public:
  /// Begins a study in a directory that is new, empty, or holds the same study already; only
  /// replications may have grown, and labels, words and figures may have changed. Throws Error
  /// otherwise.
  static StudyStore begin(const std::string& directory, const StudyPlan& plan);
  /// What a directory holds: one view of it all, whatever a run adds meanwhile.
  static StudyStore read(const std::string& directory);

  const StudyPlan& plan() const { return plan_; }
  RunEnvironment environment();

  /// The replications of a cell that are not stored yet, in ranges.
  std::vector<ReplicationRange> missing(std::uint32_t cell);
  std::uint64_t stored_replications();
  /// Stores a finished block. Safe to call from many threads.
  void add(std::uint32_t cell, std::uint32_t first, const BlockResult& block);
  /// Leaves one plain file behind.
  void finish();

  Database& database() { return *database_; }

 private:
  StudyStore(std::unique_ptr<Database> database, StudyPlan plan);
  struct Insertions;

  std::unique_ptr<Database> database_;
  StudyPlan plan_;
  std::unique_ptr<std::mutex> writing_ = std::make_unique<std::mutex>();
};

/// DIR/study.sqlite.
std::string store_path(const std::string& directory);

}  // namespace armature
