// What a PostgreSQL store has committed, row by row: the reading half of the log's SQL.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "service/log.h"
#include "service/postgres/connection.h"

namespace armature::service::postgres {

// Sequences, tickets, digests and seeds are 64 bits without a sign, stored bit for bit.
inline std::int64_t bits(std::uint64_t value) { return static_cast<std::int64_t>(value); }
inline std::uint64_t whole(std::int64_t value) { return static_cast<std::uint64_t>(value); }

/// A connection that is made when it is needed, and made again when it was lost.
class Line {
 public:
  using Greet = std::function<void(Connection&)>;
  Line(std::string url, Connection::Options options, Greet greet)
      : url_(std::move(url)), options_(std::move(options)), greet_(std::move(greet)) {}

  bool is_up() const { return connection_ && !connection_->lost(); }
  Connection& connected() {
    if (is_up()) return *connection_;
    connection_.reset();
    auto next = std::make_unique<Connection>(url_, options_);
    greet_(*next);
    connection_ = std::move(next);
    return *connection_;
  }
  /// What only reads may be asked again.
  Rows ask(const std::string& statement, const Parameters& parameters = {}) {
    const bool was_up = is_up();
    try {
      return connected().execute(statement, parameters);
    } catch (const Failure& failure) {
      if (!was_up || !failure.lost() || !asks_again) throw;
    }
    return connected().execute(statement, parameters);
  }
  /// A server that went away while nobody asked is noticed before somebody does.
  void notice_end() {
    if (connection_ && connection_->ended()) connection_.reset();
  }
  void drop() { connection_.reset(); }
  std::string shown() const { return shown_url(url_); }

  bool asks_again = true;  // on a new connection, if the old one turned out to be gone

 private:
  std::string url_;
  Connection::Options options_;
  Greet greet_;
  std::unique_ptr<Connection> connection_;
};

/// All throw Failure, and Unreadable for a row that makes no sense.
class Tables {
 public:
  explicit Tables(Line& line) : line_(line) {}

  /// All of them, or those with these ids.
  std::vector<StoredExperiment> experiments(const std::set<ExperimentId>* only = nullptr);
  std::vector<std::shared_ptr<const Epoch>> epochs(ExperimentId experiment);
  Sequence first(ExperimentId experiment);
  Sequence last(ExperimentId experiment);
  std::optional<Event> event(ExperimentId experiment, Sequence seq);
  void walk(ExperimentId experiment, Sequence from, Sequence before, const LogReader::Visit& visit);
  void walk_keys(ExperimentId experiment, Sequence last,
                 const std::function<bool(const KeyedDecision&)>& visit);
  std::optional<Closing> closing(ExperimentId experiment, Sequence decision);
  std::vector<Sequence> snapshots(ExperimentId experiment);
  std::optional<Snapshot> snapshot(ExperimentId experiment, Sequence seq);
  std::vector<Token> tokens();

 private:
  Sequence seq_or_none(const char* statement, ExperimentId experiment);
  Event event_of(ExperimentId experiment, const Rows& rows, std::size_t row);

  Line& line_;
};

/// All tokens there are.
std::vector<Token> tokens_in(Connection& connection);

}  // namespace armature::service::postgres
