#include "study/fit.h"

// Exponents of growth laws: a straight line through logarithms, with an interval that a verdict can
// be held against.
#include <algorithm>
#include <cmath>

#include "armature/error.h"
#include "base/mathematics.h"
#include "lab/student.h"

namespace armature {

LineFit around(double value, double error, std::uint64_t degrees) {
  const double half = (degrees == 0 ? kNormal95 : student_t95(degrees)) * error;
  return {value, value - half, value + half, error, degrees};
}

LineFit wider(const LineFit& one, const LineFit& other) {
  return other.high - other.low > one.high - one.low ? other : one;
}

LineFit fit_line(const std::vector<FitPoint>& points) {
  const auto n = static_cast<double>(points.size());
  double mean_x = 0;
  double mean_y = 0;
  for (const FitPoint& point : points) {
    mean_x += point.x / n;
    mean_y += point.y / n;
  }
  // Second pass, about the means: logarithms of close horizons would cancel in one pass of raw
  // sums.
  double spread = 0;  // Σ (x − mean)²
  double moment = 0;
  for (const FitPoint& point : points) {
    spread += (point.x - mean_x) * (point.x - mean_x);
    moment += (point.x - mean_x) * (point.y - mean_y);
  }
  ARMATURE_CHECK(spread > 0, "a line needs two distinct x");
  const double slope = moment / spread;
  double residuals = 0;
  // The slope is Σ weight·y, so that independent errors of y carry over as Σ weight²·error².
  double carried = 0;
  for (const FitPoint& point : points) {
    const double residual = point.y - mean_y - slope * (point.x - mean_x);
    residuals += residual * residual;
    const double weight = (point.x - mean_x) / spread;
    carried += weight * weight * point.error * point.error;
  }
  LineFit fit = around(slope, std::sqrt(carried), 0);
  // Two points lie on their line exactly: without residuals only their own errors speak.
  if (points.size() > 2)
    fit = wider(fit, around(slope, std::sqrt(residuals / (n - 2) / spread), points.size() - 2));
  return fit;
}

LineFit fit_power(std::vector<FitPoint> points) {
  for (FitPoint& point : points) {
    ARMATURE_CHECK(point.x > 0 && point.y > 0, "logarithms need positive numbers");
    // To first order the error of log y is that of y, relative to y.
    point = {portable::log(point.x), portable::log(point.y), point.error / point.y};
  }
  return fit_line(points);
}

}  // namespace armature
