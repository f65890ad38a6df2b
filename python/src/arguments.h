// Arguments as Python hands them over, checked: numbers of any kind, never a bool, never NaN.
// Errors name the argument, what it was and what was expected.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "base/text.h"
#include "bindings.h"

namespace armature::python {

[[noreturn]] inline void refuse(const std::string& field, py::handle value,
                                const std::string& expected) {
  PyObject* text = PyObject_Repr(value.ptr());
  const char* bytes = text == nullptr ? nullptr : PyUnicode_AsUTF8(text);
  std::string told = bytes == nullptr ? fmt::format("a {}", Py_TYPE(value.ptr())->tp_name) : bytes;
  Py_XDECREF(text);
  PyErr_Clear();  // a repr that fails is not our trouble
  throw Error({"", field, shown(told, 80), expected});
}

/// True, False and numpy's: numbers to Python, mistakes where a number belongs.
inline bool is_truth(py::handle value) {
  return PyBool_Check(value.ptr()) ||
         std::string(Py_TYPE(value.ptr())->tp_name).find("bool") != std::string::npos;
}

inline std::optional<double> as_real(py::handle value) {
  if (is_truth(value) || !(PyFloat_Check(value.ptr()) || PyIndex_Check(value.ptr()) ||
                           PyObject_HasAttrString(value.ptr(), "__float__")))
    return std::nullopt;
  const double number = PyFloat_AsDouble(value.ptr());
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    return std::nullopt;
  }
  return number;
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

/// 1e6 is as good as 1000000; beyond 2^53 it must be an int.
inline std::uint64_t whole(const std::string& field, py::handle value, std::uint64_t low,
                           std::uint64_t high) {
  const std::string expected = fmt::format("a whole number from {} to {}", low, high);
  if (is_truth(value)) refuse(field, value, expected);
  std::uint64_t number = 0;
  if (PyIndex_Check(value.ptr())) {
    const auto index = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
    if (index) number = PyLong_AsUnsignedLongLong(index.ptr());
    if (PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      refuse(field, value, expected);
    }
  } else {
    const std::optional<double> wanted = as_real(value);
    if (!wanted || !(*wanted >= 0 && *wanted < 18446744073709551616.0) ||
        *wanted != std::floor(*wanted))
      refuse(field, value, expected);
    number = static_cast<std::uint64_t>(*wanted);
  }
  if (number < low || number > high) refuse(field, value, expected);
  return number;
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
