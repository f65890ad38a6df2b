#include "bindings.h"

namespace armature::python {

void bind_problems(py::module_&) {}

}  // namespace armature::python
