#include "audit/eprocess.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/gamma.h"
#include "base/mathematics.h"

namespace armature {
namespace {

using Group = RewardGroup;

Group group_of(const AuditCell& cell) {
  const auto rows = static_cast<double>(cell.rows);
  return {rows, std::clamp(cell.sum, 0.0, rows)};
}

// log L = log(B(S+½, n−S+½)/B(½,½)); B(½,½) = π.
double log_mixture(const Group& group) {
  if (group.rows == 0) return 0;
  const double failures = group.rows - group.sum;
  return log_gamma(group.sum + 0.5) + log_gamma(failures + 0.5) - log_gamma(group.rows + 1) -
         portable::log(std::numbers::pi);
}

// log of max_m m^S (1−m)^(n−S), at m = S/n.
double log_null(const Group& all) {
  const auto part = [&](double x) { return x > 0 ? x * portable::log(x / all.rows) : 0.0; };
  return part(all.sum) + part(all.rows - all.sum);
}

// log Σ exp, for terms of any size.
double log_sum(const std::vector<double>& terms) {
  const double most = *std::max_element(terms.begin(), terms.end());
  double sum = 0;
  for (const double term : terms) sum += portable::exp(term - most);
  return most + portable::log(sum);
}

const double kLog2 = portable::log(2);

}  // namespace

double log_pair_evidence(const RewardGroup& one, const RewardGroup& other) {
  return log_mixture(one) + log_mixture(other) -
         log_null({one.rows + other.rows, one.sum + other.sum});
}

namespace {

struct ContextGroups {
  std::vector<Group> groups;
  Group all;
};
ContextGroups groups_in(const AuditTable& table, std::size_t context) {
  ContextGroups found;
  for (std::size_t a = 0; a < table.actions(); ++a) {
    found.groups.push_back(group_of(table.cell(a, context)));
    found.all.rows += found.groups.back().rows;
    found.all.sum += found.groups.back().sum;
  }
  return found;
}

double log_cell(const ContextGroups& context, std::size_t action) {
  const Group& own = context.groups[action];
  const Group others{context.all.rows - own.rows,
                     std::clamp(context.all.sum - own.sum, 0.0, context.all.rows - own.rows)};
  return log_pair_evidence(own, others);
}

struct ContextEvidence {
  std::vector<double> cells;
  double whole;
};
ContextEvidence evidence_of(const ContextGroups& context) {
  ContextEvidence evidence;
  double each = -log_null(context.all);
  for (std::size_t a = 0; a < context.groups.size(); ++a) {
    evidence.cells.push_back(log_cell(context, a));
    each += log_mixture(context.groups[a]);
  }
  const auto actions = static_cast<double>(context.groups.size());
  evidence.whole =
      log_sum({log_sum(evidence.cells) - portable::log(actions) - kLog2, each - kLog2});
  return evidence;
}

}  // namespace

double log_context_evidence(const AuditTable& table, std::size_t context) {
  return evidence_of(groups_in(table, context)).whole;
}

double log_evidence(const std::vector<double>& log_of_contexts) {
  double product = 0;
  for (const double value : log_of_contexts) product += log_sum({0, value}) - kLog2;
  const double mean =
      log_sum(log_of_contexts) - portable::log(static_cast<double>(log_of_contexts.size()));
  return log_sum({mean, product}) - kLog2;
}

void EvidenceProcess::look(const AuditTable& table) {
  if (table.actions() == 0 || table.contexts() == 0) return;
  if (actions_ != table.actions() || of_contexts_.size() != table.contexts()) {
    actions_ = table.actions();
    of_contexts_.assign(table.contexts(), 0);
    of_cells_.assign(table.actions() * table.contexts(), 0);
    largest_ = 0;
  }
  std::vector<double> log_of_contexts;
  for (std::size_t z = 0; z < table.contexts(); ++z) {
    const ContextEvidence evidence = evidence_of(groups_in(table, z));
    log_of_contexts.push_back(evidence.whole);
    of_contexts_[z] = std::max(of_contexts_[z], evidence.whole);
    for (std::size_t a = 0; a < actions_; ++a) {
      double& largest = of_cells_[a * of_contexts_.size() + z];
      largest = std::max(largest, evidence.cells[a]);
    }
  }
  now_ = log_evidence(log_of_contexts);
  largest_ = std::max(largest_, now_);
  next_look_ = table.rows() +
               std::max<std::uint64_t>(table.rows() / 100, table.actions() * table.contexts());
}

double anytime_p_value(double log_evidence) {
  return log_evidence > 0 ? portable::exp(-log_evidence) : 1;
}

}  // namespace armature
