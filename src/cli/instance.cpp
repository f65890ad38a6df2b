#include <fmt/format.h>

#include <algorithm>

#include "armature/error.h"
#include "armature/families.h"
#include "base/file.h"
#include "cli/command.h"
#include "cli/setting_options.h"
#include "cli/terminal.h"
#include "linear/rank.h"
#include "report/table.h"

namespace armature::cli {
namespace {

struct Options {
  std::string instance;
  std::string horizon;
  std::string seed = "1";
  std::optional<std::string> given;
  std::string tolerance;
  std::string file;
};

// Replication 0 of what `simulate` would play with the same seed.
std::shared_ptr<const Instance> instance_of(const Options& options, std::string& text) {
  const std::optional<Round> horizon = horizon_option(options.horizon);
  InstanceSource source(options.instance, horizon,
                        whole_number("--seed", options.seed, 0, UINT64_MAX));
  if (options.given) source.tell(given_problem(*options.given));
  text = source.text();
  return source.instance(0);
}

std::string verdict_text(const Instance& instance) {
  const BenignVerdict verdict = instance.benign_verdict();
  if (verdict.benign()) return "yes: given the context, the reward does not depend on the action";
  const auto& witness = *verdict.witness;
  const auto& names = instance.parts().action_names;
  return fmt::format("no: given {}, {} pays {} and {} pays {}",
                     instance.parts().context_names[witness.context], names[witness.action],
                     instance.law(witness.action, witness.context).describe(), names[witness.other],
                     instance.law(witness.other, witness.context).describe());
}

std::string rank_text(const Instance& instance, double tolerance) {
  const RankVerdict verdict = numerical_rank(instance.marginals(), tolerance);
  std::string values;
  for (std::size_t i = 0; i < std::min<std::size_t>(verdict.singular_values.size(), 8); ++i)
    values += fmt::format("{}{:.4g}", i > 0 ? ", " : "", verdict.singular_values[i]);
  if (verdict.singular_values.size() > 8) values += ", …";
  return fmt::format("{} (singular values {}; those above {:.3g} count)", verdict.rank, values,
                     verdict.cut);
}

std::string given_text(const Instance& instance) {
  const Problem told = instance.problem(std::nullopt);
  if (!told.marginals) return "no marginals";
  const double distance = instance.distance_to(*told.marginals);
  if (distance == 0) return "the exact marginals";
  return fmt::format("marginals at L1 distance ε = {:.6g} from the true ones", distance);
}

std::string action_table(const Instance& instance, const Screen& on) {
  constexpr Arm kShown = 24;
  TextTable table({"action", "mean", "gap"});
  for (Arm a = 0; a < std::min(instance.actions(), kShown); ++a)
    table.add({instance.parts().action_names[a], fmt::format("{:.6g}", instance.mean(a)),
               fmt::format("{:.6g}", instance.gap(a))});
  std::string text = table.print(on);
  if (instance.actions() > kShown)
    text += fmt::format("… and {} more\n", instance.actions() - kShown);
  return text;
}

void show(const Options& options) {
  std::string text;
  const auto instance = instance_of(options, text);
  const auto smallest = instance->smallest_gap();
  double largest = 0;
  for (Arm a = 0; a < instance->actions(); ++a) largest = std::max(largest, instance->gap(a));
  const Screen on = screen();
  std::string out = prose(text, on, 2) + "\n";
  const auto line = [&](const char* label, const std::string& value) {
    out += wrapped(visible(value), prose_columns(on), fmt::format("{:<13}", label),
                   std::string(13, ' ')) +
           "\n";
  };
  line("actions", fmt::format("{}", instance->actions()));
  line("contexts", fmt::format("{}", instance->contexts()));
  line("best action",
       fmt::format("{} (index {}), mean reward {:.6g}",
                   instance->parts().action_names[instance->best_action()], instance->best_action(),
                   instance->mean(instance->best_action())));
  line("gaps", smallest
                   ? fmt::format("smallest positive {:.6g}, largest {:.6g}", *smallest, largest)
                   : "none: all actions are equally good");
  line("rank", rank_text(*instance, rank_tolerance(options.tolerance)));
  line("benign", verdict_text(*instance));
  line("policies see", given_text(*instance));
  for (const std::string& note : instance->parts().notes) line("note", note);
  emit(std::nullopt, out + "\n" + action_table(*instance, on));
}

void write(const Options& options) {
  std::string text;
  write_file(options.file, write_instance(*instance_of(options, text)));
}

void add_source_options(CLI::App& command, Options& options) {
  command
      .add_option("INSTANCE", options.instance,
                  "family:key=value,… (armature families) or a JSON file")
      ->required();
  command.add_option("--horizon,-T", options.horizon,
                     "for families whose default gap depends on T");
  command.add_option("--seed,-s", options.seed, "for random families")->capture_default_str();
  command.add_option("--given", options.given, "problem file: what policies are told instead");
}

}  // namespace

void add_instance(CLI::App& app) {
  CLI::App* command = app.add_subcommand("instance", "look at an instance, or write it to a file");
  command->require_subcommand(1);
  command->footer(
      "Examples:\n"
      "  armature instance show pareto-confounded\n"
      "  armature instance write random-benign:actions=6 world.json");
  auto shown = std::make_shared<Options>();
  CLI::App* show_command =
      command->add_subcommand("show", "sizes, best action, gaps, rank, benign or not, ε");
  add_source_options(*show_command, *shown);
  show_command->add_option("--tolerance", shown->tolerance,
                           "rank: singular values above this share of the largest count");
  show_command->footer(
      "Examples:\n"
      "  armature instance show pareto-benign\n"
      "  armature instance show pareto-confounded:actions=50,gap=0.01");
  show_command->callback([shown] { show(*shown); });
  auto written = std::make_shared<Options>();
  CLI::App* write_command = command->add_subcommand("write", "write it as JSON (docs/formats.md)");
  add_source_options(*write_command, *written);
  write_command->add_option("FILE", written->file, "where to")->required();
  write_command->footer(
      "Examples:\n"
      "  armature instance write hidden-arm:gap=0.2 hidden.json\n"
      "  armature instance write random-benign:contexts=3 world.json --seed 4");
  write_command->callback([written] { write(*written); });
}

}  // namespace armature::cli
