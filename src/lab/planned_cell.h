// What a cell is before it runs: its world's facts, its name, and the engine's own form of it.
#pragma once

#include "armature/lab.h"
#include "lab/worlds.h"

namespace armature {

/// All that depends on the instance and the horizon alone: sizes, rank, gap, role, fingerprint. Of
/// a random family replication 0 speaks for all; its gap is left open. Names, conditions and policy
/// are the caller's to set.
PlannedCell planned_world(const InstanceSource& source, Round horizon);

/// Set a name together with the label made of it, so that the two never tell different things.
void name_instance(PlannedCell& cell, PlannedName name);
void name_policy(PlannedCell& cell, PlannedName name);

/// Throws Error naming the field if outcomes cannot arrive as `feedback` says or leaping cannot be
/// as exact as `leap_tolerance`. The Error names no file: whoever read one adds it.
void check_conditions(const Feedback& feedback, double leap_tolerance);

/// What all cells of one run share (checkpoints: those of one horizon); what else may differ
/// between cells stands in PlannedCell.
struct RunSettings {
  std::uint64_t seed = 0;
  std::vector<Round> checkpoints;
  Engine engine = Engine::kAuto;
  std::uint64_t max_events = 1'000'000'000;
  bool follow_shares = false;
};
/// The cell as the engines take it. Throws Error if the policy does not fit its world or the engine
/// asked for cannot play it. Own parts, where there are any: see Cell.
Cell engine_cell(const PlannedCell& planned, const WorldSource& worlds, RunSettings settings,
                 PolicyMaker own_policy = {}, EnvironmentMaker own_environment = {});

}  // namespace armature
