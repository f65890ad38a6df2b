// The time-uniform confidence families cover: for all n ≤ N together the true mean leaves the
// interval in at most δ of the runs. With δ = 0.2, more failures than a Binomial(runs, δ) shows
// once in a million times are no luck.
#include <gtest/gtest.h>

#include "policies/tools/confidence.h"
#include "statistical/release_only.h"
#include "support/statistics.h"

namespace armature {
namespace {

constexpr double kDelta = 0.2;

class Coverage : public test::ReleaseOnly {};

struct Law {
  const char* name;
  std::vector<double> values;
  std::vector<double> probabilities;

  double mean() const {
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) sum += values[i] * probabilities[i];
    return sum;
  }
  double draw(Stream& stream) const {
    double u = stream.uniform();
    for (std::size_t i = 0; i + 1 < values.size(); ++i) {
      if (u < probabilities[i]) return values[i];
      u -= probabilities[i];
    }
    return values.back();
  }
};

Law bernoulli_law(const char* name, double mean) { return {name, {0, 1}, {1 - mean, mean}}; }

const Law kLaws[] = {bernoulli_law("Bernoulli(0.5)", 0.5),
                     bernoulli_law("Bernoulli(0.1)", 0.1),
                     bernoulli_law("Bernoulli(0.01)", 0.01),
                     bernoulli_law("Bernoulli(0.95)", 0.95),
                     {"table of mean 0.65", {0, 0.5, 1}, {0.2, 0.3, 0.5}},
                     {"table of mean 0.1", {0.05, 0.1, 0.9}, {0.5, 0.44375, 0.05625}}};

// In how many runs some mean of the first n ≤ N samples was farther off than allowed. All k
// quantities of a run count together; intervals are for that many.
int failed_runs(const Confidence& confidence, const Law& law, int quantities, int runs,
                std::uint64_t samples) {
  const double truth = law.mean();
  int failed = 0;
  for (int run = 0; run < runs; ++run) {
    Stream stream({31, static_cast<std::uint32_t>(run), Purpose::kTest});
    bool outside = false;
    for (int k = 0; k < quantities && !outside; ++k) {
      double sum = 0;
      for (std::uint64_t n = 1; n <= samples && !outside; ++n) {
        sum += law.draw(stream);
        const double mean = sum / static_cast<double>(n);
        outside = truth > mean ? truth > mean + confidence.up(mean, n)
                               : truth < mean - confidence.widths(mean, n).down;
      }
    }
    failed += outside ? 1 : 0;
  }
  return failed;
}

TEST_F(Coverage, AnytimeOfOneQuantity) {
  constexpr int kRuns = 2000;
  const int by_luck = test::most_failures_by_luck(kRuns, kDelta, test::kFalseAlarmRate);
  for (const Law& law : kLaws)
    EXPECT_LE(failed_runs(Confidence::anytime(1, kDelta, 1), law, 1, kRuns, 5000), by_luck)
        << law.name;
}

TEST_F(Coverage, AnytimeOfFiveQuantitiesTogether) {
  constexpr int kRuns = 1000;
  const int by_luck = test::most_failures_by_luck(kRuns, kDelta, test::kFalseAlarmRate);
  for (const Law& law : kLaws)
    EXPECT_LE(failed_runs(Confidence::anytime(5, kDelta, 1), law, 5, kRuns, 1000), by_luck)
        << law.name;
}

TEST_F(Coverage, AnytimeKlOfOneQuantity) {
  constexpr int kRuns = 1000;
  const int by_luck = test::most_failures_by_luck(kRuns, kDelta, test::kFalseAlarmRate);
  for (const Law& law : kLaws)
    EXPECT_LE(failed_runs(Confidence::anytime_kl(1, kDelta, 1), law, 1, kRuns, 2000), by_luck)
        << law.name;
}

TEST_F(Coverage, AnytimeKlOfFiveQuantitiesTogether) {
  constexpr int kRuns = 500;
  const int by_luck = test::most_failures_by_luck(kRuns, kDelta, test::kFalseAlarmRate);
  for (const Law& law : kLaws)
    EXPECT_LE(failed_runs(Confidence::anytime_kl(5, kDelta, 1), law, 5, kRuns, 500), by_luck)
        << law.name;
}

// The count has teeth: intervals for a single n, sqrt(log(2/δ)/(2n)), do not hold for all n
// together (by the law of the iterated logarithm they fail in the end with certainty).
TEST_F(Coverage, IntervalsForOneCountFailOverManyCounts) {
  constexpr int kRuns = 1000;
  const int by_luck = test::most_failures_by_luck(kRuns, kDelta, test::kFalseAlarmRate);
  const Confidence single = Confidence::fixed(std::log(2 / kDelta), 1);
  EXPECT_GT(failed_runs(single, kLaws[0], 1, kRuns, 5000), by_luck);
  // And so do both families at 0.4 of their width.
  EXPECT_GT(failed_runs(Confidence::anytime(1, kDelta, 0.4), kLaws[0], 1, kRuns, 5000), by_luck);
  EXPECT_GT(failed_runs(Confidence::anytime_kl(1, kDelta, 0.4), kLaws[0], 1, kRuns, 2000), by_luck);
}

}  // namespace
}  // namespace armature
