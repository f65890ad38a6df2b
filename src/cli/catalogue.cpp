#include "cli/catalogue.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/terminal.h"

namespace armature::cli {
namespace {

// A bar would end the cell of a Markdown table.
std::string cell(const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped += c == '|' ? "\\|" : std::string(1, c);
  return escaped;
}

std::string default_of(const Parameter& parameter) {
  return parameter.is_automatic() ? "automatic: " + parameter.default_text()
                                  : parameter.default_text();
}

// What one is, and below it the keys it takes. Their defaults would bury the names.
std::string list_of(const std::vector<CatalogueEntry>& entries, const Screen& on) {
  std::size_t column = 0;
  for (const CatalogueEntry& entry : entries)
    column = std::max(column, display_width(entry.name) + 2);
  const std::string below(column, ' ');
  std::string out;
  for (const CatalogueEntry& entry : entries) {
    std::vector<std::string> keys;
    for (const Parameter& parameter : entry.parameters) keys.push_back(parameter.name());
    const std::string name = entry.name + std::string(column - display_width(entry.name), ' ');
    // The name is made bold when lines are broken: the marks would count as columns.
    out += styled(name, Style::kBold, on) +
           wrapped(entry.summary, prose_columns(on), name, below).substr(name.size()) + "\n";
    if (!keys.empty())
      out += styled(wrapped(join(keys, ", "), prose_columns(on), below, below), Style::kDim, on) +
             "\n";
  }
  return out;
}

// All about one entry.
std::string page_of(const CatalogueEntry& entry, const Screen& on) {
  const std::size_t width = prose_columns(on);
  const std::string title = wrapped(entry.name + ": " + entry.summary, width, "", "  ");
  std::string out = styled(title, Style::kBold, on) + "\n\n" + wrapped(entry.text, width) + "\n";
  if (!entry.needs.empty()) out += "\nNeeds " + entry.needs + ".\n";
  out += fmt::format("Formula: {}\n", entry.section);
  if (!entry.parameters.empty()) out += "\n" + styled("Parameters", Style::kBold, on) + "\n";
  for (const Parameter& parameter : entry.parameters) {
    const std::string below(17, ' ');
    out += wrapped(parameter.help_text(), width, fmt::format("  {:<14} ", parameter.name()), below);
    out += "\n" +
           styled(wrapped(fmt::format("{}; default {} ({})", parameter.expectation(),
                                      default_of(parameter), parameter.section()),
                          width, below, below),
                  Style::kDim, on) +
           "\n";
  }
  return out + "\nSection marks (§) are those of docs/specification.md.\n";
}

std::string markdown_of(const Catalogue& catalogue, const std::vector<CatalogueEntry>& entries) {
  std::string out = fmt::format("# {}\n\n{}\n\n| name | what it is |\n|---|---|\n", catalogue.title,
                                catalogue.introduction);
  for (const CatalogueEntry& entry : entries)
    out += fmt::format("| [{0}](#{0}) | {1} |\n", entry.name, entry.summary);
  for (const CatalogueEntry& entry : entries) {
    out += fmt::format("\n## {}\n\n{}\n\nFormula: {}.", entry.name, entry.text, entry.section);
    if (!entry.needs.empty()) out += fmt::format(" Needs {}.", entry.needs);
    out += "\n";
    if (entry.parameters.empty()) continue;
    out += "\n| parameter | value | default | meaning |\n|---|---|---|---|\n";
    for (const Parameter& parameter : entry.parameters)
      out += fmt::format("| `{}` | {} | {} | {} ({}) |\n", parameter.name(),
                         cell(parameter.expectation()), cell(default_of(parameter)),
                         cell(parameter.help_text()), parameter.section());
  }
  return out;
}

std::string printed(const Catalogue& catalogue, const std::string& name,
                    const std::string& format) {
  const auto entries =
      name.empty() ? catalogue.all() : std::vector<CatalogueEntry>{catalogue.find(name)};
  if (format == "json") return catalogue_json(entries);
  if (format == "markdown") return markdown_of(catalogue, entries);
  const Screen on = screen();
  if (!name.empty()) return page_of(entries.front(), on);
  return list_of(entries, on) + "\n" +
         prose(fmt::format("armature {} NAME explains one, with its defaults. Text form: "
                           "name:key=value,…",
                           catalogue.command),
               on);
}

}  // namespace

void add_catalogue(CLI::App& app, const Catalogue& catalogue) {
  auto name = std::make_shared<std::string>();
  auto format = std::make_shared<std::string>("table");
  CLI::App* command = app.add_subcommand(catalogue.command, catalogue.summary);
  command->add_option("NAME", *name, catalogue.what);
  command->add_option("--format,-f", *format, "table, markdown or json")
      ->check(CLI::IsMember({"table", "markdown", "json"}))
      ->capture_default_str();
  command->footer(catalogue.examples);
  command->callback(
      [catalogue, name, format] { emit(std::nullopt, printed(catalogue, *name, *format)); });
}

}  // namespace armature::cli
