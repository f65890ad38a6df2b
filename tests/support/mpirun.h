// What mpirun needs in order to start more ranks than there are cores, by root too.
#pragma once

#include <map>
#include <string>

namespace armature::test {

/// Root, as in containers, is refused by mpirun unless it is told twice.
inline const std::map<std::string, std::string> kMpirunEnvironment = {
    {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
    {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
    {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
    {"OMPI_MCA_hwloc_base_binding_policy", "none"},
    {"OMPI_MCA_plm_rsh_agent", "false"},
    // A rank killed while it holds the lock of PMIx's shared memory leaves mpirun waiting for it.
    {"PMIX_MCA_gds", "hash"}};

/// The same as lines of a shell script.
inline std::string mpirun_exports() {
  std::string lines;
  for (const auto& [name, value] : kMpirunEnvironment)
    lines += "export " + name + "=" + value + "\n";
  return lines;
}

}  // namespace armature::test
