#include "base/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <vector>

#include "armature/error.h"
#include "base/text.h"

namespace armature {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kDeepest = 64;  // an instance needs 7

std::string place_of(std::string_view text, std::size_t at) {
  return line_and_column(text, at).text();
}

// Brackets, braces, colons and whole strings (with their quotes) in turn, with the place each
// begins at; all else is left out. Text that is no JSON is cut up somehow, without harm.
void each_token(const std::string& text,
                const std::function<void(std::string_view token, std::size_t at)>& each) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') {
      const std::size_t start = i++;
      while (i < text.size() && text[i] != '"') i += text[i] == '\\' ? 2 : 1;
      each(std::string_view(text).substr(start, i + 1 - start), start);
    } else if (std::string_view("[]{}:").find(text[i]) != std::string_view::npos) {
      each(std::string_view(text).substr(i, 1), i);
    }
  }
}

// The library recurses where it copies and prints: asked before it parses.
void refuse_deep_nesting(const std::string& text, const std::string& source) {
  std::size_t depth = 0;
  each_token(text, [&](std::string_view token, std::size_t at) {
    if (token == "[" || token == "{") ++depth;
    if ((token == "]" || token == "}") && depth > 0) --depth;
    if (depth > kDeepest)
      throw Error({source, place_of(text, at), "deeper nesting",
                   fmt::format("at most {} lists or objects inside each other", kDeepest)});
  });
}

// The library takes a zero byte for the end, and what follows it for nothing.
void refuse_zero_bytes(const std::string& text, const std::string& source) {
  const std::size_t at = text.find('\0');
  if (at != std::string::npos) throw Error({source, place_of(text, at), "a NUL byte", "text"});
}

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

// Makes the JSON as the library would, but puts a key behind the others without a look at them, for
// that takes time by the square of their number. Repeated ones are refused afterwards.
class Builder final : public Json::json_sax_t {
 public:
  Json take() { return std::move(root_); }

  bool null() override { return put(nullptr) != nullptr; }
  bool boolean(bool value) override { return put(value) != nullptr; }
  bool number_integer(Json::number_integer_t value) override { return put(value) != nullptr; }
  bool number_unsigned(Json::number_unsigned_t value) override { return put(value) != nullptr; }
  bool number_float(Json::number_float_t value, const std::string&) override {
    return put(value) != nullptr;
  }
  bool string(std::string& value) override { return put(std::move(value)) != nullptr; }
  bool binary(Json::binary_t&) override { return false; }  // never in text
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(std::string& name) override {
    open_.back()->get_ref<Json::object_t&>().emplace_back(std::move(name), nullptr);
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const Json::exception& error) override {
    if (const auto* syntax = dynamic_cast<const Json::parse_error*>(&error)) throw *syntax;
    throw error;
  }

 private:
  Json* put(Json value) {
    if (open_.empty()) return &(root_ = std::move(value));
    if (open_.back()->is_object())
      return &(open_.back()->get_ref<Json::object_t&>().back().second = std::move(value));
    auto& list = open_.back()->get_ref<Json::array_t&>();
    list.push_back(std::move(value));
    return &list.back();
  }
  bool open(Json value) {
    open_.push_back(put(std::move(value)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  Json root_;
  std::vector<Json*> open_;  // each the last part of the one before, which so stays where it is
};

// Of text that the library has read.
void refuse_repeated_keys(const std::string& text, const std::string& source) {
  std::vector<std::set<std::string>> open;  // the keys of each object and list around
  std::string_view last;                    // a key is the string before a colon
  std::size_t place_of_last = 0;
  each_token(text, [&](std::string_view token, std::size_t at) {
    if (token == "[" || token == "{") open.emplace_back();
    if (token == "]" || token == "}") open.pop_back();
    if (token == ":" && !open.back().insert(decoded(last)).second)
      throw Error({source, place_of(text, place_of_last),
                   fmt::format("the key {} a second time", last), "each key once in an object"});
    last = token;
    place_of_last = at;
  });
}

}  // namespace

std::string json_complaint(const std::exception& error) {
  const std::string words = error.what();
  const std::size_t end = words.starts_with('[') ? words.find("] ") : std::string::npos;
  return end == std::string::npos ? words : words.substr(end + 2);
}

Json parsed_json(const std::string& text, const std::string& source) {
  refuse_zero_bytes(text, source);
  refuse_deep_nesting(text, source);
  try {
    Builder builder;
    Json::sax_parse(text, &builder);
    refuse_repeated_keys(text, source);
    return builder.take();
  } catch (const Json::parse_error& error) {
    const std::size_t at = std::max<std::size_t>(error.byte, 1) - 1;
    if (at >= text.size())
      throw Error({source, place_of(text, text.size()), "the end of the text", "valid JSON"});
    // What stands there, up to the next break: NaN, a stray bracket, an unquoted word.
    const std::size_t begin = text.find_last_of(" \t\n,:[]{}", at);
    const std::size_t from = begin == std::string::npos ? 0 : begin == at ? at : begin + 1;
    const std::size_t until = std::min(text.find_first_of(" \t\n,]}", at + 1), from + 20);
    throw Error(
        {source, place_of(text, from), "'" + text.substr(from, until - from) + "'", "valid JSON"});
  } catch (const Json::exception& error) {  // a number beyond the range of doubles
    throw Error({source, "JSON", json_complaint(error), "numbers within the range of doubles"});
  }
}

}  // namespace armature
