#include "values.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/text.h"

namespace armature::python {

void refuse_value(const std::string& field, py::handle value, const std::string& expected) {
  throw Error({"", field, shown_value(value), expected});
}

namespace {

std::string kind_of(const py::array& array) {
  std::string shape;
  for (py::ssize_t i = 0; i < array.ndim(); ++i)
    shape += fmt::format("{}{}", i > 0 ? "×" : "", array.shape(i));
  return fmt::format("an array of {} with shape {}",
                     py::cast<std::string>(py::str(static_cast<py::object>(array.dtype()))),
                     array.ndim() == 0 ? "()" : shape);
}

// Below a mask lies anything: whoever masked an entry does not want it to be learned from.
void refuse_masked(py::handle array, const std::string& field) {
  const bool plain = Py_TYPE(array.ptr()) ==
                     reinterpret_cast<PyTypeObject*>(py::detail::npy_api::get().PyArray_Type_);
  if (plain) return;
  if (py::cast<bool>(py::module_::import("numpy.ma").attr("is_masked")(array)))
    refuse_value(field, array, "no masked entries: leave them out");
}

// What numpy makes of it; what it cannot make an array of is refused as it is.
py::array any_array(py::handle value, const std::string& field, const std::string& expected) {
  if (py::isinstance<py::array>(value)) {
    refuse_masked(value, field);
    return py::reinterpret_borrow<py::array>(value);
  }
  PyObject* made =
      py::detail::npy_api::get().PyArray_FromAny_(value.ptr(), nullptr, 0, 0, 0, nullptr);
  if (made != nullptr) {
    auto array = py::reinterpret_steal<py::array>(made);
    // A list of lists of unequal length, a dict, anything else: numpy has boxed it.
    if (array.dtype().kind() != 'O' || array.ndim() == 1) return array;
  }
  PyErr_Clear();
  refuse_value(field, value, expected);
}

std::string whole_expectation(std::uint64_t low, std::uint64_t high) {
  if (high == std::numeric_limits<std::uint64_t>::max())
    return low == 0 ? "a whole number, 0 or more" : fmt::format("a whole number, {} or more", low);
  return fmt::format("a whole number from {} to {}", low, high);
}

bool is_numpy_bool(py::handle value) {
  return std::string_view(Py_TYPE(value.ptr())->tp_name) == "numpy.bool_";
}

}  // namespace

std::string shown_value(py::handle value) {
  PyObject* text = PyObject_Repr(value.ptr());
  if (text == nullptr) {  // a repr that fails is not our trouble
    PyErr_Clear();
    return fmt::format("a {}", Py_TYPE(value.ptr())->tp_name);
  }
  const auto held = py::reinterpret_steal<py::object>(text);
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(text, &size);
  if (bytes == nullptr) {  // half a character
    PyErr_Clear();
    return fmt::format("a {}", Py_TYPE(value.ptr())->tp_name);
  }
  return {bytes, static_cast<std::size_t>(size)};
}

bool is_bool(py::handle value) { return PyBool_Check(value.ptr()) || is_numpy_bool(value); }

std::uint64_t whole_number(py::handle value, const char* field, std::uint64_t low,
                           std::uint64_t high, Floats floats) {
  const auto refuse = [&] { refuse_value(field, value, whole_expectation(low, high)); };
  if (is_bool(value)) refuse();
  py::object number;
  if (PyFloat_Check(value.ptr())) {  // numpy's float64 is one
    const double real = PyFloat_AS_DOUBLE(value.ptr());
    if (floats == Floats::kRefused || !(real >= 0 && real < 0x1p64) || real != std::floor(real))
      refuse();
    const auto whole = static_cast<std::uint64_t>(real);
    if (whole < low || whole > high) refuse();
    return whole;
  }
  if (!PyIndex_Check(value.ptr())) refuse();
  number = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
  if (!number) {
    PyErr_Clear();
    refuse();
  }
  const std::uint64_t whole = PyLong_AsUnsignedLongLong(number.ptr());
  if (PyErr_Occurred() != nullptr) {  // negative, or beyond 64 bits
    PyErr_Clear();
    refuse();
  }
  if (whole < low || whole > high) refuse();
  return whole;
}

std::optional<double> as_real(py::handle value) {
  if (is_bool(value) || PyUnicode_Check(value.ptr()) || PyBytes_Check(value.ptr()))
    return std::nullopt;
  const double real = PyFloat_AsDouble(value.ptr());
  if (real == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    return std::nullopt;
  }
  return real;
}

double real_number(py::handle value, const char* field) {
  const std::optional<double> real = as_real(value);
  if (!real || std::isnan(*real)) refuse_value(field, value, "a number");
  return *real;
}

std::optional<Round> optional_horizon(py::handle value) {
  if (value.is_none()) return std::nullopt;
  return whole_number(value, "horizon", 1, std::numeric_limits<Round>::max(), Floats::kIfWhole);
}

std::uint64_t seed_of(py::handle value) {
  return whole_number(value, "seed", 0, std::numeric_limits<std::uint64_t>::max());
}

py::array_t<double> real_array(py::handle value, const char* field, int dimensions) {
  const std::string expected = fmt::format("an array of numbers with {} dimension{}", dimensions,
                                           dimensions == 1 ? "" : "s");
  const py::array array = any_array(value, field, expected);
  const char kind = array.dtype().kind();
  const bool numbers = kind == 'f' || kind == 'i' || kind == 'u' || kind == 'b';
  if (!numbers || array.ndim() != dimensions) {
    // An empty list is an array of doubles of one dimension, whatever it was meant for.
    throw Error({"", field, kind_of(array), expected});
  }
  auto reals = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(array);
  if (!reals) {
    PyErr_Clear();
    throw Error({"", field, kind_of(array), expected});
  }
  return reals;
}

Matrix matrix_of(py::handle value, const char* field) {
  const py::array_t<double> array = real_array(value, field, 2);
  Matrix matrix(static_cast<std::size_t>(array.shape(0)), static_cast<std::size_t>(array.shape(1)));
  for (std::size_t row = 0; row < matrix.rows(); ++row)
    for (std::size_t column = 0; column < matrix.columns(); ++column)
      matrix(row, column) = array.data()[row * matrix.columns() + column];
  return matrix;
}

py::array_t<double> array_of(const Matrix& matrix) {
  py::array_t<double> array({matrix.rows(), matrix.columns()});
  double* out = array.mutable_data();
  for (std::size_t row = 0; row < matrix.rows(); ++row)
    for (const double value : matrix.row(row)) *out++ = value;
  return array;
}

py::array_t<double> array_of(const std::vector<double>& values) {
  return py::array_t<double>(static_cast<py::ssize_t>(values.size()), values.data());
}

std::vector<std::string> names_of(py::handle value, const char* field, char prefix) {
  // More than fit into memory several times over: a slip, not a wish.
  constexpr std::uint64_t kMost = 10'000'000;
  const std::string expected =
      fmt::format("how many {} there are, or a list of their names", field);
  if (!is_many(value)) {
    if (is_bool(value) || !PyIndex_Check(value.ptr())) refuse_value(field, value, expected);
    return numbered_names(prefix, whole_number(value, field, 1, kMost));
  }
  std::vector<std::string> names;
  for (const py::handle name : py::iter(value)) {
    names.push_back(text_of(name, field));
  }
  if (names.empty()) refuse_value(field, value, expected);
  return names;
}

std::string text_of(py::handle value, const char* field) {
  Py_ssize_t size = 0;
  const char* bytes =
      PyUnicode_Check(value.ptr()) ? PyUnicode_AsUTF8AndSize(value.ptr(), &size) : nullptr;
  if (bytes == nullptr) {
    PyErr_Clear();
    refuse_value(field, value, "a name (text)");
  }
  return {bytes, static_cast<std::size_t>(size)};
}

std::string path_of(py::handle value, const char* field) {
  const auto path = py::reinterpret_steal<py::object>(PyOS_FSPath(value.ptr()));
  if (!path || !PyUnicode_Check(path.ptr())) {
    PyErr_Clear();
    refuse_value(field, value, "a path");
  }
  return text_of(path, field);
}

bool is_many(py::handle value) {
  if (PyUnicode_Check(value.ptr()) || PyBytes_Check(value.ptr())) return false;
  if (py::isinstance<py::array>(value)) return py::reinterpret_borrow<py::array>(value).ndim() > 0;
  if (PyList_Check(value.ptr()) || PyTuple_Check(value.ptr()) || PyRange_Check(value.ptr()))
    return true;
  return py::hasattr(value, "__array__") && py::hasattr(value, "__len__");  // a column of a frame
}

py::array_t<std::int64_t> whole_array(py::handle values, const char* field) {
  const std::string expected = "an array of whole numbers with 1 dimension";
  py::array array = any_array(values, field, expected);
  const char kind = array.dtype().kind();
  const bool empty_list = array.size() == 0 && !py::isinstance<py::array>(values);
  if ((kind != 'i' && kind != 'u' && !empty_list) || array.ndim() != 1)
    throw Error({"", field, kind_of(array), expected});
  // Beyond what is signed there is no place and no decision: it would come out negative, and is
  // refused as such.
  auto whole = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>::ensure(array);
  if (!whole) {
    PyErr_Clear();
    throw Error({"", field, kind_of(array), expected});
  }
  return whole;
}

py::list parameter_facts(const std::vector<Parameter>& parameters) {
  py::list facts;
  for (const Parameter& parameter : parameters)
    facts.append(py::make_tuple(parameter.name(), parameter.expectation(), parameter.default_text(),
                                parameter.is_automatic(), parameter.help_text(),
                                parameter.section()));
  return facts;
}

// --- Names

NameTable::NameTable(const std::vector<std::string>& names, const char* field,
                     DecisionMistake mistake)
    : names_(names), texts_(names.size()), field_(field), mistake_(mistake) {
  for (std::uint32_t i = 0; i < names_.size(); ++i) {
    by_name_.emplace(names_[i], i);
    texts_[i] = py::str(names_[i]);
  }
}

void NameTable::refuse(const std::string& value) const {
  throw DecisionError(mistake_, {"", field_, value,
                                 fmt::format("a whole number from 0 to {} or a name", size() - 1)});
}

std::uint32_t NameTable::checked(std::uint64_t place, bool fits) const {
  if (!fits || place >= size())
    throw DecisionError(
        mistake_,
        {"", field_, fits ? fmt::format("{}", place) : "a negative number",
         fmt::format("{} {} from 0 to {}", *field_ == 'a' ? "an" : "a", field_, size() - 1)});
  return static_cast<std::uint32_t>(place);
}

std::uint32_t NameTable::place_by_name(py::handle text) const {
  Py_ssize_t length = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &length);
  if (bytes == nullptr) {
    PyErr_Clear();
    refuse(shown_value(text));
  }
  const std::string_view name(bytes, static_cast<std::size_t>(length));
  const auto found = by_name_.find(name);
  if (found == by_name_.end())
    throw DecisionError(
        mistake_, {"", field_, fmt::format("'{}'", name),
                   fmt::format("one of the problem's {}s", field_) + did_you_mean(name, names_)});
  return found->second;
}

std::uint32_t NameTable::place(py::handle value) const {
  if (PyLong_CheckExact(value.ptr())) {  // the common case, and the fast one
    const std::int64_t place = PyLong_AsLongLong(value.ptr());
    if (place == -1 && PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      refuse(shown_value(value));
    }
    if (place < 0) refuse(shown_value(value));
    return checked(static_cast<std::uint64_t>(place), true);
  }
  if (PyUnicode_Check(value.ptr())) return place_by_name(value);
  if (is_bool(value) || !PyIndex_Check(value.ptr())) refuse(shown_value(value));
  const auto number = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
  if (!number) {
    PyErr_Clear();
    refuse(shown_value(value));
  }
  return place(number);
}

std::vector<std::uint32_t> NameTable::places(py::handle values) const {
  std::vector<std::uint32_t> places;
  if (PyList_Check(values.ptr()) || PyTuple_Check(values.ptr())) {
    for (const py::handle value : py::iter(values)) places.push_back(place(value));
    return places;
  }
  const py::array array = any_array(values, field_, "a list of whole numbers or names");
  const char kind = array.dtype().kind();
  if ((kind == 'U' || kind == 'O') && array.ndim() == 1) {
    for (const py::handle value : py::iter(array)) places.push_back(place(value));
    return places;
  }
  const py::array_t<std::int64_t> whole = whole_array(array, field_);
  places.reserve(static_cast<std::size_t>(whole.size()));
  for (py::ssize_t i = 0; i < whole.size(); ++i) {
    const std::int64_t place = whole.data()[i];
    places.push_back(checked(static_cast<std::uint64_t>(place), place >= 0));
  }
  return places;
}

}  // namespace armature::python
