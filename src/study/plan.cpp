#include "study/plan.h"

// From a study to its cells: every combination of grid values, formulas worked out, everything that
// does not fit refused before any work.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "armature/error.h"
#include "armature/study.h"
#include "base/formula.h"
#include "lab/planned_cell.h"
#include "study/figure_kinds.h"
#include "study/files.h"
#include "study/verdict.h"

namespace armature {
namespace {

// One choice of a value for every axis.
struct GridPoint {
  const GridEntry* entry;
  WrittenValues written;  // as in the file, formulas and all
  WrittenValues varied;   // those of axes with more than one value
};

// The last axis runs fastest. The order is part of the format: it numbers the cells, and stored
// results are found by these numbers. `entry` is null for conditions, which belong to no entry.
std::vector<GridPoint> points_of(const GridEntry* entry, const std::vector<GridAxis>& axes) {
  std::vector<GridPoint> points = {{entry, {}, {}}};
  for (const GridAxis& axis : axes) {
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

std::vector<GridPoint> points_of(const GridEntry& entry) { return points_of(&entry, entry.axes); }

// Counted before any point is made, and as a double, for a few long axes multiply beyond any whole
// number and any memory.
double grid_size(const std::vector<GridAxis>& axes) {
  double points = 1;
  for (const GridAxis& axis : axes) points *= static_cast<double>(axis.values.size());
  return points;
}

double grid_size(const std::vector<GridEntry>& entries) {
  double total = 0;
  for (const GridEntry& entry : entries) total += grid_size(entry.axes);
  return total;
}

PlannedName name_of(const GridPoint& point) {
  return {point.entry->label, point.entry->name, point.written, point.varied, {}};
}

// Conditions count as part of the instance's name: a world whose outcomes come late is another
// world to the reader.
PlannedName name_in(const GridPoint& instance, const GridPoint& conditions) {
  PlannedName name = name_of(instance);
  name.conditions = conditions.varied;
  return name;
}

// How outcomes arrive, and how exact leaping is: what a point of the conditions' grid says.
void set_conditions(PlannedCell& cell, const GridPoint& point) {
  for (const auto& [key, value] : point.written) {
    if (key == "delay") {
      // Only its own two fields: batch and loss may be set already.
      const Feedback read = Feedback::parse_delay(value);
      cell.feedback.delay = read.delay;
      cell.feedback.rounds = read.rounds;
    } else if (key == "batch") {
      cell.feedback.batch = whole_value(value);
    } else if (key == "loss") {
      cell.feedback.loss = real_value(value);
    } else {
      cell.leap_tolerance = real_value(value);
    }
  }
  check_conditions(cell.feedback, cell.leap_tolerance);
}

// As on a command line: whoever is meant by it works out the formulas. Nothing is worked out here,
// as A and Z are known only to the instance.
std::string form_of(const GridPoint& point) {
  return TextForm{point.entry->name, point.written}.print();
}

std::string instance_form(const GridPoint& point, const Files& files) {
  return names_instance_file(point.entry->name, files) ? point.entry->name : form_of(point);
}

// What all cells of one instance at one horizon share. `problem` comes out beside the cell: it is
// what policies are told there, and built from.
PlannedCell instance_cell(const GridPoint& point, Round horizon, std::uint64_t seed,
                          const Files& files, Problem& problem) try {
  const InstanceSource source(instance_form(point, files), horizon, seed, files);
  problem = source.instance(0)->problem(horizon);
  PlannedCell cell = planned_world(source, horizon);
  if (!point.entry->role.empty()) cell.role = point.entry->role;
  return cell;
} catch (const Error& error) {
  throw in_study(error);
}

// The same cell twice would be paired with itself in the differences. Nor may two cells look the
// same to a reader of the report, or to a verdict, which finds its cells by their labels.
void refuse_repetition(const std::vector<PlannedCell>& cells) {
  std::set<std::tuple<std::string, Round, std::string>> seen_labels;
  std::set<std::tuple<std::string, Round, std::string, std::string, double>> seen;
  for (const PlannedCell& cell : cells) {
    if (!seen.emplace(cell.instance, cell.horizon, cell.policy, cell.feedback.describe(),
                      cell.leap_tolerance)
             .second)
      throw Error({"", "cell", cell.policy + " on " + cell.instance + " twice", "each pair once"});
    if (!seen_labels.emplace(cell.instance_label, cell.horizon, cell.policy_label).second)
      throw Error({"", "label", cell.policy_label + " on " + cell.instance_label + " twice",
                   "a label of its own for each policy and each instance"});
  }
}

// Slow policies may be left out of long horizons.
bool plays_at(const GridEntry& policy, Round horizon) {
  return !policy.until || horizon <= *policy.until;
}

// Every policy of the study in one world.
void add_policies(StudyPlan& plan, const PlannedCell& world, const Problem& problem) {
  // The same written policy may be another one in each world: ucb:delta=1/T has its number from
  // here.
  const FormulaVariables variables = problem.formula_variables();
  for (const GridEntry& policy : plan.study.policies) {
    if (!plays_at(policy, world.horizon)) continue;
    for (const GridPoint& point : points_of(policy)) {
      PlannedCell cell = world;
      cell.id = static_cast<std::uint32_t>(plan.cells.size());
      cell.policy = canonical_cell_policy(form_of(point), variables);
      name_policy(cell, name_of(point));
      // Built for its complaints alone: what does not fit is refused before any work. The oracle is
      // no policy of the registry and fits everywhere.
      if (cell.policy != kOracle) make_policy(cell.policy, problem);
      plan.cells.push_back(std::move(cell));
    }
  }
}

// What the search left of the plan. Numbered anew: ids serve as places in lists everywhere.
void keep_chosen(StudyPlan& plan, const std::vector<std::uint32_t>& chosen) {
  std::vector<PlannedCell> kept;
  for (const std::uint32_t place : chosen) {
    if (place >= plan.cells.size())
      throw Error({"", "search: chosen", fmt::format("{}", place),
                   fmt::format("cells of this study, 0 to {}", plan.cells.size() - 1)});
    kept.push_back(plan.cells[place]);
    kept.back().id = static_cast<std::uint32_t>(kept.size() - 1);
  }
  plan.cells = std::move(kept);
}

}  // namespace

void require_key(const StudyPlan& plan, const std::string& key, const std::string& field) {
  if (std::none_of(plan.cells.begin(), plan.cells.end(),
                   [&](const PlannedCell& cell) { return cell.x(key).has_value(); }))
    throw Error({"", field, "'" + key + "'",
                 "horizon, actions, contexts, rank, gap, epsilon, delay, batch, loss, "
                 "leap_tolerance, or a parameter that varies in one of the two grids"});
}

std::vector<std::pair<PlannedName, PlannedName>> planned_names(const Study& study) {
  // The same walk as plan_study below, step for step: the store matches the two by their place.
  // Stores of schema 1 knew neither searches nor policies that end early, and questions may be
  // about a policy that ends before every horizon of this run: both are of no concern here.
  std::vector<std::pair<PlannedName, PlannedName>> names;
  for (const GridEntry& instance : study.instances)
    for (const GridPoint& instance_point : points_of(instance))
      for (const GridPoint& conditions : points_of(nullptr, study.conditions))
        for (std::size_t i = 0; i < study.horizons.size(); ++i)
          for (const GridEntry& policy : study.policies)
            for (const GridPoint& policy_point : points_of(policy))
              names.emplace_back(name_in(instance_point, conditions), name_of(policy_point));
  return names;
}

namespace {

void add_worlds(StudyPlan& plan, const GridPoint& instance, const Files& files) {
  const Study& study = plan.study;
  // A world of its own for each horizon: its keys may be formulas in T. Conditions share it.
  std::vector<std::pair<PlannedCell, Problem>> worlds;
  for (const Round horizon : study.horizons) {
    Problem problem;
    PlannedCell world = instance_cell(instance, horizon, study.seed, files, problem);
    worlds.emplace_back(std::move(world), std::move(problem));
  }
  for (const GridPoint& conditions : points_of(nullptr, study.conditions))
    for (auto [world, problem] : worlds) {
      set_conditions(world, conditions);
      name_instance(world, name_in(instance, conditions));
      add_policies(plan, world, problem);
    }
}

}  // namespace

StudyPlan plan_study(const Study& study, std::size_t most_cells) {
  const double size = grid_size(study.instances) * grid_size(study.policies) *
                      grid_size(study.conditions) * static_cast<double>(study.horizons.size());
  if (size > static_cast<double>(most_cells))
    throw Error({"", "cells", fmt::format("{:.0f}", size),
                 fmt::format("at most {} (instances × horizons × policies)", most_cells)});
  StudyPlan plan{study, {}};
  keep_files(plan.study, Files());
  const Files files = Files::only(plan.study.files);
  for (const GridEntry& instance : study.instances)
    for (const GridPoint& instance_point : points_of(instance))
      add_worlds(plan, instance_point, files);
  if (plan.cells.empty())
    throw Error(
        {"", "cells", "none: every policy ends before the shortest horizon", "at least one"});
  refuse_repetition(plan.cells);
  // Last, as labels and axes are known only now; still before hours of work for a question that no
  // cell can answer.
  check_verdicts(plan);
  for (const FigureRequest& figure : study.figures)
    if (!figure.x.empty())
      require_key(plan, figure.x, fmt::format("figures: {}: x", facts_of(figure.kind).name));
  if (study.search && !study.search->chosen.empty()) keep_chosen(plan, study.search->chosen);
  return plan;
}

bool searches_first(const StudyPlan& plan) {
  return plan.study.search && plan.study.search->chosen.empty();
}

std::vector<std::vector<std::uint32_t>> search_choices(const StudyPlan& plan) {
  // Lists in the order of their first cells, so that nothing depends on how keys sort.
  std::map<std::tuple<std::string, std::string, Round, std::uint32_t, std::uint32_t, std::string,
                      double>,
           std::size_t>
      places;
  std::vector<std::vector<std::uint32_t>> lists;
  for (const PlannedCell& cell : plan.cells) {
    const auto [place, fresh] =
        places.try_emplace({cell.policy_label, cell.role, cell.horizon, cell.actions, cell.contexts,
                            cell.feedback.describe(), cell.leap_tolerance},
                           lists.size());
    if (fresh) lists.emplace_back();
    lists[place->second].push_back(cell.id);
  }
  return lists;
}

std::string engine_of_results(const Study& study) {
  return study.engine == engine_name(Engine::kCuda) ? engine_name(Engine::kStep) : study.engine;
}

std::uint64_t search_seed(std::uint64_t seed) { return seed ^ 0x736561726368; }

Study search_study(const Study& study) {
  Study search = study;
  search.search.reset();
  search.replications = study.search->replications;
  search.seed = search_seed(study.seed);
  if (!study.title.empty()) search.title += " (search)";
  // The largest of many means lies above the truth: no question is answered from them.
  search.verdicts.clear();
  return search;
}

}  // namespace armature
