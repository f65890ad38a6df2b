// A line through points whose heights are known with errors.
#pragma once

#include <cstdint>
#include <vector>

namespace armature {

struct FitPoint {
  double x = 0;
  double y = 0;
  double error = 0;  // standard error of y
};

/// A slope, or for verdicts any other number, with its interval and what that was made of.
struct LineFit {
  double slope = 0;
  double low = 0, high = 0;   // 95% interval of the slope
  double error = 0;           // standard error
  std::uint64_t degrees = 0;  // of Student's law; 0: the normal law
  bool logarithmic = false;   // error and law are those of the logarithm
};

/// A value with its standard error: the interval of Student's law, or of the normal one (0
/// degrees).
LineFit around(double value, double error, std::uint64_t degrees);
/// The one with the longer interval; of equals the first.
LineFit wider(const LineFit& one, const LineFit& other);

/// Least squares, all points alike. The interval is the wider of two: Student's t on the residuals
/// (three points or more), and the points' own errors carried through. Residuals know of a bend but
/// not of noise that happens to lie straight; the errors know of noise but not of a bend. Needs at
/// least two distinct x, and aborts on fewer.
LineFit fit_line(const std::vector<FitPoint>& points);

/// The same on logarithms: slope of log y against log x, errors relative. All x and y positive.
LineFit fit_power(std::vector<FitPoint> points);

}  // namespace armature
