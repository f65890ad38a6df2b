// Where a study's results live: one SQLite database in the study's directory, one transaction per
// block of replications (schema: docs/formats.md). Whatever the moment of a crash, each
// replication is there whole or not at all.
#pragma once

#include <functional>
#include <mutex>

#include "armature/study.h"
#include "base/sqlite.h"

namespace armature {

class StudyStore final : public Recorder {
 public:
  /// Begins a study in a directory that is new, empty, or holds the same study already; only
  /// replications may have grown, and labels, words and figures may have changed. Throws Error
  /// otherwise, and leaves the results there as they were. The caller holds the DirectoryLease.
  /// `guard` is called before each write and throws if the directory is no longer the caller's:
  /// nothing is written then, not even by closing the store.
  static StudyStore begin(const std::string& directory, const StudyPlan& plan,
                          std::function<void()> guard = {});
  /// What a directory holds: one view of it all, whatever a run adds meanwhile. Not for adding.
  /// Throws Error while a run is at work whose store cannot be shared (require_shared).
  static StudyStore read(const std::string& directory);

  static bool exists(const std::string& directory);
  /// Throws Error if a run is at work in this directory on another machine, or on a network's file
  /// system: SQLite's log beside the database needs memory that all who open it share, and a reader
  /// without it could take the log away from under the writer.
  static void require_shared(const std::string& directory);
  /// Has the study's first stage begun here, and nothing else?
  static bool only_searched(const std::string& directory);
  /// Throws Error if a study that searches cannot go on or begin in this directory, so that this is
  /// said before the search and not after it.
  static void require_same_search(const std::string& directory, const Study& study);

  const StudyPlan& plan() const { return plan_; }
  /// Of the run that began the study; those that went on with it leave no mark.
  RunEnvironment environment();

  /// Throws Error if what was read is not what a run leaves: a cell with other replications at one
  /// checkpoint than at another.
  void require_whole(const Results& results);

  /// Of all cells together.
  std::uint64_t stored_replications();
  std::vector<std::uint32_t> replications_per_cell();
  /// Leaves one plain file behind, which can be copied and mailed without its log. Nothing is lost
  /// if it is never called.
  void finish();
  /// cells.csv, replications.csv, pulls.csv and diagnostics.csv, row by row; where it is asked for
  /// also replication_curves.csv.
  void export_tables(const std::string& folder, bool every_curve);

  /// The Recorder's contract, order for order the same as MemoryRecorder's: `summarize` must not be
  /// able to tell them apart. A block is on disk, synced, when `add` returns.
  void add(std::uint32_t cell, std::uint32_t first, const BlockResult& block) override;
  /// Several blocks in one transaction: synced once.
  struct Block {
    std::uint32_t cell;
    std::uint32_t first;
    const BlockResult& result;
  };
  void add(const std::vector<Block>& blocks);
  std::vector<ReplicationRange> missing(std::uint32_t cell) override;
  std::vector<Round> checkpoints(std::uint32_t cell) override;
  void regrets(std::uint32_t cell, std::size_t checkpoint, Order order,
               const Values& each) override;
  void differences(std::uint32_t first, std::uint32_t second, Order order,
                   const Values& each) override;
  void simple_regrets(std::uint32_t cell, const Values& each) override;
  void diagnostics(std::uint32_t cell, const NotedValues& each) override;
  std::vector<std::uint64_t> pulls(const PlannedCell& cell) override;
  Engines engines(std::uint32_t cell) override;
  double seconds(std::uint32_t cell) override;

 private:
  StudyStore(std::unique_ptr<Database> database, StudyPlan plan, std::function<void()> guard);
  void require_mine();
  /// The statements of one block; defined where all SQL stands.
  struct Insertions;

  // Behind pointers, so that a store can be moved: statements keep the address of their database.
  std::unique_ptr<Database> database_;
  StudyPlan plan_;
  std::function<void()> guard_;
  std::unique_ptr<std::mutex> writing_ = std::make_unique<std::mutex>();
};

/// All summaries of what a store holds.
StudyResult results_of(StudyStore& store);

/// DIR/study.sqlite.
std::string store_path(const std::string& directory);
/// DIR/search: the study's first stage.
std::string search_path(const std::string& directory);

}  // namespace armature
