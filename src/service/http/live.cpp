#include "service/http/live.h"

#include <fmt/format.h>

#include <optional>
#include <random>
#include <utility>

#include "base/text.h"
#include "service/http/views.h"

namespace armature::service::http {
namespace {

constexpr int kQuietTicks = 15;  // proxies close lines on which nothing comes

// A text with its share of the memory there is for such.
struct Held {
  std::string text;
  Budget::Share share;
};

}  // namespace

std::string Live::new_run() { return fmt::format("{:08x}", std::random_device()()); }

class Live::Follower final : public Pieces, public std::enable_shared_from_this<Follower> {
 public:
  Follower(std::shared_ptr<Live> live, std::string experiment, std::uint64_t last,
           std::function<bool()> allowed)
      : live_(std::move(live)),
        experiment_(std::move(experiment)),
        last_(last),
        allowed_(std::move(allowed)) {}

  void next(Ready ready) override {
    // The first message comes at once; from then on ticks give the pace.
    if (!std::exchange(fresh_, false)) return live_->wait(shared_from_this(), std::move(ready));
    live_->aside_([self = shared_from_this(), ready = std::move(ready)]() mutable {
      if (Text message = self->news())
        ready({Piece::Kind::kMore, std::move(message)});
      else
        self->live_->wait(self, std::move(ready));
    });
  }

  /// What is to be sent at a tick; none: not yet.
  std::optional<Piece> on_tick() {
    if (!allowed_()) return Piece{Piece::Kind::kEnd};
    Text message = news();
    if (!message && ++quiet_ >= kQuietTicks)
      message = std::make_shared<const std::string>(": still here\n\n");
    if (!message) return std::nullopt;
    quiet_ = 0;
    return Piece{Piece::Kind::kMore, std::move(message)};
  }

 private:
  Text news() {
    Rendered found = live_->news(experiment_, last_);
    if (found.text) last_ = found.number;
    return found.text;
  }

  std::shared_ptr<Live> live_;
  std::string experiment_;
  std::uint64_t last_;
  std::function<bool()> allowed_;
  bool fresh_ = true;
  int quiet_ = 0;
};

// Numbers begin anew with the process: those of another one say nothing about this one's.
std::optional<std::uint64_t> Live::number_in(const std::string& id) const {
  if (id.empty()) return 0;
  const std::size_t dash = id.find('-');
  if (dash == std::string::npos) return std::nullopt;
  const auto number = parse_integer(id.substr(dash + 1));
  if (!number) return std::nullopt;
  return id.substr(0, dash) == run_ ? *number : 0;
}

std::shared_ptr<Pieces> Live::follow(std::string experiment, std::uint64_t last,
                                     std::function<bool()> allowed) {
  return std::make_shared<Follower>(shared_from_this(), std::move(experiment), last,
                                    std::move(allowed));
}

Live::Rendered Live::news(const std::string& experiment, std::uint64_t last) {
  const auto summary = service_.summary(experiment);
  if (!summary || summary->number <= last) return {};
  const std::lock_guard lock(rendered_mutex_);
  Rendered& newest = rendered_[experiment];
  if (newest.text && newest.number >= summary->number) return newest;
  newest = {};
  std::string text = fmt::format("id: {}-{}\nevent: summary\ndata: {}\n\n", run_, summary->number,
                                 experiment_view(*summary));
  Budget::Share share = budget_.take(text.size());
  if (!share) return {};
  const auto held = std::make_shared<Held>(Held{std::move(text), std::move(share)});
  newest = {summary->number, Text(held, &held->text)};
  return newest;
}

void Live::wait(std::shared_ptr<Follower> follower, Pieces::Ready ready) {
  {
    const std::lock_guard lock(mutex_);
    if (!stopped_) {
      waiting_.push_back({std::move(follower), std::move(ready)});
      return;
    }
  }
  ready({Pieces::Piece::Kind::kEnd});
}

void Live::tick() {
  if (telling_.exchange(true)) return;  // the last tick is still at work
  aside_([self = shared_from_this()] {
    self->tell();
    self->telling_ = false;
  });
}

void Live::tell() {
  std::list<Waiting> asked;
  {
    const std::lock_guard lock(mutex_);
    asked.swap(waiting_);
  }
  for (Waiting& one : asked) {
    if (std::optional<Pieces::Piece> piece = one.follower->on_tick())
      one.ready(std::move(*piece));
    else
      wait(std::move(one.follower), std::move(one.ready));
  }
  // What nobody is being sent need not be kept.
  const std::lock_guard lock(rendered_mutex_);
  std::erase_if(rendered_, [](const auto& one) { return one.second.text.use_count() <= 1; });
}

void Live::stop() {
  std::list<Waiting> waiting;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    waiting.swap(waiting_);
  }
  for (Waiting& one : waiting) one.ready({Pieces::Piece::Kind::kEnd});
}

}  // namespace armature::service::http
