#include "bindings.h"

namespace armature::python {

void bind_policies(py::module_&) {}

}  // namespace armature::python
