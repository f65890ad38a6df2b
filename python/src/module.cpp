#include "bindings.h"

namespace armature::python {
namespace {

// pybind11 hands methods unwritten memory where __init__ never ran (T.__new__(T), a subclass that
// does not call it), and ends the process on the pickle protocols 0 and 1. Both become TypeErrors.
void mend_classes(const py::module_& module) {
  for (const auto& [name, value] : py::dict(module.attr("__dict__"))) {
    if (!PyType_Check(value.ptr())) continue;
    py::detail::type_info* bound =
        py::detail::get_type_info(reinterpret_cast<PyTypeObject*>(value.ptr()));
    if (bound == nullptr) continue;
    bound->operator_new = [](std::size_t) -> void* {  // asked for that memory and nothing else
      throw py::type_error("the object was never made: its __init__() was not called");
    };
    if (py::dict(value.attr("__dict__")).contains("__reduce_ex__")) continue;
    value.attr("__reduce_ex__") = py::cpp_function(
        [](const py::object& self, int protocol) {
          const py::handle object(reinterpret_cast<PyObject*>(&PyBaseObject_Type));
          return object.attr("__reduce_ex__")(self, std::max(protocol, 2));
        },
        py::name("__reduce_ex__"), py::is_method(value));
  }
}

}  // namespace
}  // namespace armature::python

PYBIND11_MODULE(_engine, module) {
  using namespace armature::python;
  module.doc() = "The compiled part of armature; `import armature` is the way in.";
  module.attr("__version__") = armature::version();
  bind_errors(module);
  bind_problems(module);
  bind_policies(module);
  bind_simulation(module);
  bind_theory(module);
  bind_graphs(module);
  bind_logs(module);
  mend_classes(module);
}
