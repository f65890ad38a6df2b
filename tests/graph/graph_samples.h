// Graph files that more than one test reads.
#pragma once

#include <string>

#include "armature/graph.h"

namespace armature::test {

/// Lauritzen and Spiegelhalter's chest clinic, cut down to what readers need: odd names and states,
/// `table`, rows out of order, `default`, comments, properties.
inline constexpr const char* kClinic = R"~(network "chest clinic" { property author "A; B"; }
variable asia { // a visit
  type discrete [ 2 ] { yes, no };
}
variable smoke { type discrete[2] { yes no }; property position = (73, 165) ; }
variable "lung (x-ray)" {
  type discrete[3] { <5, 5-12, 12+ };
  property latent;
}
/* blocks in any order */
probability ( dysp | "lung (x-ray)", asia ) {
  (12+, yes) 0.9, 0.1;
  (<5, no) 1. 0;
  default .25, 75e-2;
}
variable dysp { type discrete[2] { "yes", Asy/Patch }; }
probability ( asia ) { table 0.01, 0.99; }
probability ( smoke ) { table 0.5, 0.5; }
probability ( "lung (x-ray)" smoke ) {
  table 0.1, 0.2,
        0.3, 0.3,
        0.6, 0.5;
})~";

/// What the dagitty page shows for a graph, pasted.
inline constexpr const char* kPasted = R"(dag {
bb="-2.5,-2.3,2.1,1.7"
"smoking status" [exposure,pos="-1.200,0.300"]
U [latent,pos="0.1 , -1"]
cancer [outcome,pos="1.500,0.300"]
tar [pos="0.000,0.300"]
"smoking status" -> tar [pos="0.1,0.2"]
U -> "smoking status"
U -> cancer
tar -> cancer [beta=-0.3]
tar <-> "smoking status"
}
)";

/// As text, arrows as they stand in the graph: "a -> b, b -> c, a <-> c".
inline std::string arrows_of(const graph::CausalGraph& graph) {
  std::string text;
  const auto add = [&](const graph::Arrow& arrow, const char* mark) {
    text += (text.empty() ? "" : ", ") + graph.name(arrow.from) + mark + graph.name(arrow.to);
  };
  for (const graph::Arrow& arrow : graph.parts().directed) add(arrow, " -> ");
  for (const graph::Arrow& arrow : graph.parts().bidirected) add(arrow, " <-> ");
  return text;
}

}  // namespace armature::test
