// Any bytes either are tables of a small graph or are refused with an Error, and tables are written
// and read back the same.
#include <cstdint>
#include <string>

#include "fuzz/graph_round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  armature::test::check_tables_text(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
