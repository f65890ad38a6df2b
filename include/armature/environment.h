// The truth as a machine: an Instance compiled into integer tables, and an Environment that plays
// it round by round. Its draw of round t depends on (seed, replication, t) and not on the arm, so
// all policies of a replication face the same luck (common random numbers).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "armature/model.h"

namespace armature {

/// What is revealed after a round.
struct Outcome {
  Context context;
  double reward;
};

/// The tables of one instance, shared by all replications that play it.
class OutcomeTables {
 public:
  explicit OutcomeTables(const Instance& instance);

 private:
  friend class Environment;
  struct Law {
    RewardLaw::Kind kind;
    double first;
    double second;
    std::vector<std::uint64_t> cumulative;  // table laws
    std::vector<double> values;
  };

  std::size_t actions_;
  std::size_t contexts_;
  bool all_bernoulli_ = true;
  std::vector<std::uint64_t> context_cumulative_;  // |A| rows of |Z| thresholds
  std::vector<std::uint64_t> success_threshold_;   // per cell, when all laws are Bernoulli
  std::vector<std::uint32_t> law_of_;              // per cell, otherwise
  std::vector<Law> laws_;
};

/// Plays tables that outlive it.
class Environment {
 public:
  Environment(const OutcomeTables& tables, std::uint64_t seed, std::uint32_t replication);
  Environment(OutcomeTables&& tables, std::uint64_t seed, std::uint32_t replication) = delete;

  std::size_t actions() const { return tables_.actions_; }
  std::size_t contexts() const { return tables_.contexts_; }

  /// Plays the current round with this arm and moves on to the next. Rounds start at 1.
  Outcome play(Arm arm) {
    ARMATURE_CHECK(arm < tables_.actions_, "an arm of the instance is played");
    if (next_ == kAhead) draw_ahead();
    const std::size_t i = next_++;
    const std::size_t first_cell = arm * tables_.contexts_;
    const Context context = inverse_transform(
        {tables_.context_cumulative_.data() + first_cell, tables_.contexts_}, context_draws_[i]);
    const std::size_t cell = first_cell + context;
    if (tables_.all_bernoulli_)
      return {context, reward_draws_[i] < tables_.success_threshold_[cell] ? 1.0 : 0.0};
    return {context, reward(tables_.laws_[tables_.law_of_[cell]], i)};
  }

 private:
  static constexpr std::size_t kAhead = 256;  // rounds drawn at a time

  void draw_ahead();
  double reward(const OutcomeTables::Law& law, std::size_t i) const;

  const OutcomeTables& tables_;
  StreamKey key_;
  Round first_ahead_ = 1;      // the round of draw 0
  std::size_t next_ = kAhead;  // the next draw to use
  std::array<std::uint64_t, kAhead> context_draws_;
  std::array<std::uint64_t, kAhead> reward_draws_;
};

}  // namespace armature
