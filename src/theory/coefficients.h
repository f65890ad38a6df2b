// Anytime coefficients (spec §2, §3): with probability 1-δ (1-2δ for C-UCB), Reg(t) ≤ d·sqrt(t) for
// all t ≤ T together. Balancing needs them; the bounds are made of them.
#pragma once

#include <cstdint>

namespace armature {

/// L = log(2kT/δ), k = |A| or |Z|.
double union_log(double count, double horizon, double delta);
/// log2 T, floored at 1 wherever it appears.
double floored_log2(double horizon);

/// d_UCB = sqrt(8|A|·L_A), in any world.
double ucb_coefficient(double actions, double horizon, double delta);

/// d_CUCB = sqrt(L_Z)·(sqrt(8|Z|) + sqrt(4 log(T/δ))), in benign worlds with exact marginals.
double causal_ucb_coefficient(double contexts, double horizon, double delta);

/// D_C = sqrt(L_Z)·(sqrt(8|Z|) + sqrt(log(T/δ))): the same with increments of range 1 (§6, §7).
double sharp_causal_ucb_coefficient(double contexts, double horizon, double delta);

/// K = 3√3·(1 + 2ℓ/L_Z), ℓ = log(|Z|/δ)/1.5936: rounds' worth of regret that C-UCB may lose for
/// every round of delay because its widths count contexts expected but not yet seen
/// (docs/theory.md, "Late outcomes").
double shortfall_coefficient(double contexts, double horizon, double delta);

/// s(d) = 4d·max(0, log log d) + 16, with log log d := 0 for d ≤ 2: the support a design may have.
double design_support(double dimension);

struct EliminationSetting {
  double actions;
  double dimension;  // d, the rank of the marginals
  double horizon;
  double delta;
  double support;  // s(d), or the design's own support where that is larger
};
/// L_P = log(2|A|·log2(T)/δ).
double elimination_log(const EliminationSetting& setting);
/// d_PE, in benign worlds with exact marginals: phase 1 costs at most 1 per round, phase ℓ ≥ 2 at
/// most min(1, 8·sqrt(d·L_P/m_{ℓ-1})), m_ℓ = 2^{ℓ-1}·s(d), and a phase has at most m_ℓ + support
/// rounds. The largest B(t)/sqrt(t) over phase ends and T, B the regret curve of these rates.
double elimination_coefficient(const EliminationSetting& setting);

}  // namespace armature
