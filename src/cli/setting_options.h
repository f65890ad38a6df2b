// Declares the options of commands that ask for a setting rather than a run (options/setting.h).
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "options/setting.h"

namespace armature::cli {

/// --actions, --contexts, --horizon, --instance, --seed; the others are declared where they matter.
void add_size_options(CLI::App& command, SettingOptions& options);
void add_gap_option(CLI::App& command, SettingOptions& options);
void add_epsilon_option(CLI::App& command, SettingOptions& options);
void add_output_options(CLI::App& command, const std::vector<std::string>& formats,
                        std::string& format, std::optional<std::string>& output);

}  // namespace armature::cli
