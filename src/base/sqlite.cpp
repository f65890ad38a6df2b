#include "base/sqlite.h"

#include <sqlite3.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>

#include "armature/error.h"

namespace armature {
namespace {

// How long a statement waits for another process that holds the database.
constexpr int kPatienceMilliseconds = 10'000;

int open_flags(Database::Mode mode) {
  switch (mode) {
    case Database::Mode::kReadOnly:
      return SQLITE_OPEN_READONLY;
    case Database::Mode::kReadWrite:
      return SQLITE_OPEN_READWRITE;
    case Database::Mode::kCreate:
      return SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  }
  return SQLITE_OPEN_READONLY;
}

}  // namespace

// SQLite calls only some of it full: what a quota refuses is a failed write to it, and so is the
// shared memory of the write-ahead log that could not grow.
bool DatabaseError::full() const {
  return (code_ & 0xff) == SQLITE_FULL || code_ == SQLITE_IOERR_SHMSIZE ||
         (code_ == SQLITE_IOERR_WRITE && (system_ == ENOSPC || system_ == EDQUOT));
}
bool DatabaseError::busy() const { return (code_ & 0xff) == SQLITE_BUSY; }
bool DatabaseError::corrupt() const { return (code_ & 0xff) == SQLITE_CORRUPT; }

void Statement::Finalizer::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

Statement::Statement(Database& database, const std::string& sql) : database_(&database) {
  sqlite3_stmt* statement = nullptr;
  const int status = sqlite3_prepare_v2(database.handle_.get(), sql.c_str(),
                                        static_cast<int>(sql.size()), &statement, nullptr);
  statement_.reset(statement);
  check(status, "prepare");
  for (int i = 0; i < sqlite3_column_count(statement_.get()); ++i)
    columns_.emplace_back(sqlite3_column_name(statement_.get(), i));
}

int Statement::parameter(const char* name) const {
  const int index = sqlite3_bind_parameter_index(statement_.get(), name);
  ARMATURE_CHECK(index > 0, name);
  return index;
}

int Statement::column_named(std::string_view name) const {
  const auto found = std::find(columns_.begin(), columns_.end(), name);
  ARMATURE_CHECK(found != columns_.end(), std::string(name).c_str());
  return static_cast<int>(found - columns_.begin());
}

void Statement::check(int status, const char* what) const {
  if (status != SQLITE_OK) database_->fail(what);
}

Statement& Statement::bind(int index, std::int64_t value) {
  check(sqlite3_bind_int64(statement_.get(), index, value), "bind");
  return *this;
}

Statement& Statement::bind(int index, double value) {
  check(sqlite3_bind_double(statement_.get(), index, value), "bind");
  return *this;
}

Statement& Statement::bind(int index, const std::string& value) {
  check(sqlite3_bind_text(statement_.get(), index, value.data(), static_cast<int>(value.size()),
                          SQLITE_TRANSIENT),
        "bind");
  return *this;
}

Statement& Statement::bind_blob(int index, std::string_view bytes) {
  check(sqlite3_bind_blob64(statement_.get(), index, bytes.data(), bytes.size(), SQLITE_TRANSIENT),
        "bind");
  return *this;
}

Statement& Statement::bind_null(int index) {
  check(sqlite3_bind_null(statement_.get(), index), "bind");
  return *this;
}

bool Statement::step() {
  const int status = sqlite3_step(statement_.get());
  if (status == SQLITE_ROW) return true;
  if (status != SQLITE_DONE) {
    // The message belongs to the failed step: take it before the reset.
    try {
      database_->fail("write or read");
    } catch (...) {
      sqlite3_reset(statement_.get());
      throw;
    }
  }
  sqlite3_reset(statement_.get());
  return false;
}

void Statement::run() {
  while (step()) {
  }
}

void Statement::rewind() { sqlite3_reset(statement_.get()); }

void Statement::refuse(int column, const char* expected) const {
  throw Error({database_->path(), "column " + columns_[static_cast<std::size_t>(column)],
               is_null(column) ? "nothing" : "'" + text(column) + "'", expected});
}

std::int64_t Statement::integer(int column) const {
  if (sqlite3_column_type(statement_.get(), column) != SQLITE_INTEGER)
    refuse(column, "a whole number");
  return sqlite3_column_int64(statement_.get(), column);
}

double Statement::real(int column) const {
  const int type = sqlite3_column_type(statement_.get(), column);
  if (type != SQLITE_FLOAT && type != SQLITE_INTEGER) refuse(column, "a number");
  const double value = sqlite3_column_double(statement_.get(), column);
  if (!std::isfinite(value)) refuse(column, "a finite number");
  return value;
}

std::string Statement::text(int column) const {
  const auto* text = sqlite3_column_text(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return text == nullptr
             ? ""
             : std::string(reinterpret_cast<const char*>(text), static_cast<std::size_t>(size));
}

std::string Statement::blob(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_.get(), column));
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return bytes == nullptr ? "" : std::string(bytes, static_cast<std::size_t>(size));
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

void Database::Closer::operator()(sqlite3* database) const { sqlite3_close(database); }

Database::Database(std::string path, Mode mode) : path_(std::move(path)) {
  // Of a pipe SQLite would wait for a writer.
  std::error_code ignored;
  if (const auto status = std::filesystem::status(path_, ignored);
      std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw Error({path_, "open", "no ordinary file", "a SQLite database"});
  sqlite3* handle = nullptr;
  const int status = sqlite3_open_v2(path_.c_str(), &handle, open_flags(mode), nullptr);
  handle_.reset(handle);
  if (status != SQLITE_OK) fail("open");
  sqlite3_busy_timeout(handle, kPatienceMilliseconds);
}

void Database::execute(const std::string& sql) {
  if (sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    fail("execute");
}

void Database::fail(const std::string& what) const {
  // At a commit SQLite keeps no note of the system's error; it is still there.
  const int system =
      sqlite3_system_errno(handle_.get()) != 0 ? sqlite3_system_errno(handle_.get()) : errno;
  const int code = sqlite3_errcode(handle_.get());
  const char* expected = code == SQLITE_FULL     ? "room on the disk; nothing finished is lost"
                         : code == SQLITE_NOTADB ? "a SQLite database"
                         : code == SQLITE_BUSY   ? "no other program writing to it"
                                                 : "a SQLite database that can be read and written";
  throw DatabaseError(sqlite3_extended_errcode(handle_.get()), system,
                      {path_, what, sqlite3_errmsg(handle_.get()), expected});
}

void Database::checkpoint_by_hand() {
  const auto note_pages = [](void* database, sqlite3*, const char*, int pages) {
    static_cast<Database*>(database)->pages_ahead_ = pages;
    return SQLITE_OK;
  };
  sqlite3_wal_hook(handle_.get(), note_pages, this);  // in place of the one that checkpoints
}

void Database::checkpoint() {
  if (sqlite3_wal_checkpoint_v2(handle_.get(), nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr,
                                nullptr) != SQLITE_OK)
    fail("checkpoint");
}

void Database::abandon() {
  sqlite3_db_config(handle_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
}

Transaction::Transaction(Database& database) : database_(database) {
  database_.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (!open_) return;
  try {
    database_.execute("ROLLBACK");
  } catch (const Error&) {  // SQLite has rolled back already, on a full disk for instance
  }
}

void Transaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
}

}  // namespace armature
