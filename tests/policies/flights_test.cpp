// Plays in flight, across all policies whose index counts them.
#include <gtest/gtest.h>

#include <set>

#include "armature/simulate.h"
#include "policies/small_problems.h"

namespace armature {
namespace {

using test::Hand;
using test::problem_of;

// Twelve actions whose rows differ, so that causal policies can tell them apart.
Problem twelve_actions(Round horizon) {
  Stream stream({3, 0, Purpose::kTest});
  std::vector<std::vector<double>> rows;
  for (int a = 0; a < 12; ++a) rows.push_back(dirichlet(stream, 6, 0.3));
  return problem_of(rows, horizon);
}

std::size_t arms_without_an_outcome(const std::string& text) {
  Hand hand(text, twelve_actions(100'000));
  std::set<Arm> seen;
  for (int t = 0; t < 1000; ++t) seen.insert(hand.choose().arm);
  return seen.size();
}

// Index policies that do not count what is out choose the same arm until the first outcome comes.
TEST(Flights, NobodyHerds) {
  for (const char* name : {"ucb", "moss", "kl-ucb", "sentry", "sentry:schedule=spread", "warden"})
    EXPECT_EQ(arms_without_an_outcome(name), 12u) << name;
  // What the contexts of an action teach is taught by others as well: not all need be tried.
  for (const char* name : {"c-ucb", "cl-ucb", "sentry:proposal=cl-ucb"})
    EXPECT_GE(arms_without_an_outcome(name), 3u) << name;
  for (const char* name : {"ucb", "moss", "kl-ucb", "c-ucb", "cl-ucb"})
    EXPECT_EQ(arms_without_an_outcome(std::string(name) + ":inflight=ignore"), 1u) << name;
}

// What is out is part of the state only while something is.
TEST(Flights, AreSavedWhileTheyLast) {
  for (const char* name :
       {"ucb", "moss", "kl-ucb", "c-ucb", "cl-ucb", "sentry", "warden", "hac-ucb"}) {
    const Problem problem = twelve_actions(100'000);
    Hand hand(name, problem);
    EXPECT_EQ(hand.field("in_flight"), "no field in_flight") << name;
    std::vector<Decision> sent;
    for (int t = 0; t < 5; ++t) sent.push_back(hand.choose());
    EXPECT_NE(hand.field("in_flight"), "no field in_flight") << name;
    Hand copy(name, problem);
    copy.policy->load(hand.policy->save());
    EXPECT_EQ(copy.policy->digest(), hand.policy->digest()) << name;
    for (const Decision& decision : sent) {
      EXPECT_EQ(copy.choose().arm, hand.choose().arm) << name;
      hand.observe(decision, 1, 0.5);
      copy.observe(decision, 1, 0.5);
    }
    EXPECT_EQ(copy.policy->digest(), hand.policy->digest()) << name;
  }
}

TEST(Flights, AnOutcomeTooManyIsRefused) {
  for (const char* name :
       {"ucb", "moss", "kl-ucb", "c-ucb", "cl-ucb", "sentry", "warden", "hac-ucb"}) {
    Hand hand(name, twelve_actions(1000));
    const Decision decision = hand.choose();
    hand.observe(decision, 0, 1);
    EXPECT_DEATH(hand.observe(decision, 0, 1), "outstanding") << name;
    EXPECT_DEATH(hand.policy->forget(decision), "outstanding") << name;
  }
}

}  // namespace
}  // namespace armature
