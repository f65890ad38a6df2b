// What there is to choose from, printed for people: one view for policies and families alike.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "report/catalogue.h"

namespace armature::cli {

/// A command that lists such entries or explains one.
struct Catalogue {
  std::string command;  // policies
  std::string what;     // one entry, for help: "the policy to explain"
  std::string summary;  // the command in one line
  std::string title;    // of the Markdown page, and what it says first
  std::string introduction;
  std::string examples;  // at the end of the help
  std::vector<CatalogueEntry> (*all)();
  CatalogueEntry (*find)(const std::string& name);  // throws Error with the nearest name
};

void add_catalogue(CLI::App& app, const Catalogue& catalogue);

/// What both pages say of their marks, at the end of their introductions.
inline constexpr const char* kReadingTheTables =
    "Section marks (§) refer to [specification.md](specification.md); T is the horizon, |A| and "
    "|Z| are the numbers of actions and contexts. Numbers may be formulas: `1/4`, or in A, Z and "
    "T `sqrt(A*log(T)/T)` ([formats.md](formats.md)).";

}  // namespace armature::cli
