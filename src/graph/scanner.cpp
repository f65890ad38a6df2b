#include "graph/scanner.h"

#include <fmt/format.h>

#include <algorithm>

#include "armature/error.h"
#include "base/text.h"

namespace armature::graph {
namespace {

// One letter of UTF-8; no bytes if there is none: a stray or missing byte, a surrogate, an overlong
// form.
Scanner::Letter decoded(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) -> std::uint32_t {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0;
  };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4) return {0, 0};
  char32_t code = first & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {0, 0};
    code = (code << 6U) | (byte(i) & 0x3FU);
  }
  const bool overlong = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  if (overlong || (code >= 0xD800 && code < 0xE000) || code > 0x10FFFF) return {0, 0};
  return {code, bytes};
}

bool is_foreign_blank(char32_t letter) {
  return letter == 0x85 || letter == 0xA0 || (letter >= 0x2000 && letter <= 0x200B) ||
         letter == 0x2028 || letter == 0x2029 || letter == 0x202F || letter == 0x205F ||
         letter == 0x3000 || letter == 0xFEFF;
}

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace

void require_utf8(std::string_view text, const std::string& source) {
  const auto refuse = [&](const char* what, const char* advice) {
    throw Error({source, "", what, advice});
  };
  if (text.starts_with("\x1F\x8B"))
    refuse("a file compressed by gzip", "a text: unpack it first, with gunzip");
  if (text.starts_with("PK\x03\x04")) refuse("a zip archive", "a text: unpack it first");
  if (text.starts_with("%PDF-")) refuse("a PDF", "a graph as text: BIF, DOT or dagitty");
  if (text.size() > UINT32_MAX) refuse("a text of more than 4 GiB", "a smaller one");
  constexpr const char* kTurn = "text in UTF-8; iconv -f UTF-16 -t UTF-8 makes it of this file";
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) refuse("UTF-16", kTurn);
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '\0')
      throw Error({source, line_and_column(text, at).text(), "a NUL byte",
                   "text in UTF-8; if this is UTF-16, iconv -f UTF-16 -t UTF-8 makes it that"});
    const std::size_t bytes = decoded(text, at).bytes;
    if (bytes == 0)
      throw Error({source, line_and_column(text, at).text(),
                   fmt::format("byte 0x{:02X}", static_cast<unsigned char>(text[at])),
                   "text in UTF-8; if this is Latin-1, iconv -f LATIN1 -t UTF-8 makes it that"});
    at += bytes;
  }
}

bool is_foreign_letter(char32_t letter) {
  const bool quotation = letter == 0xAB || letter == 0xBB || (letter >= 0x2018 && letter <= 0x201F);
  const bool dash = letter == 0xAD || (letter >= 0x2010 && letter <= 0x2015) || letter == 0x2212;
  const bool arrow = (letter >= 0x2190 && letter <= 0x21FF) ||
                     (letter >= 0x27F0 && letter <= 0x27FF) ||
                     (letter >= 0x2900 && letter <= 0x297F);
  return letter > 0x9F && !is_foreign_blank(letter) && !quotation && !dash && !arrow;
}

bool is_name_in_files(std::string_view name) {
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  return !name.empty() && std::none_of(name.begin(), name.end(), control);
}

std::string in_quotes(std::string_view name) { return "'" + std::string(name) + "'"; }

std::string small_letters(std::string_view text) {
  std::string small(text);
  for (char& c : small)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return small;
}

Scanner::Scanner(std::string_view text, std::string source, Rules rules)
    : text_(text), source_(std::move(source)), rules_(rules) {
  if (text_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
}

Scanner::Letter Scanner::letter(std::size_t at) const { return decoded(text_, at); }

void Scanner::pass_line() {
  while (!at_end() && peek() != '\n' && peek() != '\r') ++at_;
}

void Scanner::pass_block_comment() {
  const std::size_t end = text_.find("*/", at_ + 2);
  if (end == std::string_view::npos)
    fail(at_, "a comment without an end", "'*/' before the end of the text");
  at_ = end + 2;
}

void Scanner::skip() {
  const std::size_t from = at_;
  skipped_break_ = false;
  while (!at_end()) {
    const char c = text_[at_];
    if (is_blank(c)) {
      if (c == '\n' || c == '\r') skipped_break_ = true;
      ++at_;
    } else if (c == ';' && rules_.semicolons_are_blanks) {
      skipped_break_ = true;
      ++at_;
    } else if (c == '/' && peek(1) == '/') {
      pass_line();
    } else if (c == '/' && peek(1) == '*') {
      pass_block_comment();
    } else if (c == '#' && rules_.hash_begins_comment) {
      pass_line();
    } else if (static_cast<unsigned char>(c) >= 0x80 && is_foreign_blank(letter(at_).code)) {
      at_ += letter(at_).bytes;
    } else {
      break;
    }
  }
  skipped_nothing_ = at_ == from;
}

bool Scanner::take(char c) {
  if (peek() != c || at_end()) return false;
  ++at_;
  return true;
}

Word Scanner::quoted_word() {
  const std::size_t begin = at_++;
  std::string unescaped;
  bool plain = true;  // the text as it stands
  while (true) {
    const bool broken = !rules_.quotes_span_lines && (peek() == '\n' || peek() == '\r');
    if (at_end() || broken)
      fail(begin, at_end() ? "a quotation without an end" : "a quotation that the line ends",
           "another '\"'");
    if (peek() == '"') break;
    const char next = peek(1);
    if (peek() == '\\' && (next == '"' || next == '\\' || next == '\n')) {
      if (plain) unescaped = text_.substr(begin + 1, at_ - begin - 1);
      plain = false;
      if (next != '\n') unescaped += next;  // a line goes on after a backslash at its end
      at_ += 2;
    } else {
      if (!plain) unescaped += peek();
      ++at_;
    }
  }
  ++at_;
  const std::string_view text =
      plain ? text_.substr(begin + 1, at_ - begin - 2) : keep(std::move(unescaped));
  return {text, begin, true};
}

void Scanner::require_name(const Word& word, const char* what) const {
  if (word.text.empty()) fail(word.at, fmt::format("an empty {}", what), "at least one letter");
  if (!is_name_in_files(word.text))
    fail(word.at, fmt::format("a {} with a line break or a control character in it", what),
         "letters, digits, blanks and signs");
}

std::string Scanner::line(std::size_t at) const {
  return fmt::format("line {}", line_and_column(text_, at).line);
}

std::string Scanner::found(std::size_t at) const {
  if (at >= text_.size()) return "the end of the text";
  constexpr std::string_view kEnds = "{}[]();,|\"";
  constexpr std::size_t kMost = 24;
  std::string word;
  std::size_t letters = 0;
  const bool quotation = text_[at] == '"';  // shown to its end
  while (at < text_.size() && letters < kMost) {
    const Letter here = letter(at);
    if (here.code < 0x20 || here.code == 0x7F) break;
    const char c = here.bytes == 1 ? text_[at] : 'x';
    const bool ends = quotation ? letters > 0 && c == '"'
                                : is_blank(c) || kEnds.find(c) != std::string_view::npos;
    if (ends && letters > 0 && !quotation) break;
    word += text_.substr(at, here.bytes);
    at += here.bytes;
    ++letters;
    if (ends) break;
  }
  if (letters == 0) return fmt::format("character 0x{:02X}", static_cast<unsigned char>(text_[at]));
  return in_quotes(word + (letters == kMost ? "…" : ""));
}

void Scanner::fail(std::size_t at, const std::string& found, const std::string& expected) const {
  throw Error({source_, line_and_column(text_, at).text(), found, expected});
}

}  // namespace armature::graph
