#include "report/policy_looks.h"

// One place, that is colour, dash and shape, per sweep; its members differ by strength. So a report
// needs as many colours as it has policies in its file, however fine their grids are.
#include <algorithm>

namespace armature {
namespace {

constexpr std::size_t kLongSweep = 4;  // from here on only some members are drawn over time
constexpr double kWeakest = 0.4;       // strength of a sweep's first member

bool contains(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// A policy of the study file with its grid; without one, a sweep of one member that has its name.
struct Sweep {
  std::string name;
  std::vector<std::string> members;  // labels, in the order of the plan
  std::vector<std::string> parts;    // with one of several grid values left out
};

std::vector<Sweep> sweeps_of(const StudyPlan& plan) {
  std::vector<Sweep> sweeps;
  for (const PlannedCell& cell : plan.cells) {
    const std::string name = cell.sweep();
    auto sweep = std::find_if(sweeps.begin(), sweeps.end(),
                              [&](const Sweep& known) { return known.name == name; });
    if (sweep == sweeps.end()) sweep = sweeps.insert(sweeps.end(), {name, {}, {}});
    if (!contains(sweep->members, cell.policy_label)) sweep->members.push_back(cell.policy_label);
    // In a figure against one key of a grid of several, a line is called by the other keys. Such
    // names belong to no cell, and a name without a look aborts.
    for (const auto& [key, value] : cell.policy_name.varied) {
      const std::string part = cell.policy_name.without({key});
      if (part != name && !contains(sweep->parts, part)) sweep->parts.push_back(part);
    }
  }
  return sweeps;
}

}  // namespace

figures::Looks looks_of(const StudyPlan& plan) {
  std::vector<Sweep> sweeps = sweeps_of(plan);
  // Stable: all others keep the order of the file, which legends follow.
  std::stable_partition(sweeps.begin(), sweeps.end(), [&](const Sweep& sweep) {
    return std::none_of(plan.cells.begin(), plan.cells.end(), [&](const PlannedCell& cell) {
      return cell.policy == kOracle && cell.policy_label == sweep.members.front();
    });
  });
  figures::Looks looks;
  for (std::size_t place = 0; place < sweeps.size(); ++place) {
    const std::vector<std::string>& members = sweeps[place].members;
    for (std::size_t i = 0; i < members.size(); ++i) {
      // From weak to full along the grid, so that its order can be seen; one alone has full ink.
      const double along = members.size() == 1
                               ? 1
                               : static_cast<double>(i) / static_cast<double>(members.size() - 1);
      looks.push_back({members[i], place, kWeakest + (1 - kWeakest) * along});
    }
    for (const std::string& part : sweeps[place].parts) looks.push_back({part, place, 1});
    if (!contains(members, sweeps[place].name)) looks.push_back({sweeps[place].name, place, 1});
  }
  return looks;
}

DrawnPolicies policies_to_draw(const StudyPlan& plan) {
  DrawnPolicies drawn;
  for (const Sweep& sweep : sweeps_of(plan)) {
    const std::size_t count = sweep.members.size();
    for (std::size_t i = 0; i < count; ++i)
      if (count < kLongSweep || i == 0 || i == count / 2 || i == count - 1)
        drawn.names.push_back(sweep.members[i]);
    if (count >= kLongSweep) drawn.thinned.push_back(sweep.name);
  }
  return drawn;
}

}  // namespace armature
