#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "armature/model.h"
#include "base/refusal.h"

namespace armature {
namespace {

using test::contains;
using test::refusal;

bool same_problem(const Problem& a, const Problem& b) {
  return a.action_names == b.action_names && a.context_names == b.context_names &&
         a.horizon == b.horizon && a.epsilon == b.epsilon &&
         (a.marginals == nullptr) == (b.marginals == nullptr) &&
         (!a.marginals || *a.marginals == *b.marginals);
}

void expect_same(const Instance& a, const Instance& b) {
  EXPECT_EQ(a.name(), b.name());
  EXPECT_EQ(a.marginals(), b.marginals());
  EXPECT_EQ(a.parts().action_names, b.parts().action_names);
  EXPECT_EQ(a.parts().context_names, b.parts().context_names);
  EXPECT_EQ(a.parts().notes, b.parts().notes);
  for (Arm action = 0; action < a.actions(); ++action)
    for (Context z = 0; z < a.contexts(); ++z) EXPECT_EQ(a.law(action, z), b.law(action, z));
  EXPECT_EQ(a.parts().given.has_value(), b.parts().given.has_value());
  EXPECT_TRUE(same_problem(a.problem({}), b.problem({})));
}

// ---- What is written ---------------------------------------------------------------------------

const char* const kSmallText = R"({
  "format": "armature-instance",
  "version": 1,
  "name": "small",
  "actions": ["stop","go"],
  "contexts": 2,
  "marginals": [
    [0.25,0.75],
    [1.0,0.0]
  ],
  "notes": ["a remark"],
  "rewards": {
    "given_context": [
      {"bernoulli":0.5},
      {"point":1.0}
    ]
  }
}
)";

Instance::Parts small() {
  Instance::Parts parts = Instance::benign("small", Matrix::from_rows({{0.25, 0.75}, {1, 0}}),
                                           {RewardLaw::bernoulli(0.5), RewardLaw::point(1)});
  parts.action_names = {"stop", "go"};
  parts.notes = {"a remark"};
  return parts;
}

TEST(WriteInstance, Golden) { EXPECT_EQ(write_instance(Instance(small())), kSmallText); }

TEST(WriteProblem, Golden) {
  Problem problem;
  problem.action_names = numbered_names('a', 2);
  problem.context_names = {"low", "high"};
  problem.horizon = 1000;
  problem.epsilon = 0.5;
  problem.marginals = std::make_shared<const Matrix>(Matrix::from_rows({{0.25, 0.75}, {1, 0}}));
  EXPECT_EQ(write_problem(problem), R"({
  "format": "armature-problem",
  "version": 1,
  "actions": 2,
  "contexts": ["low","high"],
  "horizon": 1000,
  "epsilon": 0.5,
  "marginals": [
    [0.25,0.75],
    [1.0,0.0]
  ]
}
)");
}

// ---- Round trips -------------------------------------------------------------------------------

void expect_round_trip(const Instance& instance) {
  const std::string text = write_instance(instance);
  const Instance back = read_instance(text, "test");
  expect_same(instance, back);
  EXPECT_EQ(write_instance(back), text);
}

TEST(Json, RoundTripOfTheSmallInstance) { expect_round_trip(Instance(small())); }

TEST(Json, RoundTripOfEveryKindOfLaw) {
  expect_round_trip(Instance(Instance::general(
      "laws", Matrix::from_rows({{0.5, 0.5}, {0.1, 0.9}}),
      {RewardLaw::bernoulli(1.0 / 3), RewardLaw::point(0.1), RewardLaw::beta(0.5, 1e300),
       RewardLaw::table({0, 0.3, 1}, {0.1, 0.2, 0.7})})));
}

TEST(Json, RoundTripOfAGivenBlockAndNames) {
  Instance::Parts parts = small();
  parts.context_names = {"\"quoted\"", "naïve\n\\"};
  Problem given;
  given.action_names = {"x", "y"};
  given.context_names = numbered_names('z', 2);
  given.marginals = std::make_shared<const Matrix>(Matrix::from_rows({{0.5, 0.5}, {0.5, 0.5}}));
  given.epsilon = 1;
  given.horizon = ~Round{0};
  parts.given = given;
  expect_round_trip(Instance(parts));
}

TEST(Json, RoundTripOfAGivenBlockThatSaysNothing) {
  Instance::Parts parts = small();
  parts.given = Problem{{"x", "y"}, {"u", "v"}, {}, nullptr, {}};
  expect_round_trip(Instance(parts));
}

TEST(Json, RoundTripKeepsEveryBit) {
  EXPECT_TRUE(rc::check("numbers survive", [](std::uint64_t seed) {
    Stream stream({seed, 0, Purpose::kTest});
    Matrix marginals(3, 4);
    std::vector<RewardLaw> laws;
    for (std::size_t a = 0; a < 3; ++a) {
      const auto row = dirichlet(stream, 4, 0.3);
      for (std::size_t z = 0; z < 4; ++z) {
        marginals(a, z) = row[z];
        laws.push_back(z % 2 == 0
                           ? RewardLaw::bernoulli(stream.uniform())
                           : RewardLaw::beta(stream.open_uniform(), 1 / stream.open_uniform()));
      }
    }
    const Instance instance(Instance::general("random", marginals, laws));
    const Instance back = read_instance(write_instance(instance), "test");
    RC_ASSERT(back.marginals() == instance.marginals());
    for (Arm a = 0; a < 3; ++a)
      for (Context z = 0; z < 4; ++z) RC_ASSERT(back.law(a, z) == instance.law(a, z));
  }));
}

TEST(Json, RoundTripOfProblems) {
  for (const bool told : {false, true}) {
    Problem problem;
    problem.action_names = {"x", "y"};
    problem.context_names = numbered_names('z', 3);
    if (told) {
      problem.horizon = 1000000000000;
      problem.epsilon = 0.1;
      problem.marginals =
          std::make_shared<const Matrix>(Matrix::from_rows({{0.1, 0.2, 0.7}, {0.3, 0.3, 0.4}}));
    }
    EXPECT_TRUE(same_problem(read_problem(write_problem(problem), "test"), problem));
  }
}

TEST(Json, ShortForms) {
  const Instance instance = read_instance(R"({"format":"armature-instance","version":1,
      "actions":2,"contexts":1,"marginals":[[1],[1]],"rewards":{"given_context":[0.5]}})",
                                          "test");
  EXPECT_EQ(instance.name(), "");
  EXPECT_EQ(instance.parts().action_names, numbered_names('a', 2));
  EXPECT_EQ(instance.law(0, 0), RewardLaw::bernoulli(0.5));  // a bare number
}

TEST(Json, HorizonsMayBeWrittenAsReals) {
  const Problem problem = read_problem(
      R"({"format":"armature-problem","version":1,"actions":1,"contexts":1,"horizon":1e12})", "t");
  EXPECT_EQ(problem.horizon, Round{1000000000000});
}

// ---- Refusals ----------------------------------------------------------------------------------

// The small instance with one piece of its text replaced.
std::string told(const std::string& piece, const std::string& replacement) {
  std::string text = kSmallText;
  const std::size_t at = text.find(piece);
  EXPECT_NE(at, std::string::npos) << piece;
  text.replace(at, piece.size(), replacement);
  return refusal([&] { read_instance(text, "x.json"); });
}

TEST(ReadInstance, TruncationAnywhereIsRefused) {
  const std::string text = kSmallText;
  for (std::size_t size = 0; size + 2 < text.size(); ++size)  // the last two are } and a newline
    EXPECT_NE(refusal([&] { read_instance(text.substr(0, size), "x.json"); }), "(accepted)")
        << size;
}

TEST(ReadInstance, BrokenJsonNamesTheLine) {
  EXPECT_EQ(refusal([] { read_instance("", "x.json"); }),
            "x.json: line 1, column 1: got the end of the text, expected valid JSON");
  EXPECT_EQ(refusal([] { read_instance("{\n\"format\": \n", "x.json"); }),
            "x.json: line 3, column 1: got the end of the text, expected valid JSON");
  EXPECT_EQ(told("\"contexts\": 2", "\"contexts\": oops"),
            "x.json: line 6, column 15: got 'oops', expected valid JSON");
}

TEST(ReadInstance, NotAnObject) {
  EXPECT_EQ(refusal([] { read_instance("[]", "x.json"); }), "x.json: got [], expected an object");
  EXPECT_EQ(refusal([] { read_instance("null", "x.json"); }),
            "x.json: got null, expected an object");
}

TEST(ReadInstance, WrongFormatOrVersion) {
  EXPECT_EQ(
      told("armature-instance", "armature-problem"),
      "x.json: format: got \"armature-problem\", expected \"armature-instance\"; this is what "
      "policies are told, for --given");
  EXPECT_EQ(told("\"version\": 1", "\"version\": 2"),
            "x.json: version: got 2, expected 1, the version this armature reads");
  EXPECT_EQ(told("\"version\": 1", "\"version\": \"1\""),
            "x.json: version: got \"1\", expected a whole number of at least 0");
  EXPECT_EQ(told("  \"version\": 1,\n", ""),
            "x.json: version: got nothing, expected this field to be there");
  EXPECT_EQ(told("\"armature-instance\"", "7"), "x.json: format: got 7, expected a text");
}

TEST(ReadInstance, UnknownFields) {
  EXPECT_EQ(told("\"notes\"", "\"note\""),
            "x.json: top level: got unknown field 'note', expected one of format, version, name, "
            "actions, contexts, marginals, rewards, given, notes; did you mean 'notes'?");
  EXPECT_EQ(told("given_context", "given_contexts"),
            "x.json: rewards: got unknown field 'given_contexts', expected one of given_context, "
            "given_action_and_context; did you mean 'given_context'?");
  EXPECT_EQ(told("{\"bernoulli\":", "{\"bernouli\":"),
            "x.json: rewards.given_context[0]: got unknown field 'bernouli', expected one of "
            "bernoulli, point, beta, table; did you mean 'bernoulli'?");
}

TEST(ReadInstance, MissingFields) {
  EXPECT_EQ(told("  \"contexts\": 2,\n", ""),
            "x.json: contexts: got nothing, expected this field to be there");
  EXPECT_EQ(
      told("{\"bernoulli\":0.5}", "{\"table\":{\"values\":[1]}}"),
      "x.json: rewards.given_context[0].table.probabilities: got nothing, expected this field "
      "to be there");
}

TEST(ReadInstance, RowSums) {
  EXPECT_EQ(told("[0.25,0.75]", "[0.25,0.5]"),
            "x.json: marginals[0]: got a row that sums to 0.75, expected a sum of 1 within 1e-9");
}

TEST(ReadInstance, ProbabilitiesOutsideTheUnitInterval) {
  EXPECT_EQ(told("[0.25,0.75]", "[-0.25,1.25]"),
            "x.json: marginals[0][0]: got -0.25, expected a probability in [0,1]");
  EXPECT_EQ(told("[1.0,0.0]", "[0.0,1.5]"),
            "x.json: marginals[1][1]: got 1.5, expected a probability in [0,1]");
}

TEST(ReadInstance, RewardsOutsideTheUnitInterval) {
  EXPECT_EQ(told("{\"bernoulli\":0.5}", "{\"bernoulli\":1.5}"),
            "x.json: rewards.given_context[0]: bernoulli: got 1.5, expected a number in [0,1]");
  EXPECT_EQ(told("{\"bernoulli\":0.5}", "-1"),
            "x.json: rewards.given_context[0]: bernoulli: got -1, expected a number in [0,1]");
  EXPECT_EQ(told("{\"point\":1.0}", "{\"point\":2}"),
            "x.json: rewards.given_context[1]: point: got 2, expected a number in [0,1]");
  EXPECT_EQ(told("{\"point\":1.0}", "{\"table\":{\"values\":[3],\"probabilities\":[1]}}"),
            "x.json: rewards.given_context[1]: table.values: got 3, expected a number in [0,1]");
}

TEST(ReadInstance, BadLaws) {
  EXPECT_EQ(told("{\"point\":1.0}", "{\"beta\":[1]}"),
            "x.json: rewards.given_context[1].beta: got [1], expected two shapes, [alpha, beta]");
  EXPECT_EQ(
      told("{\"point\":1.0}", "{\"beta\":[1,0]}"),
      "x.json: rewards.given_context[1]: beta: got 0, expected two shapes from 1e-300 to 1e300");
  EXPECT_EQ(told("{\"point\":1.0}", "{\"table\":{\"values\":[0,1],\"probabilities\":[0.5,0.4]}}"),
            "x.json: rewards.given_context[1]: table.probabilities: got a sum of 0.9, expected 1 "
            "within 1e-9");
  EXPECT_EQ(told("{\"point\":1.0}", "{}"),
            "x.json: rewards.given_context[1]: got {}, expected exactly one of bernoulli, point, "
            "beta, table");
  EXPECT_EQ(told("{\"point\":1.0}", "{\"point\":1,\"bernoulli\":1}"),
            "x.json: rewards.given_context[1]: got {\"point\":1,\"bernoulli\":1}, expected exactly "
            "one of bernoulli, point, beta, table");
  EXPECT_EQ(told("{\"point\":1.0}", "\"fair\""),
            "x.json: rewards.given_context[1]: got \"fair\", expected an object");
}

TEST(ReadInstance, NoActionsOrContexts) {
  EXPECT_EQ(told("[\"stop\",\"go\"]", "0"),
            "x.json: actions: got 0, expected a count from 1 to 10^7, or a list of names");
  EXPECT_EQ(told("[\"stop\",\"go\"]", "[]"), "x.json: actions: got [], expected at least one");
  EXPECT_EQ(told("\"contexts\": 2", "\"contexts\": 0"),
            "x.json: contexts: got 0, expected a count from 1 to 10^7, or a list of names");
  EXPECT_EQ(told("\"contexts\": 2", "\"contexts\": -2"),
            "x.json: contexts: got -2, expected a whole number of at least 0");
  EXPECT_EQ(told("\"contexts\": 2", "\"contexts\": 1.5"),
            "x.json: contexts: got 1.5, expected a whole number of at least 0");
  EXPECT_EQ(told("\"contexts\": 2", "\"contexts\": true"),
            "x.json: contexts: got true, expected a list");
  EXPECT_EQ(told("\"go\"", "7"), "x.json: actions[1]: got 7, expected a text");
  EXPECT_EQ(told("\"go\"", "\"stop\""),
            "x.json: actions: got 'stop' twice, expected names that differ");
}

TEST(ReadInstance, WrongSizes) {
  EXPECT_EQ(told("[\"stop\",\"go\"]", "3"),
            "x.json: marginals: got 2 rows, expected 3 rows, one per action");
  EXPECT_EQ(told("[1.0,0.0]", "[1]"),
            "x.json: marginals[1]: got 1 numbers, expected 2 numbers, one per context");
  EXPECT_EQ(told(",\n      {\"point\":1.0}", ""),
            "x.json: rewards.given_context: got 1 laws, expected 2 laws, one per context");
  EXPECT_EQ(told("\"given_context\": [", "\"given_action_and_context\": [[1,1]], \"x\": ["),
            "x.json: rewards: got unknown field 'x', expected one of given_context, "
            "given_action_and_context");
  const std::string rewards =
      "{\n    \"given_context\": [\n      {\"bernoulli\":0.5},\n      {\"point\":1.0}\n    ]\n  }";
  EXPECT_EQ(
      told(rewards, "{\"given_action_and_context\":[[1,1]]}"),
      "x.json: rewards.given_action_and_context: got 1 rows, expected 2 rows, one per action");
  EXPECT_EQ(told(rewards, "{\"given_action_and_context\":[[1,1],[1]]}"),
            "x.json: rewards.given_action_and_context[1]: got 1 laws, expected 2 laws, one per "
            "context");
  EXPECT_EQ(told(rewards, "{\"given_action_and_context\":[[1,1],[1,0]]}"), "(accepted)");
  EXPECT_EQ(told(rewards, "{}"),
            "x.json: rewards: got {}, expected exactly one of given_context, "
            "given_action_and_context");
}

TEST(ReadInstance, WrongTypes) {
  EXPECT_EQ(told("[1.0,0.0]", "[\"1\",0]"),
            "x.json: marginals[1][0]: got \"1\", expected a number");
  EXPECT_EQ(told("[1.0,0.0]", "null"), "x.json: marginals[1]: got null, expected a list");
  EXPECT_EQ(told("\"small\"", "1"), "x.json: name: got 1, expected a text");
  EXPECT_EQ(told("[\"a remark\"]", "\"a remark\""),
            "x.json: notes: got \"a remark\", expected a list");
}

TEST(ReadInstance, BadGivenBlocks) {
  const auto given = [](const std::string& block) {
    return told("\"notes\": [\"a remark\"]", "\"given\": " + block);
  };
  const std::string head = R"({"format":"armature-problem","version":1,)";
  EXPECT_EQ(given(head + R"("actions":2,"contexts":2})"), "(accepted)");
  EXPECT_EQ(given(head + R"("actions":2,"contexts":3})"),
            "x.json: given: got 2 actions × 3 contexts, expected the instance's 2 × 2");
  EXPECT_EQ(
      given(head + R"("actions":2,"contexts":2,"marginals":[[1,0],[1,1]]})"),
      "x.json: given.marginals[1]: got a row that sums to 2, expected a sum of 1 within 1e-9");
  EXPECT_EQ(given(head + R"("actions":2,"contexts":2,"epsilon":3})"),
            "x.json: given.epsilon: got 3, expected a number in [0,2]");
  EXPECT_EQ(given(head + R"("actions":2,"contexts":2,"horizon":0})"),
            "x.json: given.horizon: got 0, expected at least 1");
  const std::string not_an_object = given("[]");
  EXPECT_TRUE(contains(not_an_object, "given")) << not_an_object;
  const std::string misspelt = given(head + R"("actions":2,"contexts":2,"epsilom":0})");
  EXPECT_TRUE(contains(misspelt, "given") && contains(misspelt, "did you mean 'epsilon'?"))
      << misspelt;
  // No reward law may be told.
  EXPECT_TRUE(contains(given(head + R"("actions":2,"contexts":2,"rewards":{}})"),
                       "unknown field 'rewards'"));
}

TEST(ReadInstance, NumbersBeyondDoubles) {
  const std::string message = told("{\"point\":1.0}", "{\"point\":1e999}");
  EXPECT_TRUE(contains(message, "x.json: JSON: got ")) << message;
  EXPECT_TRUE(contains(message, "expected numbers within the range of doubles")) << message;
}

TEST(ReadInstance, LongValuesAreShortened) {
  const std::string message = told("\"small\"", "[" + std::string(500, '1') + "e-500]");
  EXPECT_LT(message.size(), 150u) << message;
  EXPECT_TRUE(contains(message, "x.json: name: got [")) << message;
}

// A file of 100 000 brackets must not exhaust the stack.
TEST(ReadInstance, DeepNestingIsRefused) {
  const std::string message =
      "x.json: line 1, column 65: got deeper nesting, expected at most 64 lists or objects inside "
      "each other";
  EXPECT_EQ(refusal([&] { read_instance(std::string(100000, '['), "x.json"); }), message);
  const std::string deep = std::string(100000, '[') + std::string(100000, ']');
  EXPECT_EQ(refusal([&] { read_instance(deep, "x.json"); }), message);
  EXPECT_NE(told("\"small\"", deep), "(accepted)");
  EXPECT_NE(told("[\"a remark\"]", "[" + deep + "]"), "(accepted)");
}

// Brackets in texts are not nesting, nor does an escaped quote end a text.
TEST(ReadInstance, BracketsInTextsAreNotNesting) {
  EXPECT_EQ(told("a remark", std::string(100, '[')), "(accepted)");
  EXPECT_EQ(told("a remark", "\\\"" + std::string(100, '[')), "(accepted)");
  EXPECT_EQ(told("a remark", "\\\\\", \"" + std::string(100, '{')), "(accepted)");
}

TEST(ReadProblem, Refusals) {
  const auto reading = [](const std::string& rest) {
    return refusal([&] {
      read_problem(R"({"format":"armature-problem","version":1,"actions":2,"contexts":2)" + rest,
                   "p.json");
    });
  };
  EXPECT_EQ(reading("}"), "(accepted)");
  EXPECT_EQ(reading(""), "p.json: line 1, column 66: got the end of the text, expected valid JSON");
  EXPECT_EQ(reading(R"(,"horizon":0})"), "p.json: horizon: got 0, expected at least 1");
  EXPECT_EQ(reading(R"(,"horizon":-5})"),
            "p.json: horizon: got -5, expected a whole number of at least 0");
  EXPECT_EQ(reading(R"(,"horizon":1e30})"),
            "p.json: horizon: got 1e+30, expected a whole number of at least 0");
  EXPECT_EQ(reading(R"(,"epsilon":"0"})"), "p.json: epsilon: got \"0\", expected a number");
  EXPECT_EQ(reading(R"(,"marginals":[[1,0]]})"),
            "p.json: marginals: got 1 rows, expected 2 rows, one per action");
  EXPECT_EQ(reading(R"(,"rewards":{}})"),
            "p.json: top level: got unknown field 'rewards', expected one of format, version, "
            "actions, contexts, horizon, marginals, epsilon");
}

}  // namespace
}  // namespace armature
