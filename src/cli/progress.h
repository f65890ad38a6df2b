// What a person sees while a simulation runs, and how Ctrl-C ends it.
#pragma once

#include <atomic>
#include <chrono>

#include "armature/lab.h"

namespace armature::cli {

/// The first Ctrl-C sets the flag, so that what is finished is printed; the second one kills.
const std::atomic<bool>& stop_on_interrupt();

/// One line on the terminal with rate and time left, redrawn a few times a second. Nothing when
/// quiet, and nothing when standard error is not a terminal.
class ProgressLine {
 public:
  ProgressLine(bool quiet, double rounds_per_replication);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  std::function<void(const Progress&)> hook();

 private:
  void draw(const Progress& progress);
  void clear();

  bool shown_;
  double rounds_per_replication_;
  double last_drawn_ = -1;
};

}  // namespace armature::cli
