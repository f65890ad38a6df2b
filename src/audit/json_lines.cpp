#include "audit/json_lines.h"

#include <set>

#include "armature/error.h"

namespace armature {
namespace {

// Written by hand because a row must cost neither an allocation nor the values nobody asked for.
constexpr int kDeepest = 64;
constexpr std::size_t kMostColumns = 10'000;

// Walks an object and calls on_value(path, text) for every string, number, word or null (an empty
// text) in it. Texts are views into the line, or into `unescaped`, which is never reallocated.
template <class OnValue>
class Scanner {
 public:
  Scanner(std::string_view line, std::string& path, std::string& unescaped, OnValue on_value)
      : line_(line), path_(path), unescaped_(unescaped), on_value_(on_value) {
    path_.clear();
    unescaped_.clear();
    unescaped_.reserve(line.size());  // escapes are longer than what they stand for
  }

  /// False: it is no object, or no JSON.
  bool object() {
    blanks();
    if (!sees('{') || !value(0)) return false;
    blanks();
    return at_ == line_.size();
  }

 private:
  bool sees(char c) const { return at_ < line_.size() && line_[at_] == c; }
  bool takes(char c) {
    blanks();
    if (!sees(c)) return false;
    ++at_;
    return true;
  }
  void blanks() {
    while (at_ < line_.size() && (line_[at_] == ' ' || line_[at_] == '\t' || line_[at_] == '\r'))
      ++at_;
  }

  bool value(int depth) {
    blanks();
    if (at_ == line_.size() || depth > kDeepest) return false;
    if (sees('{')) return members(depth);
    if (sees('[')) return elements(depth);
    if (sees('"')) {
      std::string_view text;
      if (!string(text)) return false;
      on_value_(path_, text);
      return true;
    }
    return word();
  }

  bool members(int depth) {
    ++at_;
    if (takes('}')) return true;
    const std::size_t length = path_.size();
    do {
      blanks();
      std::string_view key;
      if (!sees('"') || !string(key)) return false;
      if (length > 0) path_ += '.';
      path_ += key;
      if (!takes(':') || !value(depth + 1)) return false;
      path_.resize(length);
    } while (takes(','));
    return takes('}');
  }

  bool elements(int depth) {
    ++at_;
    if (takes(']')) return true;
    const std::size_t length = path_.size();
    std::size_t number = 0;
    do {
      if (length > 0) path_ += '.';
      path_ += std::to_string(number++);
      if (!value(depth + 1)) return false;
      path_.resize(length);
    } while (takes(','));
    return takes(']');
  }

  bool word() {
    const std::size_t start = at_;
    while (at_ < line_.size() && std::string_view(",]} \t\r").find(line_[at_]) == line_.npos) ++at_;
    const std::string_view text = line_.substr(start, at_ - start);
    const bool number = !text.empty() && (text[0] == '-' || (text[0] >= '0' && text[0] <= '9')) &&
                        text.find_first_not_of("-+.0123456789eE") == std::string_view::npos;
    if (!number && text != "true" && text != "false" && text != "null") return false;
    on_value_(path_, text == "null" ? std::string_view() : text);
    return true;
  }

  bool string(std::string_view& text) {
    const std::size_t start = ++at_;
    while (at_ < line_.size() && line_[at_] != '"' && line_[at_] != '\\') ++at_;
    if (at_ == line_.size()) return false;
    if (line_[at_] == '"') {
      text = line_.substr(start, at_++ - start);
      return true;
    }
    const std::size_t before = unescaped_.size();
    unescaped_ += line_.substr(start, at_ - start);
    for (; at_ < line_.size() && line_[at_] != '"'; ++at_) {
      if (line_[at_] != '\\')
        unescaped_ += line_[at_];
      else if (!escape())
        return false;
    }
    if (at_ == line_.size()) return false;
    ++at_;
    text = std::string_view(unescaped_).substr(before);
    return true;
  }

  // At a backslash; ends at the last character of the escape.
  bool escape() {
    if (++at_ >= line_.size()) return false;
    constexpr std::string_view kShort = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
    if (const std::size_t found = kShort.find(line_[at_]); found != std::string_view::npos) {
      unescaped_ += kMeant[found];
      return true;
    }
    std::uint32_t code = 0;
    if (line_[at_] != 'u' || !hexadecimal(code)) return false;
    if (code >= 0xD800 && code < 0xDC00) {  // the first half of a pair
      std::uint32_t low = 0;
      if (line_.substr(at_ + 1, 2) != "\\u") return false;
      at_ += 2;
      if (!hexadecimal(low) || low < 0xDC00 || low > 0xDFFF) return false;
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    } else if (code >= 0xDC00 && code <= 0xDFFF) {
      return false;
    }
    add_character(code);
    return true;
  }

  // The four digits behind `at_`.
  bool hexadecimal(std::uint32_t& code) {
    code = 0;
    if (at_ + 4 >= line_.size()) return false;
    for (int i = 0; i < 4; ++i) {
      const char c = line_[++at_];
      const int digit = c >= '0' && c <= '9'   ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (digit < 0) return false;
      code = code * 16 + static_cast<std::uint32_t>(digit);
    }
    return true;
  }

  void add_character(std::uint32_t code) {
    const auto add = [&](std::uint32_t byte) { unescaped_ += static_cast<char>(byte); };
    if (code < 0x80) return add(code);
    if (code < 0x800) {
      add(0xC0 | (code >> 6));
    } else {
      if (code < 0x10000) {
        add(0xE0 | (code >> 12));
      } else {
        add(0xF0 | (code >> 18));
        add(0x80 | ((code >> 12) & 0x3F));
      }
      add(0x80 | ((code >> 6) & 0x3F));
    }
    add(0x80 | (code & 0x3F));
  }

  std::string_view line_;
  std::string& path_;
  std::string& unescaped_;
  OnValue on_value_;
  std::size_t at_ = 0;
};

}  // namespace

JsonLinesReader::JsonLinesReader(Opening opening) : FileRecords(std::move(opening)) {
  std::set<std::string> known;
  const auto note = [&](const std::string& path, std::string_view) {
    if (known.size() < kMostColumns && known.insert(path).second) columns_.push_back(path);
  };
  if (!Scanner(first_, path_, unescaped_, note).object())
    throw Error({name(), "line " + std::to_string(lines_->line()), "no JSON", "an object a line"});
  const std::string_view ahead = lines_->ahead();
  std::size_t end = 0;
  for (std::size_t at = 0; (end = ahead.find('\n', at)) != std::string_view::npos; at = end + 1)
    Scanner(ahead.substr(at, end - at), path_, unescaped_, note).object();
}

void JsonLinesReader::rewind() {
  rewind_to_first();
  first_waits_ = true;
}

bool JsonLinesReader::next(Record& record) {
  std::string_view line = first_;
  if (!first_waits_) {
    do {
      if (!lines_->next(line)) return false;
    } while (line.empty() || is_blank(line));
  }
  first_waits_ = false;
  record.line = lines_->line();
  record.trouble = nullptr;
  record.fields.assign(chosen_.size(), {});
  found_.assign(chosen_.size(), false);
  bool twice = false;
  const auto take = [&](const std::string& path, std::string_view text) {
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      if (chosen_[i] != path) continue;
      twice = twice || found_[i];
      found_[i] = true;
      record.fields[i] = text;
    }
  };
  if (!Scanner(line, path_, unescaped_, take).object()) {
    record.trouble = lines_->ended() ? "no JSON" : "a last line that was cut off";
    record.expected = "an object a line";
  } else if (twice) {
    record.trouble = "a key that stands twice";
    record.expected = "one value for each key";
  }
  return true;
}

}  // namespace armature
