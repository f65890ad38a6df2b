// Small multiples: panels of one size beside and below each other under one title and one legend.
#pragma once

#include <string>
#include <vector>

#include "figures/axes.h"
#include "figures/looks.h"

namespace armature::figures {

/// What every figure has besides its data.
struct Heading {
  std::string name;      // kebab-case
  std::string title;     // what is shown
  std::string caption;   // how to read it
  Looks looks;           // of all policies of the report, for the same colours everywhere
  std::string key = {};  // what marks mean that do not explain themselves; under the title
};

struct PanelSize {
  double width = 0;
  double height = 0;
  std::size_t columns = 1;  // of panels
};
/// Large for one, small enough for two to four beside each other on a page for more; no panel is
/// left alone in the last row.
PanelSize panel_size(std::size_t panels);
/// The same where names stand beside every panel and take their room.
PanelSize panel_size_beside_names(std::size_t panels);

/// A panel's title, broken into lines that fit its width, and notes on what it does not show.
Json panel_title(const std::string& title, const PanelSize& size,
                 const std::vector<std::string>& notes = {});

/// The panels as one figure. Scales of colours, dashes and shapes are shared; axes are not.
Figure assemble(const Heading& heading, std::vector<Json> panels, const PanelSize& size);

/// A name at the right end of a line.
struct EndLabel {
  std::string name;  // whose colour it takes
  std::string text;
  double value = 0;  // where its line ends, on the vertical axis
};
/// Layers that write the labels to the right of the panel, kept apart, each joined to its line.
/// They hang on the panel's right edge, wherever that is: its width may be changed, not its height.
std::vector<Json> end_labels(const Looks& looks, const std::vector<EndLabel>& labels,
                             const Axis& vertical, const PanelSize& size);
/// Whether so many labels have room beside a panel. Names that stand there need no legend.
bool labels_fit(std::size_t labels, const PanelSize& size);
/// The same looks without a legend, for figures that write names beside lines.
Json without_legend(Json looks);

/// Something measured that has no place on its axis: 0 on a logarithmic one, a far outlier.
enum class Edge { kBottom, kTop, kLeft, kRight };
struct EdgeMark {
  std::string policy;
  Edge edge = Edge::kBottom;
  double value = 0;
  Json row;             // the fields of x and y, kept inside the axes
  double along = 0;     // where on the edge, from 0 (left, bottom) to 1; marks there stand in a row
  bool silent = false;  // its value is written elsewhere
};
/// Layers with a small triangle for each, in the policy's colour, and their values.
std::vector<Json> edge_marks(const Looks& looks, const std::vector<EdgeMark>& marks, const Json& x,
                             const Json& y);

/// A field of a tooltip, numbers to four digits.
Json shown_text(const std::string& field, const std::string& title);
Json shown_number(const std::string& field, const std::string& title);

}  // namespace armature::figures
