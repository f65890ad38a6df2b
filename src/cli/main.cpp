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
  add_export(app);
  add_report(app);
  add_studies(app);
  add_graph(app);
  add_completion(app);
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
               no_such_command ? fmt::format("command: got '{}', expected one of {}{}", argv[1],
                                             join(names, ", "), did_you_mean(argv[1], names))
                               : error.what());
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
    fmt::print(stderr, "armature: unexpected: {}\n", error.what());
    return 2;
  }
}

}  // namespace
}  // namespace armature::cli

int main(int argc, char** argv) { return armature::cli::run(argc, argv); }
