#include <gtest/gtest.h>

#include "armature/theory.h"

namespace armature {
namespace {

Setting sizes(double actions, double contexts, double horizon) {
  Setting setting;
  setting.actions = actions;
  setting.contexts = contexts;
  setting.horizon = horizon;
  return setting;
}

std::string conclusion(const std::vector<Explanation>& items, const std::string& topic) {
  for (const Explanation& item : items)
    if (item.topic == topic) return item.conclusion;
  return "no such topic";
}

TEST(Explain, FollowsTheNumbers) {
  // 20 actions at T = 10^5: past the sharper crossing (10), not yet at the paper's (22).
  EXPECT_TRUE(conclusion(explain(sizes(20, 2, 1e5)), "horizon").starts_with("Only just"));
  EXPECT_TRUE(conclusion(explain(sizes(22, 2, 1e5)), "horizon").starts_with("Yes"));
  EXPECT_TRUE(conclusion(explain(sizes(9, 2, 1e5)), "horizon").starts_with("No:"));
  EXPECT_TRUE(conclusion(explain(sizes(20, 2, 100)), "horizon").starts_with("Too short"));
  EXPECT_TRUE(conclusion(explain(sizes(5, 5, 1e9)), "horizon").starts_with("No horizon"));
}

TEST(Explain, TellsWhatIsPromised) {
  // 1.29·10^4 against ucb's 7.08·10^4; where the contexts are wrong 1.58·10^5, sentry 1.80·10^5.
  const std::string promises = conclusion(explain(sizes(20, 2, 1e6)), "promises");
  EXPECT_NE(promises.find("warden 1.29e+04"), std::string::npos) << promises;
  EXPECT_NE(promises.find("warden 1.584e+05"), std::string::npos) << promises;
  EXPECT_NE(conclusion(explain(sizes(5, 2, 100)), "promises").find("nothing below T"),
            std::string::npos);
}

TEST(Explain, EveryConclusionHasItsReasons) {
  const std::vector<Explanation> items = explain(sizes(200, 5, 1e7));
  ASSERT_EQ(items.size(), 5u);
  for (const Explanation& item : items) {
    EXPECT_FALSE(item.conclusion.empty()) << item.topic;
    EXPECT_GE(item.because.size(), 2u) << item.topic;
  }
}

TEST(Explain, NeverSpeaksOfNothing) {
  for (double horizon = 1; horizon <= 1e18; horizon *= 100)
    for (const double actions : {1.0, 2.0, 30.0, 1e9})
      for (const double contexts : {1.0, 7.0, 1e9})
        for (const double gap : {5e-324, 1e-3, 1.0}) {
          Setting setting = sizes(actions, contexts, horizon);
          setting.gap = gap;
          setting.epsilon = gap;
          for (const Explanation& item : explain(setting)) {
            std::string text = item.conclusion;
            for (const std::string& line : item.because) text += " " + line;
            for (const char* nothing : {" nan", " inf", " -nan", " -inf"})
              EXPECT_EQ(text.find(nothing), std::string::npos) << text;
          }
        }
}

}  // namespace
}  // namespace armature
