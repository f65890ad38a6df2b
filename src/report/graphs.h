// The causal graphs of a study, each drawn once beside what it says and what policies paid in it.
#pragma once

#include <string>
#include <vector>

#include "report/words.h"

namespace armature {

/// A section of the page; empty for a study without graphs. Drawn by our own layout: the same bytes
/// whatever programs are installed.
std::string graphs_html(const StudyResult& result, const std::vector<Contest>& contests);

}  // namespace armature
