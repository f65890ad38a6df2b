// What was sent out and what came back, action by action: the books of policies whose next choice
// depends on plays in flight (how many rounds there were, which action was never tried).
#pragma once

#include <cstdint>
#include <vector>

#include "armature/policy.h"
#include "policies/tools/confidence.h"

namespace armature {

class Ledger {
 public:
  explicit Ledger(std::uint32_t actions) : known_(actions), sent_(actions) {}

  void send(Arm arm) {
    ++sent_[arm];
    ++total_sent_;
  }
  void receive(Arm arm, double reward) {
    check_outstanding(arm);
    known_.add(arm, reward);
  }
  /// Will not come: as if it had never been sent.
  void give_up(Arm arm) {
    check_outstanding(arm);
    --sent_[arm];
    --total_sent_;
  }
  /// Sent by somebody else, or many at once.
  void add(Arm arm, std::uint64_t plays, double rewards) {
    known_.add(arm, plays, rewards);
    sent_[arm] += plays;
    total_sent_ += plays;
  }

  std::uint32_t size() const { return known_.size(); }
  std::uint64_t known(Arm arm) const { return known_.count(arm); }
  double rewards(Arm arm) const { return known_.sum(arm); }
  /// 0 where nothing is known.
  double mean(Arm arm) const { return known_.mean(arm); }
  /// Known, or on their way.
  std::uint64_t sent(Arm arm) const { return sent_[arm]; }
  std::uint64_t total_sent() const { return total_sent_; }

  void visit_state(StateVisitor& visitor) {
    known_.visit_state(visitor, "plays", "reward_sums");
    visitor.field("dispatched", sent_);
    if (!visitor.reading()) return;
    double total = 0;
    total_sent_ = 0;
    for (Arm a = 0; a < size(); ++a) {
      visitor.require(known(a) <= sent_[a], "dispatched");
      total += static_cast<double>(sent_[a]);
      total_sent_ += sent_[a];
    }
    visitor.require(total < 0x1p62, "dispatched");  // room to count on
  }

 private:
  void check_outstanding(Arm arm) const {
    ARMATURE_CHECK(known(arm) < sent_[arm],
                   "a decision is outstanding when its outcome comes or is given up");
  }

  Statistics known_;
  std::vector<std::uint64_t> sent_;
  std::uint64_t total_sent_ = 0;
};

}  // namespace armature
