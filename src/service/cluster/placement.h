// Which node is to have which experiment. Numbers in, numbers out: every node works it out for
// itself from what the store says, and where they do not agree for a while nothing is the worse for
// it but time, for the store lets only one of them write.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "service/facts.h"

namespace armature::service {

struct NodeView {
  std::string name;
  std::string url = {};
  bool alive = true;    // it has been heard of lately
  bool accepts = true;  // false while it is leaving, and of tools, which never own anything
};

struct OwnedView {
  ExperimentId id = 0;  // kTokens: the list of tokens, which has an owner like everything else
  std::string name;     // …and no name
  std::string owner;    // a node's name; empty: nobody
};

/// What the store says.
struct ClusterView {
  std::vector<NodeView> nodes;
  std::vector<OwnedView> experiments;
};

/// Who should have it, or create it: of those that are alive and accept the one whose name makes
/// the highest number with this one. When a node comes or goes, no experiment moves between two
/// others. Null: nobody is there.
const NodeView* home_of(const ClusterView& cluster, const std::string& experiment);

struct Moves {
  std::vector<ExperimentId> take;
  std::vector<ExperimentId> leave;
};
/// What `self`, who has `owned`, should do now. To take: what is free (nobody's, or of a node that
/// is not alive) and has its home here; and what is said to be its own, but it does not have (an
/// earlier process of its name did, or letting go of it was never heard of), wherever its home is:
/// nobody else would. To leave: what has its home on another node, but no more than so many on
/// their way at a time, as each of them answers nobody meanwhile; and what another has taken.
Moves moves_of(const ClusterView& cluster, const std::string& self,
               const std::set<ExperimentId>& owned, std::size_t most_leaving);

}  // namespace armature::service
