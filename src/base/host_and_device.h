// Functions that a GPU runs as well: the same text is compiled for both, so that both have the same
// bits. They keep to operations that IEEE 754 fixes, and to plain pointers.
#pragma once

#if defined(__CUDACC__)
#define ARMATURE_HOST_AND_DEVICE __host__ __device__ __forceinline__
#define ARMATURE_UNROLLED _Pragma("unroll")
#else
#define ARMATURE_HOST_AND_DEVICE inline
#define ARMATURE_UNROLLED
#endif
