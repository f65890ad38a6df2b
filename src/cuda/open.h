// The way to this machine's GPUs: a module of its own, loaded only when one is wanted, so that no
// other command starts later or needs CUDA to be there.
#pragma once

#include <memory>
#include <string>

#include "simulate/accelerator.h"

namespace armature::cuda {

/// The GPUs of this machine: opened by the first call, which takes a moment, and kept until the
/// process ends. `threads` of the host, at most, prepare blocks and take in what was played: those
/// of the first call. Throws Error saying what is missing: a device, its driver, or CUDA in this
/// build.
std::shared_ptr<Accelerator> open_accelerator(unsigned threads);
/// The same from the module at this path.
std::shared_ptr<Accelerator> open_accelerator(unsigned threads, const std::string& path);

}  // namespace armature::cuda
