// What every bound class must stand: objects that were never made, pickles of any protocol.
#include <string>

#include "bindings.h"

namespace armature::python {
namespace {

// `Instance.__new__(Instance)` is an object without an Instance. Whoever asks for it, pybind11
// would hand over fresh memory with nothing in it: it asks this function for that memory.
void* refuse_unmade(std::size_t) {
  throw py::type_error("__init__() of this object was not called");
}

// Left to itself, Python makes an object of pybind11's base class for protocols 0 and 1, which ends
// the process. So all protocols do what 2 does with __getstate__ and __setstate__ (py::pickle).
py::tuple reduced(const py::object& self) {
  if (!py::hasattr(self, "__setstate__"))
    throw py::type_error(std::string("cannot pickle '") + Py_TYPE(self.ptr())->tp_name +
                         "' object");
  return py::make_tuple(py::module_::import("copyreg").attr("__newobj__"),
                        py::make_tuple(py::type::of(self)), self.attr("__getstate__")());
}

}  // namespace

void guard_classes(py::module_& module) {
  const auto names = py::dict(module.attr("__dict__"));
  for (const auto& [name, value] : names) {
    if (!PyType_Check(value.ptr())) continue;
    auto* type = reinterpret_cast<PyTypeObject*>(value.ptr());
    const auto& bound = py::detail::all_type_info(type);
    if (bound.size() != 1 || bound.front()->type != type) continue;  // none of pybind11's
    bound.front()->operator_new = refuse_unmade;
    if (!py::dict(value.attr("__dict__")).contains("__reduce__"))
      value.attr("__reduce__") =
          py::cpp_function(&reduced, py::name("__reduce__"), py::is_method(value));
  }
}

void look_at_signals() {
  const py::gil_scoped_acquire held;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

}  // namespace armature::python
