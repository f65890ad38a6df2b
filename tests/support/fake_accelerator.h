// An accelerator without a device: blocks are stepped by the thread that asks for them, and what
// was asked is remembered.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "armature/error.h"
#include "armature/lab.h"
#include "simulate/accelerator.h"

namespace armature::test {

class FakeAccelerator final : public Accelerator {
 public:
  struct Asked {
    std::string policy;
    ReplicationRange range;
    unsigned device;
  };

  std::string name() const override { return "a fake GPU"; }
  unsigned devices() const override { return count; }
  std::string obstacle(const Cell& cell, const World& world) const override {
    if (world.instance == nullptr) return "it has no world";
    for (const std::string& policy : cannot_play)
      if (cell.policy.starts_with(policy)) return "it has no kernel";
    return "";
  }
  std::uint32_t replications_per_block(const Cell&) const override { return per_block; }
  double seconds_of_one(const Cell& cell) const override {
    return seconds ? *seconds : Accelerator::seconds_of_one(cell);
  }
  BlockResult run(const Cell& cell, ReplicationRange range, unsigned device,
                  const std::atomic<bool>& stop) override {
    {
      const std::lock_guard lock(mutex_);
      asked_.push_back({cell.policy, range, device});
      if (asked_.size() > fails_after) throw Error({"", "GPU", "an illegal address", "none"});
    }
    if (compute) return compute(cell, range);
    Cell stepped = cell;
    stepped.engine = Engine::kStep;
    return run_block(stepped, range, stop);
  }

  std::vector<Asked> asked() const {
    const std::lock_guard lock(mutex_);
    return asked_;
  }
  std::set<std::string> policies() const {
    std::set<std::string> names;
    for (const Asked& one : asked()) names.insert(one.policy.substr(0, one.policy.find(':')));
    return names;
  }

  unsigned count = 1;
  std::set<std::string> cannot_play = {"ts"};
  std::uint32_t per_block = 4;
  std::optional<double> seconds = {};  // of one replication; else such that a block takes one
  std::size_t fails_after = SIZE_MAX;
  std::function<BlockResult(const Cell&, ReplicationRange)> compute = {};  // instead of stepping

 private:
  mutable std::mutex mutex_;
  std::vector<Asked> asked_;
};

/// Hooks that lead to an accelerator, and what they were told and asked.
struct FakeMachine {
  std::shared_ptr<FakeAccelerator> accelerator = std::make_shared<FakeAccelerator>();
  std::vector<std::string> notices = {};
  int opened = 0;

  RunHooks hooks(unsigned threads = 2) {
    RunHooks hooks;
    hooks.threads = threads;
    hooks.notice = [this](const std::string& words) { notices.push_back(words); };
    hooks.accelerator = [this]() -> std::shared_ptr<Accelerator> {
      ++opened;
      if (!accelerator) throw Error({"", "engine", "cuda, and no device: none is there", "a GPU"});
      return accelerator;
    };
    return hooks;
  }
};

}  // namespace armature::test
