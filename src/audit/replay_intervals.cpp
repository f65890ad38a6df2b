#include "audit/replay_intervals.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/mathematics.h"

namespace armature {

Interval within(Interval interval, double low, double high) {
  return {std::clamp(interval.low, low, high), std::clamp(interval.high, low, high)};
}

void MartingaleMean::add(double term, double centre, double count) {
  squares_ += count * (term - centre) * (term - centre);
  sum_ += count * term;
  count_ += count;
}

double MartingaleMean::guess() const { return std::clamp((0.5 + sum_) / (1 + count_), 0.0, 1.0); }

// How far a limit lies from the mean.
double MartingaleMean::reach(double slack, double alpha) const {
  // The best λ is about sqrt(2·log(2/α)·B²/Σ(x−c)²): halves from 1/2 down to where it is if the
  // terms vary as much as they can.
  const double least = slack * std::sqrt(2 * portable::log(2 / alpha) / (count_ * variance_));
  int candidates = 1;
  for (double lambda = 0.5; lambda > least; lambda /= 2) ++candidates;
  const double toll = portable::log(2 * candidates / alpha);
  double best = std::numeric_limits<double>::infinity();
  for (double lambda = 0.5; candidates > 0; lambda /= 2, --candidates) {
    const double psi = -portable::log1p(-lambda) - lambda;
    best = std::min(best, (toll + psi * squares_ / (slack * slack)) / (lambda * count_));
  }
  return slack * best;
}

Interval MartingaleMean::interval(double level) const {
  if (count_ <= 0)
    return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  return {mean() - reach(below_, 1 - level), mean() + reach(above_, 1 - level)};
}

namespace {

// P(K ≤ k) of Poisson(1) as thresholds of a 32-bit word, to where nothing is left.
constexpr std::array<std::uint32_t, 13> poisson_thresholds() {
  constexpr double kOneOverE = 0.36787944117144233;
  std::array<std::uint32_t, 13> thresholds{};
  double term = kOneOverE, sum = 0;
  for (std::size_t k = 0; k < thresholds.size(); ++k) {
    sum += term;
    const double scaled = sum * 0x1p32;
    thresholds[k] = scaled >= 0x1p32 - 1 ? 0xFFFFFFFF : static_cast<std::uint32_t>(scaled);
    term /= static_cast<double>(k + 1);
  }
  return thresholds;
}
constexpr std::array<std::uint32_t, 13> kPoisson = poisson_thresholds();

double poisson_count(std::uint32_t word) {
  std::size_t k = 0;
  while (k < kPoisson.size() && word >= kPoisson[k]) ++k;
  return static_cast<double>(k);
}

Interval percentiles(std::vector<double> values, double level) {
  std::sort(values.begin(), values.end());
  const auto last = static_cast<double>(values.size() - 1);
  const double tail = (1 - level) / 2;
  return {values[static_cast<std::size_t>(std::floor(tail * last))],
          values[static_cast<std::size_t>(std::ceil((1 - tail) * last))]};
}

}  // namespace

PoissonBootstrap::PoissonBootstrap(std::uint32_t resamples, std::uint64_t seed)
    : stream_({seed, 0, Purpose::kReplay}), sums_(resamples) {}

void PoissonBootstrap::add(double numerator, double denominator, double reward) {
  for (Sums& sums : sums_) {
    const double times = poisson_count(stream_.next_word());
    sums.numerator += times * numerator;
    sums.denominator += times * denominator;
    sums.rewards += times * reward;
    sums.rows += times;
  }
}

namespace {
// A resample without a single row tells nothing: 0, as the mean of nothing elsewhere.
double quotient(double numerator, double denominator) {
  return denominator > 0 ? numerator / denominator : 0;
}
}  // namespace

Interval PoissonBootstrap::ratio(double level, double factor) const {
  std::vector<double> values;
  for (const Sums& sums : sums_)
    values.push_back(factor * quotient(sums.numerator, sums.denominator));
  return percentiles(std::move(values), level);
}

Interval PoissonBootstrap::difference(double level, double factor) const {
  std::vector<double> values;
  for (const Sums& sums : sums_)
    values.push_back(factor * quotient(sums.numerator, sums.denominator) -
                     quotient(sums.rewards, sums.rows));
  return percentiles(std::move(values), level);
}

}  // namespace armature
