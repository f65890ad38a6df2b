// Which columns of a log are what: for audit and replay.
#pragma once

#include "audit/log.h"
#include "cli/command.h"

namespace armature::cli {

void add_log_options(CLI::App& command, LogOptions& options);

}  // namespace armature::cli
