// Any bytes either are a graph or are refused with an Error, and a graph is written and read back
// the same.
#include <cstdint>
#include <string>

#include "fuzz/graph_round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  armature::test::check_graph_text(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
