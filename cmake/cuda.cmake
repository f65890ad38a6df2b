# The module that computes on NVIDIA GPUs, where nvcc is: lib/armature/cuda.so beside the command, loaded only when a GPU is
# wanted. It is compiled wherever it can be; whether there is a GPU is found out when it is loaded.
set(ARMATURE_CUDA_ARCHITECTURES 90 CACHE STRING
    "Real architectures to compile kernels for; PTX of the first goes along, for newer GPUs")
if(NOT ARMATURE_CUDA STREQUAL AUTO AND NOT ARMATURE_CUDA)
  return()
endif()
if(ARMATURE_CUDA STREQUAL AUTO AND (NOT CMAKE_BUILD_TYPE STREQUAL Release OR ARMATURE_SANITIZE))
  return()
endif()

# Where NVIDIA installs it, nobody's PATH may lead. CMake's own default is an architecture that CUDA 13 no longer has.
find_program(ARMATURE_NVCC nvcc PATHS /usr/local/cuda/bin)
if(ARMATURE_NVCC AND NOT DEFINED ENV{CUDACXX})
  set(ENV{CUDACXX} ${ARMATURE_NVCC})
endif()
set(ENV{CUDAARCHS} "${ARMATURE_CUDA_ARCHITECTURES}")
include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  if(ARMATURE_CUDA STREQUAL AUTO)
    message(STATUS "No CUDA: nvcc is needed for studies on GPUs")
    return()
  endif()
  message(FATAL_ERROR "ARMATURE_CUDA=ON, but no nvcc that works was found: put it on the PATH, or give -DCMAKE_CUDA_COMPILER=… "
                      "(docs/gpu.md)")
endif()
enable_language(CUDA)
if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12)
  set(too_old "nvcc ${CMAKE_CUDA_COMPILER_VERSION} is too old: 12 or later is needed for studies on GPUs")
  if(ARMATURE_CUDA STREQUAL AUTO)
    message(STATUS "No CUDA: ${too_old}")
    return()
  endif()
  message(FATAL_ERROR "ARMATURE_CUDA=ON, but ${too_old} (docs/gpu.md)")
endif()
# CMake 3.25 does not know how this nvcc is told the standard that our headers ask for.
foreach(kind STANDARD EXTENSION)
  if(NOT CMAKE_CUDA20_${kind}_COMPILE_OPTION)
    set(CMAKE_CUDA20_${kind}_COMPILE_OPTION -std=c++20)
  endif()
endforeach()

add_library(armature_cuda_module MODULE ${ARMATURE_CUDA_KERNELS})
list(TRANSFORM ARMATURE_CUDA_ARCHITECTURES APPEND -real OUTPUT_VARIABLE architectures)
list(GET ARMATURE_CUDA_ARCHITECTURES 0 first)
set_target_properties(armature_cuda_module PROPERTIES
  PREFIX "" OUTPUT_NAME cuda LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${ARMATURE_MODULES}
  CUDA_ARCHITECTURES "${architectures};${first}-virtual" CUDA_RUNTIME_LIBRARY Static CUDA_VISIBILITY_PRESET hidden)
target_include_directories(armature_cuda_module PRIVATE src)
# The same bits as on the host: no contraction on either side.
target_compile_options(armature_cuda_module PRIVATE -fmad=false -Xcompiler=-ffp-contract=off)
target_link_libraries(armature_cuda_module PRIVATE armature_cuda armature_core)
install(TARGETS armature_cuda_module LIBRARY DESTINATION ${ARMATURE_MODULES})
