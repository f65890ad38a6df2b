// Rewards in words, and the instance they make of a graph's numbers.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "armature/error.h"
#include "armature/graph.h"
#include "base/text.h"
#include "graph/open.h"

namespace armature::graph {
namespace {

// Names may hold '=' and ':': the longest node that the text begins with is meant.
std::optional<Node> leading_node(const CausalGraph& graph, const std::string& text) {
  std::optional<Node> longest;
  for (Node node = 0; node < graph.size(); ++node) {
    const std::string& name = graph.name(node);
    const bool begins =
        text == name || text.starts_with(name + "=") || text.starts_with(name + ":");
    if (begins && (!longest || name.size() > graph.name(*longest).size())) longest = node;
  }
  return longest;
}

std::uint32_t state_of(const CausalGraph& graph, Node node, const std::string& state,
                       const std::string& field) {
  const std::vector<std::string>& states = graph.variable(node).states;
  const auto found = std::find(states.begin(), states.end(), state);
  if (found == states.end())
    throw Error({"", field, fmt::format("state '{}' of '{}'", state, graph.name(node)),
                 "one of " + join(states, ", ") + did_you_mean(state, states)});
  return static_cast<std::uint32_t>(found - states.begin());
}

// States that are numbers in [0,1] are worth themselves.
std::vector<double> worth_of_names(const std::vector<std::string>& states) {
  std::vector<double> values;
  for (const std::string& state : states) {
    const auto value = parse_real(state);
    if (!value || *value < 0 || *value > 1) return {};
    values.push_back(*value);
  }
  return values;
}

// "low=0": the state ends at the '=' behind the longest name of a state that stands here (names may
// hold commas and '='), or behind its quotes. Moves behind it.
std::string leading_state(const std::vector<std::string>& states, const std::string& list,
                          std::size_t& at, const std::string& field) {
  const std::size_t begin = at;
  std::optional<std::string> found;
  if (at < list.size() && list[at] == '"') {
    found = quoted_name(list, at);
  } else {
    for (const std::string& state : states)
      if (list.compare(at, state.size() + 1, state + "=") == 0 &&
          (!found || state.size() > found->size()))
        found = state;
    at += found ? found->size() : 0;
    if (!found) {  // no state: named as far as it goes, for the complaint
      at = std::min(list.find_first_of("=,", at), list.size());
      found = list.substr(begin, at - begin);
    }
  }
  if (!found || at == list.size() || list[at] != '=')
    throw Error({"", field, fmt::format("'{}'", list.substr(begin)), "state=value, such as low=0"});
  ++at;
  return *found;
}

std::vector<double> listed_values(const CausalGraph& graph, Node node, const std::string& list,
                                  const std::string& field) {
  const std::vector<std::string>& states = graph.variable(node).states;
  std::vector<std::optional<double>> values(states.size());
  for (std::size_t at = 0; at <= list.size(); ++at) {  // from comma to comma
    const std::size_t begin = at;
    const std::uint32_t state =
        state_of(graph, node, leading_state(states, list, at, field), field);
    const std::size_t end = std::min(list.find(',', at), list.size());
    const auto value = parse_real(list.substr(at, end - at));
    if (!value || *value < 0 || *value > 1)
      throw Error(
          {"", field, fmt::format("'{}'", list.substr(begin, end - begin)), "a value from 0 to 1"});
    if (values[state])
      throw Error({"", field, fmt::format("state '{}' twice", states[state]), "each state once"});
    values[state] = *value;
    at = end;
  }
  std::vector<double> worth;
  for (std::size_t state = 0; state < states.size(); ++state) {
    if (!values[state])
      throw Error({"", field, fmt::format("no value for state '{}'", states[state]),
                   "a value for every state of " + graph.name(node)});
    worth.push_back(*values[state]);
  }
  return worth;
}

// The law of what the states are worth: states of equal worth are one value.
RewardLaw law_of(std::span<const double> probabilities, const std::vector<double>& worth) {
  std::map<double, double> by_value;
  for (std::size_t state = 0; state < worth.size(); ++state)
    by_value[worth[state]] += probabilities[state];
  if (std::all_of(by_value.begin(), by_value.end(),
                  [](const auto& pair) { return pair.first == 0 || pair.first == 1; }))
    return RewardLaw::bernoulli(by_value.contains(1) ? std::min(by_value[1], 1.0) : 0);
  std::vector<double> values, weights;
  for (const auto& [value, weight] : by_value) {
    values.push_back(value);
    weights.push_back(weight);
  }
  return RewardLaw::table(std::move(values), std::move(weights));
}

// Equal laws once, found without looking at all the others.
class DistinctLaws {
 public:
  explicit DistinctLaws(std::vector<RewardLaw>& laws) : laws_(laws) {}
  std::uint32_t index(const RewardLaw& law) {
    std::vector<double> key{static_cast<double>(law.kind()), law.first()};
    key.insert(key.end(), law.values().begin(), law.values().end());
    key.insert(key.end(), law.probabilities().begin(), law.probabilities().end());
    const auto next = static_cast<std::uint32_t>(laws_.size());
    const auto [place, is_new] = index_of_.emplace(std::move(key), next);
    if (is_new) laws_.push_back(law);
    return place->second;
  }

 private:
  std::vector<RewardLaw>& laws_;
  std::map<std::vector<double>, std::uint32_t> index_of_;
};

}  // namespace

Reward parse_reward(const CausalGraph& graph, const std::string& text, const std::string& field) {
  Reward reward;
  std::string rest;
  if (text.starts_with('"')) {
    std::size_t at = 0;
    const auto name = quoted_name(text, at);
    if (!name || (at < text.size() && text[at] != '=' && text[at] != ':'))
      throw Error({"", field, fmt::format("'{}'", text), "a node in double quotes: \"a: b\"=yes"});
    reward.node = graph.node(*name, field);
    rest = text.substr(at);
  } else if (const auto found = leading_node(graph, text)) {
    reward.node = *found;
    rest = text.substr(graph.name(*found).size());
  } else {
    graph.node(text.substr(0, text.find_first_of("=:")), field);  // throws, naming the nearest
    ARMATURE_CHECK(false, "a node that is there was found");
  }
  const std::vector<std::string>& states = graph.variable(reward.node).states;
  if (rest.empty()) {
    reward.values = worth_of_names(states);
  } else if (!states.empty() && rest.front() == ':') {
    reward.values = listed_values(graph, reward.node, rest.substr(1), field);
  } else if (!states.empty()) {
    std::size_t at = 1;
    const auto quoted = rest.substr(1).starts_with('"') ? quoted_name(rest, at) : std::nullopt;
    const bool whole = quoted && at == rest.size();
    reward.values.assign(states.size(), 0);
    reward.values[state_of(graph, reward.node, whole ? *quoted : rest.substr(1), field)] = 1;
  }
  return reward;
}

std::string disagreement(const Verdict& by_graph, bool by_tables, const Reward& reward) {
  if (by_graph.benign == by_tables) return "";
  if (by_graph.benign)
    return "By the numbers of its tables it is not benign all the same: what the graph says is equal "
           "comes out of them unequal, by rounding.";
  const std::set<double> worth(reward.values.begin(), reward.values.end());
  if (worth.size() < reward.values.size())
    return "By the numbers of its tables it is benign all the same: an effect cancels, or is not "
           "there, or moves only between states that are worth the same. With other tables it would "
           "not be.";
  return "By the numbers of its tables it is benign all the same: an effect cancels, or is not "
         "there. With other tables it would not be.";
}

Instance graph_instance(const CausalGraph& graph, const DoMarginals& numbers, const Reward& reward,
                        const std::string& name) {
  if (reward.values.empty())
    throw Error({"", "--reward", fmt::format("'{}' alone", graph.name(reward.node)),
                 fmt::format("what its states are worth, such as '{}={}' or '{}:{}=1,…'",
                             graph.name(reward.node), graph.variable(reward.node).states.back(),
                             graph.name(reward.node), graph.variable(reward.node).states.back())});
  const std::size_t contexts = numbers.contexts.size();
  const std::size_t actions = numbers.actions.size();
  // Where an action never leads: the law of the first that does.
  std::vector<std::size_t> first(contexts, actions);
  for (std::size_t z = 0; z < contexts; ++z)
    for (std::size_t a = actions; a-- > 0;)
      if (numbers.marginal(a, z) > 0) first[z] = a;
  Instance::Parts parts;
  parts.name = name;
  parts.marginals = Matrix(actions, contexts);
  parts.law_of.reserve(actions * contexts);
  DistinctLaws laws(parts.laws);
  const std::uint32_t nothing = std::find(first.begin(), first.end(), actions) == first.end()
                                    ? 0
                                    : laws.index(RewardLaw::point(0));
  std::vector<std::vector<std::uint32_t>> law_at;  // by row and context
  // What differs from the context's first law by rounding alone is that law: a world that is benign
  // has one law per context to the last bit, and is written as such.
  std::vector<std::optional<std::uint32_t>> first_law(contexts);
  for (std::size_t row = 0; row < numbers.states.size(); ++row) {
    law_at.emplace_back(contexts, nothing);
    for (std::size_t z = 0; z < contexts; ++z) {
      if (numbers.marginals(row, z) <= 0) continue;
      const RewardLaw law = law_of(numbers.states[row].row(z), reward.values);
      const bool same = first_law[z] && law.same_law(parts.laws[*first_law[z]]);
      law_at[row][z] = same ? *first_law[z] : laws.index(law);
      if (!first_law[z]) first_law[z] = law_at[row][z];
    }
  }
  std::size_t borrowed = 0;
  std::size_t unreached = 0;
  for (std::size_t a = 0; a < actions; ++a)
    for (std::size_t z = 0; z < contexts; ++z) {
      const bool reached = numbers.marginal(a, z) > 0;
      borrowed += !reached && first[z] < actions;
      unreached += a == 0 && first[z] == actions;
      parts.marginals(a, z) = numbers.marginal(a, z);
      const std::size_t whose = reached || first[z] == actions ? a : first[z];
      parts.law_of.push_back(law_at[numbers.row_of[whose]][z]);
    }
  for (const Assignment& action : numbers.actions)
    parts.action_names.push_back(assignment_text(graph, action));
  parts.context_names.reserve(contexts);
  for (std::size_t z = 0; z < contexts; ++z)
    parts.context_names.push_back(assignment_text(graph, numbers.contexts[z]));
  if (borrowed > 0)
    parts.notes.push_back(
        fmt::format("{} cells (action, context) have probability 0; each holds "
                    "the law of the first action that reaches its context",
                    borrowed));
  if (unreached > 0)
    parts.notes.push_back(
        fmt::format("{} contexts are reached by no action; their reward is 0", unreached));
  return Instance(std::move(parts));
}

Instance graph_instance(const CausalGraph& graph, const Question& question, const Reward& reward,
                        const std::string& name) {
  return graph_instance(graph, do_marginals(graph, question), reward, name);
}

}  // namespace armature::graph
