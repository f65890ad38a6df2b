// SQLite behind two small classes. Every failure is an Error that names the database file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace armature {

class Database;

/// A prepared statement: bind, step through rows, and again.
class Statement {
 public:
  Statement(Database& database, const std::string& sql);

  Statement& bind(int index, std::int64_t value);
  Statement& bind(int index, double value);
  Statement& bind(int index, const std::string& value);
  Statement& bind_null(int index);
  /// True while there is a row; after the last one the statement is ready to be bound again.
  bool step();
  /// For statements without rows.
  void run();

  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;
  bool is_null(int column) const;

 private:
  void check(int status, const char* what) const;

  struct Finalizer {
    void operator()(sqlite3_stmt* statement) const;
  };
  Database* database_;
  std::unique_ptr<sqlite3_stmt, Finalizer> statement_;
};

class Database {
 public:
  enum class Mode { kReadOnly, kReadWrite, kCreate };
  Database(std::string path, Mode mode);

  void execute(const std::string& sql);
  const std::string& path() const { return path_; }
  [[noreturn]] void fail(const std::string& what) const;

 private:
  friend class Statement;
  struct Closer {
    void operator()(sqlite3* database) const;
  };
  std::string path_;
  std::unique_ptr<sqlite3, Closer> handle_;
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
