#include "report/table.h"

#include <gtest/gtest.h>

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

TEST(Wrapped, BreaksAtBlanks) {
  EXPECT_EQ(wrapped("", 5), "");
  EXPECT_EQ(wrapped("ab cd ef", 5), "ab cd\nef");
  EXPECT_EQ(wrapped("ab abcdefg c", 5), "ab\nabcdefg\nc");
  EXPECT_EQ(wrapped("±± ±±", 5), "±± ±±");  // characters, not bytes
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

}  // namespace
}  // namespace armature
