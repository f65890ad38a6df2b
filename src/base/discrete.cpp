#include "base/discrete.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "armature/error.h"
#include "base/mathematics.h"
#include "base/saddle_point.h"

namespace armature {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

// ---- Factorials and deviances ------------------------------------------------------------------

// k! = sqrt(scale(k))·(k/e)^k·exp(factorial_error(k)). The scale is 2πk, and 1 for 0! = 1.
double scale(std::uint64_t count) {
  return count == 0 ? 1 : 2 * std::numbers::pi * static_cast<double>(count);
}

double factorial_error(std::uint64_t count) {
  static constexpr std::array<double, 16> kSmall = {
      0,
      0.0810614667953272582,
      0.0413406959554092941,
      0.0276779256849983391,
      0.0207906721037650931,
      0.0166446911898211922,
      0.013876128823070748,
      0.0118967099458917701,
      0.0104112652619720965,
      0.00925546218271273292,
      0.00833056343336287126,
      0.00757367548795184079,
      0.00694284010720952987,
      0.00640899418800420707,
      0.00595137011275884774,
      0.00555473355196280137,
  };
  return count < kSmall.size() ? kSmall[count] : stirling_error(static_cast<double>(count));
}

// ---- The laws ----------------------------------------------------------------------------------

// A mean as an integer and a rest in [0,1], so that k − mean is as good as a double can be.
struct Mean {
  std::uint64_t whole;
  double fraction;

  double value() const { return static_cast<double>(whole) + fraction; }
  double difference(std::uint64_t k) const {
    return static_cast<double>(static_cast<std::int64_t>(k - whole)) - fraction;
  }
};

// trials·probability without rounding: a probability is an integer below 2^53 over a power of 2.
Mean binomial_mean(std::uint64_t trials, double probability) {
  int exponent = 0;
  const double mantissa = std::frexp(probability, &exponent);
  const int shift = 53 - exponent;  // at least 53, as the probability is below 1
  const Wide product = Wide{trials} * static_cast<std::uint64_t>(mantissa * 0x1p53);
  if (shift > 120) return {0, static_cast<double>(trials) * probability};  // product < 2^113
  const auto whole = static_cast<std::uint64_t>(product >> shift);
  const Wide rest = product - (Wide{whole} << shift);
  return {whole, std::ldexp(static_cast<double>(rest), -shift)};
}

struct Binomial {
  Binomial(std::uint64_t trials_, double probability)
      : trials(trials_),
        odds(probability / (1 - probability)),
        mean(binomial_mean(trials, probability)),
        failures(static_cast<double>(trials) * (1 - probability)),
        variance(mean.value() * (1 - probability)) {}

  double log_pmf(std::uint64_t k) const {
    const std::uint64_t rest = trials - k;
    const double difference = mean.difference(k);
    const double errors = factorial_error(trials) - factorial_error(k) - factorial_error(rest);
    const double deviances = deviance(static_cast<double>(k), mean.value(), difference) +
                             deviance(static_cast<double>(rest), failures, -difference);
    return errors - deviances + 0.5 * portable::log(scale(trials) / (scale(k) * scale(rest)));
  }
  std::uint64_t low() const { return 0; }
  std::uint64_t high() const { return trials; }
  // f(k+1)/f(k)
  double ratio(std::uint64_t k) const {
    return static_cast<double>(trials - k) / static_cast<double>(k + 1) * odds;
  }

  std::uint64_t trials;
  double odds;
  Mean mean;
  double failures;  // their mean
  double variance;
};

Mean hypergeometric_mean(std::uint64_t marked, std::uint64_t total, std::uint64_t draws) {
  const Wide product = Wide{marked} * draws;
  const auto whole = static_cast<std::uint64_t>(product / total);
  const auto rest = static_cast<std::uint64_t>(product % total);
  return {whole, static_cast<double>(rest) / static_cast<double>(total)};
}

struct Hypergeometric {
  Hypergeometric(std::uint64_t marked_, std::uint64_t unmarked_, std::uint64_t draws_)
      : marked(marked_),
        unmarked(unmarked_),
        draws(draws_),
        total(marked + unmarked),
        mean(hypergeometric_mean(marked, total, draws)) {
    const auto all = static_cast<double>(total);
    const double left = static_cast<double>(total - draws) / all;
    variance = mean.value() * left * (static_cast<double>(unmarked) / (all - 1));
  }

  // Binomials of marked and of unmarked items drawn, over the binomial of all drawn, each with the
  // probability draws/total; the deviance of the last is 0.
  double log_pmf(std::uint64_t k) const {
    const std::uint64_t cells[4] = {k, marked - k, draws - k, unmarked + k - draws};
    const std::uint64_t margins[4] = {marked, unmarked, draws, total - draws};
    const double taken = static_cast<double>(draws) / static_cast<double>(total);
    const double left = static_cast<double>(total - draws) / static_cast<double>(total);
    const double means[4] = {mean.value(), static_cast<double>(marked) * left,
                             static_cast<double>(unmarked) * taken,
                             static_cast<double>(unmarked) * left};
    const double difference = mean.difference(k);
    const double differences[4] = {difference, -difference, -difference, difference};
    double errors = -factorial_error(total);
    double deviances = 0;
    double square = 1 / scale(total);
    for (int i = 0; i < 4; ++i) {
      errors += factorial_error(margins[i]) - factorial_error(cells[i]);
      deviances += deviance(static_cast<double>(cells[i]), means[i], differences[i]);
      square *= scale(margins[i]) / scale(cells[i]);
    }
    return errors - deviances + 0.5 * portable::log(square);
  }
  std::uint64_t low() const { return draws > unmarked ? draws - unmarked : 0; }
  std::uint64_t high() const { return std::min(draws, marked); }
  double ratio(std::uint64_t k) const {
    return static_cast<double>(marked - k) / static_cast<double>(k + 1) *
           (static_cast<double>(draws - k) / static_cast<double>(unmarked + k + 1 - draws));
  }

  std::uint64_t marked;
  std::uint64_t unmarked;
  std::uint64_t draws;
  std::uint64_t total;
  Mean mean;
  double variance;
};

// ---- The methods -------------------------------------------------------------------------------

// Takes the probabilities off a uniform, from the mean outwards, each from its neighbour. Starting
// there needs no q^n that underflows, and few steps: about 1.6 standard deviations of them.
template <class Law>
std::uint64_t invert(Stream& stream, const Law& law) {
  const std::uint64_t middle = law.mean.whole + (law.mean.fraction > 0.5 ? 1 : 0);
  const double probability = portable::exp(law.log_pmf(middle));
  for (;;) {
    double left = stream.open_uniform() - probability;
    if (left < 0) return middle;
    double above = probability;
    double below = probability;
    std::uint64_t up = middle;
    std::uint64_t down = middle;
    while (above + below > 0x1p-60) {
      above = up < law.high() ? above * law.ratio(up++) : 0;
      left -= above;
      if (left < 0) return up;
      below = down > law.low() ? below / law.ratio(--down) : 0;
      left -= below;
      if (left < 0) return down;
    }
    // What is left is rounding, some 1e-15 at most: draw again.
  }
}

// Hörmann's BTRS on blocks of integers. A double's 53 bits could not place single integers when the
// standard deviation is near 2^29: each would get its share of the grid, and of the rounding of
// reach(), up to 1e-7. Blocks are at most 32 to a standard deviation, so their edges are exact to
// 1e-13 of a block; the integer within the block comes from bits of its own.
template <class Law>
std::uint64_t reject(Stream& stream, const Law& law) {
  const RejectionHat hat(std::sqrt(law.variance), law.mean.fraction);
  const double lowest = -static_cast<double>(law.mean.whole - law.low()) - hat.block;
  const double highest = static_cast<double>(law.high() - law.mean.whole);
  for (;;) {
    // A side and a distance from that end, finest near the end, where the stretch is large.
    const std::uint64_t point = stream.next_u64();
    const double edge = (static_cast<double>(point >> 1) + 0.5) * 0x1p-64;
    const double height = (static_cast<double>(stream.next_u64() >> 1) + 0.5) * 0x1p-63;
    const std::uint64_t within = std::uint64_t{stream.next_word()} >> (32 - hat.shift);
    const double reach = hat.reach(edge);
    const double place = std::floor(hat.centre + ((point & 1) != 0 ? reach : -reach)) * hat.block;
    if (place < lowest || place > highest) continue;  // before it overflows an integer
    const auto step = static_cast<std::int64_t>(place) + static_cast<std::int64_t>(within);
    const auto k = static_cast<std::int64_t>(law.mean.whole) + step;
    if (k < static_cast<std::int64_t>(law.low()) || k > static_cast<std::int64_t>(law.high()))
      continue;
    const auto result = static_cast<std::uint64_t>(k);
    if (edge >= RejectionHat::kInnerEdge && height * hat.peak <= hat.squeeze) return result;
    const double bar = height * hat.peak / (hat.block * hat.stretch(edge));
    if (portable::log(bar) <= law.log_pmf(result)) return result;
  }
}

template <class Law>
std::uint64_t draw(Stream& stream, const Law& law) {
  constexpr double kSmallVariance = 16;
  return law.variance < kSmallVariance ? invert(stream, law) : reject(stream, law);
}

void check_binomial(std::uint64_t trials, double probability) {
  ARMATURE_CHECK(trials <= kLargestCount, "at most 2^60 trials");
  ARMATURE_CHECK(probability >= 0 && probability <= 1, "a probability lies in [0,1]");
}

void check_hypergeometric(std::uint64_t marked, std::uint64_t unmarked, std::uint64_t draws) {
  ARMATURE_CHECK(marked <= kLargestCount && unmarked <= kLargestCount, "at most 2^60 of a kind");
  ARMATURE_CHECK(draws <= marked + unmarked, "no more draws than items");
}

}  // namespace

RejectionHat::RejectionHat(double deviation, double fraction) {
  constexpr double kBlocksPerDeviation = 16;  // to twice as many
  while (deviation >= 2 * kBlocksPerDeviation * block) {
    block *= 2;
    ++shift;
  }
  const double blocks = deviation / block;
  centre = (fraction + 0.5) / block;
  // Hörmann's constants for the shape; peak and squeeze are our own, for blocks and for both laws:
  // at least 0.4% outside the extremes over a dense grid of laws.
  slope = 1.15 + 2.53 * blocks;
  tail = -0.0873 + 0.0248 * slope;
  peak = 1.145 + 1 / blocks;
  squeeze = 1.03 - 1.25 / blocks;
}

std::uint64_t binomial(Stream& stream, std::uint64_t trials, double probability) {
  check_binomial(trials, probability);
  if (trials == 0 || probability == 0) return 0;
  if (probability == 1) return trials;
  return draw(stream, Binomial(trials, probability));
}

void multinomial(Stream& stream, std::uint64_t trials, std::span<const double> probabilities,
                 std::span<std::uint64_t> counts) {
  ARMATURE_CHECK(probabilities.size() == counts.size(), "a count per cell");
  // What is left for a cell and all after it, added from the end: 1 minus what came before would
  // have no digits left for the last cells of a lopsided row. The sums wait in the counts' place.
  double sum = 0;
  for (std::size_t i = counts.size(); i-- > 0;) {
    ARMATURE_CHECK(probabilities[i] >= 0, "a probability is not negative");
    sum += probabilities[i];
    counts[i] = std::bit_cast<std::uint64_t>(sum);
  }
  ARMATURE_CHECK(trials == 0 || std::abs(sum - 1) < 1e-6, "probabilities sum to 1");
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto remaining = std::bit_cast<double>(counts[i]);
    // The last cell that can occur is its own remainder, and takes the rest.
    const double conditional = probabilities[i] > 0 ? probabilities[i] / remaining : 0;
    counts[i] = binomial(stream, trials, conditional);
    trials -= counts[i];
  }
}

std::uint64_t hypergeometric(Stream& stream, std::uint64_t marked, std::uint64_t unmarked,
                             std::uint64_t draws) {
  check_hypergeometric(marked, unmarked, draws);
  if (marked == 0 || draws == 0) return 0;
  if (unmarked == 0) return draws;
  if (draws == marked + unmarked) return marked;
  return draw(stream, Hypergeometric(marked, unmarked, draws));
}

double log_binomial_pmf(std::uint64_t trials, double probability, std::uint64_t successes) {
  check_binomial(trials, probability);
  if (successes > trials) return kImpossible;
  if (trials == 0) return 0;
  if (probability == 0) return successes == 0 ? 0 : kImpossible;
  if (probability == 1) return successes == trials ? 0 : kImpossible;
  return Binomial(trials, probability).log_pmf(successes);
}

double log_hypergeometric_pmf(std::uint64_t marked, std::uint64_t unmarked, std::uint64_t draws,
                              std::uint64_t marked_drawn) {
  check_hypergeometric(marked, unmarked, draws);
  const std::uint64_t low = draws > unmarked ? draws - unmarked : 0;
  const std::uint64_t high = std::min(draws, marked);
  if (marked_drawn < low || marked_drawn > high) return kImpossible;
  return low == high ? 0 : Hypergeometric(marked, unmarked, draws).log_pmf(marked_drawn);
}

}  // namespace armature
