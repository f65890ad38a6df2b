#include "lab/placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "armature/error.h"
#include "base/text.h"

namespace armature {
namespace {

// A device is faster the more replications it has at one time, but a block's results wait in memory
// until they are all there…
constexpr double kMostBlockBytes = 512 << 20;
constexpr double kMemoryForBlocks = .25;  // …and all at work together take no more than this

bool asked_for(const std::vector<Cell>& cells) {
  return std::any_of(cells.begin(), cells.end(),
                     [](const Cell& cell) { return cell.engine == Engine::kCuda; });
}

bool own_parts(const Cell& cell) { return cell.make_policy || cell.make_environment || cell.watch; }

// Under `auto` only what would be stepped anyway: where leaping pays, it beats every device.
bool stepped(const Cell& cell) { return engine_for(cell, *cell.world(0)) == Engine::kStep; }

bool wanted_there(const Cell& cell, std::uint32_t replications) {
  return cell.engine == Engine::kAuto && replications >= kReplicationsWorthADevice && stepped(cell);
}

bool worth_a_device(const std::vector<Cell>& cells, std::uint32_t replications) {
  const auto rounds = [&](const auto& counts) {
    double sum = 0;
    for (const Cell& cell : cells)
      if (cell.engine == Engine::kAuto && counts(cell))
        sum += static_cast<double>(cell.horizon) * replications;
    return sum;
  };
  // From cheap to dear: to know who steps, policies are built.
  return replications >= kReplicationsWorthADevice &&
         rounds([](const Cell&) { return true; }) >= kRoundsWorthADevice &&
         rounds(stepped) >= kRoundsWorthADevice;
}

std::shared_ptr<Accelerator> open_wanted(const std::vector<Cell>& cells, std::uint32_t replications,
                                         const RunHooks& hooks) {
  if (asked_for(cells)) {
    if (!hooks.accelerator)
      throw Error({"", "engine", "cuda, and no way to a device from here",
                   "auto, step or leap; or the command armature, which opens GPUs"});
    return hooks.accelerator();
  }
  // Many ranks are a choice somebody made: `auto` does not put one device in their place.
  if (!hooks.accelerator || hooks.crew || !worth_a_device(cells, replications)) return nullptr;
  try {
    return hooks.accelerator();
  } catch (const Error&) {  // most machines have none
    return nullptr;
  }
}

std::string name_of(const Cell& cell) { return cell.policy.substr(0, cell.policy.find(':')); }

// Policies in the order of the plan, each once; and once for each reason, where there are several.
class Reasons {
 public:
  void add(const Cell& cell, const std::string& why) {
    std::pair<std::string, std::string> reason{name_of(cell), why};
    if (std::find(list_.begin(), list_.end(), reason) == list_.end())
      list_.push_back(std::move(reason));
  }
  std::vector<std::string> words() const {
    std::vector<std::string> words;
    for (const auto& [policy, why] : list_) words.push_back(policy + ": " + why);
    return words;
  }

 private:
  std::vector<std::pair<std::string, std::string>> list_;
};

}  // namespace

Placement place_cells(const std::vector<Cell>& cells, std::uint32_t replications,
                      const RunHooks& hooks, Unplayable unplayable) {
  Placement placement;
  const std::shared_ptr<Accelerator> accelerator = open_wanted(cells, replications, hooks);
  if (!accelerator) return placement;

  Reasons against;
  std::vector<std::string> there;
  for (const Cell& cell : cells) {
    placement.per_block.push_back(0);
    placement.seconds.push_back(0);
    if (cell.engine != Engine::kCuda && !wanted_there(cell, replications)) continue;
    const std::string why =
        own_parts(cell) ? "it is of the caller's own" : accelerator->obstacle(cell, *cell.world(0));
    if (!why.empty()) {
      against.add(cell, why);
      continue;
    }
    // Every device has its part, but none a block too small to fill it.
    constexpr std::uint32_t kFills = 100'000;
    const std::uint32_t part = (replications - 1) / accelerator->devices() + 1;
    placement.per_block.back() =
        std::clamp(accelerator->replications_per_block(cell), 1u, std::max(part, kFills));
    placement.seconds.back() = accelerator->seconds_of_one(cell);
    if (const std::string name = name_of(cell);
        std::find(there.begin(), there.end(), name) == there.end())
      there.push_back(name);
  }
  if (there.empty()) {
    if (asked_for(cells) && unplayable == Unplayable::kError)
      throw Error({"", "engine",
                   fmt::format("cuda, but {} can compute nothing of this ({})", accelerator->name(),
                               join(against.words(), "; ")),
                   "step or auto here; docs/gpu.md tells what runs where"});
    return {};
  }
  placement.accelerator = accelerator;
  const std::string devices =
      accelerator->devices() > 1 ? fmt::format("{} × ", accelerator->devices()) : "";
  placement.notes.push_back(
      fmt::format("on {}{}: {}", devices, accelerator->name(), join(there, ", ")));
  for (const std::string& words : against.words())
    placement.notes.push_back("stepped on the CPU: " + words);
  return placement;
}

double most_device_block_bytes(const Accelerator& accelerator, std::uint64_t memory) {
  const double blocks = accelerator.devices() * accelerator.blocks_at_once();
  return std::min(kMostBlockBytes, kMemoryForBlocks * static_cast<double>(memory) / blocks);
}

}  // namespace armature
