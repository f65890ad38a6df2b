// Which build of armature this is.
#pragma once

namespace armature {

/// Version and hash of the sources: two processes that differ in it must not share a study.
const char* build();

}  // namespace armature
