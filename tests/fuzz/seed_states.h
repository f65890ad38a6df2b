// The policies that state_fuzz tries states on, and the states it starts from.
#pragma once

#include <string>
#include <vector>

#include "armature/families.h"
#include "armature/policy.h"

namespace armature::test {

inline const Problem& seed_problem() {
  static const Problem problem =
      InstanceSource("random-benign:actions=4,contexts=3", 1000, 1).instance(0)->problem(1000);
  return problem;
}

/// Some way in, the last few decisions outstanding and one of them given up.
inline std::string seed_state(const std::string& text) {
  const auto policy = make_policy(text, seed_problem());
  Stream stream({1, 0, Purpose::kPolicy});
  constexpr std::uint32_t kRounds = 40, kOutstanding = 4;
  std::vector<Decision> made;
  for (std::uint32_t t = 0; t < kRounds; ++t) {
    made.push_back(policy->choose(stream));
    if (t < kRounds - kOutstanding)
      policy->observe(made[t], {t % seed_problem().contexts(), t % 4 == 3 ? 0.25 : t % 2}, stream);
  }
  policy->forget(made.back());
  return policy->save();
}

}  // namespace armature::test
