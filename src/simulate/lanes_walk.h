// The rounds themselves, written once for every instruction set (base/instruction_sets.h). A column
// holds one number for each lane; place i·kLanes + lane of a list of columns is number i of that
// lane.
#pragma once

#include "base/instruction_sets.h"

#if defined(ARMATURE_HAS_LANES)
// Vectors as values of functions that melt into others: no call, no convention to warn of.
#pragma GCC diagnostic ignored "-Wpsabi"

#include <limits>

#include "simulate/lanes_game.h"

namespace armature::lanes {

/// Plays and successes of Bernoulli outcomes as halves of one word.
inline constexpr std::int64_t kPlay = 1;
inline constexpr std::int64_t kSuccess = std::int64_t{1} << 32;
inline std::uint64_t plays_in(std::int64_t tally) { return static_cast<std::uint32_t>(tally); }
inline double successes_in(std::int64_t tally) { return static_cast<double>(tally >> 32); }

template <class V>
ARMATURE_IN_LANES std::int64_t* places_of(typename V::Words* columns) {
  return reinterpret_cast<std::int64_t*>(columns);
}
template <class V>
ARMATURE_IN_LANES double* places_of(typename V::Reals* columns) {
  return reinterpret_cast<double*>(columns);
}

/// Each lane writes base[place]. Store by store: no slower than the instruction, where there is
/// one.
template <class V, class Number, class Values>
ARMATURE_IN_LANES void scatter(Number* base, const typename V::Words& places,
                               const Values& values) {
  for (std::size_t lane = 0; lane < V::kLanes; ++lane) base[places[lane]] = values[lane];
}

/// Whole numbers below 2^52, exactly: they become the last digits of 2^52 + x.
template <class V>
ARMATURE_IN_LANES typename V::Reals reals(const typename V::Words& whole) {
  return reinterpret_cast<typename V::Reals>(whole | 0x4330000000000000) - 0x1p52;
}

/// The number of each action in every lane, and what else is the same in all rounds.
template <class V>
struct Constants {
  using Words = typename V::Words;

  explicit Constants(int row_shift) : steps(row_shift) {
    for (std::size_t i = 0; i < V::kLanes; ++i) {
      lane[i] = static_cast<std::int64_t>(i);
      shift[i] = row_shift;
      for (std::uint32_t a = 0; a < kMostActions; ++a) number[a][i] = a;
      for (int step = 0; step < steps; ++step)
        half[step][i] = std::int64_t{1} << (row_shift - 1 - step);
    }
  }
  ARMATURE_IN_LANES Words place(const Words& i) const {
    return i * static_cast<std::int64_t>(V::kLanes) + lane;
  }

  Words lane;
  Words shift;
  int steps;
  Words half[8];  // of a row, of that half, …
  Words number[kMostActions];
};

template <class V>
struct Outcomes {
  typename V::Words context;
  typename V::Words failed;  // all ones where the reward is 0
};

/// What Environment::play reveals of Bernoulli rewards.
template <class V>
ARMATURE_IN_LANES Outcomes<V> outcomes_of(const Thresholds& thresholds,
                                          const Constants<V>& constants,
                                          const typename V::Words& arm,
                                          const typename V::Words& context_draw,
                                          const typename V::Words& reward_draw) {
  using Words = typename V::Words;
  const Words row = arm << constants.shift;
  Words cell = row;
  Words below;
  for (int step = 0; step < constants.steps; ++step) {
    const std::int64_t half = std::int64_t{1} << (constants.steps - 1 - step);
    V::gather(thresholds.context.data() + half - 1, cell, below);
    cell += (context_draw > below) & constants.half[step];
  }
  V::gather(thresholds.success.data(), cell, below);
  return {cell - row, reward_draw > below};
}

/// What is known of the quantities in these places after one more outcome of each.
template <class V>
struct Estimate {
  typename V::Reals mean;
  typename V::Reals width;
};
template <class V>
ARMATURE_IN_LANES Estimate<V> learn(typename V::Words* tallies, const typename V::Words& place,
                                    const typename V::Words& failed, const double* widths) {
  using Words = typename V::Words;
  Words tally;
  V::gather(places_of<V>(tallies), place, tally);
  tally += (failed & -kSuccess) + (kSuccess + kPlay);
  scatter<V>(places_of<V>(tallies), place, tally);
  const Words plays = tally & 0xFFFFFFFF;
  Estimate<V> estimate;
  V::gather(widths, plays, estimate.width);
  estimate.mean = reals<V>(tally >> 32) / reals<V>(plays);
  return estimate;
}

template <class V>
ARMATURE_IN_LANES void count(typename V::Words* columns, const typename V::Words& place) {
  typename V::Words number;
  V::gather(places_of<V>(columns), place, number);
  number += 1;
  scatter<V>(places_of<V>(columns), place, number);
}

/// The largest value of each lane and the lowest number that has it.
template <class V>
struct Largest {
  typename V::Reals value;
  typename V::Words number;

  ARMATURE_IN_LANES void meet(const typename V::Reals& rival, const typename V::Words& its_number) {
    const typename V::Words better = rival > value;
    value = better ? rival : value;
    number = better ? its_number : number;
  }
};
template <class V>
ARMATURE_IN_LANES Largest<V> largest_of(const typename V::Reals* values,
                                        const typename V::Words* numbers, std::uint32_t count) {
  // Two halves at a time, which wait for nothing of each other.
  const std::uint32_t half = count / 2;
  Largest<V> low{values[0], numbers[0]};
  Largest<V> high{values[half], numbers[half]};
  for (std::uint32_t i = 1; i < half; ++i) {
    low.meet(values[i], numbers[i]);
    high.meet(values[half + i], numbers[half + i]);
  }
  if (count % 2 != 0) high.meet(values[count - 1], numbers[count - 1]);
  low.meet(high.value, high.number);
  return low;
}

// --- ucb, moss -----------------------------------------------------------------------------------

template <class V>
class ActionLanes {
 public:
  using Reals = typename V::Reals;
  using Words = typename V::Words;
  struct Group {
    Reals index[kMostActions];
    Words tally[kMostActions];
  };

  ActionLanes(Game& game, const lock_step::ActionRule&)
      : game_(game), constants_(game.thresholds.row_shift) {}

  void start(Group& group) const {
    for (std::uint32_t a = 0; a < game_.actions; ++a)
      group.index[a] = Reals{} + game_.widths[0].values()[1];
  }
  void begin_round(Round) {}
  ARMATURE_IN_LANES void play_round(Group& group, Round, const Words& context_draw,
                                    const Words& reward_draw) const {
    const Words arm = largest_of<V>(group.index, constants_.number, game_.actions).number;
    const Outcomes<V> outcomes =
        outcomes_of<V>(game_.thresholds, constants_, arm, context_draw, reward_draw);
    const Words place = constants_.place(arm);
    const auto [mean, width] =
        learn<V>(group.tally, place, outcomes.failed, game_.widths[0].values());
    scatter<V>(places_of<V>(group.index), place, Reals(mean + width));
  }
  std::uint64_t pulls(const Group& group, std::size_t lane, Arm arm) const {
    return plays_in(group.tally[arm][lane]);
  }
  Diagnostics diagnostics(const Group&, std::size_t, Round) const { return {}; }

 private:
  Game& game_;
  Constants<V> constants_;
};

// --- Sums over contexts --------------------------------------------------------------------------

/// The canonical sums of all rows, some rows at a time: each adds in the order of contexts.
template <class V>
class RowSums {
 public:
  using Reals = typename V::Reals;
  static constexpr std::uint32_t kTogether = 4;

  explicit RowSums(const MarginalRows& rows) : contexts_(rows.contexts()) {
    // Rows are taken kTogether at a time: what is missing of the last is made up by the first row.
    const std::uint32_t padded = (rows.rows() + kTogether - 1) / kTogether * kTogether;
    for (std::uint32_t first = 0; first < padded; first += kTogether)
      for (Context z = 0; z < contexts_; ++z)
        for (std::uint32_t row = first; row < first + kTogether; ++row)
          entries_.push_back(rows.at(row < rows.rows() ? row : 0, z));
  }

  struct Some {
    Reals sum[kTogether];
  };

  /// Those of rows first … first + kTogether − 1.
  ARMATURE_IN_LANES Some from(std::uint32_t first, const Reals* uppers) const {
    const double* entry = entries_.data() + std::size_t{first} * contexts_;
    Some some;
    for (std::uint32_t k = 0; k < kTogether; ++k) V::spread(0.0, some.sum[k]);
    for (Context z = 0; z < contexts_; ++z) {
      const Reals upper = uppers[z];
      for (std::uint32_t k = 0; k < kTogether; ++k) {
        Reals weight;
        V::spread(*entry++, weight);
        some.sum[k] += weight * upper;
      }
    }
    return some;
  }

 private:
  std::uint32_t contexts_;
  std::vector<double> entries_;  // [rows / kTogether][context][kTogether]
};

// --- c-ucb ---------------------------------------------------------------------------------------

template <class V>
class ContextLanes {
 public:
  using Reals = typename V::Reals;
  using Words = typename V::Words;
  struct Group {
    Reals upper[kMostContexts];
    Words tally[kMostContexts];
    Words pulls[kMostActions];
  };

  ContextLanes(Game& game, const lock_step::ContextRule& rule)
      : game_(game), constants_(game.thresholds.row_shift), sums_(*rule.rows) {
    for (std::uint32_t row = 0; row < rule.rows->rows(); ++row)
      actions_[row] = constants_.number[rule.rows->action(row)];
    rows_ = rule.rows->rows();
  }

  void start(Group& group) const {
    for (Context z = 0; z < game_.contexts; ++z)
      group.upper[z] = Reals{} + game_.widths[0].values()[1];
  }
  void begin_round(Round) {}
  ARMATURE_IN_LANES void play_round(Group& group, Round, const Words& context_draw,
                                    const Words& reward_draw) const {
    constexpr std::uint32_t kTogether = RowSums<V>::kTogether;
    Largest<V> best;
    V::spread(-std::numeric_limits<double>::infinity(), best.value);
    best.number = actions_[0];
    for (std::uint32_t row = 0; row < rows_; row += kTogether) {
      const auto sums = sums_.from(row, group.upper);
      // A row that fills up the last ones is the first row again, and beats nobody.
      for (std::uint32_t k = 0; k < kTogether; ++k) best.meet(sums.sum[k], actions_[row + k]);
    }
    const Words arm = best.number;
    const Outcomes<V> outcomes =
        outcomes_of<V>(game_.thresholds, constants_, arm, context_draw, reward_draw);
    const Words place = constants_.place(outcomes.context);
    const auto [mean, width] =
        learn<V>(group.tally, place, outcomes.failed, game_.widths[0].values());
    scatter<V>(places_of<V>(group.upper), place, Reals(mean + width));
    count<V>(group.pulls, constants_.place(arm));
  }
  std::uint64_t pulls(const Group& group, std::size_t lane, Arm arm) const {
    return static_cast<std::uint64_t>(group.pulls[arm][lane]);
  }
  Diagnostics diagnostics(const Group&, std::size_t, Round) const { return {}; }

 private:
  Game& game_;
  Constants<V> constants_;
  RowSums<V> sums_;
  std::uint32_t rows_;
  Words actions_[kMostActions + RowSums<V>::kTogether] = {};
};

// --- sentry --------------------------------------------------------------------------------------

template <class V>
class SentryLanes {
 public:
  using Reals = typename V::Reals;
  using Words = typename V::Words;
  struct Group {
    Reals upper[kMostActions];  // UCB(a)
    Words tally[kMostActions];
    Reals context_upper[kMostContexts];
    Reals context_mean[kMostContexts];
    Reals context_width[kMostContexts];
    Words context_tally[kMostContexts];
    Reals bar;  // lcb*
    Reals explorations;
    Words rejected;  // all ones, or 0
    Words rejection_round;
    Words rejection_action;
    // The last play, whose outcome is judged before the next choice.
    Words arm;
    Reals mean;
    Reals width;
  };

  SentryLanes(Game& game, const lock_step::SentryRule& rule)
      : game_(game), rule_(rule), constants_(game.thresholds.row_shift), sums_(*rule.rows) {
    const std::size_t stride = std::size_t{1} << game.thresholds.row_shift;
    marginals_.resize(game.actions * stride);
    for (Arm a = 0; a < game.actions; ++a) {
      row_of_[a] = rule.rows->row(a);
      for (Context z = 0; z < game.contexts; ++z)
        marginals_[a * stride + z] = rule.rows->at(row_of_[a], z);
    }
  }

  void start(Group& group) const {
    for (Arm a = 0; a < game_.actions; ++a) group.upper[a] = Reals{} + game_.widths[0].values()[1];
    for (Context z = 0; z < game_.contexts; ++z)
      group.context_upper[z] = group.context_width[z] = Reals{} + game_.widths[1].values()[1];
    group.bar = Reals{} - std::numeric_limits<double>::infinity();
  }

  void begin_round(Round round) { allowance_ = rule_.allowance(round); }
  ARMATURE_IN_LANES void play_round(Group& group, Round round, const Words& context_draw,
                                    const Words& reward_draw) const {
    if (round > 1) judge(group, round - 1);
    const Words arm = choose(group);
    const Outcomes<V> outcomes =
        outcomes_of<V>(game_.thresholds, constants_, arm, context_draw, reward_draw);
    const Words place = constants_.place(arm);
    const Estimate<V> own = learn<V>(group.tally, place, outcomes.failed, game_.widths[0].values());
    scatter<V>(places_of<V>(group.upper), place, Reals(own.mean + own.width));
    const Words context_place = constants_.place(outcomes.context);
    const Estimate<V> context =
        learn<V>(group.context_tally, context_place, outcomes.failed, game_.widths[1].values());
    scatter<V>(places_of<V>(group.context_mean), context_place, context.mean);
    scatter<V>(places_of<V>(group.context_width), context_place, context.width);
    scatter<V>(places_of<V>(group.context_upper), context_place,
               Reals(context.mean + context.width));
    group.arm = arm;
    group.mean = own.mean;
    group.width = own.width;
  }

  std::uint64_t pulls(const Group& group, std::size_t lane, Arm arm) const {
    return plays_in(group.tally[arm][lane]);
  }
  Diagnostics diagnostics(const Group& group, std::size_t lane, Round rounds) const {
    lock_step::SentryState state{
        .bar = group.bar[lane],
        .rounds = rounds,
        .explorations = static_cast<std::uint64_t>(group.explorations[lane]),
        .last_arm = static_cast<Arm>(group.arm[lane])};
    for (Arm a = 0; a < game_.actions; ++a) {
      state.plays.push_back(plays_in(group.tally[a][lane]));
      state.rewards.push_back(successes_in(group.tally[a][lane]));
    }
    for (Context z = 0; z < game_.contexts; ++z) {
      state.visits.push_back(plays_in(group.context_tally[z][lane]));
      state.context_rewards.push_back(successes_in(group.context_tally[z][lane]));
    }
    if (group.rejected[lane] != 0)
      state.rejection = {static_cast<std::uint64_t>(group.rejection_round[lane]),
                         static_cast<Arm>(group.rejection_action[lane])};
    return rule_.diagnostics(state);
  }

 private:
  // Sentry::take_stock: the bar, and the test of the action played last.
  ARMATURE_IN_LANES void judge(Group& group, Round played) const {
    const Reals lower = group.mean - group.width;
    group.bar = lower > group.bar ? lower : group.bar;
    if (!rule_.may_reject || !V::any(~group.rejected)) return;
    const Words row = group.arm << constants_.shift;
    Reals mean, width;
    V::spread(0.0, mean);
    V::spread(0.0, width);
    for (Context z = 0; z < game_.contexts; ++z) {
      Reals weight;
      V::gather(marginals_.data() + z, row, weight);
      mean += weight * group.context_mean[z];
      width += weight * group.context_width[z];
    }
    const Reals difference = group.mean - mean;
    const Reals distance = difference > 0 ? difference : -difference;
    Reals half_epsilon;
    V::spread(rule_.epsilon / 2, half_epsilon);
    const Words found = (distance > group.width + width + half_epsilon) & ~group.rejected;
    if (!V::any(found)) return;
    Words now;
    V::spread(static_cast<std::int64_t>(played), now);
    group.rejection_round = found ? now : group.rejection_round;
    group.rejection_action = found ? group.arm : group.rejection_action;
    group.rejected |= found;
  }

  // Sentry::choice.
  ARMATURE_IN_LANES Words choose(Group& group) const {
    const Largest<V> best = largest_of<V>(group.upper, constants_.number, game_.actions);
    Reals tolerance, allowance;
    V::spread(rule_.tolerance, tolerance);
    V::spread(allowance_, allowance);
    const Words explores =
        ~group.rejected & (group.explorations < allowance) & (best.value > group.bar + tolerance);
    constexpr std::int64_t kOne = 0x3FF0000000000000;  // the bits of 1.0
    group.explorations += reinterpret_cast<Reals>(explores & kOne);
    const Words by_index = group.rejected | explores;
    if (!V::any(~by_index)) return best.number;
    return by_index ? best.number : causal_choice(group, best.number);
  }

  // Among the candidates, whose UCB reaches the bar, the largest min(UCB, C); where there is none,
  // the one of the largest UCB.
  ARMATURE_IN_LANES Words causal_choice(const Group& group, const Words& otherwise) const {
    constexpr std::uint32_t kTogether = RowSums<V>::kTogether;
    Reals sums[kMostActions + kTogether];
    for (std::uint32_t row = 0; row < rule_.rows->rows(); row += kTogether) {
      const auto some = sums_.from(row, group.context_upper);
      for (std::uint32_t k = 0; k < kTogether; ++k) sums[row + k] = some.sum[k];
    }
    Reals out;  // of the race
    V::spread(-std::numeric_limits<double>::infinity(), out);
    const Reals bar = group.bar;
    Largest<V> best{out, otherwise};
    for (Arm a = 0; a < game_.actions; ++a) {
      const Reals upper = group.upper[a];
      const Reals proposal = sums[row_of_[a]];
      const Reals value = upper < proposal ? upper : proposal;
      best.meet(upper >= bar ? value : out, constants_.number[a]);
    }
    return best.number;
  }

  Game& game_;
  const lock_step::SentryRule& rule_;
  Constants<V> constants_;
  RowSums<V> sums_;
  std::vector<double> marginals_;  // by action, in rows like the thresholds'
  std::uint32_t row_of_[kMostActions] = {};
  double allowance_ = 0;  // of this round
};

// --- Any of them ---------------------------------------------------------------------------------

template <class V, class Rules>
class LaneWalk final : public Walk {
 public:
  using Words = typename V::Words;

  template <class Rule>
  LaneWalk(Game& game, const Rule& rule, std::uint64_t seed, std::uint32_t first_replication,
           std::size_t groups)
      : game_(game),
        rules_(game, rule),
        seed_(seed),
        first_replication_(first_replication),
        groups_(groups) {
    reach(1);
    for (Member& member : groups_) rules_.start(member.state);
  }

  void advance(Round rounds) override { V::run(*this, rounds); }
  ARMATURE_IN_LANES void play(Round rounds) {
    for (const Round end = rounds_ + rounds; rounds_ < end; ++next_) {
      if (next_ == kAhead) draw_ahead();
      rules_.begin_round(++rounds_);
      for (Member& member : groups_)
        rules_.play_round(member.state, rounds_, member.context_draws[next_],
                          member.reward_draws[next_]);
    }
  }

  std::uint64_t pulls(std::size_t replication, Arm arm) const override {
    return rules_.pulls(groups_[replication / V::kLanes].state, replication % V::kLanes, arm);
  }
  Diagnostics diagnostics(std::size_t replication) const override {
    return rules_.diagnostics(groups_[replication / V::kLanes].state, replication % V::kLanes,
                              rounds_);
  }

 private:
  struct Member {
    typename Rules::Group state = {};
    Words context_draws[kAhead];
    Words reward_draws[kAhead];
  };
  static_assert(alignof(Member) == sizeof(Words) && alignof(Rules) == sizeof(Words));

  __attribute__((noinline)) void draw_ahead() {
    for (std::size_t i = 0; i < groups_.size(); ++i)
      V::draw(seed_, first_replication_ + static_cast<std::uint32_t>(i * V::kLanes), rounds_ + 1,
              groups_[i].context_draws, groups_[i].reward_draws);
    reach(rounds_ + kAhead);
    next_ = 0;
  }
  void reach(Round rounds) {
    for (WidthList& widths : game_.widths) widths.reach(rounds);
  }

  Game& game_;
  Rules rules_;
  std::uint64_t seed_;
  std::uint32_t first_replication_;
  Round rounds_ = 0;           // played
  std::size_t next_ = kAhead;  // the next draw to use
  std::vector<Member> groups_;
};

}  // namespace armature::lanes
#endif
