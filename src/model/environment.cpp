#include "armature/environment.h"

#include "armature/error.h"

namespace armature {

OutcomeTables::OutcomeTables(const Instance& instance)
    : actions_(instance.actions()), contexts_(instance.contexts()) {
  const std::size_t cells = std::size_t{instance.actions()} * contexts_;
  context_cumulative_.resize(cells);
  for (Arm a = 0; a < instance.actions(); ++a)
    cumulative_thresholds(instance.marginals().row(a),
                          std::span(context_cumulative_).subspan(a * contexts_, contexts_));
  for (const RewardLaw& law : instance.parts().laws) {
    all_bernoulli_ = all_bernoulli_ && law.kind() == RewardLaw::Kind::kBernoulli;
    Law compiled{law.kind(), law.first(), law.second(), {}, law.values()};
    compiled.cumulative.resize(law.probabilities().size());
    if (!compiled.cumulative.empty())
      cumulative_thresholds(law.probabilities(), compiled.cumulative);
    laws_.push_back(std::move(compiled));
  }
  if (!all_bernoulli_) {
    law_of_ = instance.parts().law_of;
    return;
  }
  success_threshold_.reserve(cells);
  for (const std::uint32_t law : instance.parts().law_of)
    success_threshold_.push_back(threshold63(laws_[law].first));
}

Environment::Environment(const OutcomeTables& tables, std::uint64_t seed, std::uint32_t replication)
    : tables_(tables), key_{seed, replication, Purpose::kOutcome} {
  first_ahead_ -= kAhead;  // the first draw_ahead brings it to round 1
}

void Environment::draw_ahead() {
  first_ahead_ += kAhead;
  outcome_draws(key_, first_ahead_, context_draws_, reward_draws_);
  next_ = 0;
}

double Environment::reward(const OutcomeTables::Law& law, std::size_t i) const {
  switch (law.kind) {
    case RewardLaw::Kind::kBernoulli:
      return reward_draws_[i] < threshold63(law.first) ? 1.0 : 0.0;
    case RewardLaw::Kind::kPoint:
      return law.first;
    case RewardLaw::Kind::kTable:
      return law.values[inverse_transform(law.cumulative, reward_draws_[i])];
    case RewardLaw::Kind::kBeta: {
      Stream stream = Stream::within_round(key_, first_ahead_ + i);
      return beta_variate(stream, law.first, law.second);
    }
  }
  ARMATURE_CHECK(false, "every kind of law has a sampler");
}

}  // namespace armature
