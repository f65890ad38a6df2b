// Requests about causal graphs: `graph check`, `graph separators`, `graph show` with the diagram
// itself ("text") where the command has a file, and its long options as fields:
//   {"command": "graph check", "text": "x -> z -> y", "action": "x", "context": "z", "reward": "y"}
// Options that take no value (empty, single) are true or false. "file" names the text in complaints
// (default: nothing does). The answer is what the command prints with --format json, to the byte;
// "format" of `graph show` may be svg, dot and dagitty too. Throws Error as the command complains.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace armature::browser {

std::string answer_graph_check(const nlohmann::json& request);
std::string answer_graph_separators(const nlohmann::json& request);
std::string answer_graph_show(const nlohmann::json& request);

}  // namespace armature::browser
