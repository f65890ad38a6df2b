#include "cli/catalogue.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace armature::cli {
namespace {

std::string wrapped(const std::string& text, std::size_t width) {
  std::string out;
  std::size_t column = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (column > 0 && column + 1 + word.size() > width) {
      out += "\n";
      column = 0;
    }
    out += column > 0 ? " " + word : word;
    column += word.size() + (column > 0 ? 1 : 0);
    at = end + 1;
  }
  return out + "\n";
}

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

// One line per entry.
std::string list_of(const std::vector<CatalogueEntry>& entries) {
  std::string out;
  for (const CatalogueEntry& entry : entries) {
    std::string keys;
    for (const Parameter& parameter : entry.parameters)
      keys += (keys.empty() ? "" : ", ") + parameter.name() + "=" +
              (parameter.is_automatic() ? "(" + parameter.default_text() + ")"
                                        : parameter.default_text());
    out += fmt::format("{:<20} {}\n", entry.name, entry.summary);
    if (!keys.empty()) out += fmt::format("{:<20} {}\n", "", keys);
  }
  return out;
}

// All about one entry.
std::string page_of(const CatalogueEntry& entry) {
  std::string out = fmt::format("{}: {}\n\n{}", entry.name, entry.summary, wrapped(entry.text, 90));
  if (!entry.needs.empty()) out += "\nNeeds " + entry.needs + ".\n";
  out += fmt::format("Formula: {}\n", entry.section);
  if (!entry.parameters.empty()) out += "\nParameters\n";
  for (const Parameter& parameter : entry.parameters)
    out += fmt::format("  {:<14} {}\n  {:<14} {}; default {} ({})\n", parameter.name(),
                       parameter.help_text(), "", parameter.expectation(), default_of(parameter),
                       parameter.section());
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

std::string json_of(const std::vector<CatalogueEntry>& entries) {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const CatalogueEntry& entry : entries) {
    Json parameters = Json::array();
    for (const Parameter& parameter : entry.parameters)
      parameters.push_back({{"name", parameter.name()},
                            {"expects", parameter.expectation()},
                            {"default", parameter.default_text()},
                            {"automatic", parameter.is_automatic()},
                            {"help", parameter.help_text()},
                            {"section", parameter.section()}});
    list.push_back({{"name", entry.name},
                    {"summary", entry.summary},
                    {"text", entry.text},
                    {"section", entry.section},
                    {"parameters", std::move(parameters)}});
  }
  return list.dump(2) + "\n";
}

std::string printed(const Catalogue& catalogue, const std::string& name,
                    const std::string& format) {
  const auto entries =
      name.empty() ? catalogue.all() : std::vector<CatalogueEntry>{catalogue.find(name)};
  if (format == "json") return json_of(entries);
  if (format == "markdown") return markdown_of(catalogue, entries);
  if (!name.empty()) return page_of(entries.front());
  return fmt::format("{}\narmature {} NAME explains one. Text form: name:key=value,…\n",
                     list_of(entries), catalogue.command);
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
