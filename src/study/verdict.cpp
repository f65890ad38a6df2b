#include "study/verdict.h"

// Verdicts: what the data say to a study's questions, by rules whose margins were stated
// beforehand. A rule may fit several series of cells; the verdict is that of the worst of them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/error.h"
#include "armature/theory.h"
#include "study/plan.h"
#include "study/verdict_rules.h"

namespace armature {
namespace {

using NamePair = std::pair<PlannedName, PlannedName>;  // of instance and policy

// The whole name, or that which the members of a grid share.
bool names(const std::string& wanted, const PlannedName& name) {
  return wanted == name.full() || wanted == name.sweep();
}

// Of two grids with one name the question means both; but a whole name means that one alone.
bool means(const std::string& wanted, const StudyResult& result, PlannedName PlannedCell::*name,
           const PlannedCell& cell) {
  const bool whole = std::any_of(
      result.cells.begin(), result.cells.end(),
      [&](const CellSummary& summary) { return (summary.cell.*name).full() == wanted; });
  return whole ? (cell.*name).full() == wanted : names(wanted, cell.*name);
}

Series cells_for(const VerdictRule& rule, const StudyResult& result, const std::string& policy) {
  Series series;
  for (const CellSummary& summary : result.cells)
    if (means(policy, result, &PlannedCell::policy_name, summary.cell) &&
        (rule.instance.empty() ||
         means(rule.instance, result, &PlannedCell::instance_name, summary.cell)))
      series.push_back(&summary);
  return series;
}

// One contradicted series outweighs any number that hold: claims are made for all of them.
int severity(const Verdict& verdict) {
  return verdict.outcome == kHolds ? 0 : verdict.outcome == kUnclear ? 1 : 2;
}

// How far inside its margin the interval lies; less is worse.
double slack(const Verdict& verdict) {
  // A verdict with a value has its interval too; only `bound` has none, as the largest regret is no
  // estimate of anything.
  if (!verdict.value) return 0;
  if (!verdict.low) return 1 - *verdict.value;  // a share of a bound: no interval, no margin
  // A side without a margin cannot be violated.
  double least = HUGE_VAL;
  if (verdict.rule.low) least = std::min(least, *verdict.low - *verdict.rule.low);
  if (verdict.rule.high) least = std::min(least, *verdict.rule.high - *verdict.high);
  return least;
}

// Of several answers. That all hold is as doubtful as the most doubtful of them, which need not be
// the one that is printed (the nearest to its margin, not in its errors); that one is
// contradicted was looked for in as many places as there are (Bonferroni).
std::optional<double> shared_p(const Verdict& worst, const std::vector<Verdict>& verdicts) {
  if (!worst.p) return std::nullopt;
  double largest = 0;
  double smallest = 1;
  for (const Verdict& verdict : verdicts)
    if (verdict.p && verdict.outcome == worst.outcome) {
      largest = std::max(largest, *verdict.p);
      smallest = std::min(smallest, *verdict.p);
    }
  return worst.outcome == kHolds ? largest
                                 : std::min(1.0, smallest * static_cast<double>(verdicts.size()));
}

Verdict worst_of(const VerdictRule& rule, const std::vector<Verdict>& verdicts) {
  if (verdicts.empty())
    return unclear(rule,
                   rule.bound == kFrontierLower
                       ? fmt::format("R₂ > T/{} everywhere: the theorem is silent", kFrontierLimit)
                       : "no cell fits the rule");
  // Of equals the first, in the order of the plan or of labels: the words that are printed must not
  // change between runs.
  Verdict worst = *std::max_element(
      verdicts.begin(), verdicts.end(), [](const Verdict& one, const Verdict& other) {
        return severity(one) != severity(other) ? severity(one) < severity(other)
                                                : slack(one) > slack(other);
      });
  if (verdicts.size() > 1) worst.because += fmt::format(" (the worst of {})", verdicts.size());
  worst.p = shared_p(worst, verdicts);
  return worst;
}

}  // namespace

std::vector<Verdict> judge(const StudyResult& result) {
  Series all;
  for (const CellSummary& summary : result.cells) all.push_back(&summary);
  // A rule without `against` gets no cells there: no label is empty.
  std::vector<Verdict> verdicts;
  for (const VerdictRule& rule : result.plan.study.verdicts)
    verdicts.push_back(
        worst_of(rule, rule_named(rule.rule).judge({rule, cells_for(rule, result, rule.policy),
                                                    cells_for(rule, result, rule.against), all})));
  return verdicts;
}

HolmCorrection holm(const std::vector<Verdict>& verdicts) {
  // An answer that is not clear was asked for all the same: it counts, and comes last.
  HolmCorrection correction;
  std::vector<std::size_t> answered;
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    if (verdicts[i].p || verdicts[i].outcome == kUnclear) ++correction.questions;
    if (verdicts[i].p) answered.push_back(i);
  }
  std::stable_sort(answered.begin(), answered.end(), [&](std::size_t one, std::size_t other) {
    return *verdicts[one].p < *verdicts[other].p;
  });
  // The i-th smallest is held against 5%/(N − i); from the first that fails on, all do.
  for (std::size_t i = 0; i < answered.size(); ++i)
    if (!correction.fallen.empty() ||
        *verdicts[answered[i]].p > 0.05 / static_cast<double>(correction.questions - i))
      correction.fallen.push_back(answered[i]);
  std::sort(correction.fallen.begin(), correction.fallen.end());
  return correction;
}

std::string correct_together(std::vector<std::vector<Verdict>>& studies) {
  std::vector<Verdict> page;
  for (const std::vector<Verdict>& verdicts : studies)
    page.insert(page.end(), verdicts.begin(), verdicts.end());
  const HolmCorrection correction = holm(page);
  const std::string asked =
      fmt::format("{} question{}", correction.questions, correction.questions == 1 ? "" : "s");
  std::size_t place = 0;
  for (std::vector<Verdict>& verdicts : studies)
    for (Verdict& verdict : verdicts)
      if (std::binary_search(correction.fallen.begin(), correction.fallen.end(), place++))
        verdict.caveat = "does not survive Holm over " + asked;
  return fmt::format(
      "p is the chance of an answer as clear as this if the truth lay at the margin (one-sided; of "
      "several answers that hold the most doubtful one's, which need not be the one printed); "
      "Holm's correction at 5% over {} of this page {}.",
      asked,
      correction.fallen.empty()
          ? "leaves every answer standing"
          : fmt::format("takes back {} of the answers, marked", correction.fallen.size()));
}

void check_verdicts(const StudyPlan& plan) {
  const auto reject = [](const VerdictRule& rule, const std::string& got,
                         const std::string& expected) {
    throw Error({"", "verdict '" + rule.name + "'", got, expected});
  };
  if (plan.study.verdicts.empty()) return;
  const auto all_names = planned_names(plan.study);
  for (const VerdictRule& rule : plan.study.verdicts) {
    // By the same matching as `judge`: what passes here finds cells there, once they have run (but
    // for a policy that ends before every horizon).
    const auto some = [&](const std::string& wanted, PlannedName NamePair::*name) {
      return std::any_of(all_names.begin(), all_names.end(),
                         [&](const NamePair& pair) { return names(wanted, pair.*name); });
    };
    for (const std::string* policy : {&rule.policy, &rule.against})
      if (!policy->empty() && !some(*policy, &NamePair::second))
        reject(rule, "policy '" + *policy + "'", "the label of a policy of this study");
    if (!rule.instance.empty() && !some(rule.instance, &NamePair::first))
      reject(rule, "instance '" + rule.instance + "'", "the label of an instance of this study");
    if (rule.low && rule.high && *rule.low > *rule.high)
      reject(rule, fmt::format("low {} above high {}", *rule.low, *rule.high), "low ≤ high");
    for (const PlannedCell& cell : plan.cells)
      if (const double per = divisor_at(rule, cell); !(per > 0 && std::isfinite(per)))
        reject(rule, fmt::format("per = {}, {} at T = {}", rule.per, per, cell.horizon),
               "a number above 0 in every cell");
    const RuleFacts& facts = rule_named(rule.rule);
    if (facts.check != nullptr) facts.check(rule, plan);
  }
}

}  // namespace armature
