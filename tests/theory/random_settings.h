// Settings drawn evenly on a log scale, for properties that hold everywhere.
#pragma once

#include <rapidcheck.h>

#include <cmath>

#include "armature/theory.h"

namespace armature::test {

/// A whole number in [low, high], evenly on a log scale.
inline double log_uniform(double low, double high) {
  // At full size from the first case on: small cases are no simpler here.
  const auto whole = rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, 100'001));
  const double share = *whole / 100'000.0;
  return std::floor(low * std::pow(high / low, share));
}

/// |Z| ≤ |A| ≤ T, at least two actions, δ = 1/T.
inline Setting random_setting() {
  Setting setting;
  setting.actions = log_uniform(2, 1e9);
  setting.contexts = log_uniform(1, setting.actions);
  setting.horizon = log_uniform(setting.actions, 1e18);
  return setting;
}

}  // namespace armature::test
