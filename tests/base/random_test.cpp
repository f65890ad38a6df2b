#include "armature/random.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "support/statistics.h"

namespace armature {
namespace {

using test::chi_square;
using test::chi_square_bound;
using test::kNormalBound;
using test::ks_bound;
using test::ks_distance;

constexpr StreamKey kKey{20240607, 3, Purpose::kTest};

// ---- Philox ------------------------------------------------------------------------------------

// The known answers of Random123's kat_vectors for philox4x32 with 10 rounds.
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(Philox::block({0, 0, 0, 0}, {0, 0}),
            (Philox::Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(Philox::block({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
            (Philox::Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(
      Philox::block({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
      (Philox::Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, CounterAndKeyLayout) {
  EXPECT_EQ(philox_key(0x1122334455667788), (Philox::Key{0x55667788, 0x11223344}));
  const StreamKey key{1, 0xABCDEF01, Purpose::kInstance};
  EXPECT_EQ(philox_counter(key, 0x0102030405060708, 0x2A),
            (Philox::Block{0x05060708, 0x01020304, 0xABCDEF01, 3u << 8 | 0x2A}));
}

// The numbers are in every stored result.
TEST(Philox, PurposesKeepTheirNumbers) {
  EXPECT_EQ(static_cast<int>(Purpose::kOutcome), 1);
  EXPECT_EQ(static_cast<int>(Purpose::kPolicy), 2);
  EXPECT_EQ(static_cast<int>(Purpose::kInstance), 3);
  EXPECT_EQ(static_cast<int>(Purpose::kPerturbation), 4);
  EXPECT_EQ(static_cast<int>(Purpose::kFeedback), 5);
  EXPECT_EQ(static_cast<int>(Purpose::kTest), 6);
}

// ---- Stream ------------------------------------------------------------------------------------

TEST(Stream, WordsAreTheBlocksInOrder) {
  Stream stream(kKey);
  for (Round block = 0; block < 3; ++block) {
    const auto expected = Philox::block(philox_counter(kKey, block, 0), philox_key(kKey.seed));
    for (const std::uint32_t word : expected) EXPECT_EQ(stream.next_word(), word);
  }
}

TEST(Stream, U64TakesTheLowWordFirst) {
  Stream words(kKey);
  Stream stream(kKey);
  const std::uint64_t low = words.next_word();
  const std::uint64_t high = words.next_word();
  EXPECT_EQ(stream.next_u64(), low | high << 32);
}

// Sub-draw 0 is the round's own block (the environment's); a stream within the round starts after
// it.
TEST(Stream, WithinRoundCountsSubDrawsFromOne) {
  const Round round = (Round{1} << 32) + 5;
  Stream stream = Stream::within_round(kKey, round);
  for (std::uint32_t sub_draw = 1; sub_draw <= 3; ++sub_draw) {
    const auto expected =
        Philox::block(philox_counter(kKey, round, sub_draw), philox_key(kKey.seed));
    for (const std::uint32_t word : expected) EXPECT_EQ(stream.next_word(), word);
  }
}

TEST(Stream, WithinRoundHas255Blocks) {
  Stream stream = Stream::within_round(kKey, 9);
  for (int word = 0; word < 4 * 255; ++word) stream.next_word();
  EXPECT_EQ(stream.position(), 4u * 255);
  stream.seek(stream.position());  // nothing more is drawn to stand at the end
  EXPECT_DEATH(stream.next_word(), "a round has 255 sub-draws");
}

TEST(Stream, PositionCountsWords) {
  Stream stream(kKey);
  for (std::uint64_t word = 0; word < 10; ++word) {
    EXPECT_EQ(stream.position(), word);
    stream.next_word();
  }
}

TEST(Stream, SeekFindsEveryPosition) {
  std::vector<std::uint32_t> words;
  Stream stream(kKey);
  for (int i = 0; i < 16; ++i) words.push_back(stream.next_word());
  for (std::uint64_t position = 0; position < 16; ++position) {
    stream.seek(position);
    EXPECT_EQ(stream.position(), position);
    EXPECT_EQ(stream.next_word(), words[position]) << "at " << position;
  }
}

TEST(Stream, SeekToOwnPositionChangesNothing) {
  EXPECT_TRUE(rc::check("seek(position()) is the identity", [] {
    Stream stream(kKey);
    const auto taken = *rc::gen::inRange<std::uint64_t>(0, 50);
    for (std::uint64_t i = 0; i < taken; ++i) stream.next_word();
    Stream copy = stream;
    copy.seek(copy.position());
    for (int i = 0; i < 9; ++i) RC_ASSERT(copy.next_word() == stream.next_word());
  }));
}

// Position 4·2^32 is block 2^32: the count has carried into the counter's second word.
TEST(Stream, SeekBeyond32BitsOfBlocks) {
  Stream stream(kKey);
  stream.seek(std::uint64_t{4} << 32);
  const auto expected =
      Philox::block(philox_counter(kKey, Round{1} << 32, 0), philox_key(kKey.seed));
  EXPECT_EQ(stream.next_word(), expected[0]);
}

TEST(Stream, UniformsStayInside) {
  Stream stream(kKey);
  for (int i = 0; i < 10000; ++i) {
    const double half_open = stream.uniform();
    EXPECT_GE(half_open, 0);
    EXPECT_LT(half_open, 1);
    const double open = stream.open_uniform();
    EXPECT_GT(open, 0);
    EXPECT_LT(open, 1);
  }
}

// ---- outcome_draws -----------------------------------------------------------------------------

TEST(OutcomeDraws, EqualPhiloxLaneByLane) {
  const StreamKey key{0xFEDCBA9876543210, 0x80000001, Purpose::kOutcome};
  // Whole groups of lanes, and lengths that are none. The second start crosses from 32 to 33 bits.
  for (const std::size_t length : {1, 13, 48, 77})
    for (const Round first : {Round{1}, (Round{1} << 32) - 7, Round{1} << 52}) {
      std::vector<std::uint64_t> contexts(length);
      std::vector<std::uint64_t> rewards(length);
      outcome_draws(key, first, contexts, rewards);
      for (std::size_t i = 0; i < length; ++i) {
        const auto block = Philox::block(philox_counter(key, first + i, 0), philox_key(key.seed));
        EXPECT_EQ(contexts[i], (block[0] | std::uint64_t{block[1]} << 32) >> 1) << first + i;
        EXPECT_EQ(rewards[i], (block[2] | std::uint64_t{block[3]} << 32) >> 1) << first + i;
      }
    }
}

TEST(StreamBlocks, AreTheWordsOfTheStream) {
  for (Stream stream : {Stream(kKey), Stream::within_round(kKey, 9)})
    for (const std::size_t length : {1, 8, 31, 77}) {
      stream.next_word();
      Stream same = stream;
      std::vector<std::uint64_t> front(length);
      std::vector<std::uint64_t> back(length);
      stream.blocks(stream.take_blocks(length), front, back);
      while (same.position() % 4 != 0) same.next_word();  // what is left of the block is dropped
      for (std::size_t i = 0; i < length; ++i) {
        EXPECT_EQ(front[i], same.next_u64());
        EXPECT_EQ(back[i], same.next_u64());
      }
      EXPECT_EQ(stream.position(), same.position());
      EXPECT_EQ(stream.next_word(), same.next_word());
    }
}

TEST(OutcomeDraws, NoRoundsIsFine) { outcome_draws(kKey, 1, {}, {}); }

// ---- Samplers ----------------------------------------------------------------------------------

// Exact outputs, recorded once. A change here changes every stored result.
TEST(Samplers, OutputsAreStable) {
  Stream stream({42, 7, Purpose::kTest});
  EXPECT_EQ(stream.next_u64(), 0xd3faa3ea7d11283bu);
  EXPECT_EQ(stream.uniform(), 0x1.d27c30dbbe058p-3);
  EXPECT_EQ(stream.open_uniform(), 0x1.15702d88b742ap-1);
  EXPECT_EQ(uniform_index(stream, 1000), 777u);
  EXPECT_EQ(bernoulli(stream, 0.5), false);
  EXPECT_EQ(normal(stream), 0x1.10fe8ad248364p-3);
  EXPECT_EQ(log_gamma_variate(stream, 0.01), -0x1.739d54ef0aeap+5);
  EXPECT_EQ(log_gamma_variate(stream, 1), 0x1.3cd468ddde844p-2);
  EXPECT_EQ(log_gamma_variate(stream, 2.5), -0x1.40790a8dbcfcep-2);
  EXPECT_EQ(beta_variate(stream, 0.5, 0.25), 0x1.662b7816f2c72p-6);
  EXPECT_EQ(beta_variate(stream, 2, 3), 0x1.eec3136a01961p-3);
  EXPECT_EQ(
      dirichlet(stream, 3, 0.5),
      (std::vector<double>{0x1.9203eed8cf1f2p-3, 0x1.21e8fdd74bf79p-3, 0x1.5304c4d3f93a6p-1}));
  EXPECT_EQ(stream.position(), 101u);
}

constexpr std::size_t kSample = 20000;

template <class Draw>
std::vector<double> sample(std::uint32_t replication, const Draw& draw) {
  Stream stream({2024, replication, Purpose::kTest});
  std::vector<double> values(kSample);
  for (double& value : values) value = draw(stream);
  return values;
}

// The distribution function of Gamma(shape, 1) at exp(log_x), by its series
// x^a e^-x / Γ(a+1) · Σ_n x^n / ((a+1)…(a+n)).
double gamma_cdf(double shape, double log_x) {
  const double x = std::exp(log_x);
  double term = 1;
  double sum = 1;
  for (int n = 1; n < 1000 && term > 1e-16 * sum; ++n) sum += term *= x / (shape + n);
  return std::exp(shape * log_x - x - std::lgamma(shape + 1)) * sum;
}

TEST(Samplers, UniformFits) {
  const auto identity = [](double x) { return x; };
  EXPECT_LT(ks_distance(sample(1, [](Stream& s) { return s.uniform(); }), identity),
            ks_bound(kSample));
  EXPECT_LT(ks_distance(sample(2, [](Stream& s) { return s.open_uniform(); }), identity),
            ks_bound(kSample));
}

TEST(Samplers, UniformIndexFits) {
  for (const std::uint32_t count : {2u, 7u, 100u}) {
    Stream stream({2024, 10 + count, Purpose::kTest});
    std::vector<std::uint64_t> counts(count);
    for (std::size_t i = 0; i < 5 * kSample; ++i) ++counts.at(uniform_index(stream, count));
    EXPECT_LT(chi_square(counts, std::vector<double>(count, 1.0 / count)),
              chi_square_bound(count - 1))
        << count;
  }
}

// 3·2^30 indices from 2^32 words: without rejection every third index would come twice as often,
// and residue 0 would have probability 1/2.
TEST(Samplers, UniformIndexRejectsTheUnfairWords) {
  Stream stream({2024, 4, Purpose::kTest});
  std::vector<std::uint64_t> residues(3);
  for (std::size_t i = 0; i < kSample; ++i) ++residues[uniform_index(stream, 3u << 30) % 3];
  EXPECT_LT(chi_square(residues, {1.0 / 3, 1.0 / 3, 1.0 / 3}), chi_square_bound(2));
}

TEST(Samplers, UniformIndexOfOneIsZero) {
  Stream stream(kKey);
  EXPECT_EQ(uniform_index(stream, 1), 0u);
  EXPECT_DEATH(uniform_index(stream, 0), "an index needs something to point at");
}

TEST(Samplers, BernoulliFits) {
  for (const double p : {0.001, 0.3, 0.5, 0.99}) {
    Stream stream({2024, 5, Purpose::kTest});
    double successes = 0;
    for (std::size_t i = 0; i < kSample; ++i) successes += bernoulli(stream, p) ? 1 : 0;
    const double deviation = std::sqrt(kSample * p * (1 - p));
    EXPECT_LT(std::abs(successes - kSample * p), kNormalBound * deviation) << p;
  }
}

TEST(Samplers, BernoulliIsCertainAtTheEnds) {
  Stream stream(kKey);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(bernoulli(stream, 0));
    EXPECT_TRUE(bernoulli(stream, 1));
  }
}

TEST(Samplers, NormalFits) {
  const auto cdf = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
  EXPECT_LT(ks_distance(sample(6, [](Stream& s) { return normal(s); }), cdf), ks_bound(kSample));
}

// The second moment sees what the distribution function sees late: wrong tails.
TEST(Samplers, NormalHasVarianceOne) {
  double squares = 0;
  for (const double x : sample(7, [](Stream& s) { return normal(s); })) squares += x * x;
  // Var(X²) = 2.
  EXPECT_LT(std::abs(squares - kSample), kNormalBound * std::sqrt(2.0 * kSample));
}

TEST(Samplers, LogGammaFits) {
  std::uint32_t replication = 20;
  for (const double shape : {0.01, 0.3, 0.999, 1.0, 1.5, 2.0, 10.0}) {
    const auto values =
        sample(replication++, [&](Stream& s) { return log_gamma_variate(s, shape); });
    EXPECT_LT(ks_distance(values, [&](double log_x) { return gamma_cdf(shape, log_x); }),
              ks_bound(kSample))
        << shape;
  }
}

// Gamma(0.001) is below the smallest double half of the time: its logarithm must not be -inf.
TEST(Samplers, LogGammaIsFiniteForTinyShapes) {
  for (const double value : sample(30, [](Stream& s) { return log_gamma_variate(s, 1e-3); }))
    ASSERT_TRUE(std::isfinite(value));
}

TEST(Samplers, LogGammaRefusesShapesThatAreNone) {
  Stream stream(kKey);
  EXPECT_DEATH(log_gamma_variate(stream, 0), "a gamma shape is positive");
}

// Distribution functions of Beta(α, β) that can be written down.
struct BetaCase {
  double alpha;
  double beta;
  double (*cdf)(double);
};

TEST(Samplers, BetaFits) {
  const BetaCase cases[] = {
      {1, 1, [](double x) { return x; }},
      {2, 1, [](double x) { return x * x; }},
      {1, 3, [](double x) { return 1 - std::pow(1 - x, 3); }},
      {2, 3, [](double x) { return x * x * (6 - 8 * x + 3 * x * x); }},  // ∫ 12t(1−t)²
      {0.5, 0.5, [](double x) { return 2 / M_PI * std::asin(std::sqrt(x)); }},
      {0.5, 1, [](double x) { return std::sqrt(x); }},
      {0.01, 1, [](double x) { return std::pow(x, 0.01); }},
      {0.25, 2, [](double x) { return std::pow(x, 0.25) * (5 - x) / 4; }},  // c∫ t^(−3/4)(1−t)
      {3, 1, [](double x) { return x * x * x; }},
  };
  std::uint32_t replication = 40;
  for (const BetaCase& c : cases) {
    const auto values =
        sample(replication++, [&](Stream& s) { return beta_variate(s, c.alpha, c.beta); });
    EXPECT_LT(ks_distance(values, c.cdf), ks_bound(kSample)) << c.alpha << ", " << c.beta;
  }
}

// The distribution function of Beta(a, a) near 0 is x^a / (a·B(a,a)), to a relative a·x/(a+1).
double symmetric_beta_head(double a, double x) {
  return std::exp(a * std::log(x) - std::log(a) - 2 * std::lgamma(a) + std::lgamma(2 * a));
}

// Beta(0.01, 0.01): nearly all mass within 1e-3 of the ends, much of it below 1e-100.
TEST(Samplers, BetaFitsWithBothShapesTiny) {
  const double ends[] = {1e-200, 1e-100, 1e-10, 1e-3};
  std::vector<double> probabilities;
  double below = 0;
  for (const double end : ends) {
    probabilities.push_back(symmetric_beta_head(0.01, end) - below);
    below += probabilities.back();
  }
  probabilities.push_back(1 - 2 * below);  // the middle
  probabilities.push_back(below);          // above 1 − 1e-3, by symmetry
  std::vector<std::uint64_t> counts(6);
  for (const double value : sample(50, [](Stream& s) { return beta_variate(s, 0.01, 0.01); })) {
    std::size_t bin = 0;
    while (bin < 4 && value >= ends[bin]) ++bin;
    if (value >= 1 - 1e-3) bin = 5;
    ++counts[bin];
  }
  EXPECT_LT(chi_square(counts, probabilities), chi_square_bound(5));
}

TEST(Samplers, BetaStaysInTheUnitInterval) {
  for (const double shape : {1e-3, 0.01, 0.5, 1.0, 3.0, 1e6})
    for (const double value : sample(51, [&](Stream& s) { return beta_variate(s, shape, 0.01); })) {
      ASSERT_GE(value, 0);
      ASSERT_LE(value, 1);
    }
}

// A component of a symmetric Dirichlet(c) of size n is Beta(c, (n−1)c).
TEST(Samplers, DirichletFits) {
  const auto component = [](std::uint32_t replication, std::uint32_t size, double concentration,
                            std::uint32_t which) {
    return sample(replication, [=](Stream& s) { return dirichlet(s, size, concentration)[which]; });
  };
  const auto beta_1_2 = [](double x) { return 1 - (1 - x) * (1 - x); };
  const auto beta_half_1 = [](double x) { return std::sqrt(x); };
  for (std::uint32_t which = 0; which < 3; ++which) {
    EXPECT_LT(ks_distance(component(60 + which, 3, 1, which), beta_1_2), ks_bound(kSample));
    EXPECT_LT(ks_distance(component(63 + which, 3, 0.5, which), beta_half_1), ks_bound(kSample));
  }
}

TEST(Samplers, DirichletIsADistributionAtTinyConcentrations) {
  Stream stream({2024, 70, Purpose::kTest});
  for (int i = 0; i < 1000; ++i) {
    const auto row = dirichlet(stream, 5, 1e-3);
    for (const double p : row) ASSERT_TRUE(p >= 0 && p <= 1);
    ASSERT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1, 1e-12);
  }
}

TEST(Samplers, DirichletOfOneIsCertain) {
  Stream stream(kKey);
  EXPECT_EQ(dirichlet(stream, 1, 0.7), std::vector<double>{1});
}

// ---- Integer thresholds ------------------------------------------------------------------------

TEST(Threshold63, Ends) {
  EXPECT_EQ(threshold63(0), 0u);
  EXPECT_EQ(threshold63(1), kTwoTo63);
  EXPECT_EQ(threshold63(0.5), kTwoTo63 / 2);
  EXPECT_EQ(threshold63(0x1p-63), 1u);
  EXPECT_EQ(threshold63(1e-300), 0u);  // far below the resolution
  // The largest double below 1 is 1 − 2^-53: 2^63 − 2^10.
  EXPECT_EQ(threshold63(std::nextafter(1.0, 0.0)), kTwoTo63 - 1024);
}

TEST(Threshold63, RefusesWhatIsNoProbability) {
  EXPECT_DEATH(threshold63(-1e-9), "a probability lies in");
  EXPECT_DEATH(threshold63(1.5), "a probability lies in");
  EXPECT_DEATH(threshold63(std::nan("")), "a probability lies in");
}

std::vector<std::uint64_t> thresholds(const std::vector<double>& probabilities) {
  std::vector<std::uint64_t> cumulative(probabilities.size());
  cumulative_thresholds(probabilities, cumulative);
  return cumulative;
}

TEST(CumulativeThresholds, ByHand) {
  EXPECT_EQ(thresholds({0.25, 0.5, 0.25}),
            (std::vector<std::uint64_t>{kTwoTo63 / 4, kTwoTo63 / 4 * 3, kTwoTo63}));
  EXPECT_EQ(thresholds({0, 1, 0}), (std::vector<std::uint64_t>{0, kTwoTo63, kTwoTo63}));
}

// Ten times 0.1 sums to 1 − 2^-53 in doubles. What is missing goes to the last outcome that can
// occur, not to the impossible one after it.
TEST(CumulativeThresholds, RoundingGoesToTheLastPossibleOutcome) {
  std::vector<double> row(10, 0.1);
  ASSERT_LT(std::accumulate(row.begin(), row.end(), 0.0), 1);
  row.push_back(0);
  EXPECT_EQ(inverse_transform(thresholds(row), kTwoTo63 - 1), 9u);
}

TEST(CumulativeThresholds, SumsSlightlyAboveOneAreCut) {
  const auto cumulative = thresholds({0.5 + 5e-10, 0.5, 0});
  EXPECT_EQ(cumulative[1], kTwoTo63);
  EXPECT_EQ(inverse_transform(cumulative, kTwoTo63 - 1), 1u);
}

TEST(InverseTransform, ChangesExactlyAtTheThresholds) {
  const auto cumulative = thresholds({0.25, 0.5, 0.25});
  EXPECT_EQ(inverse_transform(cumulative, 0), 0u);
  EXPECT_EQ(inverse_transform(cumulative, kTwoTo63 / 4 - 1), 0u);
  EXPECT_EQ(inverse_transform(cumulative, kTwoTo63 / 4), 1u);
  EXPECT_EQ(inverse_transform(cumulative, kTwoTo63 / 4 * 3 - 1), 1u);
  EXPECT_EQ(inverse_transform(cumulative, kTwoTo63 / 4 * 3), 2u);
  EXPECT_EQ(inverse_transform(cumulative, kTwoTo63 - 1), 2u);
}

TEST(InverseTransform, OneOutcome) {
  EXPECT_EQ(inverse_transform(thresholds({1}), 0), 0u);
  EXPECT_EQ(inverse_transform(thresholds({1}), kTwoTo63 - 1), 0u);
}

// Rows of up to 16 outcomes and longer ones take different paths; both must count the thresholds
// reached. Only the thresholds and their neighbours can tell, so those are tried.
TEST(InverseTransform, CountsThresholdsReached) {
  EXPECT_TRUE(rc::check("inverse_transform is the count", [] {
    const auto size = *rc::gen::inRange<std::size_t>(1, 70);
    auto weights = *rc::gen::container<std::vector<int>>(
        size, rc::gen::elementOf(std::vector<int>{0, 0, 1, 2, 3}));
    weights[*rc::gen::inRange<std::size_t>(0, size)] = 1;  // something must be possible
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    std::vector<double> row;
    for (const int weight : weights) row.push_back(weight / total);
    const auto cumulative = thresholds(row);
    for (const std::uint64_t threshold : cumulative)
      for (const std::uint64_t u : {threshold - 1, threshold, threshold + 1}) {
        if (u >= kTwoTo63) continue;
        std::uint32_t reached = 0;
        for (const std::uint64_t t : cumulative) reached += u >= t ? 1 : 0;
        RC_ASSERT(inverse_transform(cumulative, u) == reached);
        RC_ASSERT(weights[reached] > 0);
      }
  }));
}

void expect_fit(const std::vector<double>& row, std::uint32_t replication) {
  const auto cumulative = thresholds(row);
  Stream stream({2024, replication, Purpose::kTest});
  std::vector<std::uint64_t> counts(row.size());
  for (std::size_t i = 0; i < 2 * kSample; ++i)
    ++counts.at(inverse_transform(cumulative, stream.next_u64() >> 1));
  const auto possible = static_cast<double>(row.size()) - std::count(row.begin(), row.end(), 0.0);
  // chi_square is infinite if an impossible outcome occurred.
  EXPECT_LT(chi_square(counts, row), chi_square_bound(possible - 1));
}

TEST(InverseTransform, FitsShortRows) {
  expect_fit({0.1, 0.2, 0.3, 0.4}, 80);
  expect_fit({0, 0.1, 0, 0.65, 0.25, 0}, 81);
}

TEST(InverseTransform, FitsLongRows) {
  std::vector<double> row(40);
  for (std::size_t k = 0; k < row.size(); ++k)
    row[k] = static_cast<double>(k + 1) / 820;  // Σ = 820
  expect_fit(row, 82);
  // Impossible outcomes at the start, in the middle and at the end.
  std::vector<double> gaps(40, 1.0 / 34);
  for (const std::size_t k : {0, 1, 19, 20, 38, 39}) gaps[k] = 0;
  expect_fit(gaps, 83);
}

// 16 and 17 outcomes are the two sides of the border between the paths.
TEST(InverseTransform, FitsAtTheBorder) {
  expect_fit(std::vector<double>(16, 1.0 / 16), 84);
  expect_fit(std::vector<double>(17, 1.0 / 17), 85);
}

// --- Mistakes of callers

TEST(Samplers, RefuseWhatHasNoLaw) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  Stream stream({1, 0, Purpose::kTest});
  EXPECT_DEATH(uniform_index(stream, 0), "an index needs something to point at");
  for (const double probability : {-0.1, 1.1, kNone})
    EXPECT_DEATH(bernoulli(stream, probability), "a probability lies in");
  for (const double shape : {0.0, -1.0, kInfinity, kNone}) {
    EXPECT_DEATH(log_gamma_variate(stream, shape), "a gamma shape is positive");
    EXPECT_DEATH(beta_variate(stream, shape, 2), "positive");
    EXPECT_DEATH(beta_variate(stream, 2, shape), "positive");
    EXPECT_DEATH(dirichlet(stream, 2, shape), "positive");
  }
  EXPECT_DEATH(dirichlet(stream, 0, 1), "at least one part");
}

TEST(Thresholds, AsManyAsProbabilities) {
  const std::vector<double> probabilities{0.5, 0.5};
  std::vector<std::uint64_t> thresholds(1);
  EXPECT_DEATH(cumulative_thresholds(probabilities, thresholds), "one threshold per probability");
  EXPECT_DEATH(cumulative_thresholds({}, {}), "one threshold per probability");
}

TEST(Stream, ARoundHasSoManyDraws) {
  Stream stream = Stream::within_round({1, 0, Purpose::kTest}, 1);
  stream.seek(255 * 4);
  EXPECT_DEATH(stream.next_word(), "255 sub-draws");
}

// Many at a time are the same numbers, and leave the stream where one by one does, wherever it was.
TEST(Normals, AreNormalsOneByOne) {
  const StreamKey key{77, 5, Purpose::kTest};
  for (const std::size_t count : {0, 1, 2, 5, 10, 50, 64, 333})
    for (const std::uint64_t start : {0, 4, 5, 7, 400}) {
      Stream many(key), single(key);
      many.seek(start);
      single.seek(start);
      std::vector<double> found(count);
      normals(many, found);
      for (const double value : found) ASSERT_EQ(value, normal(single)) << count << " " << start;
      EXPECT_EQ(many.position(), single.position());
      EXPECT_EQ(many.next_word(), single.next_word());
    }
  Stream many = Stream::within_round(key, 9), single = Stream::within_round(key, 9);
  std::vector<double> found(20);
  normals(many, found);
  for (const double value : found) EXPECT_EQ(value, normal(single));
}

}  // namespace
}  // namespace armature
