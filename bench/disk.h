// What the benchmarks of the service measure themselves against: a file that is synced, and the
// processor.
#pragma once

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace bench {

using Steady = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kTurn{1'000};
constexpr int kTurns = 3;

inline double seconds_since(Steady::time_point begin) {
  return std::chrono::duration<double>(Steady::now() - begin).count();
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// User and system time of this process, in seconds.
inline double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Syncs a second of a file that grows by a page of 4 KiB each time: what a commit cannot beat.
inline double raw_syncs(const std::string& directory) {
  const std::string path = directory + "/raw";
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const std::string page(4'096, 'x');
  std::uint64_t syncs = 0;
  const auto begin = Steady::now();
  for (; Steady::now() - begin < kTurn; ++syncs)
    if (write(file, page.data(), page.size()) < 0 || fdatasync(file) != 0) std::abort();
  const double rate = static_cast<double>(syncs) / seconds_since(begin);
  close(file);
  return rate;
}

}  // namespace bench
