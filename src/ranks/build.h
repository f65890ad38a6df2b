// Which build of armature this is.
#pragma once

#include <string>

namespace armature::ranks {

/// Version and hash of the sources: two processes that differ in it must not share a study.
std::string build();

}  // namespace armature::ranks
