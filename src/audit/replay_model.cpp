#include "audit/replay_model.h"

namespace armature {

RewardModel::RewardModel(Kind kind, std::size_t actions, std::size_t contexts,
                         std::shared_ptr<const Matrix> marginals)
    : kind_(kind),
      contexts_(contexts),
      marginals_(std::move(marginals)),
      of_action_(actions),
      of_context_(contexts),
      cells_(actions * contexts) {}

double RewardModel::marginal(std::size_t action, std::size_t context) const {
  if (marginals_) return (*marginals_)(action, context);
  const double any =
      (of_context_[context].count + 1.0 / static_cast<double>(contexts_)) / (all_.count + 1);
  return (cells_[action * contexts_ + context] + any) / (of_action_[action].count + 1);
}

double RewardModel::by_contexts(std::size_t action) const {
  const double guess = all_.from(0.5);
  double sum = 0;
  for (std::size_t z = 0; z < contexts_; ++z)
    sum += marginal(action, z) * of_context_[z].from(guess);
  return std::min(sum, 1.0);
}

double RewardModel::at(std::size_t action) const {
  switch (kind_) {
    case Kind::kNone:
      return 0;
    case Kind::kConstant:
      return all_.from(0.5);
    case Kind::kActions:
      return of_action_[action].from(all_.from(0.5));
    case Kind::kContexts:
      return by_contexts(action);
  }
  return 0;
}

double RewardModel::over(std::span<const double> law, std::span<const double> plays) const {
  if (kind_ == Kind::kNone) return 0;
  double sum = 0;
  for (std::size_t a = 0; a < law.size(); ++a)
    if (law[a] > 0 && plays[a] > 0) sum += law[a] * at(a);
  return sum;
}

void RewardModel::learn(const LogRow& row, double importance) {
  if (kind_ == Kind::kNone) return;
  all_.add(row.reward, kind_ == Kind::kConstant ? importance : row.weight);
  if (kind_ == Kind::kConstant) return;
  of_action_[row.action].add(row.reward, row.weight);
  of_context_[row.context].add(row.reward, row.weight);
  cells_[row.action * contexts_ + row.context] += row.weight;
}

}  // namespace armature
