#include "armature/decision_book.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>

#include "base/refusal.h"
#include "policies/small_problems.h"
#include "policies/watching_policies.h"

namespace armature {
namespace {

using test::contains;
using test::problem_of;
using test::refusal;

const Problem& problem() {
  static const Problem the_problem = problem_of({{0.5, 0.5}, {0.25, 0.75}}, 100);
  return the_problem;
}
DecisionBook new_book(std::size_t remembered = 1024) {
  return DecisionBook(PolicySession("ucb", problem(), 1), remembered);
}

std::optional<DecisionMistake> mistake_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const DecisionError& error) {
    return error.mistake();
  }
  return std::nullopt;
}

TEST(DecisionBook, IdsAscendAndAgesGrow) {
  DecisionBook book = new_book();
  EXPECT_EQ(book.choose().id, 1u);
  EXPECT_EQ(book.choose().id, 2u);
  EXPECT_EQ(book.choose().id, 3u);
  book.observe(2, {0, 1});
  const auto waiting = book.outstanding();
  ASSERT_EQ(waiting.size(), 2u);
  EXPECT_EQ(waiting[0].id, 1u);
  EXPECT_EQ(waiting[0].age, 2u);
  EXPECT_EQ(waiting[1].id, 3u);
  EXPECT_EQ(waiting[1].age, 0u);
}

TEST(DecisionBook, ToldWhatAPolicyIsTold) {
  DecisionBook book = new_book();
  PolicySession bare("ucb", problem(), 1);
  for (int t = 0; t < 20; ++t) {
    const DecisionBook::Made made = book.choose();
    const Decision decision = bare.choose();
    ASSERT_EQ(made.arm, decision.arm);
    book.observe(made.id, t % 2 == 0 ? "z0" : "z1", 0.25);
    bare.observe(decision, {static_cast<Context>(t % 2), 0.25});
  }
  EXPECT_EQ(book.session().policy().digest(), bare.policy().digest());
}

TEST(DecisionBook, UnknownDecisions) {
  DecisionBook book = new_book();
  book.choose();
  for (const DecisionBook::Id id : {DecisionBook::Id{0}, DecisionBook::Id{2}, ~DecisionBook::Id{0}})
    EXPECT_EQ(mistake_of([&] { book.observe(id, {0, 1}); }), DecisionMistake::kUnknown) << id;
  EXPECT_EQ(mistake_of([&] { book.forget(2); }), DecisionMistake::kUnknown);
  EXPECT_EQ(refusal([&] { book.forget(2); }),
            "decision: got 2, an unknown decision, expected a decision whose outcome is "
            "outstanding");
}

TEST(DecisionBook, ObservedDecisions) {
  DecisionBook book = new_book();
  book.choose();
  book.observe(1, {1, 0.5});
  EXPECT_EQ(mistake_of([&] { book.observe(1, {1, 0.5}); }), DecisionMistake::kRepeated);
  EXPECT_EQ(mistake_of([&] { book.observe(1, {1, 0.25}); }), DecisionMistake::kObserved);
  EXPECT_EQ(mistake_of([&] { book.observe(1, {0, 0.5}); }), DecisionMistake::kObserved);
  EXPECT_EQ(mistake_of([&] { book.forget(1); }), DecisionMistake::kObserved);
  EXPECT_EQ(refusal([&] { book.forget(1); }),
            "decision: got 1, which already has its outcome, expected a decision whose outcome is "
            "outstanding");
}

TEST(DecisionBook, ForgottenDecisions) {
  DecisionBook book = new_book();
  book.choose();
  book.forget(1);
  EXPECT_EQ(mistake_of([&] { book.forget(1); }), DecisionMistake::kRepeated);
  EXPECT_EQ(mistake_of([&] { book.observe(1, {0, 1}); }), DecisionMistake::kForgotten);
  EXPECT_TRUE(contains(refusal([&] { book.observe(1, {0, 1}); }), "1, which was forgotten"));
}

// Only the last ones closed are remembered, in the order of closing and not of ids.
TEST(DecisionBook, ClosedLongAgo) {
  DecisionBook book = new_book(2);
  for (int i = 0; i < 4; ++i) book.choose();
  book.observe(4, {0, 1});
  book.observe(2, {0, 1});
  book.observe(1, {0, 1});
  EXPECT_EQ(mistake_of([&] { book.observe(4, {0, 1}); }), DecisionMistake::kClosed);
  EXPECT_EQ(mistake_of([&] { book.observe(2, {0, 1}); }), DecisionMistake::kRepeated);
  EXPECT_EQ(mistake_of([&] { book.observe(1, {0, 1}); }), DecisionMistake::kRepeated);
  book.observe(3, {0, 1});
  EXPECT_EQ(mistake_of([&] { book.observe(2, {0, 1}); }), DecisionMistake::kClosed);
  DecisionBook forgetful = new_book(0);
  forgetful.choose();
  forgetful.forget(1);
  EXPECT_EQ(mistake_of([&] { forgetful.forget(1); }), DecisionMistake::kClosed);
}

TEST(DecisionBook, OutcomesThatAreNone) {
  DecisionBook book = new_book();
  book.choose();
  EXPECT_EQ(mistake_of([&] { book.observe(1, {2, 0.5}); }), DecisionMistake::kContext);
  EXPECT_EQ(mistake_of([&] { book.observe(1, "z2", 0.5); }), DecisionMistake::kContext);
  for (const double reward : {1.5, -0.1, std::numeric_limits<double>::quiet_NaN(),
                              std::numeric_limits<double>::infinity()})
    EXPECT_EQ(mistake_of([&] { book.observe(1, {0, reward}); }), DecisionMistake::kReward);
  EXPECT_EQ(refusal([&] {
              book.observe(1, {0, 1.5});
            }),
            "reward: got 1.5, expected a number in [0,1]");
  EXPECT_TRUE(contains(refusal([&] { book.observe(1, "Z1", 0.5); }), "did you mean 'z1'"));
  EXPECT_EQ(book.outstanding_count(), 1u);
}

TEST(DecisionBook, AMistakeChangesNothing) {
  DecisionBook book = new_book();
  for (int i = 0; i < 3; ++i) book.choose();
  book.observe(1, {0, 1});
  book.forget(2);
  const std::string before = book.save();
  const std::function<void()> mistakes[] = {
      [&] { book.observe(1, {0, 1}); }, [&] { book.observe(1, {1, 1}); },
      [&] { book.observe(2, {0, 1}); }, [&] { book.forget(1); },
      [&] { book.forget(2); },          [&] { book.observe(9, {0, 1}); },
      [&] { book.observe(3, {9, 1}); }, [&] { book.observe(3, {0, 2}); }};
  for (const auto& mistake : mistakes) {
    EXPECT_TRUE(mistake_of(mistake).has_value());
    EXPECT_EQ(book.save(), before);
  }
}

TEST(DecisionBook, EveryMistakeHasAName) {
  EXPECT_STREQ(mistake_name(DecisionMistake::kUnknown), "unknown");
  EXPECT_STREQ(mistake_name(DecisionMistake::kRepeated), "repeated");
  EXPECT_STREQ(mistake_name(DecisionMistake::kReward), "reward");
  EXPECT_STREQ(mistake_name(DecisionMistake::kAction), "action");
  EXPECT_STREQ(mistake_name(DecisionMistake::kWitness), "witness");
}

TEST(DecisionBook, RemembersWhatWasClosedWhenLoaded) {
  DecisionBook book = new_book(2);
  for (int i = 0; i < 5; ++i) book.choose();
  book.observe(1, {0, 1});
  book.forget(2);
  book.observe(3, {1, 0.5});
  DecisionBook loaded = DecisionBook::load(book.save(), problem());
  EXPECT_EQ(loaded.save(), book.save());
  EXPECT_EQ(mistake_of([&] { loaded.forget(1); }), DecisionMistake::kClosed);
  EXPECT_EQ(mistake_of([&] { loaded.forget(2); }), DecisionMistake::kRepeated);
  EXPECT_EQ(mistake_of([&] { loaded.observe(3, {1, 0.5}); }), DecisionMistake::kRepeated);
  loaded.observe(4, {0, 1});  // takes the place of 2
  EXPECT_EQ(mistake_of([&] { loaded.forget(2); }), DecisionMistake::kClosed);
  EXPECT_EQ(loaded.choose().id, 6u);
}

// A session that was at work before has decisions the book never made.
TEST(DecisionBook, StartsWhereTheSessionIs) {
  PolicySession session("ucb", problem(), 1);
  session.observe(session.choose(), {0, 1});
  DecisionBook book(std::move(session));
  EXPECT_EQ(book.choose().id, 2u);
  EXPECT_EQ(mistake_of([&] { book.observe(1, {0, 1}); }), DecisionMistake::kUnknown);
  DecisionBook loaded = DecisionBook::load(book.save(), problem());
  EXPECT_EQ(mistake_of([&] { loaded.observe(1, {0, 1}); }), DecisionMistake::kUnknown);
}

TEST(DecisionBook, RefusesDamageAndOtherStates) {
  DecisionBook book = new_book();
  for (int i = 0; i < 3; ++i) book.choose();
  book.observe(2, {0, 1});
  const std::string saved = book.save();
  for (std::size_t i = 0; i < saved.size(); ++i) {
    std::string damaged = saved;
    damaged[i] = static_cast<char>(damaged[i] ^ 4);
    EXPECT_NE(refusal([&] { DecisionBook::load(damaged, problem()); }), "(accepted)") << i;
  }
  EXPECT_TRUE(contains(refusal([&] { DecisionBook::load(book.session().save(), problem()); }),
                       "expected a state of 'decision book'"));
}

// Forged, with a right digest: ids that were never given, or in both lists.
TEST(DecisionBook, RefusesDecisionsThatWereNeverMade) {
  struct Forged {
    std::uint64_t id;
    std::uint32_t arm;
    std::uint64_t ticket;
  };
  const auto forged = [&](std::vector<Forged> outstanding) {
    std::uint64_t first = 1, remembered = 0;
    bool told = false;
    std::vector<Forged> none;
    PolicySession session("ucb", problem(), 1);
    session.choose();
    session.choose();
    std::string inner = session.save();
    return save_state("decision book", [&](StateVisitor& visitor) {
      visitor.field("first", first);
      visitor.field("remembered", remembered);
      visitor.field("probabilities_told", told);
      visitor.list("outstanding", outstanding, [](ItemVisitor& part, Forged& one) {
        part.field("id", one.id);
        part.field("arm", one.arm);
        part.field("ticket", one.ticket);
      });
      visitor.list("closed", none, [](ItemVisitor& part, Forged& one) {
        double reward = 0;
        part.field("id", one.id);
        part.field("forgotten", one.arm);
        part.field("context", one.arm);
        part.field("reward", reward);
      });
      visitor.field("session", inner);
    });
  };
  const auto load = [&](std::vector<Forged> outstanding) {
    return refusal([&] { DecisionBook::load(forged(std::move(outstanding)), problem()); });
  };
  EXPECT_EQ(load({{1, 0, 0}, {2, 1, 0}}), "(accepted)");
  EXPECT_TRUE(contains(load({{1, 0, 0}, {3, 0, 0}}), "never made"));
  EXPECT_TRUE(contains(load({{0, 0, 0}, {2, 0, 0}}), "never made"));
  EXPECT_TRUE(contains(load({{1, 0, 0}, {1, 0, 0}}), "never made"));
  EXPECT_TRUE(contains(load({{2, 0, 0}, {1, 0, 0}}), "never made"));
  EXPECT_TRUE(contains(load({{1, 2, 0}, {2, 0, 0}}), "never made"));
  EXPECT_TRUE(contains(load({{1, 0, 0}}), "never made"));  // the session waits for two
}

// Nobody could ever close them.
TEST(DecisionBook, RefusesASessionWithDecisionsOutstanding) {
  PolicySession session("ucb", problem(), 1);
  session.choose();
  session.choose();
  const std::string saved = session.save();
  EXPECT_EQ(refusal([&] { DecisionBook(std::move(session)); }),
            "session: got 2 decisions outstanding, expected a session whose decisions are all "
            "observed or forgotten");
  EXPECT_EQ(PolicySession::load(saved, problem()).outstanding(), 2u);
  EXPECT_TRUE(contains(refusal([&] { DecisionBook(PolicySession::load(saved, problem())); }),
                       "2 decisions outstanding"));
}

// Once a 0 was a null pointer to a name.
TEST(DecisionBook, ContextsByIndex) {
  DecisionBook by_index = new_book();
  DecisionBook by_outcome = new_book();
  for (int z = 0; z < 2; ++z) {
    by_index.observe(by_index.choose().id, z, 1.0);
    by_outcome.observe(by_outcome.choose().id, {static_cast<Context>(z), 1.0});
  }
  by_index.observe(by_index.choose().id, 0, 1.0);
  by_outcome.observe(by_outcome.choose().id, {0, 1.0});
  EXPECT_EQ(by_index.save(), by_outcome.save());
  const DecisionBook::Id id = by_index.choose().id;
  EXPECT_EQ(mistake_of([&] { by_index.observe(id, 2, 1.0); }), DecisionMistake::kContext);
  EXPECT_EQ(mistake_of([&] { by_index.observe(id, -1, 1.0); }), DecisionMistake::kContext);
  EXPECT_EQ(mistake_of([&] { by_index.observe(id, std::uint64_t{1} << 32, 1.0); }),
            DecisionMistake::kContext);
  EXPECT_EQ(mistake_of([&] { by_index.observe(id, 1, 2.0); }), DecisionMistake::kReward);
}

// --- Others' decisions

DecisionBook watching_book(
    DecisionBook::Probabilities told = DecisionBook::Probabilities::kUntold) {
  test::register_watching_policies();
  return DecisionBook(PolicySession("test-watcher", problem(), 1), 1024, told);
}

TEST(DecisionBook, WitnessesByNameAndByIndex) {
  DecisionBook by_name = watching_book();
  DecisionBook by_index = watching_book();
  by_name.witness("a1", "z0", 0.5);
  by_index.witness(1, {0, 0.5});
  EXPECT_EQ(by_name.save(), by_index.save());
  EXPECT_EQ(by_name.session().evidence().rewards(1, 0), 0.5);
  EXPECT_EQ(by_name.outstanding_count(), 0u);
  EXPECT_EQ(by_name.choose().id, 1u);
}

TEST(DecisionBook, WhatCannotBeWitnessedChangesNothing) {
  DecisionBook book = watching_book();
  book.choose();
  const std::string before = book.save();
  EXPECT_EQ(mistake_of([&] { book.witness("b1", "z0", 1.0); }), DecisionMistake::kAction);
  EXPECT_EQ(mistake_of([&] { book.witness("a1", "y0", 1.0); }), DecisionMistake::kContext);
  EXPECT_EQ(mistake_of([&] { book.witness("a1", "z0", 1.5); }), DecisionMistake::kReward);
  EXPECT_EQ(mistake_of([&] { book.witness(2, {0, 1.0}); }), DecisionMistake::kAction);
  EXPECT_EQ(mistake_of([&] { book.witness(0, {2, 1.0}); }), DecisionMistake::kContext);
  EXPECT_EQ(book.save(), before);
  EXPECT_EQ(refusal([&] { book.witness("A1", "z0", 1.0); }),
            "action: got 'A1', expected one of the problem's actions; did you mean 'a1'?");
  DecisionBook deaf(PolicySession("pe", problem(), 1));
  EXPECT_EQ(mistake_of([&] { deaf.witness("a1", "z0", 1.0); }), DecisionMistake::kWitness);
  EXPECT_TRUE(contains(refusal([&] { deaf.witness("a1", "z0", 1.0); }), "replay"));
}

TEST(DecisionBook, TellsProbabilitiesIfAsked) {
  DecisionBook silent = watching_book();
  EXPECT_EQ(silent.choose().probability, std::nullopt);
  DecisionBook telling = watching_book(DecisionBook::Probabilities::kTold);
  EXPECT_EQ(telling.choose().probability, 1.0);
  DecisionBook loaded = DecisionBook::load(telling.save(), problem());
  EXPECT_EQ(loaded.choose().probability, 1.0);
  // Who draws at random, and cannot say how.
  DecisionBook unknown(PolicySession("test-coiner", problem(), 1), 0,
                       DecisionBook::Probabilities::kTold);
  EXPECT_EQ(unknown.choose().probability, std::nullopt);
}

// The old book waits for what it sent out; the new one hears of it as of others' decisions.
TEST(DecisionBook, GoesOnInAnotherProblem) {
  DecisionBook book = watching_book();
  const DecisionBook::Made late = book.choose();
  book.witness("a1", "z1", 1.0);
  Problem wider = problem_of({{0.5, 0.5}, {0.25, 0.75}, {0.75, 0.25}}, 1000);
  DecisionBook next(book.session().extend("test-watcher", wider));
  EXPECT_EQ(next.choose().id, 1u);
  book.observe(late.id, "z0", 1.0);
  next.witness(problem().action_names[late.arm], "z0", 1.0);
  EXPECT_EQ(next.session().evidence(), book.session().evidence().renamed(problem(), wider));
  EXPECT_EQ(next.outstanding_count(), 1u);
}

// --- In two steps, and many at once

TEST(DecisionBook, OutcomesInTwoSteps) {
  DecisionBook halves = new_book();
  DecisionBook whole = new_book();
  for (int i = 0; i < 2; ++i) {
    halves.choose();
    whole.choose();
  }
  halves.observe({.id = 1, .context = 1});
  halves.observe({.id = 2, .reward = 0.5});
  EXPECT_EQ(halves.outstanding_count(), 2u);
  EXPECT_EQ(halves.session().evidence().outcomes(), 0u);
  ASSERT_EQ(halves.half_told().size(), 2u);
  EXPECT_EQ(halves.half_told()[0].context, 1u);
  EXPECT_EQ(halves.half_told()[1].reward, 0.5);
  DecisionBook loaded = DecisionBook::load(halves.save(), problem());
  EXPECT_EQ(loaded.save(), halves.save());
  for (DecisionBook* book : {&halves, &loaded}) {
    book->observe({.id = 1, .reward = 1.0});
    book->observe({.id = 2, .context = 0});
  }
  whole.observe(1, {1, 1.0});
  whole.observe(2, {0, 0.5});
  EXPECT_EQ(halves.save(), whole.save());  // and in the form of books without parts
  EXPECT_EQ(loaded.save(), whole.save());
}

TEST(DecisionBook, PartsThatContradict) {
  DecisionBook book = new_book();
  for (int i = 0; i < 3; ++i) book.choose();
  book.observe({.id = 1, .context = 1});
  book.observe({.id = 2, .reward = 0.5});
  const std::string before = book.save();
  const auto mistake = [&](DecisionBook::Told told) {
    return mistake_of([&] { book.observe(told); });
  };
  EXPECT_EQ(mistake({.id = 1, .context = 1}), DecisionMistake::kRepeated);
  EXPECT_EQ(mistake({.id = 1, .context = 0}), DecisionMistake::kObserved);
  EXPECT_EQ(mistake({.id = 1, .context = 0, .reward = 1.0}), DecisionMistake::kObserved);
  EXPECT_EQ(mistake({.id = 2, .reward = 0.5}), DecisionMistake::kRepeated);
  EXPECT_EQ(mistake({.id = 2, .context = 0, .reward = 0.25}), DecisionMistake::kObserved);
  EXPECT_EQ(mistake({.id = 3}), DecisionMistake::kContext);
  EXPECT_EQ(mistake({.id = 3, .context = 2}), DecisionMistake::kContext);
  EXPECT_EQ(mistake({.id = 3, .reward = 2.0}), DecisionMistake::kReward);
  EXPECT_EQ(book.save(), before);
  book.observe({.id = 1, .context = 1, .reward = 1.0});  // all of it, and it agrees
  EXPECT_EQ(mistake({.id = 1, .context = 1}), DecisionMistake::kRepeated);
  EXPECT_EQ(mistake({.id = 1, .reward = 0.0}), DecisionMistake::kObserved);
  book.forget(2);
  EXPECT_EQ(mistake({.id = 2, .context = 0}), DecisionMistake::kForgotten);
  EXPECT_TRUE(book.half_told().empty());
}

TEST(DecisionBook, AnOutcomeOfAnotherAction) {
  DecisionBook book = new_book();
  const DecisionBook::Made made = book.choose();
  const std::string before = book.save();
  EXPECT_EQ(mistake_of([&] {
              book.observe({.id = made.id, .context = 0, .reward = 1.0, .arm = 1 - made.arm});
            }),
            DecisionMistake::kArm);
  const DecisionBook::Told other{.id = made.id, .arm = 1 - made.arm};
  EXPECT_EQ(mistake_of([&] { book.forget_all({&other, 1}); }), DecisionMistake::kArm);
  EXPECT_EQ(book.save(), before);
  book.observe({.id = made.id, .context = 0, .reward = 1.0, .arm = made.arm});
}

TEST(DecisionBook, AllOrNone) {
  DecisionBook book = new_book();
  DecisionBook one_by_one = new_book();
  for (int i = 0; i < 4; ++i) {
    book.choose();
    one_by_one.choose();
  }
  using Told = DecisionBook::Told;
  const std::string before = book.save();
  const auto mistake = [&](std::vector<Told> all) {
    return mistake_of([&] { book.observe_all(all); });
  };
  const Told good{.id = 1, .context = 0, .reward = 1.0};
  EXPECT_EQ(mistake({good, {.id = 9, .context = 0, .reward = 1.0}}), DecisionMistake::kUnknown);
  EXPECT_EQ(mistake({good, {.id = 2, .context = 0, .reward = 2.0}}), DecisionMistake::kReward);
  EXPECT_EQ(mistake({good, good}), DecisionMistake::kRepeated);
  EXPECT_EQ(mistake_of([&] {
              book.forget_all(std::vector<Told>{{.id = 2}, {.id = 1}, {.id = 2}});
            }),
            DecisionMistake::kRepeated);
  EXPECT_EQ(book.save(), before);
  book.observe_all(std::vector<Told>{{.id = 3, .context = 1, .reward = 0.5}, good});
  book.forget_all(std::vector<Told>{{.id = 4}, {.id = 2}});
  one_by_one.observe(3, {1, 0.5});
  one_by_one.observe(1, {0, 1.0});
  one_by_one.forget(4);
  one_by_one.forget(2);
  EXPECT_EQ(book.save(), one_by_one.save());
  const std::string then = book.save();
  EXPECT_EQ(mistake_of([&] {
              book.witness_all(std::vector<Logged>{{0, {0, 1.0}}, {2, {0, 1.0}}});
            }),
            DecisionMistake::kAction);
  EXPECT_EQ(book.save(), then);
  book.witness_all(std::vector<Logged>{{0, {0, 1.0}}, {1, {1, 1.0}}});
  EXPECT_EQ(book.session().evidence().outcomes(), 4u);
}

// --- In another problem

// Late outcomes come to the new book by their old ids, and are witnessed by name.
TEST(DecisionBook, ExtendsWithWhatIsOutstanding) {
  DecisionBook book = new_book();
  for (int i = 0; i < 4; ++i) book.choose();  // a0, a1 and so on: each is tried
  std::vector<Arm> made;
  for (const DecisionBook::Waiting& one : book.outstanding()) made.push_back(one.arm);
  book.observe(1, {0, 1.0});
  book.observe({.id = 2, .context = 1});
  Problem wider = problem_of({{0.5, 0.5}, {0.25, 0.75}, {0.75, 0.25}}, 1000);
  std::swap(wider.action_names[0], wider.action_names[2]);  // a0 is now the last one
  DecisionBook next = book.extend("ucb", wider);
  EXPECT_EQ(next.outstanding_count(), 3u);
  EXPECT_EQ(next.choose().id, 5u);
  next = DecisionBook::load(next.save(), wider);
  EXPECT_EQ(mistake_of([&] { next.observe(1, {0, 1.0}); }), DecisionMistake::kRepeated);
  const std::string before = next.save();
  EXPECT_EQ(
      mistake_of([&] { next.observe({.id = 2, .context = 1, .reward = 1.0, .arm = made[1] + 1}); }),
      DecisionMistake::kArm);
  EXPECT_EQ(next.save(), before);
  next.observe({.id = 2, .reward = 0.5, .arm = made[1]});
  const Arm there = made[1] == 0 ? 2 : 1;
  EXPECT_EQ(next.session().evidence().rewards(there, 1), 0.5);
  next.forget(3);
  EXPECT_EQ(next.outstanding_count(), 2u);  // 4 and 5
  EXPECT_EQ(next.session().evidence().outcomes(), 2u);
  EXPECT_EQ(book.outstanding_count(), 3u);  // as it was
}

TEST(DecisionBook, DropsWhatComesLateOfAnActionThatIsGone) {
  DecisionBook book = new_book();
  const DecisionBook::Made late = book.choose();
  Problem rest = problem_of({{0.5, 0.5}}, 100);
  rest.action_names = {problem().action_names[1 - late.arm]};
  DecisionBook next = book.extend("ucb", rest);
  ASSERT_EQ(next.outstanding().size(), 1u);
  EXPECT_EQ(next.outstanding()[0].now, std::nullopt);
  next.observe(late.id, {0, 1.0});
  EXPECT_EQ(next.session().evidence().outcomes(), 0u);
  EXPECT_EQ(next.outstanding_count(), 0u);
}

// Ids are found whatever is closed, and in which order.
TEST(DecisionBook, FindsWhatIsOpenAmongManyClosed) {
  DecisionBook book = new_book();
  book.choose();  // stays open for good
  std::vector<DecisionBook::Id> kept{1};
  for (DecisionBook::Id id = 2; id <= 2000; ++id) {
    ASSERT_EQ(book.choose().id, id);
    if (id % 97 == 0)
      kept.push_back(id);
    else if (id % 2 == 0)
      book.observe(id, {0, 1.0});
    else
      book.forget(id);
  }
  std::vector<DecisionBook::Id> open;
  for (const DecisionBook::Waiting& one : book.outstanding()) open.push_back(one.id);
  EXPECT_EQ(open, kept);
  for (DecisionBook::Id id = 0; id <= 2001; ++id) {
    const bool is_open = std::find(kept.begin(), kept.end(), id) != kept.end();
    EXPECT_EQ(mistake_of([&] { book.forget(id); }).has_value(), !is_open) << id;
  }
  EXPECT_EQ(book.outstanding_count(), 0u);
}

template <class Action, class Named>
constexpr bool kNamesACell = requires(DecisionBook& book, Action action, Named context) {
  book.witness(action, context, 1.0);
};
static_assert(kNamesACell<const char*, const char*> && kNamesACell<std::string, std::string_view>);
static_assert(kNamesACell<std::string_view, std::string>);
static_assert(!kNamesACell<int, int> && !kNamesACell<const char*, int> &&
              !kNamesACell<int, const char*> && !kNamesACell<std::nullptr_t, const char*>);

template <class Name>
constexpr bool kNamesAContext = requires(DecisionBook& book, Name name) {
  book.observe(1, name, 1.0);
};
static_assert(kNamesAContext<const char*> && kNamesAContext<int>);
static_assert(!kNamesAContext<std::nullptr_t>);

TEST(DecisionBook, AbortsOnceMovedFrom) {
  DecisionBook book = new_book();
  const DecisionBook::Id id = book.choose().id;
  DecisionBook taken = std::move(book);
  EXPECT_DEATH(book.choose(), "moved from");
  EXPECT_DEATH(book.observe(id, {0, 1}), "moved from");
  EXPECT_DEATH(book.save(), "moved from");
  EXPECT_EQ(mistake_of([&] { book.forget(id); }), DecisionMistake::kClosed);
  taken.observe(id, {0, 1});
}

// What a log keeps so that a replay can be proved to be one.
TEST(DecisionBook, TellsTicketsAndThePositionOfItsLuck) {
  const Problem problem = test::problem_of({{0.5, 0.5}, {0.25, 0.75}}, 1000);
  DecisionBook book(PolicySession("floor:base=ts,probability=0.5", problem, 3), 0,
                    DecisionBook::Probabilities::kTold);
  PolicySession alone("floor:base=ts,probability=0.5", problem, 3);
  for (int t = 0; t < 50; ++t) {
    const DecisionBook::Made made = book.choose();
    const Decision decision = alone.choose();
    EXPECT_EQ(made.ticket, decision.ticket);
    EXPECT_EQ(made.probability, alone.policy().last_probability());
    EXPECT_EQ(book.session().position(), alone.position());
    book.observe(made.id, Outcome{0, 1});
    alone.observe(decision, {0, 1});
  }
  EXPECT_GT(alone.position(), 50u);
}

}  // namespace
}  // namespace armature
