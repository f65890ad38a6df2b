// What the readers of graph files share: walking through a text, past blanks and comments, from
// word to word, and errors that say where they are, what was found and what was expected.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace armature::graph {

/// A word and where it stands. Its text is a piece of the file, or kept by the scanner if it had to
/// be put together ("a\"b").
struct Word {
  std::string_view text;
  std::size_t at = 0;
  bool quoted = false;
};

/// Throws Error for what is no text in UTF-8: compressed files, UTF-16, NULs, other encodings.
void require_utf8(std::string_view text, const std::string& source);

/// Is this what a bare name outside ASCII may be made of? Not if it is a blank, an arrow, a dash or
/// a quotation mark that only looks like a plain one: these come with text from web pages.
bool is_foreign_letter(char32_t letter);

/// Not empty, and nothing in it that breaks lines: what names of nodes and states are.
bool is_name_in_files(std::string_view name);

class Scanner {
 public:
  struct Rules {
    bool semicolons_are_blanks = false;
    bool hash_begins_comment = false;
    bool quotes_span_lines = false;
  };

  /// The text is UTF-8 and outlives the scanner.
  Scanner(std::string_view text, std::string source, Rules rules);

  void set_rules(Rules rules) { rules_ = rules; }
  const std::string& source() const { return source_; }
  std::string_view text() const { return text_; }

  bool at_end() const { return at_ == text_.size(); }
  std::size_t at() const { return at_; }
  void go_to(std::size_t at) { at_ = at; }
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool looking_at(std::string_view piece) const { return text_.substr(at_).starts_with(piece); }
  void advance(std::size_t bytes = 1) { at_ = std::min(at_ + bytes, text_.size()); }

  /// Passes blanks and comments, and remembers what of it mattered.
  void skip();
  /// Of the last skip: nothing at all was passed; a line break or a semicolon was.
  bool skipped_nothing() const { return skipped_nothing_; }
  bool skipped_break() const { return skipped_break_; }

  /// Where the scanner stands, to come back to after a look ahead.
  struct Place {
    std::size_t at;
    bool skipped_nothing;
    bool skipped_break;
  };
  Place place() const { return {at_, skipped_nothing_, skipped_break_}; }
  void go_back(const Place& place) {
    at_ = place.at;
    skipped_nothing_ = place.skipped_nothing;
    skipped_break_ = place.skipped_break;
  }

  /// Passes this character if it is the next one.
  bool take(char c);
  /// The letter at this place, and how many bytes it has.
  struct Letter {
    char32_t code;
    std::size_t bytes;
  };
  Letter letter(std::size_t at) const;

  /// At a double quote: the text up to the next. \" and \\ stand for " and \, any other backslash
  /// for itself.
  Word quoted_word();
  /// Text that must live as long as the scanner.
  std::string_view keep(std::string text) { return kept_.emplace_back(std::move(text)); }
  /// A name or a state: not empty, nothing that breaks lines.
  void require_name(const Word& word, const char* what) const;

  /// "line 3"; counted when asked: errors and warnings are rare.
  std::string line(std::size_t at) const;
  /// What stands there, as errors show it: "'-c'", "the end of the text".
  std::string found(std::size_t at) const;
  [[noreturn]] void fail(std::size_t at, const std::string& found,
                         const std::string& expected) const;
  [[noreturn]] void fail(std::size_t at, const std::string& expected) const {
    fail(at, found(at), expected);
  }

 private:
  void pass_line();
  void pass_block_comment();

  std::string_view text_;
  std::string source_;
  Rules rules_;
  std::size_t at_ = 0;
  bool skipped_nothing_ = true;
  bool skipped_break_ = false;
  std::deque<std::string> kept_;
};

/// 'name', as errors and warnings show it.
std::string in_quotes(std::string_view name);
/// A to Z made a to z, for what is written in any case.
std::string small_letters(std::string_view text);

}  // namespace armature::graph
