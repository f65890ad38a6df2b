#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <numbers>

#include "armature/families.h"
#include "armature/simulate.h"
#include "base/refusal.h"
#include "policies/adaptive/warden_strata.h"
#include "policies/small_problems.h"

namespace armature {
namespace {

using test::contains;
using test::Hand;
using test::problem_of;
using test::refusal;

const std::vector<std::vector<double>> kTwoArms{{0.75, 0.25}, {0.25, 0.75}};

double diagnostic(const Hand& hand, const std::string& name) {
  for (const Diagnostic& entry : hand.policy->diagnostics())
    if (entry.name == name) return entry.value;
  return -1;
}

// |A| = |Z| = 2, T = 200, r = 1/2. W(1; 100) = sqrt(log(100)/2) = 1.517, W(2; 100) = 0.989;
// r/n = 0.5, 0.25; w(1) = 1.695, w(2) = 1.299.
TEST(Warden, FirstRoundsByHand) {
  Hand hand("warden:r=0.5", problem_of(kTwoArms, 200));
  // All alike: C = 1, I = 1. Arm 0 pays nothing in context 0: I(0) = 0.5, U(0) = 1.517.
  EXPECT_EQ(hand.round(0, 0), 0u);
  // C(0) = 0.75·1.517 + 0.25 = 1.388 is above C(1) = 1.129: b = 0. But I(1) = 1 is above I(0), and
  // arm 1 has fewer plays: it is watched. It pays 1 in context 1: I(1) = 1.5, U(1) = 2.517.
  EXPECT_EQ(hand.round(1, 1), 1u);
  EXPECT_EQ(diagnostic(hand, "watch_rounds"), 1);
  // min(μ̂ + w, C): 1.695 for arm 0, 2.267 for arm 1, which has the larger I too. It pays 0 in
  // context 0: I(1) = 0.75, U(0) = 0.989.
  EXPECT_EQ(hand.round(0, 0), 1u);
  // min(1.695, 1.371) against min(1.799, 2.135).
  EXPECT_EQ(hand.round(0, 0), 1u);
  EXPECT_EQ(diagnostic(hand, "watch_rounds"), 1);
  EXPECT_EQ(diagnostic(hand, "rejected"), 0);
  EXPECT_EQ(diagnostic(hand, "candidates"), 2);
  EXPECT_EQ(diagnostic(hand, "rejection_round"), -1);  // it does not exist
}

// The rounds, of 1152, in which two text forms differ.
int differences(const std::string& one, const std::string& other) {
  const Problem problem = problem_of(kTwoArms, 1152);
  Hand first(one, problem), second(other, problem);
  int found = 0;
  for (int t = 0; t < 1152; ++t) {
    const Context z = t % 3 == 0 ? 0 : 1;
    const double reward = t % 5 < 2 ? 1 : 0;
    found += first.round(z, reward) == second.round(z, reward) ? 0 : 1;
  }
  return found;
}

// r = max(1/2, min(sqrt(|Z|T)/(6|A|), sqrt(T/|A|)/2)): with |A| = |Z| = 2 and T = 1152 it is
// min(4, 12) = 4.
TEST(Warden, TheDial) {
  EXPECT_EQ(differences("warden", "warden:r=4"), 0);
  EXPECT_EQ(differences("warden", "warden:R1=8"), 0);
  const double by_miss = 1152 / (8 * std::numbers::e * 100);
  EXPECT_EQ(differences("warden:R2=100", fmt::format("warden:r={:.17g}", by_miss)), 0);
  EXPECT_GT(differences("warden", "warden:r=1"), 0);
  EXPECT_GT(differences("warden", "warden:R2=100"), 0);
  EXPECT_EQ(differences("warden:delta=0.05,patience=50", "warden"), 0);
}

TEST(Warden, RefusesWhatDoesNotFitTogether) {
  const Problem problem = problem_of(kTwoArms, 100);
  Problem endless = problem;
  endless.horizon.reset();
  const auto told = [](const std::string& text, const Problem& of) {
    return refusal([&] { make_policy(text, of); });
  };
  EXPECT_TRUE(contains(told("warden:r=1,R1=3", problem), "at most one of them"));
  EXPECT_TRUE(contains(told("warden:R1=1,R2=3", problem), "at most one of them"));
  EXPECT_TRUE(contains(told("warden:r=0", problem), "r"));
  EXPECT_TRUE(contains(told("warden:delta=5e-324", problem), "delta"));
  EXPECT_TRUE(contains(told("warden:schedule=horizon", endless), "schedule=free"));
  EXPECT_EQ(told("warden", endless), "(accepted)");
  EXPECT_EQ(told("warden:patience=inf", problem), "(accepted)");
}

// --- The stratified test

// The outcome of another's decision, judged at once: what is heard between two choices is judged
// together.
void hear(Hand& hand, Arm arm, Context context, double reward) {
  hand.witness(arm, context, reward);
  hand.policy->forget(hand.choose());
}

// In context 0 the others paid nothing in o = 1000 plays, and arm 1 pays 1 in each of its k: D = k.
// With |A| = 2 and δ = 0.05 the split bound is
//   k = 11: sqrt(41·(2.5376 + 0.0781)) + sqrt(0.1246·(2.5376 + 0.8841)) = 10.36 + 0.65 = 11.01,
//   k = 12: sqrt(42·(2.5376 + 0.0841)) + sqrt(0.1483·(2.5376 + 0.8841)) = 10.49 + 0.71 = 11.21,
// and the joint one is larger.
TEST(Warden, TheStratifiedTestByHand) {
  Hand hand("warden:test=stratified", problem_of(kTwoArms, 10'000));
  hand.policy->witness(Tally{0, 0, 1000, 0}, hand.stream);
  hand.policy->forget(hand.choose());
  for (int k = 1; k <= 11; ++k) hear(hand, 1, 0, 1);
  EXPECT_EQ(diagnostic(hand, "rejected"), 0);
  hear(hand, 1, 0, 1);
  EXPECT_EQ(diagnostic(hand, "rejected"), 1);
  EXPECT_EQ(diagnostic(hand, "rejection_action"), 1);
  EXPECT_EQ(diagnostic(hand, "candidates"), -1);  // nobody asks any more
}

// What the action alone has seen of a context is not included, and what it gets there when it is
// impossible by ν̃ never is.
TEST(Warden, WhatIsIncluded) {
  Hand hand("warden", problem_of({{1, 0}, {0.5, 0.5}}, 1000));
  hear(hand, 0, 0, 1);
  hear(hand, 0, 0, 0);
  hear(hand, 1, 0, 1);
  hear(hand, 0, 0, 1);
  hear(hand, 1, 1, 1);
  hear(hand, 0, 1, 1);
  hear(hand, 1, 1, 1);
  EXPECT_EQ(hand.field("cell_plays"), "[3, 1, 1, 2]");
  EXPECT_EQ(hand.field("included_plays"), "[1, 0, 1, 1]");
  EXPECT_EQ(hand.field("included_sums"), "[1, 0, 1, 1]");
}

// Outcomes that come together do not include each other.
TEST(Warden, OutcomesThatComeTogetherAreJudgedTogether) {
  Hand together("warden:r=0.5", problem_of(kTwoArms, 1000));
  const Decision first = together.choose();
  const Decision second = together.choose();
  EXPECT_NE(first.arm, second.arm);
  together.observe(second, 0, 1);
  together.observe(first, 0, 1);
  together.choose();
  EXPECT_EQ(together.field("included_plays"), "[0, 0, 0, 0]");
  Hand apart("warden:r=0.5", problem_of(kTwoArms, 1000));
  apart.round(0, 0);
  apart.round(0, 1);
  apart.choose();
  EXPECT_EQ(apart.field("included_plays"), "[0, 0, 1, 0]");
}

// A certificate holds on every path it was asked about. Random states and paths, most of them near
// the bound; all that is drawn from them lies on the path.
TEST(Warden, CertificatesOfTheStratifiedTestHold) {
  Stream stream({3, 0, Purpose::kTest});
  const auto rows = std::make_shared<const MarginalRows>(
      Matrix::from_rows({{0.5, 0.25, 0.25}, {0.25, 0.75, 0}, {0.5, 0.25, 0.25}}));
  int held = 0;
  int refused = 0;
  for (int i = 0; i < 600; ++i) {
    Strata strata(rows, 0.05);
    const auto some = [&](Arm arm, Context z) {
      const std::uint64_t plays = uniform_index(stream, 60);
      strata.add(arm, z, plays, std::floor(stream.uniform() * static_cast<double>(plays)));
      strata.settle();
    };
    for (int step = 0; step < 6; ++step) some(uniform_index(stream, 3), uniform_index(stream, 3));
    if (strata.differs(0)) continue;
    std::vector<leap::SumPath> paths(3);
    for (leap::SumPath& path : paths)
      path = {static_cast<double>(uniform_index(stream, 40)), stream.uniform(),
              4 * stream.uniform(), 4 * stream.uniform()};
    if (!strata.agrees_along(0, paths)) {
      ++refused;
      continue;
    }
    ++held;
    // Along the edges, in random order of the contexts.
    for (const bool upwards : {false, true}) {
      Strata walk = strata;
      std::vector<double> counts(3), sums(3);
      for (int step = 0; step < 80; ++step) {
        const Context z = uniform_index(stream, 3);
        const leap::SumPath& path = paths[z];
        if (counts[z] + 1 > path.most) continue;
        counts[z] += 1;
        const double edge = upwards ? std::min(counts[z], counts[z] * path.drift + path.up)
                                    : std::max(0.0, counts[z] * path.drift - path.down);
        const double reward = std::clamp(edge - sums[z], 0.0, 1.0);
        sums[z] += reward;
        walk.add(0, z, 1, reward);
        EXPECT_FALSE(walk.differs(0)) << i;
        walk.settle();
      }
    }
  }
  EXPECT_GT(held, 50);
  EXPECT_GT(refused, 50);
}

// --- Looking, forgetting, learning from others

// The probabilities are those of the next choice, also where the bar has risen, Z has just been
// rejected or T is about to double, and looking leaves no trace.
TEST(Warden, ALookTellsTheNextChoiceAndLeavesNoTrace) {
  for (const char* family : {"bilodeau-confounded", "random-benign", "pareto-confounded:gap=0.06"})
    for (const char* text : {"warden:delta=0.95,r=6", "warden:schedule=free", "warden:test=causal"})
      for (const std::size_t delay : {0, 7}) {
        const World world(InstanceSource(family, 3000, 5).instance(0), 3000);
        const auto looked_at = make_policy(text, world.problem);
        const auto left_alone = make_policy(text, world.problem);
        Environment environment(world.tables, 5, 0);
        Stream stream({5, 0, Purpose::kPolicy});
        std::vector<double> probabilities(world.problem.actions());
        std::deque<std::pair<Decision, Outcome>> waiting;
        for (int t = 0; t < 3000; ++t) {
          ASSERT_TRUE(looked_at->probabilities(probabilities));
          const Decision decision = looked_at->choose(stream);
          ASSERT_EQ(probabilities[decision.arm], 1) << family << " " << text << " " << t;
          ASSERT_EQ(left_alone->choose(stream).arm, decision.arm);
          waiting.emplace_back(decision, environment.play(decision.arm));
          for (; waiting.size() > delay; waiting.pop_front())
            for (AnyPolicy* policy : {looked_at.get(), left_alone.get()})
              policy->observe(waiting.front().first, waiting.front().second, stream);
        }
        EXPECT_EQ(looked_at->digest(), left_alone->digest());
      }
}

TEST(Warden, AWatchThatIsLostIsMadeUpFor) {
  Hand hand("warden:r=0.5", problem_of(kTwoArms, 200));
  hand.round(0, 0);
  const Decision watch = hand.choose();
  EXPECT_EQ(diagnostic(hand, "watch_rounds"), 1);
  hand.policy->forget(watch);
  EXPECT_EQ(diagnostic(hand, "watch_rounds"), 0);
  EXPECT_EQ(hand.choose().arm, watch.arm);
}

// Outcomes told one by one or added up are the same evidence, whoever chose.
TEST(Warden, LearnsFromOthers) {
  Hand one_by_one("warden", problem_of(kTwoArms, 1000));
  Hand added_up("warden", problem_of(kTwoArms, 1000));
  for (const Arm arm : {0u, 1u, 0u})
    for (const Context z : {0u, 1u}) {
      for (int i = 0; i < 8; ++i) one_by_one.witness(arm, z, i % 4 == 0 ? 1 : 0);
      added_up.policy->witness(Tally{arm, z, 8, 2}, added_up.stream);
    }
  EXPECT_EQ(one_by_one.field("included_plays"), added_up.field("included_plays"));
  EXPECT_EQ(one_by_one.field("included_sums"), added_up.field("included_sums"));
  EXPECT_EQ(one_by_one.field("context_sums"), added_up.field("context_sums"));
  EXPECT_EQ(one_by_one.choose().arm, added_up.choose().arm);
}

// With outcomes out, each action is sent for before any is sent for twice, as r/n < 1.
TEST(Warden, DoesNotHerd) {
  Hand hand("warden:r=0.5", problem_of({{0.75, 0.25}, {0.25, 0.75}, {0.5, 0.5}, {0.5, 0.5}}, 1000));
  for (Arm a = 0; a < 4; ++a) EXPECT_EQ(hand.choose().arm, a);
  for (Arm a = 0; a < 4; ++a) EXPECT_EQ(hand.choose().arm, a);
  Hand herding("warden:r=0.5,inflight=ignore", problem_of(kTwoArms, 1000));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(herding.choose().arm, 0u);
}

}  // namespace
}  // namespace armature
