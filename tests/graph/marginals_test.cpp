#include <gtest/gtest.h>

#include "armature/error.h"
#include "graph/elimination.h"
#include "graph/random_graphs.h"

namespace armature::graph {
namespace {

using test::named;
using test::random_tables;

// Σ over all joint states of the network after surgery, in units of 10^-(nodes that are not set).
// Whole numbers: nothing is rounded.
struct Enumerated {
  std::vector<std::vector<std::vector<std::uint64_t>>> counts;  // action, context, reward's state
  std::vector<double> unit;                                     // per action
};

Enumerated by_enumeration(const CausalGraph& graph, const Question& question,
                          const DoMarginals& shape) {
  Enumerated result;
  for (const Assignment& action : shape.actions) {
    std::vector<std::vector<std::uint64_t>> counts(
        shape.contexts.size(),
        std::vector<std::uint64_t>(graph.variable(question.reward).states.size()));
    const auto held = [&](Node node) -> std::optional<std::uint32_t> {
      for (const auto& [target, state] : action)
        if (target == node) return state;
      return std::nullopt;
    };
    double unit = 1;
    for (Node node = 0; node < graph.size(); ++node)
      if (!held(node)) unit /= 10;
    std::vector<std::uint32_t> states(graph.size());
    while (true) {
      std::uint64_t weight = 1;
      for (Node node = 0; node < graph.size(); ++node) {
        if (const auto state = held(node)) {
          weight *= *state == states[node];
          continue;
        }
        std::size_t row = 0;
        for (const Node parent : graph.dag().parents(node))
          row = row * graph.variable(parent).states.size() + states[parent];
        const double entry =
            graph.parts().tables[node][row * graph.variable(node).states.size() + states[node]];
        weight *= static_cast<std::uint64_t>(entry * 10 + 0.5);
      }
      for (std::size_t z = 0; z < shape.contexts.size(); ++z) {
        bool here = true;
        for (const auto& [node, state] : shape.contexts[z]) here &= states[node] == state;
        if (here) counts[z][states[question.reward]] += weight;
      }
      std::size_t at = 0;
      while (at < states.size() &&
             ++states[at] == graph.variable(static_cast<Node>(at)).states.size())
        states[at++] = 0;
      if (at == states.size()) break;
    }
    result.counts.push_back(std::move(counts));
    result.unit.push_back(unit);
  }
  return result;
}

Question random_question(std::size_t size, Stream& stream) {
  Question question;
  question.reward = static_cast<Node>(size - 1);
  for (Node node = 0; node + 1 < size; ++node) {
    const std::uint32_t role = uniform_index(stream, 5);
    if (role == 0 || question.actions.targets.empty()) question.actions.targets.push_back(node);
    if (role == 1 || role == 2 || (role == 0 && bernoulli(stream, 0.1)))
      question.contexts.push_back(node);
  }
  question.actions.empty = bernoulli(stream, 0.4);
  question.actions.single = bernoulli(stream, 0.4);
  return question;
}

TEST(DoMarginals, AreSumsOverAllStates) {
  Stream stream({21, 0, Purpose::kTest});
  std::size_t cells = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t size = 3 + uniform_index(stream, 5);
    CausalGraph::Parts parts;
    parts.variables = named(size);
    for (Node j = 1; j < size; ++j)
      for (Node i = 0; i < j; ++i)
        if (bernoulli(stream, 0.35)) parts.directed.push_back({i, j});
    const CausalGraph graph(random_tables(std::move(parts), stream, bernoulli(stream, 0.5)));
    const Question question = random_question(size, stream);
    const DoMarginals found = do_marginals(graph, question);
    const Enumerated expected = by_enumeration(graph, question, found);
    for (std::size_t a = 0; a < found.actions.size(); ++a)
      for (std::size_t z = 0; z < found.contexts.size(); ++z) {
        std::uint64_t total = 0;
        for (const std::uint64_t count : expected.counts[a][z]) total += count;
        ASSERT_NEAR(found.marginal(a, z), static_cast<double>(total) * expected.unit[a], 1e-14)
            << "trial " << trial;
        for (std::size_t y = 0; y < expected.counts[a][z].size(); ++y)
          ASSERT_NEAR(found.law(a, z)[y],
                      total == 0 ? 0
                                 : static_cast<double>(expected.counts[a][z][y]) /
                                       static_cast<double>(total),
                      1e-13)
              << "trial " << trial;
        ++cells;
      }
  }
  EXPECT_GT(cells, 5000u);
}

// Two coins and their sum, by hand.
CausalGraph coins() {
  CausalGraph::Parts parts;
  parts.variables = named(3);
  parts.variables[0].states = parts.variables[1].states = {"tails", "heads"};
  parts.variables[2].states = {"low", "mid", "high"};
  parts.directed = {{0, 2}, {1, 2}};
  parts.tables = {{0.5, 0.5}, {0.25, 0.75}, {1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1}};
  return CausalGraph(parts);
}

TEST(DoMarginals, OfTwoCoins) {
  const DoMarginals found = do_marginals(coins(), {{{0}, true, false}, {1}, 2});
  ASSERT_EQ(found.actions, (std::vector<Assignment>{{{0, 0}}, {{0, 1}}, {}}));
  for (std::size_t a = 0; a < 3; ++a) {
    EXPECT_EQ(found.marginal(a, 0), 0.25);
    EXPECT_EQ(found.marginal(a, 1), 0.75);
  }
  EXPECT_EQ(found.law(0, 1)[1], 1);
  EXPECT_EQ(found.law(1, 1)[2], 1);
  EXPECT_EQ(found.law(2, 0)[0], 0.5);
  EXPECT_EQ(found.law(2, 0)[1], 0.5);
}

// A coin that nothing heeds is tossed by many actions to no effect: their numbers are there once,
// and doing nothing has the same.
TEST(DoMarginals, KeepEqualRowsOnce) {
  CausalGraph::Parts parts = coins().parts();
  for (int i = 3; i < 8; ++i) {  // consequences of the reward, and of nothing
    parts.variables.push_back(parts.variables[0]);
    parts.variables.back().name = "n" + std::to_string(i);
    parts.tables.push_back({0.5, 0.5});
  }
  parts.directed.push_back({2, 3});
  parts.tables[3] = {0.1, 0.9, 0.2, 0.8, 0.3, 0.7};
  const CausalGraph graph(parts);
  const DoMarginals joint = do_marginals(graph, {{{0, 3, 4, 5, 6, 7}, true, false}, {1}, 2});
  EXPECT_EQ(joint.actions.size(), 65u);
  EXPECT_EQ(joint.states.size(), 3u);  // n0=tails, n0=heads, nature's own
  EXPECT_EQ(joint.row_of[31], 0u);
  EXPECT_EQ(joint.row_of[32], 1u);
  EXPECT_EQ(joint.law(63, 1)[2], 1);
  // One at a time: setting what nothing heeds is doing nothing.
  const DoMarginals single = do_marginals(graph, {{{0, 3, 4}, true, true}, {}, 2});
  EXPECT_EQ(single.row_of, (std::vector<std::uint32_t>{0, 1, 2, 2, 2, 2, 2}));
  // A target that is a context differs by its state.
  const DoMarginals seen = do_marginals(graph, {{{0, 4}, false, false}, {4}, 2});
  EXPECT_EQ(seen.row_of, (std::vector<std::uint32_t>{0, 1, 2, 3}));
}

TEST(GraphInstance, HasNamesMeansAndNotes) {
  const CausalGraph graph = coins();
  const Reward reward = parse_reward(graph, "n2:low=0,mid=0.4,high=1", "--reward");
  const Instance instance =
      graph_instance(graph, {{{0}, false, false}, {0, 1}, 2}, reward, "coins");
  EXPECT_EQ(instance.problem({}).action_names, (std::vector<std::string>{"n0=tails", "n0=heads"}));
  EXPECT_EQ(instance.problem({}).context_names[1], "n0=tails, n1=heads");
  EXPECT_DOUBLE_EQ(instance.mean(0), 0.75 * 0.4);
  EXPECT_DOUBLE_EQ(instance.mean(1), 0.25 * 0.4 + 0.75);
  EXPECT_TRUE(instance.benign_verdict().benign());  // the context tells the action
  ASSERT_EQ(instance.parts().notes.size(), 1u);
  EXPECT_TRUE(
      instance.parts().notes[0].starts_with("4 cells (action, context) have probability 0"));
  EXPECT_FALSE(graph_instance(graph, {{{0}, false, false}, {1}, 2}, reward, "coins")
                   .benign_verdict()
                   .benign());
}

// Rows of ν of a benign world are rounded differently; its laws are one per context all the same.
TEST(GraphInstance, HasOneLawPerContextWhereItIsBenign) {
  CausalGraph::Parts parts;
  parts.variables = named(3);
  for (Variable& variable : parts.variables) variable.states = {"0", "1", "2"};
  parts.directed = {{0, 1}, {1, 2}};
  parts.tables = {{0.3, 0.3, 0.4},
                  {0.1, 0.2, 0.7, 0.3, 0.6, 0.1, 0.7, 0.1, 0.2},
                  {0.7, 0.2, 0.1, 0.1, 0.3, 0.6, 0.3, 0.3, 0.4}};
  const CausalGraph graph(parts);
  const Instance world =
      graph_instance(graph, {{{0}, true, false}, {1}, 2},
                     parse_reward(graph, "n2:0=0,1=0.4,2=1", "--reward"), "chain");
  EXPECT_EQ(world.parts().laws.size(), 3u);
  for (Arm action = 1; action < world.actions(); ++action)
    for (Context z = 0; z < 3; ++z) EXPECT_EQ(world.law(action, z), world.law(0, z));
}

std::string message(const std::function<void()>& doing) {
  try {
    doing();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

TEST(Reward, IsReadInThreeForms) {
  const CausalGraph graph = coins();
  EXPECT_EQ(parse_reward(graph, "n2=mid", "--reward").values, (std::vector<double>{0, 1, 0}));
  EXPECT_EQ(parse_reward(graph, "n2", "--reward").values, std::vector<double>{});
  EXPECT_EQ(message([&] { parse_reward(graph, "n2=middle", "--reward"); }),
            "--reward: got state 'middle' of 'n2', expected one of low, mid, high");
  EXPECT_EQ(message([&] { parse_reward(graph, "n2:low=0,mid=2,high=1", "--reward"); }),
            "--reward: got 'mid=2', expected a value from 0 to 1");
  EXPECT_EQ(message([&] { parse_reward(graph, "n2:low=0,high=1", "--reward"); }),
            "--reward: got no value for state 'mid', expected a value for every state of n2");
  EXPECT_EQ(message([&] { parse_reward(graph, "n2:low=0,low=1", "--reward"); }),
            "--reward: got state 'low' twice, expected each state once");
  EXPECT_NE(message([&] { parse_reward(graph, "n4=mid", "--reward"); }).find("a node of the graph"),
            std::string::npos);
  EXPECT_NE(message([&] {
              graph_instance(graph, {{{0}}, {}, 2}, parse_reward(graph, "n2", "--reward"), "");
            }).find("what its states are worth"),
            std::string::npos);
}

TEST(Reward, NamesMayHoldCommasAndQuotes) {
  CausalGraph::Parts parts = coins().parts();
  parts.variables[2].name = "net: sales";
  parts.variables[2].states = {"low, bad", "mid=so", "\"high\""};
  const CausalGraph graph(parts);
  for (const char* text : {R"("net: sales":"low, bad"=0,mid=so=0.4,"""high"""=1)",
                           R"(net: sales:low, bad=0,"mid=so"=0.4,"""high"""=1)"})
    EXPECT_EQ(parse_reward(graph, text, "--reward").values, (std::vector<double>{0, 0.4, 1}))
        << text;
  EXPECT_EQ(parse_reward(graph, R"("net: sales"="low, bad")", "--reward").values,
            (std::vector<double>{1, 0, 0}));
  EXPECT_EQ(parse_reward(graph, "net: sales=low, bad", "--reward").values,
            (std::vector<double>{1, 0, 0}));
  EXPECT_EQ(parse_reward(graph, R"("net: sales")", "--reward").node, 2u);
  EXPECT_EQ(message([&] { parse_reward(graph, R"("net: sales":"low, bad=0)", "--reward"); }),
            "--reward: got '\"low, bad=0', expected state=value, such as low=0");
  for (const char* wrong : {R"("net: sales)", R"("net: sales"x)", R"("net: sales":)", "net: sales:",
                            R"("net: sales":"low, bad")", R"("net: sales":low, bad=0,)"})
    EXPECT_THROW(parse_reward(graph, wrong, "--reward"), Error) << wrong;
}

// A grid of 30 × 30 nodes cannot be summed in memory, and that is said before it is tried.
TEST(DoMarginals, RefuseWhatIsTooLarge) {
  constexpr Node kSide = 30;
  CausalGraph::Parts parts;
  parts.variables = named(kSide * kSide);
  for (Node i = 0; i < kSide; ++i)
    for (Node j = 0; j < kSide; ++j) {
      if (i > 0) parts.directed.push_back({(i - 1) * kSide + j, i * kSide + j});
      if (j > 0) parts.directed.push_back({i * kSide + j - 1, i * kSide + j});
    }
  Stream stream({22, 0, Purpose::kTest});
  const CausalGraph graph(random_tables(std::move(parts), stream, true));
  const std::string said = message([&] {
    do_marginals(graph, {{{0}}, {}, kSide * kSide - 1}, 1e6);
  });
  EXPECT_NE(said.find("memory: got a table of"), std::string::npos) << said;
  EXPECT_EQ((EliminationSize{21, 1 << 21}).words(),
            "a table of 21 nodes (width 20) and 2.1e+06 numbers (16 MiB)");
}

// Binary nodes with the same row everywhere.
CausalGraph binary(std::size_t size, std::vector<Arrow> directed) {
  CausalGraph::Parts parts;
  parts.variables = named(size);
  std::vector<std::size_t> rows(size, 1);
  for (const Arrow& arrow : directed) rows[arrow.to] *= 2;
  for (Node node = 0; node < size; ++node) {
    parts.variables[node].states = {"0", "1"};
    parts.tables.emplace_back(2 * rows[node], 0.5);
  }
  parts.directed = std::move(directed);
  return CausalGraph(parts);
}

// A hidden cause of every link of a long chain: tables are of three nodes, and an order is found
// without counting the edges between the hundreds of neighbours of the cause again at every step.
// (Counting took most of a minute.)
TEST(DoMarginals, OfAWideHub) {
  constexpr Node kLinks = 1500;
  std::vector<Arrow> arrows;
  for (Node link = 1; link <= kLinks; ++link) {
    arrows.push_back({0, link});
    if (link > 1) arrows.push_back({link - 1, link});
  }
  CausalGraph::Parts parts = binary(kLinks + 1, arrows).parts();
  // Cause off: a link copies the one before with probability 0.999, else 0.998.
  for (Node link = 2; link <= kLinks; ++link)
    parts.tables[link] = {0.999, 0.001, 0.001, 0.999, 0.998, 0.002, 0.002, 0.998};
  const CausalGraph graph(parts);
  EliminationSize size;
  const DoMarginals found = do_marginals(graph, {{{1}}, {}, kLinks}, kMostEntries,
                                         [&](const EliminationSize& told) { size = told; });
  EXPECT_LE(size.width, 3u);
  double off = 1;
  double on = 1;
  for (Node link = 2; link <= kLinks; ++link) {
    off *= 1 - 2 * 0.001;
    on *= 1 - 2 * 0.002;
  }
  EXPECT_NEAR(found.law(1, 0)[1], 0.5 + 0.25 * off + 0.25 * on, 1e-12);
}

// Where some table is too large the search for an order ends. (It took most of a minute.)
TEST(DoMarginals, AreRefusedWithoutALongSearch) {
  constexpr Node kNodes = 400;
  Stream stream({23, 0, Purpose::kTest});
  std::vector<Arrow> arrows;
  for (Node node = 9; node < kNodes; ++node)
    for (Node i = 0; i < 8; ++i)
      arrows.push_back({static_cast<Node>(i * (node / 8) + uniform_index(stream, node / 8)), node});
  const std::string said = message([&] {
    do_marginals(binary(kNodes, arrows), {{{0}}, {}, kNodes - 1});
  });
  EXPECT_NE(said.find("memory: got a table of at least "), std::string::npos) << said;
}

// 24 coins as contexts: every table is small enough, what is kept of them is not.
TEST(DoMarginals, RefuseAnAnswerThatIsTooLarge) {
  Question question{{{0}}, {}, 25};
  for (Node node = 1; node < 25; ++node) question.contexts.push_back(node);
  EXPECT_EQ(message([&] {
              do_marginals(binary(26, {{0, 25}}), question);
            }),
            "memory: got 11.6 GiB for 2 actions and 1.68e+07 joint contexts, expected at most 512 "
            "MiB; fewer contexts, or nodes with fewer states, need less");
}

// 2^16 actions, and for each of them a table of 2^19 numbers.
TEST(DoMarginals, RefuseWhatWouldTakeTooLong) {
  constexpr Node kMiddle = 16, kCauses = 17, kOther = 35, kReward = 36;
  std::vector<Arrow> arrows{{kMiddle, kReward}, {kOther, kReward}};
  Question question{{}, {}, kReward};
  for (Node target = 0; target < kMiddle; ++target) {
    question.actions.targets.push_back(target);
    arrows.push_back({target, kMiddle});
  }
  for (Node cause = kCauses; cause < kOther; ++cause) arrows.push_back({cause, kOther});
  const std::string said = message([&] { do_marginals(binary(37, arrows), question); });
  EXPECT_TRUE(said.starts_with("work: got ")) << said;
  EXPECT_NE(said.find("numbers to sum for 6.55e+04 actions and 1 joint contexts"),
            std::string::npos)
      << said;
}

// Twelve contexts of probability 1e-30 together have 1e-360: no double, and no garbage either.
TEST(DoMarginals, OfWhatNeverHappens) {
  constexpr Node kCoins = 12;
  CausalGraph::Parts parts;
  parts.variables = named(kCoins + 2);
  for (Node node = 0; node < kCoins + 2; ++node) {
    parts.variables[node].states = {"0", "1"};
    parts.tables.push_back({1 - 1e-30, 1e-30});
  }
  parts.tables[kCoins] = {0.5, 0.5};
  Question question{{{kCoins}}, {}, kCoins + 1};
  for (Node node = 0; node < kCoins; ++node) question.contexts.push_back(node);
  parts.directed = {{0, kCoins + 1}};
  parts.tables[kCoins + 1] = {0.25, 0.75, 0.75, 0.25};
  const DoMarginals found = do_marginals(CausalGraph(parts), question);
  EXPECT_EQ(found.marginal(0, found.contexts.size() - 1), 0);
  EXPECT_EQ(found.marginal(0, 0), 1);
  // Nine of them have 1e-270, and that is exact still.
  const std::size_t rare = (1U << 12U) - (1U << 3U);
  EXPECT_NEAR(found.marginal(0, rare) / 1e-270, 1, 1e-12);
  EXPECT_NEAR(found.law(0, rare)[1], 0.25, 1e-15);
}

// Each of these once had an answer, and a wrong one.
TEST(DoMarginals, RefuseQuestionsWithoutSense) {
  const CausalGraph graph = coins();
  const auto said = [&](const CausalGraph& of, const Question& question) {
    return message([&] { do_marginals(of, question); });
  };
  EXPECT_EQ(said(graph, {{{0}}, {2}, 2}),
            "--context: got 'n2', which is the reward, expected nodes seen beside the reward");
  EXPECT_EQ(said(graph, {{{2}}, {1}, 2}),
            "--reward: got 'n2', which the actions set, expected another node");
  EXPECT_EQ(said(graph, {{{0, 0}}, {1}, 2}), "--action: got 'n0' twice, expected each node once");
  EXPECT_EQ(said(graph, {{{0}}, {1, 1}, 2}), "--context: got 'n1' twice, expected each node once");
  EXPECT_EQ(said(graph.with_latent({1}), {{{0}}, {1}, 2}),
            "--context: got 'n1', which is latent, expected nodes that are observed");
}

TEST(DoMarginals, NeedTables) {
  const CausalGraph graph = test::made(2, {{0, 1}});
  EXPECT_NE(message([&] {
              do_marginals(graph, {{{0}}, {}, 1});
            }).find("tables: got none"),
            std::string::npos);
}

}  // namespace
}  // namespace armature::graph
