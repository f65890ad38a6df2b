#include "service/cluster/placement.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "service/log.h"

namespace armature::service::test {
namespace {

ClusterView cluster_of(std::size_t nodes, std::size_t experiments = 0) {
  ClusterView cluster;
  for (std::size_t i = 0; i < nodes; ++i) cluster.nodes.push_back({fmt::format("node-{}", i + 1)});
  for (std::size_t i = 0; i < experiments; ++i)
    cluster.experiments.push_back(
        {static_cast<ExperimentId>(i + 1), fmt::format("mail-{}", i + 1), ""});
  return cluster;
}

std::map<std::string, std::string> homes(const ClusterView& cluster) {
  std::map<std::string, std::string> homes;
  for (const OwnedView& one : cluster.experiments)
    homes[one.name] = home_of(cluster, one.name)->name;
  return homes;
}

// Nodes of two builds meet in one cluster: these never change.
TEST(Placement, IsTheSameForEver) {
  const ClusterView cluster = cluster_of(3);
  EXPECT_EQ(home_of(cluster, "")->name, "node-1");
  EXPECT_EQ(home_of(cluster, "mail")->name, "node-2");
  EXPECT_EQ(home_of(cluster, "mail-1")->name, "node-2");
  EXPECT_EQ(home_of(cluster, "mail-2")->name, "node-3");
}

TEST(Placement, DoesNotDependOnTheOrderOfNodes) {
  const ClusterView cluster = cluster_of(5, 200);
  ClusterView turned = cluster;
  std::reverse(turned.nodes.begin(), turned.nodes.end());
  EXPECT_EQ(homes(turned), homes(cluster));
}

// Chi-square with n - 1 degrees of freedom; critical values at 1e-6. Names in a row, as people give
// them, to nodes in a row.
TEST(Placement, GivesEachItsShare) {
  for (const auto& [nodes, critical] :
       std::map<std::size_t, double>{{2, 23.93}, {3, 27.63}, {5, 33.38}, {10, 45.08}}) {
    std::map<std::string, double> counts;
    for (const auto& [experiment, home] : homes(cluster_of(nodes, 1000))) ++counts[home];
    const double mean = 1000.0 / static_cast<double>(nodes);
    double statistic = 0;
    for (const auto& [home, count] : counts) statistic += (count - mean) * (count - mean) / mean;
    EXPECT_EQ(counts.size(), nodes);
    EXPECT_LT(statistic, critical) << nodes << " nodes";
  }
}

// Binomial(1000, 1/4): beyond 5 standard deviations with probability below 1e-6.
TEST(Placement, MovesOnlyWhatItMust) {
  const ClusterView four = cluster_of(4, 1000);
  ClusterView three = four;
  three.nodes[1].alive = false;
  const auto before = homes(four);
  const auto after = homes(three);
  int moved = 0;
  for (const auto& [experiment, home] : before) {
    if (home != "node-2") {
      EXPECT_EQ(after.at(experiment), home) << experiment;
      continue;
    }
    ++moved;
    EXPECT_NE(after.at(experiment), home);
  }
  EXPECT_NEAR(moved, 250, 5 * 13.7);
  // One that leaves is like one that is dead, but nobody takes away what it has not let go of.
  ClusterView leaving = four;
  leaving.nodes[1].accepts = false;
  EXPECT_EQ(homes(leaving), after);
  for (OwnedView& one : leaving.experiments) one.owner = before.at(one.name);
  EXPECT_TRUE(moves_of(leaving, "node-1", {}, 10).leave.empty());
  for (const ExperimentId id : moves_of(leaving, "node-1", {}, 10).take)
    EXPECT_EQ(before.at(fmt::format("mail-{}", id)), "node-1");
}

TEST(Placement, NobodyIsThere) {
  ClusterView cluster = cluster_of(0, 3);
  EXPECT_EQ(home_of(cluster, "mail"), nullptr);
  EXPECT_TRUE(moves_of(cluster, "node-1", {1}, 10).leave.empty());
  cluster.nodes = {{"node-1", "", false}, {"tool", "", true, false}};
  EXPECT_EQ(home_of(cluster, "mail"), nullptr);
  // All leases have run out at once: nobody lets go of anything.
  const Moves moves = moves_of(cluster, "node-1", {1, 2}, 10);
  EXPECT_TRUE(moves.take.empty());
  EXPECT_TRUE(moves.leave.empty());
}

TEST(Moves, AloneTakesAllThatIsFree) {
  ClusterView cluster = cluster_of(1, 4);
  cluster.experiments.push_back({kTokens, "", ""});
  cluster.nodes.push_back({"node-2", "", false});
  cluster.experiments[0].owner = "node-2";     // dead
  cluster.experiments[1].owner = "long gone";  // not even listed
  cluster.experiments[2].owner = "node-1";     // an earlier process of its name
  cluster.experiments[3].owner = "node-1";
  const Moves moves = moves_of(cluster, "node-1", {4}, 10);
  EXPECT_EQ(moves.take, (std::vector<ExperimentId>{1, 2, 3, kTokens}));
  EXPECT_TRUE(moves.leave.empty());
}

TEST(Moves, NothingIsTakenFromTheLiving) {
  ClusterView cluster = cluster_of(2, 100);
  for (OwnedView& one : cluster.experiments) one.owner = "node-2";
  EXPECT_TRUE(moves_of(cluster, "node-1", {}, 10).take.empty());
}

// It was taken for dead, and does not know yet: what others had meanwhile is to be had anew.
TEST(Moves, WhatWasLostIsLetGoOf) {
  ClusterView cluster = cluster_of(1, 3);
  cluster.nodes.push_back({"node-2", "", false});
  cluster.experiments[0].owner = "node-2";
  cluster.experiments[2].owner = "node-1";
  const Moves moves = moves_of(cluster, "node-1", {1, 2, 3}, 10);
  EXPECT_EQ(moves.leave, (std::vector<ExperimentId>{1, 2}));
  EXPECT_TRUE(moves.take.empty());
}

// A joins B, who has everything: B leaves a few at a time, A takes them, until all are at home.
TEST(Moves, ComeToAnEnd) {
  ClusterView cluster = cluster_of(2, 100);
  cluster.experiments.push_back({kTokens, "", "node-2"});
  std::map<std::string, std::set<ExperimentId>> owned;
  for (OwnedView& one : cluster.experiments) {
    one.owner = "node-2";
    owned["node-2"].insert(one.id);
  }
  int rounds = 0;
  for (bool moving = true; moving; ++rounds) {
    moving = false;
    for (const NodeView& node : cluster.nodes) {
      const Moves moves = moves_of(cluster, node.name, owned[node.name], 5);
      EXPECT_LE(moves.leave.size(), 5u);
      moving = moving || !moves.take.empty() || !moves.leave.empty();
      for (OwnedView& one : cluster.experiments) {
        if (std::count(moves.leave.begin(), moves.leave.end(), one.id) > 0) {
          one.owner.clear();
          owned[node.name].erase(one.id);
        }
        if (std::count(moves.take.begin(), moves.take.end(), one.id) > 0) {
          one.owner = node.name;
          owned[node.name].insert(one.id);
        }
      }
    }
    ASSERT_LT(rounds, 100);
  }
  for (const OwnedView& one : cluster.experiments)
    EXPECT_EQ(one.owner, home_of(cluster, one.name)->name);
  EXPECT_GT(owned["node-1"].size(), 20u);
}

TEST(Moves, WhoeverIsLeavingOnlyLeaves) {
  ClusterView cluster = cluster_of(2, 10);
  cluster.nodes[0].accepts = false;
  for (OwnedView& one : cluster.experiments) one.owner = "node-1";
  const Moves moves = moves_of(cluster, "node-1", {1, 2, 3}, 2);
  EXPECT_TRUE(moves.take.empty());  // 4 to 10 are its own by name
  EXPECT_EQ(moves.leave, (std::vector<ExperimentId>{1, 2}));
  // The last one: there is nobody to leave anything to.
  cluster.nodes[1].alive = false;
  EXPECT_TRUE(moves_of(cluster, "node-1", {1, 2, 3}, 2).leave.empty());
}

// What it could not let go of is its own by name, and nobody else's to take: it has to come back
// here before it can move.
TEST(Moves, WhatNobodyElseWouldTakeIsTakenWhereverItsHomeIs) {
  ClusterView cluster = cluster_of(2, 50);
  for (OwnedView& one : cluster.experiments) one.owner = "node-1";
  EXPECT_EQ(moves_of(cluster, "node-1", {}, 0).take.size(), 50u);
}

}  // namespace
}  // namespace armature::service::test
