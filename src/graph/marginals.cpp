// ν_a(z) and the law of the reward given z, for every action: the tables of the graph that the
// action leaves, everything but contexts and reward summed out.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "armature/error.h"
#include "base/text.h"
#include "graph/elimination.h"
#include "graph/names.h"
#include "graph/regime.h"

namespace armature::graph {
namespace {

constexpr double kMostWork = 2e10;  // numbers of all tables of all rows: some minutes
// Far above where doubles lose digits (2e-308): all that is added up are products of probabilities,
// so what stays above it is exact to rounding without logarithms, and what falls below it never
// happens.
constexpr double kNever = 1e-290;

std::uint32_t states(const CausalGraph& graph, Node node) {
  return static_cast<std::uint32_t>(graph.variable(node).states.size());
}

double number_of_joint_states(const CausalGraph& graph, const std::vector<Node>& nodes) {
  double count = 1;
  for (const Node node : nodes) count *= states(graph, node);
  return count;
}

// Actions that set the same nodes: their graphs have the same shape, so one order serves them.
struct ActionGroup {
  std::vector<Node> set;
  JointStates actions;
};

std::vector<ActionGroup> action_groups(const CausalGraph& graph, const Actions& actions) {
  std::vector<ActionGroup> groups;
  if (actions.single)
    for (const Node target : actions.targets)
      groups.push_back({{target}, JointStates(graph, {target})});
  else
    groups.push_back({actions.targets, JointStates(graph, actions.targets)});
  if (actions.empty) groups.push_back({});
  return groups;
}

// What is left to sum for a group: only what is above contexts and reward matters (the rest sums
// to one), and above a node that is set nothing does.
struct GroupPlan {
  std::vector<Node> speaking;  // nodes whose tables are factors
  std::vector<Node> keep;      // what is asked for and is not set
  std::vector<Node> heeded;    // of what is set: contexts, and what a table depends on
  EliminationOrder order;
};

GroupPlan plan(const CausalGraph& graph, const std::vector<Node>& asked, const ActionGroup& group,
               double most_entries) {
  GroupPlan plan;
  std::vector<bool> needed(graph.size());
  std::vector<Node> queue;
  const auto need = [&](Node node) {
    if (needed[node] || contains(group.set, node)) return;
    needed[node] = true;
    queue.push_back(node);
  };
  for (const Node node : asked) need(node);
  for (std::size_t i = 0; i < queue.size(); ++i)
    for (const Node parent : graph.dag().parents(queue[i])) need(parent);
  std::vector<std::vector<Node>> scopes;
  for (Node node = 0; node < graph.size(); ++node) {
    if (!needed[node]) continue;
    plan.speaking.push_back(node);
    std::vector<Node> scope{node};
    for (const Node parent : graph.dag().parents(node))
      if (!contains(group.set, parent)) scope.push_back(parent);
    scopes.push_back(std::move(scope));
  }
  for (const Node node : asked)
    if (!contains(group.set, node)) plan.keep.push_back(node);
  for (const Node target : group.set) {
    const auto children = graph.dag().children(target);
    if (contains(asked, target) ||
        std::any_of(children.begin(), children.end(), [&](Node child) { return needed[child]; }))
      plan.heeded.push_back(target);
  }
  std::vector<std::uint32_t> sizes(graph.size());
  for (Node node = 0; node < graph.size(); ++node) sizes[node] = states(graph, node);
  plan.order = elimination_order(scopes, plan.keep, sizes, most_entries);
  return plan;
}

// ν is summed up by itself, not from the joint law with the reward: fewer numbers are rounded, and
// what a table says of a context is said as it stands there.
struct GroupPlans {
  GroupPlan contexts;
  GroupPlan joint;  // contexts, then the reward
  EliminationSize size() const {
    return contexts.order.size.entries > joint.order.size.entries ? contexts.order.size
                                                                  : joint.order.size;
  }
  double work() const { return contexts.order.work + joint.order.work; }
};

GroupPlans plans_of(const CausalGraph& graph, const Question& question, const ActionGroup& group,
                    double most_entries) {
  std::vector<Node> joint = question.contexts;
  joint.push_back(question.reward);
  return {plan(graph, question.contexts, group, most_entries),
          plan(graph, joint, group, most_entries)};
}

Factor table_of(const CausalGraph& graph, Node node) {
  Factor factor;
  for (const Node parent : graph.dag().parents(node)) {
    factor.nodes.push_back(parent);
    factor.sizes.push_back(states(graph, parent));
  }
  factor.nodes.push_back(node);
  factor.sizes.push_back(states(graph, node));
  factor.values = graph.parts().tables[node];
  return factor;
}

void require_tables(const CausalGraph& graph) {
  if (!graph.has_tables())
    throw Error(
        {"", "tables",
         graph.parts().why_no_tables.empty() ? "none" : "none: " + graph.parts().why_no_tables,
         "conditional tables, in the file or as JSON beside it: without them there are "
         "verdicts but no numbers"});
}

std::string bytes_text(double bytes) {
  const char* unit = "bytes";
  for (const char* larger : {"KiB", "MiB", "GiB", "TiB", "PiB"}) {
    if (bytes < 1024) break;
    bytes /= 1024;
    unit = larger;
  }
  return fmt::format("{:.3g} {}", bytes, unit);
}

void refuse_large_table(const EliminationSize& size, double most_entries) {
  if (size.entries > most_entries)
    throw Error({"", "memory", size.words(),
                 fmt::format("at most {:.3g} numbers ({}); fewer contexts, or nodes with fewer "
                             "states, need less",
                             most_entries, bytes_text(8 * most_entries))});
}

// Bytes of the joint states of some nodes in words: strings, which grow to twice their letters, and
// the sorted copy in which an instance looks for names that are there twice.
double names_size(const CausalGraph& graph, const std::vector<Node>& nodes) {
  double letters = 0;
  for (const Node node : nodes) {
    std::size_t longest = 0;
    for (const std::string& state : graph.variable(node).states)
      longest = std::max(longest, state.size());
    letters += static_cast<double>(graph.name(node).size() + longest + 3);  // "=", ", "
  }
  return number_of_joint_states(graph, nodes) * (2 * sizeof(std::string) + 3 * letters);
}

// Small tables may be many, and their answer large: what is kept of it, up to the instance that it
// makes, and what summing takes.
void refuse_large_answer(const CausalGraph& graph, const Question& question,
                         const std::vector<ActionGroup>& groups,
                         const std::vector<GroupPlans>& plans, double most_entries) {
  double actions = 0;
  double rows = 0;
  double work = 0;
  double bytes = names_size(graph, question.contexts);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto count = static_cast<double>(groups[g].actions.size());
    const double distinct = number_of_joint_states(graph, plans[g].joint.heeded);
    actions += count;
    rows += distinct;
    work += distinct * plans[g].work();
    bytes += names_size(graph, groups[g].set) +
             count * static_cast<double>(sizeof(Assignment) +
                                         groups[g].set.size() * sizeof(Assignment::value_type));
  }
  const double contexts = number_of_joint_states(graph, question.contexts);
  const double laws = (1 + states(graph, question.reward)) * sizeof(double);  // and ν
  bytes += contexts * (3 * laws + 2 * sizeof(double));  // tables of one row, and first laws
  bytes += rows * contexts * (laws + sizeof(std::uint32_t));
  bytes += actions * contexts * (3 * sizeof(double) + sizeof(std::uint32_t));  // of the instance
  const std::string cells =
      fmt::format("{:.3g} actions and {:.3g} joint contexts", actions, contexts);
  if (bytes > 8 * most_entries)
    throw Error({"", "memory", fmt::format("{} for {}", bytes_text(bytes), cells),
                 fmt::format("at most {}; fewer contexts, or nodes with fewer states, need less",
                             bytes_text(8 * most_entries))});
  if (work > kMostWork)
    throw Error({"", "work", fmt::format("{:.3g} numbers to sum for {}", work, cells),
                 fmt::format("at most {:.3g}; fewer actions or contexts need less", kMostWork)});
}

// Joint actions of many targets are too many to be listed before they can be counted.
void refuse_many_actions(const CausalGraph& graph, const Actions& actions) {
  const double count = actions.single ? 0 : number_of_joint_states(graph, actions.targets);
  if (count > 1e6)
    throw Error({"", "--action", fmt::format("{:.3g} joint values", count),
                 "at most 10^6; one target at a time is --single"});
}

// What of an action makes a difference. Two actions that agree in it have the same numbers, even
// where they set different nodes: what nothing heeds is not needed either way.
Assignment heeded(const GroupPlan& plan, const Assignment& action) {
  Assignment part;
  for (const auto& [node, state] : action)
    if (contains(plan.heeded, node)) part.emplace_back(node, state);
  return part;
}

// One action: fills a row of ν and its laws. `tables` are those of all nodes, whole: of one that
// listens to the action only a slice is touched, and only that was counted as work.
void fill(const CausalGraph& graph, const Question& question, const std::vector<Factor>& tables,
          const GroupPlans& plans, const Assignment& action, std::size_t row, DoMarginals& result) {
  const auto summed = [&](const GroupPlan& plan) {
    std::vector<Factor> factors;
    for (const Node node : plan.speaking) factors.push_back(sliced(tables[node], action));
    return eliminate(std::move(factors), plan.order.nodes, plan.keep);
  };
  const Factor contexts = summed(plans.contexts);
  const Factor joint = summed(plans.joint);

  const std::uint32_t reward_states = states(graph, question.reward);
  Matrix law(result.contexts.size(), reward_states);
  for (std::size_t z = 0; z < result.contexts.size(); ++z) {
    // A context that the action sets has that state for certain; of the others the joint speaks.
    bool possible = true;
    std::size_t place = 0;
    for (const auto& [node, state] : result.contexts[z]) {
      const auto held = std::find_if(action.begin(), action.end(),
                                     [&, n = node](const auto& pair) { return pair.first == n; });
      if (held == action.end())
        place = place * states(graph, node) + state;
      else
        possible &= held->second == state;
    }
    if (!possible) continue;
    const double* probabilities = joint.values.data() + place * reward_states;
    double sum = 0;
    for (std::uint32_t y = 0; y < reward_states; ++y) sum += probabilities[y];
    if (sum < kNever || contexts.values[place] < kNever) continue;
    // A rounding above 1 is no probability.
    result.marginals(row, z) = std::min(contexts.values[place], 1.0);
    for (std::uint32_t y = 0; y < reward_states; ++y) law(z, y) = probabilities[y] / sum;
  }
  result.states.push_back(std::move(law));
}

}  // namespace

JointStates::JointStates(const CausalGraph& graph, std::vector<Node> nodes)
    : nodes_(std::move(nodes)) {
  for (const Node node : nodes_) {
    sizes_.push_back(states(graph, node));
    size_ *= sizes_.back();
  }
}

Assignment JointStates::operator[](std::size_t index) const {
  Assignment assignment(nodes_.size());
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    assignment[i] = {nodes_[i], static_cast<std::uint32_t>(index % sizes_[i])};
    index /= sizes_[i];
  }
  return assignment;
}

std::string EliminationSize::words() const {
  return fmt::format("a table of {}{} node{} (width {}) and {:.3g} numbers ({})",
                     at_least ? "at least " : "", width, width == 1 ? "" : "s", width - 1, entries,
                     bytes_text(8 * entries));
}

DoMarginals do_marginals(const CausalGraph& graph, const Question& question, double most_entries,
                         const std::function<void(const EliminationSize&)>& before) {
  check_question(graph, question);
  require_tables(graph);
  refuse_many_actions(graph, question.actions);
  const std::vector<ActionGroup> groups = action_groups(graph, question.actions);
  std::vector<GroupPlans> plans;
  EliminationSize largest;
  for (const ActionGroup& group : groups) {
    plans.push_back(plans_of(graph, question, group, most_entries));
    const EliminationSize size = plans.back().size();
    refuse_large_table(size, most_entries);
    if (size.entries > largest.entries) largest = size;
  }
  refuse_large_answer(graph, question, groups, plans, most_entries);
  if (before) before(largest);
  DoMarginals result;
  result.contexts = JointStates(graph, question.contexts);
  std::map<Assignment, std::uint32_t> rows;
  std::vector<std::pair<std::size_t, Assignment>> first;  // by row: a group, an action of it
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (std::size_t i = 0; i < groups[g].actions.size(); ++i) {
      const Assignment& action = result.actions.emplace_back(groups[g].actions[i]);
      const auto next = static_cast<std::uint32_t>(first.size());
      const auto [row, is_new] = rows.emplace(heeded(plans[g].joint, action), next);
      if (is_new) first.emplace_back(g, action);
      result.row_of.push_back(row->second);
    }
  std::vector<Factor> tables(graph.size());
  for (const GroupPlans& of_group : plans)
    for (const GroupPlan* plan : {&of_group.contexts, &of_group.joint})
      for (const Node node : plan->speaking)
        if (tables[node].values.empty()) tables[node] = table_of(graph, node);
  result.marginals = Matrix(first.size(), result.contexts.size());
  for (std::size_t row = 0; row < first.size(); ++row)
    fill(graph, question, tables, plans[first[row].first], first[row].second, row, result);
  return result;
}

std::string assignment_text(const CausalGraph& graph, const Assignment& assignment) {
  if (assignment.empty()) return "nothing";
  std::vector<std::string> parts;
  for (const auto& [node, state] : assignment)
    parts.push_back(graph.name(node) + "=" + graph.variable(node).states[state]);
  return join(parts, ", ");
}

}  // namespace armature::graph
