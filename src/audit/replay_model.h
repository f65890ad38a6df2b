// What is expected of an action before a row is read, from the rows before it: the row's own
// outcome never enters what it is compared with, so no estimate made about it is biased.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "armature/log.h"
#include "armature/matrix.h"

namespace armature {

class RewardModel {
 public:
  enum class Kind {
    kNone,      // 0
    kConstant,  // the candidate's own value so far, the same for every action
    kActions,   // E[Y|a] by the mean of the action
    kContexts,  // E[Y|a] = Σ_z ν_a(z)·μ(z), if Z carries the whole effect
  };
  /// `marginals` are those given, or null: learned from the rows.
  RewardModel(Kind kind, std::size_t actions, std::size_t contexts,
              std::shared_ptr<const Matrix> marginals);

  double at(std::size_t action) const;  // in [0,1]
  /// Σ_a law(a)·at(a) over actions that the log has.
  double over(std::span<const double> law, std::span<const double> plays) const;
  /// `importance` is the row's weight for the candidate.
  void learn(const LogRow& row, double importance);

 private:
  // From a first guess that counts as one row.
  struct Mean {
    double sum = 0, count = 0;
    double from(double guess) const { return (guess + sum) / (1 + count); }
    void add(double value, double times) {
      sum += times * value;
      count += times;
    }
  };
  double by_contexts(std::size_t action) const;
  double marginal(std::size_t action, std::size_t context) const;

  Kind kind_;
  std::size_t contexts_;
  std::shared_ptr<const Matrix> marginals_;
  Mean all_;
  std::vector<Mean> of_action_, of_context_;
  std::vector<double> cells_;  // rows per action and context
};

}  // namespace armature
