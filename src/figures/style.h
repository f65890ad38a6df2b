// What all figures have in common: fonts, sizes, the grey of axes. A figure is data in, a Vega-Lite
// v5 specification out; it carries its own data and needs nothing but a renderer.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace armature::figures {

using Json = nlohmann::ordered_json;

struct Figure {
  std::string name;     // kebab-case, a file name without its ending
  std::string title;    // what is shown
  std::string caption;  // how to read it, in a sentence or two
  std::string spec;     // Vega-Lite v5 as JSON text
};

/// Text, axes and grid: the grey that stands out as much from white as from black.
const std::string& neutral_colour();

/// Schema, title, size and the shared config; no data, no marks. The background is transparent, so
/// that the figure sits on a light page as on a dark one.
Json base_spec(const std::string& title, const std::string& subtitle = "");

}  // namespace armature::figures
