#include "ranks/worker.h"

#include <fmt/format.h>
#include <unistd.h>

#include <future>
#include <thread>

#include "base/machine.h"
#include "study/build.h"
#include "study/stage.h"

namespace armature::ranks {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kShortestPoll = 50us;
constexpr auto kLongestPoll = 3200us;
constexpr auto kHeartbeat = 5s;
// Results are kept for so long, so that short blocks share a message; or until they are so many.
constexpr auto kLongestKept = 20ms;
constexpr std::size_t kMostKept = 4 << 20;  // bytes
constexpr auto kFarewell = 50ms;
constexpr auto kSuspended = 1s;

// Roughly: it only decides when to send.
std::size_t bytes_of(const BlockResult& result) {
  std::size_t bytes = 0;
  for (const Replication& one : result.replications)
    bytes += 64 + 8 * (one.regret.size() + one.pulls.size()) +
             64 * (one.diagnostics.size() + 2 * one.shares.size());
  return bytes;
}

Failed failure_of(const std::exception_ptr& why, std::optional<std::uint32_t> number) {
  try {
    std::rethrow_exception(why);
  } catch (const Error& error) {
    return {0, number, error.report()};
  } catch (const std::bad_alloc&) {
    return {0, number, {"", "memory", "less than this needs", "a smaller problem, or more of it"}};
  } catch (const std::exception& error) {
    return {0, number, {"", "unexpected", error.what(), ""}};
  }
}

// One rank's work for rank 0.
class Worker {
 public:
  Worker(Transport& transport, const WorkerOptions& options)
      : transport_(transport), options_(options) {}

  WorkerEnd run(const Hello& hello) {
    send(hello);
    auto poll = kShortestPoll;
    for (looked_ = heard_ = Clock::now();;) {
      bool moved = false;
      while (hear()) {
        moved = true;
        if (!home_) continue;
        hands_.reset();  // blocks under way end as soon as they look
        send(Gone{});
        return WorkerEnd::kSentHome;
      }
      if (options_.told_to_end && *options_.told_to_end) {
        say_farewell();
        return WorkerEnd::kToldToEnd;
      }
      moved = begin_when_read() || moved;
      moved = collect() || moved;
      if (Clock::now() - spoken_ > kHeartbeat) send(Alive{});
      if (moved) {
        poll = kShortestPoll;
        continue;
      }
      if (misses_rank_zero()) return WorkerEnd::kRankZeroSilent;
      if (hands_)
        hands_->wait(poll);
      else
        std::this_thread::sleep_for(poll);
      poll = std::min(2 * poll, kLongestPoll);
    }
  }

 private:
  void send(const Message& message) {
    transport_.send(0, write_message(message));
    spoken_ = Clock::now();
  }

  bool hear() {
    const auto received = transport_.receive();
    if (!received) return false;
    heard_ = Clock::now();
    Message message = read_message(received->message);
    if (auto* stage = std::get_if<Stage>(&message)) read(std::move(*stage));
    if (const auto* blocks = std::get_if<Blocks>(&message); blocks && blocks->stage == stage_) {
      if (hands_)
        hands_->give(blocks->orders);
      else
        early_.insert(early_.end(), blocks->orders.begin(), blocks->orders.end());
      computing_ = true;
    }
    if (std::holds_alternative<Pause>(message)) computing_ = false;
    if (std::holds_alternative<Call>(message)) send(Alive{});
    if (std::holds_alternative<Stop>(message)) {
      stopping_ = true;
      if (hands_) hands_->stop();
    }
    if (std::holds_alternative<End>(message)) home_ = true;
    return true;
  }

  // While rank 0 computes it speaks every few seconds. Before that, and between stages, it may plan
  // for hours, and whoever started the job looks after it. Time in which this process did not run
  // itself (a job that was suspended) is nobody's silence.
  bool misses_rank_zero() {
    const auto now = Clock::now();
    if (now - looked_ > kSuspended) heard_ += now - looked_;
    looked_ = now;
    return computing_ && now - heard_ > options_.silence;
  }

  // A large study takes long to plan: meanwhile somebody must be there to answer.
  void read(Stage stage) {
    hands_.reset();
    kept_ = {};
    kept_bytes_ = 0;
    early_.clear();
    computing_ = stopping_ = false;
    stage_ = stage.stage;
    threads_ = stage.threads;
    reading_ = std::async(std::launch::async, [text = std::move(stage.text), this] {
      const ThrowingChecks checks;
      return options_.read_stage(text);
    });
  }

  bool begin_when_read() {
    if (!reading_.valid() || reading_.wait_for(0s) != std::future_status::ready) return false;
    try {
      hands_.emplace(threads_, reading_.get());
      if (stopping_) hands_->stop();
      hands_->give(std::exchange(early_, {}));
    } catch (...) {
      send_failure(std::current_exception(), std::nullopt);
    }
    return true;
  }

  void send_failure(const std::exception_ptr& why, std::optional<std::uint32_t> number) {
    Failed failed = failure_of(why, number);
    failed.stage = stage_;
    send(failed);
  }

  // Has anything ended? It is sent as soon as a thread may be without work, or has waited long.
  bool collect() {
    if (!hands_) return false;
    Hands::Done done = hands_->take();
    for (Computed& block : done.blocks) {
      if (kept_.blocks.empty()) kept_since_ = Clock::now();
      kept_bytes_ += bytes_of(block.result);
      kept_.blocks.push_back(std::move(block));
      // Here, so that one message stays small, however many have ended at once.
      if (kept_bytes_ > kMostKept) send_kept();
    }
    for (const Hands::Failure& failure : done.failures)
      send_failure(failure.why, failure.order.number);
    if (!kept_.blocks.empty() && (done.waiting == 0 || Clock::now() - kept_since_ > kLongestKept))
      send_kept();
    return !done.nothing();
  }

  void send_kept() {
    kept_.stage = stage_;
    send(std::exchange(kept_, {}));
    kept_bytes_ = 0;
  }

  // What is finished is not lost with the rest.
  void say_farewell() {
    collect();
    if (!kept_.blocks.empty()) send_kept();
    send(Farewell{});
    // A message leaves while its sender looks for others.
    for (const auto end = Clock::now() + kFarewell; Clock::now() < end;
         std::this_thread::sleep_for(1ms))
      transport_.receive();
  }

  Transport& transport_;
  const WorkerOptions& options_;
  std::optional<Hands> hands_;
  Results kept_;
  std::size_t kept_bytes_ = 0;
  Clock::time_point kept_since_, heard_, spoken_, looked_;
  std::uint32_t stage_ = 0;
  unsigned threads_ = 1;
  std::vector<Order> early_;  // that came before the stage was read
  bool home_ = false, computing_ = false, stopping_ = false;
  std::future<Compute> reading_;  // last: it uses the others
};

}  // namespace

Compute cells_of_stage(const std::string& stage) {
  const auto cells = std::make_shared<const std::vector<Cell>>(cells_of(read_stage(stage)));
  return [cells](const Order& order, const std::atomic<bool>& stop) {
    return run_block(cells->at(order.cell), order.range, stop);
  };
}

Hello hello_of_this_process() {
  return {build(), host_name(), getpid(), cores_allowed(), cores_given(), {}};
}

WorkerEnd work_for_rank_zero(Transport& transport, const Hello& hello,
                             const WorkerOptions& options) {
  return Worker(transport, options).run(hello);
}

}  // namespace armature::ranks
