// The GPUs of this machine.
#pragma once

#include <memory>

#include "cuda/backend.h"

namespace armature::cuda {

/// Null where there is none, and then `why_not` says why.
std::unique_ptr<Backend> open_devices(std::string& why_not);

}  // namespace armature::cuda
