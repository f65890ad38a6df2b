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

double name_weight(std::size_t place, std::size_t known) {
  const auto i = static_cast<double>(place) + 1;
  return place < known ? 1 / (static_cast<double>(known) + 1) : 1 / (i * (i + 1));
}

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
ContextEvidence evidence_of(const ContextGroups& context, std::size_t known) {
  ContextEvidence evidence;
  std::vector<double> weighted;
  double each = -log_null(context.all);
  for (std::size_t a = 0; a < context.groups.size(); ++a) {
    evidence.cells.push_back(log_cell(context, a));
    weighted.push_back(evidence.cells.back() + portable::log(name_weight(a, known)));
    each += log_mixture(context.groups[a]);
  }
  evidence.whole = log_sum({log_sum(weighted), each}) - kLog2;
  return evidence;
}

}  // namespace

double log_context_evidence(const AuditTable& table, std::size_t context) {
  return evidence_of(groups_in(table, context), table.known_actions()).whole;
}

double log_evidence(const std::vector<double>& log_of_contexts, std::size_t known) {
  double product = 0;
  std::vector<double> terms;
  for (std::size_t z = 0; z < log_of_contexts.size(); ++z)
    terms.push_back(log_of_contexts[z] + portable::log(name_weight(z, known)));
  // Of those yet to come, in which nothing has spoken (E(z) = 1), the weights sum to this.
  terms.push_back(-portable::log(static_cast<double>(log_of_contexts.size()) + 1));
  for (const double value : log_of_contexts) product += log_sum({0, value}) - kLog2;
  return log_sum({log_sum(terms), product}) - kLog2;
}

void EvidenceProcess::look(const AuditTable& table) {
  if (table.actions() == 0 || table.contexts() == 0) return;
  of_contexts_.resize(table.contexts());
  of_cells_.resize(table.actions());
  for (std::vector<double>& cells : of_cells_) cells.resize(table.contexts());
  std::vector<double> log_of_contexts;
  for (std::size_t z = 0; z < table.contexts(); ++z) {
    const ContextEvidence evidence = evidence_of(groups_in(table, z), table.known_actions());
    log_of_contexts.push_back(evidence.whole);
    of_contexts_[z] = std::max(of_contexts_[z], evidence.whole);
    for (std::size_t a = 0; a < table.actions(); ++a)
      of_cells_[a][z] = std::max(of_cells_[a][z], evidence.cells[a]);
  }
  now_ = log_evidence(log_of_contexts, table.known_contexts());
  largest_ = std::max(largest_, now_);
  next_look_ = table.rows() +
               std::max<std::uint64_t>(table.rows() / 100, table.actions() * table.contexts());
}

double anytime_p_value(double log_evidence) {
  return log_evidence > 0 ? portable::exp(-log_evidence) : 1;
}

}  // namespace armature
