// base/machine.h of a page: there is one core, and nobody says how much memory.
#ifdef __EMSCRIPTEN__

#include "base/machine.h"

namespace armature {

unsigned cores_given() { return 1; }
std::uint64_t memory_given() { return UINT64_MAX; }

}  // namespace armature

#endif
