// Shell completion, generated from the commands themselves so that it cannot fall behind them.
#include <fmt/format.h>

#include "armature/families.h"
#include "armature/policy.h"
#include "armature/simulate.h"
#include "base/text.h"
#include "cli/command.h"

namespace armature::cli {
namespace {

// "simulate" -> its options; "instance show" -> its options; "" -> the commands.
void collect(const CLI::App& app, const std::string& path,
             std::vector<std::pair<std::string, std::string>>& words) {
  std::string mine;
  for (const CLI::App* child : app.get_subcommands([](const CLI::App*) { return true; }))
    mine += child->get_name() + " ";
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) mine += "--" + name + " ";
  words.emplace_back(path, mine);
  for (const CLI::App* child : app.get_subcommands([](const CLI::App*) { return true; }))
    collect(*child, path.empty() ? child->get_name() : path + " " + child->get_name(), words);
}

std::string bash_script(const CLI::App& app) {
  std::vector<std::pair<std::string, std::string>> words;
  collect(app, "", words);
  std::vector<std::string> policy_names{kOracle};
  for (const PolicyEntry& entry : policies()) policy_names.push_back(entry.facts.name);
  std::vector<std::string> family_names;
  for (const Family& family : families()) family_names.push_back(family.name);

  std::string cases;
  std::vector<std::string> paths;
  for (const auto& [path, completions] : words) {
    if (!path.empty()) paths.push_back("'" + path + "'");
    cases += fmt::format("    '{}') words='{}' ;;\n", path, completions);
  }
  return fmt::format(R"(_armature() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} path='' words='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${{COMP_WORDS[i]}} in
      -*) break ;;
    esac
    case "${{path:+$path }}${{COMP_WORDS[i]}}" in
      {paths}) path="${{path:+$path }}${{COMP_WORDS[i]}}" ;;
    esac
  done
  case $previous in
    --policy|-p) COMPREPLY=($(compgen -W '{policies}' -- "$current")); return ;;
    --instance|-i)
      COMPREPLY=($(compgen -W '{families}' -- "$current") $(compgen -f -X '!*.json' -- "$current")); return ;;
    --format|-f) COMPREPLY=($(compgen -W 'table csv json markdown vega-lite' -- "$current")); return ;;
    --engine) COMPREPLY=($(compgen -W 'auto step leap cuda' -- "$current")); return ;;
    --color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
    --output|-o|--given) COMPREPLY=($(compgen -f -- "$current")); return ;;
  esac
  case $path in
{cases}  esac
  case $path in
    policies) words="$words {policies}" ;;
    families|design|'instance show'|'instance write') words="$words {families}" ;;
    completion) words="$words bash zsh" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _armature armature
)",
                     fmt::arg("policies", join(policy_names, " ")),
                     fmt::arg("families", join(family_names, " ")),
                     fmt::arg("paths", join(paths, "|")), fmt::arg("cases", cases));
}

}  // namespace

void add_completion(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("completion", "print a completion script for bash or zsh");
  command->add_option("SHELL", *shell, "bash or zsh")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh"}));
  command->footer(
      "Use it:  source <(armature completion bash)\n\n"
      "Examples:\n"
      "  armature completion bash > armature.bash\n"
      "  armature completion zsh > _armature");
  command->callback([&app, shell] {
    // zsh runs bash's completion functions once told to.
    const std::string head = *shell == "zsh" ? "autoload -U +X bashcompinit && bashcompinit\n" : "";
    emit(std::nullopt, head + bash_script(app));
  });
}

}  // namespace armature::cli
