#include "armature/evidence.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/refusal.h"
#include "policies/small_problems.h"

namespace armature {
namespace {

using test::contains;
using test::refusal;

Problem named(std::vector<std::string> actions, std::vector<std::string> contexts) {
  Problem problem;
  problem.action_names = std::move(actions);
  problem.context_names = std::move(contexts);
  return problem;
}

std::string saved(Evidence evidence) {
  return save_state("evidence", [&](StateVisitor& visitor) { evidence.visit_state(visitor); });
}
void load(Evidence& evidence, const std::string& bytes) {
  load_state("evidence", bytes, [&](StateVisitor& visitor) { evidence.visit_state(visitor); });
}

TEST(Evidence, CountsAndAddsUpCellByCell) {
  Evidence evidence(2, 3);
  evidence.add(1, {2, 1.0});
  evidence.add(0, {1, 0.0});
  evidence.add(1, {2, 1.0});
  evidence.add(1, {0, 0.0});
  EXPECT_EQ(evidence.outcomes(), 4u);
  EXPECT_TRUE(evidence.whole());
  const std::vector<Tally> tallies = evidence.tallies();
  ASSERT_EQ(tallies.size(), 3u);  // in order, and only cells with plays
  EXPECT_EQ(tallies[0].arm, 0u);
  EXPECT_EQ(tallies[0].context, 1u);
  EXPECT_EQ(tallies[1].arm, 1u);
  EXPECT_EQ(tallies[1].context, 0u);
  EXPECT_EQ(tallies[2].context, 2u);
  EXPECT_EQ(tallies[2].plays, 2u);
  EXPECT_EQ(tallies[2].rewards, 2.0);
  EXPECT_EQ(evidence.plays(1, 2), 2u);
  EXPECT_EQ(evidence.rewards(0, 1), 0.0);
}

TEST(Evidence, KnowsWhetherAllRewardsWereWhole) {
  Evidence evidence(1, 1);
  evidence.add(0, {0, 0.5});
  EXPECT_FALSE(evidence.whole());
  evidence.add(0, {0, 0.5});  // the sum is 1 now, and still no reward was
  EXPECT_FALSE(evidence.whole());
  Evidence added(1, 1);
  added.add(Tally{0, 0, 3, 2.0});
  EXPECT_TRUE(added.whole());
  added.add(Tally{0, 0, 3, 2.5});
  EXPECT_FALSE(added.whole());
  EXPECT_EQ(added.outcomes(), 6u);
}

TEST(Evidence, GoesByNameIntoAnotherProblem) {
  const Problem from = named({"a", "b", "c"}, {"x", "y"});
  const Problem to = named({"new", "c", "a"}, {"y", "x", "w"});
  Evidence evidence(from);
  evidence.add(0, {0, 1.0});  // a, x
  evidence.add(1, {0, 1.0});  // b, which is gone
  evidence.add(2, {1, 0.5});  // c, y
  const Evidence renamed = evidence.renamed(from, to);
  EXPECT_EQ(renamed.outcomes(), 2u);
  EXPECT_EQ(renamed.plays(2, 1), 1u);
  EXPECT_EQ(renamed.rewards(1, 0), 0.5);
  EXPECT_EQ(renamed.plays(0, 0) + renamed.plays(0, 1) + renamed.plays(0, 2), 0u);
  EXPECT_FALSE(renamed.whole());
}

// Without the outcomes in x, a would seem to pay what it pays in y.
TEST(Evidence, AContextThatWasSeenCannotGo) {
  const Problem from = named({"a", "b"}, {"x", "y"});
  Evidence evidence(from);
  evidence.add(0, {0, 1.0});
  evidence.add(1, {1, 1.0});
  try {
    evidence.renamed(from, named({"a", "b"}, {"y"}));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "contexts: got none named 'x', which 'a' led to, expected every context that a "
                 "kept action led to: without some of its outcomes the others are a biased sample");
  }
  EXPECT_EQ(evidence.renamed(from, named({"b"}, {"y"})).outcomes(), 1u);  // a is gone as a whole
}

TEST(Evidence, TwoHalvesAreNoOneInAnotherProblemEither) {
  const Problem problem = named({"a"}, {"x"});
  Evidence evidence(problem);
  evidence.add(0, {0, 0.5});
  evidence.add(0, {0, 0.5});
  EXPECT_FALSE(evidence.renamed(problem, problem).whole());
}

TEST(Evidence, SavedAndLoadedItIsTheSame) {
  Evidence evidence(3, 2);
  evidence.add(2, {1, 0.25});
  evidence.add(0, {0, 1.0});
  Evidence loaded(3, 2);
  loaded.add(1, {1, 1.0});  // what was there before is gone
  load(loaded, saved(evidence));
  EXPECT_EQ(loaded, evidence);
  EXPECT_EQ(saved(loaded), saved(evidence));
}

// Forged with a right digest: each is refused, and leaves no trace.
TEST(Evidence, RefusesWhatNoRunLeaves) {
  const auto forged = [](std::vector<Tally> tallies, bool whole) {
    return save_state("evidence", [&](StateVisitor& visitor) {
      visitor.list("evidence", tallies, [](ItemVisitor& part, Tally& tally) {
        part.field("action", tally.arm);
        part.field("context", tally.context);
        part.field("plays", tally.plays);
        part.field("rewards", tally.rewards);
      });
      visitor.field("evidence_whole", whole);
    });
  };
  Evidence evidence(2, 2);
  evidence.add(0, {0, 1.0});
  const Evidence before = evidence;
  const auto refused = [&](std::vector<Tally> tallies, bool whole = false) {
    return refusal([&] { load(evidence, forged(std::move(tallies), whole)); });
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::uint64_t most = std::uint64_t{1} << 62;
  EXPECT_TRUE(contains(refused({{2, 0, 1, 0.5}}), "evidence_action"));
  EXPECT_TRUE(contains(refused({{0, 2, 1, 0.5}}), "evidence_context"));
  EXPECT_TRUE(contains(refused({{0, 1, 1, 0.5}, {0, 0, 1, 0.5}}), "evidence'"));
  EXPECT_TRUE(contains(refused({{1, 1, 1, 0.5}, {1, 1, 1, 0.5}}), "evidence'"));
  EXPECT_TRUE(contains(refused({{0, 0, 0, 0.0}}), "evidence_plays"));
  EXPECT_TRUE(contains(refused({{0, 0, most, 1.0}, {0, 1, 1, 1.0}}), "evidence_plays"));
  EXPECT_TRUE(contains(refused({{0, 0, 1, 1.5}}), "evidence_rewards"));
  EXPECT_TRUE(contains(refused({{0, 0, 1, nan}}), "evidence_rewards"));
  EXPECT_TRUE(contains(refused({{0, 0, 2, 0.5}}, true), "evidence_whole"));
  EXPECT_EQ(evidence, before);
  EXPECT_EQ(refused({{0, 0, most, 1.0}}, true), "(accepted)");
}

TEST(EvidenceDeathTest, AbortsOnCellsThatAreNotThere) {
  Evidence evidence(2, 2);
  EXPECT_DEATH(evidence.add(2, {0, 1.0}), "a cell of the problem");
  EXPECT_DEATH(evidence.add(0, {2, 1.0}), "a cell of the problem");
  EXPECT_DEATH(evidence.renamed(named({"a"}, {"x"}), named({"a"}, {"x"})), "renamed from");
}

}  // namespace
}  // namespace armature
