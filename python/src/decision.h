// A decision as Python holds it. One is made every round, so it is a plain type of Python with four
// fields, not a bound class: that is five times as fast to make.
#pragma once

#include <limits>

#include "bindings.h"

namespace armature::python {

constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();

struct DecisionObject {
  PyObject ob_base;  // the head of every object
  std::uint64_t id;
  Arm arm;
  double propensity;  // NaN (kNotKnown): not known
  PyObject* action;   // the action's name, or None
};

/// A new one.
PyObject* new_decision(std::uint64_t id, Arm arm, double propensity, py::handle action);
/// Null if it is something else.
const DecisionObject* as_decision(PyObject* object);
void bind_decision(py::module_& module);

}  // namespace armature::python
