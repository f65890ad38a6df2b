// The page of a study with its figures, which are drawn once and written to files as well.
#pragma once

#include <string>

#include "armature/study.h"
#include "report/study_figures.h"

namespace armature {

std::string study_page(const StudyResult& result, const DrawnFigures& drawn);

}  // namespace armature
