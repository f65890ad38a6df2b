// A line through points whose heights are known with errors.
#pragma once

#include <vector>

namespace armature {

struct FitPoint {
  double x = 0;
  double y = 0;
  double error = 0;  // standard error of y
};

struct LineFit {
  double slope = 0;
  double low = 0, high = 0;  // 95% interval of the slope
};

/// Least squares, all points alike. The interval is the wider of two: Student's t on the residuals
/// (three points or more), and the points' own errors carried through. At least two distinct x.
LineFit fit_line(const std::vector<FitPoint>& points);

/// The same on logarithms: slope of log y against log x, errors relative. All x and y positive.
LineFit fit_power(std::vector<FitPoint> points);

}  // namespace armature
