#include "base/whole_sums.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "armature/random.h"

namespace armature {
namespace {

TEST(WholeRows, SumEveryRow) {
  Stream stream({1, 0, Purpose::kTest});
  const auto drawn = [&](std::int32_t most) {
    const auto choices = static_cast<std::uint32_t>(2 * most + 1);
    return static_cast<std::int16_t>(static_cast<std::int32_t>(uniform_index(stream, choices)) -
                                     most);
  };
  for (const std::size_t rows : {1, 31, 32, 33, 100})
    for (const std::size_t columns : {1, 2, 3, 50}) {
      WholeRows whole(rows, columns);
      ASSERT_EQ(whole.rows(), (rows + 31) / 32 * 32);
      std::vector<std::int32_t> expected(whole.rows()), pairs, found(whole.rows());
      std::vector<std::int16_t> factors(2 * whole.pairs());
      for (std::size_t z = 0; z < columns; ++z) factors[z] = z == 0 ? -32767 : drawn(32767);
      for (std::size_t z = 0; z < factors.size(); z += 2)
        pairs.push_back(WholeRows::pair(factors[z], factors[z + 1]));
      for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t z = 0; z < columns; ++z) {
          const std::int16_t entry = z == 0 && r == 0 ? std::int16_t{32767} : drawn(600);
          whole.set(r, z, entry);
          expected[r] += entry * factors[z];
        }
      EXPECT_EQ(whole.sums(pairs, found), *std::max_element(expected.begin(), expected.end()));
      EXPECT_EQ(found, expected);
    }
}

}  // namespace
}  // namespace armature
