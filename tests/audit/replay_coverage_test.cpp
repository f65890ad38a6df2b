// Replay on logs whose truth is known: estimates are right on average, intervals cover. Each
// assertion fails by chance once in a million (fixed seeds).
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "armature/replay.h"
#include "audit/simulated_log.h"
#include "support/statistics.h"

namespace armature::test {
namespace {

// P(a binomial exceeds this) ≤ 1e-6, by Bernstein's inequality.
double most_misses(double logs, double rate) {
  const double l = std::log(1e6), variance = logs * rate * (1 - rate);
  return logs * rate + std::sqrt(2 * variance * l + l * l / 9) + l / 3;
}

// Running mean and standard error.
struct Errors {
  double count = 0, sum = 0, squares = 0;
  void add(double x) {
    ++count;
    sum += x;
    squares += x * x;
  }
  double mean() const { return sum / count; }
  double error() const {
    return std::sqrt((squares / count - mean() * mean()) / (count - 1)) + 1e-12;
  }
};

// What the candidate's decisions are worth: their shares are known, and so are the means. Of a
// learning policy this is the value of the path that it took.
double worth(const ReplayValue& value, const Instance& truth) {
  double sum = 0;
  for (Arm a = 0; a < truth.actions(); ++a) sum += value.shares[a] * truth.mean(a);
  return sum;
}

struct Case {
  const char* name;
  const char* family;
  const char* logger;
};

class ReplayCoverage : public testing::TestWithParam<Case> {};

struct Question {
  ReplayCandidate candidate;
  ReplayMethod method;
  bool benign = false;
};

TEST_P(ReplayCoverage, IntervalsCoverAndEstimatesAreUnbiased) {
  constexpr std::uint32_t kLogs = 150;
  constexpr Round kRows = 800;
  constexpr double kLevel = 0.9;
  const InstanceSource source(GetParam().family, kRows, 11);
  const std::vector<Question> questions = {
      {{"fixed:arm=0"}, ReplayMethod::kIps}, {{"fixed:arm=3"}, ReplayMethod::kSnips},
      {{"fixed:arm=3"}, ReplayMethod::kDr},  {{"fixed:arm=0"}, ReplayMethod::kDr, true},
      {{"uniform"}, ReplayMethod::kSnips},   {{"uniform"}, ReplayMethod::kDr},
      {{"ucb"}, ReplayMethod::kIps},         {{"ucb"}, ReplayMethod::kSnips},
      {{"ts"}, ReplayMethod::kDr},           {{"c-ucb"}, ReplayMethod::kDr, true},
      {{"ucb"}, ReplayMethod::kRejection},   {{"ts"}, ReplayMethod::kRejection},
      {{"db"}, ReplayMethod::kRejection},
  };
  std::vector<int> missed(questions.size()), difference_missed(questions.size());
  std::vector<Errors> errors(questions.size());
  for (std::uint32_t i = 0; i < kLogs; ++i) {
    const SimulatedLog made = simulated_log(source.instance(i), GetParam().logger, kRows, 21, i);
    for (std::size_t q = 0; q < questions.size(); ++q) {
      ReplayQuestion question;
      question.candidates = {questions[q].candidate};
      question.method = questions[q].method;
      question.benign = questions[q].benign;
      question.level = kLevel;
      question.seed = i;
      VectorSource log = made.source();
      const ReplayAnswer answer = replay(log, question);
      const ReplayValue& value = answer.values[0];
      const double truth = worth(value, *made.truth);
      if (truth < value.interval.low || truth > value.interval.high) ++missed[q];
      const double gap = truth - made.expected;
      if (gap < value.difference_interval.low || gap > value.difference_interval.high)
        ++difference_missed[q];
      if (!std::isnan(value.value)) errors[q].add(value.value - truth);
    }
  }
  for (std::size_t q = 0; q < questions.size(); ++q) {
    const std::string what =
        questions[q].candidate.policy + " by " + replay_method_name(questions[q].method);
    EXPECT_LE(missed[q], most_misses(kLogs, 1 - kLevel)) << what;
    EXPECT_LE(difference_missed[q], most_misses(kLogs, 1 - kLevel)) << what;
    if (questions[q].method != ReplayMethod::kSnips)  // a ratio: biased by O(1/rows)
      EXPECT_LE(std::abs(errors[q].mean()), kNormalBound * errors[q].error()) << what;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Logs, ReplayCoverage,
    testing::Values(
        Case{"benign_uniform", "pareto-benign:actions=4,contexts=2,gap=0.2", "uniform"},
        Case{"benign_greedy", "pareto-benign:actions=4,contexts=2,gap=0.2",
             "epsilon-greedy:epsilon=0.4"},
        Case{"hidden_uniform", "hidden-arm:actions=4,contexts=2,gap=0.3", "uniform"},
        Case{"hidden_floor", "hidden-arm:actions=4,contexts=2,gap=0.3",
             "floor:base=ucb,probability=0.4"},
        Case{"semi_greedy", "semi-benign:actions=4,contexts=3", "epsilon-greedy:epsilon=0.4"},
        Case{"semi_floor", "semi-benign:actions=4,contexts=3", "floor:base=ucb,probability=0.4"}),
    [](const testing::TestParamInfo<Case>& info) { return std::string(info.param.name); });

// What these tests would notice: a greedy log that claims to be uniform. ips is then off by far
// more than its interval in most logs.
TEST(ReplayCoverageItself, FailsWithWrongPropensities) {
  const InstanceSource source("hidden-arm:actions=4,contexts=2,gap=0.3", 800, 15);
  int missed = 0;
  for (std::uint32_t i = 0; i < 40; ++i) {
    SimulatedLog made = simulated_log(source.instance(i), "epsilon-greedy:epsilon=0.4", 800, 28, i);
    for (LogRow& row : made.rows) row.propensity = std::nan("");
    ReplayQuestion question;
    question.candidates = {{"fixed:arm=1"}};
    question.method = ReplayMethod::kIps;
    question.uniform = true;
    VectorSource log = made.source();
    const Interval interval = replay(log, question).values[0].interval;
    const double truth = made.truth->mean(1);
    if (truth < interval.low || truth > interval.high) ++missed;
  }
  EXPECT_GT(missed, most_misses(40, 0.1));
}

// The bootstrap holds for many rows: misses at level 0.9 up to a rate of 0.13.
TEST(ReplayBootstrap, CoversOnManyRows) {
  constexpr std::uint32_t kLogs = 150;
  const InstanceSource source("hidden-arm:actions=3,contexts=2,gap=0.2", 1000, 12);
  std::map<std::string, int> missed;
  double narrower = 0;
  for (std::uint32_t i = 0; i < kLogs; ++i) {
    const SimulatedLog made = simulated_log(source.instance(i), "uniform", 1000, 22, i);
    for (const ReplayMethod method :
         {ReplayMethod::kIps, ReplayMethod::kSnips, ReplayMethod::kDr, ReplayMethod::kRejection}) {
      ReplayQuestion question;
      question.candidates = {{"fixed:arm=2"}};
      question.method = method;
      question.level = 0.9;
      question.seed = i;
      VectorSource log = made.source();
      const Interval exact = replay(log, question).values[0].interval;
      question.resamples = 200;
      log.rewind();
      const ReplayValue value = replay(log, question).values[0];
      const double truth = made.truth->mean(2);
      if (truth < value.interval.low || truth > value.interval.high)
        ++missed[replay_method_name(method)];
      const double gap = truth - made.expected;
      if (gap < value.difference_interval.low || gap > value.difference_interval.high)
        ++missed["difference " + replay_method_name(method)];
      narrower += (value.interval.high - value.interval.low) / (exact.high - exact.low) / kLogs / 4;
    }
  }
  for (const auto& [method, count] : missed) EXPECT_LE(count, most_misses(kLogs, 0.13)) << method;
  EXPECT_GT(narrower, 0.3);  // certainty at every size costs a factor, but no more than this
  EXPECT_LT(narrower, 0.9);
}

// Rejection on a uniform log is ucb at work: mean reward of 200 rounds, on logs and in the world
// itself.
TEST(ReplayRejection, OfUcbIsUcbAtWork) {
  constexpr Round kRounds = 200;
  constexpr std::uint32_t kRuns = 300;
  const InstanceSource source("pareto-benign:actions=3,contexts=2,gap=0.2", kRounds, 13);
  const auto truth = source.instance(0);
  const OutcomeTables tables(*truth);
  Errors replayed, played;
  for (std::uint32_t i = 0; i < kRuns; ++i) {
    const SimulatedLog made = simulated_log(truth, "uniform", 1000, 23, i);
    ReplayQuestion question;
    question.candidates = {{"ucb"}};
    question.horizon = kRounds;
    VectorSource log = made.source();
    const ReplayValue value = replay(log, question).values[0];
    ASSERT_EQ(value.rounds, kRounds);
    replayed.add(value.value);

    Environment world(tables, 24, i);
    PolicySession session("ucb", truth->problem(kRounds), 1, i);
    double earned = 0;
    for (Round t = 0; t < kRounds; ++t) {
      const Decision decision = session.choose();
      const Outcome outcome = world.play(decision.arm);
      session.observe(decision, outcome);
      earned += outcome.reward / kRounds;
    }
    played.add(earned);
  }
  EXPECT_LE(std::abs(replayed.mean() - played.mean()),
            kNormalBound * std::hypot(replayed.error(), played.error()));
  EXPECT_GT(played.mean(), 0.55);  // it does learn: uniform play earns 0.567 of 0.7
}

// The same where actions were not equally likely: thinning makes them so.
TEST(ReplayRejection, OfUcbOnAGreedyLogIsUcbAtWork) {
  constexpr Round kRounds = 60;
  const auto truth =
      InstanceSource("pareto-benign:actions=3,contexts=2,gap=0.2", kRounds, 13).instance(0);
  const OutcomeTables tables(*truth);
  Errors replayed, played;
  for (std::uint32_t i = 0; i < 300; ++i) {
    const SimulatedLog made = simulated_log(truth, "epsilon-greedy:epsilon=0.4", 1000, 25, i);
    ReplayQuestion question;
    question.candidates = {{"ucb"}};
    question.horizon = kRounds;
    VectorSource log = made.source();
    const ReplayValue value = replay(log, question).values[0];
    ASSERT_EQ(value.rounds, kRounds);
    replayed.add(worth(value, *truth));

    Environment world(tables, 26, i);
    const auto policy = make_policy("ucb", truth->problem(kRounds));
    Stream stream({1, i, Purpose::kPolicy});
    std::vector<std::uint64_t> pulls(3);
    policy->play(world, kRounds, stream, pulls);
    double earned = 0;
    for (Arm a = 0; a < 3; ++a) earned += static_cast<double>(pulls[a]) * truth->mean(a) / kRounds;
    played.add(earned);
  }
  EXPECT_LE(std::abs(replayed.mean() - played.mean()),
            kNormalBound * std::hypot(replayed.error(), played.error()));
}

// In a benign world contexts tell of actions what few of their own rows do: dr by contexts is
// narrower than ips, and right.
TEST(ReplayDr, ModelsNarrowTheInterval) {
  const auto truth = InstanceSource("random-benign:actions=8,contexts=3", 20000, 14).instance(0);
  const SimulatedLog made = simulated_log(truth, "uniform", 20000, 27);
  const auto width = [&](ReplayMethod method, bool benign) {
    ReplayQuestion question;
    question.candidates = {{"fixed:arm=1"}};
    question.method = method;
    question.benign = benign;
    VectorSource log = made.source();
    const ReplayValue value = replay(log, question).values[0];
    EXPECT_LE(value.interval.low, truth->mean(1));
    EXPECT_GE(value.interval.high, truth->mean(1));
    return value.interval.high - value.interval.low;
  };
  EXPECT_LT(width(ReplayMethod::kDr, true), width(ReplayMethod::kIps, false));
  EXPECT_LT(width(ReplayMethod::kDr, false), width(ReplayMethod::kIps, false));
}

}  // namespace
}  // namespace armature::test
