#include "theory/moss_tail.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "base/mathematics.h"

namespace armature {
namespace {

// Beyond kFar the closed form of docs/warden.md, Lemma 2: tail ≤ e^(-2y²) + 1.84·y^(-2q).
constexpr double kFar = 1e5;
constexpr double kClosed = 1.84;
const double kPower = 2 * (12 * std::numbers::sqrt2 - 16);  // 2q

double closed_tail(double y) {
  return portable::exp(-2 * y * y) + kClosed * portable::pow(y, -kPower);
}

// Its integral from y on.
double closed_excess(double y) {
  return portable::exp(-2 * y * y) / (4 * y) +
         kClosed * portable::pow(y, 1 - kPower) / (kPower - 1);
}

// u·y + sqrt(u·log(1/u)/2): the path that is to be passed, after u·B plays, in units of √B.
double path(double u, double y) { return u * y + std::sqrt(u * -portable::log(u) / 2); }

// P(the path is passed at some u in [v/2, v]): it is concave, so its chord c is below it, and a
// line is passed with probability at most exp(-2·min c(u)²/u).
double block_tail(double v, double y) {
  const double low = path(v / 2, y), high = path(v, y);
  const double slope = (high - low) / (v / 2);
  const double start = low - slope * v / 2;
  if (2 * slope * v <= high) return portable::exp(-2 * high * high / v);
  if (slope * v >= low) return portable::exp(-4 * low * low / v);
  return portable::exp(-8 * start * slope);
}

// Blocks [v/2, v], v = 1, ½, ¼, …; those left out sum to no more than Σ v^q, below 1e-22.
double summed_tail(double y) {
  constexpr int kBlocks = 80;
  double sum = portable::exp(-2 * y * y);  // n ≥ B
  double v = 1;
  for (int k = 0; k < kBlocks; ++k, v /= 2) sum += block_tail(v, y);
  return std::min(1.0, sum);
}

// The tail never rises, so a step function with its values at the left ends is above it. Steps are
// 0.4% of 1 + y.
struct Step {
  double from;
  double tail;
  double excess;  // integral of the steps from here on, and of the closed form beyond kFar
};

std::vector<Step> make_steps() {
  constexpr double kGrowth = 1.004;
  std::vector<Step> steps;
  for (double edge = 1; edge < 1 + kFar; edge *= kGrowth)
    steps.push_back({edge - 1, std::max(summed_tail(edge - 1), closed_tail(kFar)), 0});
  double end = kFar;
  double excess = closed_excess(kFar);
  for (std::size_t k = steps.size(); k-- > 0; end = steps[k].from)
    steps[k].excess = excess += (end - steps[k].from) * steps[k].tail;
  return steps;
}

const std::vector<Step>& steps() {
  static const std::vector<Step> made = make_steps();
  return made;
}

// The step that y < kFar lies in.
const Step& step_at(double y) {
  const auto after = std::upper_bound(steps().begin(), steps().end(), y,
                                      [](double at, const Step& step) { return at < step.from; });
  return *std::prev(after);
}

}  // namespace

double moss_tail(double y) { return y < kFar ? step_at(y).tail : closed_tail(y); }

double moss_excess(double y) {
  if (y >= kFar) return closed_excess(y);
  const Step& step = step_at(y);
  return step.excess - (y - step.from) * step.tail;
}

}  // namespace armature
