// MOSS on actions (spec §5), an honest rival of ucb.
#pragma once

#include "policies/tools/action_index.h"
#include "policies/tools/lock_step.h"
#include "policies/tools/path_bounds.h"

namespace armature {

/// MOSS (Audibert and Bubeck 2009): μ̂(a) + sqrt(max(0, log(T/(|A|·n(a))))/(2n(a))).
/// Promises order sqrt(|A|·T) without the logarithm of ucb. Caveat: like ucb, it never looks at the
/// contexts.
class MossIndex {
 public:
  static PolicyFacts facts();
  MossIndex(const Problem& problem, const Arguments& arguments);
  double operator()(double mean, double n) const;
  /// All values the index takes along the path.
  leap::Range along(std::uint64_t count, double sum, const leap::SumPath& path) const;
  double horizon_per_action() const { return horizon_per_action_; }
  double scale() const { return scale_; }

 private:
  double horizon_per_action_;
  double scale_;
};

class Moss : public ActionIndexPolicy<MossIndex>, public leap::Planner, public lock_step::Follower {
 public:
  using ActionIndexPolicy::ActionIndexPolicy;

  /// Published studies stepped it to 10^8 rounds: what they met there stays as it is.
  Round leaps_well_beyond() const override { return 100'000'000; }
  const MossIndex& index() const { return index_; }
  std::optional<lock_step::Rule> rule() const override;

 private:
  leap::Plan do_intend(Round rounds) override { return leap::OneArm{{indices_.best(), rounds}}; }
  bool do_holds(const leap::Plan& plan, const leap::Box& box) const override;
  void do_absorb(const leap::ShareOutcome& outcome) override;
};

}  // namespace armature
