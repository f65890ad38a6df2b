#include "options/long_work.h"

#include <gtest/gtest.h>

namespace armature {
namespace {

// A minute has no 60 seconds, an hour no 60 minutes.
TEST(TimeText, IsRoundedBeforeItIsSplit) {
  EXPECT_EQ(time_text(0), "0 s");
  EXPECT_EQ(time_text(59.4), "59 s");
  EXPECT_EQ(time_text(59.6), "1 min 00 s");
  EXPECT_EQ(time_text(187), "3 min 07 s");
  EXPECT_EQ(time_text(3599.6), "1 h 00 min");
  EXPECT_EQ(time_text(2 * 3600 + 5 * 60 + 29), "2 h 05 min");
  EXPECT_EQ(time_text(2 * 3600 - 20), "2 h 00 min");
}

}  // namespace
}  // namespace armature
