// What a policy is, and the registry of all of them. To write one: copy src/policies/index/ucb.cpp
// (inside armature) or examples/own-policy (outside), keep the five functions, register one row.
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "armature/environment.h"
#include "armature/error.h"
#include "armature/model.h"
#include "armature/parameters.h"
#include "armature/random.h"
#include "armature/state.h"

namespace armature {

/// What a policy answers. The ticket is the policy's own note to itself; it comes back with the
/// outcome.
struct Decision {
  Arm arm;
  std::uint64_t ticket = 0;
};

/// Numbers a policy has to tell about a finished run, in a fixed order. A number that does not
/// exist in this run (the round of a switch that never came) is left out.
struct Diagnostic {
  std::string name;
  double value;
};
using Diagnostics = std::vector<Diagnostic>;

/// Outcomes may come late, in any order, or never: `observe` is given the decision it belongs to,
/// and `forget` says that its outcome will not come. `choose` may account for the dispatch of its
/// decision.
template <class P>
concept Policy = requires(P& policy, const P& seen, Stream& stream, Decision decision,
                          Outcome outcome, StateVisitor& visitor) {
  { policy.choose(stream) } -> std::same_as<Decision>;
  {policy.observe(decision, outcome, stream)};
  {policy.forget(decision)};
  {policy.visit_state(visitor)};
  { seen.diagnostics() } -> std::same_as<Diagnostics>;
};

// --- For the engine that leaps over rounds (docs/leap.md)
// ----------------------------------------------------------------------------------------

/// So many plays of one arm.
struct Share {
  Arm arm;
  std::uint64_t plays;
};

/// What a policy will do in the next rounds while nothing surprising happens. A plan may cover
/// fewer rounds than it was asked for; without shares, the next round has to be played by itself.
struct Plan {
  std::vector<Share> shares;  // each arm at most once
  bool certain = false;       // holds whatever the outcomes: no certificate is asked for
  bool at_random = false;     // each round one of the arms of the shares, all alike likely
  bool contexts = false;      // wants to know visits and sums per context, not only the total
  bool in_turn = false;       // one share after the other; otherwise side by side
  /// Side by side: after any part of the window each arm has been played so many
  /// times as its share of that part, give or take this many.
  double unevenness = 0;

  Round rounds() const {
    Round total = 0;
    for (const Share& share : shares) total += share.plays;
    return total;
  }
};

/// How a sum of rewards can move while its count grows: after k ≤ most further outcomes it has
/// grown by at least max(0, k·drift − down) and at most min(k, k·drift + up).
struct Path {
  double most = 0;
  double drift = 0;
  double down = 0;
  double up = 0;
};

/// Where the statistics can be during a window: one path per share of the plan, and, if the plan
/// asks for contexts, one per context.
struct Box {
  std::span<const Path> arms;
  std::span<const Path> contexts;
};

/// What came of one share. Visits and sums per context are empty unless the plan asked for them.
struct Block {
  Arm arm;
  std::uint64_t plays;
  double sum;
  std::span<const std::uint64_t> visits;
  std::span<const double> sums;
};

/// `intend` lays out at most so many rounds in an empty plan; `holds` is pure and says whether
/// every choice of the plan stays as planned for all values in the box; `absorb` takes one share's
/// outcomes. `leap_obstacle` names what in the arguments stands against leaping, or is empty.
template <class P>
concept LeapPolicy = Policy<P> && requires(P& policy, const P& seen, Round rounds, Plan& plan,
                                           const Box& box, const Block& block) {
  {policy.intend(rounds, plan)};
  { seen.holds(plan, box) } -> std::same_as<bool>;
  {policy.absorb(block)};
  { seen.leap_obstacle() } -> std::same_as<std::string>;
};

class AnyPolicy;

struct Range {
  double low;
  double high;
};

/// So many further rounds of a balancer: what each learner gets of them, and where its mean reward
/// can be meanwhile.
struct BalanceWindow {
  Round rounds;
  std::span<const std::uint64_t> plays;
  std::span<const Range> means;
};

/// A balancer is not one leaping policy. As only the learner that plays is told, each learner's own
/// history does not depend on the schedule: the engine drives every learner by itself and merges
/// them by the counts (docs/leap.md, "Balancing").
class LeapBalancer {
 public:
  virtual ~LeapBalancer() = default;

  virtual std::size_t learners() const = 0;
  virtual AnyPolicy& learner(std::size_t i) = 0;
  virtual bool active(std::size_t i) const = 0;
  /// The active learner with the least level plays next, the lowest one on ties. Never falls with
  /// the number of plays.
  virtual double level(std::size_t i, std::uint64_t plays) const = 0;
  /// Numbers of plays n = 0, 1, … with level(i, n) below the bar; if `ties`, at it too.
  virtual std::uint64_t plays_below(std::size_t i, double bar, bool ties) const = 0;
  /// Is the active set what it is now after every round of the window?
  virtual bool stays(const BalanceWindow& window) const = 0;
  /// Rounds have been played; what they brought is not told yet.
  virtual void pass(Round rounds, std::span<const std::uint64_t> plays) = 0;
  /// All rewards so far per learner: runs the test.
  virtual void settle(std::span<const double> reward_sums) = 0;

 protected:
  LeapBalancer() = default;
  LeapBalancer(const LeapBalancer&) = default;
  LeapBalancer(LeapBalancer&&) = default;
  LeapBalancer& operator=(const LeapBalancer&) = default;
  LeapBalancer& operator=(LeapBalancer&&) = default;
};

/// A policy that remembers the largest value a statistic of the played arm ever had, which the
/// outcomes of a block together do not tell. The engine bounds it, and looks closer only when the
/// policy's choice depends on it (docs/leap.md, "Peaks").
class LeapPeak {
 public:
  virtual ~LeapPeak() = default;

  virtual std::uint64_t plays_of(Arm arm) const = 0;
  virtual double rewards_of(Arm arm) const = 0;
  /// The statistic after so many plays with that sum of rewards, and its largest value on a path
  /// from there.
  virtual double statistic(std::uint64_t plays, double rewards) const = 0;
  virtual double statistic_bound(std::uint64_t plays, double rewards, const Path& path) const = 0;
  /// The largest value known to have been reached.
  virtual double peak() const = 0;
  virtual void raise_peak(double value) = 0;
  /// The peak is nowhere above this.
  virtual void bound_peak(double value) = 0;
  /// Does the next choice not depend on where the peak is, up to its bound?
  virtual bool peak_settled() const = 0;

 protected:
  LeapPeak() = default;
  LeapPeak(const LeapPeak&) = default;
  LeapPeak(LeapPeak&&) = default;
  LeapPeak& operator=(const LeapPeak&) = default;
  LeapPeak& operator=(LeapPeak&&) = default;
};

// --- The erased form
// ----------------------------------------------------------------------------------

/// Any policy behind one interface. `play` is the typed loop: one virtual call for many rounds.
class AnyPolicy {
 public:
  virtual ~AnyPolicy() = default;

  virtual Decision choose(Stream& stream) = 0;
  /// Aborts on an arm, context or reward that the problem does not have, and where the policy's own
  /// counts tell that the decision is not outstanding. A DecisionBook tells the rest, as an Error.
  virtual void observe(Decision decision, Outcome outcome, Stream& stream) = 0;
  virtual void forget(Decision decision) = 0;
  virtual void visit_state(StateVisitor& visitor) = 0;
  virtual Diagnostics diagnostics() const = 0;

  /// Plays this many rounds with prompt feedback and counts the pulls of each arm.
  virtual void play(Environment& environment, Round rounds, Stream& stream,
                    std::span<std::uint64_t> pulls) = 0;
  /// Can the leap engine drive it?
  bool leaps() const { return leap_obstacle().empty(); }
  /// Why the leap engine cannot drive it; empty if it can.
  virtual std::string leap_obstacle() const = 0;
  /// The horizon beyond which leaping is the faster way; the engines' own default if 0.
  virtual Round leaps_well_beyond() const { return 0; }
  virtual void intend(Round rounds, Plan& plan) = 0;
  virtual bool holds(const Plan& plan, const Box& box) const = 0;
  virtual void absorb(const Block& block) = 0;
  /// Itself as a balancer, if it is one.
  virtual LeapBalancer* balancer() { return nullptr; }
  /// Itself as one that remembers a peak, if it does.
  virtual LeapPeak* peak_keeper() { return nullptr; }

  /// Save → load → continue equals the uninterrupted run bit for bit. The caller keeps the stream's
  /// position. Loading throws Error if the state is of another policy, problem or version.
  std::string save() const;
  void load(std::string_view saved);
  std::uint64_t digest() const;
  std::string dump() const;

  const std::string& text() const { return text_; }  // canonical text form

 protected:
  AnyPolicy(std::string text, const Problem& problem);

  void check_arm(Decision decision) const {
    ARMATURE_CHECK(decision.arm < actions_, "a decision's arm is one of the problem's");
  }
  void check_outcome(Outcome outcome) const {
    ARMATURE_CHECK(outcome.context < contexts_, "a context is one of the problem's");
    ARMATURE_CHECK(outcome.reward >= 0 && outcome.reward <= 1, "a reward is a number in [0,1]");
  }
  void check_world(const Environment& environment, std::size_t pulls) const {
    ARMATURE_CHECK(environment.actions() == actions_ && environment.contexts() == contexts_,
                   "the environment has the problem's actions and contexts");
    ARMATURE_CHECK(pulls == actions_, "pulls are counted for every action");
  }

 private:
  std::string owner() const;
  StateVisit fields() const;

  std::string text_;
  std::uint64_t problem_fingerprint_;
  std::uint32_t actions_;
  std::uint32_t contexts_;
};

template <Policy P>
class ErasedPolicy final : public AnyPolicy {
 public:
  ErasedPolicy(const Problem& problem, const Arguments& arguments)
      : AnyPolicy(arguments.canonical(), problem), policy_(problem, arguments) {}

  Decision choose(Stream& stream) override { return policy_.choose(stream); }
  void observe(Decision decision, Outcome outcome, Stream& stream) override {
    check_arm(decision);
    check_outcome(outcome);
    policy_.observe(decision, outcome, stream);
  }
  void forget(Decision decision) override {
    check_arm(decision);
    policy_.forget(decision);
  }
  void visit_state(StateVisitor& visitor) override { policy_.visit_state(visitor); }
  Diagnostics diagnostics() const override { return policy_.diagnostics(); }

  std::string leap_obstacle() const override {
    if constexpr (LeapPolicy<P> || std::derived_from<P, LeapBalancer>)
      return policy_.leap_obstacle();
    else
      return "no certificate is known for its choices";
  }
  Round leaps_well_beyond() const override {
    if constexpr (requires { policy_.leaps_well_beyond(); }) return policy_.leaps_well_beyond();
    return 0;
  }
  void intend([[maybe_unused]] Round rounds, [[maybe_unused]] Plan& plan) override {
    if constexpr (LeapPolicy<P>) policy_.intend(rounds, plan);
  }
  bool holds([[maybe_unused]] const Plan& plan, [[maybe_unused]] const Box& box) const override {
    if constexpr (LeapPolicy<P>) return policy_.holds(plan, box);
    return false;
  }
  void absorb([[maybe_unused]] const Block& block) override {
    if constexpr (LeapPolicy<P>) policy_.absorb(block);
  }
  LeapBalancer* balancer() override {
    if constexpr (std::derived_from<P, LeapBalancer>)
      return &policy_;
    else
      return nullptr;
  }
  LeapPeak* peak_keeper() override {
    if constexpr (std::derived_from<P, LeapPeak>)
      return &policy_;
    else
      return nullptr;
  }

  void play(Environment& environment, Round rounds, Stream& stream,
            std::span<std::uint64_t> pulls) override {
    check_world(environment, pulls.size());
    for (Round i = 0; i < rounds; ++i) {
      const Decision decision = policy_.choose(stream);
      const Outcome outcome = environment.play(decision.arm);
      policy_.observe(decision, outcome, stream);
      ++pulls[decision.arm];
    }
  }

 private:
  P policy_;
};

// --- The registry
// -------------------------------------------------------------------------------------

/// The facts of a policy, declared beside it: `static PolicyFacts facts()`.
struct PolicyFacts {
  std::string name;
  std::string summary;  // one line
  std::string text;     // what it promises, and the caveat
  std::string section;  // where its formula stands
  bool needs_horizon = false;
  bool needs_marginals = false;
  std::vector<Parameter> parameters = {};
};

struct PolicyEntry {
  PolicyFacts facts;
  std::unique_ptr<AnyPolicy> (*make)(const Problem&, const Arguments&) = nullptr;
  /// d with Reg(t) ≤ d·sqrt(t) for all t ≤ T where the policy is at home, if one is proved for
  /// these arguments: what balancing compares base learners by.
  std::optional<double> (*coefficient)(const Problem&, const Arguments&) = nullptr;
};

/// Throws Error if the problem is not well formed or lacks what the policy needs.
void require_fit(const PolicyFacts& facts, const Problem& problem);

template <Policy P>
PolicyEntry policy_entry() {
  PolicyEntry entry;
  entry.facts = P::facts();
  entry.make = [](const Problem& problem,
                  const Arguments& arguments) -> std::unique_ptr<AnyPolicy> {
    static const PolicyFacts facts = P::facts();
    require_fit(facts, problem);
    return std::make_unique<ErasedPolicy<P>>(problem, arguments);
  };
  if constexpr (requires(const Problem& p, const Arguments& a) { P::coefficient(p, a); })
    entry.coefficient = [](const Problem& problem,
                           const Arguments& arguments) -> std::optional<double> {
      static const PolicyFacts facts = P::facts();
      require_fit(facts, problem);
      return P::coefficient(problem, arguments);
    };
  return entry;
}

/// All registered policies, built-in ones first.
const std::vector<PolicyEntry>& policies();
/// Adds a policy of your own. Call before anything runs; names must be new.
void register_policy(PolicyEntry entry);
/// Throws Error with the nearest name.
const PolicyEntry& find_policy(const std::string& name);

/// Builds `name:key=value,…` for a problem, whose sizes formulas may speak of. Throws Error if the
/// text or the problem does not fit.
std::unique_ptr<AnyPolicy> make_policy(const std::string& text, const Problem& problem);
/// The proved coefficient of `name:key=value,…` on a problem, if there is one.
std::optional<double> policy_coefficient(const std::string& text, const Problem& problem);
/// The canonical text form, without building: checks names, types and ranges, works out formulas.
std::string canonical_policy(const std::string& text, const FormulaVariables& variables = {});

}  // namespace armature
