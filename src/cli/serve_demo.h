// An experiment and a crowd of made-up users, so that a newcomer sees a service at work.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "armature/environment.h"
#include "service/service.h"

namespace armature::cli {

/// The experiment is called `demo-mail`. What its policy is told looks like a world where contexts
/// tell everything; the crowd does not behave like that, and sentry finds out within a minute or
/// so.
class DemoCrowd {
 public:
  /// Creates the experiment if it is not there, and begins.
  explicit DemoCrowd(service::Service& service);
  ~DemoCrowd();
  DemoCrowd(const DemoCrowd&) = delete;
  DemoCrowd& operator=(const DemoCrowd&) = delete;

 private:
  struct Mail {
    std::string decision;
    Outcome outcome;
    bool seen_told = false;
  };
  void live();
  std::vector<service::Answer> ask_all(std::vector<service::Request> requests);
  void send_mails();
  void come_back();

  service::Service& service_;
  Instance world_;
  OutcomeTables tables_;
  Environment users_;
  Stream habits_;
  std::uint64_t moment_ = 0;
  std::multimap<std::uint64_t, Mail> coming_back_;  // by moment
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace armature::cli
