#include "graph/drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

#include "armature/error.h"
#include "graph/names.h"

namespace armature::graph {
namespace {

constexpr double kNodeHeight = 34;
constexpr double kLayer = 84;  // from layer to layer
constexpr double kSpace = 26;  // between neighbours of a layer
constexpr double kMargin = 24;
constexpr double kLetter = 8.2;  // of the 14 px type that names are written in
// From the middle of a line of type down to its baseline, as a share of its size. Added here and
// not by dy="0.35em", which some programs that draw SVG do not know.
constexpr double kBaseline = 0.35;
constexpr double kType = 14;
constexpr double kLegendType = 12;
constexpr int kSweeps = 12;
constexpr std::size_t kMostDrawn = 20'000;  // nodes and arrows
constexpr std::size_t kMostBends = 100'000;

// Characters, not bytes: wide enough for what people call their nodes.
std::size_t letters(const std::string& name) {
  return static_cast<std::size_t>(
      std::count_if(name.begin(), name.end(), [](unsigned char c) { return (c & 0xC0) != 0x80; }));
}

double node_width(const CausalGraph& graph, Node node) {
  return std::max(48.0, 22 + kLetter * static_cast<double>(letters(graph.name(node))));
}

// ---- layers ------------------------------------------------------------------------------------

// A place in a layer: a node, or a bend of an arrow that passes by.
struct Place {
  std::size_t layer = 0;
  double width = 4;
  double x = 0;
  std::vector<std::size_t> above;  // places it hangs on
  std::vector<std::size_t> below;
};

class Layers {
 public:
  explicit Layers(const CausalGraph& graph) : graph_(graph), places_(graph.size()) {
    assign_layers();
    add_bends();
    order_layers();
    place_across();
  }
  Layout layout() const {
    Layout result;
    double left = 0, right = 0;
    for (const Place& place : places_) {
      left = std::min(left, place.x - place.width / 2);
      right = std::max(right, place.x + place.width / 2);
    }
    const auto position = [&](const Place& place) {
      return Position{kMargin - left + place.x,
                      kMargin + kNodeHeight / 2 + kLayer * static_cast<double>(place.layer)};
    };
    for (Node node = 0; node < graph_.size(); ++node)
      result.nodes.push_back(position(places_[node]));
    for (const std::vector<std::size_t>& bends : bends_) {
      result.ways.emplace_back();
      for (const std::size_t bend : bends) result.ways.back().push_back(position(places_[bend]));
    }
    result.width = right - left + 2 * kMargin;
    result.height = kNodeHeight + kLayer * static_cast<double>(layers_.size() - 1) + 2 * kMargin;
    return result;
  }

 private:
  // As far down as its causes push it; a cause without causes stands right above its first
  // consequence instead of at the top.
  void assign_layers() {
    const std::vector<Node> order = *graph_.dag().order();
    std::vector<std::size_t> depth(graph_.dag().size());
    for (const Node node : order)
      if (node < graph_.size())
        for (const Node child : graph_.dag().children(node))
          depth[child] = std::max(depth[child], depth[node] + 1);
    for (const Node node : order) {
      if (node >= graph_.size()) continue;
      bool root = true;
      for (const Node parent : graph_.dag().parents(node)) root &= parent >= graph_.size();
      std::size_t highest_child = SIZE_MAX;
      for (const Node child : graph_.dag().children(node))
        highest_child = std::min(highest_child, depth[child]);
      if (root && highest_child != SIZE_MAX) depth[node] = highest_child - 1;
    }
    std::size_t last = 0;
    for (Node node = 0; node < graph_.size(); ++node) {
      places_[node].layer = depth[node];
      places_[node].width = node_width(graph_, node);
      last = std::max(last, depth[node]);
    }
    layers_.resize(last + 1);
    for (Node node = 0; node < graph_.size(); ++node) layers_[depth[node]].push_back(node);
  }

  // An arrow bends in every layer it passes. Where that would be more than can be laid out and
  // looked at, all arrows are straight.
  void add_bends() {
    std::size_t all = 0;
    for (const Arrow& arrow : graph_.parts().directed)
      all += places_[arrow.to].layer - places_[arrow.from].layer - 1;
    for (const Arrow& arrow : graph_.parts().directed) {
      std::vector<std::size_t> bends;
      std::size_t from = arrow.from;
      const std::size_t end = all <= kMostBends ? places_[arrow.to].layer : 0;
      for (std::size_t layer = places_[arrow.from].layer + 1; layer < end; ++layer) {
        places_.emplace_back();
        places_.back().layer = layer;
        layers_[layer].push_back(places_.size() - 1);
        connect(from, places_.size() - 1);
        from = places_.size() - 1;
        bends.push_back(from);
      }
      connect(from, arrow.to);
      bends_.push_back(std::move(bends));
    }
  }
  void connect(std::size_t upper, std::size_t lower) {
    places_[upper].below.push_back(lower);
    places_[lower].above.push_back(upper);
  }

  // Each layer in turn by the mean rank of what it hangs on, down and up again: fewer crossings.
  void order_layers() {
    std::vector<double> rank(places_.size());
    const auto number = [&](const std::vector<std::size_t>& layer) {
      for (std::size_t i = 0; i < layer.size(); ++i) rank[layer[i]] = static_cast<double>(i);
    };
    for (const auto& layer : layers_) number(layer);
    for (int sweep = 0; sweep < kSweeps; ++sweep)
      for (std::size_t step = 0; step < layers_.size(); ++step) {
        const bool down = sweep % 2 == 0;
        std::vector<std::size_t>& layer = layers_[down ? step : layers_.size() - 1 - step];
        std::vector<std::pair<double, std::size_t>> wanted;
        for (const std::size_t place : layer) {
          const auto& beside = down ? places_[place].above : places_[place].below;
          double sum = 0;
          for (const std::size_t other : beside) sum += rank[other];
          wanted.emplace_back(
              beside.empty() ? rank[place] : sum / static_cast<double>(beside.size()), place);
        }
        std::stable_sort(wanted.begin(), wanted.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        for (std::size_t i = 0; i < layer.size(); ++i) layer[i] = wanted[i].second;
        number(layer);
      }
  }

  // Side by side, then each towards the middle of its neighbours as far as the others let it.
  void place_across() {
    for (const auto& layer : layers_) {
      double x = 0;
      for (const std::size_t place : layer) {
        places_[place].x = x + places_[place].width / 2;
        x += places_[place].width + kSpace;
      }
      for (const std::size_t place : layer) places_[place].x -= (x - kSpace) / 2;
    }
    for (int sweep = 0; sweep < 4 * kSweeps; ++sweep)
      for (const auto& layer : layers_)
        for (std::size_t i = 0; i < layer.size(); ++i) {
          Place& place = places_[layer[i]];
          double sum = 0;
          for (const auto* beside : {&place.above, &place.below})
            for (const std::size_t other : *beside) sum += places_[other].x;
          const std::size_t count = place.above.size() + place.below.size();
          if (count == 0) continue;
          double x = sum / static_cast<double>(count);
          const auto room = [&](const Place& other) {
            return (place.width + other.width) / 2 + kSpace;
          };
          if (i > 0) x = std::max(x, places_[layer[i - 1]].x + room(places_[layer[i - 1]]));
          if (i + 1 < layer.size())
            x = std::min(x, places_[layer[i + 1]].x - room(places_[layer[i + 1]]));
          place.x = x;
        }
  }

  const CausalGraph& graph_;
  std::vector<Place> places_;                     // nodes first, then bends
  std::vector<std::vector<std::size_t>> layers_;  // top down, left to right
  std::vector<std::vector<std::size_t>> bends_;   // per directed arrow
};

// ---- positions of the file ---------------------------------------------------------------------

std::optional<Layout> given_layout(const CausalGraph& graph) {
  double left = 0, right = 0, top = 0, bottom = 0;
  for (Node node = 0; node < graph.size(); ++node) {
    const auto& position = graph.variable(node).position;
    if (!position) return std::nullopt;
    if (node == 0) {
      left = right = position->x;
      top = bottom = position->y;
    }
    left = std::min(left, position->x);
    right = std::max(right, position->x);
    top = std::min(top, position->y);
    bottom = std::max(bottom, position->y);
  }
  if (right == left && bottom == top) return std::nullopt;
  // Wide enough that as many names as there are columns would fit side by side.
  double widest = 0;
  for (Node node = 0; node < graph.size(); ++node)
    widest = std::max(widest, node_width(graph, node));
  const double columns = std::max(2.0, std::ceil(std::sqrt(static_cast<double>(graph.size()))));
  const double width = std::max(320.0, columns * (widest + kSpace));
  const double scale = right > left ? width / (right - left) : 0;
  const double height = std::clamp(
      bottom > top ? (scale > 0 ? scale * (bottom - top) : kLayer * 4) : 0, 0.0, 2 * width);
  Layout result;
  for (Node node = 0; node < graph.size(); ++node) {
    const Position& position = *graph.variable(node).position;
    result.nodes.push_back(
        {kMargin + widest / 2 + (right > left ? (position.x - left) / (right - left) * width : 0),
         kMargin + kNodeHeight / 2 +
             (bottom > top ? (position.y - top) / (bottom - top) * height : 0)});
  }
  result.ways.resize(graph.parts().directed.size());
  result.width = width + widest + 2 * kMargin;
  result.height = height + kNodeHeight + 2 * kMargin;
  return result;
}

// ---- ink ---------------------------------------------------------------------------------------

std::string xml(const std::string& text) {
  std::string safe;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    // XML has no U+FFFE and no U+FFFF.
    if (const auto sign = std::string_view(text).substr(i, 3);
        sign == "\xEF\xBF\xBE" || sign == "\xEF\xBF\xBF") {
      safe += ' ';
      i += 2;
    } else if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else if (c == '&')
      safe += "&amp;";
    else if (c == '"')
      safe += "&quot;";
    else
      safe += static_cast<unsigned char>(c) < 32 ? ' ' : c;
  }
  return safe;
}

// Where the straight way from the middle of a box towards a point leaves it.
Position border(const Position& middle, double width, const Position& towards) {
  const double dx = towards.x - middle.x;
  const double dy = towards.y - middle.y;
  if (dx == 0 && dy == 0) return middle;
  const double across = dx == 0 ? 1e300 : (width / 2) / std::fabs(dx);
  const double along = dy == 0 ? 1e300 : (kNodeHeight / 2) / std::fabs(dy);
  const double share = std::min({across, along, 1.0});
  return {middle.x + dx * share, middle.y + dy * share};
}

// Through the bends as one curve: each bend is the control point between the middles beside it.
std::string way(const std::vector<Position>& points) {
  std::string path = fmt::format("M{:.1f} {:.1f}", points.front().x, points.front().y);
  for (std::size_t i = 1; i + 1 < points.size(); ++i) {
    const bool last = i + 2 == points.size();
    const Position end =
        last ? points[i + 1]
             : Position{(points[i].x + points[i + 1].x) / 2, (points[i].y + points[i + 1].y) / 2};
    path += fmt::format(" Q{:.1f} {:.1f} {:.1f} {:.1f}", points[i].x, points[i].y, end.x, end.y);
  }
  if (points.size() == 2) path += fmt::format(" L{:.1f} {:.1f}", points[1].x, points[1].y);
  return path;
}

constexpr const char* kStyle = R"(<style>
.graph text { font: 14px system-ui, sans-serif; text-anchor: middle; fill: #1b1f24 }
.graph rect { fill: #f4f5f7; stroke: #6b7280; stroke-width: 1.3 }
.graph .action rect { fill: #cfe3ff; stroke: #1d5fbf }
.graph .context rect { fill: #ffe7b8; stroke: #a86400 }
.graph .reward rect { fill: #cdeedb; stroke: #16794a }
.graph .latent rect { fill: none; stroke-dasharray: 5 4 }
.graph path { fill: none; stroke: #6b7280; stroke-width: 1.5 }
.graph path.both { stroke-dasharray: 6 4 }
.graph path.open { stroke: #c62828; stroke-width: 3 }
.graph marker path { fill: #6b7280; stroke: none }
.graph marker.open path { fill: #c62828 }
.graph .legend text { font-size: 12px; text-anchor: start }
@media (prefers-color-scheme: dark) {
.graph text { fill: #e8eaed }
.graph rect { fill: #2a2e35; stroke: #9aa3af }
.graph .action rect { fill: #17365f; stroke: #7db2ff }
.graph .context rect { fill: #4d3610; stroke: #f2b84b }
.graph .reward rect { fill: #123f29; stroke: #62cf98 }
.graph path { stroke: #9aa3af }
.graph path.open { stroke: #ff7b72 }
.graph marker path { fill: #9aa3af }
.graph marker.open path { fill: #ff7b72 }
}
</style>)";

std::string marker(const std::string& name, const char* kind) {
  return fmt::format(
      "<marker id=\"{}\" class=\"{}\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerUnits=\"userSpaceOnUse\" "
      "markerWidth=\"11\" markerHeight=\"11\" orient=\"auto-start-reverse\"><path d=\"M0 0.8 L10 5 L0 9.2 "
      "z\"/></marker>",
      name, kind);
}

}  // namespace

const char* role_of(const CausalGraph& graph, const Roles& roles, Node node) {
  if (contains(roles.actions, node)) return "action";
  if (contains(roles.rewards, node)) return "reward";
  if (contains(roles.contexts, node)) return "context";
  return graph.variable(node).latent ? "latent" : "plain";
}

bool on_witness(const Roles& roles, const Arrow& arrow, bool both) {
  if (!roles.witness) return false;
  for (std::size_t i = 0; i < roles.witness->marks.size(); ++i) {
    const Node one = roles.witness->nodes[i];
    const Node other = roles.witness->nodes[i + 1];
    const Mark mark = roles.witness->marks[i];
    if (both != (mark == Mark::kBoth)) continue;
    const bool same = mark == Mark::kBackward ? arrow.from == other && arrow.to == one
                                              : arrow.from == one && arrow.to == other;
    if (same || (both && arrow.from == other && arrow.to == one)) return true;
  }
  return false;
}

Layout layout(const CausalGraph& graph) {
  ARMATURE_CHECK(graph.size() > 0, "a graph to draw has nodes");
  if (auto given = given_layout(graph)) return *given;
  return Layers(graph).layout();
}

std::string picture(const CausalGraph& graph, const Roles& roles, const std::string& prefix) {
  const Layout where = layout(graph);
  std::vector<std::pair<const char*, const char*>> legend;  // class and word
  for (const auto& [set, kind] : {std::pair{&roles.actions, "action"},
                                  {&roles.contexts, "context"},
                                  {&roles.rewards, "reward"}})
    if (!set->empty()) legend.emplace_back(kind, kind);
  for (Node node = 0; node < graph.size(); ++node)
    if (std::string(role_of(graph, roles, node)) == "latent") {
      legend.emplace_back("latent", "latent");
      break;
    }
  constexpr double kLegendEntry = 86;
  const double legend_height = legend.empty() ? 0 : 30;
  const double width =
      std::max(where.width, 2 * kMargin + kLegendEntry * static_cast<double>(legend.size()));
  const double height = where.height + legend_height;
  const double left = (where.width - width) / 2;  // a narrow graph stands in the middle above it
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"graph\" viewBox=\"{5:.0f} 0 {0:.0f} {1:.0f}\" "
      "width=\"{0:.0f}\" height=\"{1:.0f}\" role=\"img\" aria-label=\"causal graph\">\n{2}\n<defs>{3}{4}</defs>\n",
      width, height, kStyle, marker(prefix + "arrow", "arrow"),
      marker(prefix + "arrow-open", "open"), left);

  const auto edge = [&](const Arrow& arrow, const std::vector<Position>& bends, bool both) {
    const Position from = where.nodes[arrow.from];
    const Position to = where.nodes[arrow.to];
    std::vector<Position> points{
        border(from, node_width(graph, arrow.from), bends.empty() ? to : bends.front())};
    points.insert(points.end(), bends.begin(), bends.end());
    points.push_back(border(to, node_width(graph, arrow.to), bends.empty() ? from : bends.back()));
    const bool open = on_witness(roles, arrow, both);
    const std::string head = prefix + (open ? "arrow-open" : "arrow");
    svg += fmt::format("<path class=\"{}{}\" d=\"{}\" marker-end=\"url(#{})\"{}/>\n",
                       both ? "both" : "arrow", open ? " open" : "", way(points), head,
                       both ? fmt::format(" marker-start=\"url(#{})\"", head) : "");
  };
  for (std::size_t i = 0; i < graph.parts().directed.size(); ++i)
    edge(graph.parts().directed[i], where.ways[i], false);
  for (const Arrow& arrow : graph.parts().bidirected) {
    // Bent aside, so that it is told from an arrow between the same two.
    const Position& from = where.nodes[arrow.from];
    const Position& to = where.nodes[arrow.to];
    edge(arrow,
         {{(from.x + to.x) / 2 + (to.y - from.y) / 4, (from.y + to.y) / 2 - (to.x - from.x) / 4}},
         true);
  }
  for (Node node = 0; node < graph.size(); ++node) {
    const Position& at = where.nodes[node];
    const double box = node_width(graph, node);
    svg += fmt::format(
        "<g class=\"{}\"><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" rx=\"8\"/>"
        "<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text></g>\n",
        role_of(graph, roles, node), at.x - box / 2, at.y - kNodeHeight / 2, box, kNodeHeight, at.x,
        at.y + kBaseline * kType, xml(graph.name(node)));
  }
  for (std::size_t i = 0; i < legend.size(); ++i) {
    const double x = left + kMargin + kLegendEntry * static_cast<double>(i);
    const double y = height - 26;
    svg += fmt::format(
        "<g class=\"legend {}\"><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"18\" height=\"14\" rx=\"4\"/>"
        "<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text></g>\n",
        legend[i].first, x, y - 7, x + 24, y + kBaseline * kLegendType, legend[i].second);
  }
  return svg + "</svg>\n";
}

void require_drawable(const CausalGraph& graph) {
  const std::size_t arrows = graph.parts().directed.size() + graph.parts().bidirected.size();
  if (graph.size() + arrows > kMostDrawn)
    throw Error({"", "picture", fmt::format("{} nodes and {} arrows", graph.size(), arrows),
                 fmt::format("at most {} nodes and arrows together; as text, JSON, DOT and dagitty "
                             "there is no limit",
                             kMostDrawn)});
}

}  // namespace armature::graph
