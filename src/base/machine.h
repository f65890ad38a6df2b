// What this process may use of its machine: on a node of a cluster, or in a container, that is
// less than what the machine has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace armature {

/// The cores that this process may run on (taskset, Slurm, cpusets), by their numbers, in order.
std::vector<int> cores_allowed();
/// How many threads can run at once: the number of cores_allowed, but no more than the control
/// group's quota of time; at least 1.
unsigned cores_given();
/// Bytes that may be used before something is killed: the least of the machine's memory and the
/// limits of the control groups that the process is in.
std::uint64_t memory_given();
std::string host_name();

/// What control groups leave of a machine, of version 1 or 2: each group is bound by those above
/// it, too. Nothing where there is no limit.
struct GroupLimits {
  std::optional<double> cores;
  std::optional<std::uint64_t> memory;
};
/// `root`: the folder that /proc and /sys are looked for in.
GroupLimits group_limits(const std::string& root);

/// Does the path lie on another machine's disk, as far as the kernel can tell? Of what is behind
/// FUSE nobody can. Locks and shared memory may then not be seen by everyone who sees the files.
bool on_network_file_system(const std::string& path);
/// By its number in statfs(2).
bool is_network_file_system(std::uint64_t type);

/// For tests: while one lives, everything lies on a network's file system.
class AllOnNetwork {
 public:
  AllOnNetwork();
  ~AllOnNetwork();
  AllOnNetwork(const AllOnNetwork&) = delete;
  AllOnNetwork& operator=(const AllOnNetwork&) = delete;
};

}  // namespace armature
