// What every page is made of: one HTML file that holds everything it shows and asks nobody for
// anything.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "figures/style.h"

namespace armature {

/// Throws Error if this program was built without `make bundle`.
void require_bundle();

/// The sections of a page in the order of its contents: id and name. Only those that are in the
/// body are listed.
using PageSections = std::vector<std::pair<std::string, std::string>>;
std::string html_document(const std::string& title, const PageSections& sections,
                          const std::string& body);

/// Specifications are data in the page, which page.js draws: so they can be drawn again when the
/// reader changes between light and dark.
std::string html_figures(const std::vector<figures::Figure>& figures);

}  // namespace armature
