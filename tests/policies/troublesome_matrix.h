// Marginals for tests of whatever finds the best row without looking at all of them.
#pragma once

#include <algorithm>

#include "armature/model.h"
#include "armature/random.h"

namespace armature::test {

// A matrix with the trouble of real ones: copies, rows that differ in the last bits, spikes.
inline Matrix troublesome_matrix(std::uint32_t actions, std::uint32_t contexts, Stream& stream) {
  Matrix marginals(actions, contexts);
  for (std::uint32_t a = 0; a < actions; ++a) {
    auto row = marginals.row(a);
    const std::uint32_t kind = a == 0 ? 0 : uniform_index(stream, 5);
    if (kind >= 3) {
      const auto model = marginals.row(uniform_index(stream, a));
      std::copy(model.begin(), model.end(), row.begin());
      if (kind == 4)
        for (double& p : row)
          if (bernoulli(stream, 0.5)) p *= 1 + 0x1p-52;
      continue;
    }
    const auto drawn = dirichlet(stream, contexts, kind == 2 ? 0.05 : 1);
    std::copy(drawn.begin(), drawn.end(), row.begin());
  }
  return marginals;
}

}  // namespace armature::test
