#include "report/html.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace armature {
namespace {

TEST(Html, NothingIsLeftToBeMarkup) {
  EXPECT_EQ(html_escaped("<b a='1' c=\"2\">&"), "&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp;");
}

TEST(Html, ParagraphsAndCode) {
  EXPECT_EQ(html_paragraphs("One\nline.\n\n  \nTwo `a<b` and `c`.\n"),
            "<p>One line.</p>\n<p>Two <code>a&lt;b</code> and <code>c</code>.</p>\n");
  EXPECT_EQ(html_paragraphs(""), "");
  EXPECT_EQ(html_paragraphs("an odd ` one"), "<p>an odd ` one</p>\n");
  EXPECT_EQ(html_paragraphs("`a` and `"), "<p><code>a</code> and `</p>\n");
}

TEST(Html, JsonCannotEndItsScript) {
  const nlohmann::json json = {{"text", "</script><!--&"}};
  const std::string html = html_json(json.dump());
  EXPECT_EQ(html.find_first_of("<>&"), std::string::npos) << html;
  EXPECT_EQ(nlohmann::json::parse(html), json);
}

TEST(Html, TablesEscapeTheirCells) {
  EXPECT_EQ(
      html_table("b\"", {"a<"}, {{{"x&", "1"}, true}, {{"y"}}}),
      "<div class=\"wide\"><div class=\"scroll\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"b&quot;\"><table>\n<thead><tr><th scope=\"col\">a&lt;</th></tr></thead>\n<tbody>\n"
      "<tr class=\"best\"><th scope=\"row\">x&amp;</th><td>1</td></tr>\n"
      "<tr><th scope=\"row\">y</th></tr>\n</tbody>\n</table></div></div>\n");
}

}  // namespace
}  // namespace armature
