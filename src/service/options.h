// How a service is run: limits, clock, disk.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "service/clock.h"
#include "service/summary.h"

namespace armature::service {

struct Options {
  const Clock* clock = &system_clock();
  std::uint64_t queued_requests = 65'536;  // more are refused: kBusy
  std::uint64_t queued_bytes = std::uint64_t{64} << 20;
  std::uint64_t batch_events = 4'096;  // in one commit
  std::uint64_t batch_bytes = std::uint64_t{4} << 20;
  std::uint64_t snapshot_events = 20'000;  // …or as many as decisions are open, if more
  Time snapshot_time = 60 * kSecond;       // with something new to keep
  std::uint64_t largest_snapshot = std::uint64_t{900} << 20;  // bytes; SQLite takes 10^9
  Time publish_every = kSecond / 10;     // and after the answers; 0: before them
  std::uint64_t most_cells = 1'000'000;  // |A||Z| of an experiment
  std::uint64_t most_experiments = 10'000;
  /// Room on the disk, asked once a second; below the floor decides are refused (kFull), so that
  /// reports still find room.
  std::function<std::uint64_t()> free_bytes;
  std::uint64_t disk_floor = std::uint64_t{256} << 20;
  /// Called on the writer's thread when what this one owns of a shared log has changed, and it has
  /// come to terms with that.
  std::function<void()> on_hands_changed;
  /// Called on the writer's thread: why something could not be taken over, or let go of.
  std::function<void(const std::string& why)> on_hands_trouble;
  /// Called on the writer's thread with what it publishes of its own: for those who show it
  /// elsewhere.
  std::function<void(std::shared_ptr<const Summary>)> on_summary;
  /// Called when the log, replayed beside the service (replay_check.h), gives something else than
  /// what is in memory. By a thread of its own.
  std::function<void(const std::string& what)> on_replay_mismatch;
  /// Called once, from the writer's thread, when the store can no longer be trusted (a failed
  /// sync). Everything is refused from then on: end the process, and let recovery find out.
  std::function<void(const std::string& why)> on_broken_store;
};

}  // namespace armature::service
