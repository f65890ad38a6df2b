// The options of commands that read a log: audit and replay.
#pragma once

#include <string>
#include <vector>

#include "audit/log.h"
#include "cli/command.h"

namespace armature::cli {

/// The log itself and which of its columns mean what.
void add_log_options(CLI::App& command, std::string& path, LogOptions& options);

}  // namespace armature::cli
