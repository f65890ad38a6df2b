// JSON as people write it: what the library lets pass is refused, and complaints say where.
#pragma once

#include <exception>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace armature {

/// Throws Error naming `source` and the line: what is no JSON, a key that stands twice in an object
/// (the library takes one of the two and tells nobody which), nesting that would be the stack's
/// undoing.
nlohmann::ordered_json parsed_json(const std::string& text, const std::string& source);
/// What the library says, without the number it gives its complaints.
std::string json_complaint(const std::exception& error);

}  // namespace armature
