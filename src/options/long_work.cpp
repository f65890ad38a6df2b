#include "options/long_work.h"

#include <fmt/format.h>

#include <cmath>

namespace armature {

// Rounded before it is split, or a minute could have 60 seconds.
std::string time_text(double seconds) {
  const double whole = std::round(seconds);
  if (whole < 60) return fmt::format("{:.0f} s", whole);
  if (whole < 3600)
    return fmt::format("{:.0f} min {:02.0f} s", std::floor(whole / 60), std::fmod(whole, 60));
  const double minutes = std::round(whole / 60);
  return fmt::format("{:.0f} h {:02.0f} min", std::floor(minutes / 60), std::fmod(minutes, 60));
}

}  // namespace armature
