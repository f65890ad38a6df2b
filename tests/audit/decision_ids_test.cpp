#include "audit/decision_ids.h"

#include <gtest/gtest.h>

namespace armature {
namespace {

using Answer = DecisionIds::Answer;

TEST(DecisionIds, AreSeenOnce) {
  DecisionIds ids;
  for (const char* id : {"a", "b", "aa", "a decision with a long name", "a decision with a longer"})
    EXPECT_EQ(ids.add(id), Answer::kNew) << id;
  EXPECT_EQ(ids.add("b"), Answer::kSeen);
  EXPECT_EQ(ids.add("a decision with a long name"), Answer::kSeen);
  ids.clear();
  EXPECT_EQ(ids.add("b"), Answer::kNew);
}

// Beyond what is remembered: ascending ids are new for certain, those of the beginning are known,
// and of the rest it is said that nobody knows.
TEST(DecisionIds, MemoryIsBounded) {
  DecisionIds ids;
  const std::size_t beyond = DecisionIds::kRemembered + 1000;
  for (std::size_t i = 1; i <= beyond; ++i) {
    const Answer answer = ids.add("mail." + std::to_string(2 * i) + ".f00d");
    if (answer != Answer::kNew) FAIL() << i;
  }
  EXPECT_EQ(ids.add("mail.2.f00d"), Answer::kSeen);
  EXPECT_EQ(ids.add("mail." + std::to_string(2 * beyond + 2) + ".f00d"), Answer::kNew);
  EXPECT_EQ(ids.add("mail." + std::to_string(2 * beyond - 1) + ".f00d"), Answer::kUnknown);
}

}  // namespace
}  // namespace armature
