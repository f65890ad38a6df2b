// What armature says when it refuses something.
#pragma once

#include <string>

#include "armature/error.h"

namespace armature::test {

/// The message of the Error that the call throws, or "(accepted)" if it throws none.
template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "(accepted)";
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace armature::test
