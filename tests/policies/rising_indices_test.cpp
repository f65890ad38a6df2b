// RisingIndices promises the lowest of the largest indices. These tests work out all of them.
#include "policies/tools/rising_indices.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "armature/random.h"
#include "base/mathematics.h"
#include "policies/tools/ties.h"

namespace armature {
namespace {

struct Chase {
  explicit Chase(std::uint32_t size) : indices(size), sums(size), counts(size) {}

  void add(std::uint32_t i, double reward) {
    sums[i] += reward;
    ++counts[i];
    indices.set(i, sums[i] / static_cast<double>(counts[i]), counts[i]);
  }
  double index(std::uint32_t i) const {
    const double n = counts[i] == 0 ? 1.0 : static_cast<double>(counts[i]);
    return sums[i] / n + (std::sqrt(4 * level / n) + 4.0 / 3 * level / n);
  }
  std::uint32_t naive_best() const {
    return lowest_argmax(static_cast<Arm>(sums.size()), [this](Arm i) { return index(i); });
  }
  std::uint32_t best() {
    return indices.best(level, [this](std::uint32_t i) { return index(i); });
  }

  RisingIndices indices;
  std::vector<double> sums;
  std::vector<std::uint64_t> counts;
  double level = 0;
};

TEST(RisingIndices, TakesTheFirstOfWhatWasNeverTried) {
  Chase chase(3);
  EXPECT_EQ(chase.best(), 0u);
  chase.level = 1;
  EXPECT_EQ(chase.best(), 0u);
  chase.add(0, 0);  // one sample without a reward is worth no less than none
  EXPECT_EQ(chase.best(), 0u);
  chase.add(0, 0);
  EXPECT_EQ(chase.best(), 1u);
  chase.add(2, 0.5);
  EXPECT_EQ(chase.best(), 2u);
}

// The best is tried again, as a policy does it, or any; rewards from a grid, so that ties are
// common, or from anywhere.
RC_GTEST_PROP(RisingIndices, EqualsTheArgmaxOfAll, (std::uint64_t seed)) {
  Stream stream({seed, 0, Purpose::kTest});
  const std::uint32_t size = 1 + uniform_index(stream, 50);
  const bool grid = bernoulli(stream, 0.5);
  Chase chase(size);
  double range = 4;
  for (int t = 1; t <= 1000; ++t) {
    if (bernoulli(stream, 0.005)) range *= 2;
    chase.level = range * portable::log(t);
    const std::uint32_t best = chase.best();
    RC_ASSERT(best == chase.naive_best());
    for (int outcomes = static_cast<int>(uniform_index(stream, 3)); outcomes > 0; --outcomes)
      chase.add(bernoulli(stream, 0.8) ? best : uniform_index(stream, size),
                grid ? 2 * uniform_index(stream, 2) : 2 * stream.uniform());
  }
}

TEST(RisingIndices, HoldsWhereAllAreEqual) {
  Chase chase(200);
  for (int t = 1; t <= 4000; ++t) {
    chase.level += 1.0 / t;
    const std::uint32_t best = chase.best();
    ASSERT_EQ(best, chase.naive_best()) << "round " << t;
    chase.add(best, 0);
  }
}

}  // namespace
}  // namespace armature
