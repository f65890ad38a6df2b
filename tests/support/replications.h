// Replications, compared to the bit.
#pragma once

#include <gtest/gtest.h>

#include <bit>

#include "armature/simulate.h"

namespace armature::test {

inline void expect_same(const Diagnostics& found, const Diagnostics& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].name, expected[i].name);
    EXPECT_EQ(found[i].word, expected[i].word);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(found[i].value),
              std::bit_cast<std::uint64_t>(expected[i].value))
        << found[i].name;
  }
}

inline void expect_same(const Replication& found, const Replication& expected) {
  ASSERT_EQ(found.regret.size(), expected.regret.size());
  for (std::size_t c = 0; c < found.regret.size(); ++c)
    EXPECT_EQ(std::bit_cast<std::uint64_t>(found.regret[c]),
              std::bit_cast<std::uint64_t>(expected.regret[c]))
        << "checkpoint " << c;
  EXPECT_EQ(found.pulls, expected.pulls);
  EXPECT_EQ(found.simple_regret, expected.simple_regret);
  EXPECT_EQ(found.engine, expected.engine);
  EXPECT_EQ(found.events, expected.events);
  EXPECT_EQ(found.rounds_stepped, expected.rounds_stepped);
  EXPECT_EQ(found.leap_error, expected.leap_error);
  expect_same(found.diagnostics, expected.diagnostics);
  ASSERT_EQ(found.shares.size(), expected.shares.size());
  for (std::size_t c = 0; c < found.shares.size(); ++c)
    expect_same(found.shares[c], expected.shares[c]);
}

inline void expect_same(const std::vector<Replication>& found,
                        const std::vector<Replication>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    SCOPED_TRACE("replication " + std::to_string(i));
    expect_same(found[i], expected[i]);
    if (testing::Test::HasFailure()) return;  // one is enough to look at
  }
}

}  // namespace armature::test
