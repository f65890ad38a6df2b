// A decision as Python holds it. One is made every round, so it is a plain type of Python with four
// fields, not a bound class: that is five times as fast to make.
#pragma once

#include "bindings.h"

namespace armature::python {

struct DecisionObject {
  PyObject_HEAD;
  std::uint64_t id;
  Arm arm;
  double propensity;  // NaN: not known
  PyObject* action;   // the action's name, or None
};

/// A new one; NaN: its propensity is not known.
PyObject* new_decision(std::uint64_t id, Arm arm, double propensity, py::handle action);
/// Null if it is something else.
const DecisionObject* as_decision(PyObject* object);
void bind_decision(py::module_& module);

}  // namespace armature::python
