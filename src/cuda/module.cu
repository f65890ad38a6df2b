// The door of lib/armature/cuda.so.
#include <cuda_runtime.h>

#include "cuda/module.h"

extern "C" __attribute__((visibility("default"))) const char* armature_cuda_build() {
  return armature::cuda::build_of_sources();
}

extern "C" __attribute__((visibility("default"))) armature::Accelerator* armature_open_accelerator(
    std::string* why_not) {
  int devices = 0, driver = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  // CUDA calls a driver that is not there too old.
  if (cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0)
    *why_not = "there is no NVIDIA driver";
  else if (status != cudaSuccess)
    *why_not = cudaGetErrorString(status);
  else if (devices == 0)
    *why_not = "none is there";
  else
    *why_not = "no policy has a kernel yet";
  return nullptr;
}
