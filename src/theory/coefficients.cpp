#include "theory/coefficients.h"

#include <algorithm>
#include <cmath>

#include "base/mathematics.h"

namespace armature {

double union_log(double count, double horizon, double delta) {
  return portable::log(2 * count * horizon / delta);
}

double floored_log2(double horizon) { return std::max(1.0, portable::log2(horizon)); }

double ucb_coefficient(double actions, double horizon, double delta) {
  return std::sqrt(8 * actions * union_log(actions, horizon, delta));
}

double causal_ucb_coefficient(double contexts, double horizon, double delta) {
  return std::sqrt(union_log(contexts, horizon, delta)) *
         (std::sqrt(8 * contexts) + std::sqrt(4 * portable::log(horizon / delta)));
}

double sharp_causal_ucb_coefficient(double contexts, double horizon, double delta) {
  return std::sqrt(union_log(contexts, horizon, delta)) *
         (std::sqrt(8 * contexts) + std::sqrt(portable::log(horizon / delta)));
}

double shortfall_coefficient(double contexts, double horizon, double delta) {
  constexpr double kRate = 1.5936;  // (1 - e^-λ)/λ ≥ ½: half of what is expected, less ℓ, is seen
  const double missing = portable::log(contexts / delta) / kRate;
  return 3 * std::sqrt(3.0) * (1 + 2 * missing / union_log(contexts, horizon, delta));
}

double design_support(double dimension) {
  const double log_log = dimension > 2 ? portable::log(portable::log(dimension)) : 0;
  return 4 * dimension * std::max(0.0, log_log) + 16;
}

double elimination_log(const EliminationSetting& setting) {
  return portable::log(2 * setting.actions * floored_log2(setting.horizon) / setting.delta);
}

double elimination_coefficient(const EliminationSetting& setting) {
  const double nominal = design_support(setting.dimension);  // m_1
  const double log_term = elimination_log(setting);
  double rounds = 0;
  double regret = 0;
  double largest = 0;
  for (int phase = 1; rounds < setting.horizon; ++phase) {
    const double plays = std::ldexp(nominal, phase - 1);  // m_ℓ
    const double rate =
        phase == 1 ? 1 : std::min(1.0, 8 * std::sqrt(setting.dimension * log_term / (plays / 2)));
    const double length = std::min(plays + setting.support, setting.horizon - rounds);
    rounds += length;
    regret += rate * length;
    largest = std::max(largest, regret / std::sqrt(rounds));
  }
  return largest;
}

}  // namespace armature
