// The log in a PostgreSQL database, for several nodes: each writes to what it owns, one statement a
// batch, fenced by the owner's epoch and by the primary key of events. PostgreSQL keeps the log,
// the owners and the time; nothing here agrees on anything by itself.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "service/log.h"

namespace armature::service {

struct PostgresOptions {
  std::string url;   // postgresql://…
  std::string node;  // who writes; empty: a tool (below)
  /// For an answer of the server; then nobody knows, and the log is read again.
  std::chrono::milliseconds patience{20'000};
};

/// As a node: one statement a batch, no transaction is ever left open, and it owns nothing yet.
/// Throws Error: no such store, or one that may lose what it has committed.
std::unique_ptr<SharedLog> open_postgres_log(const PostgresOptions& options);

/// As a tool that imports, archives or changes tokens, also while nodes are at work: its
/// experiments are all there are, a batch is one transaction, and what it writes to is nobody's
/// from then on: whoever had it finds out, waits, and takes it again.
std::unique_ptr<Log> open_postgres_tool(const std::string& url);

/// For looking, also at a standby. It connects again by itself. `of_one_moment`: everything as it
/// is now, whatever is written meanwhile; then not.
std::unique_ptr<LogReader> read_postgres_log(const std::string& url, bool of_one_moment = false);

}  // namespace armature::service
