// The rule, and the answer around it. Policies stand in the order of how little they rely on the
// contexts; one that relies on them more must save a tenth to be named before the one that does
// not. What is saved is measured world by world in costs of the first, so that no world counts for
// more because regrets are large there.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "advice/costs.h"
#include "armature/advice.h"
#include "armature/error.h"
#include "base/text.h"

namespace armature {
namespace {

constexpr double kSaving = 0.9;         // a policy that trusts more is named below this share
constexpr double kClearlyDearer = 1.5;  // told: another world of the kind may be twice as bad
constexpr double kLeastRegret = 1;      // regrets below are all the same
constexpr double kLongForWarden = 5e4;  // T/|A| from which docs/comparison.md recommends it

constexpr double kFewRounds = 10;  // for each action

const char* const kUcb = "ucb:confidence=anytime";
const char* const kCausal = "c-ucb:confidence=anytime";
const char* const kLearned = "learned-marginals:base=(c-ucb:confidence=anytime)";
const char* const kMoss = "moss";

std::string warden_text(const AdviceQuestion& question) {
  std::vector<std::string> keys;
  if (!question.horizon_known) keys.push_back("schedule=free");
  if (const double epsilon = question.setting.epsilon.value_or(0); epsilon > 0)
    keys.push_back("epsilon=" + print_real(epsilon));
  return keys.empty() ? "warden" : "warden:" + join(keys, ",");
}

std::string name_of(const std::string& policy) { return policy.substr(0, policy.find(':')); }

// --- The rule ------------------------------------------------------------------------------------

// From the one that looks at actions alone to the one that believes the contexts; `blind` is what
// the others are measured by.
struct Candidates {
  std::string blind;
  std::vector<std::string> trusting;
  std::vector<std::string> beside;  // shown, never recommended
};

Candidates candidates_for(const AdviceQuestion& question) {
  Candidates found;
  found.blind = question.horizon_known ? kMoss : kUcb;
  found.beside = {question.horizon_known ? kUcb : kMoss};
  // What loses at every round where Z is wrong is named only to who says that Z is right.
  const bool believes = question.leaning == Leaning::kTrust ||
                        (!question.instance.empty() && question.leaning == Leaning::kBalanced);
  if (!question.marginals_known) {
    found.beside.push_back(kLearned);
    return found;
  }
  found.trusting = {warden_text(question)};
  (believes ? found.trusting : found.beside).push_back(kCausal);
  return found;
}

std::vector<std::string> columns_of(const Candidates& candidates) {
  std::vector<std::string> columns{candidates.blind};
  columns.insert(columns.end(), candidates.trusting.begin(), candidates.trusting.end());
  columns.insert(columns.end(), candidates.beside.begin(), candidates.beside.end());
  return columns;
}

double share(double regret, double unit) {
  return std::max(regret, kLeastRegret) / std::max(unit, kLeastRegret);
}

// What a policy costs in units of the first one, on average over the worlds that decide; nothing if
// it could not be measured where the first one was.
std::optional<double> average_share(const std::vector<AdviceWorld>& worlds, std::size_t policy) {
  double sum = 0, count = 0;
  for (const AdviceWorld& world : worlds) {
    if (!world.decides) continue;
    if (world.costs[policy].horizon != world.costs[0].horizon) return std::nullopt;
    sum += share(world.costs[policy].mean, world.costs[0].mean);
    ++count;
  }
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

std::string worlds_in_words(const AdviceAnswer& answer) {
  std::vector<std::string> kinds;
  for (const AdviceWorld& world : answer.worlds)
    if (world.decides) kinds.push_back(world.kind);
  if (kinds == std::vector<std::string>{"instance"}) return "in the world you gave";
  if (kinds.size() == 1) return "in the " + kinds[0] + " world";
  if (kinds.size() == 2) return "on average over the " + join(kinds, " and the ") + " world";
  return "on average over the three worlds";
}

void recommend_by_costs(AdviceAnswer& answer, const Candidates& candidates) {
  std::size_t best = 0;
  double least = 1;
  for (std::size_t i = 1; i <= candidates.trusting.size(); ++i) {
    const std::optional<double> average = average_share(answer.worlds, i);
    if (!average || *average >= kSaving * least) continue;
    best = i;
    least = *average;
  }
  answer.policy = answer.policies[best];
  if (candidates.trusting.empty())
    answer.because =
        "Without marginals the contexts say little (docs/comparison.md): it ignores them.";
  else if (best > 0)
    answer.because =
        fmt::format("It costs {:.2f} of what {} costs, {}; it must save a tenth to be named.",
                    least, name_of(candidates.blind), worlds_in_words(answer));
  else if (const std::optional<double> warden = average_share(answer.worlds, 1))
    answer.because = fmt::format(
        "It ignores Z, and nothing that looks at Z saves a tenth {}: warden costs {:.2f} times as much.",
        worlds_in_words(answer), *warden);
  else
    answer.because =
        fmt::format("It ignores Z: {} no other policy could be compared with it at one horizon.",
                    worlds_in_words(answer));
}

// Where nothing can be simulated: the table of docs/comparison.md.
void recommend_by_size(AdviceAnswer& answer, const Candidates& candidates) {
  const Setting& setting = answer.question.setting;
  const Leaning leaning = answer.question.leaning;
  const bool long_enough = setting.horizon >= kLongForWarden * setting.actions;
  answer.policy = candidates.blind;
  if (!candidates.trusting.empty() && leaning == Leaning::kTrust)
    answer.policy = kCausal;
  else if (!candidates.trusting.empty() && leaning == Leaning::kBalanced && long_enough)
    answer.policy = candidates.trusting[0];
  answer.because = fmt::format(
      "By the table of docs/comparison.md: T/|A| is {:.3g}, and warden pays from {:.0g} on.",
      setting.horizon / setting.actions, kLongForWarden);
  answer.notes.push_back(
      "Nothing was simulated: worlds of this size take too long. Believe it less.");
}

// --- Around it -----------------------------------------------------------------------------------

std::string in_world(const std::string& kind) {
  if (kind == "benign") return "If Z is right";
  if (kind == "hidden") return "If Z hides an action";
  if (kind == "confounded") return "If Z misleads";
  return "In your world";
}

std::size_t column_of(const AdviceAnswer& answer) {
  return static_cast<std::size_t>(
      std::find(answer.policies.begin(), answer.policies.end(), answer.policy) -
      answer.policies.begin());
}

// Without a horizon moss is there for comparison alone.
bool can_be_played(const AdviceAnswer& answer, std::size_t policy) {
  return answer.question.horizon_known || answer.policies[policy] != kMoss;
}

// The cheapest other policy of each world, where it costs less than two thirds; and where warden is
// known to be weak, which none of the worlds need be.
void add_warnings(AdviceAnswer& answer) {
  const std::size_t own = column_of(answer);
  for (const AdviceWorld& world : answer.worlds) {
    const AdviceCost& cost = world.costs[own];
    std::size_t cheapest = own;
    for (std::size_t i = 0; i < world.costs.size(); ++i)
      if (world.costs[i].horizon == cost.horizon && can_be_played(answer, i) &&
          world.costs[i].mean < world.costs[cheapest].mean)
        cheapest = i;
    const double times = share(cost.mean, world.costs[cheapest].mean);
    if (times <= kClearlyDearer) continue;
    const std::string other = name_of(answer.policies[cheapest]);
    answer.warnings.push_back(
        {world.kind, answer.policies[cheapest], times, cost.mean,
         fmt::format("{}, {} costs {} where {} costs {}.", in_world(world.kind), other,
                     cost_text(world.costs[cheapest].mean), name_of(answer.policy),
                     cost_text(cost.mean))});
  }
  if (name_of(answer.policy) != "warden") return;
  const Setting& setting = answer.question.setting;
  const double missed = 1 / (8 * warden_allowance(setting, {}));
  const double open = missed * setting.horizon;
  const double unit = answer.worlds.empty() ? 1 : answer.worlds.back().costs[0].mean;
  answer.warnings.push_back(
      {"edge", answer.policies[0], 1 + open / std::max(unit, kLeastRegret), open,
       fmt::format("If Z hides a lead of about {:.2g}, the edge of what it watches for, some runs "
                   "miss it: up to {} on average is what the proof leaves open (docs/warden.md).",
                   missed, cost_text(open))});
}

void add_notes(AdviceAnswer& answer) {
  const std::vector<Round> shorter = shorter_horizons(answer);
  if (!shorter.empty()) {
    std::vector<std::string> marks;
    for (std::size_t i = 0; i < shorter.size(); ++i)
      marks.push_back(fmt::format("{} after {}", shorter_mark(i), shorter[i]));
    answer.notes.push_back(fmt::format(
        "Marked {} rounds instead of T: what fits in seconds. A longer run may end otherwise.",
        join(marks, ", ")));
  }
  if (!answer.question.horizon_known && !answer.worlds.empty())
    answer.notes.push_back("moss is told T, for comparison.");
  if (answer.question.setting.horizon < kFewRounds * answer.question.setting.actions)
    answer.notes.push_back(
        "There are few rounds for each action: luck decides more than any policy.");
  if (answer.question.setting.contexts >= answer.question.setting.actions &&
      answer.question.marginals_known)
    answer.notes.push_back(
        "There are no fewer contexts than actions: no theorem promises that Z saves anything here.");
}

void add_watch(AdviceAnswer& answer) {
  const std::string name = name_of(answer.policy);
  if (name == "warden") {
    answer.watch = {
        "its diagnostic `rejected`: once it is 1, Z or the marginals are wrong, and it goes by "
        "actions alone for ever; `rejection_action` says where to look",
        "its tail: it misses a better action rarely, and then for long (docs/warden.md, Tails); "
        "four times its default r makes misses rarer"};
  } else if (name == "c-ucb") {
    answer.watch = {
        "nothing in it notices a wrong Z: compare now and then each action's own mean reward "
        "with what its contexts say, or play warden, which does"};
  } else {
    answer.watch = {
        "it never looks at Z: keep the contexts in your log, and ask again when you know more of "
        "Z and the marginals"};
    if (name == "moss") answer.watch.push_back("it must be told T: beyond it there is no promise");
    if (name == "ucb")
      answer.watch.push_back(
          "ts often has half its mean regret without a horizon (docs/comparison.md), and no "
          "promise for a single run");
  }
}

// As a shell takes it.
std::string shell_word(const std::string& text) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_./:=,+-").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

void add_commands(AdviceAnswer& answer) {
  const AdviceQuestion& question = answer.question;
  std::string world;
  for (const AdviceWorld& typical : answer.worlds)
    if (!typical.text.empty()) {
      world = typical.text;
      if (typical.kind != "benign") break;
    }
  bool leapt = !answer.worlds.empty();
  for (const AdviceWorld& typical : answer.worlds)
    for (const AdviceCost& cost : typical.costs) leapt = leapt && cost.leapt;
  const std::string rival =
      answer.policy == answer.policies[0] ? answer.policies[1] : answer.policies[0];
  if (world.empty()) return;
  std::string command = fmt::format(
      "armature simulate --instance {} --policy {} --policy {} --horizon {:.0f} --replications 20",
      shell_word(world), shell_word(answer.policy), shell_word(rival), question.setting.horizon);
  if (leapt) command += " --engine leap";
  if (!question.feedback.prompt()) command += " --delay " + question.feedback.delay_text();
  answer.commands.push_back(command);
}

}  // namespace

std::string leaning_name(Leaning leaning) {
  if (leaning == Leaning::kTrust) return "trust";
  return leaning == Leaning::kDistrust ? "distrust" : "balanced";
}

Leaning leaning_named(const std::string& name) {
  for (const Leaning leaning : {Leaning::kBalanced, Leaning::kTrust, Leaning::kDistrust})
    if (leaning_name(leaning) == name) return leaning;
  throw Error({"", "leaning", "'" + name + "'", "one of balanced, trust, distrust"});
}

std::vector<Round> shorter_horizons(const AdviceAnswer& answer) {
  std::set<Round> reached;
  for (const AdviceWorld& world : answer.worlds)
    for (const AdviceCost& cost : world.costs)
      if (static_cast<double>(cost.horizon) < answer.question.setting.horizon)
        reached.insert(cost.horizon);
  return {reached.begin(), reached.end()};
}

std::string cost_text(double regret) {
  if (regret >= 1e6) return fmt::format("{:.3g}", regret);
  return regret < 10 ? fmt::format("{:.1f}", regret) : fmt::format("{:.0f}", regret);
}

std::string shorter_mark(std::size_t place) { return std::string(place + 1, '\''); }

AdviceAnswer advise(const AdviceQuestion& question, const RunHooks& hooks) {
  AdviceAnswer answer;
  answer.question = filled_in(question);
  const Candidates candidates = candidates_for(answer.question);
  answer.policies = columns_of(candidates);
  answer.theory = explain(answer.question.setting);
  if (within_reach(answer.question.setting)) {
    MeasuredCosts measured =
        measure_costs(answer.question, typical_worlds(answer.question), answer.policies, 2, hooks);
    answer.replications = measured.replications;
    answer.complete = measured.complete;
    if (!answer.complete) return answer;
    answer.worlds = std::move(measured.worlds);
    recommend_by_costs(answer, candidates);
  } else {
    recommend_by_size(answer, candidates);
  }
  add_warnings(answer);
  add_notes(answer);
  add_watch(answer);
  add_commands(answer);
  return answer;
}

}  // namespace armature
