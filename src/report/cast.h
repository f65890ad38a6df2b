// Who appears in a report and how: names of policies and instances, what a sweep belongs to, and
// each policy's look, the same in all figures.
#pragma once

#include <string>
#include <vector>

#include "armature/study.h"
#include "figures/looks.h"

namespace armature {

/// A label without some of the grid values it spells out: "db:dial=0.5" without dial is "db", and
/// so is "db (dial=0.5)" if that label was given.
std::string label_without(const std::string& label,
                          const std::vector<std::pair<std::string, std::string>>& parameters,
                          const std::vector<std::string>& keys);

/// The name of a policy without the grid values that vary: what members of a sweep share.
std::string sweep_of(const StudyCell& cell);

/// A look for every policy, and for every sweep as a whole. The oracle comes last.
figures::Looks looks_of(const StudyPlan& plan);

/// The policies that lines and maps over time show: all of them, but of a long sweep only the
/// first, the middle and the last.
std::vector<std::string> policies_to_draw(const StudyPlan& plan);

/// All different values of a function of cells, in the order of the plan.
template <class Function>
auto distinct(const std::vector<StudyCell>& cells, Function&& of) {
  std::vector<std::decay_t<decltype(of(cells.front()))>> values;
  for (const StudyCell& cell : cells)
    if (std::find(values.begin(), values.end(), of(cell)) == values.end())
      values.push_back(of(cell));
  return values;
}

}  // namespace armature
