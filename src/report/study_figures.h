// From the results of a study to its figures.
#pragma once

#include <vector>

#include "armature/study.h"
#include "figures/style.h"

namespace armature {

/// In the order of the requests. Names are unique: they become file names and ids in the page.
struct DrawnFigures {
  std::vector<figures::Figure> figures;
  std::vector<std::string> notes;  // on what was asked for and has nothing to show
};
/// The figures the study asks for. All but the running time are the same bytes for the same study.
DrawnFigures study_figures(const StudyResult& result);

}  // namespace armature
