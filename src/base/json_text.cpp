#include "base/json_text.h"

#include <fmt/format.h>

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

void refuse_repeated_keys(const std::string& text, const std::string& source) {
  std::vector<std::set<std::string_view>> open;  // the keys of each object and list around
  std::string_view last;                         // a key is the string before a colon
  int line_of_last = 1;
  each_token(text, [&](std::string_view token, int line) {
    if (token == "[" || token == "{") open.emplace_back();
    if (token == "]" || token == "}") open.pop_back();
    if (token == ":" && !open.back().insert(last).second)
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
