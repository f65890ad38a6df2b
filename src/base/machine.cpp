#include "base/machine.h"

#include <sched.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <climits>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <thread>

namespace armature {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostCores = 1 << 20;  // far above any machine: where asking again ends

std::atomic<int> all_on_network{0};

// --- Control groups ------------------------------------------------------------------------------

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// Nothing of what is no number: "max", or -1 in version 1, is no limit.
std::optional<std::uint64_t> whole_number(const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return value;
}

template <class Value>
void lower(std::optional<Value>& limit, const std::optional<Value>& other) {
  if (other && (!limit || *other < *limit)) limit = other;
}

std::optional<double> share_of_time(const std::string& quota, const std::string& period) {
  const auto time = whole_number(quota), each = whole_number(period);
  if (!time || !each || *each == 0) return std::nullopt;
  return static_cast<double>(*time) / static_cast<double>(*each);
}

// Each file by the name it has in its version; a file that is not there sets no limit.
void lower_by_folder(GroupLimits& limits, const std::string& folder) {
  std::istringstream maximum(first_line(folder + "/cpu.max"));
  std::string quota, period;
  maximum >> quota >> period;
  lower(limits.cores, share_of_time(quota, period));
  lower(limits.cores, share_of_time(first_line(folder + "/cpu.cfs_quota_us"),
                                    first_line(folder + "/cpu.cfs_period_us")));
  lower(limits.memory, whole_number(first_line(folder + "/memory.max")));
  lower(limits.memory, whole_number(first_line(folder + "/memory.limit_in_bytes")));
}

// From the group up to where its hierarchy is mounted. Within a container the path may be the
// host's, and lead nowhere: the mount is then the container's own group.
void lower_by_group(GroupLimits& limits, const std::string& mount, const std::string& group) {
  fs::path below = fs::path(group).lexically_normal().relative_path();
  if (!below.empty() && *below.begin() == "..") below.clear();
  for (; !below.empty(); below = below.parent_path())
    lower_by_folder(limits, mount + "/" + below.string());
  lower_by_folder(limits, mount);
}

// "cpu,cpuacct" is mounted under this name, its parts, or both.
std::vector<std::string> mounts_of(const std::string& controllers) {
  std::vector<std::string> names{controllers};
  std::istringstream parts(controllers);
  for (std::string part; std::getline(parts, part, ',');)
    if (part != controllers) names.push_back(part);
  return names;
}

}  // namespace

GroupLimits group_limits(const std::string& root) {
  GroupLimits limits;
  const std::string mounts = root + "/sys/fs/cgroup";
  // A line is number:controllers:/path, and of version 2 0::/path.
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    if (controllers.empty()) {
      lower_by_group(limits, mounts, group);
      lower_by_group(limits, mounts + "/unified", group);  // beside version 1
    } else {
      for (const std::string& name : mounts_of(controllers))
        lower_by_group(limits, mounts + "/" + name, group);
    }
  }
  return limits;
}

// --- Cores and memory ----------------------------------------------------------------------------

std::vector<int> cores_allowed() {
  // The kernel refuses a set that is smaller than its own, and does not say how large that is.
  for (std::size_t size = CPU_SETSIZE; size <= kMostCores; size *= 2) {
    const auto free_set = [](cpu_set_t* set) { CPU_FREE(set); };
    const std::unique_ptr<cpu_set_t, decltype(free_set)> set(CPU_ALLOC(size), free_set);
    const std::size_t bytes = CPU_ALLOC_SIZE(size);
    if (!set || sched_getaffinity(0, bytes, set.get()) != 0) continue;
    std::vector<int> cores;
    for (std::size_t core = 0; core < size; ++core)
      if (CPU_ISSET_S(core, bytes, set.get())) cores.push_back(static_cast<int>(core));
    return cores;
  }
  std::vector<int> all;
  for (unsigned core = 0; core < std::max(1u, std::thread::hardware_concurrency()); ++core)
    all.push_back(static_cast<int>(core));
  return all;
}

unsigned cores_given() {
  const auto allowed = static_cast<double>(cores_allowed().size());
  // A part of a core is none: its thread would stand still while others wait for it.
  const double quota = group_limits("").cores.value_or(allowed);
  return static_cast<unsigned>(std::max(1.0, std::floor(std::min(allowed, quota))));
}

std::uint64_t memory_given() {
  const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
  std::optional<std::uint64_t> least = group_limits("").memory;
  if (pages > 0 && bytes > 0)
    lower(least,
          std::optional(static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(bytes)));
  return least.value_or(UINT64_MAX);
}

std::string host_name() {
  char name[HOST_NAME_MAX + 1] = {};
  return gethostname(name, sizeof name - 1) == 0 && name[0] != '\0' ? name : "unknown";
}

// --- Disks ---------------------------------------------------------------------------------------

bool is_network_file_system(std::uint64_t type) {
  constexpr std::uint64_t kNetworks[] = {
      0x6969,      // NFS
      0x517b,      // SMB
      0xff534d42,  // CIFS
      0xfe534d42,  // SMB 2
      0x5346414f,  // AFS
      0x73757245,  // Coda
      0x0bd00bd0,  // Lustre
      0x01021997,  // 9P
      0x00c36400,  // Ceph
      0x47504653,  // GPFS
      0x19830326,  // BeeGFS
      0xaad7aaea,  // PanFS
  };
  return std::find(std::begin(kNetworks), std::end(kNetworks), type) != std::end(kNetworks);
}

bool on_network_file_system(const std::string& path) {
  struct statfs system {};
  return all_on_network.load() > 0 ||
         (statfs(path.c_str(), &system) == 0 &&
          is_network_file_system(static_cast<std::uint32_t>(system.f_type)));
}

AllOnNetwork::AllOnNetwork() { all_on_network.fetch_add(1); }
AllOnNetwork::~AllOnNetwork() { all_on_network.fetch_sub(1); }

}  // namespace armature
