#include <gtest/gtest.h>

#include <set>

#include "armature/error.h"
#include "graph/random_graphs.h"
#include "graph/regime.h"
#include "graph/separation.h"

namespace armature::graph {
namespace {

using test::made;
using Sets = std::set<std::vector<Node>>;

// By trying every subset of what may be observed: those that separate while no smaller one that
// still contains what it must does.
Sets by_enumeration(const CausalGraph& graph, const Actions& actions, Node reward,
                    const SeparatorSearch& search) {
  const RegimeGraph acting = regime_graph(graph, actions);
  const Dag& dag = search.under_interventions ? acting.dag : graph.dag();
  const std::vector<Node> sources =
      search.under_interventions ? std::vector<Node>{acting.regime} : actions.targets;
  const auto in = [](const std::vector<Node>& set, Node node) {
    return std::find(set.begin(), set.end(), node) != set.end();
  };
  std::vector<Node> allowed;
  for (Node node = 0; node < graph.size(); ++node)
    if (!graph.variable(node).latent && node != reward && !in(actions.targets, node) &&
        !in(search.avoid, node) && !in(search.contains, node))
      allowed.push_back(node);
  Sets separating;
  for (std::uint32_t bits = 0; bits < 1u << allowed.size(); ++bits) {
    std::vector<Node> set = search.contains;
    for (std::size_t i = 0; i < allowed.size(); ++i)
      if (bits >> i & 1) set.push_back(allowed[i]);
    std::sort(set.begin(), set.end());
    if (!active_path(dag, sources, {reward}, set)) separating.insert(set);
  }
  Sets minimal;
  for (const auto& set : separating) {
    const bool smaller = std::any_of(separating.begin(), separating.end(), [&](const auto& other) {
      return other.size() < set.size() &&
             std::includes(set.begin(), set.end(), other.begin(), other.end());
    });
    if (!smaller) minimal.insert(set);
  }
  return minimal;
}

TEST(Separators, AreAllMinimalOnes) {
  Stream stream({11, 0, Purpose::kInstance});
  std::size_t none = 0, empty = 0, several = 0;
  for (int trial = 0; trial < 10000; ++trial) {
    const std::size_t size = 4 + uniform_index(stream, 6);
    CausalGraph::Parts parts;
    parts.variables = test::named(size);
    for (Node j = 1; j < size; ++j)
      for (Node i = 0; i < j; ++i) {
        if (bernoulli(stream, 0.3)) parts.directed.push_back({i, j});
        if (bernoulli(stream, 0.05)) parts.bidirected.push_back({i, j});
      }
    Actions actions;
    const auto reward = static_cast<Node>(size - 1);
    actions.targets = {uniform_index(stream, static_cast<std::uint32_t>(size / 2))};
    const Node second = uniform_index(stream, static_cast<std::uint32_t>(size - 1));
    if (second != actions.targets[0] && bernoulli(stream, 0.3)) actions.targets.push_back(second);
    actions.empty = bernoulli(stream, 0.3);
    actions.single = bernoulli(stream, 0.3);
    SeparatorSearch search;
    search.under_interventions = bernoulli(stream, 0.6);
    for (Node node = 0; node + 1 < size; ++node) {
      if (std::find(actions.targets.begin(), actions.targets.end(), node) != actions.targets.end())
        continue;
      const std::uint32_t role = uniform_index(stream, 10);
      if (role == 0) parts.variables[node].latent = true;
      if (role == 1) search.contains.push_back(node);
      if (role == 2) search.avoid.push_back(node);
    }
    const CausalGraph graph{std::move(parts)};
    const Sets expected = by_enumeration(graph, actions, reward, search);
    const Separators found = separators(graph, actions, reward, search);
    ASSERT_EQ(found.exists, !expected.empty()) << "trial " << trial << ": " << found.words;
    ASSERT_EQ(Sets(found.sets.begin(), found.sets.end()), expected)
        << "trial " << trial << ": " << found.words;
    EXPECT_EQ(found.sets.size(), expected.size());
    none += expected.empty();
    empty += expected.contains({});
    several += expected.size() > 1;
    if (expected.empty())
      EXPECT_TRUE(found.words.starts_with("none exists: ")) << found.words;
    else if (expected.contains({}))
      EXPECT_EQ(found.words, "the empty set is enough: nothing needs to be observed");
  }
  EXPECT_GT(none, 300u);
  EXPECT_GT(empty, 100u);
  EXPECT_GT(several, 200u);
}

TEST(Separators, AreRankedByJointValues) {
  // x → {a, b} → c → y: c alone has five values, a and b together four.
  CausalGraph::Parts parts;
  parts.variables = test::named(5);
  parts.directed = {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}};
  parts.variables[3].states = {"1", "2", "3", "4", "5"};
  const CausalGraph graph(parts);
  const Separators found = separators(graph, {{0}}, 4, {});
  EXPECT_EQ(found.sets, (std::vector<std::vector<Node>>{{1, 2}, {3}}));
  SeparatorSearch small;
  small.most_nodes = 1;
  EXPECT_EQ(separators(graph, {{0}}, 4, small).sets, (std::vector<std::vector<Node>>{{3}}));
  small.most_nodes = 0;
  EXPECT_EQ(separators(graph, {{0}}, 4, small).words,
            "none has at most 0 nodes: the smallest has 1");
}

// 2^20 minimal sets (x → aᵢ → bᵢ → y, twenty times): the first ones, and that there are more.
TEST(Separators, StopAtTheirLimit) {
  std::vector<Arrow> arrows;
  for (Node i = 0; i < 20; ++i) {
    arrows.push_back({0, 2 + 2 * i});
    arrows.push_back({2 + 2 * i, 3 + 2 * i});
    arrows.push_back({3 + 2 * i, 1});
  }
  SeparatorSearch search;
  search.most_sets = 50;
  const Separators found = separators(made(42, arrows), {{0}}, 1, search);
  EXPECT_FALSE(found.complete);
  EXPECT_EQ(found.sets.size(), 50u);
  EXPECT_EQ(found.words, "50 minimal sets, and there may be more");
}

TEST(Separators, RefuseWhatCannotBeIn) {
  const CausalGraph graph = made(3, {{0, 1}, {1, 2}});
  SeparatorSearch search;
  search.contains = {0};
  EXPECT_THROW(separators(graph, {{0}}, 2, search), Error);
  search.contains = {};
  search.avoid = {1};
  EXPECT_EQ(separators(graph, {{0}}, 2, search).words,
            "none exists: n0 → n1 → n2: open, because n1 is not observed");
}

// Ten chains of ten nodes have 10^10 minimal separators, all of ten nodes: that none has nine is
// known without trying them.
TEST(Separators, ExistIsExactWhereThereAreTooMany) {
  std::vector<Arrow> arrows;
  for (Node chain = 0; chain < 10; ++chain)
    for (Node link = 0; link <= 10; ++link)
      arrows.push_back(
          {link == 0 ? 0 : 1 + 10 * chain + link, link == 10 ? 1 : 2 + 10 * chain + link});
  const CausalGraph graph = made(102, arrows);
  SeparatorSearch search;
  search.most_nodes = 9;
  const Separators none = separators(graph, {{0}}, 1, search);
  EXPECT_FALSE(none.exists);
  EXPECT_TRUE(none.sets.empty());
  EXPECT_EQ(none.words, "none has at most 9 nodes: the smallest has 10");
  search.most_nodes = 10;
  search.most_sets = 3;
  const Separators some = separators(graph, {{0}}, 1, search);
  EXPECT_TRUE(some.exists);
  EXPECT_FALSE(some.complete);
  EXPECT_EQ(some.sets.size(), 3u);
}

// n0 → twenty chains of ten → n1 → n2: far from the source, behind 10^20 others, n1 is enough.
TEST(Separators, TheCheapestIsFoundBehindAllOthers) {
  std::vector<Arrow> arrows{{1, 2}};
  for (Node chain = 0; chain < 20; ++chain)
    for (Node link = 0; link <= 10; ++link)
      arrows.push_back(
          {link == 0 ? 0 : 2 + 10 * chain + link, link == 10 ? 1 : 3 + 10 * chain + link});
  const CausalGraph graph = made(203, arrows);
  const Separators found = separators(graph, {{0}}, 2, {});
  EXPECT_FALSE(found.complete);
  EXPECT_EQ(found.sets.front(), (std::vector<Node>{1}));
  SeparatorSearch search;
  search.most_nodes = 1;
  EXPECT_EQ(separators(graph, {{0}}, 2, search).sets, (std::vector<std::vector<Node>>{{1}}));
  // A first node of every chain in place of n1, and what must be in counts.
  search.avoid = {1};
  EXPECT_FALSE(separators(graph, {{0}}, 2, search).exists);
  search.avoid = {};
  search.contains = {7};
  EXPECT_EQ(separators(graph, {{0}}, 2, search).words,
            "none has at most 1 node: the smallest has 2");
  search.most_nodes = 2;
  EXPECT_EQ(separators(graph, {{0}}, 2, search).sets, (std::vector<std::vector<Node>>{{1, 7}}));
}

// Only one set is listed, and everything else is asked of the cuts: the first has the fewest joint
// values, then nodes, and whether there is one of at most so many nodes is what enumeration says.
TEST(Separators, TheFirstIsTheCheapestOfAll) {
  Stream stream({12, 0, Purpose::kInstance});
  std::size_t dear = 0, too_large = 0, no = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const std::size_t size = 7 + uniform_index(stream, 5);
    CausalGraph::Parts parts;
    parts.variables = test::named(size);
    for (Variable& variable : parts.variables)
      variable.states =
          test::numbered_states(bernoulli(stream, 0.6) ? 2 : 1 + uniform_index(stream, 16));
    for (Node j = 1; j < size; ++j)
      for (Node i = 0; i < j; ++i)
        if (i > 0 || j + 1 < size)
          if (bernoulli(stream, 0.35)) parts.directed.push_back({i, j});
    SeparatorSearch search;
    search.under_interventions = bernoulli(stream, 0.5);
    for (Node node = 1; node + 1 < size; ++node) {
      const std::uint32_t role = uniform_index(stream, 12);
      if (role == 0) search.contains.push_back(node);
      if (role == 1) search.avoid.push_back(node);
    }
    const CausalGraph graph{std::move(parts)};
    const auto reward = static_cast<Node>(size - 1);
    const auto price = [&](const std::vector<Node>& set) {
      std::size_t values = 1;
      for (const Node node : set) values *= graph.variable(node).states.size();
      return std::pair{values, set.size()};
    };
    const Sets all = by_enumeration(graph, {{0}}, reward, search);
    if (all.empty()) continue;
    const auto cheapest = *std::min_element(
        all.begin(), all.end(), [&](auto& one, auto& other) { return price(one) < price(other); });
    const auto smallest = *std::min_element(
        all.begin(), all.end(), [](auto& one, auto& other) { return one.size() < other.size(); });
    search.most_sets = 1;
    const Separators first = separators(graph, {{0}}, reward, search);
    ASSERT_EQ(price(first.sets.front()), price(cheapest)) << "trial " << trial;
    ASSERT_TRUE(all.contains(first.sets.front())) << "trial " << trial;
    search.most_nodes = smallest.size();
    ASSERT_TRUE(separators(graph, {{0}}, reward, search).exists) << "trial " << trial;
    too_large += cheapest.size() > smallest.size();
    dear += all.size() > 1 && price(*all.begin()) > price(cheapest);
    if (smallest.empty()) continue;
    search.most_nodes = smallest.size() - 1;
    ASSERT_FALSE(separators(graph, {{0}}, reward, search).exists) << "trial " << trial;
    ++no;
  }
  EXPECT_GT(dear, 300u);
  EXPECT_GT(too_large, 50u);
  EXPECT_GT(no, 500u);
}

// 100,000 parents of the reward, all below the action: joining each with each would be 5·10^9
// edges.
TEST(Separators, ManyParentsAreNotMarriedOneByOne) {
  constexpr Node kParents = 100'000;
  std::vector<Arrow> arrows;
  for (Node parent = 2; parent < kParents + 2; ++parent) {
    arrows.push_back({0, parent});
    arrows.push_back({parent, 1});
  }
  const Separators found = separators(made(kParents + 2, arrows), {{0}}, 1, {});
  ASSERT_EQ(found.sets.size(), 1u);
  EXPECT_EQ(found.sets[0].size(), kParents);
  EXPECT_EQ(found.sets[0].front(), 2u);
}

// Where looking at a node opens one path and not looking leaves another open, both are said.
TEST(Separators, NoneExistsForAReason) {
  CausalGraph::Parts parts;
  parts.variables = test::named(4);
  parts.variables[3].latent = true;
  parts.directed = {{0, 1}, {1, 2}, {3, 1}, {3, 2}};
  EXPECT_EQ(
      separators(CausalGraph(parts), {{0}}, 2, {}).words,
      "none exists: even with everything observed that could help (n1), n0 → n1 ← n3 → n2: open, "
      "because n1, where arrows meet, is observed; without n1, n0 → n1 → n2: open, because "
      "n1 is not observed");
}

}  // namespace
}  // namespace armature::graph
