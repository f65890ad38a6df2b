// What ranks tell each other comes back as it was, bit for bit; and no bytes do harm.
#include "ranks/message.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>

#include "armature/random.h"

namespace armature::ranks {
namespace {

template <class Kind>
Kind there_and_back(const Kind& message) {
  return std::get<Kind>(read_message(write_message(message)));
}

Replication replication() {
  Replication one;
  one.regret = {0.1, -0.0, std::numeric_limits<double>::denorm_min(), 1e300};
  one.pulls = {0, 1, std::numeric_limits<std::uint64_t>::max()};
  one.simple_regret = 1.0 / 3;
  one.diagnostics = {{"share", 0.25, ""}, action_diagnostic("rejection_action", 7)};
  one.shares = {{{"share:ucb", 0.5, ""}}, {}};
  one.engine = Engine::kLeap;
  one.events = 12;
  one.rounds_stepped = 34;
  one.leap_error = 1e-12;
  return one;
}

bool same_bits(const std::vector<double>& one, const std::vector<double>& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(), [](double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  });
}

void expect_same(const Diagnostics& one, const Diagnostics& other) {
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].name, other[i].name);
    EXPECT_EQ(one[i].value, other[i].value);
    EXPECT_EQ(one[i].word, other[i].word);
  }
}

TEST(RankMessage, ResultsComeBackBitForBit) {
  Results results;
  results.blocks.push_back({3, {{replication(), replication()}, 0.125}});
  results.blocks.push_back({4, {}});
  const Results back = there_and_back(results);
  ASSERT_EQ(back.blocks.size(), 2u);
  EXPECT_EQ(back.blocks[0].number, 3u);
  EXPECT_EQ(back.blocks[0].result.seconds, 0.125);
  EXPECT_TRUE(back.blocks[1].result.replications.empty());
  ASSERT_EQ(back.blocks[0].result.replications.size(), 2u);
  const Replication now = back.blocks[0].result.replications[1], then = replication();
  EXPECT_TRUE(same_bits(now.regret, then.regret));
  EXPECT_EQ(now.pulls, then.pulls);
  EXPECT_EQ(now.simple_regret, then.simple_regret);
  expect_same(now.diagnostics, then.diagnostics);
  ASSERT_EQ(now.shares.size(), 2u);
  expect_same(now.shares[0], then.shares[0]);
  EXPECT_EQ(now.engine, then.engine);
  EXPECT_EQ(now.events, then.events);
  EXPECT_EQ(now.rounds_stepped, then.rounds_stepped);
  EXPECT_EQ(now.leap_error, then.leap_error);
}

TEST(RankMessage, AllOthersToo) {
  const Hello hello = there_and_back(Hello{"0.2.0 (x)", "node7", 123, {0, 5, 64}, 2, "3/40"});
  EXPECT_EQ(hello.build, "0.2.0 (x)");
  EXPECT_EQ(hello.host, "node7");
  EXPECT_EQ(hello.process, 123);
  EXPECT_EQ(hello.cores, (std::vector<int>{0, 5, 64}));
  EXPECT_EQ(hello.quota, 2u);
  EXPECT_EQ(hello.shard, "3/40");
  const Stage stage = there_and_back(Stage{1, std::string("a\0b", 3), 4});
  EXPECT_EQ(stage.text, std::string("a\0b", 3));
  EXPECT_EQ(stage.threads, 4u);
  const Blocks blocks = there_and_back(Blocks{1, {{1, 2, {3, 4}}}});
  ASSERT_EQ(blocks.orders.size(), 1u);
  EXPECT_EQ(blocks.orders[0].range.first, 3u);
  EXPECT_EQ(blocks.orders[0].range.count, 4u);
  const Failed failed = there_and_back(Failed{1, 7, {"file", "field", "value", "expected"}});
  EXPECT_EQ(failed.number, 7u);
  EXPECT_EQ(failed.report.value, "value");
  EXPECT_FALSE(there_and_back(Failed{}).number.has_value());
  there_and_back(Stop{});
  there_and_back(End{});
  there_and_back(Gone{});
  there_and_back(Alive{});
  there_and_back(Call{});
  there_and_back(Farewell{});
  there_and_back(Pause{});
}

// Cut short, made longer or with a byte changed: an Error or another message, never harm.
TEST(RankMessage, NoBytesDoHarm) {
  Results results;
  results.blocks.push_back({3, {{replication()}, 0.125}});
  const std::string whole = write_message(results);
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_THROW(read_message(whole.substr(0, length)), Error) << length;
  EXPECT_THROW(read_message(whole + "x"), Error);
  EXPECT_THROW(read_message("\xff"), Error);
  Stream luck({1, 0, Purpose::kTest});
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = whole;
    bytes[static_cast<std::size_t>(luck.uniform() * static_cast<double>(bytes.size()))] =
        static_cast<char>(static_cast<unsigned char>(luck.uniform() * 256));
    try {
      read_message(bytes);
    } catch (const Error&) {
    }
  }
}

}  // namespace
}  // namespace armature::ranks
