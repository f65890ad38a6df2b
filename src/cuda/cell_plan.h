// How a cell is played by a device: which player, with which numbers, or why not at all. All
// numbers are the policy's own: it is built as the step engine builds it, and asked.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "armature/random.h"
#include "cuda/players.h"

// Named, not included: what is compiled for a device sees nothing of policies.
namespace armature {
struct Cell;
struct World;
struct Diagnostic;
}  // namespace armature

namespace armature::cuda {

inline constexpr std::uint32_t kMostActions = 1024;
inline constexpr std::uint32_t kMostContexts = 64;
inline constexpr Round kLongestHorizon = Round{1} << 40;
/// Values of a width w(n) that are kept in a table, from n = 0 on: 8 MiB. Beyond, they are
/// computed.
inline constexpr std::uint64_t kLargestTable = std::uint64_t{1} << 20;

struct CellPlan {
  std::string obstacle;  // why not; then nothing else counts
  Kind kind = Kind::kFixed;
  Setting setting;
  bool small_numbers = false;  // counts fit 32 bits, rewards are 0 or 1
  /// What the settings' tables are in, on the host.
  std::vector<std::shared_ptr<const std::vector<double>>> tables;
  /// Diagnostics of a replication from the facts that its player left.
  std::function<std::vector<Diagnostic>(const Setting& setting, const double* facts)> told;
};

/// `world` is the cell's world of replication 0; numbers are the same in all.
CellPlan plan_cell(const Cell& cell, const World& world,
                   std::uint64_t largest_table = kLargestTable);

/// Why a device cannot play this world; empty if it can.
std::string world_obstacle(const World& world, bool fresh);

/// The tables that portable::log has on the host.
Logarithm host_logarithm();

}  // namespace armature::cuda
