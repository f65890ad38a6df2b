// A function marked so is compiled for several vector widths and the widest the machine has is
// picked at start-up. Only for lane-wise code: the results are the same bits on each.
#pragma once

// The picking happens before ThreadSanitizer is ready for instrumented code. Clang loses inline
// functions that only clones call, and does not link.
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__) && !defined(__clang__)
#define ARMATURE_VECTOR_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define ARMATURE_VECTOR_CLONES
#endif

// Before a loop of such a function: Clang thinks it not worth the two lanes of WebAssembly, which
// it is.
#if defined(__wasm_simd128__)
#define ARMATURE_VECTOR_LOOP _Pragma("clang loop vectorize(enable)")
#else
#define ARMATURE_VECTOR_LOOP
#endif
