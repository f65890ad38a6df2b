#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

namespace armature::cli {
namespace {

constexpr double kRedrawSeconds = 0.2;
constexpr double kPlainLineSeconds = 5;

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set from a signal handler");

}  // namespace

std::string time_text(double seconds) {
  if (seconds < 60) return fmt::format("{:.0f} s", seconds);
  if (seconds < 3600)
    return fmt::format("{:.0f} min {:02.0f} s", std::floor(seconds / 60), std::fmod(seconds, 60));
  return fmt::format("{:.0f} h {:02.0f} min", std::floor(seconds / 3600),
                     std::fmod(seconds / 60, 60));
}

const std::atomic<bool>& stop_on_interrupt() {
  struct sigaction action = {};
  action.sa_handler = [](int) { interrupted.store(true); };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  return interrupted;
}

ProgressLine::ProgressLine(bool quiet, InPipe in_pipe) : terminal_(isatty(STDERR_FILENO) != 0) {
  shown_ = !quiet && (terminal_ || in_pipe == InPipe::kPlainLines);
}

ProgressLine::~ProgressLine() { clear(); }

std::function<void(const Progress&)> ProgressLine::hook() {
  if (!shown_) return nullptr;
  return [this](const Progress& progress) { draw(progress); };
}

void ProgressLine::draw(const Progress& progress) {
  // A second stage counts its time anew.
  if (progress.seconds < last_drawn_) last_drawn_ = -1;
  if (progress.seconds - last_drawn_ < (terminal_ ? kRedrawSeconds : kPlainLineSeconds)) return;
  last_drawn_ = progress.seconds;
  const double share = progress.share;
  const std::string left = share > 0 ? time_text(progress.seconds * (1 - share) / share) : "?";
  fmt::print(stderr,
             "{}{}{} of {} cells, {} of {} replications ({:.0f}%), {:.3g} rounds/s, {} left{}",
             terminal_ ? "\r\033[K" : "", progress.searching ? "search: " : "", progress.cells_done,
             progress.cells_total, progress.replications_done, progress.replications_total,
             100 * share, progress.rounds_done / progress.seconds, left, terminal_ ? "" : "\n");
  std::fflush(stderr);
}

void ProgressLine::clear() {
  if (last_drawn_ < 0 || !terminal_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
}

}  // namespace armature::cli
