// Options by their names: those nobody knows, and what is said where memory ends.
#pragma once

#include <string>
#include <vector>

#include "armature/error.h"

namespace armature {

/// "; did you mean '--horizon'?" for "--horizn", and for "--hor", or nothing. Names have their
/// dashes; what stands behind a = is no part of them.
std::string nearest_long_option(const std::string& word, const std::vector<std::string>& names);
/// Of a command that has these options. `nearest`: what is said of the one that may be meant.
Error unknown_option(const std::string& command, const std::string& word,
                     const std::string& nearest, const std::vector<std::string>& names);

inline constexpr const char* kTooLarge =
    "memory: got less than this needs, expected a smaller problem";

}  // namespace armature
