#include "service/postgres/schema.h"

#include <fmt/format.h>

#include "armature/version.h"

namespace armature::service::postgres {
namespace {

// One number, so that two who migrate at once wait for each other.
constexpr const char* kLock = "SELECT pg_advisory_xact_lock(4707171)::text";

// As in SQLite (sqlite_log.cpp), where more is said about them; what is only here: `owners` says
// who may write to an experiment (0: to tokens), with an epoch that rises whenever that changes and
// is asked for in every append; `nodes` are those at work; `summaries` are what owners show to
// others. Texts that people write (reasons, notes, names of tokens) have \ written as \\, and bytes
// that PostgreSQL does not take as \0 or \xHH.
constexpr const char* kVersion1 = R"sql(
CREATE SCHEMA armature;
CREATE TABLE armature.store(
  one boolean PRIMARY KEY DEFAULT true CHECK (one), version bigint NOT NULL,
  peer_secret text NOT NULL, made_by text NOT NULL);
CREATE TABLE armature.experiments(
  id bigint PRIMARY KEY, name text COLLATE "C" NOT NULL UNIQUE, tenant text NOT NULL,
  seed bigint NOT NULL, settings text NOT NULL, created bigint NOT NULL);
CREATE SEQUENCE armature.experiment_ids;
CREATE TABLE armature.epochs(
  experiment bigint NOT NULL, epoch bigint NOT NULL, first_seq bigint NOT NULL,
  problem text NOT NULL, policy text NOT NULL, written text NOT NULL, start smallint NOT NULL,
  since bigint NOT NULL, reason text NOT NULL, build text NOT NULL,
  PRIMARY KEY(experiment, epoch));
CREATE TABLE armature.events(
  experiment bigint NOT NULL, seq bigint NOT NULL, kind smallint NOT NULL, decision bigint,
  key bytea, time bigint NOT NULL, epoch bigint NOT NULL, action bigint, ticket bigint,
  position bigint, propensity double precision, context bigint, reward double precision, note text,
  PRIMARY KEY(experiment, seq));
CREATE INDEX keyed ON armature.events(experiment, seq) WHERE key IS NOT NULL;
CREATE TABLE armature.closed(
  experiment bigint NOT NULL, decision bigint NOT NULL, seq bigint NOT NULL, late bigint,
  PRIMARY KEY(experiment, decision));
CREATE TABLE armature.snapshots(
  experiment bigint NOT NULL, seq bigint NOT NULL, anchor boolean NOT NULL, digest bigint NOT NULL,
  state bytea NOT NULL, PRIMARY KEY(experiment, seq));
ALTER TABLE armature.snapshots ALTER COLUMN state SET STORAGE EXTERNAL;
CREATE TABLE armature.tokens(
  hash text COLLATE "C" PRIMARY KEY, name text NOT NULL, tenant text NOT NULL, roles text NOT NULL,
  experiments text NOT NULL, created bigint NOT NULL, expires bigint);
CREATE TABLE armature.nodes(
  name text COLLATE "C" PRIMARY KEY, run bigint NOT NULL, url text NOT NULL,
  accepts boolean NOT NULL, build text NOT NULL, lease_until timestamptz NOT NULL);
CREATE TABLE armature.owners(
  experiment bigint PRIMARY KEY, node text COLLATE "C", epoch bigint NOT NULL);
INSERT INTO armature.owners(experiment, node, epoch) VALUES (0, NULL, 0);
CREATE SEQUENCE armature.summary_stamps;
CREATE TABLE armature.summaries(
  experiment bigint PRIMARY KEY, seq bigint NOT NULL, stamp bigint NOT NULL, summary text NOT NULL);
CREATE INDEX summaries_stamp ON armature.summaries(stamp);
)sql";

// From each version to the next.
constexpr const char* kSteps[] = {kVersion1};
static_assert(std::size(kSteps) == kSchemaVersion);

std::string setting(Connection& connection, const std::string& name) {
  return connection.execute("SELECT current_setting($1)", Parameters().add_text(name)).text(0, 0);
}

std::int64_t version_in(Connection& connection) {
  const Rows there = connection.execute("SELECT (to_regclass('armature.store') IS NOT NULL)::bool");
  if (!there.flag(0, 0)) return 0;
  return connection.execute("SELECT version FROM armature.store").integer(0, 0);
}

}  // namespace

std::string require_durable(Connection& connection) {
  const std::string commit = setting(connection, "synchronous_commit");
  if (commit == "off")
    throw Error({connection.shown(), "synchronous_commit", "off",
                 "on, or remote_apply with standbys: what is acknowledged must be on a disk"});
  if (setting(connection, "fsync") == "off")
    throw Error({connection.shown(), "fsync", "off", "on: what is acknowledged must be on a disk"});
  return commit;
}

void require_tables(Connection& connection) {
  const std::int64_t version = version_in(connection);
  if (version == 0)
    throw Error({connection.shown(), "store", "a database without armature's tables",
                 "armature service migrate URL first"});
  if (version < kSchemaVersion)
    throw Error({connection.shown(), "schema", fmt::format("{}", version),
                 fmt::format("{}: armature service migrate URL first", kSchemaVersion)});
  if (version > kSchemaVersion)
    throw Error({connection.shown(), "schema", fmt::format("{}", version),
                 fmt::format("{}, the one this armature writes", kSchemaVersion)});
}

std::string peer_secret(Connection& connection) {
  return connection.execute("SELECT peer_secret FROM armature.store").text(0, 0);
}

Migration migrate(const std::string& url) {
  Connection connection(url, {});
  require_durable(connection);
  if (const std::string encoding = setting(connection, "server_encoding"); encoding != "UTF8")
    throw Error(
        {connection.shown(), "encoding", encoding, "UTF8: CREATE DATABASE … ENCODING UTF8"});
  connection.execute("BEGIN");
  connection.execute(kLock);
  Migration done;
  done.from = version_in(connection);
  done.to = kSchemaVersion;
  if (done.from > kSchemaVersion) require_tables(connection);
  for (std::int64_t step = done.from; step < kSchemaVersion; ++step)
    connection.execute_script(kSteps[step]);
  if (done.from == 0)
    connection.execute(
        // 244 random bits, and what is not random says nothing about them.
        "INSERT INTO armature.store(version, peer_secret, made_by) VALUES "
        "($1, replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), $2)",
        Parameters().add(kSchemaVersion).add_text(version()));
  else
    connection.execute("UPDATE armature.store SET version = $1", Parameters().add(kSchemaVersion));
  connection.execute("COMMIT");
  return done;
}

}  // namespace armature::service::postgres
