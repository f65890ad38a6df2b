#include "figures/panels.h"

#include <algorithm>

namespace armature::figures {
namespace {

constexpr double kLabelHeight = 13;  // pixels from one label to the next
constexpr double kLabelGap = 14;     // from a line's end to its label
constexpr double kLetter = 6.6;      // mean width of a letter in a panel's title

// Breaks after the last separator that still fits; a word without one is left to be long.
std::vector<std::string> broken(const std::string& text, std::size_t most) {
  std::vector<std::string> lines;
  std::string rest = text;
  while (rest.size() > most) {
    const std::size_t end = rest.find_last_of(",: ", most - 1);
    if (end == std::string::npos || end < most / 3) break;
    lines.push_back(rest.substr(0, rest[end] == ' ' ? end : end + 1));
    rest = rest.substr(end + 1);
  }
  lines.push_back(rest);
  return lines;
}

}  // namespace

PanelSize panel_size(std::size_t panels) {
  if (panels <= 1) return {520, 330, 1};
  if (panels <= 4) return {320, 215, 2};
  return {190, 150, 3};
}

Json panel_title(const std::string& title, const PanelSize& size) {
  const auto letters = static_cast<std::size_t>((size.width + 60) / kLetter);
  return {{"text", broken(title, letters)},
          {"anchor", "start"},
          {"frame", "group"},
          {"fontSize", 13},
          {"fontWeight", 600},
          {"offset", 8}};
}

namespace {

// Axes beside and below each other have the same titles: the outermost panels show them.
void hide_inner_titles(std::vector<Json>& panels, std::size_t columns) {
  const auto hide = [](Json& view, const char* channel) {
    if (view.contains("encoding") && view["encoding"].contains(channel) &&
        view["encoding"][channel].contains("field"))
      view["encoding"][channel]["title"] = nullptr;
  };
  for (std::size_t i = 0; i < panels.size(); ++i)
    for (const char* channel : {"x", "y"}) {
      const bool outer = channel[0] == 'x' ? i + columns >= panels.size() : i % columns == 0;
      if (outer) continue;
      hide(panels[i], channel);
      if (panels[i].contains("layer"))
        for (Json& layer : panels[i]["layer"]) hide(layer, channel);
    }
}

}  // namespace

Figure assemble(const Heading& heading, std::vector<Json> panels, const PanelSize& size) {
  Json spec = base_spec(heading.title);
  spec.erase("width");
  spec.erase("height");
  spec["title"]["fontSize"] = 16;
  spec["title"]["offset"] = 14;
  hide_inner_titles(panels, size.columns);
  spec["concat"] = std::move(panels);
  spec["columns"] = size.columns;
  spec["spacing"] = {{"row", 26}, {"column", 22}};
  spec["padding"] = 6;
  spec["config"]["axis"]["labelPadding"] = 5;
  spec["config"]["axis"]["ticks"] = false;
  spec["config"]["axis"]["titlePadding"] = 8;
  spec["config"]["text"] = {{"fontSize", 12}};
  return {heading.name, heading.title, heading.caption,
          spec.dump(1, ' ', false, Json::error_handler_t::replace)};
}

std::vector<Json> end_labels(const Looks& looks, const std::vector<EndLabel>& labels,
                             const Axis& vertical, const PanelSize& size) {
  std::vector<double> wanted;
  for (const EndLabel& label : labels)
    wanted.push_back(place_of(vertical, label.value) * size.height);
  const std::vector<double> places =
      spread_apart(wanted, kLabelHeight, kLabelHeight / 2, size.height - kLabelHeight / 2);
  std::vector<Json> layers;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    // Pixels are counted from the top.
    const double from = size.height - wanted[i], to = size.height - places[i];
    const Json here = {{"values", Json::array({{{"label", labels[i].text}}})}};
    layers.push_back({{"data", here},
                      {"mark",
                       {{"type", "rule"},
                        {"color", colour(look_of(looks, labels[i].name))},
                        {"strokeWidth", 1},
                        {"tooltip", nullptr}}},
                      {"encoding",
                       {{"x", {{"value", size.width + 2}}},
                        {"x2", {{"value", size.width + kLabelGap - 2}}},
                        {"y", {{"value", from}}},
                        {"y2", {{"value", to}}}}}});
    layers.push_back(
        {{"data", here},
         {"mark",
          {{"type", "text"}, {"align", "left"}, {"baseline", "middle"}, {"tooltip", nullptr}}},
         {"encoding",
          {{"x", {{"value", size.width + kLabelGap}}},
           {"y", {{"value", to}}},
           {"text", {{"field", "label"}, {"type", "nominal"}}}}}});
  }
  return layers;
}

Json shown_text(const std::string& field, const std::string& title) {
  return {{"field", field}, {"type", "nominal"}, {"title", title}};
}

Json shown_number(const std::string& field, const std::string& title) {
  return {{"field", field}, {"type", "quantitative"}, {"title", title}, {"format", ",.4~r"}};
}

}  // namespace armature::figures
