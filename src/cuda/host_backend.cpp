#include "cuda/host_backend.h"

#include <algorithm>
#include <type_traits>

namespace armature::cuda {
namespace {

// Rounds between two looks at `stop`.
constexpr Round kRoundsBetweenLooks = 1 << 16;

// One replication from its first round to its horizon; false if it was stopped.
template <class Player, class Machine>
bool play_one(const typename Player::Setting& setting, Machine& machine, const BlockJob& job,
              std::uint32_t place, BlockResults& results, const std::atomic<bool>& stop) {
  const Luck luck = luck_of(job.seed, job.first + place, Purpose::kOutcome);
  typename Player::Registers registers;
  Player player(setting, registers);
  const auto note_facts = [&](std::size_t when) {
    for (std::uint32_t i = 0; i < Player::kFacts; ++i)
      results.facts[(when * Player::kFacts + i) * results.count + place] = player.fact(machine, i);
  };
  const KeySchedule keys = key_schedule(job.seed);
  player.begin(machine);
  Round round = 0;
  for (std::size_t c = 0; c < job.checkpoints.size(); ++c) {
    while (round < job.checkpoints[c]) {
      if (stop.load(std::memory_order_relaxed)) return false;
      const Round last =
          last_of_slice(round + 1, std::min(job.checkpoints[c], round + kRoundsBetweenLooks));
      play_rounds_one_way<Player>(setting, registers, machine, luck, keys, round + 1, last);
      round = last;
    }
    results.regret[c * results.count + place] = regret_of(player, machine);
    if (results.facts_followed) note_facts(c);
  }
  if (!results.facts_followed) note_facts(0);
  for (std::uint32_t a = 0; a < machine.world.actions(); ++a)
    results.plays[std::size_t{a} * results.count + place] = player.plays(machine, a);
  return true;
}

template <class Tag, class Numbers, class View>
std::uint32_t play_block(const BlockJob& job, BlockResults& results,
                         const std::atomic<bool>& stop) {
  using OwnMachine = Machine<Numbers, FixedMemory<1>, View>;
  using Player = typename Tag::template Player<OwnMachine>;
  const auto& setting = std::get<typename Player::Setting>(job.plan.setting);
  std::vector<std::uint64_t> memory(Player::slots(job.worlds.sizes()));
  std::vector<std::uint64_t> far(far_slots_of<Player>(job.worlds.sizes()));
  for (std::uint32_t place = 0; place < job.count; ++place) {
    OwnMachine machine{FixedMemory<1>(memory.data()), FixedMemory<1>(far.data()),
                       View(job.worlds.tables(), place),
                       luck_of(job.seed, job.first + place, Purpose::kPolicy)};
    if (!play_one<Player>(setting, machine, job, place, results, stop)) return place;
  }
  return job.count;
}

}  // namespace

std::uint32_t HostBackend::play(const BlockJob& job, BlockResults& results, unsigned,
                                const std::atomic<bool>& stop) {
  const bool small = job.plan.small_numbers && numbers_ == Numbers::kSmallest;
  return with_player(job.plan.kind, [&](auto tag) {
    using Tag = decltype(tag);
    const auto with = [&](auto numbers, auto view) {
      return play_block<Tag, decltype(numbers), typename decltype(view)::type>(job, results, stop);
    };
    using Shared = std::type_identity<WorldView<1>>;
    using Fresh = std::type_identity<WorldView<0>>;
    if (small)
      return job.worlds.shared() ? with(SmallNumbers{}, Shared{}) : with(SmallNumbers{}, Fresh{});
    return job.worlds.shared() ? with(LargeNumbers{}, Shared{}) : with(LargeNumbers{}, Fresh{});
  });
}

}  // namespace armature::cuda
