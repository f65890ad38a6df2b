// Draws of Beta laws in the layout of base/beta_draws.h, written as in its story: one law after the
// other, with the C library's functions. The last bits differ; what is drawn from does not.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

#include "armature/random.h"

namespace armature::test {

struct Shapes {
  double alpha = 1;
  double beta = 1;
};

class SlowBetaLaw {
 public:
  explicit SlowBetaLaw(Shapes shapes) : d_(shapes.alpha - 1.0 / 3), e_(shapes.beta - 1.0 / 3) {}

  bool settled() const { return settled_; }
  double draw() const { return x_ / (x_ + y_); }

  /// Two normals, and whether the first bits of U keep them for sure.
  void take_pair(Stream& stream) {
    const std::uint64_t front = stream.next_u64();
    const std::uint64_t back = stream.next_u64();
    const double radius = std::sqrt(-2 * std::log(uniform(front)));
    const double angle = std::numbers::pi / 4 * uniform(back);
    double first = std::cos(angle);
    double second = std::sin(angle);
    if (back & 1) std::swap(first, second);
    z_ = radius * (back & 2 ? -first : first) / std::sqrt(9 * d_);
    w_ = radius * (back & 4 ? -second : second) / std::sqrt(9 * e_);
    x_ = d_ * std::pow(1 + z_, 3);
    y_ = e_ * std::pow(1 + w_, 3);
    u_ = static_cast<double>((front % 4096) * 512 + back / 8 % 512);
    const double thrown = 0.7500001 * (d_ * std::pow(z_, 4) / std::min(1.0, 1 + z_) +
                                       e_ * std::pow(w_, 4) / std::min(1.0, 1 + w_));
    settled_ = z_ > -1 && w_ > -1 && thrown < 1 - (u_ + 1) * 0x1p-21;
  }
  /// The further bits of U.
  void decide(Stream& stream) {
    const long double u = (u_ + uniform(stream.next_u64())) * 0x1p-21;
    stream.next_u64();
    settled_ = z_ > -1 && w_ > -1 && std::log(u) < log_kept(d_, z_) + log_kept(e_, w_);
  }

 private:
  static double uniform(std::uint64_t bits) {
    return (static_cast<double>(bits / 4096) + 0.5) * 0x1p-52;
  }
  // Marsaglia and Tsang: ½x² + d − dv + d·log v, where v = (1+z)³ and ½x² = 4.5·dz². For narrow
  // laws that would be rounding alone, even of long doubles: there by its first terms.
  static long double log_kept(long double d, long double z) {
    if (std::abs(z) < 1e-3L) return -d * z * z * z * z * (0.75L - 0.6L * z + 0.5L * z * z);
    const long double v = (1 + z) * (1 + z) * (1 + z);
    return 4.5L * d * z * z + d - d * v + d * std::log(v);
  }

  double d_, e_;
  double z_ = 0, w_ = 0;
  double x_ = 0, y_ = 0;
  double u_ = 0;
  bool settled_ = false;
};

inline std::vector<double> slow_beta_draws(Stream& stream, const std::vector<Shapes>& shapes) {
  while (stream.position() % 4 != 0) stream.next_word();
  std::vector<double> draws;
  for (std::size_t first = 0; first < shapes.size(); first += 64) {
    std::vector<SlowBetaLaw> group;
    for (std::size_t i = first; i < shapes.size() && i < first + 64; ++i)
      group.emplace_back(shapes[i]);
    for (bool done = false; !done;) {
      std::vector<SlowBetaLaw*> taking;
      for (SlowBetaLaw& law : group)
        if (!law.settled()) taking.push_back(&law);
      for (SlowBetaLaw* law : taking) law->take_pair(stream);
      for (SlowBetaLaw* law : taking)
        if (!law->settled()) law->decide(stream);
      done = std::all_of(group.begin(), group.end(), [](const auto& law) { return law.settled(); });
    }
    for (const SlowBetaLaw& law : group) draws.push_back(law.draw());
  }
  return draws;
}

}  // namespace armature::test
