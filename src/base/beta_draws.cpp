#include "base/beta_draws.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "armature/error.h"
#include "base/normal_pair.h"
#include "base/vector_clones.h"

namespace armature {
namespace {

constexpr std::size_t kGroup = 64;  // the bits of a word: a set of laws is one
constexpr std::size_t kLanes = 8;   // counts are rounded up to whole vectors
constexpr double kFirstBits = 0x1p21;

// The bit of each law, from memory: not every vector unit shifts its lanes by different amounts.
constexpr auto kBits = [] {
  std::array<std::uint64_t, kGroup> bits{};
  for (std::size_t i = 0; i < kGroup; ++i) bits[i] = std::uint64_t{1} << i;
  return bits;
}();

// The set without what is beyond its laws.
std::uint64_t among(std::size_t laws, std::uint64_t set) {
  return laws == 0 ? 0 : set & ~std::uint64_t{0} >> (kGroup - laws);
}

std::size_t whole_lanes(std::size_t count) { return (count + kLanes - 1) / kLanes * kLanes; }

// Laws that are drawn together, and where each stands: one array per quantity.
struct Group {
  std::uint64_t front[kGroup], back[kGroup];  // a block for each
  double d[kGroup], d_spread[kGroup];
  double e[kGroup], e_spread[kGroup];
  double z[kGroup], w[kGroup];
  double u[kGroup];  // the first bits of U, a whole number
  double candidate[kGroup];
};

// The next three functions go straight on, without a branch, so that the compiler puts one law into
// each lane. Counts are whole vectors.

// Pairs from blocks, and what the first bits of U say of them. Returns the set they leave open.
ARMATURE_VECTOR_CLONES std::uint64_t attempt(Group& group, const double* d, const double* d_spread,
                                             const double* e, const double* e_spread,
                                             std::size_t laws) {
  std::uint64_t open = 0;
  ARMATURE_VECTOR_LOOP
  for (std::size_t i = 0; i < laws; ++i) {
    const std::uint64_t front = group.front[i];
    const std::uint64_t back = group.back[i];
    const NormalPair normals = normal_pair(front, back);
    const double z = d_spread[i] * normals.first;
    const double w = e_spread[i] * normals.second;
    const double x = d[i] * ((1 + z) * (1 + z) * (1 + z));
    const double y = e[i] * ((1 + w) * (1 + w) * (1 + w));
    const double candidate = x / (x + y);
    const std::uint64_t bits = (front & 0xFFF) << 9 | (back >> kOctantBits & 0x1FF);
    const double u = std::bit_cast<double>(bits | 0x4330000000000000) - 0x1p52;
    // The bound, multiplied by both of its denominators; a bit more than 3/4, for rounding.
    const double below_z = 1 + z < 1 ? 1 + z : 1.0;
    const double below_w = 1 + w < 1 ? 1 + w : 1.0;
    const double cost =
        0.7500001 * (d[i] * ((z * z) * (z * z)) * below_w + e[i] * ((w * w) * (w * w)) * below_z);
    const double margin = (1 - (u + 1) / kFirstBits) * (below_z * below_w) - cost;
    const double least = below_z < below_w ? below_z : below_w;
    group.z[i] = z;
    group.w[i] = w;
    group.u[i] = u;
    group.candidate[i] = candidate;
    open |= (margin < least ? margin : least) > 0 ? 0 : kBits[i];
  }
  return open;
}

// log(1+z) − z + z²/2 − z³/3 = −z⁴·(1/4 − z/5 + z²/6 − …).
inline double log_kept(double z) {
  const double far = log_of_positive(1 + z) - z * (1 - z * (1.0 / 2 - z / 3));
  const double series =
      1.0 / 4 -
      z * (1.0 / 5 -
           z * (1.0 / 6 -
                z * (1.0 / 7 -
                     z * (1.0 / 8 -
                          z * (1.0 / 9 -
                               z * (1.0 / 10 -
                                    z * (1.0 / 11 -
                                         z * (1.0 / 12 - z * (1.0 / 13 - z * (1.0 / 14))))))))));
  return std::abs(z) < 0.03125 ? -((z * z) * (z * z)) * series : far;
}

// With all bits of U. Returns the set whose pairs are thrown away.
ARMATURE_VECTOR_CLONES std::uint64_t decide(Group& group, std::size_t laws) {
  std::uint64_t thrown = 0;
  ARMATURE_VECTOR_LOOP
  for (std::size_t i = 0; i < laws; ++i) {
    const double u = (group.u[i] + middle_of_cell(group.front[i])) / kFirstBits;
    const double z = group.z[i];
    const double w = group.w[i];
    const double level = 3 * (group.d[i] * log_kept(z) + group.e[i] * log_kept(w));
    const double margin = level - log_of_positive(u);
    const double least = 1 + (z < w ? z : w);
    thrown |= (margin < least ? margin : least) > 0 ? 0 : kBits[i];
  }
  return thrown;
}

}  // namespace

BetaDraws::BetaDraws(std::uint32_t size) : size_(size) {
  constexpr double kNarrow = 1e9;  // a shape that the first bits settle
  for (Gammas* shapes : {&alpha_, &beta_}) {
    shapes->scale.resize(whole_lanes(size));
    shapes->spread.resize(whole_lanes(size));
    for (std::uint32_t law = 0; law < shapes->scale.size(); ++law)
      shapes->set(law, law < size ? 1 : kNarrow);
  }
}

void BetaDraws::Gammas::set(std::uint32_t law, double shape) {
  ARMATURE_CHECK(shape >= 1 && std::isfinite(shape), "a shape of a Beta law is at least 1 here");
  scale[law] = shape - 1.0 / 3;
  spread[law] = 1 / std::sqrt(9 * scale[law]);
}

void BetaDraws::draw(Stream& stream, std::span<double> draws) const {
  ARMATURE_CHECK(draws.size() == size(), "one draw per law");
  Group group;
  const auto take = [&](std::size_t count) {
    stream.blocks(stream.take_blocks(count), std::span(group.front).first(whole_lanes(count)),
                  std::span(group.back).first(whole_lanes(count)));
  };
  std::uint32_t number[kGroup];  // of the laws without a draw
  for (std::size_t first = 0; first < size(); first += kGroup) {
    std::size_t laws = std::min(kGroup, size() - first);
    take(laws);
    std::uint64_t open = among(
        laws, attempt(group, alpha_.scale.data() + first, alpha_.spread.data() + first,
                      beta_.scale.data() + first, beta_.spread.data() + first, whole_lanes(laws)));
    std::copy_n(group.candidate, laws, draws.begin() + static_cast<std::ptrdiff_t>(first));
    if (open == 0) continue;
    for (std::size_t i = 0; i < laws; ++i) number[i] = static_cast<std::uint32_t>(first + i);
    // The laws of a set move to the front, all others have their draws. Lanes beyond them are
    // filled.
    const auto go_on_with = [&](std::uint64_t set) {
      laws = 0;
      for (; set != 0; set &= set - 1, ++laws) {
        const auto i = static_cast<std::size_t>(std::countr_zero(set));
        const std::uint32_t law = number[laws] = number[i];
        group.d[laws] = alpha_.scale[law];
        group.d_spread[laws] = alpha_.spread[law];
        group.e[laws] = beta_.scale[law];
        group.e_spread[laws] = beta_.spread[law];
        group.z[laws] = group.z[i];
        group.w[laws] = group.w[i];
        group.u[laws] = group.u[i];
        group.candidate[laws] = group.candidate[i];
      }
      for (std::size_t i = laws; i < whole_lanes(laws); ++i)
        group.d[i] = group.d_spread[i] = group.e[i] = group.e_spread[i] = 0;
      if (laws > 0) take(laws);
    };
    while (open != 0) {
      go_on_with(open);
      go_on_with(among(laws, decide(group, whole_lanes(laws))));
      open = among(laws, attempt(group, group.d, group.d_spread, group.e, group.e_spread,
                                 whole_lanes(laws)));
      for (std::size_t i = 0; i < laws; ++i) draws[number[i]] = group.candidate[i];
    }
  }
}

}  // namespace armature
