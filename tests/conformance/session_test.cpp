// Every registered policy behind the doors for embedders: saved with decisions outstanding, loaded
// and continued, it equals the run that never stopped, bit for bit; and what others did teaches it
// in between, if it can learn that way.
#include <gtest/gtest.h>

#include <deque>

#include "armature/decision_book.h"
#include "armature/families.h"
#include "armature/simulate.h"
#include "conformance/registered_texts.h"

namespace armature {
namespace {

constexpr Round kRounds = 400;

const World& small_world() {
  static const World world(InstanceSource("semi-benign:actions=7", kRounds, 3).instance(0),
                           kRounds);
  return world;
}

// Outcomes come up to 11 rounds late, the newest first now and then; every fourth never. Every
// fifth round somebody else plays too.
template <class Door, class Handle>
class Application {
 public:
  explicit Application(Door door)
      : door_(std::move(door)),
        witnesses_(session_of(door_).policy().witness_obstacle().empty()),
        environment_(small_world().tables, 3, 0) {}

  Arm step() {
    if (++rounds_ % 5 == 0 && witnesses_) {
      const auto others = static_cast<Arm>(rounds_ % small_world().problem.actions());
      door_.witness(others, environment_.play(others));
    }
    const Handle made = door_.choose();
    waiting_.emplace_back(made, environment_.play(made.arm));
    if (waiting_.size() <= 11) return made.arm;
    const bool newest = ++arrived_ % 3 == 0;
    const auto [late, outcome] = newest ? waiting_.back() : waiting_.front();
    newest ? waiting_.pop_back() : waiting_.pop_front();
    if (arrived_ % 4 == 0)
      forget(late);
    else
      observe(late, outcome);
    return made.arm;
  }
  void restart() { door_ = Door::load(door_.save(), small_world().problem); }
  Door& door() { return door_; }

 private:
  static const PolicySession& session_of(const PolicySession& session) { return session; }
  static const PolicySession& session_of(const DecisionBook& book) { return book.session(); }
  void observe(const Decision& decision, Outcome outcome) { door_.observe(decision, outcome); }
  void observe(const DecisionBook::Made& made, Outcome outcome) { door_.observe(made.id, outcome); }
  void forget(const Decision& decision) { door_.forget(decision); }
  void forget(const DecisionBook::Made& made) { door_.forget(made.id); }

  Door door_;
  bool witnesses_;
  Environment environment_;
  std::deque<std::pair<Handle, Outcome>> waiting_;
  int arrived_ = 0;
  Round rounds_ = 0;
};

template <class Application>
void expect_the_same(Application& steady, Application& restarted) {
  for (Round t = 1; t <= kRounds; ++t) {
    ASSERT_EQ(restarted.step(), steady.step()) << "round " << t;
    if (t % 7 == 0) restarted.restart();
  }
  EXPECT_EQ(restarted.door().save(), steady.door().save());
}

class Sessions : public testing::TestWithParam<std::string> {
 protected:
  PolicySession session() const { return {GetParam(), small_world().problem, 5, 2}; }
};

TEST_P(Sessions, SavedAndLoadedTheyContinueTheSame) {
  Application<PolicySession, Decision> steady(session());
  Application<PolicySession, Decision> restarted(session());
  expect_the_same(steady, restarted);
}

TEST_P(Sessions, InADecisionBookToo) {
  Application<DecisionBook, DecisionBook::Made> steady(DecisionBook(session(), 10));
  Application<DecisionBook, DecisionBook::Made> restarted(DecisionBook(session(), 10));
  expect_the_same(steady, restarted);
  EXPECT_EQ(restarted.door().outstanding_count(), 11u);
}

// Where probabilities have a closed form, trial choices agree with it, within 5 standard errors
// (false alarms: 6e-7 each, under 1e-3 for all of them). Asking leaves no trace.
TEST_P(Sessions, SayHowProbableTheirChoicesAre) {
  Application<PolicySession, Decision> application(session());
  for (Round t = 1; t <= 60; ++t) {
    application.step();
    if (t % 20 != 0) continue;
    const std::string before = application.door().save();
    const auto told = application.door().probabilities();
    const ProbabilityEstimate tried = application.door().estimate_probabilities(400);
    EXPECT_EQ(application.door().save(), before);
    if (!told) continue;
    for (Arm a = 0; a < told->size(); ++a)
      EXPECT_NEAR((*told)[a], tried.probabilities[a], 5 * tried.error) << "round " << t;
  }
}

// An action more, the others in another order: what was learned is there, and play goes on.
TEST_P(Sessions, ExtendIntoAWiderProblem) {
  Application<PolicySession, Decision> application(session());
  for (Round t = 1; t <= 50; ++t) application.step();
  const PolicySession& old = application.door();
  Problem wider = old.problem();
  std::rotate(wider.action_names.begin(), wider.action_names.begin() + 2, wider.action_names.end());
  wider.action_names.emplace_back("new");
  Matrix rows(wider.actions(), wider.contexts());
  for (Arm a = 0; a < wider.actions(); ++a) {
    const auto row = old.problem().marginals->row((a + 2) % old.problem().actions());
    std::copy(row.begin(), row.end(), rows.row(a).begin());
  }
  wider.marginals = std::make_shared<const Matrix>(std::move(rows));
  if (!old.policy().witness_obstacle().empty()) {
    EXPECT_THROW(old.extend(GetParam(), wider), Error);
    return;
  }
  PolicySession next = old.extend(GetParam(), wider);
  EXPECT_EQ(next.evidence().outcomes(), old.evidence().outcomes());
  EXPECT_EQ(next.evidence().renamed(wider, old.problem()), old.evidence());
  for (Round t = 1; t <= 50; ++t) {
    const Decision decision = next.choose();
    ASSERT_LT(decision.arm, wider.actions());
    next.observe(decision, {0, 1.0});
    next = PolicySession::load(next.save(), wider);
  }
}

// The same decisions as the policy by itself with the stream of a simulation.
TEST_P(Sessions, DecideAsInASimulation) {
  PolicySession door = session();
  const auto policy = make_policy(GetParam(), small_world().problem);
  Stream stream({5, 2, Purpose::kPolicy});
  Environment environment(small_world().tables, 3, 0);
  for (Round t = 1; t <= 100; ++t) {
    const Decision decision = policy->choose(stream);
    const Decision other = door.choose();
    ASSERT_EQ(other.arm, decision.arm) << "round " << t;
    const Outcome outcome = environment.play(decision.arm);
    policy->observe(decision, outcome, stream);
    door.observe(other, outcome);
  }
  EXPECT_EQ(door.policy().digest(), policy->digest());
}

INSTANTIATE_TEST_SUITE_P(Registered, Sessions, testing::ValuesIn(test::registered_texts()),
                         test::readable_name);

}  // namespace
}  // namespace armature
