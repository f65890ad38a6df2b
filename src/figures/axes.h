// Axes worked out here rather than by the renderer: domains, ticks and labels are data of a figure,
// and labels beside lines can be kept from running into each other.
#pragma once

#include <string>
#include <vector>

#include "figures/style.h"

namespace armature::figures {

enum class Scale {
  kLinear,
  kLog,
  kSymlog,  // logarithmic away from 0, linear around it: for what may be 0
};

struct Axis {
  std::string title;
  Scale scale = Scale::kLinear;
  double low = 0;
  double high = 1;
  std::vector<double> chosen_ticks = {};  // empty: round numbers
  double room = 0;                        // pixels beyond both ends, for whole symbols there
  double constant = 1;                    // of kSymlog: about where the linear part ends
};

/// What was measured decides the range of an axis, and nothing else: bounds are drawn where they
/// fall. All these values have a place on it, but for 0 and less on a logarithmic one, and for
/// stray values if those above 0 lie more than eight powers of ten apart. What has no place is
/// marked at the edge (`edge_marks` in panels.h). Linear ones begin at 0 if all values are
/// positive.
Axis fitted(std::string title, Scale scale, const std::vector<double>& values);
/// All that is finite (and positive, if logarithmic), without room at its ends.
Axis exact(std::string title, Scale scale, const std::vector<double>& values);

/// The axis of one panel of several.
struct PanelAxis {
  Axis axis;
  bool own = false;  // else the one that all share
};
/// One range for all panels, so that they can be compared; a panel that it would press flat has
/// its own: one whose values would fill less than `least_filled` of it. One entry of `values` per
/// panel.
std::vector<PanelAxis> shared(const std::string& title, Scale scale,
                              const std::vector<std::vector<double>>& values,
                              double least_filled = 0.2);

/// Logarithmic if the values are far apart, symmetric if some are 0.
Scale scale_for(const std::vector<double>& values);

/// Where a value lies: 0 at the axis's low end, 1 at its high end; and back.
double place_of(const Axis& axis, double value);
double value_at(const Axis& axis, double place);

/// Which side of the axis a value is off: -1 below, 1 above, 0 if it has a place.
int side_of(const Axis& axis, double value);
/// The nearest value that has a place.
double kept_inside(const Axis& axis, double value);

std::vector<double> ticks(const Axis& axis);
/// The axis along so many pixels from left to right, with ticks whose labels do not touch: at
/// `values` themselves if they are few, else at round numbers.
Axis labelled_across(Axis axis, double pixels, std::vector<double> values = {});
/// A number as an axis has it: 0.05, 2000, 20k; 10⁵ where all ticks are powers of ten.
std::string tick_label(const Axis& axis, double value);
/// A number to three digits, for notes: 0.0712, 21.3k, 31M, 2.1·10¹², 10⁻⁹.
std::string short_number(double value);

/// The encoding of a field along this axis: scale, ticks, labels.
Json along(const Axis& axis, const std::string& field);

/// The nearest places to those wanted that are `distance` apart, in the same order, within
/// [low, high] where there is room.
std::vector<double> spread_apart(const std::vector<double>& wanted, double distance, double low,
                                 double high);

}  // namespace armature::figures
