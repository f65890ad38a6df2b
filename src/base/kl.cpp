#include "base/kl.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/mathematics.h"

namespace armature {

double bernoulli_kl(double p, double q) {
  double divergence = 0;
  if (p > 0) divergence += p * portable::log(p / q);
  if (p < 1) divergence += (1 - p) * portable::log((1 - p) / (1 - q));
  return divergence;
}

double kl_upper(double mean, double budget) {
  const double p = std::clamp(mean, 0.0, 1.0);
  if (p >= 1 || !(budget > 0)) return p;
  // Two upper bounds on the answer: Pinsker's, and the one from the term that explodes at 1.
  const double entropy = p > 0 ? -p * portable::log(p) - (1 - p) * portable::log(1 - p) : 0;
  const double steep = 1 - portable::exp(-(budget + entropy) / (1 - p));
  double u = std::min(p + std::sqrt(budget / 2), steep);
  if (u >= 1) return 1;  // closer to 1 than doubles can tell
  // Newton from the right of a convex increasing function: downhill all the way, then rounding.
  for (int step = 0; step < 64; ++step) {
    const double slope = (u - p) / (u * (1 - u));
    if (!(slope > 0)) break;
    const double next = u - (bernoulli_kl(p, u) - budget) / slope;
    if (!(next < u) || next <= p) break;
    u = next;
  }
  return u;
}

double kl_lower(double mean, double budget) { return 1 - kl_upper(1 - mean, budget); }

}  // namespace armature
