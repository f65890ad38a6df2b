// Builds one instance of a family from its text form.
#pragma once

#include <optional>
#include <string>

#include "armature/families.h"

namespace armature::test {

inline Instance built(const std::string& text, std::optional<Round> horizon = std::nullopt) {
  return *InstanceSource(text, horizon, 1).instance(0);
}

/// Two families meant to look alike must do so to the last bit.
inline bool same_marginals(const Instance& a, const Instance& b) {
  return a.marginals() == b.marginals();
}

}  // namespace armature::test
