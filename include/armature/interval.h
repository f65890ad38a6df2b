// From where to where a number may lie.
#pragma once

namespace armature {

/// By default everything that a probability or a mean reward can be: nothing is known.
struct Interval {
  double low = 0;
  double high = 1;
};

}  // namespace armature
