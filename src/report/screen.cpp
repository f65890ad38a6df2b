#include "report/screen.h"

namespace armature {

std::string styled(const std::string& text, Style style, const Screen& screen) {
  if (!screen.styled || style == Style::kPlain || text.empty()) return text;
  const char* number = style == Style::kBold     ? "1"
                       : style == Style::kDim    ? "2"
                       : style == Style::kGreen  ? "32"
                       : style == Style::kYellow ? "33"
                                                 : "31";
  return std::string("\033[") + number + "m" + text + "\033[0m";
}

}  // namespace armature
