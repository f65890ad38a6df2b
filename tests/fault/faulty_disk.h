// A disk that fails when told to: SQLite's own file system with every write, sync, truncation and
// deletion passing through here first. It is the default of the process while one of these lives.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "armature/random.h"

namespace armature::test {

class FaultyDisk {
 public:
  FaultyDisk();
  ~FaultyDisk();
  FaultyDisk(const FaultyDisk&) = delete;
  FaultyDisk& operator=(const FaultyDisk&) = delete;

  /// From now on writes fail with SQLITE_FULL once so many bytes are written, or as by a quota,
  /// which SQLite calls a failed write…
  void full_after(std::uint64_t bytes, bool quota = false) {
    room_ = bytes;
    quota_ = quota;
  }
  /// …until there is room again.
  void make_room() { room_.reset(); }
  /// Files opened from now on have no memory to share, without which there is no write-ahead log.
  void share_no_memory() { shares_memory_ = false; }
  /// The so-manieth sync from now fails, and what it was to make safe never will be: as kernels do,
  /// which forget what they could not write. The next sync says that all is well.
  void fail_sync_after(std::uint64_t syncs) { syncs_left_ = syncs; }
  bool sync_has_failed() const { return sync_has_failed_; }
  /// The power goes at the so-manieth operation from now: it and all after it fail.
  void power_cut_after(std::uint64_t operations) { operations_left_ = operations; }
  bool power_is_off() const { return off_; }
  std::uint64_t operations() const { return operations_; }

  /// What a restart finds: what was synced, and of what was not a random part, in pieces of 512
  /// bytes. No connection may be open.
  void restart(Stream& luck);

 private:
  friend struct FaultyFile;

  // What was done to a file since it was last safe.
  struct Change {
    std::uint64_t offset = 0;  // of a write, or the new size of a truncation
    std::optional<std::string> bytes;
  };
  struct Record {
    std::string safe;  // contents as of the last sync
    bool deleted = false;
    std::vector<Change> since;

    /// What was done since is safe now, too: work by what was written, not by what is there.
    void sync();
  };

  /// Counts an operation; false once the power is off.
  bool operate();
  bool take_room(std::uint64_t bytes);
  bool may_sync();
  void remember(const std::string& path);
  /// From here on no restart brings back what was deleted.
  void sync_directory();
  void write_back(const std::string& path, const Record& record, Stream& luck) const;

  static int open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out);
  static int remove(sqlite3_vfs* vfs, const char* name, int sync_directory);

  sqlite3_vfs* real_;
  sqlite3_vfs vfs_;
  std::map<std::string, Record> records_;
  std::optional<std::uint64_t> room_;
  bool quota_ = false;
  bool shares_memory_ = true;
  std::optional<std::uint64_t> operations_left_;
  std::optional<std::uint64_t> syncs_left_;
  bool sync_has_failed_ = false;
  std::uint64_t operations_ = 0;
  bool off_ = false;
};

}  // namespace armature::test
