#include <fmt/format.h>

#include <cctype>
#include <cstdio>

#include "armature/error.h"
#include "armature/version.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "options/names.h"
#include "ranks/launch.h"

namespace armature::cli {

std::optional<Round> horizon_option(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return whole_number("--horizon", text, 1, kMostRounds);
}

double rank_tolerance(const std::string& text) {
  if (text.empty()) return 0;
  const double tolerance = real_number("--tolerance", text, "a number in (0,1)");
  if (!(tolerance > 0 && tolerance < 1))
    throw Error({"", "--tolerance", "'" + text + "'", "a number in (0,1)"});
  return tolerance;
}

void emit(const std::optional<std::string>& output, const std::string& content) {
  if (output) {
    write_file(*output, content);
    return;
  }
  if (std::fwrite(content.data(), 1, content.size(), stdout) != content.size() ||
      std::fflush(stdout) != 0)
    throw Error({"standard output", "write", "an error", "an open terminal, file or pipe"});
}

namespace {

// Nothing that can be given means something by an empty text: it is an unset variable of a script.
void refuse_empty_values(CLI::App& app) {
  for (CLI::Option* option : app.get_options())
    if (option->get_items_expected_max() > 0)
      option->check([](const std::string& value) {
        return value.empty() ? std::string("got an empty text, expected a value") : std::string();
      });
  for (CLI::App* command : app.get_subcommands({})) refuse_empty_values(*command);
}

// What the option parser says holds what was given, of any length.
constexpr std::size_t kLongestMessage = 600;

// The command that was being read when parsing ended.
const CLI::App& reached(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : reached(*parsed.front());
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

// One letter is near to every other: what may be meant by it is the letter in the other case, or an
// option that begins with it.
std::string nearest_option(const std::string& word, const CLI::App& app) {
  const std::vector<std::string> names = option_names(app);
  if (word.starts_with("--")) return nearest_long_option(word, names);
  const char letter = word.size() > 1 ? word[1] : '-';
  const std::string other(
      1, static_cast<char>(std::islower(letter) ? std::toupper(letter) : std::tolower(letter)));
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_snames())
      if (name == other) return "; did you mean '-" + other + "'?";
  for (const std::string& option : names)
    if (option[2] == letter) return "; did you mean '" + option + "'?";
  return "";
}

// What of the arguments nobody knows, with the nearest that somebody does; nothing if the error is
// of another kind.
std::optional<Error> unknown_word(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = reached(app);
  const std::vector<std::string> left = command.remaining();
  const std::string where = &command == &app ? "" : command.get_name();
  const std::vector<std::string> commands = command_names(command);
  const std::string known = (commands.size() > 1 ? "one of " : "") + join(commands, ", ");
  if (left.empty()) {
    if (commands.empty() || error.get_name() != "RequiredError") return std::nullopt;
    return Error({where, "command", "nothing", known});
  }
  const std::string& word = left.front();
  if (word.starts_with('-') && word.size() > 1) {
    return unknown_option(where, word, nearest_option(word, command), option_names(command));
  }
  if (!commands.empty())
    return Error({where, "command", "'" + word + "'", known + did_you_mean(word, commands)});
  return Error({where, "argument", "'" + word + "'", "nothing more"});
}

void add_commands(CLI::App& app) {
  add_simulate(app);
  add_demo(app);
  add_instance(app);
  add_design(app);
  add_bounds(app);
  add_frontier(app);
  add_advise(app);
  add_audit(app);
  add_replay(app);
  add_policies(app);
  add_families(app);
  add_study(app);
  add_run(app);
  add_submit(app);
  add_status(app);
  add_merge(app);
  add_show(app);
  add_export(app);
  add_report(app);
  add_studies(app);
  add_graph(app);
  add_serve(app);
  add_service(app);
  add_devices(app);
  add_completion(app);
}

int run(int argc, char** argv) {
  CLI::App app(
      "armature: causal bandits. Learn from post-action contexts where they can be trusted, and "
      "find out where they cannot.",
      "armature");
  app.set_version_flag("--version", std::string("armature ") + version(),
                       "print the version and end");
  app.require_subcommand(1);
  app.footer("Start here: armature demo\nHelp on a command: armature COMMAND --help");
  // Before the commands, which inherit both.
  app.formatter(help_formatter());
  app.set_help_flag("-h,--help", "print this and end");
  add_commands(app);
  add_terminal_options(app);
  refuse_empty_values(app);
  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::Success& request) {  // --help, --version
    return app.exit(request);
  } catch (const CLI::ParseError& error) {
    // All ranks of a job are wrong alike: one of them says so.
    if (ranks::launch_of_this_process().rank > 0) return 2;
    const std::optional<Error> unknown = unknown_word(app, error);
    complain(unknown ? unknown->what() : shown(error.what(), kLongestMessage));
    fmt::print(stderr, "See armature --help, or armature COMMAND --help.\n");
    return 2;
  } catch (const Error& error) {
    complain(error.what());
    return 2;
  } catch (const ExitStatus& status) {
    return status.value;
  } catch (const std::bad_alloc&) {
    complain(kTooLarge);
    return 2;
  } catch (const std::exception& error) {  // a person still gets a sentence
    complain(fmt::format("unexpected: {}", shown(error.what(), kLongestMessage)));
    return 2;
  }
}

}  // namespace
}  // namespace armature::cli

int main(int argc, char** argv) {
  const int status = armature::cli::run(argc, argv);
  // What was printed piece by piece may not have arrived: a full disk, a closed pipe.
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  std::fputs("armature: standard output: got an error, expected an open terminal, file or pipe\n",
             stderr);
  return status == 0 ? 2 : status;
}
