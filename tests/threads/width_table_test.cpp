// Many threads that work out, look up, copy and let go of the same widths, while others need their
// pages.
#include "policies/tools/width_table.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "armature/random.h"
#include "policies/tools/confidence.h"

namespace armature {
namespace {

TEST(WidthTableThreads, GrowTogether) {
  constexpr int kThreads = 4;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([] {
      const Confidence confidence = Confidence::anytime(17, 0.017, 1);
      for (std::uint64_t n = 1; n < 20'000; ++n)
        ASSERT_EQ(confidence.hoeffding(n), confidence.hoeffding_at(static_cast<double>(n)));
    });
  for (std::thread& thread : threads) thread.join();
}

// More keys than tables and more pages than there are: tables change hands all the time, and each
// is what its key says.
TEST(WidthTableThreads, TablesChangeHands) {
  constexpr std::uint32_t kThreads = 4;
  constexpr std::uint32_t kKeys = WidthTable::kTables + 64;
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < kThreads; ++i)
    threads.emplace_back([i] {
      Stream stream({5, i, Purpose::kTest});
      for (int turn = 0; turn < 500; ++turn) {
        const double share = 1 + uniform_index(stream, kKeys);
        const auto width = [share](std::uint64_t n) { return share / static_cast<double>(n); };
        const WidthTable table({WidthTable::Formula::kMoss, -2, share});
        const WidthTable copy = table;
        for (int look = 0; look < 20; ++look) {
          const std::uint64_t n = 1 + uniform_index(stream, WidthTable::kCounts);
          ASSERT_EQ(table.at(n, width), width(n));
          ASSERT_EQ(copy.at(n, width), width(n));
        }
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(WidthTable::pages_of_all(), WidthTable::kPages);
}

}  // namespace
}  // namespace armature
