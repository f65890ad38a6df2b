// From a study to its cells: every combination of grid values, formulas worked out, everything that
// does not fit refused before any work.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "armature/error.h"
#include "armature/state.h"
#include "armature/study.h"
#include "base/text.h"
#include "linear/rank.h"
#include "study/verdict.h"

namespace armature {
namespace {

using Values = std::vector<std::pair<std::string, std::string>>;

// One choice of a value for every axis of an entry.
struct GridPoint {
  const GridEntry* entry;
  Values written;  // as in the file, formulas and all
  Values varied;   // those of axes with more than one value
};

std::vector<GridPoint> points_of(const GridEntry& entry) {
  std::vector<GridPoint> points = {{&entry, {}, {}}};
  for (const GridAxis& axis : entry.axes) {
    std::vector<GridPoint> longer;
    for (const GridPoint& point : points)
      for (const std::string& value : axis.values) {
        longer.push_back(point);
        longer.back().written.emplace_back(axis.key, value);
        if (axis.values.size() > 1) longer.back().varied.emplace_back(axis.key, value);
      }
    points = std::move(longer);
  }
  return points;
}

double grid_size(const std::vector<GridEntry>& entries) {
  double total = 0;
  for (const GridEntry& entry : entries) {
    double points = 1;
    for (const GridAxis& axis : entry.axes) points *= static_cast<double>(axis.values.size());
    total += points;
  }
  return total;
}

std::string label_of(const GridPoint& point) {
  if (point.entry->label.empty()) return TextForm{point.entry->name, point.written}.print();
  std::vector<std::string> varied;
  for (const auto& [key, value] : point.varied) varied.push_back(key + "=" + value);
  return varied.empty() ? point.entry->label : point.entry->label + " (" + join(varied, ", ") + ")";
}

// As on a command line: whoever is meant by it works out the formulas.
std::string form_of(const GridPoint& point) {
  return TextForm{point.entry->name, point.written}.print();
}

std::string instance_form(const GridPoint& point) {
  const std::string& name = point.entry->name;
  if (!names_instance_file(name)) return form_of(point);
  if (!point.written.empty())
    throw Error({"", "instance " + name, "keys", "none for an instance file"});
  return name;
}

// An instance file that changed under its name must not be taken for the old one: every probability
// and every reward law counts, notes do not.
std::uint64_t fingerprint_of(const Instance& instance, const Problem& problem) {
  Fingerprint fingerprint;
  const auto add_numbers = [&](const auto& numbers) {
    const std::uint64_t count = numbers.size();
    fingerprint.add(&count, sizeof count);
    fingerprint.add(numbers.data(), numbers.size() * sizeof numbers[0]);
  };
  add_numbers(std::vector<std::uint64_t>{problem.fingerprint()});
  for (Arm a = 0; a < instance.actions(); ++a) add_numbers(instance.marginals().row(a));
  for (const RewardLaw& law : instance.parts().laws) {
    add_numbers(std::vector<double>{static_cast<double>(law.kind()), law.first(), law.second()});
    add_numbers(law.values());
    add_numbers(law.probabilities());
  }
  add_numbers(instance.parts().law_of);
  return fingerprint.value();
}

// What all cells of one instance at one horizon share.
StudyCell instance_cell(const GridPoint& point, Round horizon, std::uint64_t seed,
                        Problem& problem) {
  const InstanceSource source(instance_form(point), horizon, seed);
  const std::shared_ptr<const Instance> instance = source.instance(0);
  problem = instance->problem(horizon);
  StudyCell cell;
  cell.instance = source.text();
  cell.instance_label = label_of(point);
  cell.horizon = horizon;
  cell.actions = instance->actions();
  cell.contexts = instance->contexts();
  if (problem.marginals) {
    cell.rank = static_cast<std::uint32_t>(numerical_rank(*problem.marginals).rank);
    cell.epsilon = instance->distance_to(*problem.marginals);
  }
  if (!source.fresh_per_replication()) cell.gap = instance->smallest_gap();
  cell.benign = instance->benign_verdict().benign();
  cell.role = !point.entry->role.empty() ? point.entry->role
              : cell.benign              ? "benign"
                                         : "worst-case";
  cell.fingerprint = fingerprint_of(*instance, problem);
  cell.instance_parameters = point.varied;
  return cell;
}

// Nor may two cells look the same to a reader of the report.
void refuse_repetition(const std::vector<StudyCell>& cells) {
  std::set<std::tuple<std::string, Round, std::string>> seen, seen_labels;
  for (const StudyCell& cell : cells) {
    if (!seen.emplace(cell.instance, cell.horizon, cell.policy).second)
      throw Error({"", "cells", cell.policy + " on " + cell.instance + " twice", "each pair once"});
    if (!seen_labels.emplace(cell.instance_label, cell.horizon, cell.policy_label).second)
      throw Error({"", "label", cell.policy_label + " on " + cell.instance_label + " twice",
                   "a label of its own for each policy and each instance"});
  }
}

}  // namespace

Setting setting_of(const StudyCell& cell) {
  Setting setting;
  setting.actions = cell.actions;
  setting.contexts = cell.contexts;
  setting.horizon = static_cast<double>(cell.horizon);
  setting.rank = std::max(1u, cell.rank);
  if (cell.gap && *cell.gap > 0 && *cell.gap <= 1) setting.gap = cell.gap;
  setting.epsilon = cell.epsilon;
  setting.benign = cell.benign;
  return setting;
}

StudyPlan plan_study(const Study& study, std::size_t most_cells) {
  const double size = grid_size(study.instances) * grid_size(study.policies) *
                      static_cast<double>(study.horizons.size());
  if (size > static_cast<double>(most_cells))
    throw Error({"", "cells", fmt::format("{:.0f}", size),
                 fmt::format("at most {} (instances × horizons × policies)", most_cells)});
  StudyPlan plan{study, {}};
  for (const GridEntry& instance : study.instances)
    for (const GridPoint& instance_point : points_of(instance))
      for (const Round horizon : study.horizons) {
        Problem problem;
        const StudyCell shared = instance_cell(instance_point, horizon, study.seed, problem);
        const FormulaVariables variables = problem.formula_variables();
        for (const GridEntry& policy : study.policies)
          for (const GridPoint& policy_point : points_of(policy)) {
            StudyCell cell = shared;
            cell.id = static_cast<std::uint32_t>(plan.cells.size());
            cell.policy = canonical_cell_policy(form_of(policy_point), variables);
            cell.policy_label = label_of(policy_point);
            cell.policy_parameters = policy_point.varied;
            if (cell.policy != kOracle) make_policy(cell.policy, problem);
            plan.cells.push_back(std::move(cell));
          }
      }
  refuse_repetition(plan.cells);
  check_verdicts(plan);
  return plan;
}

}  // namespace armature
