// Text into HTML, with nothing left to be taken for markup.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace armature {

/// Safe as text and inside a quoted attribute: both kinds of quotes are escaped.
std::string html_escaped(std::string_view text);
/// The same with what stands between backticks as code.
std::string html_text(std::string_view text);
/// The same as plain text where a line may also be broken behind : , = and /, for names without
/// blanks.
std::string html_breakable(std::string_view text);
/// Paragraphs separated by empty lines; what stands between backticks is code.
std::string html_paragraphs(std::string_view text);
/// JSON that can stand inside a <script>, where entities are not decoded and `</script>` ends it
/// even within a string. Parses to the same value.
std::string html_json(std::string_view json);

struct HtmlRow {
  std::vector<std::string> cells;  // plain text, the first one a heading
  bool marked = false;             // drawn as the best of the table
};
/// A box of class `wide` (and `kind`) in which a table scrolls, so that the page does not; `label`
/// tells those who are read the page aloud, or who scroll by keyboard, what it holds.
std::string html_scrolling(const std::string& kind, const std::string& label,
                           const std::string& table);
std::string html_table(const std::string& label, const std::vector<std::string>& header,
                       const std::vector<HtmlRow>& rows);

}  // namespace armature
