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

std::string conclusion(const Advice& advice, const std::string& topic) {
  for (const AdviceItem& item : advice.items)
    if (item.topic == topic) return item.conclusion;
  return "no such topic";
}

TEST(Advice, FollowsTheNumbers) {
  // 20 actions at T = 10^5: past the sharper crossing (10), not yet at the paper's (22).
  EXPECT_TRUE(conclusion(advise(sizes(20, 2, 1e5)), "horizon").starts_with("Only just"));
  EXPECT_TRUE(conclusion(advise(sizes(22, 2, 1e5)), "horizon").starts_with("Yes"));
  EXPECT_TRUE(conclusion(advise(sizes(9, 2, 1e5)), "horizon").starts_with("No:"));
  EXPECT_TRUE(conclusion(advise(sizes(20, 2, 100)), "horizon").starts_with("Too short"));
  EXPECT_TRUE(conclusion(advise(sizes(5, 5, 1e9)), "horizon").starts_with("No horizon"));
}

TEST(Advice, ChoosesThePolicy) {
  EXPECT_EQ(advise(sizes(5, 20, 1e6)).policy, "ucb");  // the contexts cannot help
  EXPECT_EQ(advise(sizes(5, 2, 100)).policy, "ucb");   // nor is there a gain on paper
  // 1.29·10^4 against ucb's 7.08·10^4; where the contexts are wrong 1.58·10^5, sentry 1.80·10^5.
  EXPECT_EQ(advise(sizes(20, 2, 1e6)).policy, "warden:delta=1e-06");
  EXPECT_EQ(advise(sizes(1000, 2, 1e9)).policy, "warden:delta=1e-09");
  Setting off = sizes(1000, 2, 1e9);
  off.epsilon = 0.0001;
  EXPECT_EQ(advise(off).policy, "warden:delta=1e-09,epsilon=0.0001");
  off.epsilon = 0.5;  // ε(1 + sqrt(L_Z/2))T alone is beyond ucb's bound
  EXPECT_EQ(advise(off).policy, "ucb");
}

TEST(Advice, UsesWhatIsKnownOfAnInstance) {
  Setting setting = sizes(1000, 2, 1e9);
  setting.benign = true;
  EXPECT_EQ(advise(setting).policy, "c-ucb");
  setting.benign = false;
  EXPECT_EQ(advise(setting).policy, "ucb");
  setting = sizes(1e6, 1e4, 1e12);
  setting.benign = true;
  setting.rank = 2;
  EXPECT_EQ(advise(setting).policy, "pe");
}

TEST(Advice, EveryConclusionHasItsReasons) {
  const Advice advice = advise(sizes(200, 5, 1e7));
  ASSERT_EQ(advice.items.size(), 5u);
  for (const AdviceItem& item : advice.items) {
    EXPECT_FALSE(item.conclusion.empty()) << item.topic;
    EXPECT_GE(item.because.size(), 2u) << item.topic;
  }
}

TEST(Advice, NeverSpeaksOfNothing) {
  for (double horizon = 1; horizon <= 1e18; horizon *= 100)
    for (const double actions : {1.0, 2.0, 30.0, 1e9})
      for (const double contexts : {1.0, 7.0, 1e9})
        for (const double gap : {5e-324, 1e-3, 1.0}) {
          Setting setting = sizes(actions, contexts, horizon);
          setting.gap = gap;
          setting.epsilon = gap;
          for (const AdviceItem& item : advise(setting).items) {
            std::string text = item.conclusion;
            for (const std::string& line : item.because) text += " " + line;
            for (const char* nothing : {" nan", " inf", " -nan", " -inf"})
              EXPECT_EQ(text.find(nothing), std::string::npos) << text;
          }
        }
}

}  // namespace
}  // namespace armature
