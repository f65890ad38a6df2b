// What bounds ask of a setting before they compute, and logs of the rates where the paper leaves
// them undefined: log T at T = 1 is 0, and log log T is none at all. One reading everywhere: T
// counts as at least 2, and a log never as less than 0.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "armature/error.h"
#include "base/mathematics.h"

namespace armature {

inline double guarded_log(double horizon) { return portable::log(std::max(horizon, 2.0)); }

/// What the setting leaves open and this bound is a function of.
inline double needed(const std::optional<double>& value, const std::string& field) {
  if (!value) throw Error({"", field, "nothing", "a number: this bound is a function of it"});
  return *value;
}

/// log(x), or 0 for x < 1.
inline double log_or_zero(double x) { return portable::log(std::max(x, 1.0)); }

}  // namespace armature
