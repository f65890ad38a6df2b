// A store by its address: a directory with a SQLite file, or a PostgreSQL database.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "service/log.h"

namespace armature::service {

/// postgresql://… and not a directory?
bool is_database(const std::string& store);
/// As people may see it: without a password.
std::string shown_store(const std::string& store);

/// For who looks. Throws Error if there is none.
std::unique_ptr<LogReader> read_store(const std::string& store);
/// For tools that write. A directory is locked meanwhile, and made if need be; nodes on a database
/// may be at work.
std::unique_ptr<Log> open_store(const std::string& store);
/// A copy as of one moment, in a directory that is new or empty; the service may be at work
/// meanwhile. Throws Error.
void back_up_store(const std::string& store, const std::string& directory);

/// Which experiment, the event it has come to, and the last one.
using CopyProgress = std::function<void(const std::string& name, Sequence at, Sequence last)>;
struct Copied {
  std::string name;
  std::uint64_t events = 0;
  std::uint64_t digest = 0;  // of the fold at the end, there as here
  std::string trouble;       // what came out is something else: it was not copied
};
/// Everything of one store into another one, row by row: events, snapshots, archived beginnings and
/// tokens. Each experiment is replayed there before it is committed, and has the digest that it has
/// here. All or nothing: of an experiment; where one of that name is there, of everything (Error).
std::vector<Copied> copy_store(LogReader& from, Log& to, const CopyProgress& progress = {});

}  // namespace armature::service
