// A policy at work outside a simulation: the policy, its random stream and the round it is in, kept
// together so that saving keeps all three.
//   PolicySession session("sentry", problem, 1);
//   const Decision decision = session.choose();
//   session.observe(decision, {context, reward});  // now, later, in any order; or forget(decision)
// Mistakes abort, as everywhere in C++ (error.h). Where decisions come back from outside the
// program, put a DecisionBook around it: it answers mistakes with errors.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "armature/policy.h"

namespace armature {

class PolicySession {
 public:
  /// `policy` is a text form. Sessions of equal seed and replication meet the same luck. Throws
  /// Error if the text or the problem does not fit.
  PolicySession(const std::string& policy, const Problem& problem, std::uint64_t seed,
                std::uint32_t replication = 0);

  Decision choose();
  void observe(Decision decision, Outcome outcome);
  void forget(Decision decision);

  Round round() const { return round_; }              // decisions made so far
  Round outstanding() const { return outstanding_; }  // those neither observed nor forgotten
  const Problem& problem() const { return problem_; }
  const AnyPolicy& policy() const { return at_work(); }

  /// Save → load → continue equals the uninterrupted run bit for bit, with decisions outstanding
  /// too. What is saved names the policy and its seed; the problem is the caller's to keep. Throws
  /// Error if it is damaged or of another problem; names count.
  std::string save() const;
  static PolicySession load(std::string_view saved, const Problem& problem);

 private:
  /// A session that was moved from has none.
  AnyPolicy& at_work() const {
    ARMATURE_CHECK(policy_ != nullptr, "a session that was moved from is at work no more");
    return *policy_;
  }
  AnyPolicy& with_one_outstanding() const {
    ARMATURE_CHECK(outstanding_ > 0, "a decision is outstanding when its outcome comes");
    return at_work();
  }

  Problem problem_;
  std::uint64_t seed_;
  std::uint32_t replication_;
  std::unique_ptr<AnyPolicy> policy_;
  Stream stream_;
  Round round_ = 0;
  Round outstanding_ = 0;
};

}  // namespace armature
