#include "audit/record_reader.h"

#include "armature/error.h"
#include "audit/csv.h"
#include "audit/json_lines.h"

namespace armature {
namespace {

constexpr std::size_t kMostRemarks = 1000;

std::string_view first_line(LineReader& lines, std::vector<std::string>& remarks) {
  std::string_view line;
  while (lines.next(line)) {
    if (is_blank(line)) continue;
    if (!line.starts_with('#')) return line;
    if (remarks.size() < kMostRemarks) remarks.emplace_back(line.substr(1));
  }
  return {};
}

}  // namespace

Opening::Opening(const std::string& path) : lines(std::make_unique<LineReader>(path)) {
  first = first_line(*lines, remarks);
  if (first.empty())
    throw Error({lines->source().name(), "log", "an empty file",
                 "a table with a row per decision (CSV or JSON lines)"});
}

void FileRecords::rewind_to_first() {
  lines_->rewind();
  std::vector<std::string> again;
  first_ = first_line(*lines_, again);
}

std::unique_ptr<RecordReader> open_records(const std::string& path,
                                           const std::vector<std::string>& wanted) {
  Opening opening(path);
  if (opening.first[opening.first.find_first_not_of(" \t")] == '{')
    return std::make_unique<JsonLinesReader>(std::move(opening));
  return std::make_unique<CsvReader>(std::move(opening), wanted);
}

}  // namespace armature
