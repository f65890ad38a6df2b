// C-UCB, straight from spec §2: in every round U(z) of every context from the whole history, and
// the sum over contexts of every action.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/mathematics.h"
#include "oracle/history.h"

namespace armature::oracle {

class CausalUcbOracle {
 public:
  CausalUcbOracle(Knowledge knowledge, Widths widths)
      : know_(std::move(knowledge)), widths_(widths), flights_(know_) {}

  std::uint32_t choose() const {
    const double T = know_.horizon;
    const double delta = widths_.bilodeau ? 1 / (T * T) : 1 / std::max(T, 2.0);
    const double L =
        widths_.bilodeau ? portable::log(1 / delta) : portable::log(2 * know_.contexts * T / delta);
    std::vector<double> visits(know_.contexts);
    std::vector<double> sum(know_.contexts);
    for (const Observation& seen : history_) {
      visits[seen.context] += 1;
      sum[seen.context] += seen.reward;
    }
    std::vector<double> U;
    for (std::uint32_t z = 0; z < know_.contexts; ++z) {
      const double n = std::max(visits[z], 1.0);
      const double out = widths_.ignore_flights ? 0 : flights_.visits(z);
      const double ahead = std::max(visits[z] + out, 1.0);
      U.push_back(sum[z] / n + widths_.scale * std::sqrt(L / (2 * ahead)));
    }
    std::uint32_t best = 0;
    double highest = 0;
    for (std::uint32_t a = 0; a < know_.actions; ++a) {
      double index = 0;
      for (std::uint32_t z = 0; z < know_.contexts; ++z) index += know_.marginals[a][z] * U[z];
      if (a == 0 || index > highest) {
        highest = index;
        best = a;
      }
    }
    return best;
  }

  void observe(const Observation& seen) { history_.push_back(seen); }
  void send(std::uint32_t arm) { flights_.plays[arm] += 1; }
  void land(std::uint32_t arm) { flights_.plays[arm] -= 1; }

 private:
  Knowledge know_;
  Widths widths_;
  InFlight flights_;
  History history_;
};

}  // namespace armature::oracle
