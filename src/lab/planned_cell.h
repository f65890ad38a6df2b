// What a cell is before it runs: its world's facts, its name, and the engine's own form of it.
#pragma once

#include "armature/lab.h"
#include "lab/worlds.h"

namespace armature {

/// All that depends on the instance and the horizon alone: sizes, rank, gap, role, fingerprint.
PlannedCell planned_world(const InstanceSource& source, Round horizon);

/// Sets a name and the label that goes with it.
void name_instance(PlannedCell& cell, PlannedName name);
void name_policy(PlannedCell& cell, PlannedName name);

/// Throws Error naming the field if outcomes cannot arrive like this or leaping cannot be so exact.
void check_conditions(const Feedback& feedback, double leap_tolerance);

/// What all cells of one run share.
struct RunSettings {
  std::uint64_t seed = 0;
  std::vector<Round> checkpoints;
  Engine engine = Engine::kAuto;
  std::uint64_t max_events = 1'000'000'000;
  bool follow_shares = false;
};
/// The cell as the engines take it. Throws Error if the policy does not fit its world or the engine
/// asked for cannot play it.
Cell engine_cell(const PlannedCell& planned, const WorldSource& worlds, RunSettings settings);

}  // namespace armature
