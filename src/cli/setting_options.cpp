#include "cli/setting_options.h"

#include "base/text.h"

namespace armature::cli {

void add_size_options(CLI::App& command, SettingOptions& options) {
  command.add_option("--actions,-A", options.actions, "number of actions |A|");
  command.add_option("--contexts,-Z", options.contexts, "number of contexts |Z|");
  command.add_option("--horizon,-T", options.horizon, "rounds T; 1e6, 2^20 and 1_000_000 are fine")
      ->required();
  command.add_option("--instance,-i", options.instance,
                     "family:key=value,… or a JSON file: fills in sizes, rank, gap, ε");
  command.add_option("--seed,-s", options.seed, "for random families")->capture_default_str();
}

void add_gap_option(CLI::App& command, SettingOptions& options) {
  command.add_option("--gap", options.gap, "smallest positive gap, in (0,1]");
}

void add_epsilon_option(CLI::App& command, SettingOptions& options) {
  command.add_option("--epsilon", options.epsilon,
                     "L1 distance of the known marginals from the true ones, in [0,2]");
}

void add_output_options(CLI::App& command, const std::vector<std::string>& formats,
                        std::string& format, std::optional<std::string>& output) {
  command.add_option("--format,-f", format, join(formats, ", "))
      ->check(CLI::IsMember(formats))
      ->capture_default_str();
  command.add_option("--output,-o", output, "write here instead of to the terminal");
}

}  // namespace armature::cli
