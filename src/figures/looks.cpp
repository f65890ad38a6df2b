#include "figures/looks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "armature/error.h"

namespace armature::figures {
namespace {

// A hue and its far end, dark for a light hue and light for a dark one, so that every shade between
// them stands out on both kinds of page. Dark and light hues alternate in no order of their own:
// where colour vision fails, lightness tells them apart, and so it does in grey print.
struct Shades {
  const char* full;
  const char* far;
};
constexpr Shades kShades[kHues] = {
    {"#0871BC", "#83B8DD"},  // blue
    {"#F28E1C", "#8F5209"},  // orange
    {"#54B972", "#23703C"},  // green
    {"#D3171E", "#EE8F8C"},  // red
    {"#7134DA", "#B99BEE"},  // violet
    {"#9AA6EC", "#5C67B5"},  // periwinkle
    {"#7E4A82", "#BC93BE"},  // plum
    {"#A3233B", "#D68897"},  // wine
    {"#E196B4", "#9E5874"},  // pink
    {"#C274FA", "#8A46B8"},  // lilac
    {"#A8A24A", "#6B6722"},  // olive
    {"#767676", "#A8A8A8"},  // grey
};

// Ink at least as long as the line is wide, or it is lost on a dark page.
const std::vector<std::vector<int>>& dashes() {
  static const std::vector<std::vector<int>> list = {
      {}, {3, 3}, {12, 4}, {10, 3, 3, 3}, {6, 3}, {13, 3, 5, 3}, {10, 3, 3, 3, 3, 3}};
  return list;
}

// Names of Vega, and paths in a square from -1 to 1 where it has none.
const std::vector<std::string>& shapes() {
  static const std::vector<std::string> list = {
      "circle",
      "square",
      "triangle-up",
      "diamond",
      "cross",
      "triangle-down",
      "M0,-1.1L0.3,-0.35L1.05,-0.34L0.45,0.15L0.65,0.89L0,0.45L-0.65,0.89L-0.45,0.15L-1.05,-0.34"
      "L-0.3,-0.35Z",
      "triangle-left",
      "M-0.9,-0.5L-0.5,-0.9L0,-0.4L0.5,-0.9L0.9,-0.5L0.4,0L0.9,0.5L0.5,0.9L0,0.4L-0.5,0.9L-0.9,0.5"
      "L-0.4,0Z",
      "triangle-right",
  };
  return list;
}

int channel(const char* colour, int index) {
  return std::stoi(std::string(colour).substr(1 + 2 * static_cast<std::size_t>(index), 2), nullptr,
                   16);
}

// As many names to a row as fit beside each other, each column as wide as its longest; and no row
// with a single one if others can spare some.
std::size_t legend_columns(const std::vector<std::string>& names) {
  constexpr std::size_t kRow = 105;  // letters
  constexpr std::size_t kMark = 7;   // and what a mark and its distance take, in letters
  const auto width = [&](std::size_t columns) {
    std::vector<std::size_t> widest(columns);
    for (std::size_t i = 0; i < names.size(); ++i)
      widest[i % columns] = std::max(widest[i % columns], names[i].size() + kMark);
    return std::accumulate(widest.begin(), widest.end(), std::size_t{0});
  };
  for (std::size_t rows = 1; rows < names.size(); ++rows) {
    const std::size_t columns = (names.size() + rows - 1) / rows;
    if (width(columns) <= kRow) return columns;
  }
  return 1;
}

Json legend(const std::vector<std::string>& names) {
  return {{"title", nullptr},          {"orient", "top"},
          {"direction", "horizontal"}, {"columns", legend_columns(names)},
          {"columnPadding", 18},       {"labelLimit", 420},
          {"symbolOpacity", 1},        {"symbolFillColor", nullptr}};
}

std::vector<std::string> in_order(const Looks& looks, const std::vector<std::string>& names) {
  std::vector<std::string> ordered;
  for (const Look& look : looks)
    if (std::find(names.begin(), names.end(), look.name) != names.end())
      ordered.push_back(look.name);
  return ordered;
}

Json encoding(const std::vector<std::string>& names, Json range, Json legend) {
  return {{"field", kPolicy},
          {"type", "nominal"},
          {"scale", {{"type", "ordinal"}, {"domain", names}, {"range", std::move(range)}}},
          {"legend", std::move(legend)}};
}

// Vega-Lite makes one legend of all scales with the same domain, and none if one of them wants
// none: a domain with one more name is another one.
Json apart(Json encoding) {
  encoding["scale"]["domain"].push_back("");
  encoding["scale"]["range"].push_back(encoding["scale"]["range"].front());
  encoding["legend"] = nullptr;
  return encoding;
}

}  // namespace

const Look& look_of(const Looks& looks, const std::string& name) {
  const auto found =
      std::find_if(looks.begin(), looks.end(), [&](const Look& look) { return look.name == name; });
  ARMATURE_CHECK(found != looks.end(), "every name of a figure has a look");
  return *found;
}

Look variant(const Look& plain, std::size_t index, std::size_t count) {
  // Steps without a common divisor with the number there is, so that all come by; of these, the
  // ones that no published study has trouble with.
  constexpr std::size_t kDashStep = 3, kShapeStep = 7;
  Look look = plain;
  if (index == 0) return look;
  const auto stepped = [&](auto from, std::size_t step, std::size_t all) {
    return static_cast<decltype(from)>((static_cast<std::size_t>(from) + step * index) % all);
  };
  // Towards the end of the hue that is further away.
  const double end = plain.shade <= 0.5 ? 1 : 0;
  look.shade += (end - plain.shade) * static_cast<double>(index) / static_cast<double>(count - 1);
  look.dash = stepped(plain.dash, kDashStep, kDashes);
  look.shape = stepped(plain.shape, kShapeStep, kShapes);
  return look;
}

std::string colour(const Look& look) {
  const Shades& shades = kShades[static_cast<std::size_t>(look.hue)];
  std::string text = "#";
  for (int i = 0; i < 3; ++i) {
    const double from = channel(shades.full, i), to = channel(shades.far, i);
    text += fmt::format("{:02X}", static_cast<int>(std::lround(from + look.shade * (to - from))));
  }
  return text;
}

const std::vector<int>& dash(const Look& look) {
  return dashes()[static_cast<std::size_t>(look.dash)];
}

const std::string& shape(const Look& look) {
  return shapes()[static_cast<std::size_t>(look.shape)];
}

Json line_looks(const Looks& looks, const std::vector<std::string>& names) {
  const auto ordered = in_order(looks, names);
  Json colours = Json::array(), strokes = Json::array();
  for (const std::string& name : ordered) {
    colours.push_back(colour(look_of(looks, name)));
    strokes.push_back(dash(look_of(looks, name)));
  }
  Json shown = legend(ordered);
  shown["symbolType"] = "stroke";
  shown["symbolSize"] = 700;
  return {{"color", encoding(ordered, std::move(colours), shown)},
          {"strokeDash", encoding(ordered, std::move(strokes), shown)}};
}

Json colour_only(const Looks& looks, const std::vector<std::string>& names) {
  return apart(point_looks(looks, names)["color"]);
}

Json shape_only(const Looks& looks, const std::vector<std::string>& names) {
  return apart(point_looks(looks, names)["shape"]);
}

Json point_looks(const Looks& looks, const std::vector<std::string>& names) {
  const auto ordered = in_order(looks, names);
  Json colours = Json::array(), marks = Json::array();
  for (const std::string& name : ordered) {
    colours.push_back(colour(look_of(looks, name)));
    marks.push_back(shape(look_of(looks, name)));
  }
  const Json shown = legend(ordered);
  return {{"color", encoding(ordered, std::move(colours), shown)},
          {"shape", encoding(ordered, std::move(marks), shown)}};
}

Json area_looks(const Looks& looks, const std::vector<std::string>& names, const char* field) {
  Json encoding = point_looks(looks, names)["color"];
  encoding["field"] = field;
  encoding["legend"]["symbolType"] = "square";
  return encoding;
}

}  // namespace armature::figures
