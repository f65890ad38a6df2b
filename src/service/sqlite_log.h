// The log in one SQLite file, DIR/service.sqlite: write-ahead log, every commit synced.
#pragma once

#include <memory>
#include <string>

#include "service/log.h"

namespace armature::service {

struct SqliteLogOptions {
  /// PRAGMA synchronous. Anything but FULL loses acknowledged events in a power cut: for the tests
  /// that show it.
  std::string synchronous = "FULL";
  /// So many pages of 4 KiB may be in the write-ahead log before they are moved into the database.
  int pages_ahead = 4'000;
};

/// Room left on the disk that holds the directory, in bytes: for Options::free_bytes.
std::uint64_t free_bytes_in(const std::string& directory);

/// Creates the directory and the file if need be, and keeps others out while it lives
/// (DirectoryLock). Throws Error, also on a network's file system.
std::unique_ptr<Log> open_sqlite_log(const std::string& directory,
                                     const SqliteLogOptions& options = {});
/// For looking at a store, also while a service is at work in it.
std::unique_ptr<LogReader> read_sqlite_log(const std::string& directory);
/// A copy of the store as of one moment, in a directory that is new or empty; a service may be at
/// work meanwhile. Throws Error.
void back_up_sqlite_log(const std::string& directory, const std::string& target);

}  // namespace armature::service
