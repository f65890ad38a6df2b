// Is this process one of several, and how do they talk?
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "ranks/transport.h"

namespace armature::ranks {

/// What whoever started this process says of it, by environment variables.
struct Launch {
  enum class Kind {
    kAlone,
    kMpi,         // one of several ranks, or about to find out
    kSlurmTasks,  // one of several tasks that know nothing of each other
  };
  Kind kind = Kind::kAlone;
  int rank = 0;             // as far as the environment tells
  std::optional<int> size;  // the same
  bool by_slurm = false;    // by srun: in a step of so many tasks
};
using Environment = std::function<const char*(const char* name)>;
Launch launch_by(const Environment& environment);
/// By this process's own.
Launch launch_of_this_process();

/// The other processes of this job; nothing if there are none. Throws Error if this is one of
/// several that cannot talk to each other: without MPI in this build, or by the usual mistake.
std::unique_ptr<Transport> ranks_of_this_job();

}  // namespace armature::ranks
