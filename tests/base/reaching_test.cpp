#include "base/reaching.h"

#include <gtest/gtest.h>

#include <limits>

#include "armature/random.h"
#include "base/lanes.h"

namespace armature {
namespace {

TEST(Reaching, LinesOneByOne) {
  Stream stream({1, 0, Purpose::kTest});
  for (const std::size_t blocks : {1, 2, 5, 13}) {
    LaneVector starts(blocks), slopes(blocks);
    for (std::size_t i = 0; i < blocks * kLanes; ++i) {
      values_of(starts)[i] = uniform_index(stream, 20) - 10.0;
      values_of(slopes)[i] = uniform_index(stream, 10);
    }
    values_of(starts)[3] = -std::numeric_limits<double>::infinity();
    for (double least = -12; least < 40; least += 0.5) {
      std::vector<std::uint32_t> expected, found(blocks * kLanes);
      for (std::uint32_t i = 0; i < blocks * kLanes; ++i)
        if (values_of(starts)[i] + 3 * values_of(slopes)[i] >= least) expected.push_back(i);
      found.resize(lines_reaching(values_of(starts), values_of(slopes), blocks * kLanes, 3, least,
                                  found.data()));
      EXPECT_EQ(found, expected) << least;
    }
  }
}

TEST(Reaching, ValuesOneByOneAndNoMoreThanThereIsRoomFor) {
  Stream stream({2, 0, Purpose::kTest});
  std::vector<std::int32_t> values(64);
  for (std::int32_t& value : values)
    value = static_cast<std::int32_t>(uniform_index(stream, 9)) - 4;
  values[5] = std::numeric_limits<std::int32_t>::min();
  values[9] = std::numeric_limits<std::int32_t>::max();
  for (const std::int32_t least : {std::numeric_limits<std::int32_t>::min(), -4, 0, 4, 5})
    for (const std::size_t room : {0, 1, 7, 8, 64}) {
      std::vector<std::uint32_t> expected, found(room);
      for (std::uint32_t i = 0; i < 64 && expected.size() < room; ++i)
        if (values[i] >= least) expected.push_back(i);
      found.resize(values_reaching(values, least, found));
      EXPECT_EQ(found, expected) << least << " " << room;
    }
}

}  // namespace
}  // namespace armature
