// The truth as the leap engine needs it: every reward law as probabilities of finitely many values,
// for drawing many rounds at once and for bounding how far their sums stray on the way
// (docs/leap.md).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "armature/environment.h"
#include "armature/model.h"

namespace armature::leap {

/// The largest H-deviation of a sum of m independent rewards from its drift on the way: below
/// `slack` at all k ≤ m, except with probability exp(−H), to each side.
/// Hoeffding's and Bernstein's maximal inequalities, whichever is sharper.
double path_slack(double plays, double variance, double log_inverse_probability);

/// Rewards of one kind of draw: probabilities of the instance's values.
struct ValueLaw {
  std::vector<double> probabilities;  // one per value of the instance
  double mean = 0;
  double variance = 0;
};

class Laws {
 public:
  /// Why rewards of this instance cannot be summed in one draw; empty if they can.
  static std::string obstacle(const Instance& instance);
  explicit Laws(const Instance& instance);

  std::uint32_t actions() const { return actions_; }
  std::uint32_t contexts() const { return contexts_; }
  std::size_t value_count() const { return values_.size(); }
  double value(std::size_t v) const { return values_[v]; }

  double visit_probability(Arm a, Context z) const { return marginals_(a, z); }
  const ValueLaw& arm(Arm a) const { return arms_[a]; }
  const ValueLaw& cell(Arm a, Context z) const {
    return cells_[law_of_[std::size_t{a} * contexts_ + z]];
  }
  std::span<const double> marginals(Arm a) const { return marginals_.row(a); }

  /// How often each value comes in `draws` draws; returns their sum.
  double draw(const ValueLaw& law, std::uint64_t draws, Stream& stream,
              std::span<std::uint64_t> value_counts) const;
  /// The sum of that many values of each kind.
  double sum(std::span<const std::uint64_t> value_counts) const;

 private:
  void finish(ValueLaw& law) const;

  std::uint32_t actions_;
  std::uint32_t contexts_;
  Matrix marginals_;
  std::vector<double> values_;  // all rewards there are, ascending
  std::vector<ValueLaw> cells_;
  std::vector<std::uint32_t> law_of_;
  std::vector<ValueLaw> arms_;  // contexts summed over
};

}  // namespace armature::leap
