#include "service/cluster/placement.h"

#include <algorithm>

#include "armature/random.h"
#include "armature/state.h"

namespace armature::service {
namespace {

std::uint64_t number_of(const std::string& name) {
  Fingerprint print;
  print.add(name);
  return print.value();
}

// Names alike give numbers alike (nodes are called a-1, a-2 and a-3): Philox makes one of both that
// has nothing of it left, the same on every machine.
std::uint64_t weight(std::uint64_t experiment, std::uint64_t node) {
  const auto low = [](std::uint64_t number) { return static_cast<std::uint32_t>(number); };
  const auto high = [](std::uint64_t number) { return static_cast<std::uint32_t>(number >> 32); };
  const Philox::Block block =
      Philox::block({low(experiment), high(experiment), low(node), high(node)}, {0, 0});
  return block[0] | std::uint64_t{block[1]} << 32;
}

bool is_alive(const ClusterView& cluster, const std::string& name) {
  return std::any_of(cluster.nodes.begin(), cluster.nodes.end(),
                     [&](const NodeView& node) { return node.alive && node.name == name; });
}

bool accepts(const ClusterView& cluster, const std::string& name) {
  return std::any_of(cluster.nodes.begin(), cluster.nodes.end(), [&](const NodeView& node) {
    return node.alive && node.accepts && node.name == name;
  });
}

}  // namespace

const NodeView* home_of(const ClusterView& cluster, const std::string& experiment) {
  const std::uint64_t number = number_of(experiment);
  const NodeView* home = nullptr;
  std::uint64_t highest = 0;
  for (const NodeView& node : cluster.nodes) {
    if (!node.alive || !node.accepts) continue;
    const std::uint64_t mine = weight(number, number_of(node.name));
    if (home != nullptr && (mine < highest || (mine == highest && node.name > home->name)))
      continue;
    home = &node;
    highest = mine;
  }
  return home;
}

Moves moves_of(const ClusterView& cluster, const std::string& self,
               const std::set<ExperimentId>& owned, std::size_t most_leaving) {
  Moves moves;
  const bool here = accepts(cluster, self);
  std::size_t on_their_way = 0;  // let go of, by whomever, and not taken yet
  for (const OwnedView& one : cluster.experiments) {
    const NodeView* home = home_of(cluster, one.name);
    if (one.owner.empty() && home != nullptr && home->name != self) ++on_their_way;
  }
  for (const OwnedView& one : cluster.experiments) {
    const NodeView* home = home_of(cluster, one.name);
    if (home == nullptr) continue;
    const bool has_home_here = home->name == self;
    if (owned.contains(one.id)) {
      // One that was taken from it while it was not heard of it has lost, though nobody has asked
      // for it since: only then it can be had again.
      const bool is_lost = one.owner != self;
      const bool may_leave = !has_home_here && on_their_way < most_leaving;
      if (may_leave && !is_lost) ++on_their_way;
      if (may_leave || is_lost) moves.leave.push_back(one.id);
    } else if (one.owner == self) {
      if (here) moves.take.push_back(one.id);
    } else if (has_home_here && !is_alive(cluster, one.owner)) {
      moves.take.push_back(one.id);
    }
  }
  return moves;
}

}  // namespace armature::service
