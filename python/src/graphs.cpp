#include "bindings.h"

namespace armature::python {

void bind_graphs(py::module_&) {}

}  // namespace armature::python
