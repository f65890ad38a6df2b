// The battery is only worth something if it catches what is broken. Each policy here breaks one
// law.
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <set>

#include "armature/conformance.h"
#include "armature/leap.h"

namespace armature {
namespace {

PolicyFacts facts_named(const char* name) {
  return {.name = name, .summary = "broken", .text = "For tests.", .section = "§5"};
}

// What the broken ones have in common: they play in turn and are right in everything else.
class InTurn {
 public:
  InTurn(const Problem& problem, const Arguments&) : actions_(problem.actions()) {}
  Decision choose(Stream&) { return {static_cast<Arm>(rounds_++ % actions_)}; }
  void observe(Decision, Outcome, Stream&) {}
  void forget(Decision) {}
  void visit_state(StateVisitor& visitor) { visitor.field("rounds", rounds_); }
  Diagnostics diagnostics() const { return {}; }

 protected:
  std::uint32_t actions_;
  std::uint64_t rounds_ = 0;
};

struct Sound : InTurn {
  static PolicyFacts facts() { return facts_named("test-sound"); }
  using InTurn::InTurn;
};

struct OutOfRange : InTurn {
  static PolicyFacts facts() { return facts_named("test-out-of-range"); }
  using InTurn::InTurn;
  Decision choose(Stream&) { return {++rounds_ == 500 ? actions_ : 0}; }
};

// Changes its ways after 400 rounds but does not save how many there were.
struct ForgottenField : InTurn {
  static PolicyFacts facts() { return facts_named("test-forgotten-field"); }
  using InTurn::InTurn;
  Decision choose(Stream&) { return {++rounds_ > 400 ? actions_ - 1 : 0}; }
  void visit_state(StateVisitor&) {}
};

// Saves all, but does not rebuild what it derives when it is loaded.
struct ForgottenRebuild : InTurn {
  static PolicyFacts facts() { return facts_named("test-forgotten-rebuild"); }
  using InTurn::InTurn;
  Decision choose(Stream&) {
    ++rounds_;
    derived_ = (derived_ + 1) % actions_;
    return {derived_};
  }
  Arm derived_ = 0;  // ≡ rounds_ mod |A|
};

struct OrderDependent : InTurn {
  static PolicyFacts facts() { return facts_named("test-order-dependent"); }
  using InTurn::InTurn;
  void observe(Decision, Outcome outcome, Stream&) {
    average_ += 0.1 * (outcome.reward - average_);
  }
  void visit_state(StateVisitor& visitor) {
    InTurn::visit_state(visitor);
    visitor.field("average", average_);
  }
  double average_ = 0;
};

struct NotFinite : InTurn {
  static PolicyFacts facts() { return facts_named("test-not-finite"); }
  using InTurn::InTurn;
  Diagnostics diagnostics() const { return {{"ratio", std::numeric_limits<double>::quiet_NaN()}}; }
};

struct TwiceTheSameName : InTurn {
  static PolicyFacts facts() { return facts_named("test-twice-the-same-name"); }
  using InTurn::InTurn;
  Diagnostics diagnostics() const { return {{"rounds", 1}, {"rounds", 2}}; }
};

// Two copies share a variable: no two runs are alike.
struct SharedState : InTurn {
  static PolicyFacts facts() { return facts_named("test-shared-state"); }
  using InTurn::InTurn;
  Decision choose(Stream&) {
    static std::uint64_t shared = 0;
    return {static_cast<Arm>(shared++ % actions_)};
  }
};

// Right in every promptly answered round; a lost outcome leads it out of range.
struct LostForLosses : InTurn {
  static PolicyFacts facts() { return facts_named("test-lost-for-losses"); }
  using InTurn::InTurn;
  Decision choose(Stream&) { return {lost_ > 0 ? actions_ : 0}; }
  void forget(Decision) { ++lost_; }
  void visit_state(StateVisitor& visitor) { visitor.field("lost", lost_); }
  std::uint64_t lost_ = 0;
};

// Looking at its state changes it.
struct Disturbed : InTurn {
  static PolicyFacts facts() { return facts_named("test-disturbed"); }
  using InTurn::InTurn;
  void visit_state(StateVisitor& visitor) {
    ++looks_;
    visitor.field("looks", looks_);
  }
  std::uint64_t looks_ = 0;
};

// Leaps, and judges a plan by the one laid out last.
struct ForgetfulPlanner : InTurn, leap::Planner {
  static PolicyFacts facts() { return facts_named("test-forgetful-planner"); }
  using InTurn::InTurn;
  leap::Plan do_intend(Round rounds) override {
    planned_ = rounds;
    return leap::OneArm{{static_cast<Arm>(rounds_ % actions_), rounds}};
  }
  bool do_holds(const leap::Plan&, const leap::Box&) const override { return planned_ == 1; }
  void do_absorb(const leap::ShareOutcome& outcome) override { rounds_ += outcome.share.plays; }
  Round planned_ = 0;
};

// Laying out a plan counts as if it had been carried out.
struct HastyPlanner : ForgetfulPlanner {
  static PolicyFacts facts() { return facts_named("test-hasty-planner"); }
  using ForgetfulPlanner::ForgetfulPlanner;
  leap::Plan do_intend(Round rounds) override {
    const Arm arm = static_cast<Arm>(rounds_ % actions_);
    rounds_ += rounds;
    return leap::OneArm{{arm, rounds}};
  }
  bool do_holds(const leap::Plan&, const leap::Box&) const override { return true; }
};

// Lays out more than it is asked for.
struct EagerPlanner : ForgetfulPlanner {
  static PolicyFacts facts() { return facts_named("test-eager-planner"); }
  using ForgetfulPlanner::ForgetfulPlanner;
  leap::Plan do_intend(Round rounds) override { return leap::Certain{{{0, rounds + 1}}}; }
};

// Copies count on one counter.
struct JoinedCopies : InTurn {
  static PolicyFacts facts() { return facts_named("test-joined-copies"); }
  using InTurn::InTurn;
  Decision choose(Stream&) { return {static_cast<Arm>((*joined_)++ % actions_)}; }
  void visit_state(StateVisitor& visitor) { visitor.field("joined", *joined_); }
  std::shared_ptr<std::uint64_t> joined_ = std::make_shared<std::uint64_t>(0);
};

// States what is true of the choice after next.
struct AheadOfItself : InTurn {
  static PolicyFacts facts() { return facts_named("test-ahead-of-itself"); }
  using InTurn::InTurn;
  bool probabilities(std::span<double> out) const {
    for (Arm a = 0; a < actions_; ++a) out[a] = a == (rounds_ + 1) % actions_ ? 1 : 0;
    return true;
  }
};

struct TooSure : InTurn {
  static PolicyFacts facts() { return facts_named("test-too-sure"); }
  using InTurn::InTurn;
  bool probabilities(std::span<double> out) const {
    for (double& p : out) p = 1.01 / actions_;
    return true;
  }
};

// Has no closed form and leaves half of one.
struct HalfStated : InTurn {
  static PolicyFacts facts() { return facts_named("test-half-stated"); }
  using InTurn::InTurn;
  bool probabilities(std::span<double> out) const {
    out[0] = 0.5;
    return false;
  }
};

// Being asked is a round.
struct MovedByQuestions : InTurn {
  static PolicyFacts facts() { return facts_named("test-moved-by-questions"); }
  using InTurn::InTurn;
  MovedByQuestions(const MovedByQuestions& other)
      : InTurn(other), asked_(std::make_shared<std::uint64_t>(*other.asked_)) {}
  Decision choose(Stream&) { return {static_cast<Arm>((*asked_ + rounds_++) % actions_)}; }
  bool probabilities(std::span<double>) const {
    ++*asked_;
    return false;
  }
  std::shared_ptr<std::uint64_t> asked_ = std::make_shared<std::uint64_t>(0);
};

// Learns from its own rewards alone, and says it learns from others'.
struct DeafWitness : InTurn {
  static PolicyFacts facts() { return facts_named("test-deaf-witness"); }
  using InTurn::InTurn;
  void observe(Decision, Outcome outcome, Stream&) { rewards_ += outcome.reward; }
  void witness(const Tally&, Stream&) {}
  void visit_state(StateVisitor& visitor) {
    InTurn::visit_state(visitor);
    visitor.field("rewards", rewards_);
  }
  double rewards_ = 0;
};

// Others' decisions lead it out of range.
struct MisledWitness : InTurn {
  static PolicyFacts facts() { return facts_named("test-misled-witness"); }
  using InTurn::InTurn;
  Decision choose(Stream&) { return {witnessed_ > 100 ? actions_ : 0}; }
  void witness(const Tally&, Stream&) { ++witnessed_; }
  void visit_state(StateVisitor& visitor) { visitor.field("witnessed", witnessed_); }
  std::uint64_t witnessed_ = 0;
};

template <class P>
std::set<std::string> broken_laws() {
  static const bool registered = [] {
    register_policy(policy_entry<P>());
    return true;
  }();
  (void)registered;
  std::set<std::string> laws;
  for (const ConformanceFailure& failure : check_conformance(P::facts().name))
    laws.insert(failure.law);
  return laws;
}

using Laws = std::set<std::string>;

TEST(BrokenPolicies, TheCommonPartIsSound) { EXPECT_EQ(broken_laws<Sound>(), Laws{}); }

TEST(BrokenPolicies, ArmOutOfRange) { EXPECT_EQ(broken_laws<OutOfRange>(), Laws{"valid-arms"}); }

TEST(BrokenPolicies, ForgottenField) {
  EXPECT_EQ(broken_laws<ForgottenField>(), Laws{"save-load"});
}

TEST(BrokenPolicies, ForgottenRebuild) {
  EXPECT_EQ(broken_laws<ForgottenRebuild>(), Laws{"save-load"});
}

TEST(BrokenPolicies, OrderDependentUpdate) {
  EXPECT_EQ(broken_laws<OrderDependent>(), Laws{"reordering"});
}

TEST(BrokenPolicies, DiagnosticNotFinite) {
  EXPECT_EQ(broken_laws<NotFinite>(), Laws{"diagnostics"});
}

TEST(BrokenPolicies, DiagnosticTwice) {
  EXPECT_EQ(broken_laws<TwiceTheSameName>(), Laws{"diagnostics"});
}

TEST(BrokenPolicies, StateSharedBetweenCopies) {
  EXPECT_TRUE(broken_laws<SharedState>().contains("determinism"));
}

TEST(BrokenPolicies, LossesLeadAstray) {
  EXPECT_EQ(broken_laws<LostForLosses>(), Laws{"late-and-lost"});
}

TEST(BrokenPolicies, LookingChangesTheState) {
  EXPECT_TRUE(broken_laws<Disturbed>().contains("refuse-bad-state"));
}

TEST(BrokenPolicies, PlansThatDoNotStandByThemselves) {
  EXPECT_EQ(broken_laws<ForgetfulPlanner>(), Laws{"plans"});
  EXPECT_EQ(broken_laws<HastyPlanner>(), Laws{"plans"});
  EXPECT_EQ(broken_laws<EagerPlanner>(), Laws{"plans"});
}

TEST(BrokenPolicies, CopiesThatHangTogether) {
  EXPECT_EQ(broken_laws<JoinedCopies>(), (Laws{"clone", "probabilities"}));
}

TEST(BrokenPolicies, ProbabilitiesThatAreNone) {
  EXPECT_EQ(broken_laws<AheadOfItself>(), Laws{"probabilities"});
  EXPECT_EQ(broken_laws<TooSure>(), Laws{"probabilities"});
  EXPECT_EQ(broken_laws<HalfStated>(), Laws{"probabilities"});
  EXPECT_EQ(broken_laws<MovedByQuestions>(), Laws{"probabilities"});
}

TEST(BrokenPolicies, WitnessesThatLearnNothingOrNonsense) {
  EXPECT_EQ(broken_laws<DeafWitness>(), Laws{"witness"});
  EXPECT_EQ(broken_laws<MisledWitness>(), Laws{"witness"});
}

TEST(BrokenPolicies, FailuresSayWhere) {
  broken_laws<OutOfRange>();
  const auto failures = check_conformance("test-out-of-range");
  ASSERT_FALSE(failures.empty());
  EXPECT_EQ(failures[0].detail, "1 actions, 1 contexts: arm 1 in round 500");
}

}  // namespace
}  // namespace armature
