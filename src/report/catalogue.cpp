#include "report/catalogue.h"

#include <nlohmann/json.hpp>

#include "armature/families.h"
#include "armature/policy.h"
#include "armature/simulate.h"

namespace armature {
namespace {

CatalogueEntry entry_of(const Family& family) {
  return {family.name, family.summary, family.text, family.section, "", family.parameters};
}

CatalogueEntry entry_of(const PolicyFacts& facts) {
  std::string needs;
  if (facts.needs_horizon) needs = "a horizon";
  if (facts.needs_marginals) needs += needs.empty() ? "given marginals" : " and given marginals";
  return {facts.name, facts.summary, facts.text, facts.section, needs, facts.parameters};
}

}  // namespace

std::vector<CatalogueEntry> family_catalogue() {
  std::vector<CatalogueEntry> entries;
  for (const Family& family : families()) entries.push_back(entry_of(family));
  return entries;
}

CatalogueEntry family_entry(const std::string& name) { return entry_of(find_family(name)); }

std::vector<CatalogueEntry> policy_catalogue() {
  std::vector<CatalogueEntry> entries;
  for (const PolicyEntry& entry : policies()) entries.push_back(entry_of(entry.facts));
  return entries;
}

CatalogueEntry policy_entry(const std::string& name) {
  return entry_of(find_policy(name == kOracle ? "fixed" : name).facts);
}

std::string catalogue_json(const std::vector<CatalogueEntry>& entries) {
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

}  // namespace armature
