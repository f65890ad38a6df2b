#include "armature/version.h"

namespace armature {

const char* version() { return ARMATURE_VERSION; }

}  // namespace armature
