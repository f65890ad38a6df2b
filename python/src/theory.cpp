#include "bindings.h"

namespace armature::python {

void bind_theory(py::module_&) {}

}  // namespace armature::python
