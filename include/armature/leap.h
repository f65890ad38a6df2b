// How a policy lets the leap engine pass over rounds (docs/leap.md). A policy that is stepped needs
// nothing of this. One that leaps derives from leap::Planner, or from leap::PeakKeeper or
// leap::Balancer where these fit, and overrides what they ask for; no more has to be said.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "armature/policy.h"

namespace armature::leap {

// --- Plans: what a policy will do in the next rounds while nothing surprising happens

/// `plays` plays of one arm. The tag is the policy's own note to itself, as a decision's ticket is:
/// it comes back with the plan and with what the plays brought.
struct Share {
  Arm arm;
  std::uint64_t plays;
  std::uint64_t tag = 0;
};

/// What the policy wants to be told of its plays: the sum of their rewards, or visits and sums per
/// context as well.
enum class Detail { kTotals, kContexts };

/// No plan: the next round has to be played by itself.
struct SingleRound {};

/// These plays, whatever the outcomes: no certificate is asked for.
struct Certain {
  enum class Order { kInTurn, kMixed };  // one share after the other, or in some other known order

  std::vector<Share> shares;  // each arm at most once
  Order order = Order::kInTurn;
  Detail detail = Detail::kTotals;
};

/// In each round one of the arms 0, …, arms − 1, all alike likely, whatever the outcomes. The
/// engine draws how often each of them comes up.
struct AtRandom {
  std::uint32_t arms;
  Round rounds;
};

/// One arm for as long as a certificate says that nothing overtakes it.
struct OneArm {
  Share share;
  Detail detail = Detail::kTotals;
};

/// Several arms side by side, under a certificate; told by contexts. After any part of the window
/// each arm has been played as many times as its share of that part, give or take the unevenness.
struct SideBySide {
  std::vector<Share> shares;  // at least two, each arm at most once
  double unevenness = 0;
};

/// A plan may cover fewer rounds than it was asked for.
using Plan = std::variant<SingleRound, Certain, AtRandom, OneArm, SideBySide>;

/// The shares that are known beforehand: none of a single round or of plays at random.
inline std::span<const Share> shares_of(const Plan& plan) {
  if (const auto* one = std::get_if<OneArm>(&plan)) return {&one->share, 1};
  if (const auto* several = std::get_if<SideBySide>(&plan)) return several->shares;
  if (const auto* certain = std::get_if<Certain>(&plan)) return certain->shares;
  return {};
}

inline Round total_plays(std::span<const Share> shares) {
  Round total = 0;
  for (const Share& share : shares) total += share.plays;
  return total;
}

/// How many rounds it covers: 0 for a single round, which is no plan.
inline Round rounds_of(const Plan& plan) {
  if (const auto* random = std::get_if<AtRandom>(&plan)) return random->rounds;
  return total_plays(shares_of(plan));
}

inline Detail detail_of(const Plan& plan) {
  if (const auto* one = std::get_if<OneArm>(&plan)) return one->detail;
  if (const auto* certain = std::get_if<Certain>(&plan)) return certain->detail;
  return std::get_if<SideBySide>(&plan) ? Detail::kContexts : Detail::kTotals;
}

/// Does it hold whatever the outcomes?
inline bool is_certain(const Plan& plan) {
  return std::get_if<Certain>(&plan) || std::get_if<AtRandom>(&plan);
}

/// Are its shares played one after the other?
inline bool is_in_turn(const Plan& plan) {
  if (const auto* random = std::get_if<AtRandom>(&plan)) return random->arms == 1;
  const auto* certain = std::get_if<Certain>(&plan);
  return shares_of(plan).size() == 1 || (certain && certain->order == Certain::Order::kInTurn);
}

// --- Boxes: where statistics can be while a plan is carried out

/// How a sum of rewards can move while its count grows: after k ≤ most further outcomes it has
/// grown by at least max(0, k·drift − down) and at most min(k, k·drift + up).
struct SumPath {
  double most = 0;
  double drift = 0;
  double down = 0;
  double up = 0;
};

/// One path per share of the plan, and one per context if the plan wants to be told of them.
struct Box {
  std::span<const SumPath> arms;
  std::span<const SumPath> contexts;
};

/// What came of one share. Visits and sums per context are empty unless the plan wanted them.
struct ShareOutcome {
  Share share;
  double sum;
  std::span<const std::uint64_t> visits;
  std::span<const double> sums;
};

struct Range {
  double low;
  double high;
};

// --- What leaps: a planner, or a balancer of planners

class Planner;
class PeakKeeper;
class Balancer;

/// What AnyPolicy::leaper() hands to the engine.
class Leaper {
 public:
  virtual ~Leaper() = default;

  /// What in its arguments stands against leaping, in words; empty if nothing does.
  virtual std::string obstacle() const { return {}; }
  /// The horizon beyond which leaping is the faster way; the engines' own default if 0.
  virtual Round leaps_well_beyond() const { return 0; }
  /// Itself as one of the two kinds; null if it is the other one.
  virtual Planner* planner() { return nullptr; }
  virtual Balancer* balancer() { return nullptr; }

 protected:
  Leaper() = default;
  Leaper(const Leaper&) = default;
  Leaper(Leaper&&) = default;
  Leaper& operator=(const Leaper&) = default;
  Leaper& operator=(Leaper&&) = default;

 private:
  template <Policy P>
  friend class armature::ErasedPolicy;  // tells the sizes
  friend class Planner;

  /// Of the problem: what arguments are checked against.
  struct Sizes {
    std::uint32_t actions = 0;
    std::uint32_t contexts = 0;
  };
  Sizes sizes_;
};

/// A policy that can say beforehand what it will do. The public functions abort on arguments that
/// the problem or the plan does not have, once a window; a policy overrides what stands behind
/// them, and is handed nothing else.
class Planner : public Leaper {
 public:
  /// Lays out at most `rounds` rounds from here.
  Plan intend(Round rounds);
  /// Does every choice of a plan laid out in this state stay as planned, for all values in the box?
  /// Pure: whatever was laid out since makes no difference. Not asked of plans that are certain; a
  /// planner that has no others leaves it out.
  bool holds(const Plan& plan, const Box& box) const;
  /// Takes the outcomes of one share of the plan.
  void absorb(const ShareOutcome& outcome);

  /// Itself as one that remembers a peak, if it does.
  virtual PeakKeeper* peak_keeper() { return nullptr; }
  Planner* planner() final { return this; }

 protected:
  virtual Plan do_intend(Round rounds) = 0;
  virtual bool do_holds(const Plan& plan, const Box& box) const;
  virtual void do_absorb(const ShareOutcome& outcome) = 0;

  /// For a policy that needs what its plan asked for; it may be handed another plan's.
  static void check_contexts_told(const Box& box);
  static void check_contexts_told(const ShareOutcome& outcome);
};

/// A planner that remembers the largest value a statistic of the played arm ever had, which the
/// outcomes of a share together do not tell. The engine bounds it, and looks closer only when the
/// policy's choice depends on it (docs/leap.md, "Peaks").
class PeakKeeper : public Planner {
 public:
  virtual std::uint64_t plays_of(Arm arm) const = 0;
  virtual double rewards_of(Arm arm) const = 0;
  /// The statistic after `plays` plays with that sum of rewards, and its largest value on a path
  /// from there.
  virtual double statistic(std::uint64_t plays, double rewards) const = 0;
  virtual double statistic_bound(std::uint64_t plays, double rewards,
                                 const SumPath& path) const = 0;
  /// The largest value known to have been reached.
  virtual double peak() const = 0;
  virtual void raise_peak(double value) = 0;
  /// The peak is nowhere above this.
  virtual void bound_peak(double value) = 0;
  /// Does the next choice not depend on where the peak is, up to its bound?
  virtual bool peak_settled() const = 0;

  PeakKeeper* peak_keeper() final { return this; }
};

/// Further rounds of a balancer: what each learner gets of them, and where its mean reward
/// can be meanwhile.
struct BalancerWindow {
  Round rounds;
  std::span<const std::uint64_t> plays;
  std::span<const Range> means;
};

/// A balancer lays out no plans. As only the learner that plays is told, each learner's own history
/// does not depend on the schedule: the engine drives every learner by itself and merges them by
/// the counts (docs/leap.md, "Balancing"). Arguments are checked as a planner's are.
class Balancer : public Leaper {
 public:
  virtual std::size_t learners() const = 0;
  AnyPolicy& learner(std::size_t i);
  bool active(std::size_t i) const;
  /// The active learner with the least level plays next, the lowest one on ties. Never falls with
  /// the number of plays.
  double level(std::size_t i, std::uint64_t plays) const;
  /// Numbers of plays n = 0, 1, … with level(i, n) below the bar; if `ties`, at it too.
  std::uint64_t plays_below(std::size_t i, double bar, bool ties) const;
  /// Is the active set what it is now after every round of the window?
  bool stays(const BalancerWindow& window) const;
  /// Rounds have been played; what they brought is not told yet. The learners' shares, as its
  /// diagnostics tell them, are up to date from here on.
  void pass(Round rounds, std::span<const std::uint64_t> plays);
  /// All rewards so far per learner: runs the test.
  void settle(std::span<const double> reward_sums);

  Balancer* balancer() final { return this; }

 protected:
  virtual AnyPolicy& do_learner(std::size_t i) = 0;
  virtual bool do_active(std::size_t i) const = 0;
  virtual double do_level(std::size_t i, std::uint64_t plays) const = 0;
  virtual std::uint64_t do_plays_below(std::size_t i, double bar, bool ties) const = 0;
  virtual bool do_stays(const BalancerWindow& window) const = 0;
  virtual void do_pass(Round rounds, std::span<const std::uint64_t> plays) = 0;
  virtual void do_settle(std::span<const double> reward_sums) = 0;

 private:
  void check_learner(std::size_t i) const;
  void check_plays(Round rounds, std::span<const std::uint64_t> plays) const;
};

/// Why the leap engine cannot drive this policy, in words; empty if it can.
std::string obstacle(AnyPolicy& policy);

}  // namespace armature::leap
