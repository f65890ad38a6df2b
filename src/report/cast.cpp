#include "report/cast.h"

#include <algorithm>

#include "armature/parameters.h"
#include "base/text.h"

namespace armature {
namespace {

constexpr std::size_t kLongSweep = 4;  // from here on only some members are drawn over time
constexpr double kWeakest = 0.4;       // strength of a sweep's first member

std::vector<std::string> keys_of(const StudyCell& cell) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : cell.policy_parameters) keys.push_back(key);
  return keys;
}

bool contains(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

struct Sweep {
  std::string name;
  std::vector<std::string> members;
  std::vector<std::string> parts;  // with one of several grid values left out
};

std::vector<Sweep> sweeps_of(const StudyPlan& plan) {
  std::vector<Sweep> sweeps;
  for (const StudyCell& cell : plan.cells) {
    const std::string name = sweep_of(cell);
    auto sweep = std::find_if(sweeps.begin(), sweeps.end(),
                              [&](const Sweep& known) { return known.name == name; });
    if (sweep == sweeps.end()) sweep = sweeps.insert(sweeps.end(), {name, {}, {}});
    if (!contains(sweep->members, cell.policy_label)) sweep->members.push_back(cell.policy_label);
    for (const std::string& key : keys_of(cell)) {
      const std::string part = label_without(cell.policy_label, cell.policy_parameters, {key});
      if (part != name && !contains(sweep->parts, part)) sweep->parts.push_back(part);
    }
  }
  return sweeps;
}

}  // namespace

std::string label_without(const std::string& label,
                          const std::vector<std::pair<std::string, std::string>>& parameters,
                          const std::vector<std::string>& keys) {
  std::vector<std::string> all, kept;
  for (const auto& [key, value] : parameters) {
    all.push_back(key + "=" + value);
    if (!contains(keys, key)) kept.push_back(all.back());
  }
  if (all.size() == kept.size()) return label;
  const std::string written = " (" + join(all, ", ") + ")";
  if (label.ends_with(written)) {
    const std::string given = label.substr(0, label.size() - written.size());
    return kept.empty() ? given : given + " (" + join(kept, ", ") + ")";
  }
  TextForm form = TextForm::parse(label);
  std::erase_if(form.values, [&](const auto& value) { return contains(keys, value.first); });
  return form.print();
}

std::string sweep_of(const StudyCell& cell) {
  return label_without(cell.policy_label, cell.policy_parameters, keys_of(cell));
}

figures::Looks looks_of(const StudyPlan& plan) {
  std::vector<Sweep> sweeps = sweeps_of(plan);
  std::stable_partition(sweeps.begin(), sweeps.end(), [&](const Sweep& sweep) {
    return std::none_of(plan.cells.begin(), plan.cells.end(), [&](const StudyCell& cell) {
      return cell.policy == kOracle && cell.policy_label == sweep.members.front();
    });
  });
  figures::Looks looks;
  for (std::size_t place = 0; place < sweeps.size(); ++place) {
    const std::vector<std::string>& members = sweeps[place].members;
    for (std::size_t i = 0; i < members.size(); ++i) {
      const double along = members.size() == 1
                               ? 1
                               : static_cast<double>(i) / static_cast<double>(members.size() - 1);
      looks.push_back({members[i], place, kWeakest + (1 - kWeakest) * along});
    }
    for (const std::string& part : sweeps[place].parts) looks.push_back({part, place, 1});
    if (!contains(members, sweeps[place].name)) looks.push_back({sweeps[place].name, place, 1});
  }
  return looks;
}

std::vector<std::string> policies_to_draw(const StudyPlan& plan) {
  std::vector<std::string> names;
  for (const Sweep& sweep : sweeps_of(plan)) {
    const std::size_t count = sweep.members.size();
    for (std::size_t i = 0; i < count; ++i)
      if (count < kLongSweep || i == 0 || i == count / 2 || i == count - 1)
        names.push_back(sweep.members[i]);
  }
  return names;
}

}  // namespace armature
