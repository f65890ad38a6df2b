#pragma once

namespace armature {

/// "0.2.0"
const char* version();

}  // namespace armature
