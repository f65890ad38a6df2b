#include "graph/elimination.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace armature::graph {
namespace {

// Steps through all joint states of `nodes`, and for each factor where its number stands.
class Odometer {
 public:
  Odometer(const std::vector<Node>& nodes, const std::vector<std::uint32_t>& sizes,
           const std::vector<const Factor*>& factors)
      : sizes_(sizes), digits_(nodes.size()), places_(factors.size()) {
    for (const Factor* factor : factors) {
      std::vector<std::size_t> strides(nodes.size());
      std::size_t stride = 1;
      for (std::size_t i = factor->nodes.size(); i-- > 0;) {
        const auto at = std::find(nodes.begin(), nodes.end(), factor->nodes[i]);
        if (at != nodes.end()) strides[static_cast<std::size_t>(at - nodes.begin())] = stride;
        stride *= factor->sizes[i];
      }
      strides_.push_back(std::move(strides));
    }
  }
  std::size_t place(std::size_t factor) const { return places_[factor]; }
  void next() {
    for (std::size_t i = digits_.size(); i-- > 0;) {
      if (++digits_[i] < sizes_[i]) {
        for (std::size_t f = 0; f < places_.size(); ++f) places_[f] += strides_[f][i];
        return;
      }
      for (std::size_t f = 0; f < places_.size(); ++f)
        places_[f] -= strides_[f][i] * (sizes_[i] - 1);
      digits_[i] = 0;
    }
  }

 private:
  const std::vector<std::uint32_t>& sizes_;
  std::vector<std::uint32_t> digits_;
  std::vector<std::size_t> places_;                // by factor
  std::vector<std::vector<std::size_t>> strides_;  // by factor, by node
};

// The product of the factors over `nodes`, the last `summed` of them summed out.
Factor product(const std::vector<const Factor*>& factors, std::vector<Node> nodes,
               std::vector<std::uint32_t> sizes, std::size_t summed) {
  Odometer odometer(nodes, sizes, factors);
  std::size_t outer = 1;
  std::size_t inner = 1;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    (i + summed < nodes.size() ? outer : inner) *= sizes[i];
  Factor result;
  result.values.reserve(outer);
  for (std::size_t i = 0; i < outer; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < inner; ++j) {
      double term = 1;
      for (std::size_t f = 0; f < factors.size(); ++f)
        term *= factors[f]->values[odometer.place(f)];
      sum += term;
      odometer.next();
    }
    result.values.push_back(sum);
  }
  nodes.resize(nodes.size() - summed);
  sizes.resize(nodes.size());
  result.nodes = std::move(nodes);
  result.sizes = std::move(sizes);
  return result;
}

std::vector<const Factor*> pointers(const std::vector<Factor>& factors) {
  std::vector<const Factor*> all;
  for (const Factor& factor : factors) all.push_back(&factor);
  return all;
}

// Of a node with more neighbours the new edges are not counted but bounded: its table is too large
// in any case, or stays so until most of them are gone.
constexpr std::size_t kCounted = 32;

}  // namespace

EliminationOrder elimination_order(const std::vector<std::vector<Node>>& scopes,
                                   const std::vector<Node>& keep,
                                   const std::vector<std::uint32_t>& sizes, double most_entries) {
  std::map<Node, std::set<Node>> neighbours;
  for (const std::vector<Node>& scope : scopes)
    for (const Node node : scope)
      for (const Node other : scope)
        if (node != other)
          neighbours[node].insert(other);
        else
          neighbours[node];
  std::set<Node> waiting;
  for (const auto& [node, others] : neighbours) waiting.insert(node);
  for (const Node node : keep) waiting.erase(node);

  const auto entries = [&](Node node) {
    double product = sizes[node];
    for (const Node other : neighbours[node]) product *= sizes[other];
    return product;
  };
  const auto fill = [&](Node node) {
    std::size_t missing = 0;
    const std::set<Node>& around = neighbours[node];
    if (around.size() > kCounted) return around.size() * (around.size() - 1) / 2;
    for (auto one = around.begin(); one != around.end(); ++one)
      for (auto other = std::next(one); other != around.end(); ++other)
        missing += !neighbours[*one].contains(*other);
    return missing;
  };
  // How good a node is changes only where its neighbours' edges do.
  std::map<Node, std::pair<std::size_t, double>> worth;
  std::set<std::tuple<std::size_t, double, Node>> queue;
  const auto weigh = [&](Node node) {
    if (const auto old = worth.find(node); old != worth.end())
      queue.erase({old->second.first, old->second.second, node});
    worth[node] = {fill(node), entries(node)};
    queue.insert({worth[node].first, worth[node].second, node});
  };
  for (const Node node : waiting) weigh(node);

  EliminationOrder order;
  const auto note = [&](std::size_t width, double numbers) {
    order.size.width = std::max(order.size.width, width);
    order.size.entries = std::max(order.size.entries, numbers);
    order.work += numbers;
  };
  double kept = 1;
  for (const Node node : keep) kept *= sizes[node];
  note(keep.size(), kept);
  while (!queue.empty()) {
    if (order.size.entries > most_entries) {
      order.size.at_least = true;
      break;
    }
    const Node node = std::get<2>(*queue.begin());
    queue.erase(queue.begin());
    worth.erase(node);
    const std::set<Node> around = neighbours[node];
    note(around.size() + 1, entries(node));
    order.nodes.push_back(node);
    std::set<Node> changed;
    for (const Node one : around) {
      neighbours[one].erase(node);
      for (const Node other : around)
        if (one != other && neighbours[one].insert(other).second) {
          // A new edge may complete the triangles of both ends.
          const bool fewer = neighbours[one].size() < neighbours[other].size();
          for (const Node beside : neighbours[fewer ? one : other])
            if (neighbours[fewer ? other : one].contains(beside)) changed.insert(beside);
        }
      changed.insert(one);
    }
    neighbours.erase(node);
    for (const Node other : changed)
      if (worth.contains(other)) weigh(other);
  }
  return order;
}

Factor sliced(const Factor& factor, const Assignment& held) {
  std::size_t start = 0;
  std::size_t stride = 1;
  Factor result;
  for (std::size_t i = factor.nodes.size(); i-- > 0;) {
    const auto found = std::find_if(
        held.begin(), held.end(), [&](const auto& pair) { return pair.first == factor.nodes[i]; });
    if (found != held.end()) {
      start += stride * found->second;
    } else {
      result.nodes.insert(result.nodes.begin(), factor.nodes[i]);
      result.sizes.insert(result.sizes.begin(), factor.sizes[i]);
    }
    stride *= factor.sizes[i];
  }
  if (result.nodes.size() == factor.nodes.size()) return factor;
  std::size_t count = 1;
  for (const std::uint32_t size : result.sizes) count *= size;
  Odometer odometer(result.nodes, result.sizes, {&factor});
  for (std::size_t i = 0; i < count; ++i, odometer.next())
    result.values.push_back(factor.values[start + odometer.place(0)]);
  return result;
}

Factor eliminate(std::vector<Factor> factors, const std::vector<Node>& order,
                 const std::vector<Node>& keep) {
  std::map<Node, std::uint32_t> size_of;
  for (const Factor& factor : factors)
    for (std::size_t i = 0; i < factor.nodes.size(); ++i)
      size_of[factor.nodes[i]] = factor.sizes[i];
  // Which factors still speak of a node: a list per node, where used ones are skipped.
  std::vector<bool> used(factors.size());
  std::map<Node, std::vector<std::size_t>> speaking;
  for (std::size_t f = 0; f < factors.size(); ++f)
    for (const Node node : factors[f].nodes) speaking[node].push_back(f);
  for (const Node node : order) {
    std::vector<Factor> together;
    std::set<Node> scope;
    for (const std::size_t f : speaking[node]) {
      if (used[f]) continue;
      used[f] = true;
      scope.insert(factors[f].nodes.begin(), factors[f].nodes.end());
      together.push_back(std::move(factors[f]));
    }
    scope.erase(node);
    std::vector<Node> nodes(scope.begin(), scope.end());
    nodes.push_back(node);
    std::vector<std::uint32_t> sizes;
    for (const Node member : nodes) sizes.push_back(size_of[member]);
    factors.push_back(product(pointers(together), nodes, sizes, 1));
    used.push_back(false);
    for (const Node member : factors.back().nodes) speaking[member].push_back(factors.size() - 1);
  }
  std::vector<Factor> left;
  for (std::size_t f = 0; f < factors.size(); ++f)
    if (!used[f]) left.push_back(std::move(factors[f]));
  std::vector<std::uint32_t> sizes;
  for (const Node node : keep) sizes.push_back(size_of.at(node));
  return product(pointers(left), keep, sizes, 0);
}

}  // namespace armature::graph
