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
    // Written in its place, in the path of a round; not every compiler does that to an aggregate.
    Fresh(Arm of, Context z, std::uint64_t count, double sum)
        : arm(of), context(z), plays(count), rewards(sum) {}
    Fresh() = default;

    Arm arm = 0;
    Context context = 0;
    std::uint64_t plays = 0;
    double rewards = 0;
  };

  Strata(std::shared_ptr<const MarginalRows> rows, double delta);
  double split_log() const { return split_log_; }
  double joint_log() const { return joint_log_; }

  void add(Arm arm, Context z, std::uint64_t plays, double rewards) {
    const auto count = static_cast<double>(plays);
    Cell& cell = at(arm, z);
    cell.plays += count;
    cell.sum += rewards;
    visits_[z].all += count;
    visits_[z].sum += rewards;
    visits_[z].fresh += count;
    action_plays_[arm] += count;
    all_plays_ += count;
    if (fresh_.empty()) [[likely]]
      fresh_.emplace_back(arm, z, plays, rewards);
    else
      add_to_fresh({arm, z, plays, rewards});
  }
  /// What has come since the last choice, by action and context, ascending.
  std::span<const Fresh> fresh() const { return fresh_; }
  /// The test, with what is fresh worked in.
  bool differs(Arm arm) const { return !still_agrees(arm) && differs_in_full(arm); }
  /// Can it not turn while this action alone is played, with rewards along these paths, one per
  /// context? Nothing is fresh.
  bool agrees_along(Arm arm, std::span<const leap::SumPath> contexts) const;
  /// What was fresh is included from now on, or not for good.
  void settle() {
    for (const Fresh& fresh : fresh_)
      if (is_included(fresh)) {
        Cell& cell = at(fresh.arm, fresh.context);
        cell.included += static_cast<double>(fresh.plays);
        cell.included_sum += fresh.rewards;
      }
    for (const Fresh& fresh : fresh_) visits_[fresh.context].fresh = 0;
    fresh_.clear();
  }

  /// `contexts`: the plays of all actions.
  void visit_state(StateVisitor& visitor, const Statistics& contexts);

 private:
  std::span<const Fresh> fresh_of(Arm arm) const;
  void add_to_fresh(const Fresh& fresh);
  // Seen under another action, but for what is fresh.
  bool is_included(const Fresh& fresh) const {
    const Visits& visits = visits_[fresh.context];
    const double fresh_of_others = visits.fresh - static_cast<double>(fresh.plays);
    return visits.all - at(fresh.arm, fresh.context).plays > fresh_of_others &&
           rows_->at(rows_->row(fresh.arm), fresh.context) > 0;
  }
  // Has so little come since the test was last run in full that it cannot have turned? With j plays
  // of the action and i of others since, D has moved by no more than 1 for each of the j, and by
  // (k(z) + j)/(o(z) + 1) for each of the i; k has grown, and Q, as i ≤ o(z)/16, has not shrunk
  // below (16/17)² of what it was.
  bool still_agrees(Arm arm) const {
    const Slack& slack = slacks_[arm];
    const double own = action_plays_[arm] - slack.own;
    const double others = all_plays_ - action_plays_[arm] - slack.others;
    return others <= slack.most_others &&
           own + others * (slack.ratio + own * slack.inverse) < slack.room;
  }
  bool differs_in_full(Arm arm) const;
  struct Evidence {
    double plays = 0;   // k
    double excess = 0;  // D
    double spread = 0;  // Q
    double ratio = 0;   // the largest k(z)/o(z)
    double fewest = 0;  // the smallest o(z)
  };
  Evidence evidence(Arm arm) const;
  double bound(Arm arm, const Evidence& evidence) const;
  // One action in one context. Counts are whole; as doubles they need no conversion in sums.
  struct Cell {
    double plays = 0, sum = 0;
    double included = 0, included_sum = 0;  // k(z), s(z)
  };
  void visit_cells(StateVisitor& visitor, std::string_view counts_name, std::string_view sums_name,
                   double Cell::*count, double Cell::*sum);
  void rebuild(const Statistics& contexts);
  Cell& at(Arm arm, Context z) { return cells_[std::size_t{arm} * rows_->contexts() + z]; }
  const Cell& at(Arm arm, Context z) const {
    return cells_[std::size_t{arm} * rows_->contexts() + z];
  }

  std::shared_ptr<const MarginalRows> rows_;
  double split_log_;  // ½log(4|A|/δ)
  double joint_log_;  // ½log(2|A|/δ)

  std::vector<Cell> cells_;  // [action][context]
  std::vector<Fresh> fresh_;

  // Derived.
  struct Visits {
    double all = 0, sum = 0;  // of all actions
    double fresh = 0;
  };
  std::vector<Visits> visits_;  // per context
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
