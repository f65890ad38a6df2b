// A command that may have been started as one of several processes (mpirun, srun).
#pragma once

#include <exception>
#include <memory>
#include <string>

#include "armature/error.h"
#include "ranks/rank_crew.h"

namespace armature::cli {

/// The other processes of this job. Alone, it does nothing.
class Job {
 public:
  /// Ranks other than 0 compute for it in here and leave by throwing ExitStatus: they read no file
  /// and print nothing. `shard`: as --shard has it, empty where it was not given. Several tasks of
  /// Slurm that do not know each other are as they should be where each has a shard of its own.
  explicit Job(const std::string& shard);
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  /// Waits for the first word of the others and makes a crew of them, so many threads each.
  void gather(unsigned threads, bool quiet);
  /// From now on the crew looks whether the job is told to end.
  void listen();
  Crew* crew() { return crew_.get(); }
  /// Sends the others home: what follows is rank 0's own.
  void end();
  /// Of several ranks, an Error is told before they are sent home, in case they do not go.
  void complain_before_the_end(const Error& error);
  /// The lines between ranks have failed, say: told first, as nobody may be sent home any more, and
  /// ends the command. Alone, it throws on what is being caught.
  [[noreturn]] void lines_failed(const std::exception& error);
  /// A rank has died, or all were told to end: says so and ends the command.
  [[noreturn]] void ended(const ranks::JobEnded& how);

 private:
  std::string shard_;
  std::unique_ptr<ranks::Transport> transport_;
  std::unique_ptr<ranks::RankCrew> crew_;
};

}  // namespace armature::cli
