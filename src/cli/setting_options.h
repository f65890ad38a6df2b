// The options of commands that ask for a setting rather than a run: bounds, frontier, advise.
#pragma once

#include <string>
#include <vector>

#include "armature/theory.h"
#include "cli/command.h"

namespace armature::cli {

struct SettingOptions {
  std::string actions;
  std::string contexts;
  std::string horizon;
  std::string delta;
  std::string rank;
  std::string gap;
  std::string epsilon;
  std::string r2;
  std::string delay;
  std::string instance;
  std::string seed = "1";
};

/// --actions, --contexts, --horizon, --instance, --seed; the others are declared where they matter.
void add_size_options(CLI::App& command, SettingOptions& options);
void add_gap_option(CLI::App& command, SettingOptions& options);
void add_epsilon_option(CLI::App& command, SettingOptions& options);
void add_output_options(CLI::App& command, const std::vector<std::string>& formats,
                        std::string& format, std::optional<std::string>& output);

struct ReadSetting {
  Setting setting;
  std::vector<std::string> notes;  // what was filled in, and where an option overrules the instance
};
/// Sizes must agree with the instance; of the rest what is given explicitly wins, and a note says
/// so.
ReadSetting read_setting(const SettingOptions& options);

/// `--given`: what policies are told instead, from its file.
Problem given_problem(const std::string& path);

/// A real number given as text on the command line, or nothing if it was not given.
std::optional<double> real_if_given(const std::string& option, const std::string& text,
                                    const Setting& sizes);

}  // namespace armature::cli
