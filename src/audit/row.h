// What every part of the room reads: the rows of a log in order, one at a time, so that memory goes
// by actions and contexts, never by rows.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

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

}  // namespace armature
