#include "service/cluster/keeper.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace armature::service {
namespace {

constexpr std::size_t kMostLeaving = 4;  // on their way, when another node should have them
constexpr std::size_t kMostTaken = 16;   // at a time: then whoever asks about others has a turn
constexpr Time kStuck = 10 * kSecond;    // with one batch: give that node nothing more
constexpr std::size_t kMostShown = 64;   // summaries at a time; the others have their turn later
constexpr std::chrono::milliseconds kShowEvery{1'000};
constexpr std::chrono::milliseconds kAfterFailure{250};

}  // namespace

Keeper::Keeper(Options options)
    : options_(std::move(options)),
      renew_every_(options_.registry.lease / 3),
      registry_(options_.registry) {
  try {
    registry_.enter();
  } catch (const postgres::Failure& failure) {
    throw Error(failure.report());
  }
  if (pipe2(wake_, O_NONBLOCK | O_CLOEXEC) != 0)
    throw Error({"", "pipe", "none to be had", "a descriptor"});
  entered_ = true;
}

Keeper::~Keeper() {
  stop();
  for (const int end : wake_)
    if (end >= 0) ::close(end);
}

void Keeper::start(Service& service) {
  service_ = &service;
  thread_ = std::thread([this] { work(); });
}

void Keeper::wake() {
  const char any = 0;
  [[maybe_unused]] const auto full_is_as_good = ::write(wake_[1], &any, 1);
}

// --- The thread ----------------------------------------------------------------------------------

void Keeper::work() {
  const ThrowingChecks checks;
  for (;;) {
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) return;
    }
    auto wait = kAfterFailure;
    try {
      pass();
      auto until = std::min(renew_at_, show_at_);
      if (look_due_) until = std::min(until, look_at_);
      wait = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
      wait = std::max(wait, std::chrono::milliseconds(1));
      registry_.wait(wait, wake_[0]);
    } catch (const std::exception& error) {
      note_failure(error.what());
      std::this_thread::sleep_for(wait);
    }
    for (char bytes[64]; ::read(wake_[0], bytes, sizeof bytes) > 0;) look_due_ = true;
  }
}

void Keeper::pass() {
  bool leaving = false;
  bool out_of_touch = false;
  bool show_now = false;
  {
    const std::lock_guard lock(mutex_);
    leaving = leaving_ || service_->writer_busy() > kStuck;
    out_of_touch = !trouble_.empty();
    show_now = std::exchange(show_now_, false);
  }
  const auto now = Clock::now();
  if (now >= renew_at_ || out_of_touch || leaving != said_leaving_) {
    if (!registry_.renew(!leaving)) {
      options_.tell("replaced", "another process is the node " + options_.registry.node);
      return options_.on_replaced();
    }
    renew_at_ = now + renew_every_;
    said_leaving_ = leaving;
    look_due_ = true;
  }
  // While the store did not answer nobody could say that he is alive: each has a lease's time.
  if (out_of_touch) trust_at_ = now + options_.registry.lease;
  const postgres::Registry::News news = registry_.news();
  look_due_ = look_due_ || news.hands;
  summaries_due_ = summaries_due_ || news.summaries;
  if (look_due_ && now >= look_at_) look();
  plan();
  if (leaving && has_leftovers()) registry_.disown_all();
  if (now >= show_at_ || summaries_due_ || show_now) show();
}

// Whoever asked for a look is told, whatever comes of it.
void Keeper::look() {
  const auto begin = Clock::now();
  look_due_ = false;
  std::vector<std::function<void()>> told;
  {
    const std::lock_guard lock(mutex_);
    told.swap(looks_);
    handed_ = false;
  }
  const auto tell_all = [&] {
    for (const auto& then : told) then();
  };
  try {
    ClusterView view = registry_.view();
    service_->take_tokens(registry_.tokens());
    // Where there are many, and everybody tells of each, there is time for other things.
    look_at_ = Clock::now() + std::chrono::milliseconds(5) + 2 * (Clock::now() - begin);
    const std::lock_guard lock(mutex_);
    heard_.clear();
    for (const NodeView& node : view.nodes)
      if (node.alive) heard_.insert(node.name);
    view_ = trusted(std::move(view));
    by_name_.clear();
    for (std::size_t i = 0; i < view_.experiments.size(); ++i)
      if (view_.experiments[i].id != kTokens) by_name_[view_.experiments[i].name] = i;
    if (!trouble_.empty()) options_.tell("store", "in touch");
    trouble_.clear();
    if (Clock::now() >= trust_at_) presumed_.clear();
    changed_.notify_all();
  } catch (...) {
    tell_all();
    throw;
  }
  tell_all();
}

ClusterView Keeper::trusted(ClusterView view) const {
  if (Clock::now() < trust_at_)
    for (NodeView& node : view.nodes) node.alive = node.alive || presumed_.contains(node.name);
  return view;
}

void Keeper::note_failure(const std::string& why) {
  {
    const std::lock_guard lock(mutex_);
    if (trouble_ != why) options_.tell("store", why);
    if (trouble_.empty()) presumed_ = heard_;
    trouble_ = why;
  }
  tell_looks();
}

void Keeper::tell_looks() {
  std::vector<std::function<void()>> told;
  {
    const std::lock_guard lock(mutex_);
    told.swap(looks_);
  }
  for (const auto& then : told) then();
}

// The service has let go of everything, and the store has not heard of it: a line was cut, or a
// statement that was given up on has come through after all, and made it this node's once more.
bool Keeper::has_leftovers() const {
  const std::lock_guard lock(mutex_);
  if (handing_ || handed_ || !service_->owned()->empty()) return false;
  return std::any_of(view_.experiments.begin(), view_.experiments.end(),
                     [&](const OwnedView& one) { return one.owner == options_.registry.node; });
}

// One change at a time: what comes of it is seen before the next.
void Keeper::plan() {
  const auto now = Clock::now();
  Moves moves;
  {
    const std::lock_guard lock(mutex_);
    if (handing_ || handed_) return;
    const auto owned = service_->owned();
    moves = moves_of(view_, options_.registry.node, *owned, kMostLeaving);
    if (leaving_) moves = {{}, {owned->begin(), owned->end()}};
    std::erase_if(moves.take, [&](ExperimentId one) { return not_before_[one] > now; });
    if (moves.take.size() > kMostTaken) moves.take.resize(kMostTaken);
    if (moves.take.empty() && moves.leave.empty()) {
      settled_ = true;
      return;
    }
    handing_ = true;
  }
  // Of those that somebody else holds for a moment nobody asks again at once.
  for (const ExperimentId one : moves.take) not_before_[one] = now + renew_every_ / 4;
  std::erase_if(not_before_, [&](const auto& entry) { return entry.second < now; });
  service_->change_hands(std::move(moves.take), std::move(moves.leave), [this] {
    {
      const std::lock_guard lock(mutex_);
      handing_ = false;
      handed_ = true;
    }
    wake();
  });
}

void Keeper::show() {
  show_at_ = Clock::now() + kShowEvery;
  std::vector<std::shared_ptr<const Summary>> showing;
  {
    const std::lock_guard lock(mutex_);
    while (!unshown_.empty() && showing.size() < kMostShown) {
      showing.push_back(std::move(unshown_.begin()->second));
      unshown_.erase(unshown_.begin());
    }
  }
  try {
    registry_.show(showing);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    for (auto& one : showing)
      unshown_.emplace(one->facts.name, one);  // unless there is a newer one
    throw;
  }
  summaries_due_ = false;
  for (auto& [experiment, summary] : registry_.shown())
    service_->show(experiment, std::move(summary));
}

void Keeper::note_summary(std::shared_ptr<const Summary> summary) {
  bool is_new = false;
  {
    const std::lock_guard lock(mutex_);
    is_new = noted_.insert(summary->facts.name).second;
    show_now_ = show_now_ || is_new;
    unshown_[summary->facts.name] = std::move(summary);
  }
  if (is_new) wake();  // whoever hears of it will want to see it
}

// --- Ending --------------------------------------------------------------------------------------

void Keeper::hand_over(std::chrono::milliseconds most) {
  std::unique_lock lock(mutex_);
  if (!thread_.joinable()) return;
  leaving_ = true;
  wake();
  const auto is_free = [&] {
    const auto others = std::any_of(view_.nodes.begin(), view_.nodes.end(), [&](const auto& node) {
      return node.alive && node.accepts && node.name != options_.registry.node;
    });
    if (!service_->owned()->empty()) return false;
    return !others ||
           std::none_of(view_.experiments.begin(), view_.experiments.end(), [&](const auto& one) {
             return one.owner.empty() || one.owner == options_.registry.node;
           });
  };
  changed_.wait_for(lock, most, is_free);
}

void Keeper::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake();
  if (thread_.joinable()) {
    thread_.join();
    tell_looks();
  }
  if (!std::exchange(entered_, false)) return;
  try {
    registry_.leave();
  } catch (const Error&) {  // its lease ends by itself
  }
}

std::string Keeper::trouble() const {
  const std::lock_guard lock(mutex_);
  if (!trouble_.empty()) return "the store does not answer";  // more of it is for our journal
  return settled_ ? "" : "taking what is this node's";
}

// --- Places --------------------------------------------------------------------------------------

bool Keeper::owns(ExperimentId experiment) const {
  const auto owned = service_ != nullptr ? service_->owned() : nullptr;
  return owned && owned->contains(experiment);
}

Place Keeper::place_of(const OwnedView& one) const {
  const auto& self = options_.registry;
  if (owns(one.id)) return {Place::Kind::kHere, self.node, self.url};
  for (const NodeView& node : view_.nodes)
    if (node.name == one.owner && node.name != self.node && node.alive)
      return {Place::Kind::kPeer, node.name, node.url};
  return {Place::Kind::kNobody};
}

Place Keeper::of_experiment(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = by_name_.find(name);
  // Who has not heard from the store cannot say that there is none.
  if (found == by_name_.end())
    return {trouble_.empty() ? Place::Kind::kUnknown : Place::Kind::kNobody};
  return place_of(view_.experiments[found->second]);
}

Place Keeper::of_new(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto& self = options_.registry;
  const NodeView* home = home_of(view_, name);
  if (home == nullptr) return {Place::Kind::kNobody};
  if (home->name == self.node) return {Place::Kind::kHere, self.node, self.url};
  return {Place::Kind::kPeer, home->name, home->url};
}

Place Keeper::of_tokens() const {
  const std::lock_guard lock(mutex_);
  for (const OwnedView& one : view_.experiments)
    if (one.id == kTokens) return place_of(one);
  return {Place::Kind::kNobody};
}

void Keeper::look_again(std::function<void()> then) {
  {
    const std::lock_guard lock(mutex_);
    if (!stopping_) {
      looks_.push_back(std::move(then));
      then = nullptr;
    }
  }
  if (then) return then();
  wake();
}

}  // namespace armature::service
