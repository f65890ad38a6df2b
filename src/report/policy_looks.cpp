#include "report/policy_looks.h"

// A look belongs to the policy's name in the registry: sentry is green with triangles in every
// figure of every report, whoever stands beside it. So a table and not a place in some order; a
// new policy takes a free row of its hue's, and nobody else changes.
//
// Hues are dearest to the policies that are seen most. Where two share one, both dash and shape
// differ (tests/report/policy_looks_test.cpp), and no published study shows two of one hue. The
// second one has the hue's far end, but for kl-ucb and learned-marginals, which were seen without:
// there the far end is another's colour.
#include <algorithm>
#include <map>

#include "armature/state.h"

namespace armature {
namespace {

using figures::Dash;
using figures::Hue;
using figures::Shape;

struct Row {
  const char* policy;
  Hue hue;
  Dash dash;
  Shape shape;
  double shade = 0;
};
constexpr Row kRows[] = {
    {"ucb", Hue::kBlue, Dash::kSolid, Shape::kCircle},
    {"c-ucb", Hue::kOrange, Dash::kDotted, Shape::kSquare},
    {"sentry", Hue::kGreen, Dash::kLong, Shape::kTriangleUp},
    {"warden", Hue::kRed, Dash::kDashDot, Shape::kDiamond},
    {"db", Hue::kViolet, Dash::kLongShort, Shape::kCross},
    {"moss", Hue::kPeriwinkle, Dash::kShort, Shape::kTriangleDown},
    {"hac-ucb", Hue::kPink, Dash::kDashDotDot, Shape::kStar},
    {"pe", Hue::kWine, Dash::kLong, Shape::kStar},
    {"ts", Hue::kPlum, Dash::kShort, Shape::kTriangleRight},
    {"c-ts", Hue::kOlive, Dash::kLongShort, Shape::kSaltire},
    {"kl-ucb", Hue::kWine, Dash::kDotted, Shape::kTriangleLeft},
    {"d3rb", Hue::kLilac, Dash::kDashDot, Shape::kCircle},
    {"learned-marginals", Hue::kViolet, Dash::kShort, Shape::kTriangleRight},
    {"c-ucb-2", Hue::kOrange, Dash::kLong, Shape::kTriangleDown, 1},
    {"cl-ucb", Hue::kOlive, Dash::kShort, Shape::kTriangleUp, 1},
    {"cl-ts", Hue::kPink, Dash::kDashDot, Shape::kSquare, 1},
    {"corral", Hue::kPlum, Dash::kSolid, Shape::kTriangleLeft, 1},
    {"ed2rb", Hue::kLilac, Dash::kLongShort, Shape::kTriangleLeft, 1},
    {"floor", Hue::kGreen, Dash::kDashDotDot, Shape::kSaltire, 1},
    {"uniform", Hue::kGrey, Dash::kSolid, Shape::kCircle},
    {"round-robin", Hue::kGrey, Dash::kDotted, Shape::kSquare, 1},
    {"fixed", Hue::kGrey, Dash::kLong, Shape::kTriangleUp, 0.5},
    {kOracle, Hue::kGrey, Dash::kDashDot, Shape::kDiamond},
    {"epsilon-greedy", Hue::kPeriwinkle, Dash::kDotted, Shape::kSquare, 1},
    {"exp3", Hue::kRed, Dash::kShort, Shape::kTriangleLeft, 1},
    {"bayes-ucb", Hue::kBlue, Dash::kDashDot, Shape::kSaltire, 1},
    {"etc", Hue::kLilac, Dash::kLong, Shape::kDiamond, 0.5},
};

constexpr std::size_t kLongSweep = 4;  // from here on only some members are drawn over time

// Policies of the host's own have a grey look by their name: it cannot be foreseen who they are,
// and the look must not depend on who else is there. One pair in 70 falls together.
figures::Look plain_look(const std::string& policy) {
  for (const Row& row : kRows)
    if (policy == row.policy) return {policy, row.hue, row.dash, row.shape, row.shade};
  Fingerprint fingerprint;
  fingerprint.add(policy.data(), policy.size());
  const std::uint64_t value = fingerprint.value();
  return {policy, Hue::kGrey, static_cast<Dash>(value % figures::kDashes),
          static_cast<Shape>(value / figures::kDashes % figures::kShapes)};
}

// "c-ucb" of "c-ucb:delta=0.1" and of "c-ucb#2", the second learner of that name.
std::string registry_name(const std::string& text) {
  return text.substr(0, text.find_first_of(":#"));
}

// A name that a figure may ask for, and the policy it is one of.
struct Named {
  std::string name;
  std::string policy;
};
using LookByName = std::map<std::string, figures::Look>;

// These may be drawn side by side: those of one policy are its variants, in this order but for the
// one that is called like the policy, which is plain. Who has a look already keeps it.
void add_looks(LookByName& looks, std::vector<Named> side_by_side) {
  std::stable_partition(side_by_side.begin(), side_by_side.end(),
                        [](const Named& one) { return one.name == one.policy; });
  std::map<std::string, std::size_t> count, next;
  for (const Named& one : side_by_side) ++count[one.policy];
  for (const Named& one : side_by_side) {
    figures::Look look = variant(plain_look(one.policy), next[one.policy]++, count[one.policy]);
    look.name = one.name;
    looks.try_emplace(one.name, std::move(look));
  }
}

bool contains(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// A policy of the study file with its grid; without one, a sweep of one member that has its name.
struct Sweep {
  std::string name;
  std::string policy;                // of the registry
  std::size_t entry = 0;             // its place in the file
  std::vector<std::string> members;  // labels, in the order of the plan
  // In a figure against one key of a grid of several, a line is called by the other keys. Such
  // names belong to no cell, and a name without a look aborts.
  std::map<std::string, std::vector<std::string>> parts;  // by the key that is left out
};

void add_once(std::vector<std::string>& list, const std::string& word) {
  if (!contains(list, word)) list.push_back(word);
}

std::size_t entry_of(const Study& study, const PlannedName& policy) {
  const auto found =
      std::find_if(study.policies.begin(), study.policies.end(), [&](const GridEntry& entry) {
        return policy.label.empty() ? entry.name == policy.name : entry.label == policy.label;
      });
  return static_cast<std::size_t>(found - study.policies.begin());
}

// In the order of the file, the oracle last. What a search left of a plan is in no such order.
std::vector<Sweep> sweeps_of(const StudyPlan& plan) {
  std::vector<Sweep> sweeps;
  for (const PlannedCell& cell : plan.cells) {
    const std::string name = cell.sweep();
    auto sweep = std::find_if(sweeps.begin(), sweeps.end(),
                              [&](const Sweep& known) { return known.name == name; });
    if (sweep == sweeps.end())
      sweep = sweeps.insert(
          sweeps.end(),
          {name, registry_name(cell.policy), entry_of(plan.study, cell.policy_name), {}, {}});
    add_once(sweep->members, cell.policy_label);
    for (const auto& [key, value] : cell.policy_name.varied)
      if (const std::string part = cell.policy_name.without({key}); part != name)
        add_once(sweep->parts[key], part);
  }
  const auto place = [](const Sweep& sweep) {
    return std::pair(sweep.policy == kOracle, sweep.entry);
  };
  std::stable_sort(sweeps.begin(), sweeps.end(),
                   [&](const Sweep& one, const Sweep& other) { return place(one) < place(other); });
  return sweeps;
}

}  // namespace

figures::Looks looks_of(const StudyPlan& plan) {
  const std::vector<Sweep> sweeps = sweeps_of(plan);
  std::vector<Named> whole, members;
  std::map<std::string, std::vector<Named>> parts;
  for (const Sweep& sweep : sweeps) {
    whole.push_back({sweep.name, sweep.policy});
    for (const std::string& member : sweep.members) members.push_back({member, sweep.policy});
    for (const auto& [key, names] : sweep.parts)
      for (const std::string& name : names) parts[key].push_back({name, sweep.policy});
  }
  LookByName by_name;
  add_looks(by_name, whole);
  add_looks(by_name, members);
  for (const auto& [key, names] : parts) add_looks(by_name, names);

  // Legends follow the order of looks.
  std::vector<std::string> order;
  for (const Sweep& sweep : sweeps) {
    for (const std::string& member : sweep.members) add_once(order, member);
    for (const auto& [key, names] : sweep.parts)
      for (const std::string& name : names) add_once(order, name);
    add_once(order, sweep.name);
  }
  figures::Looks looks;
  for (const std::string& name : order) looks.push_back(by_name.at(name));
  return looks;
}

figures::Looks looks_of_policies(const std::vector<std::string>& policies) {
  std::vector<Named> named;
  for (const std::string& text : policies) named.push_back({text, registry_name(text)});
  LookByName by_name;
  add_looks(by_name, named);
  figures::Looks looks;
  for (const std::string& text : policies) looks.push_back(by_name.at(text));
  return looks;
}

DrawnPolicies policies_to_draw(const StudyPlan& plan) {
  DrawnPolicies drawn;
  for (const Sweep& sweep : sweeps_of(plan)) {
    const std::size_t count = sweep.members.size();
    for (std::size_t i = 0; i < count; ++i)
      if (count < kLongSweep || i == 0 || i == count / 2 || i == count - 1)
        drawn.names.push_back(sweep.members[i]);
    if (count >= kLongSweep) drawn.thinned.push_back(sweep.name);
  }
  return drawn;
}

}  // namespace armature
