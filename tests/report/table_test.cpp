#include "report/table.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <sstream>

namespace armature {
namespace {

TEST(WithError, ShowsTwoDigitsOfTheError) {
  EXPECT_EQ(with_error(372.91, 1.14), "372.9 ± 1.1");
  EXPECT_EQ(with_error(22.0871, 0.0534), "22.087 ± 0.053");
  EXPECT_EQ(with_error(1346.2, 12.4), "1346 ± 12");
  EXPECT_EQ(with_error(123456, 789), "123456 ± 789");
}

TEST(WithError, AtPowersOfTen) {
  EXPECT_EQ(with_error(5, 1), "5.0 ± 1.0");
  EXPECT_EQ(with_error(5, 10), "5 ± 10");
  EXPECT_EQ(with_error(5, 0.1), "5.00 ± 0.10");
}

TEST(WithError, TinyErrorsStopAtSixDecimals) {
  EXPECT_EQ(with_error(0.5, 1e-9), "0.500000 ± 0.000000");
}

TEST(WithError, WithoutAnErrorThePrecisionFollowsTheValue) {
  EXPECT_EQ(with_error(0, 0), "0.000 ± 0.000");
  EXPECT_EQ(with_error(12.3456, 0), "12.346 ± 0.000");
  EXPECT_EQ(with_error(1234.56, 0), "1234.6 ± 0.0");
}

Spread spread_of(double mean, double error) {
  Spread spread;
  spread.count = 10;
  spread.mean = mean;
  spread.standard_error = error;
  return spread;
}

TEST(Narrow, LargeNumbersHaveNoDecimals) {
  EXPECT_EQ(narrow_mean_text(spread_of(199989.84, 0.02)), "199990±0");
  EXPECT_EQ(narrow_mean_text(spread_of(414.23, 3.5)), "414.2±3.5");
  EXPECT_EQ(narrow_mean_text(spread_of(0.3512, 0.0123)), "0.35±0.01");
  EXPECT_EQ(narrow_mean_text(spread_of(1151, 255)), "1151±255");
  EXPECT_EQ(narrow(1234.5, 0), "1234");
  EXPECT_EQ(narrow(-0.001, 0), "0.00");
}

TEST(Narrow, OneReplicationTellsOfNoError) {
  Spread one = spread_of(12.3456, 0);
  one.count = 1;
  EXPECT_EQ(narrow_mean_text(one), "12.35±–");
}

TEST(ShortTime, HasTwoDigitsOrMore) {
  EXPECT_EQ(short_time(4.1e-7), "0.4 µs");
  EXPECT_EQ(short_time(4.12e-4), "412 µs");
  EXPECT_EQ(short_time(0.00234), "2.3 ms");
  EXPECT_EQ(short_time(5.04), "5.0 s");
  EXPECT_EQ(short_time(1234.5), "1234 s");
}

TEST(TextTable, FirstColumnLeftOthersRight) {
  TextTable table({"policy", "regret"});
  table.add({"ucb", "1.5"});
  table.add({"hac-ucb", "10.25"});
  EXPECT_EQ(table.print(),
            "policy   regret\n"
            "───────────────\n"
            "ucb         1.5\n"
            "hac-ucb   10.25\n");
}

TEST(TextTable, CountsCharactersNotBytes) {
  TextTable table({"p", "mean"});
  table.add({"ucb", "1 ± 2"});  // ± is two bytes and one column
  table.add({"ts", "11 ± 2"});
  EXPECT_EQ(table.print(),
            "p      mean\n"
            "───────────\n"
            "ucb   1 ± 2\n"
            "ts   11 ± 2\n");
}

TEST(TextTable, ShortRowsEndEarlyWithoutTrailingBlanks) {
  TextTable table({"policy", "a", "b"});
  table.add({"x"});
  EXPECT_EQ(table.print(),
            "policy  a  b\n"
            "────────────\n"
            "x\n");
}

TEST(TextTable, ARowMayBeLongerThanTheHeader) {
  TextTable table({"p"});
  table.add({"x", "1"});
  EXPECT_EQ(table.print(),
            "p\n"
            "────\n"
            "x  1\n");
}

TEST(TextTable, WideCharactersAreAligned) {
  TextTable table({"world", "mean"});
  table.add({"臨床", "1"});
  table.add({"e\u0301t", "22"});
  EXPECT_EQ(table.print(),
            "world  mean\n"
            "───────────\n"
            "臨床      1\n"
            "e\u0301t       22\n");
}

TEST(TextTable, ControlCharactersAreWrittenOut) {
  TextTable table({"world", "mean"});
  table.add({"a\x1b[2J\nb", "1"});
  EXPECT_EQ(table.print(),
            "world        mean\n"
            "─────────────────\n"
            "a\\x1b[2J\\nb     1\n");
}

TEST(TextTable, HeadersAreBrokenBeforeNamesAndNamesBeforeColumnsGoBelow) {
  TextTable table({"policy", "simple regret"});
  table.add({"db:base=ucb+c-ucb,dial=0.25", "12"});
  EXPECT_EQ(table.print({.columns = 36}),
            "                             simple\n"
            "policy                       regret\n"
            "───────────────────────────────────\n"
            "db:base=ucb+c-ucb,dial=0.25      12\n");
  EXPECT_EQ(table.print({.columns = 30}),
            "                        simple\n"
            "policy                  regret\n"
            "──────────────────────────────\n"
            "db:base=ucb+c-ucb,          12\n"
            "dial=0.25\n");
}

TEST(TextTable, OptionalColumnsAreBrokenInTwoOrLeftOutWithANote) {
  TextTable table({"bound", "value", "source"});
  table.words(2).optional(2);
  table.add({"ucb", "70790", "Thm C.3, spec §2"});
  EXPECT_EQ(table.print({.columns = 29}),
            "bound  value  source\n"
            "─────────────────────────────\n"
            "ucb    70790  Thm C.3, spec\n"
            "              §2\n");
  EXPECT_EQ(table.print({.columns = 21}),
            "bound  value\n"
            "────────────\n"
            "ucb    70790\n"
            "--wide also shows: source\n");
}

TEST(TextTable, WhatDoesNotFitGoesOnBelowWithItsKeys) {
  TextTable table({"world", "T", "first policy", "second policy"}, 2);
  table.add({"a", "10", "123456.7", "765432.1"});
  table.add({"b", "10", "1.0", "2.0"});
  EXPECT_EQ(table.print({.columns = 24}),
            "world   T  first policy\n"
            "───────────────────────\n"
            "a      10      123456.7\n"
            "b      10           1.0\n"
            "\n"
            "world   T  second policy\n"
            "────────────────────────\n"
            "a      10       765432.1\n"
            "b      10            2.0\n"
            "--wide shows all columns side by side\n");
  EXPECT_EQ(table.print({.columns = 24, .wide = true}),
            "world   T  first policy  second policy\n"
            "──────────────────────────────────────\n"
            "a      10      123456.7       765432.1\n"
            "b      10           1.0            2.0\n");
}

TEST(TextTable, StylesTakeNoColumns) {
  TextTable table({"policy", "regret"});
  table.add({"ucb", "1"});
  table.style(1, Style::kGreen);
  EXPECT_EQ(table.print({.styled = true}),
            "\033[1mpolicy\033[0m  \033[1mregret\033[0m\n"
            "\033[2m──────────────\033[0m\n"
            "ucb          \033[32m1\033[0m\n");
}

// Whatever the cells are: no line is wider than the screen, unless a number is; and none is broken.
RC_GTEST_PROP(TextTable, FitsTheScreenAndKeepsNumbersWhole, ()) {
  const auto columns = *rc::gen::inRange<std::size_t>(2, 12);
  const auto rows = *rc::gen::inRange<std::size_t>(1, 5);
  const auto width = *rc::gen::inRange<std::size_t>(50, 130);
  std::vector<std::string> header(columns, "a header of words");
  TextTable table(header);
  std::vector<std::string> numbers;
  for (std::size_t r = 0; r < rows; ++r) {
    std::vector<std::string> row{*rc::gen::arbitrary<std::string>()};
    for (std::size_t i = 1; i < columns; ++i) {
      numbers.push_back(std::to_string(*rc::gen::inRange<int>(0, 1'000'000'000)));
      row.push_back(numbers.back());
    }
    table.add(row);
  }
  const std::string text = table.print({.columns = width});
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) RC_ASSERT(display_width(line) <= width);
  for (const std::string& number : numbers) RC_ASSERT(text.find(number) != std::string::npos);
}

}  // namespace
}  // namespace armature
