// The tables of a PostgreSQL store (docs/formats.md), and how they come to be.
#pragma once

#include <string>

#include "service/postgres/connection.h"

namespace armature::service::postgres {

/// The version of the tables that this armature writes.
inline constexpr std::int64_t kSchemaVersion = 1;

struct Migration {
  std::int64_t from = 0;  // 0: there was nothing
  std::int64_t to = 0;
};
/// Makes the tables, or changes those of an earlier armature; one at a time, all or nothing.
/// Throws Error: a store of a later armature, a database in another encoding, or one that does not
/// keep what it commits.
Migration migrate(const std::string& url);

/// Throws Error for a server that may lose what it has committed: synchronous_commit or fsync are
/// off. What it says of itself otherwise, for people: `on`, `remote_apply`, ….
std::string require_durable(Connection& connection);
/// Throws Error: no tables, or those of another version.
void require_tables(Connection& connection);
/// What nodes show each other, made with the tables.
std::string peer_secret(Connection& connection);

}  // namespace armature::service::postgres
