// The kinds of figures a study can ask for: one row each. How a kind is drawn is a row of
// report/study_figures.cpp.
#pragma once

#include <string>
#include <vector>

#include "armature/study.h"

namespace armature {

/// What readers of study files, writers of them and the report must agree on about a kind.
struct FigureFacts {
  FigureKind kind;
  const char* name;
  std::vector<std::string> keys;  // beside kind and title
  const char* nothing;            // why there may be nothing to show
};

/// In the order in which figures are drawn when none is asked for by name.
const std::vector<FigureFacts>& figure_kinds();
const FigureFacts& facts_of(FigureKind kind);
/// The requests of a study; all kinds if it has none.
std::vector<FigureRequest> figures_asked_for(const Study& study);

}  // namespace armature
