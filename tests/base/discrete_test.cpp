// The integer samplers: their probabilities against 100-digit references, their rejection hats by
// certificate, their draws against their laws. Each statistical assertion raises a false alarm with
// probability 1e-6 (kFalseAlarmRate); the seeds are fixed.
#include "base/discrete.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <numbers>
#include <numeric>
#include <sstream>

#include "support/statistics.h"

namespace armature {
namespace {

using test::chi_square;
using test::chi_square_bound;
using test::kNormalBound;
using test::ks_bound;
using test::ks_distance;

constexpr double kImpossible = -std::numeric_limits<double>::infinity();
constexpr std::uint64_t kTwoTo60 = std::uint64_t{1} << 60;

struct BinomialCase {
  std::uint64_t trials;
  double probability;

  double mean() const { return static_cast<double>(trials) * probability; }
  double deviation() const { return std::sqrt(mean() * (1 - probability)); }
  double log_pmf(std::uint64_t k) const { return log_binomial_pmf(trials, probability, k); }
  std::uint64_t draw(Stream& stream) const { return binomial(stream, trials, probability); }
  std::uint64_t high() const { return trials; }
};

struct HypergeometricCase {
  std::uint64_t marked;
  std::uint64_t unmarked;
  std::uint64_t draws;

  double total() const { return static_cast<double>(marked + unmarked); }
  double mean() const {
    return static_cast<double>(marked) * (static_cast<double>(draws) / total());
  }
  double deviation() const {
    const double left = static_cast<double>(marked + unmarked - draws) / total();
    return std::sqrt(mean() * left * static_cast<double>(unmarked) / (total() - 1));
  }
  double log_pmf(std::uint64_t k) const {
    return log_hypergeometric_pmf(marked, unmarked, draws, k);
  }
  std::uint64_t draw(Stream& stream) const {
    return hypergeometric(stream, marked, unmarked, draws);
  }
  std::uint64_t high() const { return std::min(draws, marked); }
};

// ---- Probabilities -----------------------------------------------------------------------------

// The error of a logarithm is the relative error of the probability.
TEST(LogPmf, EqualsTheReferenceToOnePartIn1e12) {
  std::ifstream file(std::string(ARMATURE_SOURCE_DIR) + "/tests/base/discrete_reference.txt");
  std::size_t rows = 0;
  double worst = 0;
  for (std::string line; std::getline(file, line); ++rows) {
    std::istringstream words(line);
    std::string kind;
    std::uint64_t k = 0;
    double expected = 0;
    double found = 0;
    words >> kind;
    if (kind == "binomial") {
      BinomialCase law{};
      words >> law.trials >> law.probability >> k >> expected;
      found = law.log_pmf(k);
    } else {
      HypergeometricCase law{};
      words >> law.marked >> law.unmarked >> law.draws >> k >> expected;
      found = law.log_pmf(k);
    }
    ASSERT_FALSE(words.fail()) << line;
    EXPECT_NEAR(found, expected, 1e-12) << line;
    worst = std::max(worst, std::abs(found - expected));
  }
  EXPECT_GT(rows, 1500u);
  RecordProperty("worst", std::to_string(worst * 1e15) + "e-15");
}

TEST(LogPmf, ByHand) {
  EXPECT_NEAR(log_binomial_pmf(4, 0.5, 2), std::log(6.0 / 16), 1e-15);
  EXPECT_NEAR(log_binomial_pmf(3, 0.25, 0), std::log(27.0 / 64), 1e-15);
  EXPECT_NEAR(log_binomial_pmf(3, 0.25, 3), std::log(1.0 / 64), 2e-15);
  // Three marked items and one unmarked: 3 of the 6 pairs are both marked.
  EXPECT_NEAR(log_hypergeometric_pmf(3, 1, 2, 2), std::log(0.5), 1e-15);
  EXPECT_EQ(log_hypergeometric_pmf(3, 1, 2, 0), kImpossible);
}

TEST(LogPmf, EdgesAreExact) {
  EXPECT_EQ(log_binomial_pmf(0, 0.3, 0), 0);
  EXPECT_EQ(log_binomial_pmf(0, 0.3, 1), kImpossible);
  EXPECT_EQ(log_binomial_pmf(9, 0, 0), 0);
  EXPECT_EQ(log_binomial_pmf(9, 0, 1), kImpossible);
  EXPECT_EQ(log_binomial_pmf(9, 1, 9), 0);
  EXPECT_EQ(log_binomial_pmf(9, 1, 8), kImpossible);
  EXPECT_EQ(log_binomial_pmf(9, 0.5, 10), kImpossible);
  EXPECT_EQ(log_hypergeometric_pmf(0, 0, 0, 0), 0);
  EXPECT_EQ(log_hypergeometric_pmf(5, 0, 3, 3), 0);
  EXPECT_EQ(log_hypergeometric_pmf(5, 3, 8, 5), 0);
  EXPECT_EQ(log_hypergeometric_pmf(5, 3, 8, 4), kImpossible);
}

// ---- Rejection hats ----------------------------------------------------------------------------

// The distance from the end whose reach is that far from the centre: the positive root of
// slope·e² + (far + 2·tail − slope/2)·e − tail = 0.
double edge_reaching(const RejectionHat& hat, double far) {
  const double half = std::abs(far) + 2 * hat.tail - hat.slope / 2;
  const double root = std::sqrt(half * half + 4 * hat.tail * hat.slope);
  return half > 0 ? 2 * hat.tail / (half + root) : (root - half) / (2 * hat.slope);
}

struct Extremes {
  double largest = 0;                                      // of the acceptance ratio
  double inner = std::numeric_limits<double>::infinity();  // the smallest where the squeeze holds
};

// Over one block: the stretch is monotone on either side of the centre, so its extremes are at the
// block's edges (and at the centre); the probabilities are log-concave, so theirs are too.
template <class Case>
void widen(Extremes& extremes, const Case& law, const RejectionHat& hat, std::int64_t place) {
  const double start = static_cast<double>(place) - hat.centre;
  const double first = edge_reaching(hat, start);
  const double second = edge_reaching(hat, start + 1);
  const bool at_centre = start < 0 && start + 1 > 0;
  const double innermost = at_centre ? 0.5 : std::max(first, second);
  const auto width = std::int64_t{1} << hat.shift;
  const auto whole = static_cast<std::int64_t>(std::floor(law.mean()));
  double highest = 0;
  double lowest = std::numeric_limits<double>::infinity();
  // The mode is within 1 of the mean.
  for (const std::int64_t k :
       {whole + place * width, whole + place * width + width - 1, whole - 1, whole, whole + 1}) {
    if (k < whole + place * width || k >= whole + (place + 1) * width) continue;
    const double probability = k < 0 ? 0 : std::exp(law.log_pmf(static_cast<std::uint64_t>(k)));
    highest = std::max(highest, probability);
    lowest = std::min(lowest, probability);
  }
  const double scale = hat.block / hat.peak;
  extremes.largest =
      std::max(extremes.largest, scale * highest * hat.stretch(std::min(first, second)));
  if (innermost >= RejectionHat::kInnerEdge)
    extremes.inner = std::min(extremes.inner, scale * lowest * hat.stretch(innermost));
}

template <class Case>
void expect_certified(const Case& law, const std::string& what) {
  const double mean = law.mean();
  const RejectionHat hat(law.deviation(), mean - std::floor(mean));
  Extremes extremes;
  const auto reach = static_cast<std::int64_t>(38 * law.deviation() / hat.block) + 2;
  for (std::int64_t place = -reach; place <= reach; ++place) widen(extremes, law, hat, place);
  EXPECT_LE(extremes.largest, 1) << what;
  EXPECT_GE(extremes.inner, hat.squeeze / hat.peak) << what;
  EXPECT_GT(extremes.largest, 0.85) << what << ": the hat is loose";
}

const double kDeviations[] = {4, 4.3, 5, 6.5, 9, 13, 20, 31.9, 32.1, 45, 63.9, 64.1, 500, 1e4, 5e8};

TEST(RejectionHat, CoversBinomials) {
  for (const double deviation : kDeviations)
    for (const double p : {1e-9, 1e-4, 0.01, 0.1, 0.3, 0.5, 0.8, 0.99, 1 - 1e-6})
      for (const int more : {0, 1, 2, 7}) {
        const double trials = std::ceil(deviation * deviation / (p * (1 - p))) + more;
        if (trials > 0x1p60) continue;
        expect_certified(BinomialCase{static_cast<std::uint64_t>(trials), p},
                         std::to_string(deviation) + ", " + std::to_string(p));
      }
}

TEST(RejectionHat, CoversHypergeometrics) {
  for (const double deviation : kDeviations)
    for (const double p : {1e-4, 0.05, 0.5, 0.9})
      for (const double q : {1e-4, 0.1, 0.5, 0.98}) {
        const double total =
            std::ceil(1.02 * deviation * deviation / (p * (1 - p) * q * (1 - q))) + 20;
        if (total > 0x1p60) continue;
        const auto marked = static_cast<std::uint64_t>(total * p);
        const HypergeometricCase law{marked, static_cast<std::uint64_t>(total) - marked,
                                     static_cast<std::uint64_t>(total * q)};
        if (law.deviation() < 4) continue;
        expect_certified(
            law, std::to_string(deviation) + ", " + std::to_string(p) + ", " + std::to_string(q));
      }
}

// ---- Draws -------------------------------------------------------------------------------------

constexpr std::size_t kDraws = 200'000;

template <class Case>
std::vector<std::uint64_t> draws_of(const Case& law, std::uint32_t replication,
                                    std::size_t size = kDraws) {
  Stream stream({77, replication, Purpose::kTest});
  std::vector<std::uint64_t> values(size);
  for (std::uint64_t& value : values) value = law.draw(stream);
  return values;
}

// Pearson's statistic with cells of consecutive results, each expecting at least 25 draws. All
// results within 9 standard deviations are summed; what is beyond has probability below 1e-15.
template <class Case>
void expect_fit(const Case& law, std::uint32_t replication) {
  const auto values = draws_of(law, replication);
  const double margin = 9 * law.deviation() + 40;
  const auto from = static_cast<std::uint64_t>(std::max(0.0, law.mean() - margin));
  const auto to = std::min(law.high(), static_cast<std::uint64_t>(law.mean() + margin));
  std::vector<std::uint64_t> ends;
  std::vector<double> probabilities{0};
  for (std::uint64_t k = from; k <= to; ++k) {
    probabilities.back() += std::exp(law.log_pmf(k));
    if (probabilities.back() * kDraws < 25) continue;
    ends.push_back(k);
    probabilities.push_back(0);
  }
  probabilities[probabilities.size() - 2] += probabilities.back();
  probabilities.pop_back();
  ends.back() = law.high();
  EXPECT_NEAR(std::accumulate(probabilities.begin(), probabilities.end(), 0.0), 1, 1e-11);
  std::vector<std::uint64_t> counts(probabilities.size());
  for (const std::uint64_t value : values) {
    const auto end = std::lower_bound(ends.begin(), ends.end(), value);
    ASSERT_NE(end, ends.end());
    ++counts[static_cast<std::size_t>(end - ends.begin())];
  }
  ASSERT_GE(counts.size(), 2u);
  EXPECT_LT(chi_square(counts, probabilities),
            chi_square_bound(static_cast<double>(counts.size()) - 1))
      << "replication " << replication;
}

// Inversion up to a variance of 16, rejection from there; blocks of 1 up to a standard deviation of
// 32, of 2 and more above.
TEST(Binomial, FitsItsLaw) {
  const BinomialCase cases[] = {{1, 0.3},
                                {2, 0.5},
                                {10, 0.3},
                                {10, 0.9},
                                {1000, 1e-3},
                                {63, 0.5},
                                {64, 0.5},
                                {65, 0.5},
                                {100, 0.2},
                                {20'000, 1e-3},
                                {1000, 0.3},
                                {1000, 0.9},
                                {4090, 0.5},
                                {4100, 0.5},
                                {20'000, 0.5},
                                {1'000'000, 1e-5},
                                {1'000'000, 0.3},
                                {1'000'000'000, 0.9},
                                {1'000'000'000'000, 1e-11},
                                {kTwoTo60, 3e-18},
                                {kTwoTo60, 1e-16},
                                {kTwoTo60, 1e-13}};
  std::uint32_t replication = 0;
  for (const BinomialCase& law : cases) expect_fit(law, replication++);
}

TEST(Hypergeometric, FitsItsLaw) {
  const HypergeometricCase cases[] = {{1, 1, 1},
                                      {5, 7, 6},
                                      {30, 5, 20},
                                      {5, 1000, 400},
                                      {100, 100, 100},
                                      {130, 130, 130},
                                      {140, 400, 300},
                                      {20'000, 50'000, 1000},
                                      {9000, 1000, 5000},
                                      {1'000'000, 1'000'000, 900'000},
                                      {300'000'000, 700'000'000, 1'000'000},
                                      {kTwoTo60, kTwoTo60, 10},
                                      {kTwoTo60, kTwoTo60, 1000},
                                      {1000, kTwoTo60, kTwoTo60 / 3}};
  std::uint32_t replication = 100;
  for (const HypergeometricCase& law : cases) expect_fit(law, replication++);
}

double normal_cdf(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

// At such deviations the law is normal to 0.56/deviation (Berry–Esseen; both laws are those of sums
// of independent indicators, the hypergeometric by Vatutin and Mikhailov 1982), here below 6e-6,
// which is added to the bound. Mean and variance of the draws are asymptotically normal, the
// variance's relative error with standard deviation sqrt(2/n).
template <class Case>
void expect_nearly_normal(const Case& law, std::uint64_t whole, double fraction,
                          std::uint32_t replication) {
  ASSERT_GT(law.deviation(), 1e5);
  std::vector<double> standardised;
  for (const std::uint64_t value : draws_of(law, replication))
    standardised.push_back(
        (static_cast<double>(static_cast<std::int64_t>(value - whole)) - fraction) /
        law.deviation());
  EXPECT_LT(ks_distance(standardised, normal_cdf), ks_bound(kDraws) + 0.56 / law.deviation());
  const auto n = static_cast<double>(kDraws);
  double sum = 0;
  double squares = 0;
  for (const double z : standardised) {
    sum += z;
    squares += z * z;
  }
  EXPECT_LT(std::abs(sum) / std::sqrt(n), kNormalBound);
  EXPECT_LT(std::abs(squares / n - 1) / std::sqrt(2 / n), kNormalBound);
}

// The means by hand: an integer and a fraction.
// What the promise on total variation rests on: where the variance is below 16, and inversion
// draws, at most 111 results have a probability above 2^-61.
template <class Case>
int likely_results(const Case& law) {
  const double least = -61 * std::numbers::ln2;
  const auto mean = static_cast<std::uint64_t>(law.mean());
  const std::uint64_t first = mean > 300 ? mean - 300 : 0;
  int count = 0;
  for (std::uint64_t k = first; k <= std::min(law.high(), mean + 300); ++k)
    count += law.log_pmf(k) > least ? 1 : 0;
  return count;
}

TEST(Binomial, FewResultsAreLikelyWhereItIsInverted) {
  for (const double small : {0.5, 0.3, 0.1, 1e-2, 1e-4, 1e-9, 1e-15})
    for (const double p : {small, 1 - small}) {
      const BinomialCase law{static_cast<std::uint64_t>(15.99 / (small * (1 - small))), p};
      EXPECT_LE(likely_results(law), 111) << p;
      EXPECT_GT(likely_results(law), 60) << p;
    }
}

TEST(Hypergeometric, FewResultsAreLikelyWhereItIsInverted) {
  for (const HypergeometricCase& law : {HypergeometricCase{127, 127, 127},
                                        {40, 1'000'000, 400'000},
                                        {1'000'000, 17, 500'000},
                                        {1'000'000'000, 1'000'000'000, 63}}) {
    ASSERT_LT(law.deviation(), 4);
    EXPECT_LE(likely_results(law), 111);
  }
}

TEST(Binomial, IsNormalAtHugeCounts) {
  expect_nearly_normal(BinomialCase{kTwoTo60, 0.5}, kTwoTo60 / 2, 0, 200);
  expect_nearly_normal(BinomialCase{kTwoTo60 - 1, 0.25}, kTwoTo60 / 4 - 1, 0.75, 201);
  expect_nearly_normal(BinomialCase{kTwoTo60, 0.875}, kTwoTo60 / 8 * 7, 0, 202);
  expect_nearly_normal(BinomialCase{kTwoTo60, 0x1p-20}, kTwoTo60 >> 20, 0, 203);
  expect_nearly_normal(BinomialCase{1'000'000'000'000, 0.5}, 500'000'000'000, 0, 204);
}

TEST(Hypergeometric, IsNormalAtHugeCounts) {
  expect_nearly_normal(HypergeometricCase{kTwoTo60, kTwoTo60, kTwoTo60}, kTwoTo60 / 2, 0, 210);
  expect_nearly_normal(HypergeometricCase{kTwoTo60 / 4, kTwoTo60 / 4 * 3, kTwoTo60 / 8},
                       kTwoTo60 / 32, 0, 211);
  expect_nearly_normal(HypergeometricCase{kTwoTo60, kTwoTo60, 1'000'000'000'001}, 500'000'000'000,
                       0.5, 212);
}

// With a standard deviation of 2^29 the last ten bits are uniform (to e^-huge): they would not be
// if doubles placed the results.
TEST(Binomial, LastBitsAreUniformAtHugeCounts) {
  std::vector<std::uint64_t> counts(1024);
  for (const std::uint64_t value : draws_of(BinomialCase{kTwoTo60, 0.3}, 220))
    ++counts[value % 1024];
  EXPECT_LT(chi_square(counts, std::vector<double>(1024, 1.0 / 1024)), chi_square_bound(1023));
}

TEST(Binomial, CertaintiesAreExactAndCostNoDraw) {
  Stream stream({77, 230, Purpose::kTest});
  EXPECT_EQ(binomial(stream, 0, 0.4), 0u);
  EXPECT_EQ(binomial(stream, kTwoTo60, 0), 0u);
  EXPECT_EQ(binomial(stream, kTwoTo60, 1), kTwoTo60);
  EXPECT_EQ(hypergeometric(stream, 0, 7, 3), 0u);
  EXPECT_EQ(hypergeometric(stream, 7, 0, 3), 3u);
  EXPECT_EQ(hypergeometric(stream, 7, 9, 0), 0u);
  EXPECT_EQ(hypergeometric(stream, 7, 9, 16), 7u);
  EXPECT_EQ(stream.position(), 0u);
}

TEST(Binomial, AlmostCertaintiesEnd) {
  Stream stream({77, 231, Purpose::kTest});
  for (const double p : {5e-324, 1e-300, 1e-30, 1e-17}) EXPECT_EQ(binomial(stream, 5, p), 0u) << p;
  EXPECT_EQ(binomial(stream, 3, 1 - 0x1p-53), 3u);
  EXPECT_EQ(binomial(stream, 1, 1 - 0x1p-53), 1u);
  EXPECT_LE(binomial(stream, kTwoTo60, 1 - 0x1p-53), kTwoTo60);
  EXPECT_EQ(hypergeometric(stream, 1, kTwoTo60, 1), 0u);
  EXPECT_EQ(hypergeometric(stream, kTwoTo60, 1, kTwoTo60), kTwoTo60 - 1);
}

TEST(Binomial, RefusesWhatIsNoLaw) {
  Stream stream({77, 232, Purpose::kTest});
  EXPECT_DEATH(binomial(stream, 3, 1.5), "a probability lies in");
  EXPECT_DEATH(binomial(stream, 3, std::nan("")), "a probability lies in");
  EXPECT_DEATH(binomial(stream, kTwoTo60 + 1, 0.5), "at most 2");
  EXPECT_DEATH(hypergeometric(stream, 3, 3, 7), "no more draws than items");
  const double row[] = {1.5, -0.5};
  std::uint64_t counts[2];
  EXPECT_DEATH(multinomial(stream, 3, row, counts), "a probability is not negative");
}

// ---- Multinomial -------------------------------------------------------------------------------

std::vector<std::uint64_t> visits(Stream& stream, std::uint64_t trials,
                                  const std::vector<double>& probabilities) {
  std::vector<std::uint64_t> counts(probabilities.size(), 12345);
  multinomial(stream, trials, probabilities, counts);
  return counts;
}

TEST(Multinomial, TotalsAreExactAndImpossibleCellsEmpty) {
  const std::vector<double> row = {0, 0.1, 0, 0.65, 1e-12, 0.25 - 1e-12, 0, 0};
  Stream stream({77, 240, Purpose::kTest});
  for (const std::uint64_t trials :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{7}, std::uint64_t{1'000'003}, kTwoTo60})
    for (int i = 0; i < 2000; ++i) {
      const auto counts = visits(stream, trials, row);
      ASSERT_EQ(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}), trials);
      for (std::size_t cell = 0; cell < row.size(); ++cell)
        ASSERT_TRUE(row[cell] > 0 || counts[cell] == 0);
    }
}

TEST(Multinomial, CellsAreBinomial) {
  const std::vector<double> row = {0.2, 0, 0.5, 0.05, 0.25};
  for (const std::size_t cell : {0, 2, 3, 4}) {
    struct CellCase : BinomialCase {
      const std::vector<double>* row;
      std::size_t cell;
      std::uint64_t draw(Stream& stream) const { return visits(stream, trials, *row)[cell]; }
    };
    expect_fit(CellCase{{1000, row[cell]}, &row, cell}, 250 + static_cast<std::uint32_t>(cell));
  }
}

// The six results of two trials over cells of 0.5, 0.3, 0.2, their probabilities by hand.
TEST(Multinomial, FitsTheJointLaw) {
  Stream stream({77, 260, Purpose::kTest});
  std::vector<std::uint64_t> counts(9);
  for (std::size_t i = 0; i < kDraws; ++i) {
    const auto found = visits(stream, 2, {0.5, 0.3, 0.2});
    ++counts[found[0] * 3 + found[1]];
  }
  // (first, second): 00 01 02 10 11 12 20 21 22
  EXPECT_LT(chi_square(counts, {0.04, 0.12, 0.09, 0.2, 0.3, 0, 0.25, 0, 0}), chi_square_bound(5));
}

// 1 minus the first probability has four digits left; the two cells after it share by 3 to 7.
TEST(Multinomial, SmallLastCellsKeepTheirRatio) {
  Stream stream({77, 261, Purpose::kTest});
  std::uint64_t second = 0;
  std::uint64_t third = 0;
  for (int i = 0; i < 20; ++i) {
    const auto counts = visits(stream, kTwoTo60, {1 - 1e-12, 3e-13, 7e-13});
    second += counts[1];
    third += counts[2];
  }
  const auto both = static_cast<double>(second + third);
  const double z = (static_cast<double>(second) - 0.3 * both) / std::sqrt(0.21 * both);
  EXPECT_GT(both, 2e7);
  EXPECT_LT(std::abs(z), kNormalBound);
}

}  // namespace
}  // namespace armature
