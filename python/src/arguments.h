// Arguments of questions: numbers in a range, or None where none may be given (values.h reads
// them), and errors that call them by the names they have here.
#pragma once

#include <fmt/format.h>

#include <cctype>
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
  const bool known = PyFloat_Check(value.ptr()) || PyIndex_Check(value.ptr());
  const auto real = known ? std::nullopt : as_real(value);  // float32 is no float of Python's
  const py::object number = real ? py::float_(*real) : py::reinterpret_borrow<py::object>(value);
  return whole_number(number, field.c_str(), low, high, Floats::kIfWhole);
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

/// Errors and hints speak of options (--skip-bad); here they are arguments (skip_bad).
inline std::string as_arguments(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool starts = text.compare(at, 2, "--") == 0 && at + 2 < text.size() &&
                        text[at + 2] >= 'a' && text[at + 2] <= 'z' &&
                        (at == 0 || !std::isalnum(static_cast<unsigned char>(text[at - 1])));
    if (!starts) {
      result += text[at];
      continue;
    }
    for (at += 2; at < text.size() && ((text[at] >= 'a' && text[at] <= 'z') || text[at] == '-');
         ++at)
      result += text[at] == '-' ? '_' : text[at];
    --at;
  }
  return result;
}
inline Error of_arguments(const Error& error) {
  ErrorReport report = error.report();
  report.field = as_arguments(report.field);
  report.expected = as_arguments(report.expected);
  return Error(report);
}

}  // namespace armature::python
