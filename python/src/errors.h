// Which exception of Python says what.
#pragma once

#include "bindings.h"

namespace armature::python {

/// Sets the Python error that a C++ exception stands for, or throws it again if it is none of ours.
void set_python_error(const std::exception_ptr& thrown);

}  // namespace armature::python
