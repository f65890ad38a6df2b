#include "lab/planned_cell.h"

// A cell before it runs. What figures, verdicts and tables ask of it is answered here from its
// structure, so that nobody ever parses a label; engine_cell then hands it to the engines.
#include <fmt/format.h>

#include <algorithm>

#include "armature/error.h"
#include "armature/state.h"
#include "base/formula.h"
#include "base/text.h"
#include "linear/rank.h"

namespace armature {
namespace {

WrittenValues without_keys(const WrittenValues& values, const std::vector<std::string>& keys) {
  WrittenValues kept;
  for (const auto& value : values)
    if (std::find(keys.begin(), keys.end(), value.first) == keys.end()) kept.push_back(value);
  return kept;
}

// An instance file that changed under its name must not be taken for the old one: every probability
// and every reward law counts, notes do not.
std::uint64_t fingerprint_of(const Instance& instance, const Problem& problem) {
  Fingerprint fingerprint;
  // Each list is led by its length: else a number could move from one list into the next unnoticed.
  const auto add_numbers = [&](const auto& numbers) {
    const std::uint64_t count = numbers.size();
    fingerprint.add(&count, sizeof count);
    fingerprint.add(numbers.data(), numbers.size() * sizeof numbers[0]);
  };
  add_numbers(std::vector<std::uint64_t>{problem.fingerprint()});
  for (Arm a = 0; a < instance.actions(); ++a) add_numbers(instance.marginals().row(a));
  for (const RewardLaw& law : instance.parts().laws) {
    add_numbers(std::vector<double>{static_cast<double>(law.kind()), law.first(), law.second()});
    add_numbers(law.values());
    add_numbers(law.probabilities());
  }
  add_numbers(instance.parts().law_of);
  return fingerprint.value();
}

// What is written in a grid may be a formula, worth something only with the sizes of its cell, or
// no number at all: a word such as pe+ucb is a fair grid value, but not a place on an axis.
std::optional<double> number_of(const std::string& value, const PlannedCell& cell) {
  try {
    return real_value(value, {static_cast<double>(cell.actions), static_cast<double>(cell.contexts),
                              static_cast<double>(cell.horizon)});
  } catch (const Error&) {
    return std::nullopt;
  }
}

// A value that is no number is passed over: of delay = "fixed:10" the cell itself knows the rounds.
// A key that varies on both sides names two numbers, and so none.
bool ambiguous(const PlannedCell& cell, const std::string& key) {
  const auto has = [&](const WrittenValues& values) {
    return std::any_of(values.begin(), values.end(),
                       [&](const auto& value) { return value.first == key; });
  };
  return (has(cell.instance_name.varied) || has(cell.instance_name.conditions)) &&
         has(cell.policy_name.varied);
}

std::optional<double> varied_number(const PlannedCell& cell, const std::string& key) {
  for (const WrittenValues* values :
       {&cell.instance_name.varied, &cell.instance_name.conditions, &cell.policy_name.varied})
    for (const auto& [name, value] : *values)
      if (name == key)
        if (const auto number = number_of(value, cell)) return number;
  return std::nullopt;
}

}  // namespace

std::string PlannedName::without(const std::vector<std::string>& keys) const {
  // A label does not show what was written; of a text form only the conditions are missing.
  const std::string base =
      label.empty() ? TextForm{name, without_keys(written, keys)}.print() : label;
  WrittenValues added = label.empty() ? WrittenValues{} : without_keys(varied, keys);
  for (const auto& [key, value] : conditions) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
      added.emplace_back(key, value);
    else if (value.starts_with("geometric"))  // not to be taken for a fixed one of the same length
      added.emplace_back(key, "geometric");
  }
  std::vector<std::string> words;
  for (const auto& [key, value] : added) words.push_back(key + "=" + value);
  return words.empty() ? base : base + " (" + join(words, ", ") + ")";
}

std::string PlannedName::sweep() const {
  std::vector<std::string> keys;
  for (const WrittenValues* values : {&varied, &conditions})
    for (const auto& [key, value] : *values) keys.push_back(key);
  return without(keys);
}

std::optional<double> PlannedCell::x(const std::string& key) const {
  // Sizes are the cell's own: a formula written for them may be worth a fraction, where the
  // instance was built with a whole number.
  if (key == "horizon") return static_cast<double>(horizon);
  if (key == "actions") return actions;
  if (key == "contexts") return contexts;
  // What the file varies under a name is what it means by it: sentry's epsilon, say, and not the
  // instance's.
  if (ambiguous(*this, key)) return std::nullopt;
  if (const auto value = varied_number(*this, key)) return value;
  if (key == "rank") return rank;
  if (key == "gap") return gap;
  if (key == "epsilon") return epsilon;
  if (key == "delay") return feedback.rounds;
  if (key == "batch") return static_cast<double>(feedback.batch);
  if (key == "loss") return feedback.loss;
  if (key == "leap_tolerance") return leap_tolerance;
  return std::nullopt;
}

bool PlannedCell::theorems_apply() const { return feedback.prompt(); }

Setting PlannedCell::setting() const {
  Setting setting;
  setting.actions = actions;
  setting.contexts = contexts;
  setting.horizon = static_cast<double>(horizon);
  // Theorems take a rank of at least 1 and a gap in (0, 1]. A cell without given marginals has rank
  // 0, and one whose actions are all alike has no gap.
  setting.rank = std::max(1u, rank);
  if (gap && *gap > 0 && *gap <= 1) setting.gap = gap;
  setting.epsilon = epsilon;
  setting.benign = benign;
  return setting;
}

bool PlannedCell::same_world(const PlannedCell& other) const {
  // Everything but the policy: only such cells may be paired or divided by one another. The seed is
  // the same throughout a run.
  return instance == other.instance && horizon == other.horizon &&
         feedback.describe() == other.feedback.describe() && leap_tolerance == other.leap_tolerance;
}

PlannedCell planned_world(const InstanceSource& source, Round horizon) {
  // A random family's facts are those of replication 0. Enough for rank, role and fingerprint, but
  // a gap drawn anew each time would be a wrong x for all the others.
  const std::shared_ptr<const Instance> instance = source.instance(0);
  const Problem problem = instance->problem(horizon);
  PlannedCell cell;
  cell.instance = source.text();
  cell.horizon = horizon;
  cell.actions = instance->actions();
  cell.contexts = instance->contexts();
  if (problem.marginals) {
    cell.rank = static_cast<std::uint32_t>(numerical_rank(*problem.marginals).rank);
    cell.epsilon = instance->distance_to(*problem.marginals);
  }
  if (!source.fresh_per_replication()) cell.gap = instance->smallest_gap();
  cell.benign = instance->benign_verdict().benign();
  // A study may overrule the role, which only sorts cells in the plane, but not `benign`, which
  // theorems depend on.
  cell.role = cell.benign ? "benign" : "worst-case";
  cell.fingerprint = fingerprint_of(*instance, problem);
  return cell;
}

void name_instance(PlannedCell& cell, PlannedName name) {
  cell.instance_label = name.full();
  cell.instance_name = std::move(name);
}

void name_policy(PlannedCell& cell, PlannedName name) {
  cell.policy_label = name.full();
  cell.policy_name = std::move(name);
}

void check_conditions(const Feedback& feedback, double leap_tolerance) {
  if (feedback.batch < 1 || feedback.batch > 1'000'000'000)
    throw Error({"", "batch", fmt::format("{}", feedback.batch), "1 to 10^9 rounds"});
  // What must hold, negated, and not its opposite: so NaN is refused too.
  if (!(feedback.rounds >= 0 && feedback.rounds <= 1e9))
    throw Error({"", "delay", fmt::format("{}", feedback.rounds), "0 to 10^9 rounds"});
  if (!(feedback.loss >= 0 && feedback.loss < 1))
    throw Error({"", "loss", fmt::format("{}", feedback.loss), "a probability in [0,1)"});
  if (!(leap_tolerance > 0 && leap_tolerance < 1))
    throw Error(
        {"", "leap_tolerance", fmt::format("{}", leap_tolerance), "a probability in (0,1)"});
}

Cell engine_cell(const PlannedCell& planned, const WorldSource& worlds, RunSettings settings,
                 PolicyMaker own_policy, EnvironmentMaker own_environment) {
  Cell cell;
  cell.world = worlds;
  cell.policy = planned.policy;
  cell.horizon = planned.horizon;
  cell.seed = settings.seed;
  cell.checkpoints = std::move(settings.checkpoints);
  cell.feedback = planned.feedback;
  cell.engine = settings.engine;
  cell.leap_tolerance = planned.leap_tolerance;
  cell.max_events = settings.max_events;
  cell.follow_shares = settings.follow_shares;
  cell.make_policy = std::move(own_policy);
  cell.make_environment = std::move(own_environment);
  // Policy and engine are tried out for their complaints alone, so that what cannot run is refused
  // before the first block and not by some thread hours later. The oracle is no policy of the
  // registry: its arm depends on each world's truth, which the engine knows. A policy of the
  // caller's own is made when it is its turn, and only then.
  const std::shared_ptr<const World> first = worlds(0);
  if (cell.policy != kOracle && !cell.make_policy) make_policy(cell.policy, first->problem);
  engine_for(cell, *first);
  return cell;
}

}  // namespace armature
