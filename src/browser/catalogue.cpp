// What there is to choose from, and how it is drawn.
#include "report/catalogue.h"

#include <nlohmann/json.hpp>

#include "armature/simulate.h"
#include "armature/version.h"
#include "browser/commands.h"
#include "report/policy_looks.h"

namespace armature::browser {
namespace {

using Json = nlohmann::ordered_json;

// The command's one argument has no dashes: here it is the key `name`.
constexpr const char* kName = "name";

std::string entries(const Request& request, std::vector<CatalogueEntry> (*all)(),
                    CatalogueEntry (*find)(const std::string& name)) {
  std::optional<std::string> name;
  request.read(with_terminal_options(
      {{.name = kName, .target = &name}, json_option({"table", "markdown", "json"})}));
  return catalogue_json(name ? std::vector<CatalogueEntry>{find(*name)} : all());
}

}  // namespace

std::string families(const Request& request, const Progress&) {
  return entries(request, family_catalogue, family_entry);
}

std::string policies(const Request& request, const Progress&) {
  return entries(request, policy_catalogue, policy_entry);
}

std::string looks(const Request& request, const Progress&) {
  std::vector<std::string> names;
  request.read({{.name = "policy", .target = &names}});
  if (names.empty()) {
    for (const CatalogueEntry& entry : policy_catalogue()) names.push_back(entry.name);
    names.emplace_back(kOracle);
  }
  Json list = Json::array();
  for (const figures::Look& look : looks_of_policies(names))
    list.push_back({{"policy", look.name},
                    {"colour", figures::colour(look)},
                    {"dash", figures::dash(look)},
                    {"shape", figures::shape(look)}});
  return list.dump(2) + "\n";
}

std::string version(const Request& request, const Progress&) {
  request.read({});
  return Json{{"version", armature::version()}}.dump(2) + "\n";
}

}  // namespace armature::browser
