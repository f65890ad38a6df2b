// Where a study's results live: one SQLite database in the study's directory, one transaction per
// block of replications (schema: docs/formats.md). Whatever the moment of a crash, each
// replication is there whole or not at all.
#pragma once

#include <functional>
#include <mutex>
#include <optional>

#include "armature/study.h"
#include "base/sqlite.h"

namespace armature {

/// The first thing in which a study is not the one whose results are stored, as it is on both
/// sides.
struct StudyDifference {
  std::string field;
  std::string now;
  std::string then;
};
/// Of what decides numbers alone, and of how many replications they are; none: the same study.
std::optional<StudyDifference> study_difference(const StudyPlan& now, const StudyPlan& then);

class StudyStore final : public Recorder {
 public:
  /// Begins a study in a directory that is new, empty, or holds the same study already; only
  /// replications may have grown, and labels, words and figures may have changed. Throws Error
  /// otherwise, and leaves the results there as they were. The caller holds the DirectoryLease.
  /// `guard` is called before each write and throws if the directory is no longer the caller's:
  /// nothing is written then, not even by closing the store. `shard`: the store is to hold this
  /// part of the study alone (study/shards.h).
  static StudyStore begin(const std::string& directory, const StudyPlan& plan,
                          std::function<void()> guard = {},
                          std::optional<Shard> shard = std::nullopt);
  /// What a directory holds: one view of it all, whatever a run adds meanwhile. Not for adding.
  /// Throws Error while a run is at work whose store cannot be shared (require_shared).
  static StudyStore read(const std::string& directory);
  /// The same for who holds the DirectoryLease.
  static StudyStore read_held(const std::string& directory);

  static bool exists(const std::string& directory);
  /// Is there more than a file that a killed run has left empty?
  static bool has_begun(const std::string& directory);
  /// Throws Error if a run is at work in this directory on another machine, or on a network's file
  /// system: SQLite's log beside the database needs memory that all who open it share, and a reader
  /// without it could take the log away from under the writer.
  static void require_shared(const std::string& directory);
  /// Has the study's first stage begun here, and nothing else?
  static bool only_searched(const std::string& directory);
  /// Throws Error if a study that searches cannot go on or begin in this directory, so that this is
  /// said before the search and not after it. `in_shards`: shards may lie there.
  static void require_same_search(const std::string& directory, const Study& study,
                                  bool in_shards = false);
  /// Throws Error if this directory holds other things than shards of a study and what is made of
  /// them.
  static void require_place_for_shards(const std::string& directory, const Study& study);
  /// What stands where shards are merged to. Throws Error if that is another study than the plan's,
  /// or one that armature run has begun there by itself.
  enum class Merged { kNot, kInPart, kWhole };
  static Merged merged(const std::string& directory, const StudyPlan& plan);
  /// What a directory's store is by itself, of whichever study: nothing yet, merged of shards that
  /// were not all finished, a run's own with some of it still to compute, or whole.
  enum class Standing { kNone, kInPart, kRun, kWhole };
  static Standing standing(const std::string& directory);

  const StudyPlan& plan() const { return plan_; }
  /// Of the run that began the study; those that went on with it leave no mark.
  RunEnvironment environment();
  /// Notes what computes blocks beside the processor; the last one is remembered.
  void note_accelerator(const std::string& name);

  /// Throws Error if what was read is not what a run leaves: a cell with other replications at one
  /// checkpoint than at another.
  void require_whole(const Results& results);

  /// Of all cells together.
  std::uint64_t stored_replications();
  std::vector<std::uint32_t> replications_per_cell();
  /// Leaves one plain file behind, which can be copied and mailed without its log. Nothing is lost
  /// if it is never called.
  void finish();

  /// Notes that nothing is missing of this shard, with a digest of all it holds.
  void seal();
  bool sealed();
  /// Throws Error unless this is the store of that shard, written by this version of armature.
  void require_shard(Shard shard);
  /// What it must agree in with other shards (study/shard_mark.h).
  std::string shard_mark();
  /// By which build of armature a shard was computed (study/build.h).
  std::string shard_build();
  /// Throws Error unless the database is sound, and holds of each cell replications of its range
  /// alone, each with its whole curve, and all plays of these. `whole`: none may be missing.
  void require_part(const std::vector<ReplicationRange>& part, bool whole);

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
  friend class StoreMerger;
  StudyStore(std::unique_ptr<Database> database, StudyPlan plan, std::function<void()> guard);
  void require_mine();
  /// The statements of one transaction; defined where all SQL stands.
  class RowInserter;
  struct Insertions;

  // Behind pointers, so that a store can be moved: statements keep the address of their database.
  std::unique_ptr<Database> database_;
  StudyPlan plan_;
  std::function<void()> guard_;
  std::unique_ptr<std::mutex> writing_ = std::make_unique<std::mutex>();
};

/// A study's store that is put together of others, aside from where it will stand: there it appears
/// whole or not at all. The caller holds the DirectoryLease; `guard`: see StudyStore::begin.
class StoreMerger {
 public:
  /// Removes what a merge that was killed has left.
  StoreMerger(const std::string& directory, const StudyPlan& plan,
              const RunEnvironment& environment, std::function<void()> guard);
  /// All results in the store of this directory, too.
  void absorb(const std::string& directory);
  StudyStore& store() { return *store_; }
  /// `whole`: nothing is missing. If something is, the store says so, and may be merged again.
  void commit(bool whole);

 private:
  /// A database that goes with this, unless it was renamed.
  class Aside {
   public:
    /// What lies there already is removed.
    explicit Aside(std::string path);
    ~Aside();
    Aside(const Aside&) = delete;
    Aside& operator=(const Aside&) = delete;

    const std::string& path() const { return path_; }
    void rename(const std::string& to);

   private:
    std::string path_;  // empty: renamed
  };

  void require_mine() const;

  std::string directory_;
  std::function<void()> guard_;  // the store's own goes with it before the end
  Aside aside_;                  // before the store in it, which must be closed first
  std::optional<StudyStore> store_;
};

/// What of a store is there, without reading its plan.
struct StoreGlance {
  std::vector<std::uint32_t> replications;  // per cell
  bool sealed = false;
  std::optional<StudyDifference> other = {};  // it is another study's, and nothing was counted
};
/// None where no store has begun. `mark`: of the study that it should be of (study/shard_mark.h).
std::optional<StoreGlance> glance_at_store(const std::string& directory, std::size_t cells,
                                           const std::string& mark);

/// All summaries of what a store holds.
StudyResult results_of(StudyStore& store);

/// DIR/study.sqlite.
std::string store_path(const std::string& directory);
/// DIR/search: the study's first stage.
std::string search_path(const std::string& directory);

}  // namespace armature
