// SQLite behind two small classes. Every failure is an Error that names the database file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "armature/error.h"

struct sqlite3;
struct sqlite3_stmt;

namespace armature {

/// What SQLite could not do. A full disk, or a database that others hold, may be mended and tried
/// again; of everything else nobody knows what is on the disk.
class DatabaseError : public Error {
 public:
  /// SQLite's extended code, and the errno behind it, 0: none.
  DatabaseError(int code, int system, ErrorReport report)
      : Error(std::move(report)), code_(code), system_(system) {}
  bool full() const;  // or beyond somebody's quota
  bool busy() const;
  bool corrupt() const;  // a page of the file is not what SQLite wrote

 private:
  int code_;
  int system_;
};

class Database;

/// A prepared statement: bind, step through rows, and again.
class Statement {
 public:
  Statement(Database& database, const std::string& sql);

  Statement& bind(int index, std::int64_t value);
  Statement& bind(int index, double value);
  Statement& bind(int index, const std::string& value);
  Statement& bind_blob(int index, std::string_view bytes);
  Statement& bind_null(int index);
  /// The same by the parameter's name in the SQL: bind(":cell", 3).
  template <class Value>
  Statement& bind(const char* name, const Value& value) {
    return bind(parameter(name), value);
  }
  Statement& bind(const char* name, std::optional<double> value) {
    return value ? bind(parameter(name), *value) : bind_null(parameter(name));
  }
  Statement& bind(const char* name, const std::optional<std::string>& value) {
    return value ? bind(parameter(name), *value) : bind_null(parameter(name));
  }
  /// True while there is a row; after the last one the statement is ready to be bound again.
  bool step();
  /// For statements without rows.
  void run();
  /// Ready to be bound again, for who leaves before the last row.
  void rewind();

  /// Throws Error where the column holds something else: SQLite keeps a text in a column of numbers
  /// as it is, and would read it as 0. A whole number is a real one, too; infinities are none.
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;
  std::string blob(int column) const;  // bytes, empty if there are none
  bool is_null(int column) const;
  /// The same by the column's name.
  std::int64_t integer(std::string_view column) const { return integer(column_named(column)); }
  double real(std::string_view column) const { return real(column_named(column)); }
  std::string text(std::string_view column) const { return text(column_named(column)); }
  bool is_null(std::string_view column) const { return is_null(column_named(column)); }

 private:
  int parameter(const char* name) const;
  int column_named(std::string_view name) const;
  void check(int status, const char* what) const;
  [[noreturn]] void refuse(int column, const char* expected) const;

  struct Finalizer {
    void operator()(sqlite3_stmt* statement) const;
  };
  Database* database_;
  std::unique_ptr<sqlite3_stmt, Finalizer> statement_;
  std::vector<std::string> columns_;
};

class Database {
 public:
  enum class Mode { kReadOnly, kReadWrite, kCreate };
  Database(std::string path, Mode mode);

  void execute(const std::string& sql);
  const std::string& path() const { return path_; }
  [[noreturn]] void fail(const std::string& what) const;

  /// Leaves it to checkpoint() to move what was committed from the write-ahead log into the
  /// database: SQLite by itself would do so at a commit and keep quiet about a failure.
  void checkpoint_by_hand();
  int pages_ahead() const { return pages_ahead_; }  // in the write-ahead log at the last commit
  void checkpoint();
  /// From here on the files are somebody else's: closing leaves them as they are, log and all.
  void abandon();

 private:
  friend class Statement;
  struct Closer {
    void operator()(sqlite3* database) const;
  };
  std::string path_;
  std::unique_ptr<sqlite3, Closer> handle_;
  int pages_ahead_ = 0;
};

/// All or nothing: rolled back unless committed.
class Transaction {
 public:
  explicit Transaction(Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace armature
