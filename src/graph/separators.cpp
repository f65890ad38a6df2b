// Minimal sets that separate the actions from the reward. They are the minimal vertex separators
// of an undirected graph (the moral graph of everything above source, goal and what must be in),
// in which nodes that may not be in a set cannot be cut. The cheapest (where it is too large: the
// smallest) is a cut of least price, and exact; the others are found by pushing the one nearest to
// the source away from it, node by node (Shen and Liang 1997), as long as that takes no more than
// its share of work.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <set>

#include "armature/error.h"
#include "base/mathematics.h"
#include "graph/names.h"
#include "graph/regime.h"
#include "graph/separation.h"
#include "graph/vertex_cut.h"

namespace armature::graph {
namespace {

// Beyond this much work the search stops, even if few were small enough to be listed: nodes and
// edges looked at, about a second. What was found by then is said to be not all.
constexpr std::size_t kMostWork = 100'000'000;

using Set = std::vector<Node>;  // ascending

// Parents of a child are joined by a node of its own, `size + child`, that cannot be cut: joining
// each with each would be quadratic.
class MoralGraph {
 public:
  MoralGraph(const Dag& dag, const Set& sources, Node goal, const Set& contains,
             std::vector<bool> cuttable)
      : goal_(goal), cuttable_(std::move(cuttable)), neighbours_(2 * dag.size()) {
    cuttable_.resize(neighbours_.size());
    Set ends = sources;
    ends.push_back(goal);
    ends.insert(ends.end(), contains.begin(), contains.end());
    const std::vector<bool> kept = dag.ancestors(ends);
    std::vector<bool> removed(neighbours_.size());
    for (const Node node : contains) removed[node] = true;
    const auto join = [&](Node one, Node other) {
      if (removed[one] || removed[other]) return;
      neighbours_[one].push_back(other);
      neighbours_[other].push_back(one);
    };
    for (Node child = 0; child < dag.size(); ++child) {
      if (!kept[child]) continue;
      for (const Node parent : dag.parents(child)) {
        join(parent, child);
        if (dag.parents(child).size() > 1) join(parent, static_cast<Node>(dag.size() + child));
      }
    }
    for (std::vector<Node>& list : neighbours_) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
      size_ += 1 + list.size();
    }
  }

  // The separator with the smallest sum of prices; there must be one.
  Set cheapest(const Set& sources, const std::function<Price(Node)>& price_of) const {
    std::vector<std::optional<Price>> prices(neighbours_.size());
    for (Node node = 0; node < prices.size(); ++node)
      if (cuttable_[node]) prices[node] = price_of(node);
    return cheapest_cut(neighbours_, sources, goal_, prices);
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
  std::vector<bool> cuttable_;
  Neighbours neighbours_;
  std::size_t size_ = 0;
};

// The logarithm of the number of states in units of 2^-32. By prime factors: sets with equally many
// joint values have equal sums. Unknown numbers of states count as two.
std::int64_t logarithm(const CausalGraph& graph, Node node) {
  std::size_t states = graph.variable(node).states.size();
  if (states == 0) states = 2;
  std::int64_t sum = 0;
  for (std::size_t factor = 2; states > 1; ++factor)
    for (; states % factor == 0; states /= factor)
      sum += std::llround(portable::log(static_cast<double>(factor)) * 0x1p32);
  return sum;
}

// By joint values, then by nodes.
Price price(const CausalGraph& graph, const Set& set) {
  Price sum;
  for (const Node node : set) sum += {logarithm(graph, node), 1};
  return sum;
}

Set with(const Set& one, const Set& other) {
  Set both = one;
  both.insert(both.end(), other.begin(), other.end());
  std::sort(both.begin(), both.end());
  return both;
}

// "lung, bronc", and of many how many more.
std::string some_names(const CausalGraph& graph, const Set& set) {
  constexpr std::size_t kMostNames = 8;
  if (set.size() <= kMostNames) return names_of(graph, set);
  return fmt::format("{} and {} more", names_of(graph, {set.begin(), set.begin() + kMostNames}),
                     set.size() - kMostNames);
}

// The path is open given all that could help. If that is because of what is observed on it and need
// not be, the reason is only half of one: without it another path is open.
std::string why_none(const CausalGraph& graph, const Dag& dag, const Set& sources, Node reward,
                     const Set& contained, const Set& all, const std::vector<Node>& path) {
  std::set<Node> opening;
  for (std::size_t place = 0; place < path.size(); ++place)
    if (is_collider(dag, path, place))
      for (const Node node : observed_below(dag, path[place], all)) opening.insert(node);
  for (const Node node : contained) opening.erase(node);
  const std::string words = active_words(graph, dag, path, all);
  if (opening.empty()) return words;
  Set others;
  std::set_difference(all.begin(), all.end(), opening.begin(), opening.end(),
                      std::back_inserter(others));
  const auto other_path = active_path(dag, sources, {reward}, others);
  ARMATURE_CHECK(other_path.has_value(), "where all does not separate, nothing does");
  return fmt::format("even with everything observed that could help ({}), {}; without {}, {}",
                     some_names(graph, all), words,
                     some_names(graph, {opening.begin(), opening.end()}),
                     active_words(graph, dag, *other_path, others));
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
    result.words =
        "none exists: " + why_none(graph, dag, sources, reward, search.contains, all, *path);
    return result;
  }

  Set contained = search.contains;
  std::sort(contained.begin(), contained.end());
  contained.erase(std::unique(contained.begin(), contained.end()), contained.end());
  const MoralGraph moral(dag, sources, reward, contained, cuttable);
  Set first =
      with(contained, moral.cheapest(sources, [&](Node node) { return price(graph, {node}); }));
  if (first.size() > search.most_nodes)
    first = with(contained, moral.cheapest(sources, [](Node) { return Price{1, 0}; }));
  if (first.size() > search.most_nodes) {
    result.words = fmt::format("none has at most {} node{}: the smallest has {}", search.most_nodes,
                               search.most_nodes == 1 ? "" : "s", first.size());
    return result;
  }
  result.exists = true;

  std::set<Set> listed{first};
  std::set<Set> seen;
  std::vector<Set> queue;
  const auto visit = [&](const std::optional<Set>& separator) {
    if (separator && seen.insert(*separator).second) queue.push_back(*separator);
  };
  visit(moral.beyond(sources));
  std::size_t work = 0;
  for (std::size_t i = 0; i < queue.size() && result.complete; ++i) {
    const Set separator = queue[i];  // the queue grows below
    Set whole = with(contained, separator);
    if (whole.size() <= search.most_nodes && !listed.contains(whole)) {
      if (listed.size() >= search.most_sets) {
        result.complete = false;
        break;
      }
      listed.insert(std::move(whole));
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
  std::vector<std::pair<Price, Set>> ranked;
  for (const Set& set : listed) ranked.emplace_back(price(graph, set), set);
  std::sort(ranked.begin(), ranked.end());
  for (auto& [price, set] : ranked) result.sets.push_back(std::move(set));
  result.words = result.sets.front().empty()
                     ? std::string("the empty set is enough: nothing needs to be observed")
                     : fmt::format("{} minimal set{}{}", result.sets.size(),
                                   result.sets.size() == 1 ? "" : "s",
                                   result.complete ? "" : ", and there may be more");
  return result;
}

}  // namespace armature::graph
