// Plays in flight: sent out by `choose`, not yet answered by `observe` nor given up by `forget`.
// The optimistic index used for choosing counts them in its width (spec §2), so that a policy whose
// outcomes come late does not herd; its mean and everything that is a test keep observed counts.
//
// The last play is counted only when the next choice comes before its answer: with prompt feedback
// nothing is ever in flight, and counting costs a store and a comparison a round.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "armature/policy.h"
#include "policies/tools/marginal_rows.h"

namespace armature {

/// `inflight`, as every index policy declares it.
Parameter inflight_parameter();

class Flights {
 public:
  Flights(std::uint32_t actions, const Arguments& arguments)
      : out_(actions), counted_(arguments.is_word("inflight", "count") ? ~std::uint64_t{0} : 0) {}

  void send(Arm arm) { last_ = arm; }
  /// The last play is still out at the next choice, and not yet counted.
  bool due() const { return last_ != kNone; }
  /// Counts it; the arm whose index is to be worked out anew.
  Arm settle() {
    const Arm arm = last_;
    ARMATURE_CHECK(total_ < kMost, "fewer than 2^31 decisions are outstanding");
    ++out_[arm];
    ++total_;
    last_ = kNone;
    return arm;
  }
  /// An outcome has come or was given up. True if it was counted before, and the index is to be
  /// worked out anew.
  bool land(Arm arm) {
    if (arm == last_) [[likely]] {
      last_ = kNone;
      return false;
    }
    ARMATURE_CHECK(out_[arm] > 0,
                   "a decision is outstanding when its outcome comes or is given up");
    --out_[arm];
    --total_;
    return true;
  }

  /// What a width counts besides observed outcomes: nothing with inflight=ignore.
  std::uint64_t counted(Arm arm) const { return out_[arm] & counted_; }
  bool any_counted() const { return (total_ & counted_) != 0; }
  bool ignored() const { return counted_ == 0; }

  void visit_state(StateVisitor& visitor);

 private:
  static constexpr Arm kNone = std::numeric_limits<Arm>::max();
  static constexpr std::uint64_t kMost = std::uint64_t{1} << 31;

  std::vector<std::uint64_t> out_;
  std::uint64_t total_ = 0;
  std::uint64_t counted_;  // a mask: all ones, or 0
  Arm last_ = kNone;
};

/// Where the plays in flight can be expected to lead: Σ ν̃_a(z) of them, in units of 2^-32, so that
/// the order of coming and going leaves no trace.
class ExpectedVisits {
 public:
  explicit ExpectedVisits(std::uint32_t contexts) : units_(contexts) {}

  void add(const MarginalRows& rows, Arm arm) { change(rows, arm, 1); }
  void remove(const MarginalRows& rows, Arm arm) { change(rows, arm, ~std::uint64_t{0}); }
  void recount(const MarginalRows& rows, const Flights& flights);
  double of(Context z) const { return static_cast<double>(units_[z]) * 0x1p-32; }

 private:
  static std::uint64_t units(double probability) {
    return static_cast<std::uint64_t>(probability * 0x1p32 + 0.5);
  }
  void change(const MarginalRows& rows, Arm arm, std::uint64_t times) {
    for (Context z = 0; z < units_.size(); ++z)
      units_[z] += units(rows.at(rows.row(arm), z)) * times;  // modulo 2^64: −1 takes back
  }

  std::vector<std::uint64_t> units_;
};

}  // namespace armature
