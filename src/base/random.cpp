#include "armature/random.h"

#include <algorithm>
#include <cmath>

#include "armature/error.h"
#include "base/mathematics.h"

namespace armature {

Philox::Key philox_key(std::uint64_t seed) {
  return {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
}

Philox::Block philox_counter(const StreamKey& key, Round round, std::uint32_t sub_draw) {
  return {static_cast<std::uint32_t>(round), static_cast<std::uint32_t>(round >> 32),
          key.replication, static_cast<std::uint32_t>(key.purpose) << 8 | sub_draw};
}

Stream::Stream(const StreamKey& key, Round round, std::uint32_t first_sub_draw, bool within_round)
    : key_(philox_key(key.seed)),
      counter_(philox_counter(key, round, first_sub_draw)),
      within_round_(within_round) {}

Stream::Stream(const StreamKey& key) : Stream(key, 0, 0, false) {}

Stream Stream::within_round(const StreamKey& key, Round round) { return {key, round, 1, true}; }

Stream Stream::aside(Purpose purpose, Round round) const {
  const StreamKey key{std::uint64_t{key_[0]} | std::uint64_t{key_[1]} << 32, counter_[2], purpose};
  return within_round(key, round);
}

Philox::Block Stream::counter_of(std::uint64_t block) const {
  Philox::Block counter = counter_;
  if (within_round_) {
    ARMATURE_CHECK(block < 255, "a round has 255 sub-draws");
    counter[3] += static_cast<std::uint32_t>(block);
  } else {
    counter[0] = static_cast<std::uint32_t>(block);
    counter[1] = static_cast<std::uint32_t>(block >> 32);
  }
  return counter;
}

std::uint64_t Stream::take_blocks(std::uint64_t count) {
  const std::uint64_t first = blocks_;
  blocks_ += count;
  used_ = 4;
  return first;
}

void Stream::blocks(std::uint64_t first, std::span<std::uint64_t> front,
                    std::span<std::uint64_t> back) const {
  if (!within_round_) return philox_blocks(counter_, key_, first, front, back);
  for (std::size_t i = 0; i < front.size(); ++i) {
    const Philox::Block block = Philox::block(counter_of(first + i), key_);
    front[i] = block[0] | std::uint64_t{block[1]} << 32;
    back[i] = block[2] | std::uint64_t{block[3]} << 32;
  }
}

void Stream::refill() {
  block_ = Philox::block(counter_of(blocks_), key_);
  ++blocks_;
  used_ = 0;
}

void Stream::seek(std::uint64_t position) {
  blocks_ = position / 4;
  used_ = 4;
  const auto words = static_cast<std::uint32_t>(position % 4);
  if (words == 0) return;
  refill();
  used_ = words;
}

std::uint32_t uniform_index(Stream& stream, std::uint32_t count) {
  ARMATURE_CHECK(count > 0, "an index needs something to point at");
  // Lemire's multiplication, rejecting the words that would make some index likelier.
  const std::uint32_t unfair = (0u - count) % count;
  for (;;) {
    const std::uint64_t product = std::uint64_t{stream.next_word()} * count;
    if (static_cast<std::uint32_t>(product) >= unfair)
      return static_cast<std::uint32_t>(product >> 32);
  }
}

bool bernoulli(Stream& stream, double probability) {
  return stream.next_u64() >> 1 < threshold63(probability);
}

double normal(Stream& stream) {
  // Marsaglia's polar method. The second value of the pair is dropped: a stream's draw must not
  // depend on what was drawn before it.
  for (;;) {
    const double x = 2 * stream.uniform() - 1;
    const double y = 2 * stream.uniform() - 1;
    const double s = x * x + y * y;
    if (s > 0 && s < 1) return x * std::sqrt(-2 * portable::log(s) / s);
  }
}

namespace {

// Marsaglia and Tsang (2000), for shape ≥ 1.
double gamma_variate(Stream& stream, double shape) {
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = normal(stream);
    const double root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    const double u = stream.open_uniform();
    if (u < 1 - 0.0331 * (x * x) * (x * x))
      return d * v;  // implies the test below, without logarithms
    if (portable::log(u) < 0.5 * x * x + d - d * v + d * portable::log(v)) return d * v;
  }
}

}  // namespace

double log_gamma_variate(Stream& stream, double shape) {
  ARMATURE_CHECK(shape > 0 && std::isfinite(shape), "a gamma shape is positive");
  if (shape >= 1) return portable::log(gamma_variate(stream, shape));
  // G(shape) = G(shape+1)·U^{1/shape}; in logs because U^{1/shape} underflows for small shapes.
  const double log_boosted = portable::log(gamma_variate(stream, shape + 1));
  return log_boosted + portable::log(stream.open_uniform()) / shape;
}

double beta_variate(Stream& stream, double alpha, double beta) {
  ARMATURE_CHECK(std::isfinite(alpha) && std::isfinite(beta), "beta shapes are positive numbers");
  if (alpha >= 1 && beta >= 1) {
    const double x = gamma_variate(stream, alpha);
    return x / (x + gamma_variate(stream, beta));
  }
  const double log_x = log_gamma_variate(stream, alpha);
  const double log_y = log_gamma_variate(stream, beta);
  return 1 / (1 + portable::exp(log_y - log_x));
}

std::vector<double> dirichlet(Stream& stream, std::uint32_t size, double concentration) {
  ARMATURE_CHECK(size > 0, "a Dirichlet draw has at least one part");
  std::vector<double> row(size);
  for (double& value : row) value = log_gamma_variate(stream, concentration);
  const double largest = *std::max_element(row.begin(), row.end());
  double sum = 0;
  for (double& value : row) sum += value = portable::exp(value - largest);
  for (double& value : row) value /= sum;
  return row;
}

std::uint64_t threshold63(double probability) {
  ARMATURE_CHECK(probability >= 0 && probability <= 1, "a probability lies in [0,1]");
  return static_cast<std::uint64_t>(probability * 0x1p63);
}

void cumulative_thresholds(std::span<const double> probabilities,
                           std::span<std::uint64_t> cumulative) {
  ARMATURE_CHECK(!probabilities.empty() && probabilities.size() == cumulative.size(),
                 "one threshold per probability");
  double sum = 0;
  std::size_t last_positive = 0;
  for (std::size_t k = 0; k < probabilities.size(); ++k) {
    sum += probabilities[k];
    cumulative[k] = threshold63(std::min(1.0, sum));
    if (probabilities[k] > 0) last_positive = k;
  }
  // What rounding left over belongs to the last outcome that can occur.
  for (std::size_t k = last_positive; k < cumulative.size(); ++k) cumulative[k] = kTwoTo63;
}

}  // namespace armature
