#include "service/event.h"

#include <gtest/gtest.h>

#include "service/refusal.h"

namespace armature::service {
namespace {

RefusalKind kind_of(const std::string& experiment, const std::string& id) {
  try {
    parse_decision_id(experiment, id);
  } catch (const Refusal& refusal) {
    return refusal.kind();
  }
  ADD_FAILURE() << id << " was accepted";
  return RefusalKind::kBusy;
}

TEST(DecisionId, NamesItsExperimentAndItsEvent) {
  const std::string id = decision_id("mail", 184);
  EXPECT_EQ(id.substr(0, 9), "mail.184.");
  EXPECT_EQ(id.size(), 13u);
  EXPECT_EQ(parse_decision_id("mail", id), 184u);
  EXPECT_EQ(kind_of("post", id), RefusalKind::kElsewhere);
}

// Another letter in any place: 16 bits of check let one in 65,536 pass, and none of these.
TEST(DecisionId, TellsTypingMistakes) {
  const std::string id = decision_id("mail", 184);
  for (std::size_t i = 0; i < id.size(); ++i)
    for (const char c : {'0', '7', 'x', '.', ' '}) {
      std::string typo = id;
      if (typo[i] == c) continue;
      typo[i] = c;
      EXPECT_EQ(kind_of("mail", typo), RefusalKind::kMistyped) << typo;
    }
  for (const char* none : {"", ".", "..", "mail", "mail.184", "mail.0184.9f2c", "mail.-1.0000",
                           "mail.18446744073709551616.0000", "mail.1.00000"})
    EXPECT_EQ(kind_of("mail", none), RefusalKind::kMistyped) << none;
}

TEST(Events, DifferWhereAnythingDiffers) {
  Event one;
  EXPECT_EQ(first_difference(one, one), "");
  Event other = one;
  other.propensity = 0.5;
  EXPECT_EQ(first_difference(one, other), "propensity");
  one.propensity = 0.5 + 0x1p-53;  // the last bit
  EXPECT_EQ(first_difference(one, other), "propensity");
}

}  // namespace
}  // namespace armature::service
