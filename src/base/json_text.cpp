#include "base/json_text.h"

#include <fmt/format.h>

#include <charconv>
#include <functional>
#include <set>
#include <string_view>
#include <vector>

#include "armature/error.h"

namespace armature {
namespace {

constexpr std::size_t kDeepest = 64;  // an instance needs 7

// Brackets, braces, colons and whole strings (with their quotes) in turn, with the line each begins
// at; all else is left out. Text that is no JSON is cut up somehow, without harm.
void each_token(const std::string& text,
                const std::function<void(std::string_view token, int line)>& each) {
  int line = 1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') ++line;
    if (text[i] == '"') {
      const std::size_t start = i++;
      while (i < text.size() && text[i] != '"') i += text[i] == '\\' ? 2 : 1;
      each(std::string_view(text).substr(start, i + 1 - start), line);
    } else if (std::string_view("[]{}:").find(text[i]) != std::string_view::npos) {
      each(std::string_view(text).substr(i, 1), line);
    }
  }
}

}  // namespace

void refuse_deep_nesting(const std::string& text, const std::string& source) {
  std::size_t depth = 0;
  each_token(text, [&](std::string_view token, int line) {
    if (token == "[" || token == "{") ++depth;
    if ((token == "]" || token == "}") && depth > 0) --depth;
    if (depth > kDeepest)
      throw Error({source, fmt::format("line {}", line), "deeper nesting",
                   fmt::format("at most {} lists or objects inside each other", kDeepest)});
  });
}

namespace {

// A key as it is meant: "\\u0061" is "a". What is no proper escape stays as it is written; the JSON
// library refuses it.
std::string decoded(std::string_view key) {
  std::string text;
  for (std::size_t i = 0; i < key.size(); ++i) {
    unsigned code = 0;
    if (key[i] != '\\' || i + 1 == key.size()) {
      text += key[i];
    } else if (const std::size_t plain = std::string_view("bfnrt").find(key[i + 1]);
               plain != std::string_view::npos) {
      text += "\b\f\n\r\t"[plain];
      ++i;
    } else if (key[i + 1] != 'u') {
      text += key[++i];
    } else if (i + 6 <= key.size() &&
               std::from_chars(key.data() + i + 2, key.data() + i + 6, code, 16).ptr ==
                   key.data() + i + 6) {
      // As UTF-8; halves of a pair are told apart alike, which is all that is asked.
      if (code < 0x80) {
        text += static_cast<char>(code);
      } else if (code < 0x800) {
        text += {static_cast<char>(0xC0 | code >> 6), static_cast<char>(0x80 | (code & 63))};
      } else {
        text += {static_cast<char>(0xE0 | code >> 12), static_cast<char>(0x80 | (code >> 6 & 63)),
                 static_cast<char>(0x80 | (code & 63))};
      }
      i += 5;
    } else {
      text += key[i];
    }
  }
  return text;
}

}  // namespace

void refuse_repeated_keys(const std::string& text, const std::string& source) {
  std::vector<std::set<std::string>> open;  // the keys of each object and list around
  std::string_view last;                    // a key is the string before a colon
  int line_of_last = 1;
  each_token(text, [&](std::string_view token, int line) {
    if (token == "[" || token == "{") open.emplace_back();
    if (token == "]" || token == "}") open.pop_back();
    if (token == ":" && !open.back().insert(decoded(last)).second)
      throw Error({source, fmt::format("line {}", line_of_last),
                   fmt::format("the key {} a second time", last), "each key once in an object"});
    last = token;
    line_of_last = line;
  });
}

std::string json_complaint(const std::exception& error) {
  const std::string words = error.what();
  const std::size_t end = words.starts_with('[') ? words.find("] ") : std::string::npos;
  return end == std::string::npos ? words : words.substr(end + 2);
}

}  // namespace armature
