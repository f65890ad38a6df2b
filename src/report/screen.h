// Bold, dim and a few colours, where a screen has them.
#pragma once

#include <algorithm>
#include <string>

#include "armature/report.h"
#include "base/display.h"

namespace armature {

enum class Style { kPlain, kBold, kDim, kGreen, kYellow, kRed };

/// The text between the marks of the style; the text itself where the screen knows none. Widths are
/// counted before: the marks take no column, but display_width does not know them.
std::string styled(const std::string& text, Style style, const Screen& screen);

/// Longer lines are hard to read, however wide the screen is.
inline constexpr std::size_t kLongestProse = 100;
inline std::size_t prose_columns(const Screen& screen) {
  return std::min(screen.columns, kLongestProse);
}

}  // namespace armature
