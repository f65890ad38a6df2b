// Opens a log. For now: comma-separated values without quotes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "armature/model.h"
#include "audit/row.h"

namespace armature {

struct LogOptions {
  std::string action = "action";
  std::vector<std::string> contexts = {"context"};
  std::string reward = "reward";
  std::string propensity;  // empty: a column of this name, if there is one
  std::optional<Problem> given;
  bool adaptive = false;
};

std::unique_ptr<LogSource> open_log(const std::string& path, const LogOptions& options);

}  // namespace armature
