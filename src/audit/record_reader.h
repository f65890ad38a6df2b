// Rows of a file as texts: what CSV and JSON lines have in common.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "audit/line_reader.h"

namespace armature {

/// One row: the texts of the columns that were chosen, in the order of choosing. Valid until the
/// next one is read. An empty text is a missing value.
struct Record {
  std::uint64_t line = 0;
  std::vector<std::string_view> fields;
  /// Why it could not be taken apart, and what was expected instead; null: it could.
  const char* trouble = nullptr;
  const char* expected = nullptr;
};

/// A file up to its first row.
struct Opening {
  explicit Opening(const std::string& path);

  std::unique_ptr<LineReader> lines;
  std::vector<std::string> remarks;  // lines that began with # before the first row, without it
  std::string_view first;            // the first line that is neither; empty: there is none
};

class RecordReader {
 public:
  virtual ~RecordReader() = default;

  /// The names there are: of a CSV its header, of JSON lines the first objects'.
  virtual const std::vector<std::string>& columns() const = 0;
  /// Which ones records shall hold. One that is not there is empty in every row.
  virtual void choose(const std::vector<std::string>& names) = 0;
  /// False at the end.
  virtual bool next(Record& record) = 0;
  virtual void rewind() = 0;
  /// 0 where there is none.
  virtual char separator() const { return 0; }

  const std::vector<std::string>& remarks() const { return remarks_; }
  const ByteSource& source() const { return lines_->source(); }

 protected:
  explicit RecordReader(Opening opening)
      : lines_(std::move(opening.lines)),
        first_(opening.first),
        remarks_(std::move(opening.remarks)) {}

  void rewind_to_first();

  std::unique_ptr<LineReader> lines_;
  std::string_view first_;  // the first line that is no remark; valid until the next is read

 private:
  std::vector<std::string> remarks_;
};

/// Without blanks at both ends.
inline std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}
inline bool is_blank(std::string_view line) { return trimmed(line).empty(); }

/// By the first character of the first row: { for JSON lines, else CSV. `wanted` are columns that
/// are known to be asked for: of several separators the one that tells them apart is taken.
std::unique_ptr<RecordReader> open_records(const std::string& path,
                                           const std::vector<std::string>& wanted);

}  // namespace armature
