// Questions to a graph in the words of a person (names, lists of names, what states are worth), and
// the answers as JSON: what `armature graph … --format json` prints and what the graph page shows.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "armature/graph.h"
#include "graph/drawing.h"

namespace armature::graph {

/// As the options of the same names say it; empty is what was not said.
struct Wanted {
  std::string source;  // the graph's name in complaints
  std::string action, context, reward;
  bool empty = false;
  bool single = false;
};

struct Asked {
  Question question;
  Reward reward;
};

std::vector<Node> with_role(const CausalGraph& graph, bool Variable::*role);
/// The file's exposures where no action is named, its outcome where no reward is. Throws Error, of
/// the reward first, where there is no exposure or not exactly one outcome either.
Asked wanted_question(const CausalGraph& graph, const Wanted& wanted);
/// What can be drawn of it: roles as they are, and the path that makes the context wrong only where
/// they make a question.
Roles wanted_roles(const CausalGraph& graph, const Wanted& wanted);

/// Does the context carry the whole effect, by the graph and, where it has them, by its tables; and
/// what would?
struct Check {
  Verdict verdict;
  std::optional<bool> by_tables;
  std::string tables_words;  // why the tables say otherwise; empty where they do not
  Separators separators;
  std::vector<std::vector<Node>> suggestions;  // the first of them
};
/// `say` is told before work that takes a noticeable time, and what is left out because it would
/// not fit into memory.
Check check(const CausalGraph& graph, const Asked& asked,
            const std::function<void(const std::string&)>& say);
/// As do_marginals(), telling `say` how large the sums are where they take a noticeable time.
DoMarginals told_marginals(const CausalGraph& graph, const Question& question,
                           const std::function<void(const std::string&)>& say);

/// Its nodes by name, with "->", "<-" or "<->" between each two; nothing where there is no path.
std::vector<std::string> path_words(const CausalGraph& graph, const std::optional<Path>& path);

std::string check_json(const CausalGraph& graph, const Check& check);
std::string separators_json(const CausalGraph& graph, const Separators& separators);
std::string dsep_json(const CausalGraph& graph, const Separation& separation,
                      const std::string& words);
/// `warnings` beside those of the file.
std::string show_json(const CausalGraph& graph, const std::vector<std::string>& warnings);

}  // namespace armature::graph
