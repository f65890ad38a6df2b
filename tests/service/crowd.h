// Clients that outlive the servers they ask: what is not answered they ask again, with the same
// key, and what was acknowledged they remember.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "armature/random.h"
#include "service/http_serving.h"
#include "service/promises.h"

namespace armature::service::test {

/// Asks until there is an answer that is one, of whoever is there.
using Insist = std::function<Reply(const std::string& target, const std::string& body,
                                   const std::string& headers)>;

/// Decides and reports, one request in ten twice, outcomes whole or in two steps.
class Visitor {
 public:
  Visitor(Insist insist, std::uint32_t number, std::vector<std::string> experiments)
      : insist_(std::move(insist)),
        number_(number),
        experiments_(std::move(experiments)),
        luck_({31, number, Purpose::kTest}) {}

  /// A decision, and perhaps an outcome. Throws what no client should see.
  void visit() {
    decide();
    if (by_chance(0.3)) return;
    const std::size_t which = static_cast<std::size_t>(luck_.next_u64() % open_.size());
    const std::string decision = open_[which];
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(which));
    report(decision);
  }

  Promises promises;

 private:
  bool by_chance(double probability) { return luck_.open_uniform() < probability; }

  Reply ask(const std::string& target, const std::string& body, const std::string& headers = "") {
    Reply reply = insist_(target, body, headers);
    if (reply.status != 200)
      throw std::runtime_error(fmt::format("{}: {} {}", target, reply.status, reply.body));
    return reply;
  }

  void decide() {
    const std::string& experiment = experiments_[luck_.next_u64() % experiments_.size()];
    const std::string key = fmt::format("{}-{}", number_, count_++);
    const bool in_header = by_chance(0.5);
    const std::string body = in_header ? "" : "{\"key\": \"" + key + "\"}";
    const std::string header = in_header ? "Idempotency-Key: " + key + "\r\n" : "";
    const std::string target = "/v1/experiments/" + experiment + "/decide";
    const nlohmann::json first = ask(target, body, header).json();
    promises.decided(first.at("decision"), first.at("action"), key);
    open_.push_back(first.at("decision"));
    if (!by_chance(0.1)) return;
    const nlohmann::json again = ask(target, body, header).json();
    for (const char* field : {"decision", "action"})
      if (again.at(field) != first.at(field))
        throw std::runtime_error(
            fmt::format("the key {} had {}, and then {}", key, first.dump(), again.dump()));
  }

  void report(const std::string& decision) {
    const double reward = luck_.open_uniform();
    if (by_chance(0.4)) {
      tell(decision, "{\"context\": \"opened\"}", "waiting");
      promises.told(decision, "opened", {});
      tell(decision, fmt::format("{{\"reward\": {}}}", reward), "learned");
    } else {
      tell(decision, fmt::format("{{\"context\": \"opened\", \"reward\": {}}}", reward), "learned");
    }
    promises.learned(decision, "opened", reward);
  }
  void tell(const std::string& decision, const std::string& outcome, const std::string& status) {
    for (int times = by_chance(0.1) ? 2 : 1; times > 0; --times) {
      const Reply reply = ask(path_of(decision) + "/outcome", outcome);
      if (reply.json().at("status") != status)
        throw std::runtime_error(decision + " should be " + status + ": " + reply.body);
    }
  }

  Insist insist_;
  std::uint32_t number_;
  std::vector<std::string> experiments_;
  Stream luck_;
  int count_ = 0;
  std::vector<std::string> open_;
};

/// Many of them, each on a thread of its own. What no client should see is a failure of the test.
class Crowd {
 public:
  Crowd(std::uint32_t first, std::uint32_t count, const std::vector<std::string>& experiments,
        const std::function<Insist(std::uint32_t number)>& manner) {
    for (std::uint32_t number = first; number < first + count; ++number)
      threads_.emplace_back([this, number, experiments, insist = manner(number)] {
        live(Visitor(counted(insist), number, experiments));
      });
  }
  ~Crowd() { stop(); }
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;

  /// Until so many more answers have come. False: nobody asks any more.
  bool wait_for(std::uint64_t more) {
    std::unique_lock lock(mutex_);
    heard_.wait(lock, [&, goal = told_ + more] { return told_ >= goal || ended_ > 0; });
    return ended_ == 0;
  }
  std::uint64_t told() {
    const std::lock_guard lock(mutex_);
    return told_;
  }
  void stop() {
    stopping_ = true;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  Promises promises;  // all clients', once they have stopped

 private:
  Insist counted(const Insist& insist) {
    return [this, insist](const auto& target, const auto& body, const auto& headers) {
      Reply reply = insist(target, body, headers);
      const std::lock_guard lock(mutex_);
      ++told_;
      heard_.notify_all();
      return reply;
    };
  }
  void live(Visitor visitor) {
    try {
      while (!stopping_) visitor.visit();
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
    const std::lock_guard lock(mutex_);
    promises.add(visitor.promises);
    if (!stopping_) ++ended_;
    heard_.notify_all();
  }

  std::atomic<bool> stopping_{false};
  std::mutex mutex_;
  std::condition_variable heard_;
  std::uint64_t told_ = 0;
  std::size_t ended_ = 0;  // before their time
  std::vector<std::thread> threads_;
};

}  // namespace armature::service::test
