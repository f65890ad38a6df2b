#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/display.h"
#include "base/mathematics.h"

namespace armature {
namespace {

// Underscores between digits are for the reader only.
std::optional<std::string> without_underscores(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      plain += text[i];
      continue;
    }
    const auto digit = [&](std::size_t k) { return k < text.size() && is_digit(text[k]); };
    if (i == 0 || !digit(i - 1) || !digit(i + 1)) return std::nullopt;
  }
  return plain;
}

std::optional<double> plain_real(std::string_view text) {
  double value = 0;
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

constexpr std::size_t kLongestGuess = 64;
constexpr std::size_t kMostGuesses = 100;

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

}  // namespace

std::optional<double> parse_real(std::string_view text) {
  const auto plain = without_underscores(text);
  if (!plain) return std::nullopt;
  const auto caret = plain->find('^');
  if (caret == std::string::npos) return plain_real(*plain);
  const auto base = plain_real(std::string_view(*plain).substr(0, caret));
  const auto exponent = plain_real(std::string_view(*plain).substr(caret + 1));
  if (!base || !exponent || *base < 0) return std::nullopt;  // -2^2 is a formula: -(2^2)
  const double power = portable::pow(*base, *exponent);
  if (!std::isfinite(power)) return std::nullopt;
  return power;
}

std::optional<std::uint64_t> parse_integer(std::string_view text) {
  const auto plain = without_underscores(text);
  if (!plain) return std::nullopt;
  std::uint64_t value = 0;  // plain digits keep all 64 bits; the other forms go through a double
  const char* last = plain->data() + plain->size();
  const auto [end, error] = std::from_chars(plain->data(), last, value);
  if (error == std::errc() && end == last) return value;
  const auto real = parse_real(text);
  if (!real || *real < 0 || *real >= 0x1p64 || std::floor(*real) != *real) return std::nullopt;
  return static_cast<std::uint64_t>(*real);
}

std::string print_real(double value) { return fmt::format("{}", value); }

// Both may come from a client who wants this to take long.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& names) {
  if (word.size() > kLongestGuess || names.size() > kMostGuesses) return "";
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  std::string best;
  for (const std::string& name : names) {
    // The distance is no less than the difference of their lengths.
    if (std::max(word.size(), name.size()) - std::min(word.size(), name.size()) >= best_distance)
      continue;
    const std::size_t distance = edit_distance(word, name);
    if (distance < best_distance) {
      best_distance = distance;
      best = name;
    }
  }
  return best.empty() ? "" : "; did you mean '" + best + "'?";
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r#") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

bool is_name(std::string_view text) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), fits);
}

std::string shown(std::string_view text, std::size_t most) {
  // Only both ends are looked at: a message must not cost what a text of megabytes weighs. No
  // character has more than four bytes.
  if (text.size() > 8 * most + 8)
    return shown(
        std::string(text.substr(0, 4 * most)) + std::string(text.substr(text.size() - 4 * most)),
        most);
  const std::vector<std::string> characters = visible_characters(text);
  if (characters.size() <= most) return join(characters, "");
  // The beginning says what it is, so it gets the larger part.
  const auto first = characters.begin() + static_cast<std::ptrdiff_t>(most * 2 / 3);
  const auto last = characters.end() - static_cast<std::ptrdiff_t>(most - most * 2 / 3);
  return join({characters.begin(), first}, "") + "…" + join({last, characters.end()}, "");
}

std::string grouped(double number) {
  std::string digits = fmt::format("{:.0f}", number);
  // By hand: the locale of the machine must not show in a report. The sign is no digit.
  for (std::size_t at = digits.size(); at > 3 && digits[at - 4] != '-'; at -= 3)
    digits.insert(at - 3, ",");
  return digits;
}

std::string percent(double share) {
  if (share > 0 && share < 0.001) return "less than 0.1%";
  if (share > 0 && share < 0.1) return fmt::format("{:.2g}%", 100 * share);
  return fmt::format("{}%", std::lround(100 * share));
}

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string LineAndColumn::text() const { return fmt::format("line {}, column {}", line, column); }

LineAndColumn line_and_column(std::string_view text, std::size_t at) {
  LineAndColumn place;
  for (std::size_t i = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0; i < at; ++i) {
    const bool old_break = text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n');
    if (text[i] == '\n' || old_break) {
      ++place.line;
      place.column = 1;
    } else if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) {
      ++place.column;
    }
  }
  return place;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string joined;
  for (const std::string& part : parts) {
    if (!joined.empty()) joined += separator;
    joined += part;
  }
  return joined;
}

}  // namespace armature
