#include "base/beta_draws.h"

#include <algorithm>
#include <cmath>

#include "armature/error.h"
#include "base/normal_pair.h"
#include "base/vector_clones.h"

namespace armature {
namespace {

constexpr std::size_t kGroup = 64;
constexpr std::size_t kLanes = 8;  // counts are rounded up to whole vectors
constexpr double kFirstBits = 0x1p21;
constexpr double kNone = -1;  // no draw is

std::size_t whole_lanes(std::size_t count) { return (count + kLanes - 1) / kLanes * kLanes; }

// Laws that are drawn together, and where each stands: one array per quantity.
struct Group {
  std::uint64_t front[kGroup], back[kGroup];  // a block for each
  double d[kGroup], d_spread[kGroup];
  double e[kGroup], e_spread[kGroup];
  double z[kGroup], w[kGroup];
  double u[kGroup];  // the first bits of U, a whole number
  double candidate[kGroup];
  double draw[kGroup];  // kNone where the pair is not kept, or not yet
};

// The next three functions go straight on, without a branch, so that the compiler puts one law into
// each lane. Counts are whole vectors.

// Pairs from blocks, and what the first bits of U say of them. Returns how many they leave open.
ARMATURE_VECTOR_CLONES std::uint64_t attempt(Group& group, const double* d, const double* d_spread,
                                             const double* e, const double* e_spread,
                                             std::size_t laws) {
  std::uint64_t open = 0;
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
    const bool sure = (margin < least ? margin : least) > 0;
    group.z[i] = z;
    group.w[i] = w;
    group.u[i] = u;
    group.candidate[i] = candidate;
    group.draw[i] = sure ? candidate : kNone;
    open += sure ? 0 : 1;
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

// With all bits of U.
ARMATURE_VECTOR_CLONES void decide(Group& group, std::size_t laws) {
  for (std::size_t i = 0; i < laws; ++i) {
    const double u = (group.u[i] + middle_of_cell(group.front[i])) / kFirstBits;
    const double z = group.z[i];
    const double w = group.w[i];
    const double level = 3 * (group.d[i] * log_kept(z) + group.e[i] * log_kept(w));
    const double least = z < w ? z : w;
    const double kept = log_of_positive(u) < level ? group.candidate[i] : kNone;
    group.draw[i] = least > -1 ? kept : kNone;
  }
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
    const std::uint64_t open =
        attempt(group, alpha_.scale.data() + first, alpha_.spread.data() + first,
                beta_.scale.data() + first, beta_.spread.data() + first, whole_lanes(laws));
    std::copy_n(group.draw, laws, draws.begin() + static_cast<std::ptrdiff_t>(first));
    if (open == 0) continue;
    for (std::size_t i = 0; i < laws; ++i) number[i] = static_cast<std::uint32_t>(first + i);
    const auto keep_open = [&] {
      std::size_t left = 0;
      for (std::size_t i = 0; i < laws; ++i) {
        draws[number[i]] = group.draw[i];
        if (group.draw[i] != kNone) continue;
        number[left] = number[i];
        group.z[left] = group.z[i];
        group.w[left] = group.w[i];
        group.u[left] = group.u[i];
        group.candidate[left] = group.candidate[i];
        ++left;
      }
      laws = left;
      for (std::size_t i = 0; i < laws; ++i) {
        group.d[i] = alpha_.scale[number[i]];
        group.d_spread[i] = alpha_.spread[number[i]];
        group.e[i] = beta_.scale[number[i]];
        group.e_spread[i] = beta_.spread[number[i]];
      }
    };
    for (;;) {
      keep_open();
      if (laws == 0) break;
      take(laws);
      decide(group, whole_lanes(laws));
      keep_open();
      if (laws == 0) break;
      take(laws);
      attempt(group, group.d, group.d_spread, group.e, group.e_spread, whole_lanes(laws));
    }
  }
}

}  // namespace armature
