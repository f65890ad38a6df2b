// Which of many numbers reach a bound: places, ascending. Several are compared at a time where the
// machine can.
#pragma once

#include <cstdint>
#include <span>

namespace armature {

/// start + slope·at ≥ least. Whole lanes (base/lanes.h), as many as `size` says; `out` has room.
std::size_t lines_reaching(const double* starts, const double* slopes, std::size_t size, double at,
                           double least, std::uint32_t* out);
/// Values in eights, and no more of them than `out` has room for.
std::size_t values_reaching(std::span<const std::int32_t> values, std::int32_t least,
                            std::span<std::uint32_t> out);

}  // namespace armature
