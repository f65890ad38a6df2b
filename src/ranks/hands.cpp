#include "ranks/hands.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

namespace armature::ranks {

Hands::Hands(unsigned threads, Compute compute) : compute_(std::move(compute)) {
  try {
    for (unsigned i = 0; i < std::max(1u, threads); ++i) crew_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    // Those that were begun would wait for ever, and whoever joins them too.
    end();
    throw Error({"", "threads", fmt::format("room for {}", crew_.size()),
                 fmt::format("room for {}; --threads asks for fewer", threads)});
  }
}

Hands::~Hands() { end(); }

void Hands::end() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    ending_ = true;
    waiting_.clear();
  }
  orders_came_.notify_all();
}

void Hands::give(const std::vector<Order>& orders) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.insert(waiting_.end(), orders.begin(), orders.end());
  }
  orders_came_.notify_all();
}

Hands::Done Hands::take() {
  const std::lock_guard lock(mutex_);
  Done done = std::exchange(done_, {});
  done.waiting = waiting_.size();
  return done;
}

void Hands::wait(std::chrono::microseconds longest) {
  std::unique_lock lock(mutex_);
  block_ended_.wait_for(lock, longest, [this] { return !done_.nothing(); });
}

void Hands::work() {
  // A check that fails here is told to rank 0, which knows what to do about it.
  const ThrowingChecks checks;
  for (;;) {
    Order order;
    {
      std::unique_lock lock(mutex_);
      orders_came_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
      if (ending_) return;
      order = waiting_.front();
      waiting_.pop_front();
    }
    Computed block{order.number, {}};
    std::exception_ptr failure;
    try {
      block.result = compute_(order, stop_);
    } catch (...) {
      failure = std::current_exception();
    }
    {
      const std::lock_guard lock(mutex_);
      if (failure)
        done_.failures.push_back({order, std::move(failure)});  // no copy is left to this thread
      else
        done_.blocks.push_back(std::move(block));
    }
    block_ended_.notify_one();
  }
}

}  // namespace armature::ranks
