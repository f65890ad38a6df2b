#include "base/beta_draws.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/beta.h"
#include "base/mathematics.h"
#include "base/normal_pair.h"
#include "support/slow_beta_draws.h"
#include "support/statistics.h"

namespace armature {
namespace {

using test::Shapes;

BetaDraws laws_of(const std::vector<Shapes>& shapes) {
  BetaDraws laws(static_cast<std::uint32_t>(shapes.size()));
  for (std::uint32_t i = 0; i < laws.size(); ++i) {
    laws.set_alpha(i, shapes[i].alpha);
    laws.set_beta(i, shapes[i].beta);
  }
  return laws;
}

// ---- Pairs of normals --------------------------------------------------------------------------

TEST(NormalPair, LogarithmIsRightToAUnitOfTheLastPlace) {
  Stream stream({5, 0, Purpose::kTest});
  const auto expect_log = [](double x) {
    const double exact = portable::log(x);
    EXPECT_NEAR(log_of_positive(x), exact, std::abs(exact) * 0x1p-52) << x;
  };
  for (int i = 0; i < 100'000; ++i) {
    expect_log(middle_of_cell(stream.next_u64()));
    expect_log(std::ldexp(stream.open_uniform(), static_cast<int>(uniform_index(stream, 80)) - 60));
    expect_log(1 - 1e-6 * stream.open_uniform());
  }
  expect_log(middle_of_cell(0));
  expect_log(middle_of_cell(~std::uint64_t{0}));
  EXPECT_EQ(log_of_positive(1), 0);
}

TEST(NormalPair, HasTheRadiusAndTheAngleOfItsBits) {
  Stream stream({6, 0, Purpose::kTest});
  int octants[8] = {};
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t front = stream.next_u64();
    const std::uint64_t back = stream.next_u64();
    const NormalPair pair = normal_pair(front, back);
    const double square = -2 * std::log(middle_of_cell(front));
    ASSERT_NEAR(pair.first * pair.first + pair.second * pair.second, square, 1e-14 * square);
    const double angle = std::atan2(pair.second, pair.first);  // in (−π, π)
    const double eighths = angle / (std::numbers::pi / 4);
    ++octants[static_cast<int>(eighths + 8) % 8];
    const double least = std::min(std::abs(pair.first), std::abs(pair.second));
    const double most = std::max(std::abs(pair.first), std::abs(pair.second));
    ASSERT_NEAR(std::atan2(least, most), std::numbers::pi / 4 * middle_of_cell(back), 1e-15);
    EXPECT_EQ(std::abs(pair.first) < std::abs(pair.second), (back & 1) != 0);
    EXPECT_EQ(pair.first < 0, (back & 2) != 0);
    EXPECT_EQ(pair.second < 0, (back & 4) != 0);
  }
  for (const int count : octants)
    EXPECT_NEAR(count, 12'500, test::kNormalBound * std::sqrt(100'000 / 8.0));
}

TEST(NormalPair, BothAreNormalAndIndependent) {
  Stream stream({7, 0, Purpose::kTest});
  const auto normal_cdf = [](double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); };
  std::vector<double> first, second, turned;
  for (int i = 0; i < 400'000; ++i) {
    const std::uint64_t front = stream.next_u64();
    const NormalPair pair = normal_pair(front, stream.next_u64());
    first.push_back(pair.first);
    second.push_back(pair.second);
    turned.push_back((pair.first + pair.second) / std::numbers::sqrt2);
  }
  for (const auto* sample : {&first, &second, &turned})
    EXPECT_LT(test::ks_distance(*sample, normal_cdf), test::ks_bound(sample->size()));
}

// ---- Draws -------------------------------------------------------------------------------------

TEST(BetaDraws, AreThoseOfTheLayoutOneByOne) {
  const std::vector<Shapes> kinds{{1, 1},   {1, 2},       {2, 1},     {3, 40},
                                  {40, 3},  {1, 1e6},     {5e5, 5e5}, {12, 12},
                                  {1, 300}, {1e12, 3e11}, {1e12, 17}, {1.5, 2.25}};
  for (const std::size_t count : {1, 5, 8, 20, 63, 64, 65, 130, 1000}) {
    std::vector<Shapes> shapes;
    for (std::size_t i = 0; i < count; ++i) shapes.push_back(kinds[i * 7 % kinds.size()]);
    const BetaDraws laws = laws_of(shapes);
    Stream stream({8, static_cast<std::uint32_t>(count), Purpose::kTest});
    std::vector<double> draws(count);
    for (int round = 0; round < 200; ++round) {
      if (round % 3 == 1) stream.next_word();  // a block begun is left
      Stream same = stream;
      laws.draw(stream, draws);
      const std::vector<double> slow = test::slow_beta_draws(same, shapes);
      for (std::size_t i = 0; i < count; ++i)
        ASSERT_NEAR(draws[i], slow[i], 1e-13 * slow[i]) << i << " of " << count;
      ASSERT_EQ(stream.position(), same.position());
    }
  }
}

TEST(BetaDraws, AreTheSameBitsInEveryLane) {
  const std::vector<Shapes> shapes(64, {2000, 5000});  // settled by their blocks
  Stream stream({9, 0, Purpose::kTest});
  Stream alone = stream;
  std::vector<double> draws(64);
  laws_of(shapes).draw(stream, draws);
  const BetaDraws one = laws_of({shapes[0]});
  for (const double draw : draws) {
    double again = 0;
    one.draw(alone, {&again, 1});
    EXPECT_EQ(draw, again);
  }
  EXPECT_EQ(stream.position(), alone.position());
}

TEST(BetaDraws, WithinARoundTakeItsBlocks) {
  const BetaDraws laws = laws_of(std::vector<Shapes>(20, {2, 3}));
  Stream stream = Stream::within_round({9, 0, Purpose::kTest}, 4);
  Stream same = stream;
  std::vector<double> draws(20);
  laws.draw(stream, draws);
  const auto slow = test::slow_beta_draws(same, std::vector<Shapes>(20, {2, 3}));
  for (std::size_t i = 0; i < 20; ++i) EXPECT_NEAR(draws[i], slow[i], 1e-13);
}

TEST(BetaDraws, FollowTheirLaws) {
  const std::vector<Shapes> shapes{{1, 1},  {1, 2},   {2, 1},     {3, 3},     {2, 30},
                                   {40, 3}, {1, 500}, {500, 500}, {1e5, 3e5}, {3e8, 1e8}};
  const BetaDraws laws = laws_of(shapes);
  Stream stream({10, 0, Purpose::kTest});
  std::vector<std::vector<double>> samples(shapes.size());
  std::vector<double> draws(shapes.size());
  for (int i = 0; i < 20'000; ++i) {
    laws.draw(stream, draws);
    for (std::size_t law = 0; law < shapes.size(); ++law) samples[law].push_back(draws[law]);
  }
  for (std::size_t law = 0; law < shapes.size(); ++law) {
    const auto [alpha, beta] = shapes[law];
    EXPECT_LT(
        test::ks_distance(samples[law], [=](double x) { return 1 - beta_tail(alpha, beta, x); }),
        test::ks_bound(samples[law].size()))
        << alpha << ", " << beta;
  }
}

TEST(BetaDraws, RefuseShapesBelowOne) {
  BetaDraws laws(2);
  EXPECT_DEATH(laws.set_alpha(0, 0.5), "at least 1");
  EXPECT_DEATH(laws.set_beta(1, std::nan("")), "at least 1");
}

}  // namespace
}  // namespace armature
