// What lib/armature/cuda.so exports, for whoever loads it.
#pragma once

#include <string>

namespace armature::cuda {

class Backend;

/// "armature_cuda_build": of which sources it was made. It shares classes with who loads it: asked
/// before anything else.
using ModuleBuild = const char* (*)();
inline constexpr const char* kModuleBuild = "armature_cuda_build";

/// "armature_open_devices": the caller's to delete; null where there is no device, and then
/// `why_not` says why.
using OpenDevices = Backend* (*)(std::string* why_not);
inline constexpr const char* kOpenDevices = "armature_open_devices";

/// Of which sources this was made, in the module as in who loads it.
const char* build_of_sources();

}  // namespace armature::cuda
