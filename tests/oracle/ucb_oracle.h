// UCB, straight from spec §2: in every round every index is computed anew from the whole history.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/mathematics.h"
#include "oracle/history.h"

namespace armature::oracle {

class UcbOracle {
 public:
  UcbOracle(Knowledge knowledge, Widths widths)
      : know_(std::move(knowledge)), widths_(widths), flights_(know_) {}

  std::uint32_t choose() const {
    const double T = know_.horizon;
    const double delta = widths_.bilodeau ? 1 / (T * T) : 1 / std::max(T, 2.0);
    const double L =
        widths_.bilodeau ? portable::log(1 / delta) : portable::log(2 * know_.actions * T / delta);
    std::vector<double> plays(know_.actions);
    std::vector<double> sum(know_.actions);
    for (const Observation& seen : history_) {
      plays[seen.arm] += 1;
      sum[seen.arm] += seen.reward;
    }
    std::uint32_t best = 0;
    double highest = 0;
    for (std::uint32_t a = 0; a < know_.actions; ++a) {
      const double n = std::max(plays[a], 1.0);  // floored at 1 inside every formula
      const double out = widths_.ignore_flights ? 0 : flights_.plays[a];
      const double ahead = std::max(plays[a] + out, 1.0);
      const double index = sum[a] / n + widths_.scale * std::sqrt(L / (2 * ahead));
      if (a == 0 || index > highest) {  // ties go to the lowest index
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
