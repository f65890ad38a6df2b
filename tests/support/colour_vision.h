// Colours as eyes see them: distances in CIELAB under normal vision and the three kinds of colour
// blindness, contrast against a page. A slow, obvious reference for tests of looks.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace armature::test {

using Triple = std::array<double, 3>;
using Matrix3 = std::array<Triple, 3>;

/// Linear red, green and blue of "#0871BC".
inline Triple linear_colour(const std::string& hex) {
  Triple linear{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double value = std::stoi(hex.substr(1 + 2 * i, 2), nullptr, 16) / 255.0;
    linear[i] = value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  }
  return linear;
}

inline Triple times(const Matrix3& matrix, const Triple& colour) {
  Triple product{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) product[i] += matrix[i][j] * colour[j];
  return product;
}

/// Nobody blind to anything, then protan, deutan and tritan at full severity (Machado, Oliveira and
/// Fernandes 2009); on linear colours.
inline constexpr std::array<Matrix3, 4> kVisions = {{
    {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    {{{0.152286, 1.052583, -0.204868},
      {0.114503, 0.786281, 0.099216},
      {-0.003882, -0.048116, 1.051998}}},
    {{{0.367322, 0.860646, -0.227968},
      {0.280085, 0.672501, 0.047413},
      {-0.011820, 0.042940, 0.968881}}},
    {{{1.255528, -0.076749, -0.178779},
      {-0.078411, 0.930809, 0.147602},
      {0.004733, 0.691367, 0.303900}}},
}};

/// Lightness in [0,100], then the two axes of hue.
inline Triple cielab(Triple linear) {
  for (double& value : linear) value = std::clamp(value, 0.0, 1.0);
  const Triple xyz = times(
      {{{0.4124, 0.3576, 0.1805}, {0.2126, 0.7152, 0.0722}, {0.0193, 0.1192, 0.9505}}}, linear);
  const auto bent = [](double t) {
    return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116;
  };
  const double x = bent(xyz[0] / 0.95047), y = bent(xyz[1]), z = bent(xyz[2] / 1.08883);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

/// The least distance (CIE 1976) over all four kinds of vision; 2.3 is just noticeable.
inline double colour_distance(const std::string& one, const std::string& other) {
  double least = INFINITY;
  for (const Matrix3& vision : kVisions) {
    const Triple a = cielab(times(vision, linear_colour(one)));
    const Triple b = cielab(times(vision, linear_colour(other)));
    least = std::min(least, std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]));
  }
  return least;
}

/// The ratio of luminances of WCAG, in [1,21].
inline double contrast(const std::string& one, const std::string& other) {
  const auto luminance = [](const std::string& hex) {
    const Triple colour = linear_colour(hex);
    return 0.2126 * colour[0] + 0.7152 * colour[1] + 0.0722 * colour[2] + 0.05;
  };
  const double a = luminance(one), b = luminance(other);
  return std::max(a, b) / std::min(a, b);
}

}  // namespace armature::test
