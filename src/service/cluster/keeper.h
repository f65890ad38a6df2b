// A node's place among others on one PostgreSQL store: says that it is alive, sees who else is,
// takes what it should own and lets go of what it should not, shows others what it knows and is
// shown what they do. A thread of its own; what it decides is only ever a matter of speed, for the
// store lets nobody write who is not the owner.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "service/cluster/placement.h"
#include "service/cluster/places.h"
#include "service/postgres/registry.h"
#include "service/service.h"

namespace armature::service {

class Keeper final : public Places {
 public:
  struct Options {
    postgres::Registry::Options registry;
    /// For the log of the process: what, and more about it.
    std::function<void(const std::string& what, const std::string& detail)> tell;
    /// Another process has this one's name: end this one. On the keeper's thread.
    std::function<void()> on_replaced;
  };
  /// Enters: from now on this process is the node of its name. Throws Error.
  explicit Keeper(Options options);
  ~Keeper() override;  // stop()

  /// Begins to take what is this node's.
  void start(Service& service);
  /// Lets go of everything, so that others can have it, and waits until they do; who asks this node
  /// meanwhile is led there. No longer than this.
  void hand_over(std::chrono::milliseconds most);
  /// The thread ends, and the node is gone from the list.
  void stop();

  // For the service's Options, on the writer's thread.
  void note_summary(std::shared_ptr<const Summary> summary);
  void note_hands() { wake(); }

  /// Why this node can do nothing at the moment; empty: it can.
  std::string trouble() const;

  Place of_experiment(const std::string& name) const override;
  Place of_new(const std::string& name) const override;
  Place of_tokens() const override;
  void look_again(std::function<void()> then) override;

 private:
  using Clock = std::chrono::steady_clock;

  void work();
  void pass();
  void look();
  void plan();
  bool has_leftovers() const;
  void show();
  void wake();
  Place place_of(const OwnedView& one) const;
  bool owns(ExperimentId experiment) const;
  ClusterView trusted(ClusterView view) const;
  void note_failure(const std::string& why);
  void tell_looks();

  const Options options_;
  const std::chrono::milliseconds renew_every_;
  postgres::Registry registry_;
  Service* service_ = nullptr;

  // The thread's own.
  Clock::time_point renew_at_{};
  Clock::time_point show_at_{};
  Clock::time_point trust_at_{};    // before this nobody of…
  std::set<std::string> presumed_;  // …these is taken for dead
  std::set<std::string> heard_;     // alive when last looked at
  bool said_leaving_ = false;
  bool entered_ = false;
  Clock::time_point look_at_{};  // not before this
  bool look_due_ = true;
  bool summaries_due_ = true;
  std::map<ExperimentId, Clock::time_point> not_before_;  // takes that came to nothing

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  ClusterView view_;
  std::map<std::string, std::size_t> by_name_;  // of view_.experiments
  std::vector<std::function<void()>> looks_;    // who wants to be told
  std::map<std::string, std::shared_ptr<const Summary>> unshown_;
  std::set<std::string> noted_;  // names that came there
  std::string trouble_ = "not begun";
  bool show_now_ = false;  // there is one that nobody has heard of
  bool settled_ = false;   // has taken what was its own at the start
  bool handing_ = false;   // the service is changing hands…
  bool handed_ = false;    // …or has since the last look
  bool leaving_ = false;
  bool stopping_ = false;
  int wake_[2] = {-1, -1};  // a pipe: the thread waits on it and on the store at once
  std::thread thread_;
};

}  // namespace armature::service
