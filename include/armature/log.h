// A log of past decisions as a source of rows: CSV, JSON lines, the service's export or VW's
// dsjson, plain or packed, from a file or standard input (docs/formats.md, "Logs"). Rows come in
// order, one at a time, so that memory goes by actions and contexts, never by rows. Whoever keeps
// decisions elsewhere derives a LogSource; `audit` and `replay` read any.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "armature/model.h"

namespace armature {

struct LogRow {
  std::uint32_t action = 0;   // numbered as they first appear, or as a given problem has them
  std::uint32_t context = 0;  // the joint value of all context columns
  double reward = 0;          // in [0, 1]
  /// With which the action was chosen, given all that came before; NaN: not logged.
  double propensity = std::numeric_limits<double>::quiet_NaN();
  double weight = 1;  // how many rows it stands for
  std::uint64_t line = 0;
};

class LogSource {
 public:
  virtual ~LogSource() = default;
  /// The next usable row; false at the end. Throws Error at what cannot be read.
  virtual bool next(LogRow& row) = 0;
  /// From the first row again; names and numbers stay. Throws Error for what can be read but once.
  virtual void rewind() = 0;
  /// Names by number; more may come as rows are read.
  virtual const std::vector<std::string>& actions() const = 0;
  virtual const std::vector<std::string>& contexts() const = 0;
  /// Decisions depended on earlier outcomes: known from the log's header, or said by the user.
  virtual bool adaptive() const = 0;
};

// --- From files ----------------------------------------------------------------------------------

/// How a column is to be cut: into so many bins of equal frequency, or at these edges.
struct BinRequest {
  std::string column;
  std::uint32_t count = 0;    // 0: at the edges
  std::vector<double> edges;  // ascending
};

/// Which columns mean what. What is not given is looked for under its own name (`action`,
/// `context`, `reward`; `propensity` and `decision` if they are there), in dsjson under VW's.
struct LogOptions {
  std::optional<std::string> action;
  /// Several make a joint context. One that is no column is cut at its commas.
  std::vector<std::string> contexts;
  std::optional<std::string> reward;
  std::optional<std::string> propensity;  // named, every row must have one
  std::optional<std::string> weight;
  std::optional<std::string> time;      // only to see whether rows are in order
  std::optional<std::string> decision;  // ids: a decision counts once
  std::vector<BinRequest> bins;         // of context columns
  /// Rewards from here to there become 0 to 1. Never done unasked.
  std::optional<std::pair<double, double>> scale;
  bool skip_bad = false;  // go on though more than 1% of the rows cannot be used
  bool adaptive = false;  // decisions depended on earlier outcomes
  /// Names of actions and contexts, in its order; rows with others cannot be used.
  std::optional<Problem> problem;
  /// Called every so many rows with the share of the file that was read (0: unknown).
  std::function<void(double share, std::uint64_t rows)> progress;
};

inline constexpr std::size_t kMostLevels = 10'000;    // of actions, and of contexts
inline constexpr std::size_t kMostCells = 1'000'000;  // of both together
/// Below, a row would count for more than all others of any log.
inline constexpr double kLeastPropensity = 1e-9;
/// Weights are whole numbers, and doubles count so far without a gap.
inline constexpr double kMostWeight = 1e15;
inline constexpr double kMostBadShare = 0.01;  // of rows, without skip_bad

/// What was found out about a log while it was read.
struct LogFacts {
  /// Rows that could not be used, all for one reason.
  struct Bad {
    std::string reason;
    std::string column;  // empty: the row as a whole
    std::uint64_t rows = 0;
    std::uint64_t first_line = 0;
    std::string value;  // there
    std::string expected;
  };
  struct Binned {
    std::string column;
    std::vector<double> edges;
    bool sampled = false;  // edges come from a sample of the rows
  };

  std::string file;
  std::string format;  // "CSV", "JSON lines", "service export", "dsjson"
  bool packed = false;
  char separator = 0;                                              // of CSV
  std::string action, reward, propensity, weight, time, decision;  // columns; empty: none
  std::vector<std::string> contexts;
  std::vector<Binned> bins;
  std::optional<std::pair<double, double>> scale;  // rewards from here to there became 0 to 1
  std::string policy;     // that made the decisions, where the header names it
  bool adaptive = false;  // by the header, the format, or the user

  std::uint64_t rows_read = 0;  // = used + set aside + bad
  std::uint64_t rows_used = 0;
  std::uint64_t rows_set_aside =
      0;  // decisions without an outcome: not learned, skipped on purpose
  std::uint64_t with_propensity = 0;  // of those used
  std::uint64_t out_of_order = 0;     // rows earlier than the one before, where there is a time
  std::uint64_t unchecked_ids = 0;    // too many ids to be sure that these were not there before
  std::vector<Bad> bad;               // in the order in which reasons first came up

  std::uint64_t rows_bad() const;
  bool has_propensities() const { return rows_used > 0 && with_propensity == rows_used; }
};
/// In sentences, one each: what was read and how, and what was left out and why.
std::vector<std::string> log_sentences(const LogFacts& facts);

class Log : public LogSource {
 public:
  virtual const LogFacts& facts() const = 0;
};

/// Reads the header, and for bins of equal frequency the whole file once. Throws Error if a column
/// is missing, naming the nearest. Rows that cannot be used are counted in the facts; where they
/// are too many, `next` throws Error at the end of the log, or when it can be told early.
std::unique_ptr<Log> open_log(const std::string& path, const LogOptions& options);

}  // namespace armature
