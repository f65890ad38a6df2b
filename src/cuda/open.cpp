#include "cuda/open.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <mutex>

#include "armature/error.h"
#include "base/machine.h"
#include "base/program.h"
#include "cuda/block_accelerator.h"
#include "cuda/module.h"

namespace armature::cuda {
namespace {

void* load(const std::string& path) {
  if (!std::filesystem::exists(path))
    throw Error({"", "engine", "cuda, and no device: this armature was built without CUDA",
                 "one built where nvcc is (cmake --preset cuda), which has " + path +
                     "; or auto, step or leap"});
  // Never closed: what it opens lives as long as the process.
  void* const module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr)
    throw Error({path, "engine", fmt::format("cuda, and no device: {}", dlerror()),
                 "a module that can be loaded here"});
  return module;
}

template <class Function>
Function function(void* module, const std::string& path, const char* name) {
  const auto found = reinterpret_cast<Function>(dlsym(module, name));
  if (found == nullptr) throw Error({path, "engine", dlerror(), "a module of this armature"});
  return found;
}

}  // namespace

std::shared_ptr<Accelerator> open_accelerator(unsigned threads, const std::string& path) {
  void* const module = load(path);
  const std::string build = function<ModuleBuild>(module, path, kModuleBuild)();
  if (build != build_of_sources())
    throw Error({path, "engine", "a module made of sources " + build,
                 fmt::format("{}, as the command: build both again", build_of_sources())});
  std::string why;
  std::unique_ptr<Backend> devices(function<OpenDevices>(module, path, kOpenDevices)(&why));
  if (!devices)
    throw Error({"", "engine", fmt::format("cuda, and no device: {}", why),
                 "an NVIDIA GPU with its driver (nvidia-smi lists it); or auto, step or leap"});
  // Several blocks are prepared at once, and cores have work of their own, too.
  constexpr unsigned kMostThreads = 8;
  return std::make_shared<BlockAccelerator>(
      std::move(devices),
      BlockAccelerator::Settings{.threads = std::clamp(threads, 1u, kMostThreads),
                                 .memory = memory_given()});
}

std::shared_ptr<Accelerator> open_accelerator(unsigned threads) {
  static std::mutex opening;
  // Never destroyed: at the end of the process CUDA is gone before it could be.
  static auto* const kept = new std::shared_ptr<Accelerator>();
  const std::lock_guard lock(opening);
  if (!*kept) *kept = open_accelerator(threads, path_beside_program(ARMATURE_CUDA_MODULE));
  return *kept;
}

}  // namespace armature::cuda
