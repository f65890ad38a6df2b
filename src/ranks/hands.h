// The computing threads of one rank: blocks go in, results come out, and the thread that talks to
// the other ranks never computes.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "ranks/message.h"

namespace armature::ranks {

/// How a block is computed. From many threads at once.
using Compute = std::function<BlockResult(const Order&, const std::atomic<bool>& stop)>;

class Hands {
 public:
  Hands(unsigned threads, Compute compute);
  /// Ends blocks under way as soon as they look; what is not taken by then is lost.
  ~Hands();
  Hands(const Hands&) = delete;
  Hands& operator=(const Hands&) = delete;

  unsigned threads() const { return static_cast<unsigned>(crew_.size()); }
  void give(const std::vector<Order>& orders);
  /// From now on blocks end with what is finished of them, perhaps nothing.
  void stop() { stop_ = true; }

  struct Failure {
    Order order;
    std::exception_ptr why;
  };
  struct Done {
    std::vector<Computed> blocks;
    std::vector<Failure> failures;
    std::size_t waiting = 0;  // blocks that no thread has begun

    bool nothing() const { return blocks.empty() && failures.empty(); }
  };
  /// What has ended since this was last asked.
  Done take();
  /// Until something has ended, or for so long.
  void wait(std::chrono::microseconds longest);

 private:
  void work();
  void end();

  Compute compute_;
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::condition_variable orders_came_, block_ended_;
  std::deque<Order> waiting_;
  Done done_;
  bool ending_ = false;
  std::vector<std::jthread> crew_;  // last: threads see all the others
};

}  // namespace armature::ranks
