// C-UCB-2, straight from spec §5: in every round every mean from the whole history, and every
// action's sum, bonus and reach.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/mathematics.h"
#include "oracle/history.h"

namespace armature::oracle {

class CausalUcb2Oracle {
 public:
  CausalUcb2Oracle(Knowledge knowledge, double scale)
      : know_(std::move(knowledge)), scale_(scale) {}

  std::uint32_t choose() const {
    // Rounds that teach something: outcomes known, plays in flight, and the one to come.
    const double t = static_cast<double>(history_.size()) + in_flight_ + 1;
    const double bonus = scale_ * std::sqrt(portable::log(know_.contexts * t * t) / (2 * t));
    std::vector<double> visits(know_.contexts);
    std::vector<double> sum(know_.contexts);
    for (const Observation& seen : history_) {
      visits[seen.context] += 1;
      sum[seen.context] += seen.reward;
    }
    std::vector<double> least(know_.contexts);  // min_b max(ν̃_b(z), 1/T)
    for (std::uint32_t z = 0; z < know_.contexts; ++z) {
      least[z] = know_.marginals[0][z];
      for (const auto& row : know_.marginals) least[z] = std::min(least[z], row[z]);
      least[z] = std::max(least[z], 1 / know_.horizon);
    }
    std::uint32_t best = 0;
    double highest = 0;
    for (std::uint32_t a = 0; a < know_.actions; ++a) {
      double index = 0;
      double reach = 0;
      for (std::uint32_t z = 0; z < know_.contexts; ++z) {
        index += know_.marginals[a][z] * (sum[z] / std::max(visits[z], 1.0));
        reach += know_.marginals[a][z] / least[z];
      }
      index += bonus * reach;
      if (a == 0 || index > highest) {
        highest = index;
        best = a;
      }
    }
    return best;
  }

  void observe(const Observation& seen) { history_.push_back(seen); }
  void send(std::uint32_t) { in_flight_ += 1; }
  void land(std::uint32_t) { in_flight_ -= 1; }

 private:
  Knowledge know_;
  double scale_;
  double in_flight_ = 0;
  History history_;
};

}  // namespace armature::oracle
