// From a causal diagram to a bandit: graphs read from the files people have (BIF, DOT, dagitty),
// d-separation with a reason, sets that separate, whether a context carries the whole effect of the
// actions, and the instance that a graph with tables makes (docs/graphs.md).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "armature/model.h"

namespace armature::graph {

using Node = std::uint32_t;

struct Position {
  double x = 0;
  double y = 0;
  bool operator==(const Position&) const = default;
};

/// A node as it is drawn.
struct Variable {
  std::string name;
  std::vector<std::string> states;  // in the file's order; empty: not known
  bool latent = false;              // nobody can observe it
  bool exposure = false;            // dagitty's roles: defaults of action and reward
  bool outcome = false;
  bool adjusted = false;
  bool selected = false;  // the data are conditioned on it
  std::optional<Position> position;
  bool operator==(const Variable&) const = default;
};

struct Arrow {
  Node from;
  Node to;
  bool operator==(const Arrow&) const = default;
};

/// A directed acyclic graph over 0 … size-1: parents and children of every node in one array each.
class Dag {
 public:
  Dag() : Dag(0, {}) {}
  /// Parents and children stand in the order of the list.
  Dag(std::size_t size, const std::vector<Arrow>& arrows);

  std::size_t size() const { return parents_.begin.size() - 1; }
  std::span<const Node> parents(Node node) const { return parents_.of(node); }
  std::span<const Node> children(Node node) const { return children_.of(node); }
  /// Parents before children; of those that are free the lowest first. Nothing if there is a cycle.
  std::optional<std::vector<Node>> order() const;
  /// A cycle, its first node repeated at the end; nothing if there is none.
  std::optional<std::vector<Node>> cycle() const;
  /// Which nodes are in the set or above it.
  std::vector<bool> ancestors(const std::vector<Node>& set) const;

 private:
  struct Lists {
    std::vector<std::uint32_t> begin;  // one more than there are nodes
    std::vector<Node> members;
    std::span<const Node> of(Node node) const {
      return {members.data() + begin[node], members.data() + begin[node + 1]};
    }
  };
  static Lists gathered(std::size_t size, const std::vector<Arrow>& arrows, bool of_child);

  Lists parents_;
  Lists children_;
};

/// A causal diagram. Immutable and checked on construction.
class CausalGraph {
 public:
  struct Parts {
    std::string name;
    std::vector<Variable> variables;
    std::vector<Arrow> directed;    // a node's parents are in the order of this list
    std::vector<Arrow> bidirected;  // ↔: a common cause that nobody drew or can observe
    /// P(node | parents), one per node: a row per joint state of the parents (the last parent runs
    /// fastest), in it a number per state of the node. Empty: structure only.
    std::vector<std::vector<double>> tables;
    std::string why_no_tables;          // "the file has none", "rows of 'x' are missing"
    std::vector<std::string> warnings;  // what a reader of the file should know
  };
  /// Throws Error: a name, a state or an arrow twice, an arrow to no node, a cycle by name, a table
  /// of the wrong size or with rows that are no probabilities (sums are 1 within 1e-9).
  explicit CausalGraph(Parts parts);

  const Parts& parts() const { return parts_; }
  std::size_t size() const { return parts_.variables.size(); }
  const Variable& variable(Node node) const { return parts_.variables[node]; }
  const std::string& name(Node node) const { return parts_.variables[node].name; }
  std::optional<Node> find(const std::string& name) const;
  /// Throws Error naming the nearest. `field` is what asked for it, as in errors.
  Node node(const std::string& name, const std::string& field) const;
  bool has_tables() const { return !parts_.tables.empty(); }

  /// The drawn nodes, then one hidden common cause for every ↔.
  const Dag& dag() const { return dag_; }
  Node hidden_cause(std::size_t bidirected) const { return static_cast<Node>(size() + bidirected); }

  /// The same graph with these nodes latent too.
  CausalGraph with_latent(const std::vector<Node>& latent) const;

 private:
  Parts parts_;
  std::map<std::string, Node, std::less<>> by_name_;
  Dag dag_;
};

// ---- files -------------------------------------------------------------------------------------

enum class FileKind { kBif, kDot, kDagitty };

/// What the text is, by its content; throws Error for what is none of them (XMLBIF, Hugin, …), by
/// name where it is known.
FileKind file_kind(const std::string& text, const std::string& source);
/// Errors name `source`, line and column, what was found and what was expected.
CausalGraph read_graph(const std::string& text, const std::string& source);
/// States and tables of a graph that has none, as JSON (docs/formats.md, "Tables of a graph").
CausalGraph with_tables(const CausalGraph& graph, const std::string& json,
                        const std::string& source);

std::string write_bif(const CausalGraph& graph);  // throws Error without tables
std::string write_dot(const CausalGraph& graph);
std::string write_dagitty(const CausalGraph& graph);
/// States and tables alone, for beside a file of another kind.
std::string write_tables(const CausalGraph& graph);

// ---- separation --------------------------------------------------------------------------------

/// A path through the drawing: nodes, and between each two of them a mark.
enum class Mark { kForward, kBackward, kBoth };  // → ← ↔
struct Path {
  std::vector<Node> nodes;
  std::vector<Mark> marks;
  bool operator==(const Path&) const = default;
};

struct Separation {
  std::optional<Path> witness;  // a shortest active path, if there is one
  /// "smoke → lung → either ← tub: open, because xray, a consequence of either, is observed".
  std::string words;
  bool separated() const { return !witness.has_value(); }
};

/// Are the sets d-separated? The sets are disjoint (else Error). Linear in the size of the graph.
Separation d_separation(const CausalGraph& graph, const std::vector<Node>& from,
                        const std::vector<Node>& to, const std::vector<Node>& given);
/// "smoke → lung", as one line.
std::string path_text(const CausalGraph& graph, const Path& path);

// ---- actions and the verdict -------------------------------------------------------------------

/// What is set by acting: joint values of the targets, or one target at a time (`single`), with or
/// without the action that sets nothing (`empty`).
struct Actions {
  std::vector<Node> targets;
  bool empty = false;
  bool single = false;

  /// Does some action leave a target as nature has it? Then the edges into targets stay.
  bool leaves_natural() const { return empty || (single && targets.size() > 1); }
};

struct Question {
  Actions actions;
  std::vector<Node> contexts;
  Node reward = 0;
};

/// A condition that textbooks ask for, whether it holds, and if not what is in its way.
struct Criterion {
  bool holds = false;
  bool applies = true;  // false: it asks nothing, because what it is about is given
  std::string words;
};

struct Verdict {
  bool benign = false;
  std::optional<Path> witness;  // from a target to the reward
  std::string words;
  Criterion graph;       // targets and reward are separated in the graph as drawn
  Criterion surgery;     // …once the edges into targets are cut
  Criterion front_door;  // Pearl's three conditions
  std::vector<std::string> warnings;
};

/// Conditionally benign iff the regime (a node pointing at every target) and the reward are
/// d-separated given the contexts, edges into a target cut unless some action leaves it natural.
/// Throws Error where the question makes no sense (a latent context, a reward that is a context).
Verdict verdict(const CausalGraph& graph, const Question& question);

// ---- separators --------------------------------------------------------------------------------

struct SeparatorSearch {
  bool under_interventions =
      true;  // regime and reward after surgery, or targets and reward as drawn
  std::vector<Node> contains;
  std::vector<Node> avoid;
  std::size_t most_nodes = SIZE_MAX;  // of a set
  std::size_t most_sets = 1000;       // that are listed, one at least
};

struct Separators {
  bool exists = false;  // one as asked for, of at most `most_nodes`: an exact answer
  /// Minimal ones, by number of joint values, then of nodes. If not all are listed, the one with
  /// the fewest joint values of all is, or where it has more than `most_nodes` one with fewest
  /// nodes.
  std::vector<std::vector<Node>> sets;
  bool complete = true;  // false: more than `most_sets`, or more than a second's work
  std::string words;     // tells "none exists" and "the empty set is enough" apart
};

/// Minimal sets of observable nodes that separate the actions from the reward.
Separators separators(const CausalGraph& graph, const Actions& actions, Node reward,
                      const SeparatorSearch& search);

// ---- numbers -----------------------------------------------------------------------------------

/// A reward: what each state of a node is worth, in [0,1].
struct Reward {
  Node node = 0;
  std::vector<double> values;  // empty: not said, and not known from the names of the states
};
/// "dysp=yes" (1 for that state, 0 for the others), "sales:low=0,mid=0.4,high=1", or a node alone
/// (its states may be numbers in [0,1]). Names may stand in double quotes. Throws Error naming
/// `field`.
Reward parse_reward(const CausalGraph& graph, const std::string& text, const std::string& field);

/// Why the tables say otherwise than the graph, as a sentence; empty where they do not.
std::string disagreement(const Verdict& by_graph, bool by_tables, const Reward& reward);

/// States of some nodes. None: the empty intervention, or the only context where there is none.
using Assignment = std::vector<std::pair<Node, std::uint32_t>>;

/// All joint states of some nodes, the last running fastest. There may be millions: each is made
/// when it is asked for.
class JointStates {
 public:
  JointStates() = default;  // of no node: one, which says nothing
  JointStates(const CausalGraph& graph, std::vector<Node> nodes);
  std::size_t size() const { return size_; }
  Assignment operator[](std::size_t index) const;

 private:
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> sizes_;
  std::size_t size_ = 1;
};

/// What the actions do to contexts and reward, exactly.
struct DoMarginals {
  std::vector<Assignment> actions;  // joint values, the last target fastest; the empty one last
  JointStates contexts;
  /// Actions that differ only in targets without effect have one row: it is computed and kept once.
  std::vector<std::uint32_t> row_of;  // by action
  Matrix marginals;                   // by row and context: ν_a(z)
  std::vector<Matrix> states;         // by row: P(reward's state | z), zeros where ν_a(z) = 0

  double marginal(std::size_t action, std::size_t context) const {
    return marginals(row_of[action], context);
  }
  std::span<const double> law(std::size_t action, std::size_t context) const {
    return states[row_of[action]].row(context);
  }
};

/// The largest table that computing them needs, before anything is computed.
struct EliminationSize {
  std::size_t width = 0;  // nodes of the largest table
  double entries = 0;     // its numbers
  bool at_least = false;  // nobody looked further: this is too large already
  /// "a table of 21 nodes (width 20) and 2.1e+06 numbers (16 MiB)".
  std::string words() const;
};
inline constexpr double kMostEntries = 1 << 26;  // half a GiB

/// By variable elimination in the graph that each action leaves. Throws Error where the question
/// makes no sense, without tables, or before it sums where a table would have more than
/// `most_entries` numbers, the answer more bytes than that table, or the work would take long. Else
/// it tells `before` how large the largest table is.
DoMarginals do_marginals(const CausalGraph& graph, const Question& question,
                         double most_entries = kMostEntries,
                         const std::function<void(const EliminationSize&)>& before = {});

/// The bandit that a graph with tables is. Where ν_a(z) = 0 its law is that of the first action
/// that reaches z, so that what never happens does not decide whether it is benign; its notes say
/// so. `name` is the instance's.
Instance graph_instance(const CausalGraph& graph, const Question& question, const Reward& reward,
                        const std::string& name);
/// The same from numbers at hand.
Instance graph_instance(const CausalGraph& graph, const DoMarginals& numbers, const Reward& reward,
                        const std::string& name);

/// "smoke=yes", "smoke=yes, lung=no", "nothing".
std::string assignment_text(const CausalGraph& graph, const Assignment& assignment);

}  // namespace armature::graph
