// Warden's second test: is an action's reward in a context what the other actions' is there? It
// compares like with like, context by context: what the contexts explain drops out, and a wrong ν̃
// does no harm.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "armature/leap.h"
#include "armature/state.h"
#include "policies/tools/confidence.h"
#include "policies/tools/marginal_rows.h"

namespace armature {

/// A play of a in z is *included* if z was seen before under another action. Over the contexts with
/// ν̃_a(z) > 0 let k(z), s(z) be count and sum of the included plays of a; o(z), m(z) count and mean
/// of z under all other actions; k = Σk(z), and
///   D = Σ(s(z) − k(z)·m(z))   Q = Σ(k(z)/o(z))²·(30 + o(z))
///   ℓ_k = ¼·log(1 + k/30)     ℓ_o = Σ¼·log(1 + o(z)/30).
/// The action differs from the others if |D| exceeds the smaller one of
///   sqrt((30 + k)(½log(4|A|/δ) + ℓ_k)) + sqrt(Q(½log(4|A|/δ) + ℓ_o)),
///   sqrt((30 + k + Q)(½log(2|A|/δ) + ℓ_k + ℓ_o)).
/// Where Z is right that happens with probability at most δ, ever, for any action.
///
/// "Before" is before the last choice: outcomes that have come since are *fresh*, and none of them
/// makes another included. So their order leaves no trace; with prompt feedback one is fresh at a
/// time, and it is the rule as it stands.
class Strata {
 public:
  /// One action in one context.
  struct Fresh {
    Arm arm;
    Context context;
    std::uint64_t plays;
    double rewards;
  };

  Strata(std::shared_ptr<const MarginalRows> rows, double delta);
  double split_log() const { return split_log_; }
  double joint_log() const { return joint_log_; }

  void add(Arm arm, Context z, std::uint64_t plays, double rewards);
  /// What has come since the last choice, by action and context, ascending.
  std::span<const Fresh> fresh() const { return fresh_; }
  /// The test, with what is fresh worked in.
  bool differs(Arm arm) const;
  /// Can it not turn while this action alone is played, with rewards along these paths, one per
  /// context? Nothing is fresh.
  bool agrees_along(Arm arm, std::span<const leap::SumPath> contexts) const;
  /// What was fresh is included from now on, or not for good.
  void settle();

  /// `contexts`: the plays of all actions.
  void visit_state(StateVisitor& visitor, const Statistics& contexts);

 private:
  std::size_t at(Arm arm, Context z) const { return std::size_t{arm} * rows_->contexts() + z; }
  std::span<const Fresh> fresh_of(Arm arm) const;
  bool is_included(const Fresh& fresh) const;
  bool still_agrees(Arm arm) const;
  struct Evidence {
    double plays = 0;   // k
    double excess = 0;  // D
    double spread = 0;  // Q
    double ratio = 0;   // the largest k(z)/o(z)
    double fewest = 0;  // the smallest o(z)
  };
  Evidence evidence(Arm arm) const;
  double bound(Arm arm, const Evidence& evidence) const;
  void visit_cells(StateVisitor& visitor, std::string_view counts_name, std::string_view sums_name,
                   std::vector<double>& counts, std::vector<double>& sums);
  void rebuild(const Statistics& contexts);

  std::shared_ptr<const MarginalRows> rows_;
  double split_log_;  // ½log(4|A|/δ)
  double joint_log_;  // ½log(2|A|/δ)

  // Per action and context. Counts are whole; as doubles they need no conversion in sums.
  std::vector<double> plays_, sums_;
  std::vector<double> included_, included_sums_;  // k(z), s(z)
  std::vector<Fresh> fresh_;

  // Derived.
  std::vector<double> visits_, visit_sums_;  // per context, of all actions
  std::vector<double> fresh_visits_;         // per context
  std::vector<double> action_plays_;
  double all_plays_ = 0;

  // How far an action was from the bound when the test was last run in full.
  struct Slack {
    double own = 0;  // plays of it, and of others, then
    double others = 0;
    double most_others = -1;  // it says nothing beyond so many more
    double ratio = 0;         // largest k(z)/o(z)
    double inverse = 0;       // of the smallest o(z)
    double room = 0;
  };
  mutable std::vector<Slack> slacks_;
};

}  // namespace armature
