#include "policies/tools/width_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <vector>

#include "policies/tools/confidence.h"

namespace armature {
namespace {

using Formula = WidthTable::Formula;

// Keys that nobody else asks for.
WidthTable::Key own_key(int number) { return {Formula::kMoss, -1.0, static_cast<double>(number)}; }

double inverse(std::uint64_t n) { return 1 / static_cast<double>(n); }

// Counts how often it is worked out.
struct Counted {
  auto formula() {
    return [this](std::uint64_t n) { return ++calls, inverse(n); };
  }
  int calls = 0;
};

// Takes this many pages, one count on each.
void take_pages(const WidthTable& table, std::uint64_t pages) {
  for (std::uint64_t page = 0; page < pages; ++page)
    table.at((page + 1) * WidthTable::kPageSize - 1, inverse);
}

constexpr std::uint64_t kPagesPerTable = WidthTable::kCounts / WidthTable::kPageSize;

TEST(WidthTable, WidthsAreTheFormulasBits) {
  std::vector<std::uint64_t> counts;
  for (std::uint64_t n = 1; n < 5000; ++n) counts.push_back(n);
  for (std::uint64_t n = 5000; n < std::uint64_t{1} << 50; n += n / 7 + 1) counts.push_back(n);
  for (const std::uint64_t n :
       {WidthTable::kCounts - 1, WidthTable::kCounts, WidthTable::kCounts + 1})
    counts.push_back(n);
  for (const double quantities : {1.0, 20.0, 1000.0})
    for (const double delta : {0.05, 1e-9})
      for (const double scale : {1.0, 0.3, 1e-6, 1e6})
        for (const Confidence& confidence : {Confidence::anytime(quantities, delta, scale),
                                             Confidence::anytime_kl(quantities, delta, scale),
                                             Confidence::fixed(quantities, scale)})
          for (int time = 0; time < 2; ++time)  // worked out, then looked up
            for (const std::uint64_t n : counts)
              ASSERT_EQ(confidence.hoeffding(n), confidence.hoeffding_at(static_cast<double>(n)))
                  << n;
}

TEST(WidthTable, WorksOutOnceForAllThatAskForTheSame) {
  const WidthTable table(own_key(1));
  Counted counted;
  EXPECT_EQ(table.at(8, counted.formula()), 1.0 / 8);
  EXPECT_EQ(counted.calls, 8);  // the rest of the line with it
  for (std::uint64_t n = 8; n < 16; ++n)
    EXPECT_EQ(table.at(n, counted.formula()), 1 / static_cast<double>(n));
  const WidthTable copy = table;
  const WidthTable same(own_key(1));
  EXPECT_EQ(copy.at(9, counted.formula()), 1.0 / 9);
  EXPECT_EQ(same.at(10, counted.formula()), 1.0 / 10);
  EXPECT_EQ(counted.calls, 8);
  const WidthTable other(own_key(2));
  EXPECT_EQ(other.at(15, counted.formula()), 1.0 / 15);
  EXPECT_EQ(counted.calls, 9);
}

TEST(WidthTable, AWidthOfZeroIsKeptToo) {
  const WidthTable table(own_key(3));
  int calls = 0;
  const auto zero = [&](std::uint64_t) { return ++calls, 0.0; };
  EXPECT_EQ(table.at(7, zero), 0.0);
  EXPECT_EQ(table.at(7, zero), 0.0);
  EXPECT_FALSE(std::signbit(table.at(7, zero)));
  EXPECT_EQ(calls, 1);
}

TEST(WidthTable, EndsWhereItShould) {
  const WidthTable table(own_key(4));
  Counted counted;
  for (int time = 0; time < 2; ++time) table.at(WidthTable::kCounts - 1, counted.formula());
  EXPECT_EQ(counted.calls, 1);
  for (int time = 0; time < 2; ++time) table.at(WidthTable::kCounts, counted.formula());
  EXPECT_EQ(counted.calls, 3);
  EXPECT_EQ(table.pages(), 1u);
}

TEST(WidthTable, WithoutAKeyNothingIsKept) {
  const WidthTable table;
  Counted counted;
  for (int time = 0; time < 2; ++time) EXPECT_EQ(table.at(7, counted.formula()), 1.0 / 7);
  EXPECT_EQ(counted.calls, 2);
  EXPECT_EQ(table.pages(), 0u);
}

TEST(WidthTable, WhatNobodyHoldsIsKeptUntilItsPlaceIsNeeded) {
  Counted counted;
  WidthTable(own_key(5)).at(7, counted.formula());
  WidthTable(own_key(5)).at(7, counted.formula());
  EXPECT_EQ(counted.calls, 1);
  for (std::uint32_t i = 0; i < 2 * WidthTable::kTables; ++i)
    WidthTable(own_key(1000 + static_cast<int>(i))).at(7, inverse);
  EXPECT_EQ(WidthTable(own_key(5)).at(7, counted.formula()), 1.0 / 7);
  EXPECT_EQ(counted.calls, 2);
}

TEST(WidthTable, WhatIsHeldKeepsItsPlace) {
  Counted counted;
  const WidthTable held(own_key(6));
  held.at(7, counted.formula());
  for (std::uint32_t i = 0; i < 2 * WidthTable::kTables; ++i)
    WidthTable(own_key(2000 + static_cast<int>(i))).at(7, inverse);
  held.at(7, counted.formula());
  WidthTable(own_key(6)).at(7, counted.formula());
  EXPECT_EQ(counted.calls, 1);
}

TEST(WidthTable, WhereAllTablesAreHeldTheNextKeepsNothing) {
  std::vector<WidthTable> held;
  for (std::uint32_t i = 0; i < WidthTable::kTables; ++i)
    held.emplace_back(own_key(3000 + static_cast<int>(i)));
  const WidthTable one_more(own_key(7));
  Counted counted;
  for (int time = 0; time < 2; ++time) EXPECT_EQ(one_more.at(7, counted.formula()), 1.0 / 7);
  EXPECT_EQ(counted.calls, 2);
  held.pop_back();
  const WidthTable again(own_key(7));
  for (int time = 0; time < 2; ++time) again.at(7, counted.formula());
  EXPECT_EQ(counted.calls, 3);
}

TEST(WidthTable, MemoryHasABound) {
  constexpr std::uint32_t kFull = WidthTable::kPages / kPagesPerTable;
  std::vector<WidthTable> held;
  for (std::uint32_t i = 0; i < kFull; ++i) {
    held.emplace_back(own_key(4000 + static_cast<int>(i)));
    take_pages(held.back(), kPagesPerTable);
  }
  for (const WidthTable& table : held) EXPECT_EQ(table.pages(), kPagesPerTable);
  EXPECT_EQ(WidthTable::pages_of_all(), WidthTable::kPages);

  // No page is left: what is asked for is right, and worked out each time.
  Counted counted;
  std::optional<WidthTable> late(own_key(8));
  for (int time = 0; time < 3; ++time) EXPECT_EQ(late->at(7, counted.formula()), 1.0 / 7);
  EXPECT_EQ(counted.calls, 3);
  EXPECT_EQ(late->pages(), 0u);

  // Once one of them is let go, whoever asks anew has its pages, and they are empty.
  held.erase(held.begin());
  late.reset();
  late.emplace(own_key(8));
  take_pages(*late, kPagesPerTable);
  EXPECT_EQ(late->pages(), kPagesPerTable);
  EXPECT_EQ(WidthTable::pages_of_all(), WidthTable::kPages);
  for (std::uint64_t n = 1; n < 2 * WidthTable::kPageSize; ++n)
    ASSERT_EQ(late->at(n, counted.formula()), 1 / static_cast<double>(n));
  for (const WidthTable& table : held) EXPECT_EQ(table.pages(), kPagesPerTable);
}

}  // namespace
}  // namespace armature
