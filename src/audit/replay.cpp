#include "armature/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "audit/replay_evaluation.h"
#include "audit/replay_intervals.h"
#include "base/text.h"

namespace armature {
namespace {

constexpr double kCertain = 1e-9;   // of 1: nothing else could be chosen
constexpr double kRounding = 1e-6;  // of logged propensities, relative

const std::vector<std::string> kMethods = {"rejection", "ips", "snips", "dr"};

void check(const ReplayQuestion& question) {
  if (question.candidates.empty())
    throw Error({"", "candidates", "none", "at least one policy or action"});
  if (!(question.level > 0 && question.level < 1))
    throw Error({"", "level", print_real(question.level), "a number in (0,1)"});
  if (question.least_propensity &&
      !(*question.least_propensity > 0 && *question.least_propensity <= 1))
    throw Error({"", "least propensity", print_real(*question.least_propensity),
                 "a number above 0 and at most 1"});
}

void check(const LogSurvey& log, const ReplayQuestion& question) {
  if (log.rows < 2)
    throw Error({question.source, "rows", fmt::format("{}", log.rows), "at least 2"});
  if (log.actions.size() < 2)
    throw Error({question.source, "actions", "'" + log.actions[0] + "' alone",
                 "at least 2: of what was never played nothing is known"});
  if (!log.propensities && !question.uniform)
    throw Error({question.source, "propensity", "none",
                 "a column of them (--propensity), or --uniform if every action was drawn with the "
                 "same probability"});
  const double equal = 1 / static_cast<double>(log.actions.size());
  if (log.propensities && question.uniform &&
      (log.smallest < equal - 1e-6 || log.largest > equal + 1e-6))
    throw Error({question.source, "propensity",
                 fmt::format("from {:.4g} to {:.4g}, as logged", log.smallest, log.largest),
                 fmt::format("1/{} in every row, or no --uniform", log.actions.size())});
  if (question.least_propensity && !question.uniform && log.smallest < *question.least_propensity)
    throw Error({question.source, fmt::format("line {}, propensity", log.smallest_line),
                 print_real(log.smallest),
                 fmt::format("at least {}, as was promised", *question.least_propensity)});
  if (log.propensities && !question.uniform && 1 - log.largest < kCertain)
    throw Error(
        {question.source, fmt::format("line {}, propensity", log.largest_line),
         print_real(log.largest),
         "less than 1 in every row: where nothing else could be chosen, the log cannot tell "
         "what another choice earns (policies above a floor leave logs that can)"});
  if (question.least_propensity && !question.uniform &&
      log.left_by_largest() < *question.least_propensity * (1 - kRounding))
    throw Error({question.source, fmt::format("line {}, propensity", log.largest_line),
                 fmt::format("{}, which leaves {:.3g} or less to some other action",
                             print_real(log.largest), log.left_by_largest()),
                 fmt::format("at least {} for each, as was promised", *question.least_propensity)});
  if (question.given && (question.given->action_names != log.actions ||
                         question.given->context_names != log.contexts))
    throw Error({question.source, "names", "actions or contexts", "those of the given problem"});
}

// ν̃ by counting; null where an action was never played.
std::shared_ptr<const Matrix> counted_marginals(const LogSurvey& log) {
  auto marginals = std::make_shared<Matrix>(log.actions.size(), log.contexts.size());
  for (std::size_t a = 0; a < log.actions.size(); ++a) {
    if (!log.seen(a)) return nullptr;
    for (std::size_t z = 0; z < log.contexts.size(); ++z)
      (*marginals)(a, z) = log.cells[a][z] / log.plays[a];
  }
  return marginals;
}

Problem problem_of(const LogSurvey& log, const ReplayQuestion& question) {
  Problem problem;
  if (question.given) problem = *question.given;
  problem.action_names = log.actions;
  problem.context_names = log.contexts;
  if (!problem.marginals) problem.marginals = counted_marginals(log);
  return problem;
}

ReplaySetting setting_of(const LogSurvey& log, const ReplayQuestion& question, bool adaptive) {
  ReplaySetting setting{
      question, log, adaptive, log.least_propensity, log.smallest, problem_of(log, question)};
  const double equal = 1 / static_cast<double>(log.actions.size());
  // Some action was less likely than any that was played.
  if (const double left = log.left_by_largest(); left < log.smallest * (1 - kRounding)) {
    setting.smallest = left;
    for (double& least : setting.least_propensity) least = std::min(least, left);
  }
  if (question.uniform) setting.smallest = equal;
  if (question.least_propensity && !question.uniform) setting.smallest = *question.least_propensity;
  if (question.uniform || question.least_propensity)
    std::fill(setting.least_propensity.begin(), setting.least_propensity.end(), setting.smallest);
  return setting;
}

std::vector<std::string> notes_of(const ReplaySetting& setting) {
  const ReplayQuestion& question = setting.question;
  std::vector<std::string> notes;
  if (question.uniform)
    notes.push_back(
        fmt::format("Propensities are taken to be 1/{} for every action, as --uniform "
                    "claims.",
                    setting.log.actions.size()));
  else if (!question.least_propensity)
    notes.push_back(fmt::format(
        "No action is taken to have had a propensity below {:.4g}, the "
        "smallest {}; --least-propensity promises another bound.",
        setting.smallest,
        setting.smallest < setting.log.smallest ? "that the largest logged one leaves" : "logged"));
  const bool any_learns = !std::all_of(question.candidates.begin(), question.candidates.end(),
                                       [](const auto& one) { return plays_one_law(one); });
  if (any_learns)
    notes.push_back(
        fmt::format("Policies that learn are told a horizon of {} rounds.",
                    grouped(static_cast<double>(told_horizon(
                        setting, question.method.value_or(ReplayMethod::kRejection))))));
  if (any_learns && setting.problem.marginals && !(question.given && question.given->marginals))
    notes.push_back(
        "Policies are told marginals that were counted in this very log, later rows included: "
        "those that use them look a little better than they are. --given tells them others.");
  if (setting.adaptive)
    notes.push_back(
        "The log's decisions depended on earlier outcomes: the propensities account for "
        "it.");
  return notes;
}

std::vector<std::string> warnings_of(const ReplaySetting& setting) {
  const LogSurvey& log = setting.log;
  const ReplayQuestion& question = setting.question;
  std::vector<std::string> warnings;
  if (log.tiny > 0 && !question.uniform)
    warnings.push_back(fmt::format(
        "{} rows have propensities below {}, the smallest is {:.3g} (line {}): few such rows decide "
        "everything",
        grouped(static_cast<double>(log.tiny)), LogSurvey::kTinyPropensity, log.smallest,
        log.smallest_line));
  if (question.uniform) {
    const double share = 1 / static_cast<double>(log.actions.size());
    const double error = std::sqrt(share * (1 - share) / log.weight);
    for (std::size_t a = 0; a < log.actions.size(); ++a)
      if (std::abs(log.plays[a] / log.weight - share) > 6 * error) {
        warnings.push_back(fmt::format(
            "'{}' has {:.3g}% of the rows where uniform play gives {:.3g}%: this log was not drawn "
            "uniformly, and what is said here is wrong",
            log.actions[a], 100 * log.plays[a] / log.weight, 100 * share));
        break;
      }
  }
  if (!setting.adaptive && looks_sorted(log))
    warnings.push_back(
        "rows of one action stand together far more often than chance has it: if the file is "
        "sorted, put its rows into the order of decisions");
  if (setting.adaptive && question.resamples > 0)
    warnings.push_back(
        "the bootstrap takes rows for independent, and this log's decisions depended on earlier "
        "outcomes: empirical Bernstein intervals hold here");
  return warnings;
}

}  // namespace

std::string replay_method_name(ReplayMethod method) {
  return kMethods[static_cast<std::size_t>(method)];
}

ReplayMethod replay_method_named(const std::string& name) {
  const auto found = std::find(kMethods.begin(), kMethods.end(), name);
  if (found == kMethods.end())
    throw Error({"", "method", "'" + name + "'",
                 "one of " + join(kMethods, ", ") + did_you_mean(name, kMethods)});
  return static_cast<ReplayMethod>(found - kMethods.begin());
}

ReplayAnswer replay(LogSource& log, const ReplayQuestion& question) {
  check(question);
  log.rewind();  // what can be read but once says so before it is read
  const LogSurvey seen = survey(log, question.source);
  check(seen, question);
  const ReplaySetting setting = setting_of(seen, question, log.adaptive());
  std::vector<std::unique_ptr<ReplayEvaluation>> evaluations;
  for (const ReplayCandidate& candidate : question.candidates)
    evaluations.push_back(evaluation_of(candidate, setting));

  MartingaleMean rewards = MartingaleMean::of_rewards();
  log.rewind();
  std::uint64_t number = 0;
  for (LogRow row; log.next(row);) {
    if (question.uniform) row.propensity = setting.smallest;
    rewards.add(row.reward, rewards.guess(), row.weight);
    ++number;
    for (const auto& evaluation : evaluations) evaluation->take(row, number);
  }

  ReplayAnswer answer;
  answer.actions = seen.actions;
  answer.contexts = seen.contexts;
  answer.rows = seen.rows;
  answer.weight = seen.weight;
  answer.adaptive = setting.adaptive;
  answer.least_propensity = setting.smallest;
  const LogEarnings earned{rewards.mean(), within(rewards.interval(question.level), 0, 1),
                           within(rewards.interval(1 - (1 - question.level) / 2), 0, 1)};
  answer.log_value = earned.value;
  answer.log_interval = earned.interval;
  for (const auto& evaluation : evaluations) answer.values.push_back(evaluation->finish(earned));
  answer.notes = notes_of(setting);
  answer.warnings = warnings_of(setting);
  return answer;
}

}  // namespace armature
