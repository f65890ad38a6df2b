#include "armature/error.h"

#include <gtest/gtest.h>

namespace armature {
namespace {

TEST(Error, SaysWhereWhatAndWhatWasExpected) {
  const Error error({"file.json", "marginals[0]", "0.9", "a sum of 1"});
  EXPECT_STREQ(error.what(), "file.json: marginals[0]: got 0.9, expected a sum of 1");
}

TEST(Error, LeavesOutEmptyParts) {
  EXPECT_STREQ(Error({"", "gap", "2", "at most 1"}).what(), "gap: got 2, expected at most 1");
  EXPECT_STREQ(Error({"f", "", "", "valid JSON"}).what(), "f: expected valid JSON");
  EXPECT_STREQ(Error({"", "", "2", ""}).what(), "got 2");
  EXPECT_STREQ(Error({}).what(), "");
}

TEST(Error, KeepsItsParts) {
  const Error error({"f", "field", "value", "expectation"});
  EXPECT_EQ(error.report().file, "f");
  EXPECT_EQ(error.report().field, "field");
  EXPECT_EQ(error.report().value, "value");
  EXPECT_EQ(error.report().expected, "expectation");
}

TEST(Error, InFileNamesTheFile) {
  const Error error = Error({"", "gap", "2", "at most 1"}).in_file("a.json");
  EXPECT_STREQ(error.what(), "a.json: gap: got 2, expected at most 1");
  EXPECT_EQ(error.report().field, "gap");
}

TEST(Error, IsAStandardException) {
  try {
    throw Error({"", "x", "", ""});
  } catch (const std::exception& caught) {
    EXPECT_STREQ(caught.what(), "x: ");
  }
}

TEST(Check, PassesWhenTrue) { ARMATURE_CHECK(1 + 1 == 2, "arithmetic"); }

TEST(Check, AbortsWithConditionAndReason) {
  EXPECT_DEATH(ARMATURE_CHECK(1 + 1 == 3, "arithmetic"),
               "error_test.cpp:[0-9]+: check failed: 1 \\+ 1 == 3 \\(arithmetic\\)");
}

}  // namespace
}  // namespace armature
