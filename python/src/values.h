// How values of Python become ours: numbers, names and arrays, each refused with its field, what it
// was and what it should have been. True and False are no whole numbers, NaN is no number.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bindings.h"

namespace armature::python {

/// A value as Python shows it, for messages: long ones are cut there.
std::string shown_value(py::handle value);
[[noreturn]] void refuse_value(const std::string& field, py::handle value,
                               const std::string& expected);

bool is_bool(py::handle value);
/// An int or a numpy integer, no bool; also a float without a fraction (1e6) where `floats` says
/// so.
enum class Floats : bool { kRefused, kIfWhole };
std::uint64_t whole_number(py::handle value, const char* field, std::uint64_t low,
                           std::uint64_t high, Floats floats = Floats::kRefused);
/// A float, an int or a numpy number, NaN among them; none of a bool, a text or anything else.
std::optional<double> as_real(py::handle value);
/// The same; no bool, no NaN.
double real_number(py::handle value, const char* field);
std::optional<Round> optional_horizon(py::handle value);
std::uint64_t seed_of(py::handle value);

/// An array of numbers with so many dimensions, in rows without gaps: the caller's own where it is
/// one of doubles already. Numbers only: no text, no objects.
py::array_t<double> real_array(py::handle value, const char* field, int dimensions);
Matrix matrix_of(py::handle value, const char* field);
py::array_t<double> array_of(const Matrix& matrix);
py::array_t<double> array_of(const std::vector<double>& values);

/// Names of actions or contexts: a count, or a sequence of texts.
std::vector<std::string> names_of(py::handle value, const char* field, char prefix);
/// A text without half characters.
std::string text_of(py::handle value, const char* field);
/// A path: str or os.PathLike.
std::string path_of(py::handle value, const char* field);

/// The names of a problem's actions or contexts, by which Python may speak of them.
class NameTable {
 public:
  NameTable(const std::vector<std::string>& names, const char* field, DecisionMistake mistake);

  std::uint32_t size() const { return static_cast<std::uint32_t>(names_.size()); }
  py::handle text(std::uint32_t place) const {  // as a str of Python
    return PyTuple_GET_ITEM(texts_.ptr(), static_cast<Py_ssize_t>(place));
  }
  py::tuple texts() const { return texts_; }

  /// By number or by name.
  std::uint32_t place(py::handle value) const;
  /// A list of numbers or names, an array of whole numbers, a column of names.
  std::vector<std::uint32_t> places(py::handle values) const;

 private:
  std::uint32_t place_by_name(py::handle text) const;
  std::uint32_t checked(std::uint64_t place, bool fits) const;
  [[noreturn]] void refuse(const std::string& value) const;

  std::vector<std::string> names_;
  std::unordered_map<std::string_view, std::uint32_t> by_name_;  // views of names_
  py::tuple texts_;
  const char* field_;
  DecisionMistake mistake_;
};

/// Whole numbers of any integer type, in an array without gaps.
py::array_t<std::int64_t> whole_array(py::handle values, const char* field);
/// True for what holds several values: lists, tuples, arrays, columns of a frame; not for texts.
bool is_many(py::handle value);

/// What help says of parameters: (name, expects, default, automatic, help, section) each.
py::list parameter_facts(const std::vector<Parameter>& parameters);

}  // namespace armature::python
