#include "study/build.h"

namespace armature {

const char* build() {
  return ARMATURE_VERSION
      " (sources "
#include ARMATURE_STUDY_DIGEST
      ")";
}

}  // namespace armature
