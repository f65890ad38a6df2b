// Arrows alone: who points at whom, an order that puts causes first, and the cycle where there is
// none.
#include <algorithm>
#include <queue>

#include "armature/graph.h"

namespace armature::graph {

// Counted, then placed: two passes, and the members of a node keep the order of the list.
Dag::Lists Dag::gathered(std::size_t size, const std::vector<Arrow>& arrows, bool of_child) {
  Lists lists;
  lists.begin.assign(size + 1, 0);
  lists.members.resize(arrows.size());
  const auto owner = [&](const Arrow& arrow) { return of_child ? arrow.to : arrow.from; };
  for (const Arrow& arrow : arrows) {
    ARMATURE_CHECK(arrow.from < size && arrow.to < size, "arrows join nodes of the graph");
    ++lists.begin[owner(arrow) + 1];
  }
  for (std::size_t node = 0; node < size; ++node) lists.begin[node + 1] += lists.begin[node];
  std::vector<std::uint32_t> next(lists.begin.begin(), lists.begin.end() - 1);
  for (const Arrow& arrow : arrows)
    lists.members[next[owner(arrow)]++] = of_child ? arrow.from : arrow.to;
  return lists;
}

Dag::Dag(std::size_t size, const std::vector<Arrow>& arrows)
    : parents_(gathered(size, arrows, true)), children_(gathered(size, arrows, false)) {}

std::optional<std::vector<Node>> Dag::order() const {
  std::vector<std::uint32_t> waiting(size());  // parents that have not been placed
  std::priority_queue<Node, std::vector<Node>, std::greater<>> free;
  for (Node node = 0; node < size(); ++node) {
    waiting[node] = static_cast<std::uint32_t>(parents(node).size());
    if (waiting[node] == 0) free.push(node);
  }
  std::vector<Node> order;
  order.reserve(size());
  while (!free.empty()) {
    const Node node = free.top();
    free.pop();
    order.push_back(node);
    for (const Node child : children(node))
      if (--waiting[child] == 0) free.push(child);
  }
  if (order.size() < size()) return std::nullopt;
  return order;
}

std::optional<std::vector<Node>> Dag::cycle() const {
  // What cannot be placed lies on a cycle or below one; above each such node there is another, so
  // walking up from any of them must close a cycle.
  std::vector<std::uint32_t> waiting(size());
  std::vector<Node> placed;
  for (Node node = 0; node < size(); ++node) {
    waiting[node] = static_cast<std::uint32_t>(parents(node).size());
    if (waiting[node] == 0) placed.push_back(node);
  }
  for (std::size_t next = 0; next < placed.size(); ++next)
    for (const Node child : children(placed[next]))
      if (--waiting[child] == 0) placed.push_back(child);
  if (placed.size() == size()) return std::nullopt;

  Node node = 0;
  while (waiting[node] == 0) ++node;
  std::vector<Node> walk;
  std::vector<bool> walked(size());
  while (!walked[node]) {
    walked[node] = true;
    walk.push_back(node);
    const auto above = parents(node);
    node =
        *std::find_if(above.begin(), above.end(), [&](Node parent) { return waiting[parent] > 0; });
  }
  std::vector<Node> cycle(std::find(walk.begin(), walk.end(), node), walk.end());
  std::reverse(cycle.begin(), cycle.end());  // along the arrows
  // From its lowest node on: the same cycle has one name.
  std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
  cycle.push_back(cycle.front());
  return cycle;
}

std::vector<bool> Dag::ancestors(const std::vector<Node>& set) const {
  std::vector<bool> above(size());
  std::vector<Node> found;
  const auto add = [&](Node node) {
    if (above[node]) return;
    above[node] = true;
    found.push_back(node);
  };
  for (const Node node : set) add(node);
  for (std::size_t next = 0; next < found.size(); ++next)
    for (const Node parent : parents(found[next])) add(parent);
  return above;
}

}  // namespace armature::graph
