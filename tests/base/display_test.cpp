#include "base/display.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace armature {
namespace {

TEST(DisplayWidth, CountsColumns) {
  EXPECT_EQ(display_width(""), 0u);
  EXPECT_EQ(display_width("ucb"), 3u);
  EXPECT_EQ(display_width("± ★ δ §"), 7u);
  EXPECT_EQ(display_width("臨床試験"), 8u);
  EXPECT_EQ(display_width("ｕｃｂ"), 6u);   // fullwidth
  EXPECT_EQ(display_width("e\u0301"), 1u);  // a letter and its accent
  EXPECT_EQ(display_width("a\u200bb"), 2u);
  EXPECT_EQ(display_width("\U0001F600"), 2u);
  EXPECT_EQ(display_width("한글"), 4u);
  EXPECT_EQ(display_width("\u1112\u1161\u11ab"), 2u);  // 한, written letter by letter
}

TEST(DisplayWidth, BytesThatAreNoUtf8CountOneEach) {
  EXPECT_EQ(display_width("\xff\xfe"), 2u);
  EXPECT_EQ(display_width("\xe2\x82"), 2u);      // cut short
  EXPECT_EQ(display_width("\xc0\xaf"), 2u);      // overlong
  EXPECT_EQ(display_width("\xed\xa0\x80"), 3u);  // half of a pair
}

TEST(Visible, WritesOutWhatATerminalWouldObey) {
  EXPECT_EQ(visible("plain ± 臨床"), "plain ± 臨床");
  EXPECT_EQ(visible("a\x1b[31mb"), "a\\x1b[31mb");
  EXPECT_EQ(visible("a\nb\tc\r"), "a\\nb\\tc\\r");
  EXPECT_EQ(visible(std::string_view("\0\x7f", 2)), "\\x00\\x7f");
  EXPECT_EQ(visible("\u009b31m"), "\\u009b31m");    // the same in one character
  EXPECT_EQ(visible("a\u202egnp"), "a\\u202egnp");  // writes backwards from here
  EXPECT_EQ(visible("\ufeffucb\u200b"), "\\ufeffucb\\u200b");
  EXPECT_EQ(visible("\xff"
                    "a\xe2\x82"),
            "\\xffa\\xe2\\x82");
  EXPECT_EQ(visible("e\u0301 \U0001F468\u200d\U0001F4BB"), "e\u0301 \U0001F468\u200d\U0001F4BB");
}

// Nothing that begins an order to a terminal is left, whatever came in.
RC_GTEST_PROP(Visible, LeavesNoControlCharacter, (const std::string& text)) {
  const std::string shown = visible(text);
  for (const char c : shown) RC_ASSERT(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F);
  RC_ASSERT(visible(shown) == shown);
}

TEST(Wrapped, BreaksAtBlanks) {
  EXPECT_EQ(wrapped("", 5), "");
  EXPECT_EQ(wrapped("ab cd ef", 5), "ab cd\nef");
  EXPECT_EQ(wrapped("ab abcdefg c", 5), "ab\nabcdefg\nc");
  EXPECT_EQ(wrapped("±± ±±", 5), "±± ±±");           // columns, not bytes
  EXPECT_EQ(wrapped("臨床 試験", 5), "臨床\n試験");  // nor characters
}

TEST(Wrapped, HangsWhatFollows) {
  EXPECT_EQ(wrapped("one two three", 9, "- ", "  "), "- one two\n  three");
  EXPECT_EQ(wrapped("", 9, "- ", "  "), "- ");
}

TEST(BrokenName, BreaksBehindTheMarksOfTextForms) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(broken_name("ucb", 10), Lines{"ucb"});
  EXPECT_EQ(broken_name("db:base=ucb+c-ucb,dial=0.5", 18),
            (Lines{"db:base=ucb+c-ucb,", "dial=0.5"}));
  EXPECT_EQ(broken_name("hidden arm", 6), (Lines{"hidden", "arm"}));
  EXPECT_EQ(broken_name("abcdefgh", 3), (Lines{"abc", "def", "gh"}));
  EXPECT_EQ(broken_name("臨床試験", 5), (Lines{"臨床", "試験"}));
  EXPECT_EQ(broken_name("", 5), Lines{""});
  EXPECT_EQ(narrowest("db:base=ucb+c-ucb,dial=0.5"), 9u);
}

RC_GTEST_PROP(BrokenName, KeepsEveryCharacterAndTheWidth, (const std::string& text)) {
  const std::string name = visible(text);
  const std::size_t width = *rc::gen::inRange<std::size_t>(1, 30);
  std::string joined;
  for (const std::string& line : broken_name(name, width)) {
    joined += line;
    RC_ASSERT(display_width(line) <= std::max<std::size_t>(width, 2));  // 2: one wide character
  }
  const auto without_blanks = [](std::string all) {
    std::erase(all, ' ');
    return all;
  };
  RC_ASSERT(without_blanks(joined) == without_blanks(name));
}

}  // namespace
}  // namespace armature
