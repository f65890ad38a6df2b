#include "ranks/launch.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "armature/error.h"
#include "base/program.h"
#include "base/text.h"

namespace armature::ranks {
namespace {

std::optional<int> number_in(const Environment& environment, const char* name) {
  const char* text = environment(name);
  if (text == nullptr) return std::nullopt;
  const auto number = parse_integer(text);
  if (!number || *number > 100'000'000) return std::nullopt;
  return static_cast<int>(*number);
}

// The usual mistake, and the three ways out of it; or an mpirun that is not Open MPI's.
Error lonely_tasks(const Launch& launch) {
  const int size = *launch.size;
  if (!launch.by_slurm)
    return Error({"", "MPI", fmt::format("{} ranks of a launcher of another MPI", size),
                  "mpirun of Open MPI, with which armature was built; without MPI: --shard "
                  "(docs/cluster.md)"});
  return Error({"", "Slurm", fmt::format("{} tasks, each an MPI job of one rank", size),
                "srun --mpi=pmix armature run …, or mpirun armature run …, which make one job of "
                "them; or one task per shard of an array (--shard slurm)"});
}

using MakeTransport = Transport* (*)();

std::unique_ptr<Transport> load_mpi(const Launch& launch) {
  const std::string path = path_beside_program(ARMATURE_MODULE);
  const std::string here = launch.size ? fmt::format("rank {} of {}", launch.rank, *launch.size)
                                       : fmt::format("rank {}", launch.rank);
  if (!std::filesystem::exists(path))
    throw Error({"", "MPI", here + ", and an armature built without MPI",
                 "one built where libopenmpi-dev is installed (-DARMATURE_MPI=ON), which has " +
                     path + "; without MPI: --shard (docs/cluster.md)"});
  // Global: MPI's own modules look for its symbols. Never closed: MPI cannot be begun twice.
  void* module = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (module == nullptr)
    throw Error({path, "MPI", dlerror(), "the MPI that armature was built with"});
  const auto make = reinterpret_cast<MakeTransport>(dlsym(module, "armature_mpi_transport"));
  if (make == nullptr) throw Error({path, "MPI", dlerror(), "a module of this armature"});
  return std::unique_ptr<Transport>(make());
}

}  // namespace

Launch launch_by(const Environment& environment) {
  const auto slurm_tasks = number_in(environment, "SLURM_STEP_NUM_TASKS");
  const bool by_slurm = slurm_tasks.has_value();
  const auto rank_in = [&](const char* name) { return number_in(environment, name).value_or(0); };
  // mpirun of Open MPI, inside a job of Slurm too.
  if (const auto size = number_in(environment, "OMPI_COMM_WORLD_SIZE"))
    return {*size > 1 ? Launch::Kind::kMpi : Launch::Kind::kAlone, rank_in("OMPI_COMM_WORLD_RANK"),
            size, by_slurm};
  // srun --mpi=pmix, and other launchers that speak PMIx.
  if (environment("PMIX_RANK") != nullptr && slurm_tasks != 1)
    return {Launch::Kind::kMpi, rank_in("PMIX_RANK"), slurm_tasks, by_slurm};
  if (const auto size = number_in(environment, "PMI_SIZE"); size && *size > 1)
    return {Launch::Kind::kMpi, rank_in("PMI_RANK"), size, by_slurm};
  if (slurm_tasks && *slurm_tasks > 1)
    return {Launch::Kind::kSlurmTasks, rank_in("SLURM_PROCID"), slurm_tasks, by_slurm};
  return {};
}

Launch launch_of_this_process() {
  return launch_by([](const char* name) { return std::getenv(name); });
}

std::unique_ptr<Transport> ranks_of_this_job() {
  const Launch launch = launch_of_this_process();
  if (launch.kind == Launch::Kind::kAlone) return nullptr;
  if (launch.kind == Launch::Kind::kSlurmTasks) throw lonely_tasks(launch);
  std::unique_ptr<Transport> transport = load_mpi(launch);
  if (transport->size() > 1) return transport;
  transport->close();
  // Started as one of several by a launcher that this MPI does not understand.
  if (launch.size && *launch.size > 1) throw lonely_tasks(launch);
  return nullptr;
}

}  // namespace armature::ranks
