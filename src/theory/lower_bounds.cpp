// What nobody can promise (Thm 3.7, 5.2; App. D; spec §7).
#include <cmath>
#include <numbers>

#include "armature/theory.h"
#include "base/mathematics.h"
#include "theory/guards.h"

namespace armature {

// The proof gives (|A|-1)/(32Δ)·log(TΔ/(8R_2)) for every Δ < 1/40. The paper takes Δ = 16R_2/T.
std::optional<double> frontier_lower(const Setting& setting) {
  const double r2 = setting.worst_regret();
  if (setting.actions < 2 || r2 > setting.horizon / kFrontierLimit) return std::nullopt;
  return (setting.actions - 1) * (std::numbers::ln2 / 512) * (setting.horizon / r2);
}

// The best Δ is 8e·R_2/T where that is below 1/40, and 1/40 (in the limit) where it is not.
std::optional<double> frontier_lower_sharp(const Setting& setting) {
  const double r2 = setting.worst_regret();
  const double ratio = setting.horizon / (kSharpFrontierLimit * r2);
  if (setting.actions < 2 || ratio <= 1) return std::nullopt;
  if (ratio > std::numbers::e)
    return (setting.actions - 1) * (setting.horizon / r2) / (256 * std::numbers::e);
  return 1.25 * (setting.actions - 1) * portable::log(ratio);
}

// An action of pareto-benign and its neighbour that is better than the best by Δ differ by 2Δ in
// every context: K(Δ)·Δ² bounds their divergence (docs/theory.md, "What safety costs").
static double neighbour_divergence(double gap) {
  return 1 / ((0.75 + 2 * gap) * (0.25 - 2 * gap)) + 16.0 / 3;
}

std::optional<double> safe_gap_lower(const Setting& setting) {
  const double gap = needed(setting.gap, "gap");
  if (setting.actions < 3 || setting.contexts < 2 || gap >= 0.125) return std::nullopt;
  const double evidence =
      (setting.actions - 2) * portable::log(setting.horizon * gap / setting.worst_regret()) -
      (setting.actions - 1) * std::numbers::ln2;
  if (evidence <= 0) return std::nullopt;
  return evidence / (gap * neighbour_divergence(gap));
}

// The same at the worst Δ up to 1/40, where K(Δ) ≤ K(1/40): Δ = e·c·R_2/T, c = 2^((|A|-1)/(|A|-2)).
std::optional<double> frontier_lower_direct(const Setting& setting) {
  if (setting.actions < 3 || setting.contexts < 2) return std::nullopt;
  const double k = neighbour_divergence(kDirectGap);
  const double others = setting.actions - 2;
  const double c = portable::exp(std::numbers::ln2 * (setting.actions - 1) / others);
  const double ratio = setting.horizon * kDirectGap / (c * setting.worst_regret());
  if (ratio <= 1) return std::nullopt;
  if (ratio < std::numbers::e) return others / (k * kDirectGap) * portable::log(ratio);
  return others * setting.horizon / (k * std::numbers::e * c * setting.worst_regret());
}

// max of the two regrets ≥ (TΔ/8)·exp(-64TΔ²/(|A|-1)). Printed: Δ = (1/40)·sqrt((|A|-1)/T).
double zero_knowledge_lower(const Setting& setting) {
  return portable::exp(-0.04) / 320 * std::sqrt((setting.actions - 1) * setting.horizon);
}

// Best: Δ = sqrt((|A|-1)/(128T)).
double zero_knowledge_lower_sharp(const Setting& setting) {
  return portable::exp(-0.5) / (8 * std::sqrt(128.0)) *
         std::sqrt((setting.actions - 1) * setting.horizon);
}

double harmless_epsilon(const Setting& setting) { return 1 / std::sqrt(setting.horizon); }

// The L1 distance 8Δ between the marginals of the two members of the proof.
double worthless_epsilon(const Setting& setting) {
  return 0.2 * std::sqrt((setting.actions - 1) / setting.horizon);
}

}  // namespace armature
