// The page of a study with its figures, which are drawn once and written to files as well.
#pragma once

#include <string>

#include "armature/study.h"
#include "report/study_figures.h"

namespace armature {

/// The figures are handed in, as write_report needs the very same ones as files. Throws Error if
/// this program was built without `make bundle`.
std::string study_page(const StudyResult& result, const DrawnFigures& drawn);

}  // namespace armature
