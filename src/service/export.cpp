#include "service/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "service/transfer.h"

namespace armature::service {
namespace {

using Json = nlohmann::ordered_json;

constexpr Sequence kPiece = 1'000;  // events looked at at a time

StoredExperiment stored_experiment(LogReader& log, const std::string& name) {
  for (StoredExperiment& one : log.experiments())
    if (one.facts.name == name) {
      if (!one.damage.empty()) throw Unreadable({"", "experiment", "'" + name + "'", one.damage});
      return std::move(one);
    }
  throw Refusal(RefusalKind::kNoExperiment,
                {"", "experiment", "'" + name + "'", "one that was created"});
}

std::string number_or_nothing(const std::optional<double>& value) {
  return value ? print_real(*value) : "";
}

}  // namespace

ExportFormat export_format_named(const std::string& name, const std::string& field) {
  if (name == "jsonl") return ExportFormat::kJsonLines;
  if (name == "csv") return ExportFormat::kCsv;
  if (name == "dsjson") return ExportFormat::kDsjson;
  throw Error({"", field, "'" + name + "'", "jsonl, csv or dsjson"});
}

const char* media_type(ExportFormat format) {
  return format == ExportFormat::kCsv ? "text/csv; charset=utf-8" : "application/x-ndjson";
}

std::string print_time(Time time) {
  using namespace std::chrono;
  const Time second = time >= 0 ? time / kSecond : -((-time + kSecond - 1) / kSecond);
  const sys_seconds moment{seconds(second)};
  const sys_days day = floor<days>(moment);
  const year_month_day date(day);
  const hh_mm_ss clock(moment - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                     time - second * kSecond);
}

LogExport::LogExport(std::unique_ptr<LogReader> log, const std::string& experiment,
                     ExportFormat format, Sequence from)
    : log_(std::move(log)),
      experiment_(stored_experiment(*log_, experiment)),
      format_(format),
      epochs_(log_->epochs(experiment_.id)),
      next_(std::max({from, log_->first(experiment_.id), Sequence{1}})),
      last_(log_->last(experiment_.id)),
      looked_(format == ExportFormat::kJsonLines ? last_ + 1 : next_) {}

const Epoch& LogExport::epoch_of(Sequence decision) const {
  for (std::size_t i = epochs_.size(); i-- > 0;)
    if (epochs_[i]->first <= decision) return *epochs_[i];
  throw Unreadable(
      {"", fmt::format("event {}", decision), "before the first epoch", "one that is in an epoch"});
}

// An event as it can only be, and the end of a decision that has one.
const Problem& LogExport::sound(const Event& event) const {
  const Problem& problem = epoch_of(event.decision.value_or(event.seq)).problem;
  require_sound(event, problem);
  return problem;
}

bool LogExport::next(std::string& piece) {
  const ThrowingChecks checks;
  if (!begun_) {
    begun_ = true;
    piece += header();
    return true;
  }
  if (looked_ <= last_) {
    const Sequence before = std::min(last_ - looked_, kPiece - 1) + looked_ + 1;
    log_->walk(experiment_.id, looked_, before, [&](const Event& event) { look_ahead(event); });
    looked_ = before;
    return true;
  }
  if (next_ > last_) return false;
  const Sequence before = std::min(last_ - next_, kPiece - 1) + next_ + 1;
  // Other questions are asked of the log per line, and a walk allows none meanwhile.
  std::vector<Event> events;
  log_->walk(experiment_.id, next_, before, [&](const Event& event) { events.push_back(event); });
  for (const Event& event : events) piece += line(event);
  next_ = before;
  return true;
}

std::string LogExport::header() const {
  const ExperimentFacts& facts = experiment_.facts;
  switch (format_) {
    case ExportFormat::kJsonLines:
      return experiment_json(facts, last_) + "\n";
    case ExportFormat::kCsv: {
      std::string lines =
          fmt::format("# armature service log of experiment {}, seed {}\n", facts.name, facts.seed);
      for (const auto& epoch : epochs_)
        lines += fmt::format("# epoch {} from event {}: policy {}, problem {}\n", epoch->number,
                             epoch->first, epoch->policy,
                             Json::parse(write_problem(epoch->problem)).dump());
      return lines +
             "decision,time,action,propensity,context,reward,status,learned_seq,epoch,policy,"
             "amended\n";
    }
    case ExportFormat::kDsjson:
      return "";
  }
  return "";
}

std::string LogExport::line(const Event& event) {
  if (format_ == ExportFormat::kJsonLines) return event_json(event) + "\n";
  return event.makes_decision() ? decision_row(event) : "";
}

void LogExport::look_ahead(const Event& event) {
  if (!event.decision || *event.decision < next_) return;
  sound(event);
  if (event.closes_decision()) later_.erase(*event.decision);
  const bool late = event.kind == EventKind::kLate;
  if (event.kind == EventKind::kReported || late) {
    Later& later = later_[*event.decision];
    later.late = late;
    if (event.context) later.reported.context = event.context;
    if (event.reward) later.reported.reward = event.reward;
  }
  if (event.kind == EventKind::kAmended)
    later_[*event.decision].amended = {event.context, event.reward};
}

std::string LogExport::decision_row(const Event& decided) {
  const Epoch& epoch = epoch_of(decided.seq);
  Status status = Status::kOpen;
  Reported outcome;
  std::string learned;
  std::string amended;
  std::optional<Closing> closing = log_->closing(experiment_.id, decided.seq);
  if (closing && closing->seq > last_) closing.reset();
  if (closing) {
    const std::optional<Event> end = log_->event(experiment_.id, closing->seq);
    if (!end || end->decision != decided.seq || !end->closes_decision())
      throw Unreadable({"", fmt::format("event {}", closing->seq), "none that ends a decision",
                        fmt::format("the end of decision {}", decided.seq)});
    sound(*end);
    const bool was_learned = end->kind == EventKind::kLearned;
    status = was_learned ? Status::kLearned : Status::kForgotten;
    if (was_learned) learned = std::to_string(end->seq);
    outcome = {end->context, end->reward};
  }
  if (const auto later = later_.find(decided.seq); later != later_.end()) {
    if (later->second.late || !closing) {
      status = later->second.late ? Status::kLate : Status::kWaiting;
      outcome = later->second.reported;
    }
    if (later->second.amended) {
      outcome = *later->second.amended;
      amended = outcome.reward ? "corrected" : "withdrawn";
    }
  }
  const Problem& problem = sound(decided);
  const std::string id = decision_id(experiment_.facts.name, decided.seq);
  if (format_ == ExportFormat::kCsv)
    return fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{}\n", id, print_time(decided.time),
        csv_field(problem.action_names[*decided.action]), number_or_nothing(decided.propensity),
        outcome.context ? csv_field(problem.context_names[*outcome.context]) : "",
        number_or_nothing(outcome.reward), status_name(status), learned, decided.epoch,
        csv_field(decided.kind == EventKind::kFallback ? "fallback" : epoch.policy), amended);

  // Who learns from it by propensity needs both.
  if (status != Status::kLearned || !decided.propensity || !outcome.reward) return "";
  Json actions = Json::array();
  for (const std::string& name : problem.action_names) actions.push_back({{"action", {{name, 1}}}});
  Json json = {{"_label_cost", -*outcome.reward},
               {"_label_probability", *decided.propensity},
               {"_label_Action", *decided.action + 1},
               {"_labelIndex", *decided.action},
               {"Version", "1"},
               {"EventId", id},
               {"Timestamp", print_time(decided.time)},
               {"a", {*decided.action + 1}},
               {"p", {*decided.propensity}},
               {"c", {{"_multi", actions}}}};
  if (outcome.context) json["o"] = {{{"context", problem.context_names[*outcome.context]}}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace armature::service
