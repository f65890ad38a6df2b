// What a study's grid comes to, before anything is built.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "armature/study.h"

namespace armature {

/// Of a plan that is made again: whoever made the first has accepted its size.
inline constexpr std::size_t kAnySize = SIZE_MAX;

/// Throws Error naming `field` if no cell of the plan has a number of this name.
void require_key(const StudyPlan& plan, const std::string& key, const std::string& field);

/// The names of instance and policy of every cell, in the order of plan_study. They follow from the
/// study alone, so that a store of a schema without names can be given them (study/store.cpp).
std::vector<std::pair<PlannedName, PlannedName>> planned_names(const Study& study);

/// The engine whose numbers a study's are: those of `cuda` are those of `step`.
std::string engine_of_results(const Study& study);

/// The seed of a study's search ("search" in ASCII, added bit by bit): never the study's own, for
/// what chose a cell must not be counted there again. Its own inverse.
std::uint64_t search_seed(std::uint64_t seed);

}  // namespace armature
