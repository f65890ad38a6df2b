// What the oracles work from: everything that was observed, in the order it came.
#pragma once

#include <algorithm>
#include <cmath>
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
  bool ignore_flights = false;  // inflight = ignore
};

/// Plays sent out and not yet answered, and how often each context is expected of them: marginals
/// in units of 2^-32, as the policies have them.
struct InFlight {
  explicit InFlight(const Knowledge& know) : plays(know.actions), marginals(know.marginals) {}

  double visits(std::uint32_t z) const {
    double sum = 0;
    for (std::size_t a = 0; a < plays.size(); ++a)
      sum += plays[a] * std::floor(marginals[a][z] * 0x1p32 + 0.5);
    return sum * 0x1p-32;
  }
  bool any() const {
    return std::any_of(plays.begin(), plays.end(), [](double out) { return out > 0; });
  }

  std::vector<double> plays;
  std::vector<std::vector<double>> marginals;
};

}  // namespace armature::oracle
