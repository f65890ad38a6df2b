#include <fmt/format.h>

#include <cstdio>

#include "armature/error.h"
#include "armature/version.h"
#include "base/file.h"
#include "base/formula.h"
#include "base/text.h"
#include "cli/command.h"

namespace armature::cli {
namespace {

// A plain number of the wrong kind is not taken for a formula.
[[noreturn]] void refuse_number(const std::string& option, const std::string& text,
                                const std::string& expected, const Error& error) {
  throw Error(
      {"", option, "'" + text + "'",
       parse_real(text) ? expected : expected + ", or a formula: " + error.report().expected});
}

}  // namespace

std::uint64_t whole_number(const std::string& option, const std::string& text, std::uint64_t low,
                           std::uint64_t high, const FormulaVariables& known) {
  const std::string expected = fmt::format("a whole number from {} to {}", low, high);
  std::uint64_t number = 0;
  try {
    number = whole_value(text, known);
  } catch (const Error& error) {
    refuse_number(option, text, expected, error);
  }
  if (number < low || number > high) throw Error({"", option, "'" + text + "'", expected});
  return number;
}

double real_number(const std::string& option, const std::string& text, const std::string& expected,
                   const FormulaVariables& known) {
  try {
    return real_value(text, known);
  } catch (const Error& error) {
    refuse_number(option, text, expected, error);
  }
}

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

int run(int argc, char** argv) {
  CLI::App app(
      "armature: causal bandits. Learn from post-action contexts where they can be trusted,\n"
      "and find out where they cannot.",
      "armature");
  app.set_version_flag("--version", std::string("armature ") + version());
  app.require_subcommand(1);
  app.footer("Start here: armature demo\nHelp on a command: armature COMMAND --help");
  add_simulate(app);
  add_demo(app);
  add_instance(app);
  add_design(app);
  add_bounds(app);
  add_frontier(app);
  add_advise(app);
  add_policies(app);
  add_families(app);
  add_study(app);
  add_run(app);
  add_status(app);
  add_show(app);
  add_export(app);
  add_report(app);
  add_studies(app);
  add_completion(app);
  refuse_empty_values(app);
  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::Success& request) {  // --help, --version
    return app.exit(request);
  } catch (const CLI::ParseError& error) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
    const bool no_such_command = argc > 1 && app.get_subcommands().empty() && argv[1][0] != '-';
    fmt::print(stderr, "armature: {}\n",
               no_such_command
                   ? Error({"", "command", fmt::format("'{}'", argv[1]),
                            "one of " + join(names, ", ") + did_you_mean(argv[1], names)})
                         .what()
                   : shown(error.what(), kLongestMessage));
    fmt::print(stderr, "See armature --help, or armature COMMAND --help.\n");
    return 2;
  } catch (const Error& error) {
    fmt::print(stderr, "armature: {}\n", error.what());
    return 2;
  } catch (const ExitStatus& status) {
    return status.value;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "armature: memory: got less than this needs, expected a smaller problem\n");
    return 2;
  } catch (const std::exception&
               error) {  // nothing else should reach this door; a person still gets a sentence
    fmt::print(stderr, "armature: unexpected: {}\n", shown(error.what(), kLongestMessage));
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
