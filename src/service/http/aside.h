// Work that may wait for a disk, on threads of its own: connections are not kept waiting by it, and
// a long one does not keep the others waiting.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

namespace armature::service::http {

class Aside {
 public:
  /// At most so many wait.
  explicit Aside(unsigned threads = 4,
                 std::size_t most_waiting = std::numeric_limits<std::size_t>::max())
      : most_waiting_(most_waiting) {
    for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  }
  ~Aside() { stop(); }
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;

  /// Any thread; from within such work, too. False: as many as may wait are waiting.
  bool run(std::function<void()> work) {
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) return true;  // and with it goes whatever waits for it
      if (waiting_.size() >= most_waiting_) return false;
      waiting_.push_back(std::move(work));
    }
    wake_.notify_one();
    return true;
  }

  /// Ends what has begun, drops what has not and what comes later.
  void stop() {
    std::deque<std::function<void()>> dropped;
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
      dropped.swap(waiting_);
    }
    wake_.notify_all();
    for (std::thread& thread : threads_)
      if (thread.joinable()) thread.join();
  }

 private:
  void work() {
    for (;;) {
      std::function<void()> work;
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return stopping_ || !waiting_.empty(); });
        if (stopping_) return;
        work = std::move(waiting_.front());
        waiting_.pop_front();
      }
      work();
    }
  }

  const std::size_t most_waiting_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> waiting_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;  // last: they use the others
};

}  // namespace armature::service::http
