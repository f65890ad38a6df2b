// All randomness of armature: Philox4x32-10, a counter-based generator (Salmon et al. 2011). A draw
// is a pure function of (seed, counter), so streams need no jumping ahead, no locks, and give the
// same bytes for any number of threads.
//
// The counter's layout is fixed for ever:
//   word 0, 1   round (64 bits, low word first)
//   word 2      replication (32 bits)
//   word 3      purpose (24 bits) << 8 | sub-draw (8 bits)
// and the key is the 64-bit seed, low word first.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace armature {

using Round = std::uint64_t;  // rounds count from 1; horizons reach 10^15 and beyond

struct Philox {
  using Block = std::array<std::uint32_t, 4>;
  using Key = std::array<std::uint32_t, 2>;

  static constexpr Block block(Block counter, Key key) {
    for (int i = 0; i < 10; ++i) {
      const std::uint64_t product0 = std::uint64_t{0xD2511F53} * counter[0];
      const std::uint64_t product1 = std::uint64_t{0xCD9E8D57} * counter[2];
      counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
                 static_cast<std::uint32_t>(product1),
                 static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
                 static_cast<std::uint32_t>(product0)};
      key[0] += 0x9E3779B9;
      key[1] += 0xBB67AE85;
    }
    return counter;
  }
};

/// What a stream is for. Two streams of different purpose never share a draw. Numbers are part of
/// every stored result: never renumber.
enum class Purpose : std::uint32_t {
  kOutcome = 1,       // the environment's draw of a round
  kPolicy = 2,        // a policy's private randomness
  kInstance = 3,      // drawing an instance of a random family
  kPerturbation = 4,  // disturbing given marginals
  kFeedback = 5,      // delay and loss of outcomes
  kTest = 6,          // tests and benchmarks
  kLeap = 7,          // the leap engine's draws of many rounds at once
  kEstimate = 8,      // probabilities found by trying
  kFloor = 9,         // a floor's own luck, apart from its base policy's
  kReplay = 20,       // which rows of a log a replay keeps, and its bootstrap
};

struct StreamKey {
  std::uint64_t seed = 0;
  std::uint32_t replication = 0;
  Purpose purpose = Purpose::kTest;
};

Philox::Key philox_key(std::uint64_t seed);
Philox::Block philox_counter(const StreamKey& key, Round round, std::uint32_t sub_draw);

/// A sequence of random words. Either long (the round field counts blocks) or within one round (the
/// sub-draw field counts blocks, at most 255 of them after the round's own block).
class Stream {
 public:
  explicit Stream(const StreamKey& key);
  static Stream within_round(const StreamKey& key, Round round);
  /// The same seed and replication, but another purpose: luck of this round that is nobody else's.
  Stream aside(Purpose purpose, Round round) const;

  std::uint32_t next_word() {
    if (used_ == 4) refill();
    return block_[used_++];
  }
  std::uint64_t next_u64() {
    const std::uint64_t low = next_word();
    return low | std::uint64_t{next_word()} << 32;
  }
  /// Uniform on [0,1), 53 bits.
  double uniform() { return static_cast<double>(next_u64() >> 11) * 0x1p-53; }
  /// Uniform on (0,1): the middles of 2^53 cells, safe to take the logarithm of.
  double open_uniform() { return (static_cast<double>(next_u64() >> 11) + 0.5) * 0x1p-53; }

  /// The next `count` whole blocks, for whoever looks at them with `blocks`; what is left of the
  /// block at hand is dropped. Returns the number of the first.
  std::uint64_t take_blocks(std::uint64_t count);
  /// The blocks numbered first, first+1, …: words (0,1) of each in `front`, words (2,3) in `back`,
  /// low word first. Many counters at a time; takes nothing from the stream.
  void blocks(std::uint64_t first, std::span<std::uint64_t> front,
              std::span<std::uint64_t> back) const;

  /// Words taken so far. seek(position()) is the identity; saving a stream is saving its position.
  std::uint64_t position() const { return blocks_ * 4 - (4 - used_); }
  void seek(std::uint64_t position);

 private:
  Stream(const StreamKey& key, Round round, std::uint32_t first_sub_draw, bool within_round);
  Philox::Block counter_of(std::uint64_t block) const;
  void refill();
  friend void normals(Stream& stream, std::span<double> out);

  Philox::Key key_;
  Philox::Block counter_;
  Philox::Block block_{};
  std::uint64_t blocks_ = 0;  // blocks taken so far
  std::uint32_t used_ = 4;    // words used of the current block
  bool within_round_;
};

/// Exact samplers on a stream.
std::uint32_t uniform_index(Stream& stream, std::uint32_t count);  // unbiased, 0..count-1
bool bernoulli(Stream& stream, double probability);                // by integer threshold
double normal(Stream& stream);
void normals(Stream& stream, std::span<double> out);     // normal() one after another, sooner
double log_gamma_variate(Stream& stream, double shape);  // the logarithm of a Gamma(shape, 1)
double beta_variate(Stream& stream, double alpha, double beta);
/// A symmetric Dirichlet draw, normalised in the log domain: fine for concentrations far below 1.
std::vector<double> dirichlet(Stream& stream, std::uint32_t size, double concentration);

/// Probabilities as integers: an event of probability p happens iff a uniform 63-bit integer is
/// below threshold63(p). Exact to 2^-63; 0 never happens and 1 always does.
inline constexpr std::uint64_t kTwoTo63 = std::uint64_t{1} << 63;
std::uint64_t threshold63(double probability);

/// The inverse transform on integers: cumulative[k] is the threshold of {0..k}, so the outcome of a
/// uniform 63-bit u is the number of thresholds it has reached. Zero-probability outcomes never
/// occur, whatever the rounding of the sums.
void cumulative_thresholds(std::span<const double> probabilities,
                           std::span<std::uint64_t> cumulative);
inline std::uint32_t inverse_transform(std::span<const std::uint64_t> cumulative, std::uint64_t u) {
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

/// The two uniform 63-bit integers of each round first, first+1, …: words (0,1) and (2,3) of the
/// round's block. Many counters at a time.
void outcome_draws(const StreamKey& key, Round first, std::span<std::uint64_t> context_draws,
                   std::span<std::uint64_t> reward_draws);

/// The blocks of counters that agree with `counter` in words 2 and 3 and have first, first+1, … in
/// words 0 and 1.
void philox_blocks(const Philox::Block& counter, const Philox::Key& key, std::uint64_t first,
                   std::span<std::uint64_t> front, std::span<std::uint64_t> back);

}  // namespace armature
