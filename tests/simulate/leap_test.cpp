#include "armature/leap.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "armature/error.h"
#include "armature/families.h"
#include "armature/lab.h"
#include "armature/simulate.h"
#include "simulate/leap_boxes.h"

namespace armature {
namespace {

const std::atomic<bool> kGoOn{false};

Cell cell_of(std::shared_ptr<const Instance> instance, const std::string& policy,
             std::vector<Round> checkpoints, Engine engine) {
  Cell cell;
  cell.horizon = checkpoints.back();
  cell.world = [world = std::make_shared<const World>(std::move(instance), cell.horizon)](
                   std::uint32_t) { return world; };
  cell.policy = policy;
  cell.seed = 5;
  cell.checkpoints = std::move(checkpoints);
  cell.engine = engine;
  return cell;
}

Cell cell_of(const std::string& text, const std::string& policy, std::vector<Round> checkpoints,
             Engine engine) {
  return cell_of(InstanceSource(text, checkpoints.back(), 5).instance(0), policy, checkpoints,
                 engine);
}

Replication run(const Cell& cell) { return run_block(cell, {0, 1}, kGoOn).replications.at(0); }

std::shared_ptr<const Instance> point_rewards() {
  Matrix marginals(3, 2);
  const double rows[3][2] = {{0.5, 0.5}, {1, 0}, {0, 1}};
  for (int a = 0; a < 3; ++a)
    for (int z = 0; z < 2; ++z) marginals(a, z) = rows[a][z];
  return std::make_shared<const Instance>(
      Instance::benign("points", marginals, {RewardLaw::point(0.5), RewardLaw::point(0.5)}));
}

const std::vector<std::string> kLeaping = {"ucb",
                                           "c-ucb",
                                           "pe",
                                           "hac-ucb",
                                           "db",
                                           "db:bias=printed",
                                           "sentry",
                                           "sentry:schedule=spread",
                                           "sentry:schedule=free",
                                           "warden",
                                           "warden:schedule=free",
                                           "uniform",
                                           "round-robin",
                                           "oracle"};

TEST(LeapEngine, TheHorizonIsMetWhereverItLies) {
  for (const std::string& policy : kLeaping)
    for (const Round horizon : {Round{1}, Round{2}, Round{3}, Round{10'007}}) {
      const Replication one =
          run(cell_of("hidden-arm:actions=3,gap=0.4", policy, {horizon}, Engine::kLeap));
      EXPECT_EQ(std::accumulate(one.pulls.begin(), one.pulls.end(), Round{0}), horizon) << policy;
    }
}

TEST(LeapEngine, ReachesTheLastIntegerOfADouble) {
  constexpr Round kHorizon = Round{1} << 53;
  for (const std::string& policy : kLeaping) {
    if (policy == "db") continue;  // its throttled learner is played one round at a time
    const Replication one = run(cell_of("hidden-arm:actions=3,gap=0.4", policy,
                                        {1000, kHorizon / 2 + 1, kHorizon}, Engine::kLeap));
    EXPECT_EQ(std::accumulate(one.pulls.begin(), one.pulls.end(), Round{0}), kHorizon) << policy;
    // Certificates, and at most four draws an event (two contexts, two values).
    EXPECT_LE(one.leap_error, 1e-9 + 4e-12 * static_cast<double>(one.events)) << policy;
    EXPECT_LT(one.events, 1'000'000u) << policy;
  }
}

// Nothing is left to chance: the same plays, whatever the engine.
TEST(LeapEngine, DeterministicWorldsAreTheSame) {
  for (const char* policy : {"pe", "pe:design=exact", "round-robin", "oracle"}) {
    const std::vector<Round> checkpoints{10, 999, 5'000, 100'003};
    const Replication step = run(cell_of("pe-trap", policy, checkpoints, Engine::kStep));
    const Replication leap = run(cell_of("pe-trap", policy, checkpoints, Engine::kLeap));
    EXPECT_EQ(step.pulls, leap.pulls) << policy;
    EXPECT_EQ(step.regret, leap.regret) << policy;
  }
  // Rewards of 1/2 add up without rounding.
  for (const char* policy : {"ucb", "pe", "db:bias=printed,base=pe+ucb"}) {
    const std::vector<Round> checkpoints{7, 1'000, 20'011};
    const Replication step = run(cell_of(point_rewards(), policy, checkpoints, Engine::kStep));
    const Replication leap = run(cell_of(point_rewards(), policy, checkpoints, Engine::kLeap));
    EXPECT_EQ(step.pulls, leap.pulls) << policy;
    EXPECT_EQ(step.regret, leap.regret) << policy;
  }
}

// Until the first leap single rounds meet the luck that the step engine's rounds meet.
TEST(LeapEngine, WithoutLeapsItIsTheStepEngine) {
  const std::string crowded = "hidden-arm:actions=50,gap=0.02";
  const Replication step = run(cell_of(crowded, "ucb", {2'000}, Engine::kStep));
  const Replication leap = run(cell_of(crowded, "ucb", {2'000}, Engine::kLeap));
  ASSERT_EQ(leap.rounds_stepped, 2'000u);
  EXPECT_EQ(step.pulls, leap.pulls);
}

TEST(LeapEngine, EventsGrowFarSlowerThanRounds) {
  const std::string world = "hidden-arm:actions=3,gap=0.4";
  const Replication near = run(cell_of(world, "ucb", {100'000'000}, Engine::kLeap));
  const Replication far = run(cell_of(world, "ucb", {1'000'000'000'000}, Engine::kLeap));
  EXPECT_LT(near.events, 100'000u);
  EXPECT_LT(far.events, 2 * near.events);
  EXPECT_EQ(far.engine, Engine::kLeap);
}

TEST(LeapEngine, SameBytesForAnyNumberOfThreads) {
  Simulation simulation;
  simulation.instance = "random-benign";
  simulation.policies = {"ucb", "c-ucb", "db:bias=printed"};
  simulation.horizon = 50'000;
  simulation.replications = 6;
  simulation.engine = Engine::kLeap;
  RunHooks one, three;
  one.threads = 1;
  three.threads = 3;
  const SimulationResult first = simulate(simulation, one);
  const SimulationResult second = simulate(simulation, three);
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(first.final_regrets(i), second.final_regrets(i));
}

// --- Shares of a balancer

double share_in(const Diagnostics& diagnostics, const std::string& name) {
  for (const Diagnostic& diagnostic : diagnostics)
    if (diagnostic.name == name) return diagnostic.value;
  ADD_FAILURE() << name << " is missing";
  return -1;
}

TEST(LeapEngine, FollowsABalancersSharesToEveryCheckpoint) {
  for (const char* policy : {"db", "db:bias=printed", "db:bias=printed,base=c-ucb+ucb+pe"}) {
    Cell cell = cell_of("hidden-arm:actions=3,gap=0.4", policy,
                        {1, 2, 999, 20'000, 123'457, 200'000}, Engine::kLeap);
    cell.follow_shares = true;
    const Replication one = run(cell);
    ASSERT_EQ(one.engine, Engine::kLeap);
    ASSERT_EQ(one.shares.size(), cell.checkpoints.size()) << policy;
    for (std::size_t i = 0; i < one.shares.size(); ++i) {
      double total = 0;
      ASSERT_GE(one.shares[i].size(), 2u) << policy;
      for (const Diagnostic& share : one.shares[i]) {
        EXPECT_GE(share.value, 0) << policy << ' ' << share.name;
        EXPECT_LE(share.value, 1) << policy << ' ' << share.name;
        // Of so many rounds: a window that had gone past its checkpoint would not fit.
        const double plays = share.value * static_cast<double>(cell.checkpoints[i]);
        EXPECT_NEAR(plays, std::round(plays), 1e-6) << policy << ' ' << share.name;
        total += share.value;
      }
      EXPECT_NEAR(total, 1, 1e-12) << policy << " at " << cell.checkpoints[i];
    }
    for (const Diagnostic& share : one.shares.back())
      EXPECT_EQ(share.value, share_in(one.diagnostics, share.name)) << policy;
  }
}

// While nobody is switched off, the schedule is a function of the counts alone: bias=printed leaves
// all learners active for a long time, and shares are then the step engine's to the bit.
TEST(LeapEngine, SharesOfAFixedScheduleAreTheStepEngines) {
  const std::vector<Round> checkpoints{1, 2, 3, 50, 1'001, 7'777, 20'000};
  Cell step =
      cell_of("pareto-benign:actions=3,gap=0.2", "db:bias=printed", checkpoints, Engine::kStep);
  Cell leap = step;
  leap.engine = Engine::kLeap;
  step.follow_shares = leap.follow_shares = true;
  const Replication stepped = run(step);
  const Replication leapt = run(leap);
  ASSERT_EQ(stepped.shares.size(), checkpoints.size());
  ASSERT_EQ(leapt.shares.size(), checkpoints.size());
  ASSERT_EQ(share_in(stepped.diagnostics, "deactivations(c-ucb)"), 0);
  ASSERT_EQ(share_in(stepped.diagnostics, "deactivations(ucb)"), 0);
  for (std::size_t i = 0; i < checkpoints.size(); ++i)
    for (const char* name : {"share(c-ucb)", "share(ucb)"})
      EXPECT_EQ(share_in(stepped.shares[i], name), share_in(leapt.shares[i], name))
          << name << " at " << checkpoints[i];
}

TEST(LeapEngine, FollowsNoSharesUnasked) {
  EXPECT_TRUE(run(cell_of("hidden-arm", "db:bias=printed", {100}, Engine::kLeap)).shares.empty());
}

// --- Plans

// The battery asks the same of every policy in its first rounds; here certificates really hold.
TEST(LeapPlans, HoldByThemselvesWhateverWasLaidOutSince) {
  constexpr Round kHorizon = 200'000;
  const World world(InstanceSource("hidden-arm:actions=3,gap=0.4", kHorizon, 5).instance(0),
                    kHorizon);
  const leap::Laws laws(*world.instance);
  int refused = 0;
  for (const char* text :
       {"ucb", "c-ucb", "hac-ucb", "sentry", "sentry:schedule=spread", "sentry:schedule=free",
        "sentry:schedule=spread,share=0.9", "warden", "warden:schedule=free"}) {
    const auto policy = make_policy(text, world.problem);
    leap::Planner& planner = *policy->leaper()->planner();
    Environment environment(world.tables, 5, 0);
    Stream stream({5, 0, Purpose::kPolicy});
    std::vector<std::uint64_t> pulls(world.instance->actions());
    int held = 0;
    for (int look = 0; look < 100; ++look) {
      policy->play(environment, 997, stream, pulls);
      for (const Round rounds : {Round{1}, Round{3}, Round{24}, Round{400}}) {
        const leap::Plan plan = planner.intend(rounds);
        if (leap::rounds_of(plan) == 0 || leap::is_certain(plan)) continue;
        leap::Boxes boxes(laws);
        const leap::Box box = boxes.around(plan, 20);
        const bool answer = planner.holds(plan, box);
        ++(answer ? held : refused);
        for (const Round others : {Round{1}, Round{3}, Round{24}, Round{400}, Round{10'000}}) {
          planner.intend(others);
          EXPECT_EQ(planner.holds(plan, box), answer) << text << ": " << rounds << ", " << others;
        }
      }
    }
    EXPECT_GT(held, 0) << text << ": nothing was tested";
  }
  EXPECT_GT(refused, 0);
}

TEST(LeapPlans, AnswerForTheirShares) {
  const leap::Plan none;
  EXPECT_EQ(leap::rounds_of(none), 0u);
  EXPECT_TRUE(leap::shares_of(none).empty());
  EXPECT_FALSE(leap::is_certain(none));

  const leap::Plan in_turn = leap::Certain{{{2, 5}, {0, 7}}};
  EXPECT_EQ(leap::rounds_of(in_turn), 12u);
  EXPECT_TRUE(leap::is_certain(in_turn));
  EXPECT_TRUE(leap::is_in_turn(in_turn));

  const leap::Plan mixed = leap::Certain{{{2, 5}, {0, 7}}, leap::Certain::Order::kMixed};
  EXPECT_FALSE(leap::is_in_turn(mixed));

  const leap::Plan random = leap::AtRandom{3, 100};
  EXPECT_EQ(leap::rounds_of(random), 100u);
  EXPECT_TRUE(leap::is_certain(random));
  EXPECT_FALSE(leap::is_in_turn(random));
  EXPECT_TRUE(leap::is_in_turn(leap::AtRandom{1, 100}));

  const leap::Plan one = leap::OneArm{{1, 9, 4}, leap::Detail::kContexts};
  EXPECT_EQ(leap::shares_of(one).front().tag, 4u);
  EXPECT_EQ(leap::detail_of(one), leap::Detail::kContexts);
  EXPECT_FALSE(leap::is_certain(one));
  EXPECT_TRUE(leap::is_in_turn(one));

  const leap::Plan side_by_side = leap::SideBySide{{{1, 9}, {2, 3}}, 1};
  EXPECT_EQ(leap::rounds_of(side_by_side), 12u);
  EXPECT_EQ(leap::detail_of(side_by_side), leap::Detail::kContexts);
  EXPECT_FALSE(leap::is_in_turn(side_by_side));
}

// --- Which engine

Engine chosen(const std::string& policy, Round horizon, const std::string& family = "hidden-arm") {
  const Cell cell = cell_of(family, policy, {horizon}, Engine::kAuto);
  return engine_for(cell, *cell.world(0));
}

TEST(Engines, AutomaticStepsUpToAMillionRounds) {
  EXPECT_EQ(chosen("ucb", 1'000'000), Engine::kStep);
  EXPECT_EQ(chosen("ucb", 1'000'001), Engine::kLeap);
  EXPECT_EQ(chosen("ts", 1'000'001), Engine::kStep);
  EXPECT_EQ(chosen("oracle", 1'000'001), Engine::kLeap);
}

// Its throttled learner is stepped anyway.
TEST(Engines, AutomaticStepsBalancingWithTheCorrectedBiasFurther) {
  EXPECT_EQ(chosen("db", 10'000'000), Engine::kStep);
  EXPECT_EQ(chosen("db", 10'000'001), Engine::kLeap);
  EXPECT_EQ(chosen("db:bias=printed", 1'000'001), Engine::kLeap);
}

void expect_refusal(const Cell& cell, const std::string& words) {
  try {
    run(cell);
    ADD_FAILURE() << cell.policy << " is not refused";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(Engines, LeapRefusesWithAReason) {
  const auto leap = [](const std::string& policy) {
    return cell_of("hidden-arm", policy, {1'000}, Engine::kLeap);
  };
  expect_refusal(leap("ts"), "ts: no certificate is known");
  expect_refusal(leap("corral"), "corral: no certificate is known");
  expect_refusal(leap("ucb:ties=random"), "ties=random");
  expect_refusal(leap("c-ucb:confidence=anytime-kl"), "anytime-kl");
  expect_refusal(leap("db:base=ts+ucb,d=1+1"), "its learner ts");
  Cell late = leap("ucb");
  late.feedback.batch = 10;
  expect_refusal(late, "not prompt");
  Cell beta = cell_of(std::make_shared<const Instance>(
                          Instance::benign("beta", Matrix(point_rewards()->marginals()),
                                           {RewardLaw::beta(1, 2), RewardLaw::beta(2, 1)})),
                      "ucb", {1'000}, Engine::kLeap);
  expect_refusal(beta, "Beta");
}

TEST(Engines, GivesUpBeyondTheEventsAllowed) {
  Cell cell = cell_of("bilodeau-confounded", "c-ucb", {100'000'000}, Engine::kLeap);
  cell.max_events = 10'000;
  expect_refusal(cell, "--max-events");
}

// --- Laws

TEST(LeapLaws, MeansAndVariancesByHand) {
  Matrix marginals(1, 2);
  marginals(0, 0) = 0.25;
  marginals(0, 1) = 0.75;
  const leap::Laws laws(Instance(Instance::benign(
      "two", marginals,
      {RewardLaw::table({0, 0.5, 1}, {0.2, 0.4, 0.4}), RewardLaw::bernoulli(0.2)})));
  EXPECT_EQ(laws.value_count(), 3u);
  EXPECT_NEAR(laws.cell(0, 0).mean, 0.6, 1e-15);
  EXPECT_NEAR(laws.cell(0, 0).variance, 0.14, 1e-15);  // 0.1 + 0.4 - 0.36
  EXPECT_NEAR(laws.arm(0).mean, 0.25 * 0.6 + 0.75 * 0.2, 1e-15);
  EXPECT_NEAR(laws.arm(0).variance, 0.25 * 0.5 + 0.75 * 0.2 - 0.09, 1e-15);
}

TEST(LeapLaws, SlackIsTheSharperInequality) {
  EXPECT_NEAR(leap::path_slack(200, 0.25, 25), 50, 1e-12);  // sqrt(200·25/2)
  EXPECT_EQ(leap::path_slack(200, 0, 25), 0);
  const double bernstein = leap::path_slack(1e6, 0.01, 30);
  EXPECT_NEAR(bernstein, 10 + std::sqrt(100 + 2 * 1e6 * 0.01 * 30), 1e-9);
}

}  // namespace
}  // namespace armature
