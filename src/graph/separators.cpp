// Minimal sets that separate the actions from the reward. They are the minimal vertex separators
// of an undirected graph (the moral graph of everything above source, goal and what must be in),
// in which nodes that may not be in a set cannot be cut. All of them are found by pushing the one
// nearest to the source away from it, node by node (Shen and Liang 1997).
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "armature/error.h"
#include "graph/regime.h"
#include "graph/separation.h"

namespace armature::graph {
namespace {

// Beyond this much work the search stops, even if few were small enough to be listed: nodes and
// edges looked at, about a second. What was found by then is said to be not all.
constexpr std::size_t kMostWork = 100'000'000;

using Set = std::vector<Node>;  // ascending

class MoralGraph {
 public:
  MoralGraph(const Dag& dag, const Set& sources, Node goal, const Set& contains,
             const std::vector<bool>& cuttable)
      : goal_(goal), cuttable_(cuttable), neighbours_(dag.size()) {
    Set ends = sources;
    ends.push_back(goal);
    ends.insert(ends.end(), contains.begin(), contains.end());
    const std::vector<bool> kept = dag.ancestors(ends);
    std::vector<bool> removed(dag.size());
    for (const Node node : contains) removed[node] = true;
    const auto join = [&](Node one, Node other) {
      if (one == other || removed[one] || removed[other]) return;
      neighbours_[one].push_back(other);
      neighbours_[other].push_back(one);
    };
    for (Node child = 0; child < dag.size(); ++child) {
      if (!kept[child]) continue;
      const auto parents = dag.parents(child);
      for (std::size_t i = 0; i < parents.size(); ++i) {
        join(parents[i], child);
        for (std::size_t j = i + 1; j < parents.size(); ++j) join(parents[i], parents[j]);
      }
    }
    for (std::vector<Node>& list : neighbours_) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
      size_ += 1 + list.size();
    }
  }

  // Nodes and ends of edges: what one pass looks at, at most.
  std::size_t size() const { return size_; }

  // The separator beyond a connected set that holds the sources: of its border, what the goal's
  // side touches. Nothing if the set, with what cannot be cut beside it, touches the goal.
  std::optional<Set> beyond(Set inside) const {
    std::vector<bool> in = closed(inside);
    if (in[goal_]) return std::nullopt;
    std::vector<bool> border(neighbours_.size());
    for (const Node node : inside)
      for (const Node next : neighbours_[node])
        if (!in[next]) border[next] = true;
    // The goal's side: everything it reaches without entering the border.
    std::vector<bool> beside_goal(neighbours_.size());
    Set reached{goal_};
    beside_goal[goal_] = true;
    std::vector<bool> touched(neighbours_.size());
    for (std::size_t i = 0; i < reached.size(); ++i)
      for (const Node next : neighbours_[reached[i]]) {
        if (border[next]) touched[next] = true;
        if (border[next] || beside_goal[next]) continue;
        beside_goal[next] = true;
        reached.push_back(next);
      }
    Set separator;
    for (Node node = 0; node < neighbours_.size(); ++node)
      if (touched[node]) separator.push_back(node);
    return separator;
  }

  // What the sources reach without entering the separator.
  Set side(const Set& sources, const Set& separator) const {
    std::vector<bool> seen(neighbours_.size());
    for (const Node node : separator) seen[node] = true;
    Set reached;
    for (const Node node : sources)
      if (!seen[node]) {
        seen[node] = true;
        reached.push_back(node);
      }
    for (std::size_t i = 0; i < reached.size(); ++i)
      for (const Node next : neighbours_[reached[i]])
        if (!seen[next]) {
          seen[next] = true;
          reached.push_back(next);
        }
    return reached;
  }

 private:
  // The set and all that cannot be cut and hangs together with it; `inside` grows with it.
  std::vector<bool> closed(Set& inside) const {
    std::vector<bool> in(neighbours_.size());
    for (const Node node : inside) in[node] = true;
    for (std::size_t i = 0; i < inside.size(); ++i)
      for (const Node next : neighbours_[inside[i]])
        if (!in[next] && !cuttable_[next]) {
          in[next] = true;
          inside.push_back(next);
        }
    return in;
  }

  Node goal_;
  const std::vector<bool>& cuttable_;
  std::vector<std::vector<Node>> neighbours_;
  std::size_t size_ = 0;
};

// Unknown numbers of states count as two.
double joint_values(const CausalGraph& graph, const Set& set) {
  double values = 1;
  for (const Node node : set) {
    const std::size_t states = graph.variable(node).states.size();
    values *= states == 0 ? 2 : static_cast<double>(states);
  }
  return values;
}

}  // namespace

Separators separators(const CausalGraph& graph, const Actions& actions, Node reward,
                      const SeparatorSearch& search) {
  check_actions(graph, actions, reward);
  std::vector<bool> cuttable(graph.dag().size() + 1);
  for (Node node = 0; node < graph.size(); ++node) cuttable[node] = !graph.variable(node).latent;
  for (const Node node : actions.targets) cuttable[node] = false;  // no context of its own
  cuttable[reward] = false;
  for (const Node node : search.avoid) cuttable[node] = false;
  for (const Node node : search.contains)
    if (!cuttable[node])
      throw Error(
          {"", "--contains", fmt::format("'{}'", graph.name(node)),
           "a node that can be observed, is not avoided, and is neither action nor reward"});

  RegimeGraph acting;
  Set sources = actions.targets;
  if (search.under_interventions) {
    acting = regime_graph(graph, actions);
    sources = {acting.regime};
  }
  const Dag& dag = search.under_interventions ? acting.dag : graph.dag();
  cuttable.resize(dag.size());

  // If any allowed set separates, all that is allowed above the ends does.
  Set ends = sources;
  ends.push_back(reward);
  ends.insert(ends.end(), search.contains.begin(), search.contains.end());
  const std::vector<bool> above = dag.ancestors(ends);
  Set all;
  for (Node node = 0; node < graph.size(); ++node)
    if (above[node] && cuttable[node]) all.push_back(node);
  Separators result;
  if (const auto path = active_path(dag, sources, {reward}, all)) {
    result.words = fmt::format("none exists: {}", active_words(graph, dag, *path, all));
    return result;
  }
  result.exists = true;

  Set contained = search.contains;
  std::sort(contained.begin(), contained.end());
  contained.erase(std::unique(contained.begin(), contained.end()), contained.end());
  const MoralGraph moral(dag, sources, reward, contained, cuttable);
  std::set<Set> seen;
  std::vector<Set> queue;
  const auto visit = [&](const std::optional<Set>& separator) {
    if (separator && seen.insert(*separator).second) queue.push_back(*separator);
  };
  visit(moral.beyond(sources));
  std::size_t work = 0;
  for (std::size_t i = 0; i < queue.size() && result.complete; ++i) {
    const Set separator = queue[i];  // the queue grows below
    if (contained.size() + separator.size() <= search.largest) {
      if (result.sets.size() == search.most) {
        result.complete = false;
        break;
      }
      Set whole = contained;
      whole.insert(whole.end(), separator.begin(), separator.end());
      std::sort(whole.begin(), whole.end());
      result.sets.push_back(std::move(whole));
    }
    const Set side = moral.side(sources, separator);
    for (const Node node : separator) {
      if ((work += moral.size()) > kMostWork) {
        result.complete = false;
        break;
      }
      Set larger = side;
      larger.push_back(node);
      visit(moral.beyond(std::move(larger)));
    }
  }
  std::stable_sort(result.sets.begin(), result.sets.end(), [&](const Set& one, const Set& other) {
    const double values = joint_values(graph, one);
    const double others = joint_values(graph, other);
    if (values != others) return values < others;
    if (one.size() != other.size()) return one.size() < other.size();
    return one < other;
  });
  // Smaller ones than were asked for may be among those that were not reached.
  result.exists = !result.sets.empty() || !result.complete;
  result.words = result.sets.empty()
                     ? fmt::format("none {}has at most {} node{}",
                                   result.complete ? "" : "of those that were tried ",
                                   search.largest, search.largest == 1 ? "" : "s")
                 : result.sets.front().empty()
                     ? std::string("the empty set is enough: nothing needs to be observed")
                     : fmt::format("{}{} minimal set{}", result.complete ? "" : "the first ",
                                   result.sets.size(), result.sets.size() == 1 ? "" : "s");
  return result;
}

}  // namespace armature::graph
