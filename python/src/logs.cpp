#include "bindings.h"

namespace armature::python {

void bind_logs(py::module_&) {}

}  // namespace armature::python
