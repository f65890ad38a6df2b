// A causal graph wherever an instance is named: `graph:file=asia.bif,action=smoke,
// context=lung+bronc,reward=dysp=yes`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "armature/files.h"
#include "armature/graph.h"
#include "armature/parameters.h"

namespace armature {

inline constexpr const char* kGraph = "graph";

std::vector<Parameter> graph_parameters();

/// A graph and what is asked of it.
struct GraphWorld {
  std::string file;  // as it is written
  graph::CausalGraph graph;
  graph::Question question;
  graph::Reward reward;

  Instance instance() const;
};
/// Reads the files; throws Error naming file, key and value.
GraphWorld graph_world(const Arguments& arguments, const Files& files);
/// The same of a text form; nothing if it is none of a graph.
std::optional<GraphWorld> graph_world(const std::string& text, const Files& files);

}  // namespace armature
