#include "report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "base/display.h"
#include "base/mathematics.h"
#include "base/text.h"

namespace armature {
namespace {

constexpr std::size_t kGap = 2;          // between columns
constexpr std::size_t kNarrowName = 16;  // names are not squeezed below this…
constexpr std::size_t kLongWord = 30;    // …and words beyond this are cut

// Two digits of the error; without one, by the value's size.
// Never more than six: an error near 0 says that all replications agree, not that digits count.
int decimals_for(double value, double error) {
  if (error > 0) return std::clamp(1 - static_cast<int>(std::floor(portable::log10(error))), 0, 6);
  return std::abs(value) < 100 ? 3 : 1;
}

// Four digits say enough in a table of many columns.
int narrow_decimals(double value, double error) {
  const int most = std::abs(value) >= 1000 ? 0 : std::abs(value) >= 100 ? 1 : 2;
  return std::min(most, decimals_for(value, error));
}

// Never "-0.0".
std::string fixed(double value, int decimals) {
  const std::string text = fmt::format("{:.{}f}", value, decimals);
  const bool nothing = text.find_first_not_of("-0.") == std::string::npos;
  return nothing && text[0] == '-' ? text.substr(1) : text;
}

}  // namespace

std::string rounded(double value, double error) { return fixed(value, decimals_for(value, error)); }

std::string with_error(double value, double error) {
  return fmt::format("{} ± {:.{}f}", rounded(value, error), error, decimals_for(value, error));
}

std::string mean_text(const Spread& spread) {
  return spread.error_known() ? with_error(spread.mean, spread.standard_error)
                              : rounded(spread.mean, 0) + " ± –";
}

std::string narrow(double value, double error) {
  return fixed(value, narrow_decimals(value, error));
}

std::string narrow_mean_text(const Spread& spread) {
  if (!spread.error_known()) return narrow(spread.mean, 0) + "±–";
  const int decimals = narrow_decimals(spread.mean, spread.standard_error);
  return fmt::format("{}±{}", fixed(spread.mean, decimals), fixed(spread.standard_error, decimals));
}

std::string short_time(double seconds) {
  const auto [scaled, unit] = seconds < 1e-3 ? std::pair(seconds * 1e6, "µs")
                              : seconds < 1  ? std::pair(seconds * 1e3, "ms")
                                             : std::pair(seconds, "s");
  return fmt::format("{:.{}f} {}", scaled, scaled < 10 ? 1 : 0, unit);
}

struct TextTable::Column {
  bool words = false;
  bool optional = false;
  std::size_t natural = 0;  // as wide as its widest cell
  std::size_t least = 0;    // its header, and names, broken as far as is sensible
};

/// Some of the columns, side by side.
struct TextTable::Block {
  std::vector<std::size_t> columns;
  std::vector<std::size_t> widths;
};

namespace {

std::size_t total_width(const std::vector<std::size_t>& widths) {
  const std::size_t gaps = widths.empty() ? 0 : widths.size() - 1;
  return std::accumulate(widths.begin(), widths.end(), kGap * gaps);
}

enum class Broken { kOptional, kAll };

// The columns' widths on `limit` columns, or nothing if they are too wide. Headers give way first,
// then the widest column of words that may be broken.
template <class Columns>
std::optional<std::vector<std::size_t>> fitted(const Columns& all,
                                               const std::vector<std::size_t>& chosen,
                                               std::size_t limit, Broken broken) {
  std::vector<std::size_t> widths;
  for (const std::size_t i : chosen) widths.push_back(all[i].natural);
  if (total_width(widths) <= limit) return widths;
  for (std::size_t k = 0; k < chosen.size(); ++k)
    if (!all[chosen[k]].words) widths[k] = all[chosen[k]].least;
  while (total_width(widths) > limit) {
    std::size_t* widest = nullptr;
    for (std::size_t k = 0; k < chosen.size(); ++k)
      if ((broken == Broken::kAll || all[chosen[k]].optional) && widths[k] > all[chosen[k]].least &&
          (widest == nullptr || widths[k] > *widest))
        widest = &widths[k];
    if (widest == nullptr) return std::nullopt;
    --*widest;
  }
  return widths;
}

}  // namespace

TextTable::TextTable(const std::vector<std::string>& header, std::size_t keys)
    : words_{0}, keys_(keys) {
  add(header);
}

TextTable& TextTable::words(std::size_t column) {
  words_.push_back(column);
  return *this;
}

TextTable& TextTable::optional(std::size_t column) {
  optional_.push_back(column);
  return *this;
}

void TextTable::add(const std::vector<std::string>& row) {
  rows_.emplace_back();
  for (const std::string& text : row) rows_.back().push_back({visible(text)});
}

void TextTable::style(std::size_t column, Style style) { rows_.back().at(column).style = style; }

std::vector<TextTable::Column> TextTable::measured() const {
  std::vector<Column> columns;
  for (const auto& row : rows_) columns.resize(std::max(columns.size(), row.size()));
  for (const std::size_t column : words_) columns.at(column).words = true;
  for (const std::size_t column : optional_) columns.at(column).optional = true;
  for (std::size_t r = 0; r < rows_.size(); ++r)
    for (std::size_t i = 0; i < rows_[r].size(); ++i) {
      Column& column = columns[i];
      const std::string& text = rows_[r][i].text;
      const std::size_t width = display_width(text);
      const std::size_t piece = std::min(narrowest(text), kLongWord);
      column.natural = std::max(column.natural, width);
      const bool header = r == 0, name = column.words;
      column.least = std::max(
          column.least, header ? piece
                        : name ? std::max(piece, column.optional ? 0 : std::min(width, kNarrowName))
                               : width);
    }
  // Of what can be left out, lines may be broken in two before it is, and no further.
  for (Column& column : columns)
    if (column.words && column.optional)
      column.least = std::max(column.least, (column.natural + 1) / 2);
  return columns;
}

// As many columns at a time as fit beside the keys; one at least, or there would be no end.
std::vector<TextTable::Block> TextTable::folded(const std::vector<Column>& columns,
                                                const std::vector<std::size_t>& left,
                                                std::size_t limit) const {
  const std::size_t keys = std::min(keys_, left.size());
  std::vector<Block> blocks;
  for (std::size_t next = keys; next < left.size();) {
    Block block;
    block.columns.assign(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(keys));
    block.columns.push_back(left[next++]);
    for (const std::size_t i : block.columns) block.widths.push_back(columns[i].least);
    while (auto fit = fitted(columns, block.columns, limit, Broken::kAll)) {
      block.widths = *fit;
      if (next == left.size()) break;
      block.columns.push_back(left[next++]);
    }
    if (block.columns.size() > block.widths.size()) {  // the last one was too much
      block.columns.pop_back();
      --next;
    }
    blocks.push_back(std::move(block));
  }
  return blocks;
}

std::string TextTable::print(const Screen& screen) const {
  const std::vector<Column> columns = measured();
  const std::size_t limit = screen.wide ? SIZE_MAX : screen.columns;
  std::vector<std::size_t> left(columns.size());
  std::iota(left.begin(), left.end(), std::size_t{0});
  std::vector<std::string> dropped;
  auto widths = fitted(columns, left, limit, Broken::kOptional);
  for (std::size_t i = columns.size(); i-- > 0 && !widths;)
    if (columns[i].optional) {
      std::erase(left, i);
      dropped.insert(dropped.begin(), rows_[0].at(i).text);
      widths = fitted(columns, left, limit, Broken::kOptional);
    }
  if (!widths) widths = fitted(columns, left, limit, Broken::kAll);
  std::string text, note;
  for (const Block& block :
       widths ? std::vector<Block>{{left, *widths}} : folded(columns, left, limit))
    text += (text.empty() ? "" : "\n") + printed(block, columns, screen);
  if (!dropped.empty()) note = "--wide also shows: " + join(dropped, ", ") + "\n";
  if (!widths && dropped.empty()) note = "--wide shows all columns side by side\n";
  return text + note;
}

std::string TextTable::printed(const Block& block, const std::vector<Column>& columns,
                               const Screen& screen) const {
  std::string text;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const bool header = r == 0;
    std::vector<std::vector<std::string>> lines(block.columns.size());
    std::size_t height = 1;
    for (std::size_t k = 0; k < block.columns.size(); ++k) {
      const std::size_t i = block.columns[k];
      if (i >= rows_[r].size()) continue;
      lines[k] = header || columns[i].words ? broken_name(rows_[r][i].text, block.widths[k])
                                            : std::vector<std::string>{rows_[r][i].text};
      height = std::max(height, lines[k].size());
    }
    for (std::size_t h = 0; h < height; ++h) {
      std::string line;
      std::size_t blanks = 0;  // not yet written: none stand at the end of a line
      for (std::size_t k = 0; k < block.columns.size(); ++k) {
        const std::size_t i = block.columns[k];
        // A header stands on the rule, a name hangs from its first line.
        const std::size_t skipped = header ? height - lines[k].size() : 0;
        const std::string cell =
            h >= skipped && h - skipped < lines[k].size() ? lines[k][h - skipped] : "";
        const std::size_t width = display_width(cell);
        const std::size_t pad = block.widths[k] > width ? block.widths[k] - width : 0;
        if (k > 0) blanks += kGap;
        if (!columns[i].words) blanks += pad;
        if (!cell.empty()) {
          line += std::string(std::exchange(blanks, 0), ' ');
          line += styled(cell, header ? Style::kBold : rows_[r][i].style, screen);
        }
        if (columns[i].words) blanks += pad;
      }
      line.erase(line.find_last_not_of(' ') + 1);  // of a cell that ends in one
      text += line + "\n";
    }
    if (!header) continue;
    std::string rule;
    for (std::size_t i = 0; i < total_width(block.widths); ++i) rule += "─";
    text += styled(rule, Style::kDim, screen) + "\n";
  }
  return text;
}

}  // namespace armature
