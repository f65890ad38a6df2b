#include "figures/looks.h"

#include <algorithm>
#include <numeric>

#include "armature/error.h"

namespace armature::figures {
namespace {

const std::vector<std::vector<int>>& dashes() {
  static const std::vector<std::vector<int>> list = {
      {}, {8, 3}, {2, 2}, {9, 3, 2, 3}, {5, 2, 1, 2}, {12, 4, 4, 4}, {4, 3}};
  return list;
}

const std::vector<std::string>& shapes() {
  static const std::vector<std::string> list = {
      "circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-left"};
  return list;
}

// As many names to a row as fit beside each other.
std::size_t legend_columns(const std::vector<std::string>& names) {
  constexpr std::size_t kRow = 95;  // letters, marks included
  std::size_t longest = 1;
  for (const std::string& name : names) longest = std::max(longest, name.size() + 7);
  return std::clamp<std::size_t>(kRow / longest, 1, 8);
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

const std::string& colour(const Look& look) { return palette()[look.place % palette().size()]; }

Json line_looks(const Looks& looks, const std::vector<std::string>& names) {
  const auto ordered = in_order(looks, names);
  Json colours = Json::array(), strokes = Json::array(), strengths = Json::array();
  bool sweep = false;
  for (const std::string& name : ordered) {
    const Look& look = look_of(looks, name);
    colours.push_back(colour(look));
    strokes.push_back(dashes()[look.place % dashes().size()]);
    strengths.push_back(look.strength);
    sweep = sweep || look.strength < 1;
  }
  Json shown = legend(ordered);
  shown["symbolType"] = "stroke";
  shown["symbolSize"] = 500;
  Json encodings = {{"color", encoding(ordered, std::move(colours), shown)},
                    {"strokeDash", encoding(ordered, std::move(strokes), shown)}};
  if (sweep) {
    encodings["strokeOpacity"] = encoding(ordered, std::move(strengths), shown);
    encodings["strokeOpacity"]["type"] = "ordinal";  // along a sweep there is an order
  }
  return encodings;
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
    marks.push_back(shapes()[look_of(looks, name).place % shapes().size()]);
  }
  const Json shown = legend(ordered);
  return {{"color", encoding(ordered, std::move(colours), shown)},
          {"shape", encoding(ordered, std::move(marks), shown)}};
}

}  // namespace armature::figures
