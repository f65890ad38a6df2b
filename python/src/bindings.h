// What the files of the Python module share: one `bind_…` each, and how values cross over. The
// module has no logic of its own: it checks shapes and types, calls the public headers, and names
// what was wrong.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "armature/armature.h"

namespace armature::python {

namespace py = pybind11;

/// Error → ValueError, DecisionError → its own classes, failed checks → RuntimeError. First of all:
/// the others throw.
void bind_errors(py::module_& module);
void bind_problems(py::module_& module);    // Problem, Instance, families
void bind_policies(py::module_& module);    // Policy, Decision, the registry
void bind_simulation(py::module_& module);  // simulate, studies, stores
void bind_theory(py::module_& module);      // bounds, frontier, advise, design
void bind_graphs(py::module_& module);
void bind_logs(py::module_& module);  // audit, replay
/// Last of all: makes every class of the module safe (classes.cpp says against what). Whoever binds
/// a class has nothing to do for it; to be pickled, it has `py::pickle` or a `__reduce__`.
void guard_classes(py::module_& module);

/// For long work without the GIL, now and then: throws what a signal's handler raised (Ctrl-C).
void look_at_signals();

}  // namespace armature::python
