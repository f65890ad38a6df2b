// The cells of a result as figures ask for them: by instance, by size, with names and intervals in
// words.
#pragma once

#include <string>
#include <vector>

#include "armature/study.h"
#include "figures/panels.h"
#include "report/policy_looks.h"

namespace armature {

/// One panel of a figure over instances. Cells point into the result.
struct InstanceCells {
  std::string label;
  std::vector<const CellSummary*> cells;
};

/// One panel of the plane: the frontier depends on T and |A|, so only cells that share them
/// compare.
struct PlaneCells {
  std::string label;
  Round horizon = 0;
  std::uint32_t actions = 0;
  std::uint32_t contexts = 0;  // the largest
  std::vector<const CellSummary*> cells;
};

/// Borrows the result, which must outlive it. Every figure of a report asks the same object, so
/// that what is left out, and what a policy looks like, is the same in all of them.
class FigureCells {
 public:
  explicit FigureCells(const StudyResult& result);

  const StudyResult& result() const { return *result_; }
  double longest() const { return static_cast<double>(longest_); }
  /// At the longest horizon, the policies that are drawn, instance by instance.
  std::vector<InstanceCells> by_instance() const;
  /// Every policy, horizon by horizon and number of actions by number of actions.
  std::vector<PlaneCells> by_size() const;
  /// One cell of each policy, in the order of the plan.
  const std::vector<PlannedCell>& policies() const { return policies_; }
  /// False for the middle members of a long sweep: their lines would hide the others.
  bool is_drawn(const PlannedCell& cell) const;

  /// With the looks of all policies of the report. Blanks at the caption's end are cut off.
  figures::Heading heading(std::string name, std::string title, std::string caption) const;
  /// "95% interval of the mean, Student's t, 100 replications".
  std::string interval_words() const;
  /// A range while a run is at work: its cells have come differently far.
  std::string replication_words() const;
  std::string rounds_words() const;  // "1,000,000 rounds", of the longest horizon
  /// What a figure of is_drawn() policies leaves out, as a sentence with a blank before it; empty
  /// if nothing.
  std::string thinning_words() const;

 private:
  const StudyResult* result_;
  figures::Looks looks_;
  DrawnPolicies drawn_;
  std::vector<PlannedCell> policies_;
  Round longest_ = 0;
};

}  // namespace armature
