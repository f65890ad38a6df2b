#include "report/html.h"

// Titles, labels and texts come from study files, which may come from anybody: all of them pass
// here on their way into a page.
#include <fmt/format.h>

#include <algorithm>

namespace armature {
namespace {

// Backticks come in pairs; the last one of an odd number stands for itself.
std::string with_code(const std::string& escaped) {
  const auto count = std::count(escaped.begin(), escaped.end(), '`');
  std::string html;
  long seen = 0;
  for (const char c : escaped) {
    if (c != '`' || seen == count - count % 2)
      html += c;
    else
      html += seen++ % 2 == 0 ? "<code>" : "</code>";
  }
  return html;
}

}  // namespace

std::string html_escaped(std::string_view text) {
  std::string html;
  for (const char c : text) {
    switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      case '\'':
        html += "&#39;";
        break;
      default:
        html += c;
    }
  }
  return html;
}

// In this order: escaping leaves backticks alone, but would take the tags for text.
std::string html_text(std::string_view text) { return with_code(html_escaped(text)); }

std::string html_breakable(std::string_view text) {
  std::string html;
  for (const char c : text) {
    html += html_escaped(std::string_view(&c, 1));
    if (c == ':' || c == ',' || c == '=' || c == '/') html += "<wbr>";
  }
  return html;
}

std::string html_paragraphs(std::string_view text) {
  std::string html, paragraph;
  const auto end_paragraph = [&] {
    if (!paragraph.empty()) html += "<p>" + html_text(paragraph) + "</p>\n";
    paragraph.clear();
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (line.find_first_not_of(" \t\r") == std::string_view::npos)
      end_paragraph();
    else
      paragraph += (paragraph.empty() ? "" : " ") + std::string(line);
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  end_paragraph();
  return html;
}

std::string html_json(std::string_view json) {
  std::string html;
  // In JSON these stand inside strings only, where an escape by number means the same letter.
  for (const char c : json)
    html += c == '<' ? "\\u003c" : c == '>' ? "\\u003e" : c == '&' ? "\\u0026" : std::string(1, c);
  return html;
}

std::string html_scrolling(const std::string& kind, const std::string& label,
                           const std::string& table) {
  return fmt::format(
      "<div class=\"wide{}\"><div class=\"scroll\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"{}\">{}</div></div>\n",
      kind.empty() ? "" : " " + kind, html_escaped(label), table);
}

// Row and column headings are marked as such for
// those who are read the page aloud.
std::string html_table(const std::string& label, const std::vector<std::string>& header,
                       const std::vector<HtmlRow>& rows) {
  std::string html = "<table>\n<thead><tr>";
  for (const std::string& cell : header)
    html += fmt::format("<th scope=\"col\">{}</th>", html_escaped(cell));
  html += "</tr></thead>\n<tbody>\n";
  for (const HtmlRow& row : rows) {
    html += row.marked ? "<tr class=\"best\">" : "<tr>";
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      html += i == 0 ? "<th scope=\"row\">" + html_escaped(row.cells[i]) + "</th>"
                     : "<td>" + html_escaped(row.cells[i]) + "</td>";
    html += "</tr>\n";
  }
  return html_scrolling("", label, html + "</tbody>\n</table>");
}

}  // namespace armature
