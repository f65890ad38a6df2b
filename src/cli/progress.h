// What a person sees while a simulation runs, and how Ctrl-C ends it.
#pragma once

#include <atomic>
#include <chrono>

#include "armature/study.h"

namespace armature::cli {

/// The first Ctrl-C sets the flag, so that what is finished is printed; the second one kills.
const std::atomic<bool>& stop_on_interrupt();
/// So does SIGTERM, by which batch systems end what has run for too long.
const std::atomic<bool>& stop_on_interrupt_or_end();
/// The exit status of a command that was stopped in one of these ways: 130 or 143.
int interrupted_status();

/// "3 of 8 cells, 30 of 80 replications (37%), 1.2e+08 rounds/s, 5 s left", or as much of it as
/// fits.
std::string progress_text(const Progress& progress, std::size_t columns);

/// One line on the terminal with rate and time left, redrawn a few times a second. Nothing when
/// quiet. Where standard error is not a terminal: nothing, or a plain line every now and then.
class ProgressLine {
 public:
  enum class InPipe { kNothing, kPlainLines };
  explicit ProgressLine(bool quiet, InPipe in_pipe = InPipe::kNothing);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  std::function<void(const Progress&)> hook();
  /// A text of the caller's own, so many seconds after the beginning.
  void show(double seconds, const std::function<std::string(std::size_t columns)>& text);

 private:
  void clear();

  bool shown_;
  bool terminal_;
  double last_drawn_ = -1;
};

/// A word to the person beside results, on standard error.
void notice(const std::string& words);

/// Reads a study and plans it; one of very many cells is refused unless a person said `yes`.
StudyPlan planned(const std::string& file, const std::vector<std::string>& overrides, bool yes,
                  const FileTable& kept = {});

struct RunStyle {
  std::string threads;  // as given
  bool quiet = false;
  Crew* crew = nullptr;                       // see RunHooks
  std::optional<Shard> shard = std::nullopt;  // only this part of the study
};
/// Runs what is missing of a study and says so; Ctrl-C ends the command with status 130. `seconds`
/// is what trial_seconds said, if it was asked already.
void run_with_progress(const StudyPlan& plan, const std::string& directory, const RunStyle& style,
                       const std::vector<double>& seconds = {});

}  // namespace armature::cli
