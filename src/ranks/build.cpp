#include "ranks/build.h"

namespace armature::ranks {

const char* build() {
  return ARMATURE_VERSION
      " (sources "
#include ARMATURE_STUDY_DIGEST
      ")";
}

}  // namespace armature::ranks
