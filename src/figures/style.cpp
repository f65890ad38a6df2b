#include "figures/style.h"

namespace armature::figures {

const std::string& neutral_colour() {
  static const std::string grey = "#767676";
  return grey;
}

namespace {

// Sizes are those of a figure as wide as a column of print: 11 points after scaling to 85 mm.
Json shared_config() {
  const std::string& grey = neutral_colour();
  const char* font = "'Source Sans 3', 'Helvetica Neue', Arial, sans-serif";
  return {{"background", "transparent"},
          {"font", font},
          {"view", {{"stroke", nullptr}}},
          {"title",
           {{"color", grey},
            {"fontSize", 15},
            {"subtitleColor", grey},
            {"subtitleFontSize", 12},
            {"anchor", "start"}}},
          {"axis",
           {{"labelColor", grey},
            {"titleColor", grey},
            {"tickColor", grey},
            {"domainColor", grey},
            {"gridColor", grey},
            {"gridOpacity", 0.2},
            {"labelFontSize", 12},
            {"titleFontSize", 13},
            {"titleFontWeight", "normal"}}},
          {"legend",
           {{"labelColor", grey},
            {"titleColor", grey},
            {"labelFontSize", 12},
            {"titleFontSize", 12},
            {"titleFontWeight", "normal"},
            {"symbolStrokeWidth", 2}}},
          {"line", {{"strokeWidth", 2}}},
          {"point", {{"filled", true}, {"size", 60}}}};
}

}  // namespace

Json base_spec(const std::string& title, const std::string& subtitle) {
  Json heading = {{"text", title}};
  if (!subtitle.empty()) heading["subtitle"] = subtitle;
  return {{"$schema", "https://vega.github.io/schema/vega-lite/v5.json"},
          {"title", std::move(heading)},
          {"width", 460},
          {"height", 320},
          {"config", shared_config()}};
}

}  // namespace armature::figures
