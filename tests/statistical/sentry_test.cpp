// The theorem of spec §6, run by run, at every round: Reg(t) above its explicit bound in no more
// runs than its level allows (and luck at one in a million adds).
#include <cmath>

#include "armature/families.h"
#include "armature/simulate.h"
#include "statistical/release_only.h"
#include "support/statistics.h"

namespace armature {
namespace {

constexpr double kDelta = 0.1;
constexpr Round kHorizon = 10'000;
constexpr std::uint32_t kRuns = 1000;
constexpr double kShare = 0.2;  // E/T

class SentryTheorem : public test::ReleaseOnly {};

struct Sizes {
  double A, Z;
  double T = kHorizon;
  double L_A() const { return std::log(2 * A * T / kDelta); }
  double L_Z() const { return std::log(2 * Z * T / kDelta); }
  // D_C = sqrt(L_Z)(sqrt(8|Z|) + sqrt(log(T/δ)))
  double D_C() const {
    return std::sqrt(L_Z()) * (std::sqrt(8 * Z) + std::sqrt(std::log(T / kDelta)));
  }
  double ucb(double t) const { return std::sqrt(8 * A * L_A() * t); }
};

// (A), first: sqrt(8|A|L_A t) + (t−E)⁺·sqrt(|A|(2L_A+1)/E) + τt
double any_world_first(const Sizes& n, double t, double) {
  const double E = kShare * n.T;
  return n.ucb(t) + std::max(0.0, t - E) * std::sqrt(n.A * (2 * n.L_A() + 1) / E);
}
// (A), spread: sqrt(8|A|L_A t) + (1−f)·sqrt(|A|(8L_A+4)t/f) + τt, f = E/T
double any_world_spread(const Sizes& n, double t, double) {
  return n.ucb(t) + (1 - kShare) * std::sqrt(n.A * (8 * n.L_A() + 4) * t / kShare);
}
// (B): D_C·√t + sqrt(8|A|L_A e(t)), and also sqrt(8|A|L_A t)
double benign_world(const Sizes& n, double t, double explored) {
  return std::min(n.D_C() * std::sqrt(t) + n.ucb(explored), n.ucb(t));
}

using Bound = double (*)(const Sizes&, double t, double explored);

struct Count {
  int violations = 0;  // runs in which the bound fails at some round
  int rejections = 0;  // runs that reject benignness
};

Count count(const std::string& family, const std::string& policy_text, Bound bound) {
  const InstanceSource source(family, kHorizon, 8);
  Count result;
  for (std::uint32_t run = 0; run < kRuns; ++run) {
    const World world(source.instance(run), kHorizon);
    const auto policy = make_policy(policy_text, world.problem);
    Environment environment(world.tables, 8, run);
    Stream stream({8, run, Purpose::kPolicy});
    const Sizes sizes{double(world.problem.actions()), double(world.problem.contexts())};
    double regret = 0;
    double explored = 0;
    bool violated = false;
    for (Round t = 1; t <= kHorizon; ++t) {
      const Decision decision = policy->choose(stream);
      policy->observe(decision, environment.play(decision.arm), stream);
      explored += decision.ticket == 1 ? 1 : 0;  // sentry's mark of an exploration
      regret += world.instance->gap(decision.arm);
      // Regret is a sum of many gaps, all rounded.
      const double allowed = bound(sizes, static_cast<double>(t), explored) * (1 + 1e-9);
      violated = violated || regret > allowed;
    }
    result.violations += violated ? 1 : 0;
    for (const Diagnostic& entry : policy->diagnostics())
      if (entry.name == "rejected" && entry.value == 1) ++result.rejections;
  }
  return result;
}

std::string sentry(const std::string& schedule, const std::string& more = "") {
  return "sentry:confidence=paper,delta=0.1,share=0.2,schedule=" + schedule + more;
}

int by_luck(double level) {
  return test::most_failures_by_luck(kRuns, level, test::kFalseAlarmRate);
}

// Few actions and large gaps: with |A| = 2 the bounds stand well below what fixed play of a bad
// action costs, so they can fail.
const char* const kBenign[] = {"random-benign:actions=3,contexts=2",
                               "pareto-benign:actions=2,gap=0.2", "random-benign"};
const char* const kConfounded[] = {"hidden-arm:actions=2,gap=0.5", "bilodeau-confounded:actions=2",
                                   "semi-benign:actions=3,contexts=2,shift=1"};

TEST_F(SentryTheorem, HoldsInAnyWorld) {
  for (const char* family : kConfounded) {
    for (const char* more : {"", ",rejection=off"}) {
      EXPECT_LE(count(family, sentry("first", more), any_world_first).violations, by_luck(kDelta))
          << family << more;
      EXPECT_LE(count(family, sentry("spread", more), any_world_spread).violations, by_luck(kDelta))
          << family << more;
    }
  }
}

TEST_F(SentryTheorem, HoldsInBenignWorldsAndRejectsRarely) {
  for (const char* family : kBenign)
    for (const char* schedule : {"first", "spread"}) {
      const Count result = count(family, sentry(schedule), benign_world);
      EXPECT_LE(result.violations, by_luck(3 * kDelta)) << family << " " << schedule;
      EXPECT_LE(result.rejections, by_luck(2 * kDelta)) << family << " " << schedule;
    }
}

// Rejection needs an interval of an action or of a context to fail: level 2δ in every family of
// intervals that has one.
TEST_F(SentryTheorem, FalseAlarmsStayWithinTheirLevel) {
  const auto false_alarms = [](const char* family, const char* confidence) {
    return count(family, std::string("sentry:delta=0.1,confidence=") + confidence, benign_world)
        .rejections;
  };
  for (const char* family : kBenign)
    for (const char* confidence : {"anytime", "paper"})
      EXPECT_LE(false_alarms(family, confidence), by_luck(2 * kDelta))
          << family << " " << confidence;
  EXPECT_LE(false_alarms(kBenign[0], "anytime-kl"), by_luck(2 * kDelta));  // slow: one world only
}

// The bounds have teeth: what believes the contexts breaks (A). At t = T = 10^4, |A| = 2: L_A =
// log(4·10^5) = 12.9, sqrt(16·12.9·10^4) = 1437, and 8000·sqrt(2·26.8/2000) = 1310: 2747 for first,
// and 1437 + 0.8·sqrt(2·107.2·10^4/0.2) = 4056 for spread. c-ucb loses 0.5·10^4 = 5000 in
// hidden-arm.
TEST_F(SentryTheorem, CausalUcbBreaksTheBoundForAnyWorld) {
  EXPECT_EQ(count("hidden-arm:actions=2,gap=0.5", "c-ucb", any_world_first).violations, int{kRuns});
  EXPECT_EQ(count("hidden-arm:actions=2,gap=0.5", "c-ucb", any_world_spread).violations,
            int{kRuns});
}

// And the test does reject where the contexts lie: more often than false alarms could explain.
TEST_F(SentryTheorem, RejectsInConfoundedWorlds) {
  EXPECT_GT(count("bilodeau-confounded:actions=2", sentry("first"), any_world_first).rejections,
            by_luck(2 * kDelta));
}

// The count of false alarms has teeth: at a tenth of the widths benign worlds are rejected far more
// often than the level.
TEST_F(SentryTheorem, NarrowIntervalsRejectBenignWorlds) {
  EXPECT_GT(count("random-benign", sentry("first", ",scale=0.1"), benign_world).rejections,
            by_luck(2 * kDelta));
}

}  // namespace
}  // namespace armature
