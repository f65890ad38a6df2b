// Mistakes of callers, on every registered policy. What a problem does not have (an arm, a context,
// a reward) aborts with a message. What only counts could tell (twice the same, a ticket never
// given) aborts where they do, and otherwise leaves a policy that plays on; it is never undefined,
// which is for the sanitizers to say.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdlib>
#include <limits>
#include <set>

#include "armature/decision_book.h"
#include "armature/families.h"
#include "armature/leap.h"
#include "armature/simulate.h"
#include "conformance/registered_texts.h"

namespace armature {
namespace {

constexpr Round kHorizon = 500;

const World& small_world() {
  static const World world(InstanceSource("semi-benign:actions=7", kHorizon, 3).instance(0),
                           kHorizon);
  return world;
}

// A policy some rounds into its work, with the last decision outstanding. Without a session, which
// counts decisions and would abort before the policy is asked.
struct Scene {
  explicit Scene(const std::string& text)
      : policy(make_policy(text, small_world().problem)),
        stream({1, 0, Purpose::kPolicy}),
        environment(small_world().tables, 1, 0) {
    play(20);
    decision = policy->choose(stream);
  }
  void observe(Decision made, Outcome outcome) { policy->observe(made, outcome, stream); }
  void forget(Decision made) { policy->forget(made); }
  void play(int rounds) {
    for (int t = 0; t < rounds; ++t) {
      const Decision made = policy->choose(stream);
      observe(made, environment.play(made.arm));  // aborts unless the arm is one
    }
  }

  std::unique_ptr<AnyPolicy> policy;
  Stream stream;
  Environment environment;
  Decision decision{};
};

class Mistakes : public testing::TestWithParam<std::string> {};

struct BadOutcome {
  const char* what;
  Outcome outcome;
  const char* message;
};
const BadOutcome kBadOutcomes[] = {
    {"a context too many", {7, 0.5}, "a context is one of the problem's"},
    {"no context at all", {std::numeric_limits<Context>::max(), 0.5}, "a context is one of"},
    {"a reward above 1", {0, 1.5}, "a reward is a number in \\[0,1\\]"},
    {"a reward below 0", {0, -0.1}, "a reward is a number in \\[0,1\\]"},
    {"not a number", {0, std::numeric_limits<double>::quiet_NaN()}, "a reward is a number"},
    {"infinity", {0, std::numeric_limits<double>::infinity()}, "a reward is a number"},
};

TEST_P(Mistakes, BadOutcomesAbort) {
  Scene scene(GetParam());
  ASSERT_LE(small_world().problem.contexts(), 7u);
  for (const BadOutcome& bad : kBadOutcomes)
    EXPECT_DEATH(scene.observe(scene.decision, bad.outcome), bad.message) << bad.what;
}

TEST_P(Mistakes, BadArmsAbort) {
  Scene scene(GetParam());
  const Decision bad{7, scene.decision.ticket};
  EXPECT_DEATH(scene.observe(bad, {0, 0.5}), "a decision's arm is one of the problem's");
  EXPECT_DEATH(scene.forget(bad), "a decision's arm is one of the problem's");
}

struct Misuse {
  const char* what;
  void (*commit)(Scene&);
};
constexpr std::uint64_t kForeign[] = {2, 255, 256, 1u << 20, ~std::uint64_t{0}};
const Misuse kMisuses[] = {
    {"forget twice",
     [](Scene& scene) {
       for (int i = 0; i < 2; ++i) scene.forget(scene.decision);
     }},
    {"forget a hundred times",
     [](Scene& scene) {
       for (int i = 0; i < 100; ++i) scene.forget(scene.decision);
     }},
    {"observe twice",
     [](Scene& scene) {
       for (int i = 0; i < 2; ++i) scene.observe(scene.decision, {0, 1});
     }},
    {"forget what was observed",
     [](Scene& scene) {
       scene.observe(scene.decision, {0, 1});
       scene.forget(scene.decision);
     }},
    {"observe what was forgotten",
     [](Scene& scene) {
       scene.forget(scene.decision);
       scene.observe(scene.decision, {0, 1});
     }},
};

// The program goes on with valid arms (the environment would abort), or has aborted.
bool well_defined(int status) {
  return (WIFEXITED(status) && WEXITSTATUS(status) == 0) ||
         (WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

void commit_and_play_on(Scene& scene, const Misuse& misuse) {
  misuse.commit(scene);
  scene.play(200);
  std::_Exit(0);
}

TEST_P(Mistakes, NothingIsUndefined) {
  Scene scene(GetParam());
  for (const Misuse& misuse : kMisuses)
    EXPECT_EXIT(commit_and_play_on(scene, misuse), well_defined, "") << misuse.what;
}

void foreign_ticket(Scene& scene, std::uint64_t ticket, bool observed) {
  const Decision foreign{scene.decision.arm, ticket};
  if (observed)
    scene.observe(foreign, {0, 1});
  else
    scene.forget(foreign);
  scene.play(200);
  std::_Exit(0);
}

TEST_P(Mistakes, TicketsThatWereNeverGivenAreNotUndefined) {
  Scene scene(GetParam());
  for (const std::uint64_t ticket : kForeign)
    for (const bool observed : {true, false})
      EXPECT_EXIT(foreign_ticket(scene, ticket, observed), well_defined, "")
          << ticket << (observed ? " observed" : " forgotten");
}

// Whose own counts tell which mistake: a policy that learns to count gets a row.
const std::set<std::string> kAll{"forget twice", "forget a hundred times", "observe twice",
                                 "forget what was observed", "observe what was forgotten"};
struct Teller {
  const char* text;
  std::set<std::string> tells;
};
const Teller kTellers[] = {
    {"corral", kAll},
    {"corral:variant=published", kAll},
    {"pe", kAll},
    {"db", kAll},
    {"d3rb", kAll},
    {"ed2rb", kAll},
    {"db:base=pe+ucb", kAll},
    {"ucb", kAll},
    {"c-ucb", kAll},
    {"moss", kAll},
    {"kl-ucb", kAll},
    {"hac-ucb", kAll},
    {"cl-ucb", kAll},
    {"sentry", kAll},
    {"epsilon-greedy", kAll},
    {"exp3", kAll},
    {"bayes-ucb", kAll},
    {"etc", kAll},  // while it explores
    {"floor", kAll},
    {"floor:base=pe", kAll},
    {"floor:base=sentry,probability=1", kAll},
};

TEST(Mistakes, CountsTellWhatIsNotOutstanding) {
  for (const Teller& teller : kTellers) {
    Scene scene(teller.text);
    std::size_t told = 0;
    for (const Misuse& misuse : kMisuses) {
      if (!teller.tells.contains(misuse.what)) continue;
      ++told;
      EXPECT_DEATH(commit_and_play_on(scene, misuse),
                   "\\(a decision (is outstanding|has one outcome|is forgotten once)")
          << teller.text << ": " << misuse.what;
    }
    EXPECT_EQ(told, teller.tells.size()) << teller.text << ": a mistake that nobody makes";
  }
}

// Who keeps a list by ticket also tells what was never given.
TEST(Mistakes, ListsTellForeignTickets) {
  for (const char* text : {"corral", "exp3", "floor:base=corral"}) {
    Scene scene(text);
    for (const std::uint64_t ticket : kForeign)
      for (const bool observed : {true, false})
        EXPECT_DEATH(foreign_ticket(scene, ticket, observed), "\\(a decision (is|has)")
            << text << ": " << ticket;
  }
}

// A book tells every mistake to every policy, and nothing has changed.
TEST_P(Mistakes, ABookRefusesThemAll) {
  DecisionBook book(PolicySession(GetParam(), small_world().problem, 1));
  for (int t = 0; t < 20; ++t) book.observe(book.choose().id, {0, 1});
  const DecisionBook::Id observed = book.choose().id, forgotten = book.choose().id;
  book.observe(observed, {0, 1});
  book.forget(forgotten);
  const std::string before = book.save();
  EXPECT_THROW(book.observe(observed, {0, 0}), DecisionError);
  EXPECT_THROW(book.observe(observed, {0, 1}), DecisionError);
  EXPECT_THROW(book.forget(observed), DecisionError);
  EXPECT_THROW(book.observe(forgotten, {0, 1}), DecisionError);
  EXPECT_THROW(book.forget(forgotten), DecisionError);
  EXPECT_THROW(book.observe(1000, {0, 1}), DecisionError);
  EXPECT_THROW(book.forget(1000), DecisionError);
  EXPECT_TRUE(book.save() == before);
}

// Thrown instead of aborting, a mistake leaves the program, and the policies beside this one.
TEST_P(Mistakes, CanBeThrown) {
  const ThrowingChecks throwing;
  Scene scene(GetParam());
  Scene beside(GetParam());
  EXPECT_THROW(scene.observe({7, scene.decision.ticket}, {0, 1}), CheckFailure);
  EXPECT_THROW(scene.forget({7, scene.decision.ticket}), CheckFailure);
  for (const BadOutcome& bad : kBadOutcomes)
    EXPECT_THROW(scene.observe(scene.decision, bad.outcome), CheckFailure) << bad.what;
  beside.observe(beside.decision, {0, 1});
  beside.play(20);
}

INSTANTIATE_TEST_SUITE_P(Registered, Mistakes, testing::ValuesIn(test::registered_texts()),
                         test::readable_name);

// A session counts for all of them.
TEST(Mistakes, ASessionTellsWhatIsNotOutstanding) {
  for (const char* text : {"ucb", "sentry", "hac-ucb", "cl-ts"}) {
    PolicySession session(text, small_world().problem, 1);
    const Decision decision = session.choose();
    EXPECT_DEATH(session.observe(decision, {7, 1}), "a context is one of") << text;
    session.observe(decision, {0, 1});
    EXPECT_DEATH(session.observe(decision, {0, 1}), "a decision is outstanding") << text;
    EXPECT_DEATH(session.forget(decision), "a decision is outstanding") << text;
  }
}

// --- The leap door

// All that leap and are of the kind asked for.
std::vector<std::string> leaping_texts(bool balancers) {
  std::vector<std::string> leaping;
  for (const std::string& text : test::registered_texts()) {
    const auto policy = make_policy(text, small_world().problem);
    if (!leap::obstacle(*policy).empty()) continue;
    if ((policy->leaper()->balancer() != nullptr) == balancers) leaping.push_back(text);
  }
  return leaping;
}

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Every outcome has come.
struct LeapingScene : Scene {
  explicit LeapingScene(const std::string& text) : Scene(text) {
    observe(decision, environment.play(decision.arm));
  }
};

class PlannerMistakes : public testing::TestWithParam<std::string> {
 protected:
  LeapingScene scene{GetParam()};
  leap::Planner* const planner = scene.policy->leaper()->planner();
  const std::uint32_t contexts = small_world().problem.contexts();
};

class BalancerMistakes : public testing::TestWithParam<std::string> {
 protected:
  LeapingScene scene{GetParam()};
  leap::Balancer* const balancer = scene.policy->leaper()->balancer();
};

// What came of three plays, all of them in the first context.
struct ThreePlays {
  explicit ThreePlays(std::uint32_t contexts) : visits(contexts), sums(contexts) {
    visits[0] = 3;
    sums[0] = 1;
  }
  leap::ShareOutcome of(leap::Share share, double sum = 1) const {
    return {share, sum, visits, sums};
  }
  std::vector<std::uint64_t> visits;
  std::vector<double> sums;
};

TEST_P(PlannerMistakes, OutcomesThatAreNoneAbort) {
  const ThreePlays three(contexts);
  EXPECT_DEATH(planner->absorb(three.of({7, 3})), "a share's arm is one of the problem's");
  EXPECT_DEATH(planner->absorb(three.of({500'000'000, 3})), "a share's arm is one of");
  EXPECT_DEATH(planner->absorb(three.of({0, 3}, kNaN)), "a sum of rewards");
  EXPECT_DEATH(planner->absorb(three.of({0, 3}, 3.5)), "a sum of rewards");
  EXPECT_DEATH(planner->absorb(three.of({0, 3}, -1)), "a sum of rewards");
  EXPECT_DEATH(planner->absorb({{0, ~std::uint64_t{0}}, 1, {}, {}}), "a sum of rewards");
  EXPECT_DEATH(planner->absorb(three.of({0, 4})), "visits are the plays");
  EXPECT_DEATH(planner->absorb({{0, 3}, 1, three.visits, {}}), "of every context, or of none");
  EXPECT_DEATH(planner->absorb({{0, 3}, 1, std::span(three.visits).first(1), three.sums}),
               "of every context, or of none");
  ThreePlays bad = three;
  bad.sums[0] = kNaN;
  EXPECT_DEATH(planner->absorb(bad.of({0, 3})), "visits are the plays");
  EXPECT_DEATH(planner->intend(~Round{0}), "a plan covers at most");
}

TEST_P(PlannerMistakes, PlansAndBoxesThatDoNotFitAbort) {
  const std::vector<leap::SumPath> paths(contexts, {1, 0.5, 1, 1});
  const leap::Box one_arm{std::span(paths).first(1), paths};
  const auto holds = [&](const leap::Plan& plan, const leap::Box& box) {
    planner->holds(plan, box);
  };
  EXPECT_DEATH(holds(leap::SingleRound{}, {}), "only a plan that may fail");
  EXPECT_DEATH(holds(leap::SingleRound{}, one_arm), "only a plan that may fail");
  EXPECT_DEATH(holds(leap::SideBySide{}, {}), "only a plan that may fail");
  EXPECT_DEATH(holds(leap::Certain{{{0, 3}}}, one_arm), "only a plan that may fail");
  EXPECT_DEATH(holds(leap::OneArm{{7, 3}}, one_arm), "a share's arm is one of the problem's");
  EXPECT_DEATH(holds(leap::OneArm{{0, 3}}, {}), "a box has a path per share");
  EXPECT_DEATH(holds(leap::SideBySide{{{0, 3}, {1, 3}}}, one_arm), "a box has a path per share");
  EXPECT_DEATH(holds(leap::OneArm{{0, 3}}, {one_arm.arms, std::span(paths).first(1)}),
               "a path per context, or none");
}

// Another policy's plan, another's outcomes, an endless path: the planner aborts or goes on.
TEST_P(PlannerMistakes, ForeignPlansAreNotUndefined) {
  const ThreePlays three(contexts);
  const auto absorb = [&](const leap::ShareOutcome& outcome) {
    planner->absorb(outcome);
    scene.play(200);
    std::_Exit(0);
  };
  const auto hold = [&](const leap::Plan& plan, const leap::Box& box) {
    planner->holds(plan, box);
    std::_Exit(0);
  };
  for (const std::uint64_t tag : {std::uint64_t{1}, std::uint64_t{1} << 40, ~std::uint64_t{0}})
    EXPECT_EXIT(absorb(three.of({6, 3, tag})), well_defined, "") << tag;
  EXPECT_EXIT(absorb({{0, 3}, 1, {}, {}}), well_defined, "");
  EXPECT_EXIT(absorb({{0, Round{1} << 61}, 1, {}, {}}), well_defined, "");
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double most : {1.0, infinity, kNaN, -1.0}) {
    const std::vector<leap::SumPath> paths(contexts, {most, most, most, most});
    const std::span<const leap::SumPath> first = std::span(paths).first(1);
    EXPECT_EXIT(hold(leap::OneArm{{6, 3, 9}}, {first, {}}), well_defined, "") << most;
    EXPECT_EXIT(hold(leap::OneArm{{6, 3, 9}}, {first, paths}), well_defined, "") << most;
  }
  if (leap::PeakKeeper* const keeper = planner->peak_keeper()) {
    EXPECT_DEATH(keeper->plays_of(7), "an arm of the problem");
    EXPECT_DEATH(keeper->rewards_of(7), "an arm of the problem");
  }
}

TEST_P(BalancerMistakes, WindowsThatDoNotFitAbort) {
  const std::size_t count = balancer->learners();
  const std::vector<std::uint64_t> plays(count, 5);
  const std::vector<leap::Range> means(count, {0, 1});
  for (const std::size_t i : {count, std::size_t{1} << 20}) {
    EXPECT_DEATH(balancer->learner(i), "a learner of the balancer");
    EXPECT_DEATH(balancer->active(i), "a learner of the balancer");
    EXPECT_DEATH(balancer->level(i, 1), "a learner of the balancer");
    EXPECT_DEATH(balancer->plays_below(i, 1, true), "a learner of the balancer");
  }
  EXPECT_DEATH(balancer->plays_below(0, kNaN, true), "a bar is a number");
  EXPECT_EQ(balancer->plays_below(0, -1, true), 0u);
  EXPECT_EQ(balancer->plays_below(0, std::numeric_limits<double>::infinity(), true),
            std::uint64_t{1} << 62);
  EXPECT_DEATH(balancer->pass(10, {}), "a window's rounds are its learners' plays");
  EXPECT_DEATH(balancer->pass(1, plays), "a window's rounds are its learners' plays");
  EXPECT_DEATH(balancer->stays({5 * count, plays, {}}), "a range of means per learner");
  EXPECT_DEATH(balancer->stays({10, std::span(plays).first(1), means}), "its learners' plays");
  EXPECT_DEATH(balancer->settle({}), "a sum of rewards is told of every learner");
  EXPECT_DEATH(balancer->settle(std::vector<double>(count, kNaN)), "a sum of rewards is told");
}

INSTANTIATE_TEST_SUITE_P(Leaping, PlannerMistakes, testing::ValuesIn(leaping_texts(false)),
                         test::readable_name);
INSTANTIATE_TEST_SUITE_P(Leaping, BalancerMistakes, testing::ValuesIn(leaping_texts(true)),
                         test::readable_name);

TEST(Mistakes, AWorldOfAnotherSizeIsNotPlayed) {
  const World other(InstanceSource("semi-benign:actions=9", kHorizon, 3).instance(0), kHorizon);
  const auto policy = make_policy("ucb", small_world().problem);
  Environment environment(other.tables, 1, 0);
  Stream stream({1, 0, Purpose::kPolicy});
  std::vector<std::uint64_t> pulls(9);
  EXPECT_DEATH(policy->play(environment, 1, stream, pulls), "the problem's actions and contexts");
  Environment own(small_world().tables, 1, 0);
  EXPECT_DEATH(policy->play(own, 1, stream, pulls), "pulls are counted for every action");
  EXPECT_DEATH(own.play(7), "an arm of the instance is played");
}

}  // namespace
}  // namespace armature
