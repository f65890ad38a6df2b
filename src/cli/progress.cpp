#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "base/display.h"
#include "base/text.h"
#include "cli/terminal.h"
#include "options/long_work.h"

namespace armature::cli {
namespace {

constexpr double kRedrawSeconds = 0.2;
constexpr double kPlainLineSeconds = 5;

std::atomic<bool> interrupted{false};
std::atomic<int> interrupted_by{SIGINT};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
              "set from a signal handler");

void stop_on(int signal) {
  struct sigaction action = {};
  action.sa_handler = [](int number) {
    interrupted_by.store(number);
    interrupted.store(true);
  };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(signal, &action, nullptr);
}

}  // namespace

void notice(const std::string& words) { fmt::print(stderr, "armature: {}\n", visible(words)); }

// The percentage is that of the replications beside it; a full hundred only when all are done. The
// time left goes by the expected work, as replications differ in it.
std::string progress_text(const Progress& progress, std::size_t columns) {
  const std::uint64_t done = progress.replications_done, total = progress.replications_total;
  const double share = progress.share;
  const std::string left = share > 0 ? time_text(progress.seconds * (1 - share) / share) : "?";
  const std::string count =
      fmt::format("{} of {} replications ({}%)", done, total, total > 0 ? 100 * done / total : 100);
  const std::string cells =
      fmt::format("{} of {} cells", progress.cells_done, progress.cells_total);
  const std::string rate = fmt::format("{:.3g} rounds/s", progress.rounds_done / progress.seconds);
  const std::string start = progress.searching ? "search: " : "", end = left + " left";
  // What is least missed goes first where the line is short.
  std::string text;
  for (const std::vector<std::string>& parts :
       {std::vector{cells, count, rate, end}, {count, rate, end}, {count, end}, {count}}) {
    text = start + join(parts, ", ");
    if (display_width(text) <= columns) break;
  }
  return text;
}

const std::atomic<bool>& stop_on_interrupt() {
  stop_on(SIGINT);
  return interrupted;
}

const std::atomic<bool>& stop_on_interrupt_or_end() {
  stop_on(SIGTERM);
  return stop_on_interrupt();
}

int interrupted_status() { return 128 + interrupted_by.load(); }

ProgressLine::ProgressLine(bool quiet, InPipe in_pipe) : terminal_(isatty(STDERR_FILENO) != 0) {
  shown_ = !quiet && (terminal_ || in_pipe == InPipe::kPlainLines);
}

ProgressLine::~ProgressLine() { clear(); }

std::function<void(const Progress&)> ProgressLine::hook() {
  if (!shown_) return nullptr;
  return [this](const Progress& progress) {
    show(progress.seconds, [&](std::size_t columns) { return progress_text(progress, columns); });
  };
}

void ProgressLine::show(double seconds,
                        const std::function<std::string(std::size_t columns)>& text) {
  if (!shown_) return;
  // A second stage counts its time anew.
  if (seconds < last_drawn_) last_drawn_ = -1;
  if (seconds - last_drawn_ < (terminal_ ? kRedrawSeconds : kPlainLineSeconds)) return;
  last_drawn_ = seconds;
  fmt::print(stderr, "{}{}{}", terminal_ ? "\r\033[K" : "", text(error_screen().columns - 1),
             terminal_ ? "" : "\n");
  std::fflush(stderr);
}

void ProgressLine::clear() {
  if (last_drawn_ < 0 || !terminal_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
}

}  // namespace armature::cli
