// Every registered policy, with every choice it offers, against every law.
#include "armature/conformance.h"

#include <gtest/gtest.h>

#include "conformance/registered_texts.h"

namespace armature {
namespace {

class Conformance : public testing::TestWithParam<std::string> {};

TEST_P(Conformance, ObeysEveryLaw) {
  for (const ConformanceFailure& failure : check_conformance(GetParam()))
    ADD_FAILURE() << failure.law << ": " << failure.detail;
}

INSTANTIATE_TEST_SUITE_P(Registered, Conformance, testing::ValuesIn(test::registered_texts()),
                         test::readable_name);

TEST(RegisteredTexts, CoverEveryPolicyAndChoice) {
  const std::vector<std::string> texts = test::registered_texts();
  for (const char* expected :
       {"ucb", "ucb:confidence=bilodeau", "ucb:ties=random", "c-ucb:confidence=bilodeau",
        "hac-ucb:variant=paper", "ts", "c-ts", "uniform", "round-robin", "fixed"})
    EXPECT_EQ(std::count(texts.begin(), texts.end(), expected), 1) << expected;
}

}  // namespace
}  // namespace armature
