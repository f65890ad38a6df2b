// Any bytes either are a log or are refused with an Error; a second reading tells the same; and
// no row that is handed out breaks what LogRow promises. The first byte chooses the options, so
// that one fuzzer meets every reader: CSV, JSON lines, dsjson, the service's export, gzip.
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <string>

#include "armature/error.h"
#include "armature/log.h"
#include "audit/bins.h"

namespace {

using armature::Log;
using armature::LogOptions;
using armature::LogRow;

LogOptions options_of(std::uint8_t choice) {
  LogOptions options;
  options.skip_bad = (choice & 1) != 0;
  if ((choice & 2) != 0) options.contexts = {"x", "y.0"};
  if ((choice & 4) != 0) options.scale = {-1, 3};
  if ((choice & 8) != 0) {
    options.contexts = {"x"};
    options.bins = {armature::parse_bins("x:3")};
  }
  if ((choice & 16) != 0) options.time = "time";
  if ((choice & 32) != 0) options.weight = "weight";
  if ((choice & 64) != 0) {
    options.problem.emplace();
    options.problem->action_names = {"a", "b"};
    options.problem->context_names = {"x", "y"};
  }
  return options;
}

struct Seen {
  std::uint64_t rows = 0;
  double rewards = 0;
};

Seen read_all(Log& log) {
  Seen seen;
  LogRow row;
  std::uint64_t line = 0;
  while (log.next(row)) {
    ARMATURE_CHECK(row.action < log.actions().size(), "an action has a name");
    ARMATURE_CHECK(row.context < log.contexts().size(), "a context has a name");
    ARMATURE_CHECK(row.reward >= 0 && row.reward <= 1, "a reward is in [0,1]");
    ARMATURE_CHECK(std::isnan(row.propensity) || (row.propensity > 0 && row.propensity <= 1),
                   "a propensity is a probability");
    ARMATURE_CHECK(row.weight > 0, "a weight is above 0");
    ARMATURE_CHECK(row.line > line, "lines ascend");
    line = row.line;
    ++seen.rows;
    seen.rewards += row.reward;
  }
  const armature::LogFacts& facts = log.facts();
  ARMATURE_CHECK(facts.rows_used == seen.rows, "rows are counted");
  ARMATURE_CHECK(facts.rows_read == facts.rows_used + facts.rows_set_aside + facts.rows_bad(),
                 "every row is used, set aside or bad");
  ARMATURE_CHECK(!armature::log_sentences(facts).empty(), "facts can be told");
  return seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return -1;
  static const int file = ::memfd_create("log", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  if (::ftruncate(file, 0) != 0 || ::pwrite(file, data + 1, size - 1, 0) < 0) return -1;
  try {
    const auto log = armature::open_log(path, options_of(data[0]));
    const Seen first = read_all(*log);
    log->rewind();
    const Seen second = read_all(*log);
    ARMATURE_CHECK(first.rows == second.rows && first.rewards == second.rewards,
                   "a second reading tells the same");
  } catch (const armature::Error&) {
  }
  return 0;
}
