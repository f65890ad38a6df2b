// From the results of a study to its figures.
#pragma once

#include <vector>

#include "armature/study.h"
#include "figures/style.h"

namespace armature {

/// The figures the study asks for, as far as its data has something to show in them. All but the
/// running time are the same bytes for the same study.
std::vector<figures::Figure> study_figures(const StudyResult& result);

/// 100,000.
std::string grouped(double number);

}  // namespace armature
