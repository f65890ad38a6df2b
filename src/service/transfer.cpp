#include "service/transfer.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/text.h"
#include "service/facts_json.h"
#include "service/fold.h"
#include "service/options.h"

namespace armature::service {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "armature-service-log";
constexpr int kVersion = 1;

std::string hexadecimal_of(const std::string& bytes) {
  std::string digits;
  for (const char byte : bytes) digits += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return digits;
}

std::string bytes_of(const JsonField& field) {
  const std::string digits = field.text();
  const auto value = [&](char c) -> int {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    field.fail("hexadecimal digits");
  };
  if (digits.size() % 2 != 0) field.fail("pairs of hexadecimal digits");
  std::string bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2)
    bytes += static_cast<char>(value(digits[i]) * 16 + value(digits[i + 1]));
  return bytes;
}

std::optional<double> real_of(const JsonField& line, const char* key) {
  return line.has(key) ? std::optional(line.at(key).number()) : std::nullopt;
}

EventKind read_kind(const JsonField& field) {
  const std::string name = field.text();
  for (int kind = 1; kind <= static_cast<int>(EventKind::kShadow); ++kind)
    if (name == event_kind_name(static_cast<EventKind>(kind))) return static_cast<EventKind>(kind);
  field.fail("a kind of event");
}

Event read_event(const JsonField& line) {
  line.only({"seq", "kind", "decision", "key", "time", "epoch", "action", "ticket", "position",
             "propensity", "context", "reward", "note", "opened"});
  Event event;
  event.seq = whole_of(line.at("seq"));
  event.kind = read_kind(line.at("kind"));
  event.decision = optional_of<Sequence>(line, "decision");
  if (line.has("key")) event.key = bytes_of(line.at("key"));
  if (line.has("time")) event.time = time_of(line.at("time"));
  event.epoch = optional_of<EpochNumber>(line, "epoch").value_or(0);
  event.action = optional_of<Arm>(line, "action");
  event.ticket = optional_of<std::uint64_t>(line, "ticket");
  event.position = optional_of<std::uint64_t>(line, "position");
  event.propensity = real_of(line, "propensity");
  event.context = optional_of<Context>(line, "context");
  event.reward = real_of(line, "reward");
  if (line.has("note")) event.note = line.at("note").text();
  if (line.has("opened")) event.opened = read_epoch(line.at("opened"), event.seq);
  return event;
}

ExperimentFacts read_experiment(const JsonField& line) {
  line.only({"format", "version", "experiment", "tenant", "seed", "created", "settings", "events"});
  if (line.at("format").text() != kFormat) line.at("format").fail(fmt::format("\"{}\"", kFormat));
  if (line.at("version").whole_number() != kVersion)
    line.at("version").fail(fmt::format("{}, the one this armature reads", kVersion));
  return read_facts(line);
}

}  // namespace

std::string experiment_json(const ExperimentFacts& facts, std::optional<Sequence> events) {
  Json json = {{"format", kFormat}, {"version", kVersion}};
  json.update(facts_json(facts));
  if (events) json["events"] = std::to_string(*events);
  return json.dump();
}

std::string event_json(const Event& event) {
  Json json = {{"seq", std::to_string(event.seq)}, {"kind", event_kind_name(event.kind)}};
  if (event.decision) json["decision"] = std::to_string(*event.decision);
  if (!event.key.empty()) json["key"] = hexadecimal_of(event.key);
  json["time"] = std::to_string(event.time);
  json["epoch"] = event.epoch;
  if (event.action) json["action"] = *event.action;
  if (event.ticket) json["ticket"] = std::to_string(*event.ticket);
  if (event.position) json["position"] = std::to_string(*event.position);
  if (event.propensity) json["propensity"] = *event.propensity;
  if (event.context) json["context"] = *event.context;
  if (event.reward) json["reward"] = *event.reward;
  if (!event.note.empty()) json["note"] = event.note;
  if (event.opened) json["opened"] = epoch_json(*event.opened);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void export_json_lines(LogReader& log, const StoredExperiment& experiment, const WriteLine& write) {
  const Sequence last = log.last(experiment.id);
  write(experiment_json(experiment.facts, last));
  log.walk(experiment.id, 1, last + 1, [&](const Event& event) { write(event_json(event)); });
}

Event event_of_json(const std::string& line) {
  const Json json = parsed_json(line, "");
  return read_event(JsonField(json));
}

namespace {

// One experiment as it comes in: all of it, or nothing. A header and its `events` say where the
// part ends that follows it.
class Arrival {
 public:
  Arrival(Log& log, const JsonField& line, CheckedExperiment& told)
      : log_(log), told_(told), facts_(read_experiment(line)) {
    told_.name = facts_.name;
    expected_ = optional_of<Sequence>(line, "events");
    for (const StoredExperiment& there : log.experiments())
      if (there.facts.name == facts_.name)
        line.at("experiment").fail("a name that this store does not have yet");
    id_ = log.add_experiment(facts_);
    fold_.emplace(facts_, log, id_);
  }

  // Another part of the same log: a month of its archive, or what stayed in the store.
  bool goes_on_with(const JsonField& line) {
    if (experiment_json(read_experiment(line)) != experiment_json(facts_)) return false;
    expected_ = optional_of<Sequence>(line, "events");
    return true;
  }

  void take(const JsonField& line) {
    const Event event = read_event(line);
    const Sequence due = fold_->last_seq() + 1;
    if (event.seq > due)
      line.at("seq").fail(
          fmt::format("{}: events {} to {} are missing. Where they were archived, the archive's "
                      "files come first",
                      due, due, event.seq - 1));
    if (event.seq < due) line.at("seq").fail(fmt::format("{}: this one came already", due));
    if (event.opened) {  // what nobody could have created here is not taken from a file, either
      check_creation({facts_, event.opened->problem, event.opened->written});
      require_cells(event.opened->problem, Options{}.most_cells);
    }
    if (event.kind == EventKind::kLate) check_late(event);
    fold_->replay(event);
    log_.append(id_, event);
    ++told_.events;
    told_.decisions += event.makes_decision() ? 1 : 0;
  }

  void finish() {
    if (told_.events == 0 || (expected_ && told_.events != *expected_))
      throw Error({"", "events of '" + facts_.name + "'", fmt::format("{}", told_.events),
                   expected_ ? fmt::format("{}: the file was cut short", *expected_)
                             : "at least the epoch it began with"});
    told_.digest = fold_->digest();
    Snapshot snapshot = fold_->snapshot();
    snapshot.anchor = true;
    log_.add_snapshot(id_, snapshot);
  }

 private:
  // Of a decision that has ended, and in the way the note says.
  void check_late(const Event& event) {
    const auto closing = log_.closing(id_, event.decision.value_or(0));
    const auto ended = closing ? log_.event(id_, closing->seq) : std::nullopt;
    const bool silent = ended && ended->kind == EventKind::kLearned;
    if (!ended || closing->late.has_value() != (event.note == note::kMore) ||
        (!closing->late && silent != (event.note == note::kSilence)))
      throw Error({"", fmt::format("event {}", event.seq), "a late report",
                   "one of a decision that nobody had reported on"});
  }

  Log& log_;
  CheckedExperiment& told_;
  ExperimentFacts facts_;
  std::optional<Sequence> expected_;
  ExperimentId id_ = 0;
  std::optional<Fold> fold_;
};

}  // namespace

std::vector<CheckedExperiment> import_json_lines(Log& log, const NextLine& next,
                                                 const std::string& source) {
  const ThrowingChecks checks;
  std::vector<CheckedExperiment> imported;
  std::optional<Arrival> arrival;  // none after a header: it was refused, and its events go by
  std::size_t number = 0;
  // What is wrong costs the experiment that it is in, and no other.
  const auto attempt = [&](const auto& work) {
    try {
      work();
    } catch (const StoreFailure&) {
      log.roll_back();
      throw;
    } catch (const std::exception& error) {
      log.roll_back();
      arrival.reset();
      const auto* known = dynamic_cast<const Error*>(&error);
      ErrorReport report = known != nullptr
                               ? known->report()
                               : ErrorReport{"", "event", error.what(), "what was exported"};
      report.file = source;
      report.field =
          fmt::format("line {}{}{}", number, report.field.empty() ? "" : ", ", report.field);
      if (imported.empty()) throw Error(report);
      imported.back().trouble = Error(report).what();
    }
  };
  const auto finish = [&] {
    if (!arrival) return;
    attempt([&] {
      arrival->finish();
      log.commit();
      arrival.reset();
    });
  };
  for (auto text = next(); text; text = next()) {
    ++number;
    if (text->empty() || (!imported.empty() && !arrival && text->find("\"format\"") == text->npos))
      continue;
    std::optional<Json> json;
    attempt([&] { json = parsed_json(*text, ""); });
    if (!json) continue;
    const JsonField line(*json);
    if (json->is_object() && line.has("format")) {
      bool same = false;
      if (arrival) attempt([&] { same = arrival->goes_on_with(line); });
      if (same) continue;
      finish();
      imported.emplace_back();
      attempt([&] {
        log.begin();
        arrival.emplace(log, line, imported.back());
      });
    } else if (arrival || imported.empty()) {
      attempt([&] {
        if (!arrival) line.fail("a line that says what experiment this is");
        arrival->take(line);
      });
    }
  }
  finish();
  return imported;
}

}  // namespace armature::service
