// The door of lib/armature/cuda.so.
#include "cuda/device_backend.h"
#include "cuda/module.h"

extern "C" __attribute__((visibility("default"))) const char* armature_cuda_build() {
  return armature::cuda::build_of_sources();
}

extern "C" __attribute__((visibility("default"))) armature::cuda::Backend* armature_open_devices(
    std::string* why_not) {
  return armature::cuda::open_devices(*why_not).release();
}
