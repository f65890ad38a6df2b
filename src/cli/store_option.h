// Where commands find a service's store if they are not told.
#pragma once

#include <cstdlib>
#include <string>

#include "armature/error.h"

namespace armature::cli {

/// What ARMATURE_STORE says: passwords in it are nobody else's to see, as they are on a command
/// line. Throws Error if it says nothing.
inline std::string store_in_environment(const std::string& command, const std::string& expected) {
  const char* store = std::getenv("ARMATURE_STORE");
  if (store == nullptr || *store == '\0')
    throw Error({command, "store", "nothing", expected + ", or ARMATURE_STORE in the environment"});
  return store;
}

}  // namespace armature::cli
