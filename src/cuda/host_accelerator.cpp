#include "cuda/host_accelerator.h"

#include <algorithm>

#include "cuda/block.h"
#include "cuda/cell_plan.h"

namespace armature::cuda {
namespace {

// Rounds between two looks at `stop`.
constexpr Round kRoundsBetweenLooks = 1 << 16;

// One replication from its first round to its horizon; false if it was stopped.
template <class Player, class Machine>
bool play(Player& player, Machine& machine, const Cell& cell, const Luck& luck,
          BlockResults& results, std::uint32_t replication, const std::atomic<bool>& stop) {
  const auto note_facts = [&](std::size_t when) {
    for (std::uint32_t i = 0; i < Player::kFacts; ++i)
      results.facts[(when * Player::kFacts + i) * results.count + replication] =
          player.fact(machine, i);
  };
  player.begin(machine);
  Round round = 0;
  for (std::size_t c = 0; c < cell.checkpoints.size(); ++c) {
    while (round < cell.checkpoints[c]) {
      if (stop.load(std::memory_order_relaxed)) return false;
      const Round last = std::min(cell.checkpoints[c], round + kRoundsBetweenLooks);
      play_rounds(player, machine, luck, round + 1, last);
      round = last;
    }
    results.regret[c * results.count + replication] = regret_of(player, machine);
    if (results.facts_followed) note_facts(c);
  }
  if (!results.facts_followed) note_facts(0);
  for (Arm a = 0; a < machine.world.actions(); ++a)
    results.plays[std::size_t{a} * results.count + replication] = player.plays(machine, a);
  return true;
}

// All replications of a block; how many were finished.
template <class PlayerTag, class Numbers, class View>
std::uint32_t play_block(const Cell& cell, ReplicationRange range, const CellPlan& plan,
                         const PackedWorlds& worlds, BlockResults& results,
                         const std::atomic<bool>& stop) {
  using OwnMachine = Machine<Numbers, FixedMemory<1>, View>;
  using Player = typename PlayerTag::template Player<OwnMachine>;
  const auto& setting = std::get<typename Player::Setting>(plan.setting);
  std::vector<std::uint64_t> memory(Player::slots(worlds.sizes()));
  for (std::uint32_t i = 0; i < range.count; ++i) {
    const std::uint32_t replication = range.first + i;
    OwnMachine machine{FixedMemory<1>(memory.data()), View(worlds.tables(), i),
                       luck_of(cell.seed, replication, Purpose::kPolicy)};
    typename Player::Registers registers;
    Player player(setting, registers);
    const Luck luck = luck_of(cell.seed, replication, Purpose::kOutcome);
    if (!play(player, machine, cell, luck, results, i, stop)) return i;
  }
  return range.count;
}

}  // namespace

std::string HostAccelerator::obstacle(const Cell& cell, const World& world) const {
  return plan_cell(cell, world).obstacle;
}

std::uint32_t HostAccelerator::replications_per_block(const Cell& cell) const {
  constexpr double kRoundsPerBlock = 1e7;
  return static_cast<std::uint32_t>(
      std::clamp(kRoundsPerBlock / static_cast<double>(cell.horizon), 1.0, 1e6));
}

BlockResult HostAccelerator::run(const Cell& cell, ReplicationRange range, unsigned,
                                 const std::atomic<bool>& stop) {
  const CellPlan plan = plan_cell(cell, *cell.world(range.first));
  ARMATURE_CHECK(plan.obstacle.empty(), "a cell that can be played");
  const PackedWorlds worlds(cell, range);
  if (!worlds.obstacle().empty()) {
    Cell stepped = cell;
    stepped.engine = Engine::kStep;
    return run_block(stepped, range, stop);
  }
  const bool small = plan.small_numbers && numbers_ == Numbers::kSmallest;
  std::uint32_t finished = 0;
  BlockResult block;
  with_player(plan.kind, [&](auto tag) {
    using Tag = decltype(tag);
    using AnyPlayer =
        typename Tag::template Player<Machine<SmallNumbers, FixedMemory<1>, WorldView<1>>>;
    BlockResults results(cell, range.count, worlds.sizes().actions, AnyPlayer::kFacts);
    const auto play_with = [&](auto numbers, auto view) {
      return play_block<Tag, decltype(numbers), typename decltype(view)::type>(
          cell, range, plan, worlds, results, stop);
    };
    using Shared = std::type_identity<WorldView<1>>;
    using Fresh = std::type_identity<WorldView<0>>;
    finished = small ? (worlds.shared() ? play_with(SmallNumbers{}, Shared{})
                                        : play_with(SmallNumbers{}, Fresh{}))
                     : (worlds.shared() ? play_with(LargeNumbers{}, Shared{})
                                        : play_with(LargeNumbers{}, Fresh{}));
    block.replications = replications_of(cell, plan, worlds, results);
  });
  block.replications.resize(finished);
  return block;
}

}  // namespace armature::cuda
