// What there is to choose from: policies and families alike, for whoever shows them.
#pragma once

#include <string>
#include <vector>

#include "armature/parameters.h"

namespace armature {

struct CatalogueEntry {
  std::string name;
  std::string summary;
  std::string text;
  std::string section;
  std::string needs;  // what it needs to be given, or empty
  std::vector<Parameter> parameters;
};

std::vector<CatalogueEntry> family_catalogue();
std::vector<CatalogueEntry> policy_catalogue();
/// Both throw Error with the nearest name.
CatalogueEntry family_entry(const std::string& name);
CatalogueEntry policy_entry(const std::string& name);

std::string catalogue_json(const std::vector<CatalogueEntry>& entries);

}  // namespace armature
