// The rules verdicts are given by: one row each.
#pragma once

#include <string>
#include <vector>

#include "armature/study.h"

namespace armature {

/// The three outcomes, as they are printed. The middle one is no failure: an interval that reaches
/// across the margin says that more rounds or replications are needed.
inline constexpr const char* kHolds = "holds";
inline constexpr const char* kUnclear = "does not show at these horizons";
inline constexpr const char* kContradicted = "contradicted";
/// Of `product`: the theorem whose reach decides where the question is asked.
inline constexpr const char* kFrontierLower = "frontier-lower";

/// Cells that a rule looks at together, in the order of the plan. Borrowed from the results.
using Series = std::vector<const CellSummary*>;

/// A rule with the cells it is about: those of the policy asked about, those of the policy it is
/// compared with, and all there are.
struct Question {
  const VerdictRule& rule;
  Series cells, others, all;
};

struct RuleFacts {
  std::string name;
  std::vector<std::string> keys;  // beside name, rule, policy and instance
  /// What a question asked by this rule lacks, in words; empty if nothing.
  std::string (*missing)(const VerdictRule& rule);
  /// One verdict for each place where the question arises.
  std::vector<Verdict> (*judge)(const Question& question);
  /// Throws Error if the plan cannot answer, whatever comes out; null: it always can.
  void (*check)(const VerdictRule& rule, const StudyPlan& plan) = nullptr;
  /// `high` may be a formula in the sizes of the cell.
  bool high_in_sizes = false;
  /// What x and quantity are where the file does not say.
  const char* default_x = "horizon";
  const char* default_quantity = "regret";
};

/// The order is that in which a misspelt rule is told what there is.
const std::vector<RuleFacts>& verdict_rules();
/// Throws Error if there is none of this name.
const RuleFacts& rule_named(const std::string& name);

/// What `per` is worth in a cell; 1 where there is none.
double divisor_at(const VerdictRule& rule, const PlannedCell& cell);

/// For places where the rule finds no number: neither evidence for the claim nor against it.
Verdict unclear(const VerdictRule& rule, const std::string& because);

}  // namespace armature
