#include "bindings.h"

namespace armature::python {

void bind_simulation(py::module_&) {}

}  // namespace armature::python
