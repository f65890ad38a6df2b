// Where the cells of a run are computed: on the cores of this process, or by an accelerator. Both
// compute the same bytes, so nothing but time follows from it.
#pragma once

#include "armature/lab.h"
#include "simulate/accelerator.h"

namespace armature {

/// Rounds that are stepped, of all cells together, from which on `auto` looks for an accelerator.
/// With fewer, cores are done before a GPU has begun: to open one takes 0.4 s.
inline constexpr double kRoundsWorthADevice = 1e9;
/// Replications of a cell from which on `auto` gives it to an accelerator. A GPU takes a
/// microsecond for a round of all of them, however few they are: of few, cores are done before it.
/// With blocks of eight cells at once the two are level at about 100.
inline constexpr std::uint32_t kReplicationsWorthADevice = 256;

struct Placement {
  std::shared_ptr<Accelerator> accelerator = nullptr;  // none: the cores compute everything
  /// Per cell, how many replications make a block of about a second on a device; 0: it is the
  /// cores'. Empty without an accelerator.
  std::vector<std::uint32_t> per_block = {};
  std::vector<double> seconds = {};     // of one replication there
  std::vector<std::string> notes = {};  // who computes what, and why not the other

  bool on_device(std::size_t cell) const { return accelerator && per_block[cell] > 0; }
  /// Of one replication of a cell that is computed there.
  double device_seconds(std::size_t cell) const { return seconds[cell]; }
};

/// What becomes of Engine::kCuda where the accelerator can play none of the cells.
enum class Unplayable { kError, kStepped };
/// For so many replications of each cell. Throws Error if Engine::kCuda was asked for and there is
/// no accelerator.
Placement place_cells(const std::vector<Cell>& cells, std::uint32_t replications,
                      const RunHooks& hooks, Unplayable unplayable = Unplayable::kError);

/// How many bytes the results of one block on a device may take, in a process that was given so
/// much memory: as many blocks as the accelerator computes at once lie there at the same time.
double most_device_block_bytes(const Accelerator& accelerator, std::uint64_t memory);

}  // namespace armature
