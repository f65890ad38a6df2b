// A command that may have been started as one of several processes (mpirun, srun).
#pragma once

#include <memory>

#include "ranks/rank_crew.h"

namespace armature::cli {

/// The other processes of this job. Alone, it does nothing.
class Job {
 public:
  /// Rank 0 returns at once, with a crew. The others compute for it in here and leave by throwing
  /// ExitStatus: they read no file and print nothing.
  Job(unsigned threads, bool quiet);
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  Crew* crew() { return crew_.get(); }
  /// Sends the others home: what follows is rank 0's own.
  void end();
  /// A rank has died, or all were told to end: says so and ends the command.
  [[noreturn]] void ended(const ranks::JobEnded& how);

 private:
  std::unique_ptr<ranks::Transport> transport_;
  std::unique_ptr<ranks::RankCrew> crew_;
};

}  // namespace armature::cli
