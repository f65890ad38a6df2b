// A file of its own: it is compiled again with every change to the sources, and little else should.
#include "cuda/module.h"

namespace armature::cuda {

const char* build_of_sources() {
  return
#include ARMATURE_STUDY_DIGEST
      ;
}

}  // namespace armature::cuda
