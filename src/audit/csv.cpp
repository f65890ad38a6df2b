#include "audit/csv.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "armature/error.h"
#include "base/display.h"

namespace armature {
namespace {

constexpr std::string_view kSeparators = ",;\t|";
constexpr std::size_t kMostColumns = 10'000;

// The text of the quoted field that starts at `at`, added to `text`; where the field ends. Nothing
// if the quote is not closed, or if something stands between it and the separator.
std::optional<std::size_t> unquote(std::string_view line, std::size_t at, char separator,
                                   std::string& text) {
  for (std::size_t i = at + 1; i < line.size(); ++i) {
    if (line[i] != '"') {
      text += line[i];
    } else if (i + 1 < line.size() && line[i + 1] == '"') {
      text += '"';
      ++i;
    } else {
      if (i + 1 < line.size() && line[i + 1] != separator) return std::nullopt;
      return i + 1;
    }
  }
  return std::nullopt;
}

// All fields of a line; nothing if it cannot be taken apart.
std::optional<std::vector<std::string>> fields_of(std::string_view line, char separator) {
  std::vector<std::string> fields;
  for (std::size_t at = 0; at <= line.size();) {
    std::string text;
    if (at < line.size() && line[at] == '"') {
      const auto end = unquote(line, at, separator, text);
      if (!end) return std::nullopt;
      at = *end + 1;
    } else {
      const std::size_t end = std::min(line.find(separator, at), line.size());
      text = trimmed(line.substr(at, end - at));
      at = end + 1;
    }
    fields.push_back(std::move(text));
  }
  return fields;
}

// The one that tells most of the wanted columns apart; among equals the one that makes the most
// columns, then the first of the list.
char separator_of(std::string_view header, const std::vector<std::string>& wanted) {
  char best = kSeparators.front();
  std::pair<std::size_t, std::size_t> most = {0, 0};
  for (const char separator : kSeparators) {
    const auto fields = fields_of(header, separator);
    if (!fields) continue;
    const auto known = std::count_if(wanted.begin(), wanted.end(), [&](const std::string& name) {
      return std::find(fields->begin(), fields->end(), name) != fields->end();
    });
    const std::pair found{static_cast<std::size_t>(known), fields->size()};
    if (found <= most) continue;
    most = found;
    best = separator;
  }
  return best;
}

}  // namespace

CsvReader::CsvReader(Opening opening, const std::vector<std::string>& wanted)
    : FileRecords(std::move(opening)) {
  read_header();
  separator_ = told_ != 0 ? told_ : separator_of(first_, wanted);
  const auto fields = fields_of(first_, separator_);
  const std::string line = "line " + std::to_string(lines_->line());
  if (!fields)
    throw Error({name(), line, "a quote that is not closed", "the names of the columns"});
  for (const std::string& column : *fields)
    if (lines_->lines_joined() == 1 && column.find('\r') != std::string::npos)
      throw is_utf8(first_)
          ? Error({name(), line, "lines that end in CR alone", "lines that end in LF"})
          : Error({name(), line, "bytes that are no text", "the names of the columns, in UTF-8"});
  if (fields->size() > kMostColumns)
    throw Error({name(), line, std::to_string(fields->size()) + " columns",
                 "at most " + std::to_string(kMostColumns)});
  columns_ = *fields;
  places_.resize(columns_.size());
}

void CsvReader::read_header() {
  constexpr std::string_view kTold = "sep=";
  if (first_.size() == kTold.size() + 1 && first_.starts_with(kTold)) {
    told_ = first_.back();
    if (kSeparators.find(told_) == std::string_view::npos || !lines_->next(first_))
      throw Error({name(), "line 1", "'" + std::string(first_) + "'",
                   "comma, semicolon, tab or bar, and the names of the columns below"});
  }
  const auto whole = [&](char separator) { return fields_of(first_, separator).has_value(); };
  while (std::none_of(kSeparators.begin(), kSeparators.end(), whole) && lines_->extend(first_)) {
  }
}

void CsvReader::rewind() {
  rewind_to_first();
  read_header();
}

void CsvReader::choose(const std::vector<std::string>& names) {
  chosen_ = names.size();
  for (std::vector<std::size_t>& places : places_) places.clear();
  for (std::size_t place = 0; place < names.size(); ++place) {
    const auto found = std::find(columns_.begin(), columns_.end(), names[place]);
    if (found == columns_.end()) continue;
    if (std::find(found + 1, columns_.end(), names[place]) != columns_.end())
      throw Error({name(), "header", "two columns '" + names[place] + "'", "one"});
    places_[static_cast<std::size_t>(found - columns_.begin())].push_back(place);
  }
}

bool CsvReader::next(Record& record) {
  std::string_view line;
  do {
    if (!lines_->next(line)) return false;
  } while (is_blank(line) && line.find(separator_) == std::string_view::npos);
  record.line = lines_->line();
  record.trouble = nullptr;
  record.fields.assign(chosen_, {});
  const bool quoted = std::memchr(line.data(), '"', line.size()) != nullptr;
  if (quoted && !close_quotes(line)) {
    record.trouble = "a last line that was cut off";
    record.expected = "a whole row";
    return true;
  }
  const std::size_t fields = quoted ? split_quoted(record, line) : split_plain(record, line);
  if (fields != columns_.size()) explain(record, line, fields);
  return true;
}

void CsvReader::take(Record& record, std::size_t column, std::string_view text) const {
  if (column >= places_.size()) return;
  for (const std::size_t place : places_[column]) record.fields[place] = text;
}

std::size_t CsvReader::split_plain(Record& record, std::string_view line) const {
  const char* const end = line.data() + line.size();
  const char* start = line.data();
  std::size_t column = 0;
  for (const char* at = start; at != end; ++at) {
    if (*at != separator_) continue;
    take(record, column++, trimmed({start, static_cast<std::size_t>(at - start)}));
    start = at + 1;
  }
  take(record, column++, trimmed({start, static_cast<std::size_t>(end - start)}));
  return column;
}

bool CsvReader::close_quotes(std::string_view& line) {
  // Only a quote at the start of a field opens it: 5" is a text like any other.
  bool open = false, start = true;
  std::size_t at = 0;
  while (true) {
    for (; at < line.size(); ++at) {
      const char c = line[at];
      if (c == '"' && (open || start)) {
        open = !open;
        // A doubled quote inside closes and opens at once.
        start = !open && at + 1 < line.size() && line[at + 1] == '"';
      } else {
        start = !open && c == separator_;
      }
    }
    if (!open) return true;
    // The break between two lines belongs to the field; \r before it too.
    if (!lines_->extend(line)) {
      if (lines_->lines_joined() == 1 && !lines_->ended()) return false;
      throw Error({name(), "line " + std::to_string(lines_->line()), "a quote that is not closed",
                   "a quote at the end of the field"});
    }
  }
}

std::size_t CsvReader::split_quoted(Record& record, std::string_view line) {
  unquoted_.clear();
  unquoted_.reserve(line.size());  // so that views into it stay
  std::size_t column = 0;
  for (std::size_t at = 0; at <= line.size();) {
    if (at < line.size() && line[at] == '"') {
      const std::size_t before = unquoted_.size();
      const auto end = unquote(line, at, separator_, unquoted_);
      if (!end) {
        record.trouble = "text behind a closing quote";
        record.expected = "a separator there; quotes inside a field are doubled";
        return columns_.size();
      }
      take(record, column++, std::string_view(unquoted_).substr(before));
      at = *end + 1;
    } else {
      const std::size_t end = std::min(line.find(separator_, at), line.size());
      take(record, column++, trimmed(line.substr(at, end - at)));
      at = end + 1;
    }
  }
  return column;
}

void CsvReader::explain(Record& record, std::string_view line, std::size_t fields) const {
  record.trouble = "a wrong number of fields";
  record.expected = "as many fields as the header has";
  if (!lines_->ended() && fields < columns_.size()) {
    record.trouble = "a last line that was cut off";
    record.expected = "a whole row";
    return;
  }
  for (const char other : kSeparators)
    if (other != separator_ &&
        static_cast<std::size_t>(std::count(line.begin(), line.end(), other)) + 1 ==
            columns_.size() &&
        columns_.size() > 1) {
      record.trouble = "another separator";
      record.expected = "the separator of the header in every row";
    }
}

}  // namespace armature
