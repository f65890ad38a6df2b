// Sentry's test, which warden runs too: |μ̂(a) − Σ_z ν̃_a(z)μ̂(z)| > w(a) + Σ_z ν̃_a(z)w(z) + ε/2.
#pragma once

#include "cuda/machine.h"
#include "cuda/widths.h"

namespace armature::cuda {

/// Of an action with this mean and width. Samples of contexts are from `first_context` on, their
/// means in the slots from `means` on. Mostly the action's own width is wide enough.
template <class Machine, class AnySamples>
ARMATURE_HOST_AND_DEVICE bool means_disagree(Machine& machine, std::uint32_t arm, double mean,
                                             double width, const AnySamples& samples,
                                             std::uint32_t first_context, std::uint32_t means,
                                             const Widths& context_widths, double epsilon) {
  const auto& world = machine.world;
  const std::uint32_t row = world.row_of(arm);
  double causal = 0;
  for (std::uint32_t z = 0; z < world.contexts(); ++z)
    causal += world.marginal(row, z) * real_at(machine.memory, means + z);
  const double difference = mean - causal;
  const double apart = difference > 0 ? difference : -difference;
  if (!(apart > width)) return false;
  double widths = 0;
  for (std::uint32_t z = 0; z < world.contexts(); ++z) {
    const auto count = samples.at(first_context + z).count;
    widths += world.marginal(row, z) * context_widths.at(count > 0 ? count : 1);
  }
  return apart > width + widths + epsilon / 2;
}

}  // namespace armature::cuda
