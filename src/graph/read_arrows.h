// The two languages of arrows, dagitty text and DOT. Their statements are the same: nodes, chains
// `a -> b <- c`, groups `{a b} -> c`, options in brackets; so one reader reads both, and knows
// which it has before it by the header.
#pragma once

#include <string>
#include <string_view>

#include "armature/graph.h"

namespace armature::graph {

/// With or without a header (`x -> y` alone is a dag). The text is UTF-8.
CausalGraph::Parts read_arrows(std::string_view text, const std::string& source);

/// dagitty's format before version 3: lines `NAME E|O|A|U|1 [@x,y]`, an empty line, then lines
/// `NAME child child …`.
bool is_old_dagitty(std::string_view text);
CausalGraph::Parts read_old_dagitty(std::string_view text, const std::string& source);

/// The same arrow counts once; the first one stays where it is. ↔ has no direction: give it with
/// the lower node first.
void keep_once(std::size_t nodes, std::vector<Arrow>& arrows);

}  // namespace armature::graph
