// A summary as JSON, for whoever shows an experiment that somebody else decides: it is kept in the
// store, and read by other nodes.
#pragma once

#include <string>

#include "service/summary.h"

namespace armature::service {

/// On one line, everything but its `number`, which is its reader's to give. Numbers come back bit
/// for bit.
std::string write_summary(const Summary& summary);
/// Throws Error naming `source` and the field. Lists are as long as those they go with.
Summary read_summary(const std::string& json, const std::string& source);

}  // namespace armature::service
