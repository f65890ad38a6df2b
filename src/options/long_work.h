// Work that takes long is told of before it begins.
#pragma once

#include <string>

namespace armature {

/// Work that a person would want to be asked about first, in seconds of one core.
inline constexpr double kLongSeconds = 12 * 3600.0;

/// "42 s", "3 min 07 s", "2 h 05 min".
std::string time_text(double seconds);

}  // namespace armature
