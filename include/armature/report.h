// Results as text: a table for people, CSV and JSON for programs (docs/formats.md).
#pragma once

#include <string>
#include <vector>

#include "armature/study.h"

namespace armature {

std::string result_table(const SimulationResult& result);
/// One row per policy and checkpoint.
std::string result_csv(const std::vector<SimulationResult>& results);
std::string result_json(const SimulationResult& result);

/// Several results side by side: one row per instance and horizon, one column per policy, the best
/// of each row marked.
std::string comparison_table(const std::vector<SimulationResult>& results);

/// A study's final regrets as LaTeX tables for \input: one per instance, policies down, horizons
/// across.
std::string study_latex(const StudyResult& result);

}  // namespace armature
