// A Slurm of the tests' own: its daemons in a directory of theirs, two nodes that are both this
// machine, and nothing of the machine's own Slurm touched. Whoever starts it may be root or not;
// all jobs are theirs.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "support/child_process.h"
#include "support/program.h"

namespace armature::test {

class SlurmCluster {
 public:
  /// What of Slurm is not installed here, in words; empty: nothing is missing.
  static std::string missing();

  /// Starts, and waits until both nodes take jobs. Each says that it has so many processors,
  /// however many there are.
  explicit SlurmCluster(int processors = 2);
  ~SlurmCluster();
  SlurmCluster(const SlurmCluster&) = delete;
  SlurmCluster& operator=(const SlurmCluster&) = delete;

  /// Runs a shell command line in `directory`, as somebody who works on the cluster: sbatch, srun
  /// and squeue mean this one, `armature` is on the PATH, and programs of Open MPI find each other
  /// (srun --mpi=pmix).
  ProgramResult shell(const std::string& command, const std::string& directory = "/") const;

  /// Waits until no job runs or is queued. Throws with what the daemons said if that does not come.
  void wait_for_jobs() const;

  /// What the daemons had to say.
  std::string journal() const;

 private:
  void make_directory();
  void configure() const;
  void begin(const std::string& name, std::vector<std::string> arguments);
  void start();
  bool has_failed();
  void end();

  int processors_;
  std::string directory_;
  std::unique_ptr<LastWill> will_;
  std::vector<pid_t> daemons_;
};

}  // namespace armature::test
