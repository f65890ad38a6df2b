// Rows as texts: what CSV, JSON lines and tables in a host's memory have in common.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "armature/log.h"
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

  virtual std::string name() const = 0;    // of the file, as messages call it
  virtual std::string format() const = 0;  // "CSV"
  virtual bool packed() const { return false; }
  virtual bool rewindable() const { return true; }
  /// How much has been read, for progress; 0 where its size is not known.
  virtual double share() const { return 0; }
  /// Lines that began with # before the first row, without it.
  virtual const std::vector<std::string>& remarks() const = 0;
};

/// Records of a file.
class FileRecords : public RecordReader {
 public:
  std::string name() const override { return lines_->source().name(); }
  bool packed() const override { return lines_->source().packed(); }
  bool rewindable() const override { return lines_->source().rewindable(); }
  double share() const override { return lines_->source().share(); }
  const std::vector<std::string>& remarks() const override { return remarks_; }

 protected:
  explicit FileRecords(Opening opening)
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

/// A log over any records; files are opened by `open_log`. One set of rules for both.
std::unique_ptr<Log> log_of(std::unique_ptr<RecordReader> reader, const LogOptions& options);

}  // namespace armature
