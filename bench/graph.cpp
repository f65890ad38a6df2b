// Causal graphs: exact do-marginals beside dlib's join tree and beside a sum over all joint states,
// d-separation in a large graph, and reading files. `make bench` prints it; docs/performance.md
// keeps what was expected and what was found.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>

#include "graph/join_tree.h"
#include "graph/random_graphs.h"

namespace armature::graph::bench {
namespace {

constexpr int kNetworks = 10;

// What the marginals are asked of: generated networks, in each the values of the first node (which
// is above all others) as actions, and of the two nodes with the most above them, which prune the
// least, one as the context and one as the reward.
struct Asked {
  CausalGraph graph;
  Question question;
};

std::vector<Asked> networks(std::size_t nodes, std::size_t arcs) {
  Stream stream({41, 0, Purpose::kTest});
  std::vector<Asked> all;
  for (int i = 0; i < kNetworks; ++i) {
    CausalGraph graph = test::random_network(nodes, arcs, stream);
    std::vector<std::pair<std::ptrdiff_t, Node>> above;  // how many, of whom
    for (Node node = 1; node < nodes; ++node) {
      const std::vector<bool> set = graph.dag().ancestors({node});
      above.emplace_back(-std::count(set.begin(), set.end(), true), node);
    }
    std::sort(above.begin(), above.end());
    all.push_back({std::move(graph), {{{0}}, {above[1].second}, above[0].second}});
  }
  return all;
}

// The time of a sweep over all networks, told per network.
void per_network(benchmark::State& state) {
  state.counters["per_network"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * kNetworks,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void by_elimination(benchmark::State& state, std::size_t nodes, std::size_t arcs) {
  const std::vector<Asked> all = networks(nodes, arcs);
  for (auto _ : state)
    for (const Asked& one : all) benchmark::DoNotOptimize(do_marginals(one.graph, one.question));
  per_network(state);
}

// Without what is below contexts and reward, which sums to one: elimination finds that out by
// itself, a join tree is of the network it is given.
Asked pruned(const Asked& asked) {
  const CausalGraph::Parts& whole = asked.graph.parts();
  std::vector<Node> ends = asked.question.contexts;
  ends.push_back(asked.question.reward);
  ends.push_back(asked.question.actions.targets[0]);
  const std::vector<bool> kept = asked.graph.dag().ancestors(ends);
  CausalGraph::Parts parts;
  std::vector<Node> number(whole.variables.size());
  for (Node node = 0; node < whole.variables.size(); ++node) {
    if (!kept[node]) continue;
    number[node] = static_cast<Node>(parts.variables.size());
    parts.variables.push_back(whole.variables[node]);
    parts.tables.push_back(whole.tables[node]);
  }
  for (const Arrow& arrow : whole.directed)
    if (kept[arrow.to]) parts.directed.push_back({number[arrow.from], number[arrow.to]});
  Asked small{CausalGraph(parts), asked.question};
  for (Node& node : small.question.contexts) node = number[node];
  for (Node& node : small.question.actions.targets) node = number[node];
  small.question.reward = number[asked.question.reward];
  return small;
}

// The networks that actions leave are made before the clock starts; the join tree belongs to what
// is measured, as our order of elimination does.
void by_join_tree(benchmark::State& state, std::size_t nodes, std::size_t arcs, bool prune) {
  std::vector<Asked> all = networks(nodes, arcs);
  if (prune)
    for (Asked& one : all) one = pruned(one);
  std::vector<std::vector<std::unique_ptr<test::JoinTree>>> trees;
  std::vector<DoMarginals> shapes;
  for (const Asked& one : all) {
    shapes.push_back(do_marginals(one.graph, one.question));
    trees.emplace_back();
    for (const Assignment& action : shapes.back().actions)
      trees.back().push_back(std::make_unique<test::JoinTree>(one.graph, action));
  }
  for (auto _ : state)
    for (std::size_t i = 0; i < all.size(); ++i)
      for (const auto& tree : trees[i]) {
        tree->make_tree();
        benchmark::DoNotOptimize(tree->laws({}));
        for (std::size_t z = 0; z < shapes[i].contexts.size(); ++z)
          benchmark::DoNotOptimize(tree->laws(shapes[i].contexts[z]));
      }
  per_network(state);
}

// Every joint state of every node, as one would first write it.
void by_enumeration(benchmark::State& state, std::size_t nodes, std::size_t arcs) {
  const std::vector<Asked> all = networks(nodes, arcs);
  for (auto _ : state)
    for (const Asked& one : all) {
      const auto size = [&](Node node) { return one.graph.variable(node).states.size(); };
      Matrix joint(size(one.question.contexts[0]), size(one.question.reward));
      for (std::uint32_t value = 0; value < size(0); ++value) {
        std::vector<std::size_t> states(nodes);
        states[0] = value;
        while (true) {
          double probability = 1;
          for (Node node = 1; node < nodes; ++node) {
            std::size_t row = 0;
            for (const Node parent : one.graph.dag().parents(node))
              row = row * size(parent) + states[parent];
            probability *= one.graph.parts().tables[node][row * size(node) + states[node]];
          }
          joint(states[one.question.contexts[0]], states[one.question.reward]) += probability;
          Node at = 1;
          while (at < nodes && ++states[at] == size(at)) states[at++] = 0;
          if (at == nodes) break;
        }
      }
      benchmark::DoNotOptimize(joint);
    }
  per_network(state);
}

constexpr std::uint32_t kLargeNodes = 100'000;
constexpr std::uint32_t kLargeArrows = 1'000'000;

std::string large_text() {
  Stream stream({42, 0, Purpose::kTest});
  std::string text = "dag {\nalone\n";
  for (std::uint32_t i = 0; i < kLargeArrows; ++i) {
    const std::uint32_t to = 1 + uniform_index(stream, kLargeNodes - 1);
    text += fmt::format("n{} -> n{}\n", uniform_index(stream, to), to);
  }
  return text + "}\n";
}

// The worst case: nothing is found, so that everything reachable is walked.
Separation separate(const CausalGraph& graph) {
  std::vector<Node> given;
  for (Node node = 1000; node < graph.size(); node += 100) given.push_back(node);
  return d_separation(graph, {graph.node("n1", "bench")}, {graph.node("alone", "bench")}, given);
}

void separation_alone(benchmark::State& state) {
  const CausalGraph graph = read_graph(large_text(), "bench");
  for (auto _ : state) benchmark::DoNotOptimize(separate(graph));
}

void separation_and_reading(benchmark::State& state) {
  const std::string text = large_text();
  for (auto _ : state) benchmark::DoNotOptimize(separate(read_graph(text, "bench")));
}

void bif_reading(benchmark::State& state) {
  Stream stream({43, 0, Purpose::kTest});
  const std::string text = write_bif(test::random_network(1000, 1250, stream));
  for (auto _ : state) benchmark::DoNotOptimize(read_graph(text, "bench"));
  state.counters["bytes"] = static_cast<double>(text.size());
}

void add(const std::string& name, const std::function<void(benchmark::State&)>& body) {
  benchmark::RegisterBenchmark(name.c_str(), body)->MinTime(0.4)->Unit(benchmark::kMillisecond);
}

void add_all() {
  for (const auto& [nodes, arcs] : {std::pair<std::size_t, std::size_t>{10, 12}, {37, 46}}) {
    const std::string size = fmt::format("({} nodes, {} arcs)", nodes, arcs);
    add("do-marginals " + size,
        [=, n = nodes, m = arcs](auto& state) { by_elimination(state, n, m); });
    add("dlib join tree " + size,
        [=, n = nodes, m = arcs](auto& state) { by_join_tree(state, n, m, false); });
    add("dlib join tree, pruned " + size,
        [=, n = nodes, m = arcs](auto& state) { by_join_tree(state, n, m, true); });
    if (nodes <= 10)  // 37 nodes have about 10^17 joint states
      add("enumeration " + size,
          [=, n = nodes, m = arcs](auto& state) { by_enumeration(state, n, m); });
  }
  add("d-separation alone (1e5 nodes, 1e6 arrows)", separation_alone);
  add("d-separation and reading (1e5 nodes, 1e6 arrows)", separation_and_reading);
  add("reading BIF (1000 nodes, 1250 arcs)", bif_reading);
}

}  // namespace
}  // namespace armature::graph::bench

int main(int argc, char** argv) {
  armature::graph::bench::add_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
