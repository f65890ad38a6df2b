#pragma once

namespace armature {

/// "0.1.0"
const char* version();

}  // namespace armature
