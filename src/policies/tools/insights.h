// How policies tell what their next choice goes by (Insights, armature/policy.h). A width is how
// far an index is above its mean, whatever the formula that made it: so there is no second one
// here.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "armature/policy.h"

namespace armature {

/// value_of(0), value_of(1), …
template <class Values>
std::vector<double> listed(std::size_t count, const Values& value_of) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = static_cast<double>(value_of(static_cast<std::uint32_t>(i)));
  return values;
}

template <class Values>
void tell(Insights& told, std::string name, Insight::Of of, std::size_t count,
          const Values& value_of) {
  told.push_back({std::move(name), of, listed(count, value_of)});
}

/// Of which is it true? `holds(i)` is a bool.
template <class Holds>
void tell_which(Insights& told, std::string name, Insight::Of of, std::size_t count,
                const Holds& holds) {
  told.push_back({std::move(name), of, listed(count, holds), true});
}

inline void tell_number(Insights& told, std::string name, double value) {
  told.push_back({std::move(name), Insight::Of::kPolicy, {value}});
}

/// One answer of the policy itself. A later one takes the place of an earlier one of that name.
inline void tell_whether(Insights& told, const std::string& name, bool value) {
  std::erase_if(told, [&](const Insight& insight) { return insight.name == name; });
  told.push_back({name, Insight::Of::kPolicy, {value ? 1.0 : 0.0}, true});
}

/// An index with the mean and the width that it is made of: names begin with `context_` where they
/// are of contexts.
template <class Indices, class Means>
void tell_indices(Insights& told, Insight::Of of, std::size_t count, const Indices& index_of,
                  const Means& mean_of) {
  const std::string prefix = of == Insight::Of::kContexts ? "context_" : "";
  tell(told, prefix + "index", of, count, index_of);
  tell(told, prefix + "mean", of, count, mean_of);
  tell(told, prefix + "width", of, count,
       [&](std::uint32_t i) { return index_of(i) - mean_of(i); });
}

}  // namespace armature
