// Worlds for the replications of a cell: the one place that knows whether they are shared or fresh.
#pragma once

#include <functional>
#include <memory>

#include "armature/families.h"
#include "armature/simulate.h"

namespace armature {

/// Called from many threads at once; the same replication always gets the same world.
using WorldSource = std::function<std::shared_ptr<const World>(std::uint32_t replication)>;

/// Families that are not random share one world between all replications and threads: it is const,
/// and its outcome tables are built once. Fresh ones are built when they are played and die with
/// their replication, so that memory does not grow with replications.
inline WorldSource world_source(const InstanceSource& source, Round horizon) {
  if (source.fresh_per_replication())
    return [source, horizon](std::uint32_t replication) {
      return std::make_shared<const World>(source.instance(replication), horizon);
    };
  return [world = std::make_shared<const World>(source.instance(0), horizon)](std::uint32_t) {
    return world;
  };
}

}  // namespace armature
