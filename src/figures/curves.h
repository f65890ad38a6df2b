// What figures of lines share: means against something across the panel, bounds as thin dashes,
// names at the lines' ends, and marks at the edge for what has no place in the plot.
#pragma once

#include "figures/panels.h"

namespace armature::figures {

struct MeanPoint {
  double x = 0;
  double mean = 0;
  double low = 0, high = 0;  // interval of the mean
};

struct Curve {
  std::string policy;
  std::vector<MeanPoint> points;  // in the order of x
  bool level = false;             // the same mean at every x: a line without points
};

struct BoundPoint {
  double x = 0;
  double value = 0;
};

/// What theory promises for a policy.
struct BoundCurve {
  std::string policy;
  std::vector<BoundPoint> points;  // only where it holds and says something
};

struct CurvePanel {
  std::string title;
  std::vector<Curve> curves;
  std::vector<BoundCurve> bounds;
};

/// What the figure wants of its frames.
struct CurveAxes {
  std::string x_field;       // of the rows
  std::vector<Axis> across;  // one per panel
  std::string up_title;
  Scale up = Scale::kLinear;
  bool every_point = false;  // is data of its own, and not a sample of a line
};

/// Everything of a panel but its lines and points.
struct CurveFrame {
  Axis across, up;
  Json title;
  std::vector<Json> bounds;  // layers, to lie below
  std::vector<Json> labels;  // layers, to lie above: names, and marks at the edge
};
struct CurveFrames {
  std::vector<CurveFrame> panels;
  bool named = false;  // every line has its name at its end: a legend would repeat them
};
CurveFrames curve_frames(const Looks& looks, const std::vector<CurvePanel>& panels,
                         const CurveAxes& axes, const PanelSize& size);

/// A row of data. `shown`, `shown_low` and `shown_high` are the mean and its interval, kept inside
/// the axis; `inside` tells whether the mean was there by itself.
Json curve_row(const Curve& curve, const MeanPoint& point, const std::string& x_field,
               const Axis& up);

/// The points that a line is drawn through: of those outside before it enters the plot, the last.
std::vector<MeanPoint> from_entry(const Curve& curve, const Axis& up);

std::vector<std::string> policies_of(const std::vector<CurvePanel>& panels);
/// The x of all points, for an axis.
std::vector<double> places_across(const CurvePanel& panel);

}  // namespace armature::figures
