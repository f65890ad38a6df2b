// Stands in for the readers of logs until they are there: comma-separated files with a header.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "audit/row.h"

namespace armature {

struct LogOptions {
  std::string action = "action";
  std::vector<std::string> context = {"context"};
  std::string reward = "reward";
  std::string propensity;
  bool adaptive = false;
};

std::unique_ptr<LogSource> open_log(const std::string& path, const LogOptions& options);

}  // namespace armature
