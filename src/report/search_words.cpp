#include "report/search_words.h"

#include <fmt/format.h>

#include <set>

#include "study/plan.h"

namespace armature {

// A verdict on worst cases is worth no more than the worlds that were tried: the chosen ones, which
// are all that tables and figures show, were the worst of many.
std::string search_words(const Study& study) {
  if (!study.search) return "";
  std::set<std::string> instances;
  for (const auto& [instance, policy] : planned_names(study)) instances.insert(instance.full());
  return fmt::format(
      "Worlds were chosen by a search: of {} instances, for each policy, role, horizon, size and "
      "condition the one with the largest mean regret in {} replication{} of its own; what is "
      "shown was measured there with fresh ones. Two policies may stand in different worlds.",
      instances.size(), study.search->replications, study.search->replications == 1 ? "" : "s");
}

}  // namespace armature
