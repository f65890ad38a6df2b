#include "figures/panels.h"

#include <algorithm>

#include "base/text.h"

namespace armature::figures {
namespace {

constexpr double kLabelHeight = 13;      // pixels from one label to the next
constexpr double kLabelGap = 14;         // from a line's end to its label
constexpr double kLetter = 6.8;          // mean width of a letter in a panel's title…
constexpr double kNoteLetter = 5.6;      // …and in a note
constexpr std::size_t kKeyLetters = 70;  // to a line under a figure's title: a phone's width
constexpr double kTriangle = 9;          // from one mark at the edge to the next

// Breaks at the last blank that still fits, without one in reach after another separator; a word
// without any is left to be long.
std::vector<std::string> broken(const std::string& text, std::size_t most) {
  std::vector<std::string> lines;
  std::string rest = text;
  while (rest.size() > most) {
    std::size_t end = rest.find_last_of(' ', most - 1);
    if (end == std::string::npos || end < most / 3) end = rest.find_last_of(",;:* ", most - 1);
    if (end == std::string::npos || end < most / 5) break;
    lines.push_back(rest.substr(0, rest[end] == ' ' ? end : end + 1));
    rest = rest.substr(end + 1);
  }
  lines.push_back(rest);
  return lines;
}

}  // namespace

namespace {

// The first of these numbers of columns that leaves no panel alone in the last row.
PanelSize sized(std::size_t panels, const std::vector<std::size_t>& wanted) {
  static const PanelSize sizes[] = {
      {520, 330, 1}, {320, 215, 2}, {205, 155, 3}, {155, 140, 4}, {130, 120, 5}};
  for (const std::size_t columns : wanted)
    if (columns <= panels && panels % columns != 1) return sizes[columns - 1];
  return sizes[0];
}

}  // namespace

PanelSize panel_size(std::size_t panels) {
  return panels == 4 ? sized(4, {2}) : sized(panels, {3, 2, 4, 5});
}

PanelSize panel_size_beside_names(std::size_t panels) { return sized(panels, {2, 3, 4, 5}); }

Json panel_title(const std::string& title, const PanelSize& size,
                 const std::vector<std::string>& notes) {
  const auto letters = [&](double letter) {
    return static_cast<std::size_t>((size.width + 30) / letter);
  };
  Json shown = {{"text", broken(title, letters(kLetter))},
                {"anchor", "start"},
                {"frame", "group"},
                {"fontSize", 13},
                {"fontWeight", 600},
                {"offset", 8},
                {"subtitleFontSize", 11},
                {"subtitlePadding", 3}};
  for (const std::string& note : notes)
    for (std::string& line : broken(note, letters(kNoteLetter)))
      shown["subtitle"].push_back(std::move(line));
  return shown;
}

namespace {

// Axes beside and below each other have the same titles: the outermost panels show them. The
// encoding keeps its title below that of the axis, for pages that put panels below each other.
void hide_inner_titles(std::vector<Json>& panels, std::size_t columns) {
  const auto hide = [](Json& view, const char* channel) {
    if (view.contains("encoding") && view["encoding"].contains(channel) &&
        view["encoding"][channel].contains("field"))
      view["encoding"][channel]["axis"]["title"] = nullptr;
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

// Titles of one row begin at one height, however many notes follow.
void align_titles(std::vector<Json>& panels, std::size_t columns) {
  const auto lines = [](const Json& panel) {
    const Json& title = panel["title"];
    return title["text"].size() + (title.contains("subtitle") ? title["subtitle"].size() : 0);
  };
  for (std::size_t first = 0; first < panels.size(); first += columns) {
    const std::size_t end = std::min(panels.size(), first + columns);
    std::size_t most = 0;
    for (std::size_t i = first; i < end; ++i)
      if (panels[i].contains("title")) most = std::max(most, lines(panels[i]));
    for (std::size_t i = first; i < end; ++i)
      while (panels[i].contains("title") && lines(panels[i]) < most)
        panels[i]["title"]["subtitle"].push_back(" ");
  }
}

}  // namespace

Figure assemble(const Heading& heading, std::vector<Json> panels, const PanelSize& size) {
  Json spec = base_spec(heading.title);
  if (!heading.key.empty()) spec["title"]["subtitle"] = broken(heading.key, kKeyLetters);
  spec.erase("width");
  spec.erase("height");
  spec["title"]["fontSize"] = 16;
  spec["title"]["offset"] = 14;
  hide_inner_titles(panels, size.columns);
  align_titles(panels, size.columns);
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
    wanted.push_back(place_of(vertical, kept_inside(vertical, label.value)) * size.height);
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
                        {"xOffset", 2},
                        {"x2Offset", kLabelGap - 2},
                        {"tooltip", nullptr}}},
                      {"encoding",
                       {{"x", {{"value", "width"}}},
                        {"x2", {{"value", "width"}}},
                        {"y", {{"value", from}}},
                        {"y2", {{"value", to}}}}}});
    layers.push_back({{"data", here},
                      {"mark",
                       {{"type", "text"},
                        {"align", "left"},
                        {"baseline", "middle"},
                        {"dx", kLabelGap},
                        {"tooltip", nullptr}}},
                      {"encoding",
                       {{"x", {{"value", "width"}}},
                        {"y", {{"value", to}}},
                        {"text", {{"field", "label"}, {"type", "nominal"}}}}}});
  }
  return layers;
}

bool labels_fit(std::size_t labels, const PanelSize& size) {
  constexpr std::size_t kMostColumns = 2;  // of more, labels between the panels take all the room
  return size.columns <= kMostColumns && static_cast<double>(labels) * kLabelHeight <= size.height;
}

Json without_legend(Json looks) {
  for (Json& encoding : looks) encoding["legend"] = nullptr;
  return looks;
}

namespace {

// How a mark at an edge looks, in pixels to the right and down.
struct EdgeLook {
  const char* shape;   // points outwards
  double right, down;  // inwards, so that it stands whole in the plot
};

EdgeLook look_at(Edge edge) {
  constexpr double kInwards = 6;
  switch (edge) {
    case Edge::kBottom:
      return {"triangle-down", 0, -kInwards};
    case Edge::kTop:
      return {"triangle-up", 0, kInwards};
    case Edge::kLeft:
      return {"triangle-left", kInwards, 0};
    case Edge::kRight:
      break;
  }
  return {"triangle-right", -kInwards, 0};
}

std::string in_words(const std::vector<std::string>& values) {
  constexpr std::size_t kFew = 3;
  return values.size() > kFew ? values.front() + " … " + values.back() : join(values, ", ");
}

// Marks at one place of an edge stand beside each other, towards its middle; their values follow.
std::vector<Json> marks_at_one_place(const Looks& looks, const std::vector<const EdgeMark*>& marks,
                                     const Json& x, const Json& y) {
  const EdgeMark& first = *marks.front();
  const bool along_x = first.edge == Edge::kBottom || first.edge == Edge::kTop;
  const double towards = first.along > 0.5 ? -1 : 1;
  EdgeLook look = look_at(first.edge);
  std::vector<Json> layers;
  std::vector<std::string> values;
  for (const EdgeMark* mark : marks) {
    const std::string value = short_number(mark->value);
    Json row = mark->row;
    row[kPolicy] = mark->policy;
    row["outside"] = value;
    layers.push_back(
        {{"data", {{"values", Json::array({std::move(row)})}}},
         {"mark",
          {{"type", "point"},
           {"shape", look.shape},
           {"filled", true},
           {"size", 45},
           {"opacity", 1},
           {"color", colour(look_of(looks, mark->policy))},
           {"xOffset", look.right},
           {"yOffset", look.down}}},
         {"encoding",
          {{"x", x},
           {"y", y},
           {"tooltip", {shown_text(kPolicy, "policy"), shown_text("outside", "off the axis")}}}}});
    (along_x ? look.right : look.down) += (along_x ? towards : -towards) * kTriangle;
    if (!mark->silent && std::find(values.begin(), values.end(), value) == values.end())
      values.push_back(value);
  }
  if (values.empty()) return layers;
  Json row = first.row;
  row["label"] = in_words(values);
  const bool leftwards = along_x ? towards < 0 : first.edge == Edge::kRight;
  if (!along_x) look = look_at(first.edge), look.right *= 2.5;  // past the mark itself
  layers.push_back(
      {{"data", {{"values", Json::array({std::move(row)})}}},
       {"mark",
        {{"type", "text"},
         {"align", leftwards ? "right" : "left"},
         {"baseline", "middle"},
         {"fontSize", 11},
         {"dx", look.right},
         {"dy", look.down},
         {"tooltip", nullptr}}},
       {"encoding", {{"x", x}, {"y", y}, {"text", {{"field", "label"}, {"type", "nominal"}}}}}});
  return layers;
}

}  // namespace

std::vector<Json> edge_marks(const Looks& looks, const std::vector<EdgeMark>& marks, const Json& x,
                             const Json& y) {
  std::vector<std::vector<const EdgeMark*>> places;
  for (const EdgeMark& mark : marks) {
    const auto same = std::find_if(places.begin(), places.end(), [&](const auto& place) {
      return place.front()->edge == mark.edge && place.front()->along == mark.along;
    });
    if (same == places.end())
      places.push_back({&mark});
    else
      same->push_back(&mark);
  }
  std::vector<Json> layers;
  for (const auto& place : places)
    for (Json& layer : marks_at_one_place(looks, place, x, y)) layers.push_back(std::move(layer));
  return layers;
}

Json shown_text(const std::string& field, const std::string& title) {
  return {{"field", field}, {"type", "nominal"}, {"title", title}};
}

Json shown_number(const std::string& field, const std::string& title) {
  return {{"field", field}, {"type", "quantitative"}, {"title", title}, {"format", ",.4~r"}};
}

}  // namespace armature::figures
