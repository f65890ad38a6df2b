// docs/theory.md and its kin as a machine reads them. A number that was computed is followed by a
// marker, `<!-- check: name -->`; in a table row one marker in the last cell stands for all cells
// but the first.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace armature::test {

/// A number as printed: "410,881", "0.0067013", "3.30·10⁵".
struct PrintedNumber {
  std::string digits;  // without thousands separators
  int exponent = 0;
  std::size_t begin = 0, end = 0;  // where it stands in its text

  int decimals() const {
    const std::size_t point = digits.find('.');
    return point == std::string::npos ? 0 : static_cast<int>(digits.size() - point - 1);
  }
  /// Does this value, rounded to the digits shown, read the same?
  bool shows(double value) const {
    return fmt::format("{:.{}f}", value / std::pow(10.0, exponent), decimals()) == digits;
  }
};

/// Digits, alone or grouped by commas, perhaps with decimals, perhaps times a power of ten.
inline const std::regex& number_pattern() {
  static const std::regex pattern(
      R"((\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?(?:·10((?:⁰|¹|²|³|⁴|⁵|⁶|⁷|⁸|⁹)+))?)");
  return pattern;
}

inline int exponent_of(const std::string& superscript) {
  static const std::vector<std::string> digits = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  int exponent = 0;
  for (std::size_t at = 0; at < superscript.size();)
    for (int digit = 0; digit < 10; ++digit)
      if (const auto& sign = digits[static_cast<std::size_t>(digit)];
          superscript.compare(at, sign.size(), sign) == 0) {
        exponent = 10 * exponent + digit;
        at += sign.size();
        break;
      }
  return exponent;
}

inline std::vector<PrintedNumber> numbers_in(const std::string& text) {
  std::vector<PrintedNumber> numbers;
  for (std::sregex_iterator it(text.begin(), text.end(), number_pattern()), end; it != end; ++it) {
    PrintedNumber number;
    number.digits = std::regex_replace((*it)[1].str(), std::regex(","), "") + (*it)[2].str();
    number.exponent = exponent_of((*it)[3].str());
    number.begin = static_cast<std::size_t>(it->position());
    number.end = number.begin + static_cast<std::size_t>(it->length());
    numbers.push_back(number);
  }
  return numbers;
}

struct Marked {
  std::string name;
  std::vector<PrintedNumber> numbers;
};

inline const std::regex& marker_pattern() {
  static const std::regex pattern(R"(\s*<!-- check: ([a-z0-9-]+) -->)");
  return pattern;
}

/// The numbers a table row's marker stands for: those of all cells but the first.
inline std::vector<PrintedNumber> row_numbers(const std::string& row) {
  const std::size_t second = row.find('|', row.find('|') + 1);
  return numbers_in(std::regex_replace(row.substr(second), marker_pattern(), ""));
}

/// Every marker of the page with its numbers, in order.
inline std::vector<Marked> marked_numbers(const std::string& page) {
  std::vector<Marked> all;
  for (std::sregex_iterator it(page.begin(), page.end(), marker_pattern()), end; it != end; ++it) {
    const auto at = static_cast<std::size_t>(it->position());
    const std::size_t start = at == 0 ? 0 : page.rfind('\n', at - 1) + 1;
    Marked marked{(*it)[1].str(), {}};
    if (page.compare(start, 2, "| ") == 0) {
      marked.numbers = row_numbers(page.substr(start, page.find('\n', start) - start));
    } else {
      const std::string before = page.substr(start, at - start);
      for (const PrintedNumber& number : numbers_in(before))
        if (number.end == before.size()) marked.numbers.push_back(number);
    }
    all.push_back(marked);
  }
  return all;
}

/// The page without fenced blocks.
inline std::string without_blocks(const std::string& page) {
  std::istringstream lines(page);
  std::string line, rest;
  bool inside = false;
  while (std::getline(lines, line)) {
    if (line.starts_with("```"))
      inside = !inside;
    else if (!inside)
      rest += line + "\n";
  }
  return rest;
}

/// The texts between backticks, outside fenced blocks.
inline std::vector<std::string> code_spans(const std::string& text) {
  std::vector<std::string> spans;
  const std::string rest = without_blocks(text);
  static const std::regex span("`([^`]+)`");
  for (std::sregex_iterator it(rest.begin(), rest.end(), span), end; it != end; ++it)
    spans.push_back((*it)[1].str());
  return spans;
}

/// Numbers that look computed (decimals, or grouped thousands) and carry no marker. Formulas in
/// code, addresses of links, headings and numbers of items ("Theorem 3.5") do not count.
inline std::vector<std::string> unmarked_numbers(const std::string& page) {
  std::string text = without_blocks(page);
  text = std::regex_replace(text, std::regex("`[^`]+`"), "`");
  text = std::regex_replace(text, std::regex(R"(\]\([^)]*\))"), "]");
  text = std::regex_replace(
      text,
      std::regex(
          R"((Theorem|Definition|Proposition|Corollary|Remark|Lemma|[Ss]ection)\s+\d+\.\d+)"),
      "$1");
  std::istringstream lines(text);
  std::vector<std::string> unmarked;
  std::string line, whole;
  while (std::getline(lines, line))  // rows answer for all their numbers
    if (!line.starts_with("#") &&
        !(line.starts_with("| ") && std::regex_search(line, marker_pattern())))
      whole += line + "\n";
  for (const PrintedNumber& number : numbers_in(whole)) {
    const std::string shown = whole.substr(number.begin, number.end - number.begin);
    const bool computed =
        shown.find('.') != std::string::npos || shown.find(',') != std::string::npos;
    const std::string after = whole.substr(number.end, 80);
    if (computed &&
        !std::regex_search(after, marker_pattern(), std::regex_constants::match_continuous))
      unmarked.push_back(shown);
  }
  return unmarked;
}

}  // namespace armature::test
