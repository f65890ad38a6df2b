// What there is to choose from, printed for people: one view for policies and families alike.
#pragma once

#include <string>
#include <vector>

#include "armature/parameters.h"

namespace armature::cli {

struct CatalogueEntry {
  std::string name;
  std::string summary;
  std::string text;
  std::string section;
  std::string needs;  // what it needs to be given, or empty
  std::vector<Parameter> parameters;
};

/// One line per entry.
std::string catalogue_list(const std::vector<CatalogueEntry>& entries);
/// All about one entry.
std::string catalogue_page(const CatalogueEntry& entry);
/// The whole catalogue as a Markdown document.
std::string catalogue_markdown(const std::string& title, const std::string& introduction,
                               const std::vector<CatalogueEntry>& entries);
std::string catalogue_json(const std::vector<CatalogueEntry>& entries);

}  // namespace armature::cli
