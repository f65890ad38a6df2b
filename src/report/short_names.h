// Names of worlds and policies for people: a member of a grid may be called by a formula of sixty
// letters, where its worth in three digits says more.
#pragma once

#include <map>
#include <string>

#include "armature/lab.h"

namespace armature {

/// "benign (gap=0.00933)" for "benign (gap=(sqrt(A/T)/3)^(5/8)*(1/4)^(3/8))". Where two names of
/// the results would become one, all keep theirs.
class ShortNames {
 public:
  explicit ShortNames(const Results& results);
  std::string world(const PlannedCell& cell) const;
  std::string policy(const PlannedCell& cell) const;

 private:
  bool worlds_ = true, policies_ = true;  // can they be told apart when they are short?
};

}  // namespace armature
