// What outcomes have said, cell by cell: how often each action led to each context, and the rewards
// added up. Enough to teach another policy without the log (armature/extend.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "armature/policy.h"

namespace armature {

class Evidence {
 public:
  Evidence(std::uint32_t actions, std::uint32_t contexts);
  explicit Evidence(const Problem& problem) : Evidence(problem.actions(), problem.contexts()) {}

  void add(Arm arm, Outcome outcome) {
    Cell& cell = cells_[place(arm, outcome.context)];
    ++cell.plays;
    cell.rewards += outcome.reward;
    ++outcomes_;
    whole_ = whole_ && (outcome.reward == 0 || outcome.reward == 1);
  }
  /// Many at once. A sum that is a whole number is taken for one of zeros and ones.
  void add(const Tally& tally);

  std::uint32_t actions() const { return actions_; }
  std::uint32_t contexts() const { return contexts_; }
  std::uint64_t outcomes() const { return outcomes_; }
  std::uint64_t plays(Arm arm, Context context) const { return cells_[place(arm, context)].plays; }
  double rewards(Arm arm, Context context) const { return cells_[place(arm, context)].rewards; }
  /// Was every reward so far 0 or 1? Then the sums say all that the outcomes said.
  bool whole() const { return whole_; }
  /// The cells with plays, action by action and within it context by context.
  std::vector<Tally> tallies() const;

  /// The same outcomes in another problem, by name. Actions that `to` does not have drop out with
  /// their outcomes, new ones start empty. Throws Error if `to` lacks a context that a kept action
  /// led to: what is left of that action would be a biased sample.
  Evidence renamed(const Problem& from, const Problem& to) const;

  void visit_state(StateVisitor& visitor, const std::string& name = "evidence");
  bool operator==(const Evidence&) const = default;

 private:
  struct Cell {  // side by side: an outcome touches one place in memory
    std::uint64_t plays = 0;
    double rewards = 0;
    bool operator==(const Cell&) const = default;
  };

  std::size_t place(Arm arm, Context context) const {
    ARMATURE_CHECK(arm < actions_ && context < contexts_, "a cell of the problem");
    return std::size_t{arm} * contexts_ + context;
  }

  std::uint32_t actions_;
  std::uint32_t contexts_;
  std::vector<Cell> cells_;
  std::uint64_t outcomes_ = 0;
  bool whole_ = true;
};

/// Before another one in the order of cells: by action, then by context.
inline bool before(const Tally& one, const Tally& other) {
  return one.arm < other.arm || (one.arm == other.arm && one.context < other.context);
}
/// The fields of a list of tallies in the order of cells, one per cell at most; other lists are
/// refused.
void visit_tallies(StateVisitor& visitor, const std::string& name, std::vector<Tally>& tallies,
                   std::uint32_t actions, std::uint32_t contexts);

/// Outcomes are not left out by what they were: a context that was seen and is gone is refused.
[[noreturn]] void refuse_lost_context(const Problem& from, Arm arm, Context context);

/// Where each name of `from` stands in `to`; `to.size()` for one that is not there.
std::vector<std::uint32_t> places_by_name(const std::vector<std::string>& from,
                                          const std::vector<std::string>& to);

}  // namespace armature
