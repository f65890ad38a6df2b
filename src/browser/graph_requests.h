// Requests about causal graphs: `graph check`, `graph separators` and `graph show` with the diagram
// itself as "text" where the command has a file, which complaints therefore do not name:
//   {"command": "graph check", "text": "x -> z -> y", "action": "x", "context": "z", "reward": "y"}
// `graph show` also answers with what is no JSON: "format" may be svg, dot or dagitty.
#pragma once

#include <string>

#include "browser/answer.h"
#include "browser/request.h"

namespace armature::browser {

std::string graph_check(const Request& request, const Progress& progress);
std::string graph_separators(const Request& request, const Progress& progress);
/// The picture is armature's own, as the command draws it where there is no Graphviz.
std::string graph_show(const Request& request, const Progress& progress);

}  // namespace armature::browser
