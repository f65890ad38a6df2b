#include "ranks/worker.h"

#include <fmt/format.h>
#include <unistd.h>

#include <thread>

#include "base/machine.h"
#include "study/build.h"
#include "study/stage.h"

namespace armature::ranks {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kShortestPoll = 50us;
constexpr auto kLongestPoll = 2000us;
constexpr auto kHeartbeat = 5s;
// Results are kept for so long, so that short blocks share a message; or until they are so many.
constexpr auto kLongestKept = 20ms;
constexpr std::size_t kMostKept = 4 << 20;  // bytes
constexpr auto kFarewell = 50ms;

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
    return {number, error.report()};
  } catch (const std::bad_alloc&) {
    return {number, {"", "memory", "less than this needs", "a smaller problem, or more of it"}};
  } catch (const std::exception& error) {
    return {number, {"", "unexpected", error.what(), ""}};
  }
}

// One rank's work for rank 0.
class Worker {
 public:
  Worker(Transport& transport, const WorkerOptions& options)
      : transport_(transport), options_(options) {}

  WorkerEnd run(const Hello& hello) {
    send(hello);
    heard_ = Clock::now();
    auto poll = kShortestPoll;
    while (!home_) {
      bool moved = false;
      while (!home_ && hear()) moved = true;
      if (home_) break;
      if (options_.told_to_end && *options_.told_to_end) {
        say_farewell();
        return WorkerEnd::kToldToEnd;
      }
      moved = collect() || moved;
      if (Clock::now() - spoken_ > kHeartbeat) send(Alive{});
      if (moved) {
        poll = kShortestPoll;
        continue;
      }
      if (Clock::now() - heard_ > options_.silence) return WorkerEnd::kRankZeroSilent;
      if (hands_)
        hands_->wait(poll);
      else
        std::this_thread::sleep_for(poll);
      poll = std::min(2 * poll, kLongestPoll);
    }
    return WorkerEnd::kSentHome;
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
    if (const auto* stage = std::get_if<Stage>(&message)) begin(*stage);
    if (const auto* blocks = std::get_if<Blocks>(&message); blocks && hands_)
      hands_->give(blocks->orders);
    if (std::holds_alternative<Call>(message)) send(Alive{});
    if (std::holds_alternative<Stop>(message) && hands_) hands_->stop();
    if (std::holds_alternative<End>(message)) home_ = true;
    return true;
  }

  void begin(const Stage& stage) {
    hands_.reset();
    try {
      hands_.emplace(stage.threads, options_.read_stage(stage.text));
    } catch (...) {
      send(failure_of(std::current_exception(), std::nullopt));
    }
  }

  // Has anything ended? It is sent as soon as a thread may be without work, or has waited long.
  bool collect() {
    if (!hands_) return false;
    Hands::Done done = hands_->take();
    for (Computed& block : done.blocks) {
      if (kept_.blocks.empty()) kept_since_ = Clock::now();
      kept_bytes_ += bytes_of(block.result);
      kept_.blocks.push_back(std::move(block));
    }
    for (const Hands::Failure& failure : done.failures)
      send(failure_of(failure.why, failure.order.number));
    if (!kept_.blocks.empty() && (done.waiting == 0 || kept_bytes_ > kMostKept ||
                                  Clock::now() - kept_since_ > kLongestKept)) {
      send(std::exchange(kept_, {}));
      kept_bytes_ = 0;
    }
    return !done.nothing();
  }

  // What is finished is not lost with the rest.
  void say_farewell() {
    collect();
    if (!kept_.blocks.empty()) send(std::exchange(kept_, {}));
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
  Clock::time_point kept_since_, heard_, spoken_;
  bool home_ = false;
};

}  // namespace

Compute cells_of_stage(const std::string& stage) {
  const auto cells = std::make_shared<const std::vector<Cell>>(cells_of(read_stage(stage)));
  return [cells](const Order& order, const std::atomic<bool>& stop) {
    return run_block(cells->at(order.cell), order.range, stop);
  };
}

Hello hello_of_this_process() {
  return {build(), host_name(), getpid(), cores_allowed(), cores_given()};
}

WorkerEnd work_for_rank_zero(Transport& transport, const Hello& hello,
                             const WorkerOptions& options) {
  return Worker(transport, options).run(hello);
}

}  // namespace armature::ranks
