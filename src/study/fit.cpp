#include "study/fit.h"

#include <algorithm>
#include <cmath>

#include "armature/error.h"
#include "base/mathematics.h"
#include "lab/student.h"

namespace armature {

LineFit fit_line(const std::vector<FitPoint>& points) {
  const auto n = static_cast<double>(points.size());
  double mean_x = 0;
  double mean_y = 0;
  for (const FitPoint& point : points) {
    mean_x += point.x / n;
    mean_y += point.y / n;
  }
  double spread = 0;  // Σ (x − mean)²
  double moment = 0;
  for (const FitPoint& point : points) {
    spread += (point.x - mean_x) * (point.x - mean_x);
    moment += (point.x - mean_x) * (point.y - mean_y);
  }
  ARMATURE_CHECK(spread > 0, "a line needs two distinct x");
  const double slope = moment / spread;
  double residuals = 0;
  double carried = 0;
  for (const FitPoint& point : points) {
    const double residual = point.y - mean_y - slope * (point.x - mean_x);
    residuals += residual * residual;
    const double weight = (point.x - mean_x) / spread;
    carried += weight * weight * point.error * point.error;
  }
  double half = kNormal95 * std::sqrt(carried);
  if (points.size() > 2)
    half = std::max(half, student_t95(points.size() - 2) * std::sqrt(residuals / (n - 2) / spread));
  return {slope, slope - half, slope + half};
}

LineFit fit_power(std::vector<FitPoint> points) {
  for (FitPoint& point : points) {
    ARMATURE_CHECK(point.x > 0 && point.y > 0, "logarithms need positive numbers");
    point = {portable::log(point.x), portable::log(point.y), point.error / point.y};
  }
  return fit_line(points);
}

}  // namespace armature
