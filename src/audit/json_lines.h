// JSON lines: an object a line, its values by path.
#pragma once

#include "audit/record_reader.h"

namespace armature {

/// A value inside is named by its path: `user.age`, `a.0` for the first of a list. null is a
/// missing value. Not every object needs to have every path: columns are those of the first rows,
/// as far as they are in memory at once (some 64 KiB).
class JsonLinesReader final : public FileRecords {
 public:
  explicit JsonLinesReader(Opening opening);

  const std::vector<std::string>& columns() const override { return columns_; }
  void choose(const std::vector<std::string>& names) override { chosen_ = names; }
  bool next(Record& record) override;
  void rewind() override;
  std::string format() const override { return "JSON lines"; }

 private:
  std::vector<std::string> columns_, chosen_;
  bool first_waits_ = true;  // it was read to see what it is, and is a row
  std::vector<bool> found_;  // of the chosen ones, in this row
  std::string path_, unescaped_;
};

}  // namespace armature
