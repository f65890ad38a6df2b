// What was learned goes on in another problem: by name, and from sums as from the log.
#include "armature/extend.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <charconv>
#include <functional>

#include "base/refusal.h"
#include "conformance/registered_texts.h"
#include "policies/small_problems.h"
#include "policies/watching_policies.h"

namespace armature {
namespace {

using test::contains;
using test::refusal;

Stream new_stream() { return Stream({5, 0, Purpose::kPolicy}); }

// Rows with dyadic numbers, all different.
Matrix rows_for(std::size_t actions, std::size_t contexts) {
  Matrix rows(actions, contexts);
  for (std::size_t a = 0; a < actions; ++a) {
    for (std::size_t z = 0; z < contexts; ++z) rows(a, z) = 1.0 / 64;
    rows(a, a % contexts) += 1.0 - static_cast<double>(contexts) / 64 - 1.0 / 8;
    rows(a, (a / contexts + 1) % contexts) += 1.0 / 8;
  }
  return rows;
}

Problem named(std::vector<std::string> actions, std::vector<std::string> contexts,
              Round horizon = 2000) {
  Problem problem;
  problem.marginals = std::make_shared<const Matrix>(rows_for(actions.size(), contexts.size()));
  problem.action_names = std::move(actions);
  problem.context_names = std::move(contexts);
  problem.horizon = horizon;
  return problem;
}

const Problem& old_problem() {
  static const Problem problem = named({"a", "b", "c", "d"}, {"x", "y", "z"});
  return problem;
}

std::vector<Logged> log_of(const Problem& problem, int length, std::uint64_t seed,
                           bool whole = true) {
  Stream luck({seed, 0, Purpose::kTest});
  std::vector<Logged> log;
  for (int i = 0; i < length; ++i) {
    const Arm arm = uniform_index(luck, problem.actions());
    const Context context = uniform_index(luck, problem.contexts());
    // By arm and by context: a part of a log says something else than the whole.
    const double mean = 0.1 + 0.2 * arm / problem.actions() + 0.6 * context / problem.contexts();
    const double reward = bernoulli(luck, mean) ? 1 : 0;
    log.push_back({arm, {context, whole ? reward : (1 + reward) / 4}});
  }
  return log;
}

Evidence evidence_of(const std::vector<Logged>& log, const Problem& problem) {
  Evidence evidence(problem);
  for (const auto& [arm, outcome] : log) evidence.add(arm, outcome);
  return evidence;
}

// --- States, number by number

struct Field {
  std::string name;
  std::vector<double> values;
};

// Of a dump's lines `name = value`; true and false are 1 and 0.
std::vector<Field> fields_of(const AnyPolicy& policy) {
  std::vector<Field> fields;
  const std::string dump = policy.dump();
  for (std::size_t start = 0; start < dump.size();) {
    const std::size_t end = dump.find('\n', start);
    const std::string line = dump.substr(start, end - start);
    const std::size_t equals = line.find(" = ");
    Field field{line.substr(0, equals), {}};
    for (const char* at = line.data() + equals + 3; at < line.data() + line.size();) {
      double value = 0;
      const auto [rest, wrong] = std::from_chars(at, line.data() + line.size(), value);
      if (wrong == std::errc())
        field.values.push_back(value);
      else if (*at == 't' || *at == 'f')
        field.values.push_back(*at == 't' ? 1 : 0);
      at = wrong == std::errc() ? rest : at + 1;
      if (*at == 'r' || *at == 'a') break;  // the rest of the word
    }
    fields.push_back(field);
    start = end + 1;
  }
  return fields;
}

// Equal but for the last bits, and for what remembers the way: a regression counts its updates
// since it was last worked out afresh.
void expect_same_statistics(const AnyPolicy& by_sums, const AnyPolicy& by_log) {
  const std::vector<Field> sums = fields_of(by_sums);
  const std::vector<Field> log = fields_of(by_log);
  ASSERT_EQ(sums.size(), log.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    SCOPED_TRACE(sums[i].name);
    ASSERT_EQ(sums[i].name, log[i].name);
    ASSERT_EQ(sums[i].values.size(), log[i].values.size());
    for (std::size_t k = 0; k < sums[i].values.size(); ++k) {
      if (sums[i].name != "updates" && sums[i].values[k] != log[i].values[k])
        EXPECT_NEAR(sums[i].values[k], log[i].values[k],
                    1e-9 * std::max(1.0, std::abs(log[i].values[k])));
    }
  }
}

// --- Every policy, every change

struct Change {
  const char* what;
  Problem problem;
};

std::vector<Change> changes() {
  Problem other_marginals = old_problem();
  other_marginals.marginals = std::make_shared<const Matrix>(Matrix::from_rows(
      {{0.5, 0.25, 0.25}, {0.25, 0.5, 0.25}, {0.25, 0.25, 0.5}, {0.125, 0.125, 0.75}}));
  return {{"nothing", old_problem()},
          {"actions added", named({"a", "b", "c", "d", "e", "f"}, {"x", "y", "z"})},
          {"actions removed", named({"a", "c"}, {"x", "y", "z"})},
          {"reordered", named({"d", "b", "a", "c"}, {"z", "x", "y"})},
          {"a context added", named({"a", "b", "c", "d"}, {"w", "y", "z", "x"})},
          {"another horizon", named({"a", "b", "c", "d"}, {"x", "y", "z"}, 5000)},
          {"other marginals", other_marginals}};
}

// By hand, name by name: independent of how extend finds its way.
void witness_by_name(AnyPolicy& policy, const Problem& problem, const std::vector<Logged>& log,
                     Stream& stream) {
  const auto place = [](const std::vector<std::string>& names, const std::string& name) {
    return static_cast<std::uint32_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  for (const auto& [arm, outcome] : log) {
    const Arm a = place(problem.action_names, old_problem().action_names[arm]);
    const Context z = place(problem.context_names, old_problem().context_names[outcome.context]);
    if (a < problem.actions() && z < problem.contexts())
      policy.witness(a, {z, outcome.reward}, stream);
  }
}

std::vector<std::string> all_texts() {
  test::register_watching_policies();
  std::vector<std::string> texts = test::registered_texts();
  for (const char* own : {"test-watcher", "test-coiner"}) texts.emplace_back(own);
  return texts;
}

class Extend : public testing::TestWithParam<std::string> {};

TEST_P(Extend, GoesOnFromWhatTheLogSays) {
  const std::vector<Logged> log = log_of(old_problem(), 200, 1);
  for (const auto& [what, problem] : changes()) {
    SCOPED_TRACE(what);
    const auto fresh = make_policy(GetParam(), problem);
    Stream luck = new_stream();
    if (const std::string instead = fresh->witness_obstacle(); !instead.empty()) {
      EXPECT_TRUE(contains(refusal([&, &problem = problem] {
                             extend(GetParam(), problem, log, old_problem(), luck);
                           }),
                           instead));
      continue;
    }
    const auto by_log = extend(GetParam(), problem, log, old_problem(), luck);
    Stream other_luck = new_stream();
    witness_by_name(*fresh, problem, log, other_luck);
    EXPECT_EQ(by_log->digest(), fresh->digest());
    Stream third_luck = new_stream();
    const auto by_sums =
        extend(GetParam(), problem, evidence_of(log, old_problem()), old_problem(), third_luck);
    expect_same_statistics(*by_sums, *by_log);
    // And it plays on.
    for (int t = 0; t < 20; ++t) {
      const Decision decision = by_sums->choose(third_luck);
      ASSERT_LT(decision.arm, problem.actions());
      by_sums->observe(decision, {0, 1}, third_luck);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Registered, Extend, testing::ValuesIn(all_texts()), test::readable_name);

// --- By hand

TEST(ExtendByHand, ActionsKeepTheirStatisticsByName) {
  test::register_watching_policies();
  const std::vector<Logged> log{{0, {0, 1}}, {0, {1, 0}}, {1, {2, 1}}, {3, {2, 0}}};
  Stream luck = new_stream();
  const auto policy = extend("test-watcher", named({"d", "new", "a"}, {"x", "y", "z"}),
                             evidence_of(log, old_problem()), old_problem(), luck);
  EXPECT_TRUE(contains(policy->dump(), "plays = [1, 0, 2]"));  // b is gone, new was never tried
  EXPECT_TRUE(contains(policy->dump(), "visits = [1, 1, 1]"));
  EXPECT_TRUE(contains(policy->dump(), "action_sums = [0, 0, 1]"));
  EXPECT_TRUE(contains(policy->dump(), "rounds = 0"));  // its own decisions begin
}

TEST(ExtendByHand, CoinsAskForTheLog) {
  test::register_watching_policies();
  const std::vector<Logged> log = log_of(old_problem(), 20, 2, false);
  Stream luck = new_stream();
  const Evidence evidence = evidence_of(log, old_problem());
  EXPECT_EQ(refusal([&] { extend("test-coiner", old_problem(), evidence, old_problem(), luck); }),
            "policy test-coiner: got sums of rewards other than 0 and 1, expected the log: it "
            "tosses a coin for each such reward");
  extend("test-coiner", old_problem(), log, old_problem(), luck);
  extend("test-watcher", old_problem(), evidence, old_problem(), luck);
  // Two halves add up to a 1, and are none.
  Evidence halves(old_problem());
  halves.add(0, {0, 0.5});
  halves.add(0, {0, 0.5});
  EXPECT_NE(refusal([&] { extend("test-coiner", old_problem(), halves, old_problem(), luck); }),
            "(accepted)");
}

TEST(ExtendByHand, ReplayUsesWhatWasChosen) {
  const auto policy = make_policy("round-robin", old_problem());
  Stream luck = new_stream();
  // Round-robin chooses 0; then 1, which was not played, and so on.
  const std::vector<Logged> log{{0, {0, 1}}, {3, {0, 1}}, {2, {0, 1}}, {0, {0, 1}}};
  EXPECT_EQ(replay(*policy, log, luck), 2u);
}

TEST(ExtendByHand, ALogOfAnotherProblemIsRenamed) {
  const std::vector<Logged> log{{0, {0, 1}}, {1, {2, 0.5}}, {2, {1, 0}}};
  EXPECT_TRUE(contains(refusal([&] {
                         renamed(log, old_problem(), named({"b", "a", "c"}, {"z", "x"}));
                       }),
                       "'y'"));
  const auto kept = renamed(log, old_problem(), named({"b", "a"}, {"z", "x"}));
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[0].arm, 1u);
  EXPECT_EQ(kept[0].outcome.context, 1u);
  EXPECT_EQ(kept[1].arm, 0u);
  EXPECT_EQ(kept[1].outcome.context, 0u);
  EXPECT_EQ(kept[1].outcome.reward, 0.5);
}

// A benign world, in which contexts explain all: what is learned cell by cell must not look like a
// contradiction, and no bar may rise above the best mean. The log is long enough for a mistaken
// test to reject (the intervals of 10,000 outcomes are a tenth of the difference between contexts).
TEST(ExtendByHand, SentryAndWardenStayCalmInABenignWorld) {
  const Problem problem = named({"a", "b", "c", "d"}, {"x", "y", "z"});
  Stream luck({5, 0, Purpose::kTest});
  std::vector<Logged> log;
  for (int i = 0; i < 10'000; ++i) {
    const Arm arm = uniform_index(luck, 4);
    const double u = luck.uniform();
    Context context = 0;
    for (double sum = (*problem.marginals)(arm, 0); u >= sum && context < 2;
         sum += (*problem.marginals)(arm, ++context)) {
    }
    log.push_back({arm, {context, bernoulli(luck, 0.1 + 0.4 * context) ? 1.0 : 0.0}});
  }
  double best = 0;
  for (Arm a = 0; a < 4; ++a)
    best = std::max(best, 0.5 * (*problem.marginals)(a, 1) + 0.9 * (*problem.marginals)(a, 2) +
                              0.1 * (*problem.marginals)(a, 0));
  std::vector<Logged> sorted = log;  // as an export may be
  std::stable_sort(sorted.begin(), sorted.end(), [](const Logged& one, const Logged& other) {
    return one.outcome.context < other.outcome.context;
  });
  const auto calm = [&](const std::unique_ptr<AnyPolicy>& policy) {
    policy->choose(luck);
    for (const Field& field : fields_of(*policy)) {
      if (field.name == "rejected") {
        EXPECT_EQ(field.values.front(), 0);
      }
      if (field.name == "bar") {
        EXPECT_LE(field.values.front(), best);
      }
    }
  };
  for (const char* text : {"sentry", "warden"}) {
    calm(extend(text, problem, log, problem, luck));
    calm(extend(text, problem, sorted, problem, luck));
    calm(extend(text, problem, evidence_of(log, problem), problem, luck));
  }
}

// --- Any problems, any log

RC_GTEST_PROP(ExtendProperty, SumsSayWhatTheLogSays, ()) {
  test::register_watching_policies();
  const std::vector<std::string> names{"a", "b", "c", "d", "e", "f"};
  const auto some_names = [&] {
    std::vector<std::string> chosen = names;
    for (std::size_t i = 0; i < chosen.size(); ++i)
      std::swap(chosen[i], chosen[*rc::gen::inRange<std::size_t>(i, chosen.size())]);
    chosen.resize(*rc::gen::inRange<std::size_t>(1, chosen.size() + 1));
    return chosen;
  };
  const auto some_contexts = [&] {
    std::vector<std::string> chosen = some_names();
    chosen.resize(std::max<std::size_t>(2, std::min<std::size_t>(3, chosen.size())), "x");
    return chosen;
  };
  const Problem from = named(some_names(), some_contexts());
  std::vector<std::string> contexts = from.context_names;  // what was seen stays; some are new
  std::reverse(contexts.begin(), contexts.end());
  for (const std::string& name : some_contexts())
    if (std::find(contexts.begin(), contexts.end(), name) == contexts.end())
      contexts.insert(contexts.begin(), name);
  const Problem to = named(some_names(), contexts, *rc::gen::inRange<Round>(1, 10000));
  const std::vector<Logged> log =
      log_of(from, *rc::gen::inRange(0, 60), *rc::gen::inRange<std::uint64_t>(1, 1000));
  for (const char* text :
       {"test-watcher", "test-coiner", "ucb", "c-ucb", "ts", "c-ts", "moss", "c-ucb-2", "sentry"}) {
    if (!make_policy(text, to)->witness_obstacle().empty()) continue;
    Stream one = new_stream();
    Stream two = new_stream();
    const auto by_log = extend(text, to, log, from, one);
    const auto by_sums = extend(text, to, evidence_of(log, from), from, two);
    RC_ASSERT(by_log->digest() == by_sums->digest());
    // There and back: what both problems have is what is left.
    const Evidence there = evidence_of(log, from).renamed(from, to);
    RC_ASSERT(there.renamed(to, from).renamed(from, to) == there);
    RC_ASSERT(there.outcomes() == renamed(log, from, to).size());
  }
}

}  // namespace
}  // namespace armature
