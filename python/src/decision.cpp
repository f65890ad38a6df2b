#include "decision.h"

#include <fmt/format.h>
#include <structmember.h>

#include <cmath>
#include <limits>

#include "errors.h"
#include "values.h"

namespace armature::python {
namespace {

PyTypeObject* decision_type = nullptr;

DecisionObject* cast(PyObject* object) { return reinterpret_cast<DecisionObject*>(object); }

PyObject* make(PyTypeObject*, PyObject* arguments, PyObject* keywords) {
  PyObject* id = nullptr;
  PyObject* arm = nullptr;
  PyObject* propensity = Py_None;
  PyObject* action = Py_None;
  static const char* names[] = {"id", "arm", "propensity", "action", nullptr};
  if (PyArg_ParseTupleAndKeywords(arguments, keywords, "OO|OO:Decision", const_cast<char**>(names),
                                  &id, &arm, &propensity, &action) == 0)
    return nullptr;
  try {
    constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
    return new_decision(
        whole_number(id, "id", 0, kMost),
        static_cast<Arm>(whole_number(arm, "arm", 0, std::numeric_limits<Arm>::max())),
        propensity == Py_None ? kNotKnown : real_number(propensity, "propensity"), action);
  } catch (...) {
    set_python_error(std::current_exception());
    return nullptr;
  }
}

void dealloc(PyObject* self) {
  Py_XDECREF(cast(self)->action);
  PyObject_Free(self);
  Py_DECREF(decision_type);  // types made at run time are counted by their objects
}

PyObject* get_id(PyObject* self, void*) { return PyLong_FromUnsignedLongLong(cast(self)->id); }
PyObject* get_arm(PyObject* self, void*) { return PyLong_FromUnsignedLong(cast(self)->arm); }
PyObject* get_propensity(PyObject* self, void*) {
  if (std::isnan(cast(self)->propensity)) Py_RETURN_NONE;
  return PyFloat_FromDouble(cast(self)->propensity);
}
PyObject* get_action(PyObject* self, void*) {
  Py_INCREF(cast(self)->action);
  return cast(self)->action;
}

PyObject* represented(PyObject* self) {
  const DecisionObject& decision = *cast(self);
  std::string text = fmt::format("Decision(id={}, arm={}", decision.id, decision.arm);
  if (!std::isnan(decision.propensity))
    text += fmt::format(", propensity={}", shown_value(py::float_(decision.propensity)));
  if (decision.action != Py_None) text += ", action=" + shown_value(decision.action);
  text += ")";
  return PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
}

Py_hash_t hashed(PyObject* self) {
  return static_cast<Py_hash_t>((cast(self)->id * 31 + cast(self)->arm) >> 1);
}

// The same decision, whatever else is known of it; in the order in which they were made.
PyObject* compared(PyObject* self, PyObject* other, int operation) {
  if (as_decision(other) == nullptr) Py_RETURN_NOTIMPLEMENTED;
  const auto key = [](PyObject* object) { return std::pair(cast(object)->id, cast(object)->arm); };
  const auto mine = key(self);
  const auto its = key(other);
  Py_RETURN_RICHCOMPARE(mine, its, operation);
}

// id, arm = decision
Py_ssize_t length(PyObject*) { return 2; }
PyObject* item(PyObject* self, Py_ssize_t place) {
  if (place == 0) return get_id(self, nullptr);
  if (place == 1) return get_arm(self, nullptr);
  PyErr_SetString(PyExc_IndexError, "a Decision is (id, arm)");
  return nullptr;
}

PyObject* reduced(PyObject* self, PyObject*) {
  return Py_BuildValue("(O(NNNN))", decision_type, get_id(self, nullptr), get_arm(self, nullptr),
                       get_propensity(self, nullptr), get_action(self, nullptr));
}

PyGetSetDef properties[] = {
    {"id", get_id, nullptr, "Its number: outcomes come back by it.", nullptr},
    {"arm", get_arm, nullptr, "The number of the action to play.", nullptr},
    {"propensity", get_propensity, nullptr,
     "How probable this action was; None where the policy has no closed form.", nullptr},
    {"action", get_action, nullptr, "The name of the action to play.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMethodDef methods[] = {{"__reduce__", reduced, METH_NOARGS, "For pickle and copy."},
                         {nullptr, nullptr, 0, nullptr}};

template <class Function>
void* slot(Function* function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

PyObject* new_decision(std::uint64_t id, Arm arm, double propensity, py::handle action) {
  DecisionObject* made = PyObject_New(DecisionObject, decision_type);
  if (made == nullptr) throw py::error_already_set();
  made->id = id;
  made->arm = arm;
  made->propensity = propensity;
  made->action = action.ptr();
  Py_INCREF(made->action);
  return reinterpret_cast<PyObject*>(made);
}

const DecisionObject* as_decision(PyObject* object) {
  return Py_TYPE(object) == decision_type ? cast(object) : nullptr;
}

void bind_decision(py::module_& module) {
  static const char* text =
      "Decision(id, arm, propensity=None, action=None)\n--\n\n"
      "What a policy has chosen: play `arm` (by name: `action`), and tell its outcome by `id`.\n"
      "Unpacks as `id, arm = decision`; equal and hashed by these two.";
  PyType_Slot slots[] = {{Py_tp_doc, const_cast<char*>(text)},
                         {Py_tp_new, slot(make)},
                         {Py_tp_dealloc, slot(dealloc)},
                         {Py_tp_repr, slot(represented)},
                         {Py_tp_hash, slot(hashed)},
                         {Py_tp_richcompare, slot(compared)},
                         {Py_sq_length, slot(length)},
                         {Py_sq_item, slot(item)},
                         {Py_tp_getset, properties},
                         {Py_tp_methods, methods},
                         {0, nullptr}};
  PyType_Spec spec = {"armature.Decision", sizeof(DecisionObject), 0, Py_TPFLAGS_DEFAULT, slots};
  PyObject* type = PyType_FromSpec(&spec);
  if (type == nullptr) throw py::error_already_set();
  decision_type = reinterpret_cast<PyTypeObject*>(type);
  module.attr("Decision") = py::reinterpret_borrow<py::object>(type);
}

}  // namespace armature::python
