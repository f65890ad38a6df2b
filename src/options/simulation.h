// A simulation as options say it: one reading, and so the same complaints, for the command and for
// pages.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "armature/lab.h"

namespace armature {

struct SimulationOptions {
  std::string instance;
  std::vector<std::string> policies;
  std::string horizon;
  std::string replications = "100";
  std::string seed = "1";
  std::string checkpoints = "32";
  std::vector<std::string> at;  // each a list with commas
  std::string delay = "none";
  std::string batch = "1";
  std::string loss = "0";
  std::optional<std::string> given;  // a problem file
  std::string engine = "auto";
  std::string leap_tolerance = "1e-9";
  std::string max_events = "1e9";
};

/// Throws Error naming the option.
Simulation simulation_of(const SimulationOptions& options);

/// Throws Error where a short trial says that it would take more than kLongSeconds.
void refuse_too_long(const Simulation& simulation, const RunHooks& hooks);

}  // namespace armature
