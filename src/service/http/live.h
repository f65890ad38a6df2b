// Experiments as they change, for pages: server-sent events, one message a tick at most. A summary
// is rendered once, aside, and all that follow the experiment are sent the same bytes.
#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "service/http/budget.h"
#include "service/http/message.h"
#include "service/service.h"

namespace armature::service::http {

class Live : public std::enable_shared_from_this<Live> {
 public:
  using Aside = std::function<void(std::function<void()>)>;
  /// Messages are held for as long as somebody is sent them: together no more than the budget,
  /// which outlives them. Who would be sent one more waits for the next tick.
  Live(const Service& service, Budget& budget, Aside aside)
      : service_(service), budget_(budget), aside_(std::move(aside)), run_(new_run()) {}

  /// The number of the message with this id; 0: another process sent it, or it is empty; none: it
  /// is no id.
  std::optional<std::uint64_t> number_in(const std::string& id) const;
  /// From the summary after number `last` on, for as long as it is allowed.
  std::shared_ptr<Pieces> follow(std::string experiment, std::uint64_t last,
                                 std::function<bool()> allowed);
  /// Once a second: tells those whose experiment has changed, and now and then the others that the
  /// line still stands.
  void tick();
  /// All of them end.
  void stop();

 private:
  class Follower;
  using Text = std::shared_ptr<const std::string>;
  struct Waiting {
    std::shared_ptr<Follower> follower;
    Pieces::Ready ready;
  };
  struct Rendered {
    std::uint64_t number = 0;
    Text text;
  };
  static std::string new_run();
  void wait(std::shared_ptr<Follower> follower, Pieces::Ready ready);
  void tell();
  /// What came after that number; none: nothing did, or there is no room for it.
  Rendered news(const std::string& experiment, std::uint64_t last);

  const Service& service_;
  Budget& budget_;
  const Aside aside_;
  const std::string run_;  // tells this process from others
  std::atomic<bool> telling_{false};
  std::mutex mutex_;  // of who waits
  std::list<Waiting> waiting_;
  bool stopped_ = false;
  std::mutex rendered_mutex_;
  std::map<std::string, Rendered> rendered_;  // the newest of each experiment that is followed
};

}  // namespace armature::service::http
