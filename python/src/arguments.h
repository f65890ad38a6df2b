// Arguments of questions: numbers in a range, or None where none may be given (values.h reads
// them).
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "base/text.h"
#include "values.h"

namespace armature::python {

[[noreturn]] inline void refuse(const std::string& field, py::handle value,
                                const std::string& expected) {
  constexpr std::size_t kMostShown = 80;
  throw Error({"", field, shown(shown_value(value), kMostShown), expected});
}

inline double real(const std::string& field, py::handle value,
                   const std::string& expected = "a finite number") {
  const std::optional<double> number = as_real(value);
  if (!number || !std::isfinite(*number)) refuse(field, value, expected);
  return *number;
}

inline std::optional<double> real_or_none(const std::string& field, py::handle value) {
  if (value.is_none()) return std::nullopt;
  return real(field, value);
}

/// In this range, both ends not among it.
inline double share(const std::string& field, py::handle value) {
  const std::optional<double> number = as_real(value);
  if (!number || !(*number > 0 && *number < 1)) refuse(field, value, "a number in (0,1)");
  return *number;
}

/// 1e6 is as good as 1000000.
inline std::uint64_t whole(const std::string& field, py::handle value, std::uint64_t low,
                           std::uint64_t high) {
  return whole_number(value, field.c_str(), low, high, Floats::kIfWhole);
}

inline std::optional<std::uint64_t> whole_or_none(const std::string& field, py::handle value,
                                                  std::uint64_t low, std::uint64_t high) {
  if (value.is_none()) return std::nullopt;
  return whole(field, value, low, high);
}

inline constexpr std::uint64_t kMostRounds = 1'000'000'000'000'000'000;  // as the command has it
inline constexpr std::uint64_t kMostSize = 1'000'000'000'000;

/// What JSON has no word for is None, as in the command's output.
inline py::object number(double value) {
  return std::isfinite(value) ? py::object(py::float_(value)) : py::object(py::none());
}
inline py::object number(std::optional<double> value) {
  return value ? number(*value) : py::object(py::none());
}

}  // namespace armature::python
