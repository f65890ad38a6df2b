// The JSON of an experiment as a client sends it: every complaint names a field of the request.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "armature/error.h"

namespace armature::service {

/// Throws Error naming the field that cannot be read, or stands twice; of the whole text none.
nlohmann::ordered_json request_json(const std::string& text, const std::string& source);

/// What JsonField says of a field that nobody knows, by that field's name.
ErrorReport named_by_field(ErrorReport report);

}  // namespace armature::service
