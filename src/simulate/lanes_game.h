// What lanes play by: a world's thresholds and a policy's widths, laid out for gathers. Nothing
// here depends on the instruction set.
#pragma once

#include <memory>
#include <vector>

#include "armature/simulate.h"
#include "base/instruction_sets.h"
#include "policies/tools/lock_step.h"

namespace armature::lanes {

/// Sizes beyond which one at a time is as fast, or faster: lanes work out every index in every
/// round.
inline constexpr std::uint32_t kMostActions = 64;
inline constexpr std::uint32_t kMostContexts = 16;
inline constexpr std::uint32_t kMostProducts = 160;  // of a row's entry and a context's bound
constexpr std::uint32_t kMostSentryActions = 32;
/// Tables of widths have an entry per count.
inline constexpr Round kLongestHorizon = Round{1} << 20;

/// A draw reaches a threshold t iff it is larger than t − 1, as signed integers: so 2^63, which no
/// draw reaches, has a place among them. Rows are padded with it to a power of two.
struct Thresholds {
  explicit Thresholds(const Instance& instance);

  int row_shift;                      // rows of 2^row_shift cells
  std::vector<std::int64_t> context;  // less one
  std::vector<std::int64_t> success;  // less one
};

/// A width for every count so far; that of no sample is that of one.
class WidthList {
 public:
  explicit WidthList(lock_step::Width width) : width_(std::move(width)), values_{width_(1)} {}
  void reach(std::uint64_t count) {
    while (values_.size() <= count) values_.push_back(width_(values_.size()));
  }
  const double* values() const { return values_.data(); }

 private:
  lock_step::Width width_;
  std::vector<double> values_;
};

/// One policy in one world.
struct Game {
  Game(const Instance& instance, lock_step::Rule its_rule);

  std::uint32_t actions;
  std::uint32_t contexts;
  Thresholds thresholds;
  lock_step::Rule rule;
  std::vector<WidthList> widths;  // of actions, of contexts: as many as the rule has
};

/// Groups of lanes at work.
class Walk {
 public:
  virtual ~Walk() = default;
  virtual void advance(Round rounds) = 0;
  virtual std::uint64_t pulls(std::size_t replication, Arm arm) const = 0;
  virtual Diagnostics diagnostics(std::size_t replication) const = 0;
};

/// How groups of lanes are set to work from a replication on.
struct WalkMaker {
  std::uint32_t lanes = 0;  // of a group; 0: there are none
  std::unique_ptr<Walk> (*make)(Game& game, std::uint64_t seed, std::uint32_t first_replication,
                                std::size_t groups) = nullptr;
};
WalkMaker walks_by(InstructionSet instructions);

}  // namespace armature::lanes
