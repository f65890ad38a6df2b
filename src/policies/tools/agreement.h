// hac-ucb's test: u(a) − p(a) ≤ 2w(n(a)) and p(a) − u(a) ≤ Σ_z ν̃_a(z)·2w(n(z)) for all actions,
// where p(a) = Σ_z ν̃_a(z)·U(z). It is asked in every round, and hardly ever is there anything to
// look at.
//
// How: with v(a) = Σ_z ν̃_a(z)·(U(z) − 2w(n(z))) an action passes while its slack, the smaller of
// p(a) − (u(a) − 2w(n(a))) and u(a) − v(a), is not negative. Its own outcomes change its slack at
// once. A context's outcome changes everyone's, but by no more than the context's largest weight
// times the change: the sum of all such moves, the drift, is what any slack can have lost. An
// action is looked at again only when the slack it had is used up by the drift since then, and
// then by the sums as the test has them; so it is where rounding could decide.
#pragma once

#include <algorithm>

#include "policies/tools/bound_tree.h"
#include "policies/tools/marginal_rows.h"

namespace armature {

class Agreement {
 public:
  /// No index, upper end or doubled width is ever above `largest`. The rows must outlive this
  /// object.
  Agreement(const MarginalRows& rows, double largest);

  /// u(a) and 2w(n(a)).
  void set_action(Arm a, double index, double width) {
    actions_[a].index = index;
    actions_[a].width = width;
    if (known_) urgency_.set(a, -limit(actions_[a]));
  }
  /// U(z) and 2w(n(z)).
  void set_context(Context z, double upper, double width);

  /// Whether all actions pass.
  bool holds() {
    if (!known_ || updates_ >= kKnownFor) return look_at_all();
    return urgency_.highest() < bar() || look_at_doubtful();
  }

 private:
  static constexpr std::uint64_t kKnownFor = 1 << 20;  // changes of contexts between looks at all

  struct Action {
    double index = 0;  // u(a)
    double width = 0;  // 2w(n(a))
    // As of the last look at it.
    double pseudo = 0;        // p(a)
    double pseudo_lower = 0;  // v(a)
    double drift = 0;
  };

  // The drift at which its slack will be used up.
  static double limit(const Action& action) {
    return std::min(action.pseudo - (action.index - action.width),
                    action.index - action.pseudo_lower) +
           action.drift;
  }
  // A sum has at most 2|Z| roundings of 2^-53 of the largest value, the drift one of its own size
  // for each update, and the rest is a handful.
  double margin() const {
    return 0x1p-48 * (largest_ + drift_) * static_cast<double>(updates_ + uppers_.size() + 8);
  }
  double bar() const { return -(drift_ + margin()); }
  bool passes(Action& action, double pseudo, double pseudo_width) const;
  bool look_at_doubtful();
  bool look_at_all();

  const MarginalRows& rows_;
  double largest_;
  std::vector<Action> actions_;
  std::vector<double> uppers_;  // U(z)
  std::vector<double> widths_;  // 2w(n(z))
  double drift_ = 0;            // how far p(a) can have fallen or v(a) risen since the look at all
  std::uint64_t updates_ = 0;   // of it
  bool known_ = false;          // all actions have been looked at
  BoundTree urgency_;           // minus the drift at which an action's slack will be used up
  std::vector<double> pseudo_, pseudo_widths_;  // scratch: sums of all rows
};

}  // namespace armature
