#include "report/short_names.h"

#include <fmt/format.h>

#include "armature/error.h"
#include "base/formula.h"

namespace armature {
namespace {

// What is shorter than this is left as it was written: sqrt(A/T) says more than its worth.
constexpr std::size_t kLongValue = 10;

std::string short_value(const std::string& value, const FormulaVariables& sizes) {
  if (value.size() < kLongValue) return value;
  try {
    return fmt::format("{:.3g}", real_value(value, sizes));
  } catch (const Error&) {  // a word, such as a balancer's base
    return value;
  }
}

std::string short_name(PlannedName name, const FormulaVariables& sizes) {
  for (WrittenValues* values : {&name.written, &name.varied, &name.conditions})
    for (auto& [key, value] : *values) value = short_value(value, sizes);
  return name.full();
}

std::string short_world(const PlannedCell& cell) {
  return short_name(cell.instance_name,
                    {static_cast<double>(cell.actions), static_cast<double>(cell.contexts),
                     static_cast<double>(cell.horizon)});
}

// Without sizes: a policy has one name in all worlds, so its formulas stay.
std::string short_policy(const PlannedCell& cell) { return short_name(cell.policy_name, {}); }

// By short name and horizon (a formula may be worth different things at each): the one full name
// behind it. False as soon as there are two.
class Behind {
 public:
  bool only(const std::string& shortened, const std::string& full, Round horizon) {
    return names_.try_emplace({shortened, horizon}, full).first->second == full;
  }

 private:
  std::map<std::pair<std::string, Round>, std::string> names_;
};

}  // namespace

ShortNames::ShortNames(const Results& results) {
  Behind worlds, policies;
  for (const CellSummary& summary : results.cells) {
    const PlannedCell& cell = summary.cell;
    worlds_ = worlds_ && worlds.only(short_world(cell), cell.instance_label, cell.horizon);
    policies_ = policies_ && policies.only(short_policy(cell), cell.policy_label, cell.horizon);
  }
}

std::string ShortNames::world(const PlannedCell& cell) const {
  return worlds_ ? short_world(cell) : cell.instance_label;
}

std::string ShortNames::policy(const PlannedCell& cell) const {
  return policies_ ? short_policy(cell) : cell.policy_label;
}

}  // namespace armature
