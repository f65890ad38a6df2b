// Draws from many Beta laws at once, several in each vector register.
//
// A Beta(α,β) variate is X/(X+Y) for independent Gamma variates of shapes α and β. Marsaglia and
// Tsang (2000) make these of normals: X = d·(1+z)³ with d = α − 1/3 and z = x/√(9d), kept with
// probability exp(3d·h(z)), h(z) = log(1+z) − z + z²/2 − z³/3, and nothing where 1+z ≤ 0. Here both
// are kept or thrown away together, which is rejection in the plane: two normals and one uniform U
// decide, log U < 3d·h(z) + 3e·h(w), with e and w for β. They are one Philox block:
//
//   words 0, 1   52 bits: the normals' radius; 12 bits: the first ones of U
//   words 2, 3   52 bits: their angle in its octant; 9 bits: the next ones of U; 3 bits: the octant
//
// As h(z) ≥ −z⁴/4 for z ≥ 0 and h(z) ≥ −z⁴/(4(1+z)) below (Taylor), the pair is kept for sure where
//   ¾(d·z⁴/min(1,1+z) + e·w⁴/min(1,1+w)) ≤ 1 − U:
// the 21 bits of U settle nearly all laws, but for α and β below 10, where up to one in ten is
// left.
//
// The layout: laws are drawn in groups of 64, and a group goes over its laws pass by pass. In a
// pass every law without a draw takes a block of the stream for its pair; then every law that the
// 21 bits did not settle takes another one, for 52 further bits of U (the highest of words 0 and
// 1). The next pass is for those whose pair was thrown away. All in the order of laws, all whole
// blocks.
//
// The law is exact to the resolution of these bits: normals come from 2^52 radii (to 8.57 standard
// deviations, beyond which is 1e-16) and 2^55 angles, U has 73 bits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "armature/random.h"

namespace armature {

class BetaDraws {
 public:
  /// That many uniform laws, Beta(1,1).
  explicit BetaDraws(std::uint32_t size);

  std::uint32_t size() const { return size_; }
  /// Shapes are at least 1.
  void set_alpha(std::uint32_t law, double alpha) { alpha_.set(law, alpha); }
  void set_beta(std::uint32_t law, double beta) { beta_.set(law, beta); }

  /// One draw of each law, all independent.
  void draw(Stream& stream, std::span<double> draws) const;

 private:
  // What Marsaglia and Tsang make of a shape.
  struct Gammas {
    std::vector<double> scale;   // d
    std::vector<double> spread;  // 1/√(9d)
    void set(std::uint32_t law, double shape);
  };

  std::uint32_t size_;
  Gammas alpha_;  // with laws beyond the last, so that vectors are full
  Gammas beta_;
};

}  // namespace armature
