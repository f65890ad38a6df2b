// A connection to PostgreSQL: statements with parameters, prepared once, and no wait without an
// end. With connection.cpp the only place that knows libpq.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "armature/error.h"

struct pg_conn;
struct pg_result;

namespace armature::service::postgres {

/// PostgreSQL refused, or nobody knows.
class Failure : public Error {
 public:
  Failure(std::string state, ErrorReport report)
      : Error(std::move(report)), state_(std::move(state)) {}
  /// SQLSTATE; empty: there was no answer. Then what was asked may have been done, may be done
  /// later, or never.
  const std::string& state() const { return state_; }
  bool lost() const { return state_.empty(); }

 private:
  std::string state_;
};

/// Is it the address of a database, and not a directory?
bool is_url(std::string_view store);
/// Who, where and which, for people and logs: never a password.
std::string shown_url(const std::string& url);

/// What stands in the places $1, $2, … of a statement.
class Parameters {
 public:
  Parameters& add(std::int64_t number);
  Parameters& add(bool flag);
  Parameters& add_text(std::string_view text);
  // Columns of many rows, for unnest(); what is none is null.
  Parameters& add(const std::vector<std::int64_t>& numbers);
  Parameters& add(const std::vector<std::optional<std::int64_t>>& numbers);
  Parameters& add(const std::vector<std::optional<double>>& numbers);
  Parameters& add_texts(const std::vector<std::optional<std::string>>& texts);
  Parameters& add_many_bytes(const std::vector<std::optional<std::string>>& bytes);

 private:
  friend class Connection;
  void put(unsigned type, std::optional<std::string> value);
  struct One {
    unsigned type;
    std::optional<std::string> value;
  };
  std::vector<One> all_;
};

/// Rows of an answer. Every column is bigint, double precision, boolean, text or bytea: the
/// statement casts what is something else.
class Rows {
 public:
  explicit Rows(pg_result* result);
  std::size_t size() const;
  bool is_null(std::size_t row, int column) const;
  std::int64_t integer(std::size_t row, int column) const;
  double real(std::size_t row, int column) const;
  bool flag(std::size_t row, int column) const;
  std::string text(std::size_t row, int column) const;  // null: empty
  std::string bytes(std::size_t row, int column) const { return text(row, column); }

 private:
  struct Clear {
    void operator()(pg_result* result) const;
  };
  std::unique_ptr<pg_result, Clear> result_;
};

class Connection {
 public:
  struct Options {
    /// For an answer; then the connection is given up.
    std::chrono::milliseconds patience{20'000};
    /// SET before anything else, as `name = value`.
    std::vector<std::string> settings = {};
    bool read_only = false;  // a standby will do
  };
  /// Throws Failure: none, or another one, answers there. Throws Error for a URL that is none.
  Connection(const std::string& url, Options options);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Throws Failure. After a lost one nothing more can be asked.
  Rows execute(const std::string& statement, const Parameters& parameters = {});
  /// Many statements, each ended by a semicolon, in one transaction unless they say otherwise.
  void execute_script(const std::string& statements);
  bool lost() const { return lost_; }
  /// Has the other side closed the line, while nothing was asked?
  bool ended();
  /// As people may see it.
  const std::string& shown() const { return shown_; }

  /// The channels on which somebody else notified something since the last time. Throws Failure if
  /// the line is cut.
  std::set<std::string> notified();
  /// Waits for that, for bytes on another descriptor, or for the time to pass.
  void wait(std::chrono::milliseconds most, int other);

 private:
  std::string prepared(const std::string& statement, const Parameters& parameters);
  void finish_sending(std::chrono::steady_clock::time_point until);
  pg_result* answer(std::chrono::steady_clock::time_point until);
  Rows checked(pg_result* result);
  [[noreturn]] void lose(const std::string& why);

  std::string shown_;
  Options options_;
  pg_conn* connection_ = nullptr;
  bool lost_ = false;
  std::map<std::string, std::string> prepared_;  // names by statement
};

}  // namespace armature::service::postgres
