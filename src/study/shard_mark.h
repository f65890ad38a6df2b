// What shards of one study agree in, short enough to lie beside them (DIR/shards/study) and in the
// store of each: a shard of another study is refused when it starts and not when all are merged,
// whether or not a store of the others can be opened meanwhile.
#pragma once

#include <optional>
#include <string>

#include "armature/study.h"
#include "study/store.h"

namespace armature {

/// JSON: numbers and names of the study, digests of its cells and files, and the build of armature.
std::string study_mark(const StudyPlan& plan);
/// The first thing that differs; none also where one of the two is no mark.
std::optional<StudyDifference> mark_difference(const std::string& now, const std::string& then);
/// The search of a study has a seed made of the study's: told of as that.
StudyDifference told_of_search(StudyDifference difference);

/// DIR/shards/study; empty where there is none, or half a one.
std::string mark_in(const std::string& directory);
/// Throws Error where the mark of another study lies. `search`: the plan is of a study's search.
void require_same_mark(const std::string& directory, const StudyPlan& plan, bool search);
/// Makes the shard's directory; the first of all leaves the mark. Throws Error where that of
/// another study lies, also where no shard is left: of two studies that start at once both could
/// take the other's for one that is nobody's. `search`: of a study's search.
void claim_shard(const std::string& directory, Shard shard, const StudyPlan& plan, bool search);

}  // namespace armature
