// Tables of comma-separated values (RFC 4180), one row at a time and without an allocation a row.
#pragma once

#include "audit/record_reader.h"

namespace armature {

/// Comma, semicolon, tab or bar, found by the header. Fields may be quoted, and hold separators,
/// doubled quotes and line breaks then; blanks around a field that is not quoted are no part of it.
/// Empty lines are passed over, and so is `sep=;` before the header, as spreadsheets write it.
class CsvReader final : public FileRecords {
 public:
  CsvReader(Opening opening, const std::vector<std::string>& wanted);

  const std::vector<std::string>& columns() const override { return columns_; }
  void choose(const std::vector<std::string>& names) override;
  bool next(Record& record) override;
  void rewind() override;
  std::string format() const override { return "CSV"; }
  char separator() const override { return separator_; }

 private:
  /// From the first line on to the end of the header, which may have line breaks in its names.
  void read_header();
  void take(Record& record, std::size_t column, std::string_view text) const;
  std::size_t split_plain(Record& record, std::string_view line) const;
  std::size_t split_quoted(Record& record, std::string_view line);
  void explain(Record& record, std::string_view line, std::size_t fields) const;
  /// Joins lines until every quote is closed; false if the file ends before.
  bool close_quotes(std::string_view& line);

  char separator_ = ',';
  char told_ = 0;  // by the file itself; 0: it does not
  std::vector<std::string> columns_;
  std::vector<std::vector<std::size_t>> places_;  // per column: where in a record it goes
  std::size_t chosen_ = 0;
  std::string unquoted_;  // the quoted fields of a row, without quotes
};

}  // namespace armature
