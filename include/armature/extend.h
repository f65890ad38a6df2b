// When the problem changes while a policy is at work (an action is added or taken away, marginals
// are measured anew, another policy is wanted), what was learned goes on: a new policy is taught
// what the old one heard, by the names of actions and contexts.
//   auto next = extend("sentry", wider_problem, session.evidence(), session.problem(), stream);
// That is PolicySession::extend for a policy by itself.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "armature/evidence.h"
#include "armature/policy.h"

namespace armature {

/// What was played and what came of it.
struct Logged {
  Arm arm;
  Outcome outcome;
};

/// A log in the words of another problem, by name (Evidence::renamed: what drops out, and what is
/// refused).
std::vector<Logged> renamed(std::span<const Logged> log, const Problem& from, const Problem& to);

/// The policy as if it had watched all that was played (AnyPolicy::witness), in the order of the
/// log. New actions are unexplored. Throws Error if the text or the problem does not fit, and for a
/// policy that cannot witness, saying what to do instead (replay).
std::unique_ptr<AnyPolicy> extend(const std::string& policy, const Problem& problem,
                                  std::span<const Logged> log, const Problem& log_problem,
                                  Stream& stream);

/// The same from sums. They are all that policies keep of outcomes, so the statistics are those the
/// log gives: to the last bit where sums of rewards are exact (0 and 1, or multiples of 2^-20).
/// Apart are
///  - policies that toss a coin for a reward between 0 and 1 (ts, c-ts): such rewards need the log,
///    and without it an Error says so;
///  - regressions (cl-ucb, cl-ts), which add in another order and differ in their last bits.
/// What depends on the way there and not on its end is never part of either: lcb* of sentry and
/// warden, the largest lower bound they ever had in rounds of their own, starts from the last
/// statistics; so do the outcomes that warden's stratified test includes.
std::unique_ptr<AnyPolicy> extend(const std::string& policy, const Problem& problem,
                                  const Evidence& evidence, const Problem& evidence_problem,
                                  Stream& stream);

/// For a policy that cannot witness: asks it to choose for each entry; where it chooses what was
/// played it is told the outcome, else it forgets the decision. Returns how many entries were used.
/// What is used is as good as played where the log was drawn uniformly at random; else it is
/// biased by who chose.
std::uint64_t replay(AnyPolicy& policy, std::span<const Logged> log, Stream& stream);

/// Does a policy that can witness draw when it witnesses a reward between 0 and 1? Then sums of
/// such rewards do not say all. Found by trying it on a copy.
bool tosses_coins(const AnyPolicy& policy);

}  // namespace armature
