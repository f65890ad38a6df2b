#include "report/table.h"

// Numbers as people should read them, and columns for terminals. Width is counted in characters, as
// ±, ★ and Greek letters take several bytes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "base/mathematics.h"

namespace armature {
namespace {

// Characters, not bytes: every byte that does not continue a character.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

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

std::string wrapped(const std::string& text, std::size_t width) {
  std::string out, line;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!line.empty() && width_of(line) + 1 + width_of(word) > width) {
      out += line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return out + line;
}

std::string TextTable::print() const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string text;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    std::string line;
    for (std::size_t i = 0; i < rows_[r].size(); ++i) {
      const std::string pad(widths[i] - width_of(rows_[r][i]), ' ');
      if (i > 0) line += "  ";
      line += i == 0 ? rows_[r][i] + pad : pad + rows_[r][i];
    }
    // Rows shorter than the header, and empty last cells, leave no blanks at the end of a line.
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
    if (r > 0) continue;  // the rule stands below the header only
    std::size_t total = 2 * (widths.size() - 1);
    for (const std::size_t width : widths) total += width;
    for (std::size_t i = 0; i < total; ++i) text += "─";
    text += "\n";
  }
  return text;
}

}  // namespace armature
