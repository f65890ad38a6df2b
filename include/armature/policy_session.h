// A policy at work outside a simulation: the policy, its random stream and the round it is in, kept
// together so that saving keeps all three.
//   PolicySession session("sentry", problem, 1);
//   const Decision decision = session.choose();
//   session.observe(decision, {context, reward});  // now, later, in any order; or forget(decision)
//   session.witness(arm, {context, reward});       // what somebody else's decision came to
// Mistakes abort, as everywhere in C++ (error.h). Where decisions come back from outside the
// program, put a DecisionBook around it: it answers mistakes with errors.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "armature/evidence.h"
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
  /// Learns from a decision this session did not make: a log, another session, a person. Throws
  /// Error, saying what to do instead, if its policy cannot.
  void witness(Arm arm, Outcome outcome);

  /// The probability of each arm in the next choice; none if the policy has no closed form.
  std::optional<std::vector<double>> probabilities() const;
  /// For any policy that can be copied, by so many trial choices: the same ones whenever this round
  /// is asked about, and the session goes on as if nobody had asked.
  ProbabilityEstimate estimate_probabilities(std::uint64_t draws) const;

  /// Everything observed and witnessed, added up.
  const Evidence& evidence() const { return evidence_; }
  /// A new session for another problem or with another policy, taught this one's evidence by the
  /// names of actions and contexts (armature/extend.h: what that keeps, and whom it refuses). It
  /// starts at round 0 with a seed made of this one's seed, replication and state: new luck, but
  /// the same every time. What is outstanding stays here: when its outcome comes, observe it here
  /// and witness it there.
  PolicySession extend(const std::string& policy, const Problem& problem) const;

  Round round() const { return round_; }  // decisions made so far
  /// Words of luck used so far. A log that keeps it can prove that a replay drew the same ones.
  std::uint64_t position() const { return stream_.position(); }
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
  Evidence evidence_;
  Round round_ = 0;
  Round outstanding_ = 0;
};

}  // namespace armature
