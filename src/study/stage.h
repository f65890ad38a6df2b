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

/// What one block may take of a machine with so much memory, in bytes, where so many are computed
/// at one time.
double most_block_bytes(unsigned hands, std::uint64_t memory);

/// What a run says of itself in its lease. Nothing of what no run has written: its first note, or
/// another version's.
std::optional<Progress> progress_from(const std::string& note);

}  // namespace armature
