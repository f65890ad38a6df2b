// Small multiples: panels of one size beside and below each other under one title and one legend.
#pragma once

#include <string>
#include <vector>

#include "figures/axes.h"
#include "figures/looks.h"

namespace armature::figures {

/// What every figure has besides its data.
struct Heading {
  std::string name;     // kebab-case
  std::string title;    // what is shown
  std::string caption;  // how to read it
  Looks looks;          // of all policies of the report, for the same colours everywhere
};

struct PanelSize {
  double width = 0;
  double height = 0;
  std::size_t columns = 1;  // of panels
};
/// Large for one, small enough for two or three beside each other on a page for more.
PanelSize panel_size(std::size_t panels);

/// A panel's title, broken into lines that fit its width.
Json panel_title(const std::string& title, const PanelSize& size);

/// The panels as one figure. Scales of colours, dashes and shapes are shared; axes are not.
Figure assemble(const Heading& heading, std::vector<Json> panels, const PanelSize& size);

/// A name at the right end of a line.
struct EndLabel {
  std::string name;  // whose colour it takes
  std::string text;
  double value = 0;  // where its line ends, on the vertical axis
};
/// Layers that write the labels to the right of the panel, kept apart, each joined to its line.
std::vector<Json> end_labels(const Looks& looks, const std::vector<EndLabel>& labels,
                             const Axis& vertical, const PanelSize& size);

/// A field of a tooltip, numbers to four digits.
Json shown_text(const std::string& field, const std::string& title);
Json shown_number(const std::string& field, const std::string& title);

}  // namespace armature::figures
