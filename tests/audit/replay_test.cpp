// Replay on logs small enough for a hand.
#include "armature/replay.h"

#include <gtest/gtest.h>

#include <cmath>

#include "armature/error.h"
#include "audit/replay_intervals.h"
#include "audit/simulated_log.h"
#include "support/statistics.h"

namespace armature::test {
namespace {

LogRow row(std::uint32_t action, std::uint32_t context, double reward, double propensity) {
  static std::uint64_t line = 1;
  LogRow made;
  made.action = action;
  made.context = context;
  made.reward = reward;
  made.propensity = propensity;
  made.line = ++line;
  return made;
}

VectorSource log_of(std::vector<LogRow> rows, std::vector<std::string> actions = {"a", "b"},
                    bool adaptive = false) {
  return {std::move(rows), std::move(actions), {"no", "yes"}, adaptive};
}

ReplayQuestion asking(const std::string& policy, std::optional<ReplayMethod> method) {
  ReplayQuestion question;
  question.candidates = {{policy}};
  question.method = method;
  return question;
}

ReplayQuestion about(const std::string& action, ReplayMethod method) {
  ReplayQuestion question;
  question.candidates = {{"", action}};
  question.method = method;
  return question;
}

// Four rows: a with 1/4, b with 3/4.
std::vector<LogRow> four_rows() {
  return {row(0, 0, 1, 0.25), row(1, 1, 0.5, 0.75), row(1, 0, 0, 0.75), row(0, 1, 0.5, 0.25)};
}

const ReplayValue& only(const ReplayAnswer& answer) {
  EXPECT_EQ(answer.values.size(), 1u);
  return answer.values.front();
}

bool says(const std::vector<std::string>& texts, const std::string& part) {
  return std::any_of(texts.begin(), texts.end(),
                     [&](const std::string& text) { return text.find(part) != std::string::npos; });
}

// --- Closed forms --------------------------------------------------------------------------------

TEST(Replay, IpsIsTheMeanOfWeightedRewards) {
  VectorSource log = log_of(four_rows());
  const ReplayAnswer answer = replay(log, about("a", ReplayMethod::kIps));
  EXPECT_DOUBLE_EQ(only(answer).value, (1 / 0.25 * 1 + 1 / 0.25 * 0.5) / 4);
  EXPECT_DOUBLE_EQ(answer.log_value, 0.5);
  EXPECT_DOUBLE_EQ(only(answer).difference, 1.5 - 0.5);
  EXPECT_DOUBLE_EQ(only(answer).effective_rows, 2);
  EXPECT_DOUBLE_EQ(only(answer).largest_weight, 4);
  EXPECT_EQ(only(answer).policy, "always 'a'");
}

TEST(Replay, IpsOfUniformPlay) {
  VectorSource log = log_of(four_rows());
  const double a = 0.5 / 0.25, b = 0.5 / 0.75;
  const ReplayAnswer answer = replay(log, asking("uniform", ReplayMethod::kIps));
  EXPECT_DOUBLE_EQ(only(answer).value, (a * 1 + b * 0.5 + b * 0 + a * 0.5) / 4);
  EXPECT_DOUBLE_EQ(only(answer).effective_rows,
                   (2 * a + 2 * b) * (2 * a + 2 * b) / (2 * a * a + 2 * b * b));
  EXPECT_EQ(only(answer).shares, (std::vector<double>{0.5, 0.5}));
}

TEST(Replay, SnipsDividesByTheWeights) {
  VectorSource log = log_of(four_rows());
  EXPECT_DOUBLE_EQ(only(replay(log, about("a", ReplayMethod::kSnips))).value, 0.75);
}

TEST(Replay, DoublyRobustByHand) {
  VectorSource log = log_of(four_rows());
  // Before row 1 everything is expected to be 1/2; a's row of 1 makes its mean (m + 1)/2 with m the
  // mean of all rows, from a half on: (0.5 + 1)/2 = 0.75.
  const double first = 0.5 + 4 * (1 - 0.5);
  const double a = (0.75 + 1) / 2;
  // b says nothing of a, but moves the mean of all rows that a's guess starts from.
  const double second = a;
  const double third = ((0.5 + 1.5) / 3 + 1) / 2;
  const double fourth_model = ((0.5 + 1.5) / 4 + 1) / 2;
  const double fourth = fourth_model + 4 * (0.5 - fourth_model);
  EXPECT_DOUBLE_EQ(only(replay(log, about("a", ReplayMethod::kDr))).value,
                   (first + second + third + fourth) / 4);
}

TEST(Replay, DoublyRobustThroughGivenMarginals) {
  // All of a's plays come to "yes", all of b's to "no": a is expected to earn what "yes" earned.
  ReplayQuestion question = about("a", ReplayMethod::kDr);
  question.benign = true;
  question.given.emplace();
  question.given->action_names = {"a", "b"};
  question.given->context_names = {"no", "yes"};
  question.given->marginals = std::make_shared<Matrix>(Matrix::from_rows({{0, 1}, {1, 0}}));
  VectorSource log = log_of({row(1, 0, 0, 0.5), row(0, 1, 1, 0.5)});
  const double first = 0.5;  // b's row: only what is expected of a
  const double yes = 0.25;   // never seen: the mean of all rows, (0.5 + 0)/2
  const double second = yes + 2 * (1 - yes);
  EXPECT_DOUBLE_EQ(only(replay(log, question)).value, (first + second) / 2);
}

TEST(Replay, WeightsCountRowsInIps) {
  std::vector<LogRow> rows = four_rows();
  rows[0].weight = 3;
  std::vector<LogRow> repeated = four_rows();
  repeated.insert(repeated.begin(), 2, repeated[0]);
  VectorSource weighted = log_of(rows), plain = log_of(repeated);
  const ReplayQuestion question = about("a", ReplayMethod::kIps);
  EXPECT_DOUBLE_EQ(only(replay(weighted, question)).value, only(replay(plain, question)).value);
}

TEST(Replay, RejectionKeepsWhatThePolicyChose) {
  // Round-robin waits for a, then b, then a, …: rows 2, 3, 5 and 6 of these.
  VectorSource log = log_of({row(1, 0, 0, 0.5), row(0, 0, 1, 0.5), row(1, 0, 0.5, 0.5),
                             row(1, 0, 0, 0.5), row(0, 0, 0.25, 0.5), row(1, 0, 1, 0.5)});
  ReplayQuestion question = asking("round-robin", {});
  question.horizon = 10;
  const ReplayAnswer answer = replay(log, question);
  EXPECT_EQ(only(answer).method, ReplayMethod::kRejection);
  EXPECT_EQ(only(answer).rounds, 4u);
  EXPECT_DOUBLE_EQ(only(answer).value, (1 + 0.5 + 0.25 + 1) / 4);
  EXPECT_TRUE(says(only(answer).warnings, "after 4 of its 10 rounds"));
  question.horizon = 3;  // it ends there
  EXPECT_DOUBLE_EQ(only(replay(log, question)).value, (1 + 0.5 + 0.25) / 3);
}

TEST(Replay, RejectionThinsWhatWasLikely) {
  // b was played with 3/4 and a with 1/4: a third of b's rows may be kept. Binomial(n, 1/4) rows
  // for whatever policy; beyond 4.9 standard errors once in a million.
  const Round rows = 4000;
  std::vector<LogRow> made;
  Stream stream({3, 0, Purpose::kTest});
  for (Round i = 0; i < rows; ++i) {
    const bool a = bernoulli(stream, 0.25);
    made.push_back(row(a ? 0 : 1, 0, a ? 1 : 0, a ? 0.25 : 0.75));
  }
  VectorSource log = log_of(made);
  for (const char* policy : {"fixed:arm=0", "fixed:arm=1", "ucb"}) {
    ReplayQuestion question = asking(policy, ReplayMethod::kRejection);
    question.horizon = rows;
    const double kept = static_cast<double>(only(replay(log, question)).rounds);
    EXPECT_NEAR(kept, 0.25 * rows, kNormalBound * std::sqrt(rows * 0.25 * 0.75)) << policy;
  }
}

TEST(Replay, TheDefaultMethodFollowsWhatLearns) {
  VectorSource log = log_of(four_rows());
  EXPECT_EQ(only(replay(log, asking("uniform", {}))).method, ReplayMethod::kDr);
  EXPECT_EQ(only(replay(log, asking("fixed:arm=1", {}))).method, ReplayMethod::kDr);
  EXPECT_EQ(only(replay(log, asking("ucb", {}))).method, ReplayMethod::kRejection);
}

TEST(Replay, PoliciesAreToldWhatTheyWillBeReplayedOn) {
  const auto truth = InstanceSource("hidden-arm:actions=4,contexts=2", 800, 1).instance(0);
  const SimulatedLog made = simulated_log(truth, "uniform", 800, 5);
  VectorSource log = made.source();
  ReplayQuestion question = asking("sentry:budget=T/10", {});
  EXPECT_EQ(only(replay(log, question)).horizon, 200u);
  EXPECT_TRUE(only(replay(log, question)).policy.starts_with("sentry:budget=20"));
  question.method = ReplayMethod::kDr;
  EXPECT_EQ(only(replay(log, question)).horizon, 800u);
  question.given = truth->problem(500);
  EXPECT_EQ(only(replay(log, question)).horizon, 500u);
  question.horizon = 100;
  EXPECT_EQ(only(replay(log, question)).horizon, 100u);
}

TEST(Replay, WatchingPoliciesDecideBeforeTheySeeTheRow) {
  // epsilon-greedy:epsilon=0 tries what was never tried, lowest number first, then follows means:
  // a (untried), b (untried: only a was seen), then b (1 against 0), b.
  VectorSource log =
      log_of({row(0, 0, 0, 0.5), row(1, 0, 1, 0.5), row(1, 0, 0.5, 0.5), row(0, 0, 1, 0.5)});
  const ReplayAnswer answer = replay(log, asking("epsilon-greedy:epsilon=0", ReplayMethod::kIps));
  EXPECT_DOUBLE_EQ(only(answer).value, (2 * 0 + 2 * 1 + 2 * 0.5 + 0) / 4);
  EXPECT_EQ(only(answer).shares, (std::vector<double>{0.25, 0.75}));
}

// --- What is missing -----------------------------------------------------------------------------

TEST(Replay, OfActionsTheLogNeverHasAnythingMayBeTrue) {
  VectorSource log = log_of(four_rows(), {"a", "b", "c"});
  const ReplayValue unknown = only(replay(log, about("c", ReplayMethod::kIps)));
  EXPECT_TRUE(std::isnan(unknown.value));
  EXPECT_EQ(unknown.interval.low, 0);
  EXPECT_EQ(unknown.interval.high, 1);
  EXPECT_TRUE(says(unknown.warnings, "never has ('c')"));
  for (const ReplayMethod method : {ReplayMethod::kIps, ReplayMethod::kSnips, ReplayMethod::kDr}) {
    const ReplayValue third = only(replay(log, asking("uniform", method)));
    EXPECT_NEAR(third.unseen, 1.0 / 3, 1e-12);
    EXPECT_TRUE(says(third.warnings, "33% of its decisions"));
  }
}

TEST(Replay, TheIntervalAllowsForUnseenActions) {
  // a earns 0 and b earns 0 for sure; c, which no row has, may earn 1: a third of uniform play.
  std::vector<LogRow> rows;
  for (int i = 0; i < 20000; ++i) rows.push_back(row(i % 3 == 0 || i % 7 == 0 ? 0 : 1, 0, 0, 0.5));
  VectorSource log = log_of(rows, {"a", "b", "c"});
  for (const ReplayMethod method : {ReplayMethod::kIps, ReplayMethod::kSnips, ReplayMethod::kDr}) {
    const ReplayValue value = only(replay(log, asking("uniform", method)));
    EXPECT_EQ(value.interval.low, 0);
    EXPECT_GE(value.interval.high, 1.0 / 3);
    EXPECT_LT(value.interval.high, 0.36);
  }
}

TEST(Replay, WrongPropensitiesAreNoticed) {
  std::vector<LogRow> rows;
  Stream stream({4, 0, Purpose::kTest});
  for (int i = 0; i < 3000; ++i) {
    const std::uint32_t action = bernoulli(stream, 0.7) ? 0 : 1;
    rows.push_back(row(action, 0, 0.5, action == 0 ? 0.7 : 0.3));
  }
  VectorSource right = log_of(rows);
  for (const ReplayMethod method : {ReplayMethod::kIps, ReplayMethod::kSnips, ReplayMethod::kDr})
    EXPECT_TRUE(only(replay(right, about("a", method))).warnings.empty());
  for (LogRow& wrong : rows) wrong.propensity = 0.5;
  VectorSource wrong = log_of(rows);
  EXPECT_TRUE(
      says(only(replay(wrong, about("a", ReplayMethod::kIps))).warnings, "weights average 1.3"));
  ReplayQuestion claimed = about("a", ReplayMethod::kIps);
  claimed.uniform = true;
  for (LogRow& unsaid : rows) unsaid.propensity = std::nan("");
  VectorSource unsaid = log_of(rows);
  EXPECT_TRUE(says(replay(unsaid, claimed).warnings, "not drawn uniformly"));
}

TEST(Replay, TinyPropensitiesAndSortedRowsAreNoticed) {
  std::vector<LogRow> rows;
  for (int i = 0; i < 400; ++i) rows.push_back(row(i < 200 ? 0 : 1, 0, 0.5, 0.5));
  VectorSource sorted = log_of(rows);
  EXPECT_TRUE(says(replay(sorted, about("a", ReplayMethod::kIps)).warnings, "sorted"));
  rows[7].propensity = 1e-4;
  VectorSource tiny = log_of(rows);
  const ReplayAnswer answer = replay(tiny, about("a", ReplayMethod::kIps));
  EXPECT_TRUE(says(answer.warnings, "below 0.001, the smallest is 0.0001"));
  EXPECT_TRUE(says(only(answer).warnings, "too few to rely on"));
  VectorSource adaptive = log_of(rows, {"a", "b"}, true);
  EXPECT_FALSE(says(replay(adaptive, about("a", ReplayMethod::kIps)).warnings, "sorted"));
}

// --- Bad input -----------------------------------------------------------------------------------

void expect_refused(VectorSource log, const ReplayQuestion& question, const std::string& part) {
  try {
    replay(log, question);
    ADD_FAILURE() << "not refused: " << part;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(ReplayRefuses, WhatCannotBeAnswered) {
  const double none = std::nan("");
  const ReplayQuestion ips = about("a", ReplayMethod::kIps);
  expect_refused(log_of({row(0, 0, 1, none), row(1, 0, 1, none)}), ips, "--uniform");
  expect_refused(log_of({row(0, 0, 1, 0.5), row(1, 0, 1, none)}), ips, "in every row, or in none");
  expect_refused(log_of({row(0, 0, 1, 0.5), row(1, 0, 1, 0)}), ips, "above 0 and at most 1");
  expect_refused(log_of({row(0, 0, 1, 0.5), row(1, 0, 1, 1.5)}), ips, "above 0 and at most 1");
  expect_refused(log_of({row(0, 0, 1, 0.5), row(0, 0, 1, 0.5)}, {"a"}), ips, "'a' alone");
  expect_refused(log_of({row(0, 0, 1, 0.5)}), ips, "at least 2");
  expect_refused(log_of(four_rows()), about("aa", ReplayMethod::kIps), "did you mean 'a'");
  expect_refused(log_of(four_rows()), asking("ubc", {}), "did you mean 'ucb'");
  expect_refused(log_of(four_rows()), asking("corral", ReplayMethod::kIps), "rejection");
  expect_refused(log_of(four_rows(), {"a", "b", "c"}), asking("ucb", {}), "no row of 'c'");
  expect_refused(log_of(four_rows()), ReplayQuestion{}, "at least one");
  EXPECT_THROW(replay_method_named("isp"), Error);
}

TEST(ReplayRefuses, PromisesThatTheLogBreaks) {
  ReplayQuestion question = about("a", ReplayMethod::kIps);
  question.least_propensity = 0.3;
  expect_refused(log_of(four_rows()), question, "as was promised");
  question.least_propensity = 0;
  expect_refused(log_of(four_rows()), question, "above 0 and at most 1");
  question.least_propensity.reset();
  question.uniform = true;
  expect_refused(log_of(four_rows()), question, "from 0.25 to 0.75, as logged");
  question.uniform = false;
  question.level = 1;
  expect_refused(log_of(four_rows()), question, "(0,1)");
}

TEST(ReplayRefuses, LogsInWhichNothingElseCouldBeChosen) {
  std::vector<LogRow> rows = four_rows();
  rows[2].propensity = 1;
  expect_refused(log_of(rows), about("a", ReplayMethod::kIps), "less than 1 in every row");
  expect_refused(log_of(rows), asking("ucb", {}), "less than 1 in every row");
}

TEST(ReplayRefuses, PromisesThatTheLargestPropensityBreaks) {
  ReplayQuestion question = about("a", ReplayMethod::kIps);
  question.least_propensity = 0.2;
  const std::vector<LogRow> rows = {row(0, 0, 1, 0.9), row(1, 0, 1, 0.4), row(0, 1, 1, 0.9)};
  expect_refused(log_of(rows), question, "leaves 0.1 or less to some other action");
  question.least_propensity = 0.1;
  test::VectorSource log = log_of(rows);
  EXPECT_EQ(replay(log, question).least_propensity, 0.1);
  // Not promised: taken from what 0.9 leaves, below the 0.4 that was logged.
  question.least_propensity.reset();
  EXPECT_NEAR(replay(log, question).least_propensity, 0.1, 1e-12);
}

TEST(ReplayRefuses, WeightsWhereTheOrderCounts) {
  std::vector<LogRow> rows = four_rows();
  rows[0].weight = 2;
  expect_refused(log_of(rows), about("a", ReplayMethod::kDr), "ips can do without");
  expect_refused(log_of(rows), asking("ucb", {}), "the order of decisions");
  ReplayQuestion bootstrapped = about("a", ReplayMethod::kIps);
  bootstrapped.resamples = 100;
  expect_refused(log_of(rows), bootstrapped, "a bootstrap");
}

TEST(ReplayRefuses, AnotherProblem) {
  ReplayQuestion question = about("a", ReplayMethod::kIps);
  question.given.emplace();
  question.given->action_names = {"a", "c"};
  question.given->context_names = {"no", "yes"};
  expect_refused(log_of(four_rows()), question, "those of the given problem");
}

// --- The same answer every time ------------------------------------------------------------------

TEST(Replay, SameSeedSameNumbers) {
  const auto truth = InstanceSource("hidden-arm:actions=4,contexts=2", 2000, 1).instance(0);
  const SimulatedLog made = simulated_log(truth, "epsilon-greedy:epsilon=0.4", 2000, 5);
  ReplayQuestion question;
  question.candidates = {{"ts"}, {"ucb"}, {"uniform"}};
  question.resamples = 200;
  const auto values = [&](std::uint64_t seed) {
    question.seed = seed;
    VectorSource log = made.source();
    std::vector<double> numbers;
    for (const ReplayValue& value : replay(log, question).values)
      for (const double number : {value.value, value.interval.low, value.interval.high,
                                  value.difference_interval.low, value.difference_interval.high})
        numbers.push_back(number);
    return numbers;
  };
  EXPECT_EQ(values(1), values(1));
  EXPECT_NE(values(1), values(2));
}

// A policy's neighbours in the question leave no trace in its answer.
TEST(Replay, CandidatesDoNotDisturbEachOther) {
  const auto truth = InstanceSource("hidden-arm:actions=3,contexts=2", 900, 1).instance(0);
  const SimulatedLog made = simulated_log(truth, "uniform", 900, 6);
  const auto value_of = [&](std::vector<ReplayCandidate> candidates) {
    ReplayQuestion question;
    question.candidates = std::move(candidates);
    VectorSource log = made.source();
    return replay(log, question).values.back().value;
  };
  EXPECT_EQ(value_of({{"ts"}}), value_of({{"ucb"}, {"ts"}, {"ts"}}));
}

// --- Intervals -----------------------------------------------------------------------------------

TEST(MartingaleMean, IsTheWrittenFormula) {
  MartingaleMean mean(1, 4, 2);
  double sum = 0, squares = 0;
  Stream stream({7, 0, Purpose::kTest});
  const int n = 5000;
  for (int i = 0; i < n; ++i) {
    const double x = stream.uniform() < 0.1 ? 4 : 0.25;
    const double guess = std::min(1.0, (0.5 + sum) / (1 + i));
    squares += (x - guess) * (x - guess);
    sum += x;
    mean.add(x);
  }
  // sqrt(2·log(2/0.05)/(5000·2)) = 0.027 times the slack: 1/2 to 1/32 and one below are tried with
  // a slack of 1, and 1/2, 1/4, 1/8 and one below with 4.
  const auto reach = [&](double slack, int candidates) {
    double best = 1e9, lambda = 1;
    for (int j = 0; j < candidates; ++j) {
      lambda /= 2;
      best = std::min(best, slack *
                                (std::log(2 * candidates / 0.05) +
                                 (-std::log(1 - lambda) - lambda) * squares / (slack * slack)) /
                                (lambda * n));
    }
    return best;
  };
  const Interval interval = mean.interval(0.95);
  EXPECT_NEAR(mean.mean(), sum / n, 1e-9);
  EXPECT_NEAR(interval.low, sum / n - reach(1, 6), 1e-9);
  EXPECT_NEAR(interval.high, sum / n + reach(4, 4), 1e-9);
}

// Means that follow the past: the next term is likely where the last was not. 2000 sequences at
// level 0.8; more than 400 + 4.75·sqrt(2000·0.2·0.8) misses come once in a million.
TEST(MartingaleMean, CoversMeansThatFollowThePast) {
  int missed = 0;
  for (std::uint32_t i = 0; i < 2000; ++i) {
    Stream stream({8, i, Purpose::kTest});
    MartingaleMean mean = MartingaleMean::of_rewards();
    double target = 0;
    bool last = false;
    for (int t = 0; t < 300; ++t) {
      const double chance = last ? 0.05 : 0.3 * stream.uniform();
      last = bernoulli(stream, chance);
      target += chance / 300;
      mean.add(last ? 1 : 0);
    }
    const Interval interval = mean.interval(0.8);
    if (target < interval.low || target > interval.high) ++missed;
  }
  EXPECT_LE(missed, 400 + 4.7534 * std::sqrt(2000 * 0.2 * 0.8));
}

TEST(MartingaleMean, OfNothingKnowsNothing) {
  const Interval interval = within(MartingaleMean::of_rewards().interval(0.95), 0, 1);
  EXPECT_EQ(interval.low, 0);
  EXPECT_EQ(interval.high, 1);
}

// Of a mean of n terms the bootstrap's spread is the standard error; with 4000 resamples its
// quantiles are within a tenth of it (4.9 standard errors of a quantile are 0.17 of its own).
TEST(PoissonBootstrap, SpreadsLikeTheStandardError) {
  PoissonBootstrap bootstrap(4000, 1);
  Stream stream({9, 0, Purpose::kTest});
  double sum = 0, squares = 0;
  const int n = 1000;
  for (int i = 0; i < n; ++i) {
    const double x = stream.uniform();
    bootstrap.add(x, 1, 0.25);
    sum += x;
    squares += x * x;
  }
  const double mean = sum / n, error = std::sqrt((squares / n - mean * mean) / n);
  const Interval interval = bootstrap.ratio(0.95, 1);
  EXPECT_NEAR(interval.low, mean - 1.96 * error, 0.2 * error);
  EXPECT_NEAR(interval.high, mean + 1.96 * error, 0.2 * error);
  const Interval difference = bootstrap.difference(0.95, 1);
  EXPECT_NEAR(difference.low, interval.low - 0.25, 1e-12);
}

}  // namespace
}  // namespace armature::test
