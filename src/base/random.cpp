#include "armature/random.h"

#include <algorithm>
#include <cmath>

#include "armature/error.h"

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

void Stream::refill() {
  Philox::Block counter = counter_;
  if (within_round_) {
    ARMATURE_CHECK(blocks_ < 255, "a round has 255 sub-draws");
    counter[3] += static_cast<std::uint32_t>(blocks_);
  } else {
    counter[0] = static_cast<std::uint32_t>(blocks_);
    counter[1] = static_cast<std::uint32_t>(blocks_ >> 32);
  }
  block_ = Philox::block(counter, key_);
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
    if (s > 0 && s < 1) return x * std::sqrt(-2 * std::log(s) / s);
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
    if (std::log(u) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

}  // namespace

double log_gamma_variate(Stream& stream, double shape) {
  ARMATURE_CHECK(shape > 0 && std::isfinite(shape), "a gamma shape is positive");
  if (shape >= 1) return std::log(gamma_variate(stream, shape));
  // G(shape) = G(shape+1)·U^{1/shape}; in logs because U^{1/shape} underflows for small shapes.
  const double log_boosted = std::log(gamma_variate(stream, shape + 1));
  return log_boosted + std::log(stream.open_uniform()) / shape;
}

double beta_variate(Stream& stream, double alpha, double beta) {
  if (alpha >= 1 && beta >= 1) {
    const double x = gamma_variate(stream, alpha);
    return x / (x + gamma_variate(stream, beta));
  }
  const double log_x = log_gamma_variate(stream, alpha);
  const double log_y = log_gamma_variate(stream, beta);
  return 1 / (1 + std::exp(log_y - log_x));
}

std::vector<double> dirichlet(Stream& stream, std::uint32_t size, double concentration) {
  std::vector<double> row(size);
  for (double& value : row) value = log_gamma_variate(stream, concentration);
  const double largest = *std::max_element(row.begin(), row.end());
  double sum = 0;
  for (double& value : row) sum += value = std::exp(value - largest);
  for (double& value : row) value /= sum;
  return row;
}

std::uint64_t threshold63(double probability) {
  ARMATURE_CHECK(probability >= 0 && probability <= 1, "a probability lies in [0,1]");
  return static_cast<std::uint64_t>(probability * 0x1p63);
}

void cumulative_thresholds(std::span<const double> probabilities,
                           std::span<std::uint64_t> cumulative) {
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

std::uint32_t inverse_transform(std::span<const std::uint64_t> cumulative, std::uint64_t u) {
  // Short rows: count, without a branch on the data. Long rows: a search whose steps are
  // selections.
  constexpr std::size_t kShort = 16;
  if (cumulative.size() <= kShort) {
    std::uint32_t reached = 0;
    for (std::size_t k = 0; k + 1 < cumulative.size(); ++k) reached += u >= cumulative[k] ? 1 : 0;
    return reached;
  }
  const std::uint64_t* base = cumulative.data();
  std::size_t size = cumulative.size();
  while (size > 1) {
    const std::size_t half = size / 2;
    base = u >= base[half - 1] ? base + half : base;
    size -= half;
  }
  return static_cast<std::uint32_t>(base - cumulative.data());
}

// The lanes are integer arithmetic without dependence between rounds: the compiler turns them into
// vector code for the machine at hand, with the same bits on each.
__attribute__((target_clones("avx512f", "avx2", "default"))) void outcome_draws(
    const StreamKey& key, Round first, std::span<std::uint64_t> context_draws,
    std::span<std::uint64_t> reward_draws) {
  constexpr std::size_t kLanes = 16;
  ARMATURE_CHECK(context_draws.size() == reward_draws.size(), "two draws a round");
  ARMATURE_CHECK(context_draws.size() % kLanes == 0, "whole groups of lanes");
  const Philox::Key start = philox_key(key.seed);
  const Philox::Block tail = philox_counter(key, 0, 0);
  for (std::size_t group = 0; group < context_draws.size(); group += kLanes) {
    // 32-bit words in 64-bit lanes: the multiplication is then one instruction and needs no
    // shuffle.
    std::uint64_t c0[kLanes], c1[kLanes], c2[kLanes], c3[kLanes];
    for (std::size_t i = 0; i < kLanes; ++i) {
      const Round round = first + group + i;
      c0[i] = round & 0xFFFFFFFF;
      c1[i] = round >> 32;
      c2[i] = tail[2];
      c3[i] = tail[3];
    }
    std::uint32_t key0 = start[0];
    std::uint32_t key1 = start[1];
    for (int step = 0; step < 10; ++step) {
      for (std::size_t i = 0; i < kLanes; ++i) {
        const std::uint64_t product0 = 0xD2511F53u * (c0[i] & 0xFFFFFFFF);
        const std::uint64_t product1 = 0xCD9E8D57u * (c2[i] & 0xFFFFFFFF);
        c0[i] = (product1 >> 32) ^ c1[i] ^ key0;
        c1[i] = product1 & 0xFFFFFFFF;
        c2[i] = (product0 >> 32) ^ c3[i] ^ key1;
        c3[i] = product0 & 0xFFFFFFFF;
      }
      key0 += 0x9E3779B9;
      key1 += 0xBB67AE85;
    }
    for (std::size_t i = 0; i < kLanes; ++i) {
      context_draws[group + i] = (c0[i] | c1[i] << 32) >> 1;
      reward_draws[group + i] = (c2[i] | c3[i] << 32) >> 1;
    }
  }
}

}  // namespace armature
