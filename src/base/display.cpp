#include "base/display.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <sstream>

namespace armature {
namespace {

struct Range {
  char32_t first, last;
};

// Two columns: East Asian Width W and F of Unicode 14, with what is not assigned between them.
constexpr Range kWide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x2329, 0x232A},   {0x23E9, 0x23EC},
    {0x23F0, 0x23F0},   {0x23F3, 0x23F3},   {0x25FD, 0x25FE},   {0x2614, 0x2615},
    {0x2648, 0x2653},   {0x267F, 0x267F},   {0x2693, 0x2693},   {0x26A1, 0x26A1},
    {0x26AA, 0x26AB},   {0x26BD, 0x26BE},   {0x26C4, 0x26C5},   {0x26CE, 0x26CE},
    {0x26D4, 0x26D4},   {0x26EA, 0x26EA},   {0x26F2, 0x26F3},   {0x26F5, 0x26F5},
    {0x26FA, 0x26FA},   {0x26FD, 0x26FD},   {0x2705, 0x2705},   {0x270A, 0x270B},
    {0x2728, 0x2728},   {0x274C, 0x274C},   {0x274E, 0x274E},   {0x2753, 0x2755},
    {0x2757, 0x2757},   {0x2795, 0x2797},   {0x27B0, 0x27B0},   {0x27BF, 0x27BF},
    {0x2B1B, 0x2B1C},   {0x2B50, 0x2B50},   {0x2B55, 0x2B55},   {0x2E80, 0x303E},
    {0x3041, 0x3247},   {0x3250, 0x4DBF},   {0x4E00, 0xA4C6},   {0xA960, 0xA97C},
    {0xAC00, 0xD7A3},   {0xF900, 0xFAD9},   {0xFE10, 0xFE19},   {0xFE30, 0xFE6B},
    {0xFF01, 0xFF60},   {0xFFE0, 0xFFE6},   {0x16FE0, 0x1B2FB}, {0x1F004, 0x1F004},
    {0x1F0CF, 0x1F0CF}, {0x1F18E, 0x1F18E}, {0x1F191, 0x1F19A}, {0x1F200, 0x1F320},
    {0x1F32D, 0x1F335}, {0x1F337, 0x1F37C}, {0x1F37E, 0x1F393}, {0x1F3A0, 0x1F3CA},
    {0x1F3CF, 0x1F3D3}, {0x1F3E0, 0x1F3F0}, {0x1F3F4, 0x1F3F4}, {0x1F3F8, 0x1F43E},
    {0x1F440, 0x1F440}, {0x1F442, 0x1F4FC}, {0x1F4FF, 0x1F53D}, {0x1F54B, 0x1F54E},
    {0x1F550, 0x1F567}, {0x1F57A, 0x1F57A}, {0x1F595, 0x1F596}, {0x1F5A4, 0x1F5A4},
    {0x1F5FB, 0x1F64F}, {0x1F680, 0x1F6C5}, {0x1F6CC, 0x1F6CC}, {0x1F6D0, 0x1F6D2},
    {0x1F6D5, 0x1F6DF}, {0x1F6EB, 0x1F6EC}, {0x1F6F4, 0x1F6FC}, {0x1F7E0, 0x1F7F0},
    {0x1F90C, 0x1F93A}, {0x1F93C, 0x1F945}, {0x1F947, 0x1F9FF}, {0x1FA70, 0x1FAF6},
    {0x20000, 0x3FFFD}};

// No column: marks on the character before, joiners, the later letters of a Hangul syllable. Of the
// scripts with many marks those that terminals draw at all.
constexpr Range kZero[] = {
    {0x0300, 0x036F},  {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x05BF, 0x05BF}, {0x05C1, 0x05C2},
    {0x05C4, 0x05C5},  {0x05C7, 0x05C7}, {0x0610, 0x061A}, {0x064B, 0x065F}, {0x0670, 0x0670},
    {0x06D6, 0x06DC},  {0x06DF, 0x06E4}, {0x06E7, 0x06E8}, {0x06EA, 0x06ED}, {0x0711, 0x0711},
    {0x0730, 0x074A},  {0x08D3, 0x08E1}, {0x08E3, 0x0902}, {0x093A, 0x093A}, {0x093C, 0x093C},
    {0x0941, 0x0948},  {0x094D, 0x094D}, {0x0951, 0x0957}, {0x0962, 0x0963}, {0x0981, 0x0981},
    {0x09BC, 0x09BC},  {0x09C1, 0x09C4}, {0x09CD, 0x09CD}, {0x0A3C, 0x0A3C}, {0x0A41, 0x0A51},
    {0x0ABC, 0x0ABC},  {0x0AC1, 0x0AC8}, {0x0ACD, 0x0ACD}, {0x0BCD, 0x0BCD}, {0x0C3E, 0x0C40},
    {0x0C46, 0x0C56},  {0x0CCC, 0x0CCD}, {0x0D41, 0x0D44}, {0x0D4D, 0x0D4D}, {0x0E31, 0x0E31},
    {0x0E34, 0x0E3A},  {0x0E47, 0x0E4E}, {0x0EB1, 0x0EB1}, {0x0EB4, 0x0EBC}, {0x0EC8, 0x0ECD},
    {0x102D, 0x1030},  {0x1032, 0x1037}, {0x1039, 0x103A}, {0x103D, 0x103E}, {0x1160, 0x11FF},
    {0x135D, 0x135F},  {0x17B4, 0x17B5}, {0x17B7, 0x17BD}, {0x17C6, 0x17C6}, {0x17C9, 0x17D3},
    {0x180B, 0x180F},  {0x1AB0, 0x1ACE}, {0x1DC0, 0x1DFF}, {0x200B, 0x200F}, {0x202A, 0x202E},
    {0x2060, 0x206F},  {0x20D0, 0x20F0}, {0x302A, 0x302D}, {0x3099, 0x309A}, {0xA66F, 0xA672},
    {0xA674, 0xA67D},  {0xFB1E, 0xFB1E}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF},
    {0xE0001, 0xE01EF}};

// What turns the direction of writing, or is there and cannot be seen. The joiners stay: emoji and
// several scripts are written with them.
constexpr Range kHidden[] = {{0x0080, 0x009F}, {0x061C, 0x061C}, {0x200B, 0x200B},
                             {0x200E, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x206F},
                             {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0001, 0xE007F}};

template <std::size_t kCount>
bool among(const Range (&ranges)[kCount], char32_t c) {
  const auto* after = std::upper_bound(std::begin(ranges), std::end(ranges), c,
                                       [](char32_t x, const Range& r) { return x < r.first; });
  return after != std::begin(ranges) && c <= std::prev(after)->last;
}

struct Character {
  char32_t code = 0;
  std::size_t bytes = 1;
  bool valid = false;  // else a byte that belongs to no character
};

// Strict: what is overlong, a surrogate or beyond Unicode is no character.
Character character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (lead < 0xC2 || lead > 0xF4 || at + bytes > text.size()) return {};
  char32_t code = lead & (0xFFu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return {};
    code = (code << 6) | (byte(at + i) & 0x3Fu);
  }
  if (code < kLeast[bytes] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return {};
  return {code, bytes, true};
}

std::size_t width_of(const Character& character) {
  if (!character.valid) return 1;
  if (character.code < 0x300) return character.code < 0x20 || character.code == 0x7F ? 0 : 1;
  return among(kZero, character.code) ? 0 : among(kWide, character.code) ? 2 : 1;
}

// The bytes at the start of `text` that fill at most `width` columns, and at least one character.
std::size_t bytes_within(std::string_view text, std::size_t width) {
  std::size_t end = 0, columns = 0;
  while (end < text.size()) {
    const Character next = character_at(text, end);
    columns += width_of(next);
    if (columns > width && end > 0) break;
    end += next.bytes;
  }
  return end;
}

// Blanks at the end of a line need no room.
std::size_t shown_width(std::string_view line) {
  return display_width(line.substr(0, line.find_last_not_of(' ') + 1));
}

// What a line may end behind.
std::vector<std::string> pieces_of(const std::string& name) {
  std::vector<std::string> pieces;
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t mark = name.find_first_of(" ,:;+/", at);
    const std::size_t end = mark == std::string::npos ? name.size() : mark + 1;
    pieces.push_back(name.substr(at, end - at));
    at = end;
  }
  return pieces;
}

}  // namespace

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const Character next = character_at(text, at);
    if (!next.valid) return false;
    at += next.bytes;
  }
  return true;
}

std::size_t display_width(std::string_view text) {
  std::size_t columns = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Character next = character_at(text, at);
    columns += width_of(next);
    at += next.bytes;
  }
  return columns;
}

std::vector<std::string> visible_characters(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const Character next = character_at(text, at);
    const char32_t c = next.code;
    if (!next.valid)
      out.push_back(fmt::format("\\x{:02x}", static_cast<unsigned char>(text[at])));
    else if (c == '\n' || c == '\t' || c == '\r')
      out.emplace_back(c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\r");
    else if (c < 0x20 || c == 0x7F)
      out.push_back(fmt::format("\\x{:02x}", static_cast<std::uint32_t>(c)));
    else if (among(kHidden, c))
      out.push_back(fmt::format("\\u{:04x}", static_cast<std::uint32_t>(c)));
    else
      out.emplace_back(text.substr(at, next.bytes));
    at += next.bytes;
  }
  return out;
}

std::string visible(std::string_view text) {
  std::string out;
  for (const std::string& character : visible_characters(text)) out += character;
  return out;
}

std::string wrapped(const std::string& text, std::size_t width, const std::string& first,
                    const std::string& rest) {
  std::string out, line = first;
  bool empty = true;  // no word on the line yet
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!empty && display_width(line) + 1 + display_width(word) > width) {
      out += line + "\n";
      line = rest;
      empty = true;
    }
    line += (empty ? "" : " ") + word;
    empty = false;
  }
  return out + line;
}

std::vector<std::string> broken_name(const std::string& name, std::size_t width) {
  std::vector<std::string> lines{""};
  for (std::string piece : pieces_of(name)) {
    if (!lines.back().empty() && shown_width(lines.back() + piece) > width) lines.emplace_back();
    while (shown_width(lines.back() + piece) > width && !piece.empty()) {
      const std::size_t bytes = bytes_within(piece, width);
      lines.back() = piece.substr(0, bytes);
      lines.emplace_back();
      piece = piece.substr(bytes);
    }
    lines.back() += piece;
  }
  for (std::string& line : lines) line.erase(line.find_last_not_of(' ') + 1);
  if (lines.size() > 1 && lines.back().empty()) lines.pop_back();
  return lines;
}

std::size_t narrowest(const std::string& name) {
  std::size_t width = 0;
  for (const std::string& piece : pieces_of(name)) width = std::max(width, shown_width(piece));
  return width;
}

}  // namespace armature
