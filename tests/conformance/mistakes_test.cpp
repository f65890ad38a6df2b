// Mistakes of callers, on every registered policy. What a problem does not have (an arm, a context,
// a reward) aborts with a message. What only counts could tell (twice the same, a ticket never
// given) aborts where they do, and otherwise leaves a policy that plays on; it is never undefined,
// which is for the sanitizers to say.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdlib>
#include <limits>

#include "armature/families.h"
#include "armature/policy_session.h"
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

// A policy some rounds into its work, with the last decision outstanding.
struct Scene {
  explicit Scene(const std::string& text)
      : session(text, small_world().problem, 1), environment(small_world().tables, 1, 0) {
    play(20);
    decision = session.choose();
  }
  void play(int rounds) {
    for (int t = 0; t < rounds; ++t) {
      const Decision made = session.choose();
      session.observe(made, environment.play(made.arm));  // aborts unless the arm is one
    }
  }

  PolicySession session;
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
    EXPECT_DEATH(scene.session.observe(scene.decision, bad.outcome), bad.message) << bad.what;
}

TEST_P(Mistakes, BadArmsAbort) {
  Scene scene(GetParam());
  const Decision bad{7, scene.decision.ticket};
  EXPECT_DEATH(scene.session.observe(bad, {0, 0.5}), "a decision's arm is one of the problem's");
  EXPECT_DEATH(scene.session.forget(bad), "a decision's arm is one of the problem's");
}

struct Misuse {
  const char* what;
  void (*commit)(Scene&);
};
constexpr std::uint64_t kForeign[] = {2, 255, 256, 1u << 20, ~std::uint64_t{0}};
const Misuse kMisuses[] = {
    {"forget twice",
     [](Scene& scene) {
       for (int i = 0; i < 2; ++i) scene.session.forget(scene.decision);
     }},
    {"forget a hundred times",
     [](Scene& scene) {
       for (int i = 0; i < 100; ++i) scene.session.forget(scene.decision);
     }},
    {"observe twice",
     [](Scene& scene) {
       for (int i = 0; i < 2; ++i) scene.session.observe(scene.decision, {0, 1});
     }},
    {"forget what was observed",
     [](Scene& scene) {
       scene.session.observe(scene.decision, {0, 1});
       scene.session.forget(scene.decision);
     }},
    {"observe what was forgotten",
     [](Scene& scene) {
       scene.session.forget(scene.decision);
       scene.session.observe(scene.decision, {0, 1});
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
    scene.session.observe(foreign, {0, 1});
  else
    scene.session.forget(foreign);
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

INSTANTIATE_TEST_SUITE_P(Registered, Mistakes, testing::ValuesIn(test::registered_texts()),
                         test::readable_name);

// Whose counts can tell: each of these aborts.
class Counting : public testing::TestWithParam<std::string> {};

TEST_P(Counting, TellsWhatIsNotOutstanding) {
  Scene scene(GetParam());
  for (const Misuse& misuse : kMisuses)
    EXPECT_DEATH(commit_and_play_on(scene, misuse),
                 "\\(a decision (is outstanding|has one outcome|is forgotten once)")
        << misuse.what;
}

INSTANTIATE_TEST_SUITE_P(Balancers, Counting,
                         testing::Values("corral", "corral:variant=published", "db", "d3rb",
                                         "ed2rb", "db:base=pe+ucb", "pe"),
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
