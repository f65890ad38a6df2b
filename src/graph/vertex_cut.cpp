// The cheapest cut is where the largest flow is held up (Menger; Ford and Fulkerson 1956). A node
// is a door and a room behind it: the arc between them carries what the node costs, all others
// carry anything. The flow grows along shortest ways, all of one length at a time (Dinic 1970), so
// that the number of steps depends on the graph alone and not on the prices.
#include "graph/vertex_cut.h"

#include <algorithm>
#include <limits>

#include "armature/error.h"

namespace armature::graph {
namespace {

// More than all prices together, and far from where whole numbers end.
constexpr Price kAnything{std::numeric_limits<std::int64_t>::max() / 4, 0};

class Flow {
 public:
  Flow(std::size_t places, std::uint32_t source, std::uint32_t goal)
      : source_(source), goal_(goal), leaving_(places), level_(places), next_(places) {}

  void join(std::uint32_t from, std::uint32_t to, Price capacity) {
    for (const auto& [whence, arc] : {std::pair{from, Arc{to, capacity}}, {to, Arc{from, {}}}}) {
      leaving_[whence].push_back(static_cast<std::uint32_t>(arcs_.size()));
      arcs_.push_back(arc);
    }
  }

  void fill() {
    while (find_levels()) fill_shortest();
  }
  // Once filled: is there still a way to it?
  bool reached(std::uint32_t place) const { return level_[place] != kUnreached; }

 private:
  struct Arc {
    std::uint32_t to;
    Price left;  // what it could carry still; what its reverse (the number beside it) could undo
  };
  static constexpr std::uint32_t kUnreached = std::numeric_limits<std::uint32_t>::max();

  // Steps from the source over what has something left; false: the goal is out of reach.
  bool find_levels() {
    std::fill(level_.begin(), level_.end(), kUnreached);
    level_[source_] = 0;
    std::vector<std::uint32_t> queue{source_};
    for (std::size_t i = 0; i < queue.size(); ++i)
      for (const std::uint32_t arc : leaving_[queue[i]]) {
        const std::uint32_t to = arcs_[arc].to;
        if (arcs_[arc].left <= Price{} || reached(to)) continue;
        level_[to] = level_[queue[i]] + 1;
        queue.push_back(to);
      }
    return reached(goal_);
  }

  // A walk that goes up the levels, turns back where it is stuck, and never tries an arc again that
  // led nowhere. No recursion: a way may have as many nodes as the graph.
  void fill_shortest() {
    std::fill(next_.begin(), next_.end(), 0);
    std::vector<std::uint32_t> way;  // arcs
    std::uint32_t at = source_;
    while (true) {
      if (at == goal_) {
        at = push(way);
        continue;
      }
      const std::vector<std::uint32_t>& arcs = leaving_[at];
      std::uint32_t& next = next_[at];
      while (next < arcs.size() &&
             (arcs_[arcs[next]].left <= Price{} || level_[arcs_[arcs[next]].to] != level_[at] + 1))
        ++next;
      if (next < arcs.size()) {
        way.push_back(arcs[next]);
        at = arcs_[arcs[next]].to;
      } else if (way.empty()) {
        return;
      } else {
        at = arcs_[way.back() ^ 1].to;
        ++next_[at];
        way.pop_back();
      }
    }
  }

  // As much as the way can carry; it is cut back to where the first arc is full.
  std::uint32_t push(std::vector<std::uint32_t>& way) {
    const auto narrowest =
        std::min_element(way.begin(), way.end(), [&](std::uint32_t one, std::uint32_t other) {
          return arcs_[one].left < arcs_[other].left;
        });
    const Price amount = arcs_[*narrowest].left;
    ARMATURE_CHECK(amount < Price{kAnything.first / 2}, "some set of nodes with a price cuts");
    for (const std::uint32_t arc : way) {
      arcs_[arc].left += -amount;
      arcs_[arc ^ 1].left += amount;
    }
    const std::uint32_t place = arcs_[*narrowest ^ 1].to;
    way.erase(narrowest, way.end());
    return place;
  }

  std::uint32_t source_;
  std::uint32_t goal_;
  std::vector<Arc> arcs_;  // an arc and its reverse side by side
  std::vector<std::vector<std::uint32_t>> leaving_;
  std::vector<std::uint32_t> level_;
  std::vector<std::uint32_t> next_;  // of the arcs that leave a place
};

}  // namespace

std::vector<Node> cheapest_cut(const Neighbours& neighbours, const std::vector<Node>& sources,
                               Node goal, const std::vector<std::optional<Price>>& prices) {
  const auto door = [](Node node) { return 2 * node; };
  const auto room = [](Node node) { return 2 * node + 1; };
  const auto size = static_cast<Node>(neighbours.size());
  const std::uint32_t start = 2 * size;
  Flow flow(start + 1, start, door(goal));
  for (const Node node : sources) flow.join(start, room(node), kAnything);
  for (Node node = 0; node < size; ++node) {
    if (neighbours[node].empty()) continue;
    flow.join(door(node), room(node), prices[node].value_or(kAnything));
    for (const Node next : neighbours[node]) flow.join(room(node), door(next), kAnything);
  }
  flow.fill();
  std::vector<Node> cut;
  for (Node node = 0; node < size; ++node)
    if (prices[node] && flow.reached(door(node)) && !flow.reached(room(node))) cut.push_back(node);
  return cut;
}

}  // namespace armature::graph
