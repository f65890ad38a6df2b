// How each policy looks in every figure of a report: one colour, one dash, one shape.
#pragma once

#include <string>
#include <vector>

#include "figures/style.h"

namespace armature::figures {

struct Look {
  std::string name;
  std::size_t place = 0;  // picks colour, dash and shape; members of a sweep share one
  double strength = 1;    // of its ink, in (0,1]: tells members of a sweep apart
};
using Looks = std::vector<Look>;

const Look& look_of(const Looks& looks, const std::string& name);
const std::string& colour(const Look& look);

/// Encodings of `field` with a legend of these names, in the order of `looks`.
Json line_looks(const Looks& looks, const std::vector<std::string>& names);
Json point_looks(const Looks& looks, const std::vector<std::string>& names);

/// Colour or shape alone, without a legend: for layers beside one that has it (as `fill`, `stroke`,
/// `shape`), or where names stand on an axis.
Json colour_only(const Looks& looks, const std::vector<std::string>& names);
Json shape_only(const Looks& looks, const std::vector<std::string>& names);

/// The field that holds the name of a policy in the data of every figure.
inline constexpr const char* kPolicy = "policy";

}  // namespace armature::figures
