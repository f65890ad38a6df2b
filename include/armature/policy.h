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

namespace leap {
class Leaper;
}

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
  /// Of what is a name and no amount (an action, a learner): the name itself. Names are counted
  /// over replications, never averaged. Empty: an amount.
  std::string word = {};
};
/// An action as a diagnostic: it is counted by its index.
inline Diagnostic action_diagnostic(std::string name, Arm action) {
  return {std::move(name), static_cast<double>(action), std::to_string(action)};
}
using Diagnostics = std::vector<Diagnostic>;

/// What a policy goes by in its next choice: one list of numbers with a name. Where it has an
/// `index` of actions, the choice is the largest, among equals by the policy's own rule (mostly the
/// lowest), unless a `by_index` of 0 says that this time something else decides.
struct Insight {
  enum class Of { kActions, kContexts, kLearners, kPolicy };
  std::string name;  // whole words: index, mean, width, candidate, context_index, active, …
  Of of;
  std::vector<double> values;  // one per action, context or learner; of the policy itself: one
  bool yes_or_no = false;      // all values are 1 or 0
};
using Insights = std::vector<Insight>;

/// Outcomes of one action in one context, added up: of a single round, or of many.
struct Tally {
  Arm arm;
  Context context;
  std::uint64_t plays;
  double rewards;
};

/// Outcomes may come late, in any order, or never: `observe` is given the decision it belongs to,
/// and `forget` says that its outcome will not come. `choose` may account for the dispatch of its
/// decision.
///
/// A policy may also have
///   bool probabilities(std::span<double>) const   of each arm in the next choice; false: no closed
///                                                 form
///   std::optional<double> last_probability() const
///                                                 of the arm just chosen, given what chance has
///                                                 decided that is none of its own (a floor's base)
///   Insights explain() const                      what the next choice compares, as it computes it
///   void witness(const Tally&, Stream&)           learns from decisions it did not make, in any
///                                                 number
///   std::string witness_obstacle() const          why not with these arguments, and what to do
///                                                 instead; empty: it can
template <class P>
concept Policy = requires(P& policy, const P& seen, Stream& stream, Decision decision,
                          Outcome outcome, StateVisitor& visitor) {
  { policy.choose(stream) } -> std::same_as<Decision>;
  {policy.observe(decision, outcome, stream)};
  {policy.forget(decision)};
  {policy.visit_state(visitor)};
  { seen.diagnostics() } -> std::same_as<Diagnostics>;
};

/// Probabilities found by trying, each with a standard error of at most `error`.
struct ProbabilityEstimate {
  std::vector<double> probabilities;
  double error;
};

// --- The erased form -----------------------------------------------------------------------------

/// What to do with others' decisions where a policy cannot learn from them.
std::string replay_instead();

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

  /// The probability of each arm in the next choice, given everything so far. False, with `out` as
  /// it was, if there is no closed form (Thompson sampling). Leaves the policy as it is.
  virtual bool probabilities([[maybe_unused]] std::span<double> out) const { return false; }
  /// Right after a choice: the probability of the arm it was, given the choices of policies inside
  /// that have no closed form. As good for weighting as the one before the choice; known for a
  /// floor around anything. None elsewhere.
  virtual std::optional<double> last_probability() const { return std::nullopt; }
  /// The same for any policy, from so many trial choices of copies, on a stream of its own.
  ProbabilityEstimate estimate_probabilities(std::uint64_t draws, std::uint64_t seed) const;

  /// What the next choice goes by: indices, widths, candidates, learners at work; empty if the
  /// policy tells nothing of it. Leaves the policy as it is.
  virtual Insights explain() const { return {}; }

  /// Learns from a decision that somebody else made; its own decisions and their counts are as
  /// before. Throws Error, saying what to do instead, where witness_obstacle() is not empty.
  void witness(Arm arm, Outcome outcome, Stream& stream) {
    check_outcome(outcome);
    witness({arm, outcome.context, 1, outcome.reward}, stream);
  }
  void witness(const Tally& tally, Stream& stream);
  virtual std::string witness_obstacle() const { return replay_instead(); }

  /// A copy that goes its own way; null if this kind of policy cannot be copied.
  virtual std::unique_ptr<AnyPolicy> clone() const { return nullptr; }

  /// Plays this many rounds with prompt feedback and counts the pulls of each arm.
  virtual void play(Environment& environment, Round rounds, Stream& stream,
                    std::span<std::uint64_t> pulls) = 0;
  /// What the leap engine drives it by (armature/leap.h); null if its kind of policy is stepped.
  virtual leap::Leaper* leaper() { return nullptr; }

  /// Save → load → continue equals the uninterrupted run bit for bit. The caller keeps the stream's
  /// position. Loading throws Error if the state is of another policy, problem or version.
  std::string save() const;
  void load(std::string_view saved);
  std::uint64_t digest() const;
  std::string dump() const;

  const std::string& text() const { return text_; }  // canonical text form

 protected:
  AnyPolicy(std::string text, const Problem& problem);
  AnyPolicy(const AnyPolicy&) = default;
  AnyPolicy& operator=(const AnyPolicy&) = delete;

  virtual void do_witness(const Tally&, Stream&) {}

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
  void check_probabilities(std::size_t size) const {
    ARMATURE_CHECK(size == actions_, "every action has a probability");
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
      : AnyPolicy(arguments.canonical(), problem), policy_(problem, arguments) {
    // Spelt as a type that depends on P: nvcc looks for members of any other before it is complete.
    using Leaper = std::conditional_t<true, leap::Leaper, P>;
    if constexpr (std::derived_from<P, Leaper>)
      static_cast<Leaper&>(policy_).sizes_ = {problem.actions(), problem.contexts()};
  }

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

  bool probabilities(std::span<double> out) const override {
    check_probabilities(out.size());
    if constexpr (requires { policy_.probabilities(out); })
      return policy_.probabilities(out);
    else
      return false;
  }
  std::optional<double> last_probability() const override {
    if constexpr (requires { policy_.last_probability(); })
      return policy_.last_probability();
    else
      return std::nullopt;
  }
  Insights explain() const override {
    if constexpr (requires { policy_.explain(); })
      return policy_.explain();
    else
      return {};
  }
  std::string witness_obstacle() const override {
    if constexpr (!kWitnesses)
      return replay_instead();
    else if constexpr (requires { policy_.witness_obstacle(); })
      return policy_.witness_obstacle();
    else
      return {};
  }
  std::unique_ptr<AnyPolicy> clone() const override {
    if constexpr (std::copy_constructible<P>)
      return std::make_unique<ErasedPolicy>(*this);
    else
      return nullptr;
  }

  leap::Leaper* leaper() override {
    if constexpr (std::derived_from<P, leap::Leaper>)
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

  static constexpr bool kWitnesses = requires(P & policy, const Tally& tally, Stream& stream) {
    policy.witness(tally, stream);
  };

 private:
  void do_witness([[maybe_unused]] const Tally& tally, [[maybe_unused]] Stream& stream) override {
    if constexpr (kWitnesses) policy_.witness(tally, stream);
  }

  P policy_;
};

// --- The registry --------------------------------------------------------------------------------

/// The facts of a policy, declared beside it: `static PolicyFacts facts()`.
struct PolicyFacts {
  std::string name;
  std::string summary;  // one line
  std::string text;     // what it promises, and the caveat
  std::string section;  // where its formula stands
  bool needs_horizon = false;
  bool needs_marginals = false;
  std::vector<Parameter> parameters = {};
  bool witnesses = false;  // learns from others' decisions; filled in by policy_entry
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
  entry.facts.witnesses = ErasedPolicy<P>::kWitnesses;
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
