// How each policy looks in every figure: a hue, a dash and a shape. Which policy has which is for
// report/policy_looks to say; here stands what there is to choose from.
#pragma once

#include <string>
#include <vector>

#include "figures/style.h"

namespace armature::figures {

/// Eleven colours and a grey. Told apart by all common kinds of colour vision, and each stands out
/// from a white page and from a dark one; tests/figures/looks_test.cpp has the numbers.
enum class Hue {
  kBlue,
  kOrange,
  kGreen,
  kRed,
  kViolet,
  kPeriwinkle,
  kPlum,
  kWine,
  kPink,
  kLilac,
  kOlive,
  kGrey,
};
inline constexpr std::size_t kHues = 12;

enum class Dash { kSolid, kDotted, kLong, kDashDot, kShort, kLongShort, kDashDotDot };
inline constexpr std::size_t kDashes = 7;

enum class Shape {
  kCircle,
  kSquare,
  kTriangleUp,
  kDiamond,
  kCross,
  kTriangleDown,
  kStar,
  kTriangleLeft,
  kSaltire,
  kTriangleRight,
};
inline constexpr std::size_t kShapes = 10;

struct Look {
  std::string name;
  Hue hue = Hue::kGrey;
  Dash dash = Dash::kSolid;
  Shape shape = Shape::kCircle;
  double shade = 0;  // 0: the hue itself; up to 1, its far end: tells variants of a policy apart
};
using Looks = std::vector<Look>;

/// The look of variant number `index` of `count`: the same hue in another shade, with another dash
/// and shape. The first one is plain.
Look variant(const Look& plain, std::size_t index, std::size_t count);

const Look& look_of(const Looks& looks, const std::string& name);
/// As "#0871BC"; as lengths of ink and gap in pixels, none for a solid line; as Vega names it.
std::string colour(const Look& look);
const std::vector<int>& dash(const Look& look);
const std::string& shape(const Look& look);

/// Encodings of `field` with a legend of these names, in the order of `looks`.
Json line_looks(const Looks& looks, const std::vector<std::string>& names);
Json point_looks(const Looks& looks, const std::vector<std::string>& names);

/// Colour or shape alone, without a legend: for layers beside one that has it (as `fill`, `stroke`,
/// `shape`), or where names stand on an axis.
Json colour_only(const Looks& looks, const std::vector<std::string>& names);
Json shape_only(const Looks& looks, const std::vector<std::string>& names);

/// Filled areas: colours alone, with a legend of squares. `field` holds the names.
Json area_looks(const Looks& looks, const std::vector<std::string>& names, const char* field);

/// The field that holds the name of a policy in the data of every figure.
inline constexpr const char* kPolicy = "policy";

}  // namespace armature::figures
