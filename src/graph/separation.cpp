#include "graph/separation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "armature/error.h"
#include "base/text.h"
#include "graph/names.h"

namespace armature::graph {
namespace {

// How the search came to a node: against an arrow (from a child, or as a start) or along one.
enum Arrival : std::uint32_t { kUp = 0, kDown = 1 };
constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();

std::vector<bool> members(std::size_t size, const std::vector<Node>& set) {
  std::vector<bool> in(size);
  for (const Node node : set) in[node] = true;
  return in;
}

void require_disjoint(const CausalGraph& graph, const std::vector<Node>& one,
                      const std::vector<Node>& other, const char* where) {
  const std::vector<bool> in = members(graph.size(), one);
  for (const Node node : other)
    if (in[node])
      throw Error({"", "nodes", fmt::format("'{}' {}", graph.name(node), where),
                   "sets without a common node"});
}

constexpr const char* kMarks[] = {"→", "←", "↔"};

bool is_parent(const Dag& dag, Node parent, Node child) {
  const auto above = dag.parents(child);
  return std::find(above.begin(), above.end(), parent) != above.end();
}

}  // namespace

std::optional<std::vector<Node>> active_path(const Dag& dag, const std::vector<Node>& from,
                                             const std::vector<Node>& to,
                                             const std::vector<Node>& given) {
  const std::vector<bool> observed = members(dag.size(), given);
  const std::vector<bool> above_observed = dag.ancestors(given);
  const std::vector<bool> goal = members(dag.size(), to);
  // A state is 2·node + arrival; whence it was reached is the state before it.
  std::vector<std::uint32_t> before(2 * dag.size(), kNowhere);
  std::vector<std::uint32_t> queue;
  const auto reach = [&](Node node, Arrival arrival, std::uint32_t whence) {
    const std::uint32_t state = 2 * node + arrival;
    if (before[state] != kNowhere) return;
    before[state] = whence;
    queue.push_back(state);
  };
  for (const Node node : from) reach(node, kUp, 2 * node + kUp);
  for (std::size_t next = 0; next < queue.size(); ++next) {
    const std::uint32_t state = queue[next];
    const Node node = state / 2;
    if (goal[node]) {
      std::vector<Node> path{node};
      for (std::uint32_t at = state; before[at] != at;) {
        at = before[at];
        path.push_back(at / 2);
      }
      std::reverse(path.begin(), path.end());
      return path;
    }
    const bool came_down = state % 2 == kDown;
    const bool passes = !observed[node];  // as a link of a chain or a fork
    if (came_down ? above_observed[node] : passes)
      for (const Node parent : dag.parents(node)) reach(parent, kUp, state);
    if (passes)
      for (const Node child : dag.children(node)) reach(child, kDown, state);
  }
  return std::nullopt;
}

bool is_collider(const Dag& dag, const std::vector<Node>& path, std::size_t place) {
  return place > 0 && place + 1 < path.size() && is_parent(dag, path[place - 1], path[place]) &&
         is_parent(dag, path[place + 1], path[place]);
}

std::vector<Node> observed_below(const Dag& dag, Node collider, const std::vector<Node>& given) {
  const std::vector<bool> observed = members(dag.size(), given);
  std::vector<Node> found{collider};
  std::vector<bool> seen(dag.size());
  seen[collider] = true;
  for (std::size_t next = 0; next < found.size(); ++next)
    for (const Node child : dag.children(found[next]))
      if (!seen[child]) {
        seen[child] = true;
        found.push_back(child);
      }
  std::erase_if(found, [&](Node node) { return !observed[node]; });
  return found;
}

Path drawn_path(const CausalGraph& graph, const Dag& dag, const std::vector<Node>& nodes) {
  const std::size_t hidden_until = graph.size() + graph.parts().bidirected.size();
  Path path;
  Node previous = 0;  // in the Dag, hidden causes included
  for (const Node node : nodes) {
    if (node >= hidden_until) continue;
    if (node < graph.size()) {
      if (!path.nodes.empty())
        path.marks.push_back(previous >= graph.size()         ? Mark::kBoth
                             : is_parent(dag, previous, node) ? Mark::kForward
                                                              : Mark::kBackward);
      path.nodes.push_back(node);
    }
    previous = node;
  }
  return path;
}

std::string active_words(const CausalGraph& graph, const Dag& dag, const std::vector<Node>& nodes,
                         const std::vector<Node>& given) {
  std::vector<std::string> reasons;
  std::vector<Node> passed;  // drawn nodes that would have to be observed to close it
  bool meets_regime = false;
  for (std::size_t i = 1; i + 1 < nodes.size(); ++i) {
    const Node node = nodes[i];
    if (node >= graph.size()) continue;
    const bool beside_regime = i == 1 && nodes[0] >= graph.size();
    if (!is_collider(dag, nodes, i)) {
      if (!beside_regime) passed.push_back(node);  // a target: nobody asks to observe it
      continue;
    }
    meets_regime |= beside_regime;
    const std::vector<Node> below = observed_below(dag, node, given);
    ARMATURE_CHECK(!below.empty(), "an open collider is above an observed node");
    const Node open_by = below.front();
    reasons.push_back(open_by == node
                          ? fmt::format("{}, where arrows meet, is observed", graph.name(node))
                          : fmt::format("{}, a consequence of {}, is observed", graph.name(open_by),
                                        graph.name(node)));
  }
  if (reasons.empty())
    reasons.push_back(passed.empty() ? "nothing stands between them"
                      : passed.size() == 1
                          ? fmt::format("{} is not observed", names_of(graph, passed))
                          : fmt::format("none of {} is observed", names_of(graph, passed)));
  return fmt::format("{}{}: open, because {}", meets_regime ? std::string(kRegime) + " → " : "",
                     path_text(graph, drawn_path(graph, dag, nodes)), join(reasons, " and "));
}

Separation d_separation(const CausalGraph& graph, const std::vector<Node>& from,
                        const std::vector<Node>& to, const std::vector<Node>& given) {
  require_disjoint(graph, from, to, "in the first and in the second set");
  require_disjoint(graph, from, given, "in the first set and among the given");
  require_disjoint(graph, to, given, "in the second set and among the given");
  Separation result;
  if (const auto nodes = active_path(graph.dag(), from, to, given)) {
    result.witness = drawn_path(graph, graph.dag(), *nodes);
    result.words = active_words(graph, graph.dag(), *nodes, given);
  }
  return result;
}

std::string path_text(const CausalGraph& graph, const Path& path) {
  std::string text = graph.name(path.nodes.front());
  for (std::size_t i = 0; i < path.marks.size(); ++i)
    text += fmt::format(" {} {}", kMarks[static_cast<int>(path.marks[i])],
                        graph.name(path.nodes[i + 1]));
  return text;
}

}  // namespace armature::graph
