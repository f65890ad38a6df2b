#include "simulate/lanes.h"

#include <algorithm>
#include <type_traits>

#include "armature/leap.h"
#include "simulate/lanes_game.h"
#include "simulate/replication.h"

namespace armature {
namespace {

// As often as the step engine looks, by the clock: a round of all groups takes as long as ten of
// one replication.
constexpr Round kRoundsBetweenLooks = 1 << 13;
// Two groups take turns: while one waits for its loads, the other computes.
constexpr std::uint32_t kMostGroups = 2;

// Anything that wants to see single rounds is stepped.
bool plain(const Cell& cell) {
  return !cell.make_policy && !cell.make_environment && !cell.watch && cell.feedback.prompt() &&
         cell.horizon <= lanes::kLongestHorizon;
}

bool small(const Instance& instance) {
  return instance.actions() <= lanes::kMostActions && instance.contexts() <= lanes::kMostContexts;
}

// Rules that weigh contexts work out all their sums, and sentry looks at all actions' bounds: with
// more of them, or fewer lanes, one at a time is as quick.
bool pays(const lock_step::Rule& rule, std::uint32_t lane_count) {
  const std::uint32_t most_products =
      lane_count < 8 ? lanes::kMostProducts / 4 : lanes::kMostProducts;
  return std::visit(
      [&](const auto& its) {
        if constexpr (requires { its.rows; }) {
          constexpr bool kSentry = std::is_same_v<decltype(its), const lock_step::SentryRule&>;
          return its.rows->rows() * its.rows->contexts() <= most_products &&
                 (!kSentry || its.rows->actions() <= lanes::kMostSentryActions);
        } else {
          return true;
        }
      },
      rule);
}

bool tosses_coins(const Instance& instance) {
  const auto& laws = instance.parts().laws;
  return std::all_of(laws.begin(), laws.end(), [](const RewardLaw& law) {
    return law.kind() == RewardLaw::Kind::kBernoulli;
  });
}

// How many of so many replications are played together: whole groups, or one with nearly all of its
// lanes at work. A group half of whose lanes are idle is slower than one at a time.
std::uint32_t played_together(std::uint32_t replications, std::uint32_t lanes) {
  const std::uint32_t most = std::min(replications, kMostGroups * lanes);
  if (most >= lanes) return most - most % lanes;
  return most > lanes / 2 + 1 ? most : 0;
}

}  // namespace

LockStep::LockStep(const Cell& cell, InstructionSet instructions, Where where)
    : cell_(cell),
      where_(where),
      walks_(lanes::walks_by(instructions)),
      possible_(walks_.make && plain(cell)) {}

LockStep::~LockStep() = default;

std::uint32_t LockStep::group() {
  if (!possible_) return 1;
  const std::shared_ptr<const World> first = cell_.world(0);
  // `oracle` is fixed play of an action: nothing to be had.
  const bool together = cell_.policy != kOracle && engine_for(cell_, *first) == Engine::kStep &&
                        cell_.world(1) == first && prepare(first, cell_.policy);
  return together ? kMostGroups * walks_.lanes : 1;
}

bool LockStep::prepare(const std::shared_ptr<const World>& world, const std::string& policy) {
  if (!small(*world->instance) || !tosses_coins(*world->instance)) return false;
  world_ = world;
  policy_ = make_policy(policy, world->problem);
  const auto* follower = dynamic_cast<const lock_step::Follower*>(policy_->leaper());
  std::optional<lock_step::Rule> rule = follower ? follower->rule() : std::nullopt;
  if (!rule || (where_ == Where::kFaster && !pays(*rule, walks_.lanes))) return false;
  game_ = std::make_unique<lanes::Game>(*world->instance, std::move(*rule));
  return true;
}

// Families that draw a world for every replication give each its own tables: no lock step.
bool LockStep::shared_world(ReplicationRange range) const {
  for (std::uint32_t i = 0; i < range.count; ++i)
    if (cell_.world(range.first + i) != world_) return false;
  return true;
}

std::vector<Replication> LockStep::play(const std::shared_ptr<const World>& world,
                                        const std::string& policy, ReplicationRange range,
                                        const std::atomic<bool>& stop) {
  if (!possible_) return {};
  range.count = played_together(range.count, walks_.lanes);
  if (range.count == 0) return {};
  // What stands against it once does so in the whole block: it is not looked for again.
  possible_ = (game_ || prepare(world, policy)) && shared_world(range);
  return possible_ ? walk(range, stop) : std::vector<Replication>();
}

std::vector<Replication> LockStep::walk(ReplicationRange range, const std::atomic<bool>& stop) {
  const std::size_t groups = (range.count + walks_.lanes - 1) / walks_.lanes;
  const std::unique_ptr<lanes::Walk> walk = walks_.make(*game_, cell_.seed, range.first, groups);
  std::vector<Replication> replications(range.count);
  Round round = 0;
  for (const Round checkpoint : cell_.checkpoints) {
    while (round < checkpoint) {
      if (stop.load(std::memory_order_relaxed)) return {};
      const Round rounds = std::min(kRoundsBetweenLooks, checkpoint - round);
      walk->advance(rounds);
      round += rounds;
    }
    for (std::uint32_t i = 0; i < range.count; ++i) {
      replications[i].pulls.resize(game_->actions);
      for (Arm a = 0; a < game_->actions; ++a) replications[i].pulls[a] = walk->pulls(i, a);
      note_checkpoint(cell_, *world_, *policy_, replications[i]);
    }
  }
  for (std::uint32_t i = 0; i < range.count; ++i)
    note_end(*world_, walk->diagnostics(i), replications[i]);
  return replications;
}

}  // namespace armature
