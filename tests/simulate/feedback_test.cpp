#include "simulate/feedback.h"

#include <gtest/gtest.h>

#include <cmath>

#include "armature/families.h"
#include "support/statistics.h"

namespace armature {
namespace {

TEST(FeedbackText, IsRead) {
  EXPECT_TRUE(Feedback::parse_delay("none").prompt());
  const Feedback fixed = Feedback::parse_delay("fixed:10");
  EXPECT_EQ(fixed.delay, Feedback::Delay::kFixed);
  EXPECT_EQ(fixed.rounds, 10);
  EXPECT_FALSE(fixed.prompt());
  const Feedback geometric = Feedback::parse_delay("geometric:mean=2.5");
  EXPECT_EQ(geometric.delay, Feedback::Delay::kGeometric);
  EXPECT_EQ(geometric.rounds, 2.5);
  EXPECT_EQ(Feedback::parse_delay("fixed:1e3").rounds, 1000);
  EXPECT_EQ(Feedback::parse_delay("fixed:1e3/4").rounds, 250);
  EXPECT_EQ(Feedback::parse_delay("geometric:mean=1/4").rounds, 0.25);
}

TEST(FeedbackText, ErrorsNameTheValue) {
  for (const char* text :
       {"", "never", "fixed", "fixed:", "fixed:-1", "fixed:1.5", "fixed:1e10", "geometric",
        "geometric:5", "geometric:mean=", "geometric:mean=-1", "geometric:mean=nan",
        "geometric:mean=1/0", "fixed:T", "geometric:mean=1e10", "none:0"}) {
    try {
      Feedback::parse_delay(text);
      ADD_FAILURE() << text << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.report().field, "delay") << text;
      EXPECT_EQ(error.report().value, "'" + std::string(text) + "'");
    }
  }
}

TEST(FeedbackText, PromptMeansNothingInTheWay) {
  Feedback feedback;
  EXPECT_TRUE(feedback.prompt());
  feedback.batch = 2;
  EXPECT_FALSE(feedback.prompt());
  feedback.batch = 1;
  feedback.loss = 0.1;
  EXPECT_FALSE(feedback.prompt());
}

// Writes down what it is told.
class Diary final : public AnyPolicy {
 public:
  Diary() : AnyPolicy("diary", Problem{}) {}
  Decision choose(Stream&) override { return {0}; }
  void observe(Decision decision, Outcome, Stream&) override {
    observed.push_back(decision.ticket);
  }
  void forget(Decision decision) override { forgotten.push_back(decision.ticket); }
  void visit_state(StateVisitor&) override {}
  Diagnostics diagnostics() const override { return {}; }
  bool probabilities(std::span<double>) const override { return false; }
  std::string witness_obstacle() const override { return replay_instead(); }
  std::unique_ptr<AnyPolicy> clone() const override { return nullptr; }
  void play(Environment&, Round, Stream&, std::span<std::uint64_t>) override {}

  std::vector<Round> observed;
  std::vector<Round> forgotten;

 private:
  void do_witness(const Tally&, Stream&) override {}
};

// The rounds whose outcomes arrive after each of the rounds 1..n.
std::vector<std::vector<Round>> arrivals(const Feedback& feedback, Round rounds) {
  FeedbackQueue queue(feedback, 1, 0);
  Stream stream({1, 0, Purpose::kPolicy});
  std::vector<std::vector<Round>> all;
  for (Round t = 1; t <= rounds; ++t) {
    Diary diary;
    queue.send(t, {0, t}, {0, 1});
    queue.deliver(t, diary, stream);
    all.push_back(diary.observed);
  }
  return all;
}

using Arrivals = std::vector<std::vector<Round>>;

TEST(FeedbackQueue, FixedDelayIsThatManyRounds) {
  // The outcome of round t comes before the choice of round t+1+2, that is after round t+2.
  EXPECT_EQ(arrivals(Feedback::parse_delay("fixed:2"), 5), (Arrivals{{}, {}, {1}, {2}, {3}}));
  EXPECT_EQ(arrivals(Feedback::parse_delay("fixed:0"), 3), (Arrivals{{1}, {2}, {3}}));
}

TEST(FeedbackQueue, BatchesArriveTogetherInOrder) {
  Feedback feedback;
  feedback.batch = 3;
  EXPECT_EQ(arrivals(feedback, 7), (Arrivals{{}, {}, {1, 2, 3}, {}, {}, {4, 5, 6}, {}}));
}

TEST(FeedbackQueue, DelayedBatchesWaitForTheNextMultiple) {
  // Ready after rounds 2, 3, 4, 5, …; handed over after 3, 6, …
  Feedback feedback = Feedback::parse_delay("fixed:1");
  feedback.batch = 3;
  EXPECT_EQ(arrivals(feedback, 6), (Arrivals{{}, {}, {1, 2}, {}, {}, {3, 4, 5}}));
}

TEST(FeedbackQueue, GeometricDelayHasItsMeanAndItsLaw) {
  constexpr double kMean = 3;
  constexpr Round kSent = 20'000;
  const Arrivals all = arrivals(Feedback::parse_delay("geometric:mean=3"), kSent);
  std::vector<std::uint64_t> counts(9);  // delays 0..7, and longer ones or still on the way
  std::uint64_t arrived = 0;
  for (Round t = 1; t <= kSent; ++t)
    for (const Round sent : all[t - 1]) {
      ++counts[std::min<Round>(t - sent, 8)];
      ++arrived;
    }
  counts[8] += kSent - arrived;
  std::vector<double> probabilities;  // P(delay = k) = (1 − q)·q^k with q = mean/(1 + mean)
  const double q = kMean / (1 + kMean);
  for (int k = 0; k < 8; ++k) probabilities.push_back((1 - q) * std::pow(q, k));
  probabilities.push_back(std::pow(q, 8));
  EXPECT_LT(test::chi_square(counts, probabilities), test::chi_square_bound(8));
}

TEST(FeedbackQueue, LostOutcomesAreForgottenWhenTheyWereDue) {
  Feedback feedback = Feedback::parse_delay("fixed:4");
  feedback.loss = 0.25;
  FeedbackQueue queue(feedback, 1, 0);
  Stream stream({1, 0, Purpose::kPolicy});
  Diary diary;
  constexpr Round kSent = 10'000;
  for (Round t = 1; t <= kSent; ++t) {
    queue.send(t, {0, t}, {0, 1});
    queue.deliver(t, diary, stream);
    ASSERT_EQ(diary.observed.size() + diary.forgotten.size(), t < 5 ? 0 : t - 4);
  }
  // Binomial(9996, 1/4): mean 2499, standard deviation 43.29.
  const double deviation = std::abs(static_cast<double>(diary.forgotten.size()) - 0.25 * 9996);
  EXPECT_LT(deviation, test::kNormalBound * std::sqrt(9996 * 0.25 * 0.75));
}

TEST(FeedbackQueue, LuckDependsOnTheRoundAndNotOnTheDecision) {
  Feedback feedback = Feedback::parse_delay("geometric:mean=5");
  feedback.loss = 0.3;
  Diary diaries[2];
  for (const Arm arm : {0u, 1u}) {
    FeedbackQueue queue(feedback, 9, 3);
    Stream stream({1, 0, Purpose::kPolicy});
    for (Round t = 1; t <= 500; ++t) {
      queue.send(t, {arm, t}, {arm, arm * 1.0});
      queue.deliver(t, diaries[arm], stream);
    }
  }
  EXPECT_EQ(diaries[0].observed, diaries[1].observed);
  EXPECT_EQ(diaries[0].forgotten, diaries[1].forgotten);
}

// A delay of nothing takes the slow road through the queue and must arrive at the same bits.
TEST(FeedbackInTheEngine, FixedZeroEqualsNone) {
  const auto world = std::make_shared<const World>(
      InstanceSource("semi-benign", 2000, 5).instance(0), Round{2000});
  for (const char* policy : {"ucb", "c-ucb", "hac-ucb", "ts", "c-ts", "uniform"}) {
    Cell cell{[&](std::uint32_t) { return world; }, policy, 2000, 5, {10, 100, 2000}, {}};
    const std::atomic<bool> stop{false};
    const BlockResult prompt = run_block(cell, {0, 3}, stop);
    for (const char* delay : {"fixed:0", "geometric:mean=0"}) {
      cell.feedback = Feedback::parse_delay(delay);
      const BlockResult queued = run_block(cell, {0, 3}, stop);
      ASSERT_EQ(queued.replications.size(), 3u);
      for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(queued.replications[i].regret, prompt.replications[i].regret) << policy;
        EXPECT_EQ(queued.replications[i].pulls, prompt.replications[i].pulls) << policy;
      }
    }
  }
}

TEST(FeedbackInTheEngine, ADelayAsLongAsTheHorizonTeachesNothing) {
  const auto world = std::make_shared<const World>(
      InstanceSource("pareto-benign", 100, 5).instance(0), Round{100});
  const Cell cell{[&](std::uint32_t) { return world; }, "ucb:inflight=ignore", 100, 5, {100},
                  Feedback::parse_delay("fixed:100")};
  const std::atomic<bool> stop{false};
  EXPECT_EQ(run_block(cell, {0, 1}, stop).replications[0].pulls[0], 100u);
}

}  // namespace
}  // namespace armature
