// What was found out about a log while it was read, and how a person is told.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace armature {

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
/// "comma", "semicolon", "tab", "bar".
std::string separator_name(char separator);

}  // namespace armature
