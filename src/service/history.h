// Shares of actions and rewards over time, in a bounded number of stretches: when all are full,
// each two become one. What it holds depends on events alone, and survives with them.
#pragma once

#include "armature/state.h"
#include "service/summary.h"

namespace armature::service {

class History {
 public:
  /// New actions come at the end; those there are stay where they are.
  void widen(std::size_t actions);
  void decided(Time time, std::uint32_t action);
  void learned(double reward);

  const std::vector<Stretch>& stretches() const { return stretches_; }
  void visit_state(StateVisitor& visitor);

 private:
  static constexpr std::size_t kMostStretches = 256;
  static constexpr std::size_t kLeastStretches = 8;
  static constexpr std::size_t kMostCells = 65'536;  // stretches times actions, above the least

  std::size_t most() const;
  void halve();

  std::size_t actions_ = 0;
  std::uint64_t length_ = 1;  // decisions in a full stretch
  std::vector<Stretch> stretches_;
};

}  // namespace armature::service
