#include "simulate/leap_laws.h"

#include <algorithm>
#include <cmath>

#include "armature/error.h"
#include "base/discrete.h"

namespace armature::leap {
namespace {

// The values a law can take, with their probabilities. All laws are brought to this one form, so
// that any mixture of them, cut anywhere, is drawn by the same two samplers.
void for_each_value(const RewardLaw& law, const auto& visit) {
  switch (law.kind()) {
    case RewardLaw::Kind::kBernoulli:
      visit(0.0, 1 - law.first());
      visit(1.0, law.first());
      return;
    case RewardLaw::Kind::kPoint:
      visit(law.first(), 1.0);
      return;
    case RewardLaw::Kind::kTable:
      for (std::size_t i = 0; i < law.values().size(); ++i)
        visit(law.values()[i], law.probabilities()[i]);
      return;
    case RewardLaw::Kind::kBeta:
      ARMATURE_CHECK(false, "beta rewards do not leap");
  }
}

}  // namespace

double path_slack(double plays, double variance, double log_inverse_probability) {
  const double h = log_inverse_probability;
  if (variance <= 0) return 0;  // a point mass never leaves its drift
  const double hoeffding = std::sqrt(plays * h / 2);
  if (variance > 0.2) return hoeffding;  // near its largest, 1/4, Bernstein has nothing to add
  const double bernstein = h / 3 + std::sqrt(h * h / 9 + 2 * plays * variance * h);
  return std::min(hoeffding, bernstein);
}

// Looked for before anything is compiled, so that a refusal can name its reason instead of failing
// in the middle of a study.
std::string Laws::obstacle(const Instance& instance) {
  for (const RewardLaw& law : instance.parts().laws)
    if (law.kind() == RewardLaw::Kind::kBeta)
      return "Beta rewards have no closed form for the sum of many";
  return {};
}

Laws::Laws(const Instance& instance)
    : actions_(instance.actions()),
      contexts_(instance.contexts()),
      marginals_(instance.marginals()),
      law_of_(instance.parts().law_of) {
  const std::vector<RewardLaw>& laws = instance.parts().laws;
  for (const RewardLaw& law : laws)
    for_each_value(law, [this](double value, double) { values_.push_back(value); });
  // One list of values for the whole instance: counts of rewards from different cells then add up
  // place by place.
  std::sort(values_.begin(), values_.end());
  values_.erase(std::unique(values_.begin(), values_.end()), values_.end());
  for (const RewardLaw& law : laws) {
    ValueLaw compiled;
    compiled.probabilities.resize(values_.size());
    for_each_value(law, [&](double value, double probability) {
      const auto place = std::lower_bound(values_.begin(), values_.end(), value);
      compiled.probabilities[static_cast<std::size_t>(place - values_.begin())] += probability;
    });
    finish(compiled);
    cells_.push_back(std::move(compiled));
  }
  // A policy that does not ask for contexts is spared them: one draw instead of one per context.
  for (Arm a = 0; a < actions_; ++a) {
    ValueLaw mixed;
    mixed.probabilities.resize(values_.size());
    for (Context z = 0; z < contexts_; ++z)
      for (std::size_t v = 0; v < values_.size(); ++v)
        mixed.probabilities[v] += marginals_(a, z) * cell(a, z).probabilities[v];
    finish(mixed);
    arms_.push_back(std::move(mixed));
  }
}

// The variance around the mean, not as a difference of moments: that could round to below 0.
void Laws::finish(ValueLaw& law) const {
  for (std::size_t v = 0; v < values_.size(); ++v) law.mean += law.probabilities[v] * values_[v];
  for (std::size_t v = 0; v < values_.size(); ++v)
    law.variance += law.probabilities[v] * (values_[v] - law.mean) * (values_[v] - law.mean);
  // A law that can take one value only must have no slack at all, or its worlds would not be
  // deterministic.
  const auto possible = std::count_if(law.probabilities.begin(), law.probabilities.end(),
                                      [](double probability) { return probability > 0; });
  if (possible == 1) law.variance = 0;  // whatever the rounding of the mean
}

double Laws::draw(const ValueLaw& law, std::uint64_t draws, Stream& stream,
                  std::span<std::uint64_t> value_counts) const {
  multinomial(stream, draws, law.probabilities, value_counts);
  return sum(value_counts);
}

// Always from the counts and in the order of values: the same counts have the same sum to the bit,
// whichever way a segment was cut.
double Laws::sum(std::span<const std::uint64_t> value_counts) const {
  double total = 0;
  for (std::size_t v = 0; v < values_.size(); ++v)
    total += values_[v] * static_cast<double>(value_counts[v]);
  return total;
}

}  // namespace armature::leap
