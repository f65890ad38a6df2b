#include "cli/log_options.h"

namespace armature::cli {

void add_log_options(CLI::App& command, std::string& path, LogOptions& options) {
  command.add_option("log", path, "the log, a CSV file with a header")->required();
  command.add_option("--action", options.action, "column of the action")->capture_default_str();
  command.add_option("--context", options.contexts, "columns of the context")
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--reward", options.reward, "column of the reward, in [0,1]")
      ->capture_default_str();
  command.add_option("--propensity", options.propensity,
                     "column of the probability with which the action was chosen");
  command.add_flag("--adaptive", options.adaptive, "decisions depended on earlier outcomes");
}

}  // namespace armature::cli
