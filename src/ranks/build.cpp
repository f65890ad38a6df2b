#include "ranks/build.h"

#include "armature/version.h"

namespace armature::ranks {

std::string build() {
  static constexpr const char* kDigest =
#include ARMATURE_STUDY_DIGEST
      ;
  return std::string(version()) + " (sources " + kDigest + ")";
}

}  // namespace armature::ranks
