// Summaries of stored replications, always in the order of their numbers: the same bytes however
// they were computed. Values stream through; none of them is kept.
#pragma once

#include "study/store.h"

namespace armature {

/// Of a cell with at least one stored replication.
CellSummary summarize_cell(StudyStore& store, const StudyCell& cell);
/// The best of each instance and horizon against each other policy there.
std::vector<PairedDifference> paired_differences(StudyStore& store,
                                                 const std::vector<CellSummary>& cells);
StudyResult results_of(StudyStore& store);
/// Writes the table `summaries` anew, for readers of the database.
void store_summaries(StudyStore& store);

}  // namespace armature
