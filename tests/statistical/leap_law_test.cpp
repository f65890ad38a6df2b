// Two engines, one law: step and leap with different seeds, compared on regret at the horizon and
// at two checkpoints inside blocks (Kolmogorov–Smirnov), on the plays of the best and of the first
// arm (chi-square), and on the times of switches, rejections and deactivations.
//
// `make test` plays half as often as `make test-long` (ARMATURE_LONG=1): a fault must then be a
// little larger to be seen. The rate of false alarms is the same.
//
// False alarms: each comparison has rate kRate. There are 22 policies on 6 families at 3 horizons
// and 9 further cells, with 13 comparisons each: 5,265, so that all together stay below 1e-4.
#include <fmt/format.h>

#include "armature/families.h"
#include "armature/simulate.h"
#include "policies/index/c_ucb.h"
#include "policies/tools/path_bounds.h"
#include "statistical/release_only.h"
#include "support/statistics.h"
#include "support/two_samples.h"

namespace armature {
namespace {

constexpr double kRate = 1.8e-8;
const std::atomic<bool> kGoOn{false};

class LeapLaw : public test::ReleaseOnly {};

// Gaps wide enough for leaps at the horizons that the step engine can repeat often.
const std::vector<std::string> kFamilies = {
    "pareto-benign:actions=3,gap=0.2", "pareto-confounded:actions=4,gap=0.06",
    "hidden-arm:actions=3,gap=0.4",    "bilodeau-benign:actions=3,gap=0.4",
    "bilodeau-confounded:actions=4",   "semi-benign:actions=4,contexts=3",
};

std::vector<Replication> play(const std::string& instance, const std::string& policy, Round horizon,
                              std::uint32_t replications, Engine engine) {
  static const bool full = std::getenv("ARMATURE_LONG") != nullptr;
  if (full) replications *= 2;
  Cell cell;
  const InstanceSource source(instance, horizon, 11);  // the same worlds for both engines
  std::shared_ptr<const World> shared;
  if (!source.fresh_per_replication())
    shared = std::make_shared<const World>(source.instance(0), horizon);
  cell.world = [source, shared, horizon](std::uint32_t replication) {
    return shared ? shared : std::make_shared<const World>(source.instance(replication), horizon);
  };
  cell.policy = policy;
  cell.horizon = horizon;
  cell.seed = engine == Engine::kStep ? 101 : 202;
  cell.checkpoints = {horizon / 3, horizon / 2 + 7, horizon};
  cell.engine = engine;
  return run_block(cell, {0, replications}, kGoOn).replications;
}

std::vector<double> each(const std::vector<Replication>& runs, const auto& value) {
  std::vector<double> values;
  for (const Replication& run : runs) values.push_back(value(run));
  return values;
}

double diagnostic(const Replication& run, const std::string& start) {
  for (const Diagnostic& entry : run.diagnostics)
    if (entry.name.starts_with(start)) return entry.value;
  return -1;  // did not happen
}

// The chi-square quantile at kRate (Wilson–Hilferty; 5.5094 is the one-sided normal quantile).
double chi_square_bound(double degrees) {
  const double c = 2 / (9 * degrees);
  const double root = 1 - c + 5.5094 * std::sqrt(c);
  return degrees * root * root * root;
}

// What tells the two laws apart; empty if nothing does.
std::string difference(const std::vector<Replication>& step, const std::vector<Replication>& leap) {
  std::string found;
  const double bound = test::ks_bound(step.size(), kRate);
  const auto compare = [&](const std::string& what, const auto& value) {
    const double distance = test::ks_distance(each(step, value), each(leap, value));
    if (distance > bound) found += fmt::format("{}: {:.3f} > {:.3f}; ", what, distance, bound);
  };
  for (std::size_t i = 0; i < 3; ++i)
    compare(fmt::format("regret {}", i), [i](const Replication& run) { return run.regret[i]; });
  for (const char* name : {"switch_round", "rejection_round", "exploration_rounds", "watch_rounds",
                           "candidates", "first_deactivation", "deactivations", "share"})
    compare(name, [name](const Replication& run) { return diagnostic(run, name); });
  for (const std::size_t arm : {std::size_t{0}, step[0].pulls.size() - 1}) {
    const auto pulls = [arm](const Replication& run) {
      return static_cast<double>(run.pulls[arm]);
    };
    const test::Homogeneity result = test::homogeneity(each(step, pulls), each(leap, pulls), 10);
    if (result.degrees > 0 && result.statistic > chi_square_bound(result.degrees))
      found += fmt::format("pulls of {}: {:.1f}; ", arm, result.statistic);
  }
  return found;
}

void expect_same_law(const std::string& policy) {
  bool leapt = false;
  for (const std::string& family : kFamilies)
    for (const auto& [horizon, replications] :
         {std::pair{1'000u, 500u}, {10'000u, 250u}, {100'000u, 50u}}) {
      const auto step = play(family, policy, horizon, replications, Engine::kStep);
      const auto leap = play(family, policy, horizon, replications, Engine::kLeap);
      EXPECT_EQ(difference(step, leap), "") << policy << " on " << family << ", T = " << horizon;
      for (const Replication& run : leap) {
        EXPECT_LE(run.leap_error, 1e-9 + 1e-10 * static_cast<double>(run.events));
        leapt = leapt || run.rounds_stepped < horizon / 2;
      }
    }
  EXPECT_TRUE(leapt) << policy << " never leapt: nothing was tested";
}

TEST_F(LeapLaw, Ucb) { expect_same_law("ucb"); }
TEST_F(LeapLaw, UcbBilodeau) { expect_same_law("ucb:confidence=bilodeau"); }
TEST_F(LeapLaw, UcbAnytime) { expect_same_law("ucb:confidence=anytime"); }
TEST_F(LeapLaw, Moss) { expect_same_law("moss"); }
TEST_F(LeapLaw, CausalUcb) { expect_same_law("c-ucb"); }
TEST_F(LeapLaw, CausalUcbAnytime) { expect_same_law("c-ucb:confidence=anytime"); }
TEST_F(LeapLaw, PhasedElimination) { expect_same_law("pe"); }
TEST_F(LeapLaw, HacUcb) { expect_same_law("hac-ucb"); }
TEST_F(LeapLaw, HacUcbOfThePaper) { expect_same_law("hac-ucb:variant=paper"); }
TEST_F(LeapLaw, Uniform) { expect_same_law("uniform"); }
TEST_F(LeapLaw, RoundRobin) { expect_same_law("round-robin"); }
TEST_F(LeapLaw, ExploreThenCommit) { expect_same_law("etc"); }
TEST_F(LeapLaw, BalancingPrinted) { expect_same_law("db:bias=printed"); }
TEST_F(LeapLaw, BalancingCorrected) { expect_same_law("db:scale=0.1"); }
TEST_F(LeapLaw, BalancingElimination) { expect_same_law("db:base=pe+ucb,bias=printed,scale=0.05"); }
TEST_F(LeapLaw, BalancingThree) {
  expect_same_law("db:base=c-ucb+ucb+(fixed:arm=1),d=40+60+100,bias=printed,scale=0.1");
}

TEST_F(LeapLaw, SentryFirst) { expect_same_law("sentry"); }
TEST_F(LeapLaw, SentrySpread) { expect_same_law("sentry:schedule=spread"); }
TEST_F(LeapLaw, SentryFree) { expect_same_law("sentry:schedule=free,tau=0.05"); }
TEST_F(LeapLaw, SentryOfThePaper) { expect_same_law("sentry:confidence=paper,scale=0.3"); }
TEST_F(LeapLaw, Warden) { expect_same_law("warden"); }
TEST_F(LeapLaw, WardenFree) { expect_same_law("warden:schedule=free,patience=1"); }

// A balancer's shares on the way, checkpoint by checkpoint. 8 comparisons with a false-alarm rate
// of 1e-7 each: below 1e-6 together.
TEST_F(LeapLaw, SharesAtCheckpoints) {
  constexpr Round kHorizon = 30'000;
  constexpr std::uint32_t kReplications = 300;
  const std::vector<Round> checkpoints{300, 3'000, 10'007, kHorizon};
  const auto world = std::make_shared<const World>(
      InstanceSource("hidden-arm:actions=3,gap=0.4", kHorizon, 11).instance(0), kHorizon);
  for (const char* policy : {"db:scale=0.1", "db:bias=printed,scale=0.1"}) {
    std::vector<Replication> runs[2];
    for (const Engine engine : {Engine::kStep, Engine::kLeap}) {
      Cell cell;
      cell.world = [&](std::uint32_t) { return world; };
      cell.policy = policy;
      cell.horizon = kHorizon;
      cell.seed = engine == Engine::kStep ? 31 : 32;
      cell.checkpoints = checkpoints;
      cell.engine = engine;
      cell.follow_shares = true;
      runs[engine == Engine::kLeap] = run_block(cell, {0, kReplications}, kGoOn).replications;
    }
    for (std::size_t i = 0; i < checkpoints.size(); ++i) {
      const auto share = [i](const Replication& run) { return run.shares.at(i).at(0).value; };
      EXPECT_LT(test::ks_distance(each(runs[0], share), each(runs[1], share)),
                test::ks_bound(kReplications, 1e-7))
          << policy << " at " << checkpoints[i];
    }
  }
}

// Rewards of several values: sums are multinomial, cuts hypergeometric value by value.
TEST_F(LeapLaw, TableRewards) {
  Matrix marginals(3, 2);
  const double rows[3][2] = {{0.7, 0.3}, {0.5, 0.5}, {0.2, 0.8}};
  for (int a = 0; a < 3; ++a)
    for (int z = 0; z < 2; ++z) marginals(a, z) = rows[a][z];
  const RewardLaw good = RewardLaw::table({0, 0.25, 1}, {0.2, 0.2, 0.6});
  const RewardLaw bad = RewardLaw::table({0, 0.5}, {0.5, 0.5});
  const auto world = std::make_shared<const World>(
      std::make_shared<const Instance>(Instance::general(
          "tables", marginals, {good, bad, good, RewardLaw::point(0.5), bad, bad})),
      20'000);
  for (const char* policy : {"ucb", "c-ucb", "pe", "hac-ucb", "sentry", "sentry:schedule=spread",
                             "db:scale=0.1", "db:bias=printed,scale=0.1"}) {
    std::vector<Replication> runs[2];
    for (const Engine engine : {Engine::kStep, Engine::kLeap}) {
      Cell cell;
      cell.world = [&](std::uint32_t) { return world; };
      cell.policy = policy;
      cell.horizon = 20'000;
      cell.seed = engine == Engine::kStep ? 1 : 2;
      cell.checkpoints = {5'000, 11'111, 20'000};
      cell.engine = engine;
      runs[engine == Engine::kLeap] = run_block(cell, {0, 400}, kGoOn).replications;
    }
    EXPECT_EQ(difference(runs[0], runs[1]), "") << policy;
  }
}

// --- Planted faults

// ucb(paper) once more, with faults in its certificate.
template <class Fault>
class FaultyUcb : public leap::Planner {
 public:
  static PolicyFacts facts() {
    return {.name = Fault::kName, .summary = "", .text = "", .section = ""};
  }
  FaultyUcb(const Problem& problem, const Arguments&)
      : confidence_(Confidence::fixed(20, 1)), actions_(problem.actions()) {}

  Decision choose(Stream&) { return {best(actions_.size())}; }
  void observe(Decision decision, Outcome outcome, Stream&) {
    actions_.add(decision.arm, outcome.reward);
  }
  void forget(Decision) {}
  void visit_state(StateVisitor& visitor) { actions_.visit_state(visitor, "plays", "sums"); }
  Diagnostics diagnostics() const { return {}; }

  leap::Plan do_intend(Round rounds) override {
    return leap::OneArm{{best(actions_.size()), rounds}};
  }
  bool do_holds(const leap::Plan& plan, const leap::Box& box) const override {
    const Arm leader = leap::shares_of(plan).front().arm;
    const leap::SumPath path = Fault::path(box.arms.front());
    const Arm rival = best(leader);
    const double runner_up = actions_.mean(rival) + actions_.up(rival, confidence_);
    return Fault::kFactor *
               range_along(actions_, leader, path, confidence_, PathBound::kUpper).low >
           runner_up + kCertificateMargin;
  }
  void do_absorb(const leap::ShareOutcome& outcome) override {
    actions_.add(outcome.share.arm, outcome.share.plays, outcome.sum);
  }

 private:
  Arm best(Arm except) const {
    Arm found = except == 0 ? 1 : 0;
    for (Arm a = 0; a < actions_.size(); ++a)
      if (a != except && actions_.upper(a, confidence_) > actions_.upper(found, confidence_))
        found = a;
    return found;
  }

  Confidence confidence_;
  Statistics actions_;
};

struct NoFault {
  static constexpr const char* kName = "test-no-fault";
  static constexpr double kFactor = 1;
  static leap::SumPath path(const leap::SumPath& path) { return path; }
};
// The leader's bound is off by a factor of 2.
struct FactorTwo : NoFault {
  static constexpr const char* kName = "test-factor-two";
  static constexpr double kFactor = 2;
};
// The window's own drift is forgotten: what holds now holds later.
struct NoDrift : NoFault {
  static constexpr const char* kName = "test-no-drift";
  static leap::SumPath path(const leap::SumPath& path) { return {1, path.drift, 0, 0}; }
};

// A wrong tie rule: of tied rows the last action, not the first.
struct LastOfTied : CausalUcb {
  using CausalUcb::CausalUcb;
  static PolicyFacts facts() {
    PolicyFacts facts = CausalUcb::facts();
    facts.name = "test-last-of-tied";
    return facts;
  }
  leap::Plan do_intend(Round rounds) override {
    auto plan = std::get<leap::OneArm>(CausalUcb::do_intend(rounds));
    if (plan.share.arm == 0) plan.share.arm = 2;
    return plan;
  }
};

template <class P>
std::string fault_found(const std::string& family, Round horizon) {
  static const bool registered = (register_policy(policy_entry<P>()), true);
  (void)registered;
  const std::string name = P::facts().name;
  return difference(play(family, name, horizon, 500, Engine::kStep),
                    play(family, name, horizon, 500, Engine::kLeap));
}

TEST_F(LeapLaw, PlantedFaultsAreFound) {
  const std::string near = "hidden-arm:actions=3,gap=0.1";
  EXPECT_EQ(fault_found<FaultyUcb<NoFault>>(near, 30'000), "");
  EXPECT_NE(fault_found<FaultyUcb<FactorTwo>>(near, 30'000), "");
  EXPECT_NE(fault_found<FaultyUcb<NoDrift>>(near, 30'000), "");
  EXPECT_NE(fault_found<LastOfTied>("hidden-arm:actions=3,gap=0.4", 10'000), "");
}

}  // namespace
}  // namespace armature
