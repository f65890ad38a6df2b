// Results leave out cells without a finished replication, plans do not.
#pragma once

#include "armature/lab.h"

namespace armature {

/// Null where nothing of the cell is finished.
inline const CellSummary* summary_of(const Results& results, const PlannedCell& cell) {
  for (const CellSummary& summary : results.cells)
    if (summary.cell.id == cell.id) return &summary;
  return nullptr;
}

}  // namespace armature
