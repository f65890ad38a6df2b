// Phased elimination (Thm 4.1, 4.3, 5.5; spec §3, §7).
#include <cmath>

#include "armature/error.h"
#include "armature/theory.h"
#include "base/mathematics.h"
#include "theory/coefficients.h"
#include "theory/guards.h"

namespace armature {
namespace {

EliminationSetting elimination(const Setting& setting) {
  return {.actions = setting.actions,
          .dimension = setting.dimension(),
          .horizon = setting.horizon,
          .delta = setting.level(),
          .support = design_support(setting.dimension())};
}

// ℓ_max, the last phase in which an action of the smallest gap may be active: 1 if x < 1, else
// 2 + floor(log2 x), x = 64·d·L_P/(s(d)·Δ²). A tiny gap's square is no number: hence the logs.
int last_phase(const Setting& setting) {
  const EliminationSetting pe = elimination(setting);
  const double log_x = portable::log2(64 * pe.dimension * elimination_log(pe) / pe.support) -
                       2 * portable::log2(needed(setting.gap, "gap"));
  ARMATURE_CHECK(log_x < 10'000, "a setting that is valid");
  return log_x < 0 ? 1 : 2 + static_cast<int>(std::floor(log_x));
}

double rate_log(const Setting& setting) {
  return log_or_zero(setting.actions * guarded_log(setting.horizon) / setting.level());
}

}  // namespace

double pe_bound(const Setting& setting, double t) {
  return elimination_coefficient(elimination(setting)) * std::sqrt(t);
}

// 2s(d) + Σ_{ℓ=2}^{ℓ_max} (m_ℓ + s(d))·min(1, 8·sqrt(d·L_P/m_{ℓ-1})), m_ℓ = 2m_{ℓ-1}.
double pe_gap_bound(const Setting& setting) {
  const EliminationSetting pe = elimination(setting);
  const double difficulty = 64 * pe.dimension * elimination_log(pe);  // rates are below 1 beyond it
  const int last = last_phase(setting);
  double regret = 2 * pe.support;
  for (int phase = 2; phase <= last; ++phase) {
    // The root of m_{ℓ-1}, as m itself overflows for the smallest of gaps.
    const double root = std::sqrt(pe.support) * portable::pow(2, (phase - 2) / 2.0);
    const double rounds_by_root = 2 * root + pe.support / root;  // (m_ℓ + s)/sqrt(m_{ℓ-1})
    regret += rounds_by_root * std::min(root, std::sqrt(difficulty));
  }
  return regret;
}

double pe_gap_closed_bound(const Setting& setting) {
  const EliminationSetting pe = elimination(setting);
  return 2 * pe.support + 655.5 * pe.dimension * elimination_log(pe) / needed(setting.gap, "gap");
}

double pe_rate(const Setting& setting, double t) {
  return std::sqrt(setting.dimension() * rate_log(setting) * t);
}

double pe_gap_rate(const Setting& setting) {
  return setting.dimension() * rate_log(setting) / needed(setting.gap, "gap");
}

double pe_epsilon_rate(const Setting& setting, double t) {
  return pe_rate(setting, t) + needed(setting.epsilon, "epsilon") * t *
                                   std::sqrt(setting.dimension()) * guarded_log(setting.horizon);
}

}  // namespace armature
