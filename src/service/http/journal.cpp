#include "service/http/journal.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <climits>

#include "base/text.h"
#include "service/export.h"
#include "service/http/json_text.h"

namespace armature::service::http {
namespace {

constexpr std::size_t kMostLines = 1'000;
constexpr int kPatience = 50;  // milliseconds between looks whether to give up

}  // namespace

Journal::Journal(std::FILE* out, Requests requests, const Clock& clock)
    : out_(fileno(out)), requests_(requests), clock_(clock), thread_([this] { work(); }) {}

Journal::~Journal() {
  flush();
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Journal::note(std::string_view what, std::string_view detail) { add(noted(what, detail)); }

std::string Journal::noted(std::string_view what, std::string_view detail) const {
  JsonObject json;
  json.text("time", print_time(clock_.wall())).text("event", what);
  if (!detail.empty()) json.text("detail", detail);
  return std::move(json).end();
}

void Journal::answered(const Answered& request) {
  if (!tells_of(request.notable)) return;
  JsonObject json;
  json.text("time", print_time(clock_.wall()))
      .text("event", "request")
      .count("request", request.request)
      .text("method", shown(request.method, 20))
      .text("path", shown(request.path, 240))
      .count("status", static_cast<std::uint64_t>(request.status))
      .count("microseconds", static_cast<std::uint64_t>(request.took));
  if (!request.kind.empty()) json.text("kind", request.kind);
  if (!request.token.empty()) json.text("token", request.token);
  add(std::move(json).end());
}

void Journal::add(std::string line) {
  {
    const std::lock_guard lock(mutex_);
    if (lines_.size() >= kMostLines) {
      ++dropped_;
      return;
    }
    if (const std::uint64_t dropped = std::exchange(dropped_, 0); dropped > 0)
      lines_.push_back(noted("dropped", fmt::format("{} lines that nobody read", dropped)));
    lines_.push_back(std::move(line));
  }
  wake_.notify_one();
}

void Journal::flush(std::chrono::milliseconds most) {
  std::unique_lock lock(mutex_);
  written_.wait_for(lock, most, [&] { return lines_.empty() && !writing_; });
}

void Journal::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return stopping_ || !lines_.empty(); });
    if (stopping_) return;
    std::string line = std::move(lines_.front());
    lines_.pop_front();
    writing_ = true;
    lock.unlock();
    line += '\n';
    const bool written = write(line);
    lock.lock();
    writing_ = false;
    if (lines_.empty()) written_.notify_all();
    if (!written) return;
  }
}

// A pipe that is ready takes PIPE_BUF bytes at once. False: it was told to end instead.
bool Journal::write(std::string_view line) {
  while (!line.empty()) {
    pollfd ready{out_, POLLOUT, 0};
    const int found = poll(&ready, 1, kPatience);
    if (found > 0) {
      const ssize_t count =
          ::write(out_, line.data(), std::min<std::size_t>(line.size(), PIPE_BUF));
      if (count > 0) line.remove_prefix(static_cast<std::size_t>(count));
      if (count < 0 && errno != EINTR && errno != EAGAIN) return true;  // nobody is there any more
      continue;
    }
    const std::lock_guard lock(mutex_);
    if (stopping_) return false;
  }
  return true;
}

}  // namespace armature::service::http
