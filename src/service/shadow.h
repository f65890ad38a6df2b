// A policy that only watches: what would it have done, and what would it believe by now?
#pragma once

#include <map>
#include <optional>

#include "armature/policy_session.h"
#include "service/summary.h"

namespace armature::service {

/// It is asked about every decision, and its answer is not played. One that can learn from others'
/// decisions witnesses every outcome; of one that cannot (pe, corral), only decisions that it would
/// have made alike are its own, and their outcomes all it hears of: replay by rejection. Nobody
/// depends on it: one that fails a check of its own, or does not fit, has failed for good, says
/// why, and harms nobody else. It does so again wherever the same events are replayed.
class Shadow {
 public:
  /// Luck of its own, by its number.
  Shadow(const std::string& policy, const Problem& problem, std::uint64_t seed,
         std::uint32_t number);

  /// An outcome from before it was there, in the order of learning.
  void teach(Arm action, Outcome outcome);
  void decided(Sequence decision, Arm action);
  /// `action`: none if this problem does not have it any more.
  void learned(Sequence decision, std::optional<Arm> action, Outcome outcome);
  void forgotten(Sequence decision);

  std::uint32_t number() const { return number_; }
  const std::string& policy() const { return policy_; }
  const std::string& failure() const { return failure_; }  // empty: it is at work
  void fail(const std::string& why);
  ShadowSummary summary() const;

  std::string save() const;
  /// Throws Error if it is damaged. One whose policy can no longer be read has failed.
  static Shadow load(std::string_view saved, const Problem& problem);

 private:
  struct Saved;
  Shadow() = default;
  template <class Work>
  void guarded(const Work& work);
  void begin(PolicySession session);

  std::string policy_;
  std::uint32_t number_ = 0;
  std::optional<PolicySession> session_;  // none: it has failed
  std::string failure_;
  bool witnesses_ = false;
  std::uint64_t asked_ = 0;
  std::uint64_t agreed_ = 0;
  std::map<Sequence, Decision> own_;  // of one that cannot witness: what it would have done, too
};

}  // namespace armature::service
