// Text as a terminal shows it: how many columns it takes, what of it must not reach a terminal as
// it is, and where lines are broken. The one place that knows characters from bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace armature {

/// Columns on a terminal: two for wide East Asian characters and emoji, none for combining marks.
/// The same on every machine, unlike wcwidth, which asks the locale.
std::size_t display_width(std::string_view text);

/// Strict: nothing overlong, no surrogates, nothing beyond Unicode.
bool is_utf8(std::string_view text);

/// The text with every character that would move the cursor, change colours or hide others written
/// out: \n, \x1b, \u202e; bytes that are no UTF-8 as \xff. What comes from files and arguments goes
/// through here before a terminal.
std::string visible(std::string_view text);
/// The same, character by character.
std::vector<std::string> visible_characters(std::string_view text);

/// Broken at blanks into lines of at most `width` columns; a longer word has its own line. The
/// first line starts with `first`, the others with `rest`, which count. No line break at the end.
std::string wrapped(const std::string& text, std::size_t width, const std::string& first = "",
                    const std::string& rest = "");

/// A name in a narrow column: lines of at most `width` columns, broken at blanks and behind the
/// marks of text forms (`db:base=ucb+c-ucb,dial=0.5`), and where that is not enough, anywhere.
std::vector<std::string> broken_name(const std::string& name, std::size_t width);
/// The columns it needs to be broken at blanks and marks alone.
std::size_t narrowest(const std::string& name);

}  // namespace armature
