#include "options/names.h"

#include <gtest/gtest.h>

namespace armature {
namespace {

const std::vector<std::string> kNames = {"--help", "--horizon", "--replications", "--r1", "--r2"};

std::string nearest(const std::string& word) { return nearest_long_option(word, kNames); }

TEST(NearestLongOption, IsTheOneBegunOrTheOneMistyped) {
  EXPECT_EQ(nearest("--hor"), "; did you mean '--horizon'?");
  EXPECT_EQ(nearest("--horizn"), "; did you mean '--horizon'?");
  EXPECT_EQ(nearest("--rep=40"), "; did you mean '--replications'?");
  EXPECT_EQ(nearest("--xyzzy"), "");
}

TEST(UnknownOption, NamesTheNearestOrAllThereAre) {
  EXPECT_STREQ(unknown_option("simulate", "--hor", nearest("--hor"), kNames).what(),
               "simulate: option: got '--hor', expected one that --help lists; did you mean "
               "'--horizon'?");
  EXPECT_STREQ(unknown_option("simulate", "--xyzzy", "", kNames).what(),
               "simulate: option: got '--xyzzy', expected one of --help, --horizon, "
               "--replications, --r1, --r2");
}

}  // namespace
}  // namespace armature
