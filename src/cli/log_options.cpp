#include "cli/log_options.h"

namespace armature::cli {

void add_log_options(CLI::App& command, LogOptions& options) {
  command.add_option("--action", options.action, "column of the action")->capture_default_str();
  command.add_option("--context", options.context, "columns of the context, joined")
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--reward", options.reward, "column of the reward")->capture_default_str();
  command.add_option("--propensity", options.propensity, "column of the action's probability");
  command.add_flag("--adaptive", options.adaptive, "decisions depended on earlier outcomes");
}

}  // namespace armature::cli
