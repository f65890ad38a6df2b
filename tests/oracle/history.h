// What the oracles work from: everything that was observed, in the order it came.
#pragma once

#include <cstdint>
#include <vector>

namespace armature::oracle {

struct Observation {
  std::uint32_t arm;
  std::uint32_t context;
  double reward;
};
using History = std::vector<Observation>;

/// What an oracle knows: the same as a policy, as plain numbers.
struct Knowledge {
  std::uint32_t actions;
  std::uint32_t contexts;
  double horizon;
  std::vector<std::vector<double>> marginals;  // ν̃_a(z)
};

/// Which widths (spec §2).
struct Widths {
  bool bilodeau = false;
  double scale = 1;
};

}  // namespace armature::oracle
