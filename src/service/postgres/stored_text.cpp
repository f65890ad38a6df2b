#include "service/postgres/stored_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/display.h"
#include "base/text.h"

namespace armature::service::postgres {
namespace {

// Bytes of the character that begins here; 0: it is none.
std::size_t character_at(std::string_view text) {
  const std::size_t most = std::min<std::size_t>(text.size(), 4);
  for (std::size_t bytes = 1; bytes <= most; ++bytes)
    if (is_utf8(text.substr(0, bytes))) return bytes;
  return 0;
}

int digit_of(char c) {
  if (is_digit(c)) return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

}  // namespace

std::string stored_text(const std::string& text) {
  const bool plain = text.find('\\') == text.npos && text.find('\0') == text.npos;
  if (plain && is_utf8(text)) return text;
  std::string stored;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes = character_at(std::string_view(text).substr(at));
    if (text[at] == '\\')
      stored += "\\\\";
    else if (text[at] == '\0')
      stored += "\\0";
    else if (bytes == 0)
      stored += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[at]));
    else
      stored += text.substr(at, bytes);
    at += std::max<std::size_t>(bytes, 1);
  }
  return stored;
}

std::string text_of(const std::string& stored) {
  if (stored.find('\\') == stored.npos) return stored;
  std::string text;
  for (std::size_t at = 0; at < stored.size(); ++at) {
    const char next = at + 1 < stored.size() ? stored[at + 1] : 'n';
    if (stored[at] != '\\' || (next != '\\' && next != '0' && next != 'x')) {
      text += stored[at];
      continue;
    }
    ++at;
    if (next != 'x') {
      text += next == '0' ? '\0' : '\\';
      continue;
    }
    const int high = at + 2 < stored.size() ? digit_of(stored[at + 1]) : -1;
    const int low = at + 2 < stored.size() ? digit_of(stored[at + 2]) : -1;
    if (high < 0 || low < 0) {
      text += "\\x";
      continue;
    }
    text += static_cast<char>(high * 16 + low);
    at += 2;
  }
  return text;
}

}  // namespace armature::service::postgres
