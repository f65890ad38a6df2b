// Ranks that are threads of one process: what a job of MPI is to the crew, for tests and benchmarks
// that must see both sides.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "ranks/transport.h"

namespace armature::test {

/// The lines between `size` ranks. A rank that is cut off is as one that has died.
class ThreadJob {
 public:
  explicit ThreadJob(int size) : boxes_(static_cast<std::size_t>(size)) {}

  std::unique_ptr<ranks::Transport> transport(int rank) {
    return std::make_unique<Line>(*this, rank);
  }
  void cut_off(int rank) { box(rank).cut = true; }
  const std::atomic<bool>& is_cut_off(int rank) { return box(rank).cut; }

 private:
  struct Box {
    std::mutex mutex;
    std::deque<ranks::Transport::Received> messages;
    std::atomic<bool> cut{false};
  };
  Box& box(int rank) { return boxes_[static_cast<std::size_t>(rank)]; }

  class Line final : public ranks::Transport {
   public:
    Line(ThreadJob& job, int rank) : job_(job), rank_(rank) {}
    int rank() const override { return rank_; }
    int size() const override { return static_cast<int>(job_.boxes_.size()); }
    void send(int to, std::string message) override {
      if (job_.box(rank_).cut || job_.box(to).cut) return;
      Box& box = job_.box(to);
      const std::lock_guard lock(box.mutex);
      box.messages.push_back({rank_, std::move(message)});
    }
    std::optional<Received> receive() override {
      Box& box = job_.box(rank_);
      const std::lock_guard lock(box.mutex);
      if (box.cut || box.messages.empty()) return std::nullopt;
      Received received = std::move(box.messages.front());
      box.messages.pop_front();
      return received;
    }
    void close() override {}
    void abort(int) noexcept override {}

   private:
    ThreadJob& job_;
    int rank_;
  };

  std::deque<Box> boxes_;  // a deque: boxes hold a mutex and stay where they are
};

}  // namespace armature::test
