// Records that are on no disk are read by the rules of files: a host (Python's data frames) need
// only hand over texts.
#include <gtest/gtest.h>

#include "armature/audit.h"
#include "armature/error.h"
#include "audit/record_reader.h"

namespace armature {
namespace {

using Row = std::vector<std::string>;

class MemoryRecords final : public RecordReader {
 public:
  MemoryRecords(std::vector<std::string> columns, std::vector<Row> rows)
      : columns_(std::move(columns)), rows_(std::move(rows)) {}

  const std::vector<std::string>& columns() const override { return columns_; }
  void choose(const std::vector<std::string>& names) override {
    places_.clear();
    for (const std::string& name : names)
      places_.push_back(static_cast<std::size_t>(std::find(columns_.begin(), columns_.end(), name) -
                                                 columns_.begin()));
  }
  bool next(Record& record) override {
    if (row_ == rows_.size()) return false;
    record.line = row_ + 1;
    record.trouble = nullptr;
    record.fields.clear();
    for (const std::size_t place : places_)
      record.fields.push_back(place < columns_.size() ? std::string_view(rows_[row_][place])
                                                      : std::string_view());
    ++row_;
    return true;
  }
  void rewind() override { row_ = 0; }
  std::string name() const override { return "rows"; }
  std::string format() const override { return "in memory"; }
  const std::vector<std::string>& remarks() const override { return remarks_; }

 private:
  std::vector<std::string> columns_, remarks_;
  std::vector<Row> rows_;
  std::vector<std::size_t> places_;
  std::size_t row_ = 0;
};

std::unique_ptr<Log> log_of_rows(const std::vector<Row>& rows, LogOptions options = {}) {
  return log_of(std::make_unique<MemoryRecords>(
                    std::vector<std::string>{"action", "context", "reward", "age"}, rows),
                options);
}

TEST(MemoryRecords, NamesAndNumbersAreThoseOfTheTexts) {
  const auto log = log_of_rows({{"mail", "x", "1", ""}, {"call", "y", "0.5", ""}});
  LogRow row;
  ASSERT_TRUE(log->next(row));
  EXPECT_EQ(row.reward, 1);
  ASSERT_TRUE(log->next(row));
  EXPECT_EQ(row.action, 1u);
  EXPECT_EQ(row.reward, 0.5);
  EXPECT_EQ(row.line, 2u);
  EXPECT_FALSE(log->next(row));
  EXPECT_EQ(log->actions(), (std::vector<std::string>{"mail", "call"}));
  EXPECT_EQ(log->facts().format, "in memory");
  log->rewind();
  ASSERT_TRUE(log->next(row));
  EXPECT_EQ(row.action, 0u);
}

TEST(MemoryRecords, WhatCannotBeUsedIsCounted) {
  LogOptions options;
  options.skip_bad = true;
  const auto log =
      log_of_rows({{"mail", "x", "1", ""}, {"", "x", "1", ""}, {"mail", "x", "7", ""}}, options);
  LogRow row;
  while (log->next(row)) {
  }
  EXPECT_EQ(log->facts().rows_used, 1u);
  ASSERT_EQ(log->facts().bad.size(), 2u);
  EXPECT_EQ(log->facts().bad[0].reason, "missing values");
  EXPECT_EQ(log->facts().bad[1].first_line, 3u);
}

TEST(MemoryRecords, BinsOfEqualFrequencyReadTwice) {
  LogOptions options;
  options.contexts = {"age"};
  options.bins = {{"age", 2, {}}};
  const auto log = log_of_rows({{"mail", "", "1", "20"}, {"call", "", "0", "40"}}, options);
  LogRow row;
  while (log->next(row)) {
  }
  EXPECT_EQ(log->contexts().size(), 2u);
}

TEST(MemoryRecords, AMissingColumnIsNamed) {
  LogOptions options;
  options.action = "actoin";
  try {
    log_of_rows({{"mail", "x", "1", ""}}, options);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.report().file, "rows");
    EXPECT_NE(std::string(error.what()).find("did you mean 'action'"), std::string::npos);
  }
}

}  // namespace
}  // namespace armature
