// Reads a log and adds it up by action and context: what `make bench-logs` times beside pandas.
#include <fmt/format.h>

#include "armature/error.h"
#include "armature/log.h"

int main(int count, char** arguments) {
  if (count != 2) {
    fmt::print(stderr, "usage: bench_read_log LOG\n");
    return 2;
  }
  try {
    const auto log = armature::open_log(arguments[1], {});
    std::vector<std::vector<std::uint64_t>> plays;
    double rewards = 0;
    armature::LogRow row;
    while (log->next(row)) {
      if (row.action >= plays.size()) plays.resize(row.action + 1);
      std::vector<std::uint64_t>& cells = plays[row.action];
      if (row.context >= cells.size()) cells.resize(row.context + 1);
      ++cells[row.context];
      rewards += row.reward;
    }
    fmt::print("{} rows, {} actions, {} contexts, rewards {}\n", log->facts().rows_used,
               log->actions().size(), log->contexts().size(), rewards);
  } catch (const armature::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
