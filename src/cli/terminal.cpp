#include "cli/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>

#include "base/text.h"

namespace armature::cli {
namespace {

constexpr std::size_t kNarrowest = 20;  // below this nothing can be laid out
constexpr std::size_t kWidest = 10'000;

// As given on the command line, which is read once, before anything is printed.
struct Asked {
  std::string color = "auto";
  bool wide = false;
};
Asked asked;

bool set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

// Who exports COLUMNS means it, in a pipe too.
std::size_t columns_of(int stream) {
  if (const char* text = std::getenv("COLUMNS"))
    if (const auto columns = parse_integer(text); columns && *columns > 0)
      return std::clamp<std::size_t>(*columns, kNarrowest, kWidest);
  winsize size = {};
  if (isatty(stream) != 0 && ioctl(stream, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return std::clamp<std::size_t>(size.ws_col, kNarrowest, kWidest);
  return Screen{}.columns;
}

bool styled_on(int stream) {
  if (asked.color != "auto") return asked.color == "always";
  const char* kind = std::getenv("TERM");
  // mpirun hands every rank a terminal of its own, wherever its output goes: nobody can tell.
  return isatty(stream) != 0 && !set("NO_COLOR") && !set("OMPI_COMM_WORLD_SIZE") &&
         kind != nullptr && std::string_view(kind) != "dumb";
}

Screen screen_of(int stream) { return {columns_of(stream), styled_on(stream), asked.wide}; }

// Our own help: CLI11's breaks no lines and counts bytes.
class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_group(std::string group, bool is_positional,
                         std::vector<const CLI::Option*> options) const override {
    std::string text = "\n" + heading(group);
    for (const CLI::Option* option : options) text += make_option(option, is_positional);
    return text;
  }
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    const std::string given = option->get_default_str();
    return entry(make_option_name(option, is_positional) + make_option_opts(option),
                 option->get_description() + (given.empty() ? "" : " [" + given + "]"));
  }
  // What it takes. Choices and exclusions are said in the descriptions.
  std::string make_option_opts(const CLI::Option* option) const override {
    const bool flag = option->get_type_size() == 0, positional = !option->nonpositional();
    const bool many = option->get_expected_max() == CLI::detail::expected_max_vector_size;
    const std::string type = option->get_type_name();
    return (flag || positional ? "" : " " + type.substr(0, type.find(':'))) + (many ? "…" : "") +
           (option->get_required() ? " (required)" : "");
  }
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
    for (std::size_t at = 0; (at = text.find("\n\n\n", at)) != std::string::npos;)
      text.erase(at, 1);  // CLI11 has blank lines around every group
    return text;
  }
  std::string make_subcommands(const CLI::App* app, CLI::AppFormatMode) const override {
    const auto commands = app->get_subcommands([](const CLI::App*) { return true; });
    std::string text = commands.empty() ? "" : "\n" + heading("Commands");
    for (const CLI::App* command : commands) text += make_subcommand(command);
    return text;
  }
  std::string make_subcommand(const CLI::App* command) const override {
    return entry(command->get_name(), command->get_description());
  }
  std::string make_description(const CLI::App* app) const override {
    return paragraphs(app->get_description()) + "\n";
  }
  std::string make_footer(const CLI::App* app) const override {
    return app->get_footer().empty() ? "" : paragraphs(app->get_footer());
  }

 private:
  static constexpr std::size_t kColumn = 28;  // where descriptions begin

  static std::string heading(const std::string& title) {
    return styled(title + ":", Style::kBold, screen()) + "\n";
  }

  // A name, and beside it what it is; below it where the name is long.
  static std::string entry(const std::string& name, const std::string& description) {
    const std::size_t column = std::min(kColumn, screen().columns / 3);
    std::string first = "  " + name;
    std::string above;
    if (display_width(first) + 2 > column) above = std::exchange(first, "") + "\n";
    const std::string pad(column - display_width(first), ' ');
    return above +
           wrapped(description, prose_columns(screen()), first + pad, std::string(column, ' ')) +
           "\n";
  }

  // Lines of their own stay lines, and what is indented is an example, to be copied.
  static std::string paragraphs(const std::string& text) {
    std::istringstream lines(text);
    std::string out;
    for (std::string line; std::getline(lines, line);)
      out +=
          (line.starts_with(' ') ? example(line) : wrapped(line, prose_columns(screen()))) + "\n";
    return out;
  }

  // A long command goes on below, as a shell reads it; broken before options alone, so that no
  // quoted text is.
  static std::string example(const std::string& line) {
    const std::string below = " \\\n      ";
    std::string out;
    std::size_t start = 0;  // of the line at hand
    std::size_t at = 0;
    while (at < line.size()) {
      const std::size_t end = std::min(line.find(" -", at + 1), line.size());
      const std::string part = line.substr(at, end - at);
      if (at > 0 && display_width(out.substr(start)) + display_width(part) + 2 > screen().columns) {
        out += below;
        start = out.size() - 6;
        out += part.substr(1);
      } else {
        out += part;
      }
      at = end;
    }
    return out;
  }
};

void add_terminal_options_to(CLI::App& command) {
  command.add_option("--color", asked.color, "auto (on a terminal), always or never")
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str()
      ->group("Output");
  command.add_flag("--wide", asked.wide, "tables with all columns side by side")->group("Output");
  for (CLI::App* child : command.get_subcommands([](CLI::App*) { return true; }))
    add_terminal_options_to(*child);
}

}  // namespace

void add_terminal_options(CLI::App& app) { add_terminal_options_to(app); }

Screen screen(const std::optional<std::string>& output) {
  if (!output) return screen_of(STDOUT_FILENO);
  Screen file;
  file.wide = asked.wide;
  return file;
}

Screen error_screen() { return screen_of(STDERR_FILENO); }

std::string prose(const std::string& text, const Screen& on, std::size_t indent) {
  return wrapped(visible(text), prose_columns(on), "", std::string(indent, ' ')) + "\n";
}

void complain(const std::string& message) {
  const Screen on = error_screen();
  const std::string start = "armature: ";
  std::string text = visible(message);
  if (isatty(STDERR_FILENO) != 0)
    text = wrapped(text, prose_columns(on), start, "  ").substr(start.size());
  fmt::print(stderr, "{}{}\n", styled(start, Style::kRed, on), text);
}

std::shared_ptr<CLI::Formatter> help_formatter() {
  auto formatter = std::make_shared<HelpFormatter>();
  formatter->label("SUBCOMMAND", "COMMAND");
  formatter->label("Positionals", "Arguments");
  return formatter;
}

}  // namespace armature::cli
