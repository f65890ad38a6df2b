// Small text helpers: numbers as people write them, and the nearest known name to a misspelt one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace armature {

/// What some programs put before text in UTF-8.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// 42, 1e12, 2^53, 1_000_000: nothing if the text is not a whole number that fits 64 bits.
std::optional<std::uint64_t> parse_integer(std::string_view text);
/// 0.25, 1e-3, 2^-10: nothing if the text is not a finite number.
std::optional<double> parse_real(std::string_view text);
/// The shortest text that reads back as the same number.
std::string print_real(double value);

/// "; did you mean 'ucb'?" for the name nearest to `word`, or nothing if none is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& names);
/// A CSV field: quoted where a comma, quote or line break would end it, or `#` begin a remark.
std::string csv_field(const std::string& text);
/// Letters, digits, '-' and '_': what names and keys of text forms are made of.
bool is_name(std::string_view text);
/// As a message may show it: made visible() (base/display.h), the middle of what has more than
/// `most` characters left out.
std::string shown(std::string_view text, std::size_t most);
/// 100,000: a whole number in groups of three, for people; files for programs never have it.
std::string grouped(double number);
/// "84%", "5.3%", "less than 0.1%": a share in two digits, in whole percents from 10% on.
std::string percent(double share);
/// "1 number", "3 numbers".
std::string counted(std::size_t count, std::string_view what);
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
/// Where byte `at` of a text stands: counted from 1, columns in letters. \n, \r and \r\n end lines.
struct LineAndColumn {
  std::size_t line = 1;
  std::size_t column = 1;
  std::string text() const;  // "line 3, column 14"
};
LineAndColumn line_and_column(std::string_view text, std::size_t at);
std::string join(const std::vector<std::string>& parts, std::string_view separator);

}  // namespace armature
