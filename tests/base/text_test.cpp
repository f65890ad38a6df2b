#include "base/text.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

namespace armature {
namespace {

TEST(ParseInteger, FormsThatPeopleWrite) {
  EXPECT_EQ(parse_integer("42"), 42u);
  EXPECT_EQ(parse_integer("0"), 0u);
  EXPECT_EQ(parse_integer("1e12"), 1000000000000u);
  EXPECT_EQ(parse_integer("2^53"), std::uint64_t{1} << 53);
  EXPECT_EQ(parse_integer("1_000_000"), 1000000u);
  EXPECT_EQ(parse_integer("10.0"), 10u);
  EXPECT_EQ(parse_integer("+5"), 5u);
}

// Plain digits must not go through a double: 2^64 − 1 and 2^53 + 1 would not survive it.
TEST(ParseInteger, PlainDigitsKeepAllBits) {
  EXPECT_EQ(parse_integer("18446744073709551615"), ~std::uint64_t{0});
  EXPECT_EQ(parse_integer("9_007_199_254_740_993"), (std::uint64_t{1} << 53) + 1);
}

TEST(ParseInteger, RefusesTheRest) {
  for (const char* text : {"",
                           " ",
                           "x",
                           "1x",
                           "1 ",
                           " 1",
                           "-1",
                           "1.5",
                           "2^-1",
                           "2^64",
                           "18446744073709551616",
                           "1e20",
                           "_1",
                           "1_",
                           "1__0",
                           "1_e3",
                           "0x10",
                           "nan",
                           "inf",
                           "^2",
                           "2^",
                           "2^3^2",
                           "++5",
                           "+-0",
                           "1,000"})
    EXPECT_EQ(parse_integer(text), std::nullopt) << "'" << text << "'";
}

TEST(ParseReal, FormsThatPeopleWrite) {
  EXPECT_EQ(parse_real("0.25"), 0.25);
  EXPECT_EQ(parse_real("1e-3"), 0.001);
  EXPECT_EQ(parse_real("2^-10"), 1.0 / 1024);
  EXPECT_EQ(parse_real("-1.5"), -1.5);
  EXPECT_EQ(parse_real("+1.5"), 1.5);
  EXPECT_EQ(parse_real(".5"), 0.5);
  EXPECT_EQ(parse_real("1_000.5"), 1000.5);
  EXPECT_EQ(parse_real("4^0.5"), 2.0);
}

TEST(ParseReal, RefusesTheRest) {
  for (const char* text :
       {"",      ".",     "x",    "1.5x", "1 ",  " 1",       "1e999",  "10^400", "nan",
        "inf",   "-inf",  "0^-1", "1_",   "_1",  "1._5",     "1e_5",   "2^",     "^",
        "0x1p3", "1.2.3", "--1",  "++1",  "+-1", "(-8)^0.5", "-8^0.5", "-2^2"})
    EXPECT_EQ(parse_real(text), std::nullopt) << "'" << text << "'";
}

TEST(PrintReal, ReadsBackAsTheSameNumber) {
  EXPECT_EQ(print_real(0.1), "0.1");
  EXPECT_EQ(print_real(1), "1");
  EXPECT_EQ(print_real(1e-300), "1e-300");
  EXPECT_TRUE(rc::check("print_real round trip", [](double value) {
    RC_PRE(std::isfinite(value));
    RC_ASSERT(parse_real(print_real(value)) == value);
  }));
}

TEST(DidYouMean, SuggestsANearName) {
  const std::vector<std::string> names = {"ucb", "c-ucb", "thompson"};
  EXPECT_EQ(did_you_mean("ubc", names), "; did you mean 'ucb'?");
  EXPECT_EQ(did_you_mean("cucb", names), "; did you mean 'ucb'?");  // one edit from both; the first
  EXPECT_EQ(did_you_mean("thomson", names), "; did you mean 'thompson'?");
  EXPECT_EQ(did_you_mean("ucb", names), "; did you mean 'ucb'?");
}

TEST(DidYouMean, IsSilentWhenNoneIsNear) {
  EXPECT_EQ(did_you_mean("frobnicate", {"ucb", "thompson"}), "");
  EXPECT_EQ(did_you_mean("ucb", {}), "");
}

// A third of the word may be wrong: 4 edits of 12 letters, not 5.
TEST(DidYouMean, LongWordsMayHaveMoreMistakes) {
  EXPECT_EQ(did_you_mean("abcdefgh1234", {"abcdefghijkl"}), "; did you mean 'abcdefghijkl'?");
  EXPECT_EQ(did_you_mean("abcdefg12345", {"abcdefghijkl"}), "");
  // Clients choose both: what would take long is not tried.
  EXPECT_EQ(did_you_mean(std::string(65, 'x'), {std::string(64, 'x')}), "");
  EXPECT_EQ(did_you_mean("ubc", std::vector<std::string>(101, "ucb")), "");
}

TEST(Join, PutsTheSeparatorBetween) {
  EXPECT_EQ(join({}, ", "), "");
  EXPECT_EQ(join({"a"}, ", "), "a");
  EXPECT_EQ(join({"a", "b", "c"}, ", "), "a, b, c");
}

TEST(CsvField, LineBreaksOfEverySystemAreQuoted) {
  EXPECT_EQ(csv_field("a\nb"), "\"a\nb\"");
  EXPECT_EQ(csv_field("a\rb"), "\"a\rb\"");
}

TEST(IsName, LettersDigitsHyphensUnderscores) {
  for (const char* name : {"ucb", "c-ucb", "R2", "a_b", "-"}) EXPECT_TRUE(is_name(name)) << name;
  for (const char* text : {"", "a b", "a.b", "a=b", "é", "a\n"})
    EXPECT_FALSE(is_name(text)) << text;
}

TEST(Shown, PlainTextIsLeftAlone) {
  EXPECT_EQ(shown("", 5), "");
  EXPECT_EQ(shown("ucb:δ=0.1", 9), "ucb:δ=0.1");
}

TEST(Shown, ControlCharactersAndStrayBytesAreEscaped) {
  EXPECT_EQ(shown("a\nb\tc\r", 20), "a\\nb\\tc\\r");
  EXPECT_EQ(shown("\x1b[31mred\x7f", 20), "\\x1b[31mred\\x7f");
  EXPECT_EQ(shown(std::string_view("\0x", 2), 20), "\\x00x");
  EXPECT_EQ(shown("\xc2\x9b"
                  "31m",
                  20),
            "\\u009b31m");  // the 8-bit way to the same red
  EXPECT_EQ(shown("\xff\xe2\x82", 20), "\\xff\\xe2\\x82");
  EXPECT_EQ(shown("\xed\xa0", 20), "\\xed\\xa0");
}

TEST(Shown, LongTextLosesItsMiddle) {
  EXPECT_EQ(shown("0123456789", 10), "0123456789");
  EXPECT_EQ(shown("0123456789x", 10), "012345…789x");
  EXPECT_EQ(shown("ααααααααααβ", 10), "αααααα…αααβ");
  const std::string long_text = "begin" + std::string(10'000'000, '-') + "end";
  EXPECT_EQ(shown(long_text, 9), "begin-…end");
}

TEST(Text, PercentsOfTwoDigits) {
  EXPECT_EQ(percent(0), "0%");
  EXPECT_EQ(percent(0.0004), "less than 0.1%");
  EXPECT_EQ(percent(0.053), "5.3%");
  EXPECT_EQ(percent(1.0 / 3), "33%");
  EXPECT_EQ(percent(1.134), "113%");
  EXPECT_EQ(percent(-0.02), "-2%");
}

TEST(Text, GroupsDigits) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(1234567), "1,234,567");
}

}  // namespace
}  // namespace armature
