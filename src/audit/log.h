// A log of past decisions as a source of rows: CSV, JSON lines, the service's export or VW's
// dsjson, plain or packed, from a file or standard input (docs/formats.md, "Logs").
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "armature/model.h"
#include "audit/bins.h"
#include "audit/log_facts.h"
#include "audit/row.h"

namespace armature {

/// Which columns mean what. What is not given is looked for under its own name (`action`,
/// `context`, `reward`; `propensity` and `decision` if they are there), in dsjson under VW's.
struct LogOptions {
  std::optional<std::string> action;
  std::vector<std::string> contexts;  // several make a joint context
  std::optional<std::string> reward;
  std::optional<std::string> propensity;
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
inline constexpr double kMostBadShare = 0.01;         // of rows, without skip_bad

class Log : public LogSource {
 public:
  virtual const LogFacts& facts() const = 0;
};

/// Reads the header, and for bins of equal frequency the whole file once. Throws Error if a column
/// is missing, naming the nearest. Rows that cannot be used are counted in the facts; where they
/// are too many, `next` throws Error at the end of the log, or when it can be told early.
std::unique_ptr<Log> open_log(const std::string& path, const LogOptions& options);

}  // namespace armature
