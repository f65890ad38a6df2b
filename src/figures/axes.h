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
};

/// An axis on which all these values have a place. Linear ones begin at 0 if all values are
/// positive; on logarithmic ones values of 0 and less, and those five powers of ten below the
/// largest, fall off.
Axis fitted(std::string title, Scale scale, const std::vector<double>& values);
/// The same without room at its ends.
Axis exact(std::string title, Scale scale, const std::vector<double>& values);
/// Logarithmic if the values are far apart, symmetric if some are 0.
Scale scale_for(const std::vector<double>& values);

/// Where a value lies: 0 at the axis's low end, 1 at its high end; and back.
double place_of(const Axis& axis, double value);
double value_at(const Axis& axis, double place);

std::vector<double> ticks(const Axis& axis);
/// A number as an axis has it: 0.05, 2000, 20k; 10⁵ where all ticks are powers of ten.
std::string tick_label(const Axis& axis, double value);

/// The encoding of a field along this axis: scale, ticks, labels.
Json along(const Axis& axis, const std::string& field);

/// The nearest places to those wanted that are `distance` apart, in the same order, within
/// [low, high] where there is room.
std::vector<double> spread_apart(const std::vector<double>& wanted, double distance, double low,
                                 double high);

}  // namespace armature::figures
