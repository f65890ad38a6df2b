#include "report/figure_cells.h"

// Grouping relies on the order of the plan: cells of one instance stand together, so a group ends
// where the label changes.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace armature {

FigureCells::FigureCells(const StudyResult& result)
    : result_(&result), looks_(looks_of(result.plan)), drawn_(policies_to_draw(result.plan)) {
  // The longest horizon that has data and not the longest planned: figures of a run at work are not
  // empty.
  for (const CellSummary& cell : result.cells) longest_ = std::max(longest_, cell.cell.horizon);
  // From the plan, so that the order does not depend on which cells are finished.
  for (const PlannedCell& cell : result.plan.cells)
    if (std::none_of(policies_.begin(), policies_.end(), [&](const PlannedCell& known) {
          return known.policy_label == cell.policy_label;
        }))
      policies_.push_back(cell);
}

bool FigureCells::is_drawn(const PlannedCell& cell) const {
  return std::find(drawn_.names.begin(), drawn_.names.end(), cell.policy_label) !=
         drawn_.names.end();
}

std::vector<InstanceCells> FigureCells::by_instance() const {
  std::vector<InstanceCells> groups;
  for (const CellSummary& cell : result_->cells) {
    if (cell.cell.horizon != longest_ || !is_drawn(cell.cell)) continue;
    if (groups.empty() || groups.back().label != cell.cell.instance_label)
      groups.push_back({cell.cell.instance_label, {}});
    groups.back().cells.push_back(&cell);
  }
  return groups;
}

// Sizes come back with every instance of that size, so unlike instances they are looked for. The
// oracle and thinned sweeps are here too: a plane shows points, which do not hide each other.
std::vector<PlaneCells> FigureCells::by_size() const {
  std::vector<PlaneCells> groups;
  for (const CellSummary& cell : result_->cells) {
    auto group = std::find_if(groups.begin(), groups.end(), [&](const PlaneCells& known) {
      return known.horizon == cell.cell.horizon && known.actions == cell.cell.actions;
    });
    if (group == groups.end())
      group = groups.insert(
          groups.end(),
          {fmt::format("T = {}, |A| = {}", grouped(static_cast<double>(cell.cell.horizon)),
                       cell.cell.actions),
           cell.cell.horizon,
           cell.cell.actions,
           0,
           {}});
    group->contexts = std::max(group->contexts, cell.cell.contexts);
    group->cells.push_back(&cell);
  }
  // Cells that a search chose come in no order of sizes.
  std::stable_sort(
      groups.begin(), groups.end(), [](const PlaneCells& one, const PlaneCells& other) {
        return std::pair(one.actions, one.horizon) < std::pair(other.actions, other.horizon);
      });
  return groups;
}

figures::Heading FigureCells::heading(std::string name, std::string title,
                                      std::string caption) const {
  // Captions are put together from sentences that may be empty, each bringing its own blank.
  caption.erase(caption.find_last_not_of(' ') + 1);
  return {std::move(name), std::move(title), std::move(caption), looks_};
}

std::string FigureCells::replication_words() const {
  std::uint64_t least = ~std::uint64_t{0}, most = 0;
  for (const CellSummary& cell : result_->cells) {
    least = std::min(least, cell.final_regret().count);
    most = std::max(most, cell.final_regret().count);
  }
  if (least == most) return fmt::format("{} replication{}", least, least == 1 ? "" : "s");
  return fmt::format("{} to {} replications", least, most);
}

std::string FigureCells::rounds_words() const {
  return grouped(longest()) + (longest() == 1 ? " round" : " rounds");
}

std::string FigureCells::thinning_words() const {
  if (drawn_.thinned.empty()) return "";
  return fmt::format(" Of {} only the first, the middle and the last setting are drawn.",
                     join(drawn_.thinned, ", "));
}

std::string FigureCells::interval_words() const {
  return "95% interval of the mean, Student's t, " + replication_words();
}

}  // namespace armature
