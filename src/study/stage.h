// One stage of a study, ready to be computed: here, or by a process elsewhere that was handed its
// text.
#pragma once

#include <optional>

#include "armature/study.h"

namespace armature {

/// The cells of a plan as the engines take them, in its order.
std::vector<Cell> cells_of(const StudyPlan& plan);

/// All that another process needs to make the same plan, whatever files it sees.
std::string write_stage(const StudyPlan& plan);
/// Throws Error if the plan made here is another than the one that was written: a build that
/// computes something else must not take part.
StudyPlan read_stage(const std::string& text);

/// Where the cells of a plan are computed, and for how long, per replication.
struct ExpectedSeconds {
  std::vector<double> on_cores;   // of one core, by a short trial; 0: a device computes it
  std::vector<double> on_device;  // as the accelerator guesses; 0: cores compute it
  std::string accelerator = {};   // empty: there is none, or none is wanted
};
/// Of the first stage, if there are two. Throws Error as run_study would if a device is asked for
/// and cannot be had.
ExpectedSeconds expected_seconds(const StudyPlan& plan, const RunHooks& hooks);

/// What one block may take of a machine with so much memory, in bytes, where so many are computed
/// at one time.
double most_block_bytes(unsigned hands, std::uint64_t memory);

/// What a run says of itself in its lease. Nothing of what no run has written: its first note, or
/// another version's.
std::optional<Progress> progress_from(const std::string& note);

}  // namespace armature
