#include "armature/error.h"

#include <gtest/gtest.h>

#include <thread>

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

void fail_a_check() { ARMATURE_CHECK(1 + 1 == 3, "arithmetic"); }

TEST(ThrowingChecks, ThrowWhatFailed) {
  const ThrowingChecks throwing;
  try {
    fail_a_check();
    FAIL() << "the check holds";
  } catch (const CheckFailure& failure) {
    EXPECT_TRUE(failure.file().ends_with("error_test.cpp"));
    EXPECT_GT(failure.line(), 0);
    EXPECT_EQ(failure.condition(), "1 + 1 == 3");
    EXPECT_EQ(failure.why(), "arithmetic");
    EXPECT_EQ(failure.what(), failure.file() + ":" + std::to_string(failure.line()) +
                                  ": check failed: 1 + 1 == 3 (arithmetic)");
  }
}

TEST(ThrowingChecks, ABugIsNoError) {
  const ThrowingChecks throwing;
  try {
    fail_a_check();
    FAIL() << "the check holds";
  } catch (const Error&) {
    FAIL() << "no other input would mend it";
  } catch (const std::exception& caught) {
    EXPECT_NE(dynamic_cast<const CheckFailure*>(&caught), nullptr);
  }
}

// Some reasons are put together where the check fails, and gone when it is caught.
TEST(ThrowingChecks, KeepsTheReason) {
  const ThrowingChecks throwing;
  try {
    ARMATURE_CHECK(false, std::string(100, 'x').c_str());
  } catch (const CheckFailure& failure) {
    EXPECT_EQ(failure.why(), std::string(100, 'x'));
  }
}

TEST(ThrowingChecks, Nest) {
  const ThrowingChecks outer;
  {
    const ThrowingChecks inner;
    EXPECT_THROW(fail_a_check(), CheckFailure);
  }
  EXPECT_THROW(fail_a_check(), CheckFailure);
}

TEST(ThrowingChecks, AbortAgainWhenTheyEnd) {
  { const ThrowingChecks throwing; }
  EXPECT_DEATH(fail_a_check(), "check failed");
  EXPECT_DEATH(
      {
        try {
          const ThrowingChecks throwing;
          fail_a_check();
        } catch (const CheckFailure&) {  // unwinding ends them too
        }
        fail_a_check();
      },
      "check failed");
}

TEST(ThrowingChecks, AreOfOneThread) {
  const ThrowingChecks throwing;
  EXPECT_DEATH(std::jthread{fail_a_check}, "check failed");
}

TEST(Error, OfALongValueBothEndsAreShown) {
  const std::string value = "'" + std::string(5000, 'x') + "'";
  const Error error({"", "policy", value, "a policy"});
  const std::string message = error.what();
  EXPECT_LT(message.size(), 200u);
  EXPECT_EQ(message.substr(0, 20), "policy: got 'xxxxxxx");
  EXPECT_NE(message.find("…"), std::string::npos);
  EXPECT_NE(message.find("x', expected a policy"), std::string::npos);
  EXPECT_EQ(error.report().value, value);  // whole, for programs
}

TEST(Error, NothingInItReachesATerminalsControls) {
  EXPECT_STREQ(Error({"a\nb", "\x1b]0;c", "d\r", "e\x07"}).what(),
               "a\\nb: \\x1b]0;c: got d\\r, expected e\\x07");
}

}  // namespace
}  // namespace armature
