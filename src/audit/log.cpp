#include "armature/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/error.h"
#include "audit/bins.h"
#include "audit/decision_ids.h"
#include "audit/log_contexts.h"
#include "audit/record_reader.h"
#include "base/text.h"

namespace armature {
namespace {

constexpr std::uint64_t kRowsBetweenProgress = 1 << 16;
// So many rows that the rest will hardly be better.
constexpr std::uint64_t kEnoughBad = 10'000;
constexpr std::size_t kAbsent = SIZE_MAX;

constexpr const char* kScaleHint =
    "a number in [0,1]; --scale LOW,HIGH maps rewards there (--scale 0,100)";

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// --- Which columns -------------------------------------------------------------------------------

// VW's names (dsjson): the chosen action counts from 1, the cost is the reward with another sign.
constexpr const char* kVwAction = "_label_Action";
constexpr const char* kVwCost = "_label_cost";
constexpr const char* kVwProbability = "_label_probability";
constexpr const char* kVwId = "EventId";
constexpr const char* kVwSkip = "_skipLearn";
constexpr const char* kVwDropped = "pdrop";
// The service's, beside those that every log may have.
constexpr const char* kStatus = "status";
constexpr const char* kLearnedPlace = "learned_seq";

// `key: value` among the remarks of a log that we wrote; empty if there is none.
std::string remark(const std::vector<std::string>& remarks, const std::string& key) {
  if (remarks.empty() || !trimmed(remarks.front()).starts_with("armature-")) return "";
  for (const std::string& line : remarks) {
    const std::string_view text = trimmed(line);
    if (text.starts_with(key + ":")) return std::string(trimmed(text.substr(key.size() + 1)));
  }
  return "";
}

// Quoted, as names may hold commas themselves.
std::string listed(const std::vector<std::string>& columns) {
  constexpr std::size_t kMost = 20;
  std::vector<std::string> some;
  for (std::size_t i = 0; i < std::min(kMost, columns.size()); ++i)
    some.push_back("'" + columns[i] + "'");
  if (columns.size() > kMost) some.emplace_back("…");
  return join(some, ", ");
}

std::vector<std::string> cut_at_commas(const std::string& list) {
  std::vector<std::string> parts;
  for (std::size_t start = 0; start <= list.size();) {
    const std::size_t comma = std::min(list.find(',', start), list.size());
    parts.push_back(list.substr(start, comma - start));
    start = comma + 1;
  }
  return parts;
}

// Only the log knows whether a comma stands between two columns or in the name of one.
std::vector<std::string> context_columns(const LogFacts& facts,
                                         const std::vector<std::string>& given,
                                         const std::vector<std::string>& columns) {
  std::vector<std::string> contexts;
  for (const std::string& one : given) {
    if (has(columns, one)) {
      contexts.push_back(one);
      continue;
    }
    for (const std::string& part : cut_at_commas(one)) {
      if (part.empty())
        throw Error(
            {facts.file, "--context", "'" + one + "'", "columns with one comma between two"});
      contexts.push_back(part);
    }
  }
  return contexts;
}

void require_column(const LogFacts& facts, const std::vector<std::string>& columns,
                    const std::string& role, const std::string& name, bool given) {
  if (has(columns, name)) return;
  if (given)
    throw Error({facts.file, "--" + role, "'" + name + "'",
                 "a column of this log (" + listed(columns) + ")" + did_you_mean(name, columns)});
  throw Error({facts.file, "column", "no '" + name + "'",
               fmt::format("--{} with one of its columns ({})", role, listed(columns))});
}

// Which format it is and what its columns are called.
LogFacts facts_of(const RecordReader& reader, const LogOptions& options) {
  const std::vector<std::string>& columns = reader.columns();
  LogFacts facts;
  facts.file = reader.name();
  facts.packed = reader.packed();
  facts.separator = reader.separator();
  const bool csv = facts.separator != 0;
  const bool service = has(columns, kStatus) && has(columns, kLearnedPlace);
  const bool dsjson = !csv && has(columns, kVwCost) && has(columns, kVwProbability);
  facts.format = service ? "service export" : dsjson ? "dsjson" : reader.format();

  facts.action = options.action.value_or(dsjson ? kVwAction : "action");
  facts.reward = options.reward.value_or(dsjson ? kVwCost : "reward");
  facts.contexts = context_columns(facts, options.contexts, columns);
  if (facts.contexts.empty()) facts.contexts = {"context"};
  const auto found = [&](const std::optional<std::string>& given, const std::string& name) {
    return given ? *given : has(columns, name) ? name : "";
  };
  facts.propensity = found(options.propensity, dsjson ? kVwProbability : "propensity");
  facts.decision = found(options.decision, dsjson ? kVwId : "decision");
  facts.weight = options.weight.value_or("");
  facts.time = options.time.value_or("");
  facts.scale = options.scale;

  require_column(facts, columns, "action", facts.action, options.action.has_value());
  for (const std::string& context : facts.contexts)
    require_column(facts, columns, "context", context, !options.contexts.empty());
  require_column(facts, columns, "reward", facts.reward, options.reward.has_value());
  for (const auto& [role, name] : {std::pair{"propensity", facts.propensity},
                                   {"weight", facts.weight},
                                   {"time", facts.time},
                                   {"decision", facts.decision}})
    if (!name.empty()) require_column(facts, columns, role, name, true);

  facts.policy = remark(reader.remarks(), "policy");
  facts.adaptive = options.adaptive || service || dsjson ||
                   remark(reader.remarks(), "learns").starts_with("yes");
  return facts;
}

// Whoever is action, context and reward at once tells nothing.
void require_different(const LogFacts& facts) {
  std::vector<std::string> roles{facts.action, facts.reward};
  for (const std::string& context : facts.contexts) {
    if (has(roles, context))
      throw Error({facts.file, "--context", "'" + context + "', which has a role already",
                   "a column of its own for action, reward and each context"});
    roles.push_back(context);
  }
  if (facts.action == facts.reward)
    throw Error({facts.file, "--reward", "'" + facts.reward + "', which is the action",
                 "a column of its own for action, reward and each context"});
}

// --- Rows ----------------------------------------------------------------------------------------

class LogFile final : public Log {
 public:
  LogFile(std::unique_ptr<RecordReader> reader, const LogOptions& options)
      : reader_(std::move(reader)), options_(options), facts_(facts_of(*reader_, options_)) {
    require_different(facts_);
    choose_columns();
    cut_bins();
    const Problem* const given = options_.problem ? &*options_.problem : nullptr;
    actions_.emplace(facts_.action, given ? &given->action_names : nullptr);
    contexts_.emplace(facts_.contexts, facts_.bins, given ? &given->context_names : nullptr);
    before_rows_ = facts_;
  }

  bool next(LogRow& row) override;
  void rewind() override;
  const std::vector<std::string>& actions() const override { return actions_->names(); }
  const std::vector<std::string>& contexts() const override { return contexts_->names(); }
  bool adaptive() const override { return facts_.adaptive; }
  const LogFacts& facts() const override { return facts_; }

 private:
  void choose_columns();
  void cut_bins();
  std::string_view field(std::size_t place) const {
    return place == kAbsent ? std::string_view() : record_.fields[place];
  }
  bool set_aside() const;
  bool convert(LogRow& row, Fault& fault);
  bool read_reward(double& reward, Fault& fault) const;
  bool read_propensity(double& propensity, Fault& fault) const;
  bool read_weight(double& weight, Fault& fault);
  bool read_dropped(Fault& fault);
  bool note_decision(Fault& fault);
  void note_time();
  void note_bad(const Fault& fault);
  void tell_progress() const;
  [[noreturn]] void refuse_bad() const;

  std::unique_ptr<RecordReader> reader_;
  LogOptions options_;
  LogFacts facts_;
  LogFacts before_rows_;  // what a second reading starts from
  // Where in a record.
  std::size_t action_ = kAbsent, reward_ = kAbsent, context_ = kAbsent, propensity_ = kAbsent,
              weight_ = kAbsent, time_ = kAbsent, decision_ = kAbsent, status_ = kAbsent,
              skip_ = kAbsent, dropped_ = kAbsent;
  bool costs_ = false;  // rewards with another sign
  std::optional<NamedValues> actions_;
  std::optional<JointContexts> contexts_;
  DecisionIds ids_;
  std::string last_time_;
  std::optional<double> share_dropped_;  // the first row's
  Record record_;
};

void LogFile::choose_columns() {
  std::vector<std::string> chosen;
  const auto place = [&](const std::string& name) {
    if (name.empty()) return kAbsent;
    chosen.push_back(name);
    return chosen.size() - 1;
  };
  action_ = place(facts_.action);
  reward_ = place(facts_.reward);
  context_ = chosen.size();
  chosen.insert(chosen.end(), facts_.contexts.begin(), facts_.contexts.end());
  propensity_ = place(facts_.propensity);
  weight_ = place(facts_.weight);
  time_ = place(facts_.time);
  decision_ = place(facts_.decision);
  if (facts_.format == "service export") status_ = place(kStatus);
  if (facts_.format == "dsjson") {
    skip_ = place(kVwSkip);
    dropped_ = place(kVwDropped);
    costs_ = !options_.reward;
  }
  reader_->choose(chosen);
}

// Bins of equal frequency need all values before the first row can be told: the file is read twice.
void LogFile::cut_bins() {
  struct Counting {
    std::size_t place, bins;
    FrequencyEdges frequencies = {};
  };
  std::vector<Counting> counting;
  for (const BinRequest& request : options_.bins) {
    const auto found = std::find(facts_.contexts.begin(), facts_.contexts.end(), request.column);
    if (found == facts_.contexts.end())
      throw Error({facts_.file, "--bins", "'" + request.column + "'",
                   "a context column (" + listed(facts_.contexts) + ")" +
                       did_you_mean(request.column, facts_.contexts)});
    for (const LogFacts::Binned& before : facts_.bins)
      if (before.column == request.column)
        throw Error({facts_.file, request.count > 0 ? "--bins" : "--edges",
                     "'" + request.column + "' a second time",
                     "each column once, by --bins or by --edges"});
    if (request.count > 0)
      counting.push_back({context_ + static_cast<std::size_t>(found - facts_.contexts.begin()),
                          facts_.bins.size()});
    facts_.bins.push_back({request.column, request.edges});
  }
  if (counting.empty()) return;
  if (!reader_->rewindable())
    throw Error({facts_.file, "--bins", "bins of equal frequency, for which it is read twice",
                 "a file, or --edges"});
  std::uint64_t rows = 0;
  while (reader_->next(record_)) {
    if (record_.trouble != nullptr) continue;
    for (Counting& one : counting)
      if (const auto number = number_of(record_.fields[one.place])) one.frequencies.add(*number);
    if (options_.progress && ++rows % kRowsBetweenProgress == 0)
      options_.progress(reader_->share(), rows);
  }
  for (std::size_t i = 0, used = 0; i < options_.bins.size(); ++i) {
    if (options_.bins[i].count == 0) continue;
    const FrequencyEdges& frequencies = counting[used++].frequencies;
    if (frequencies.seen() == 0)
      throw Error({facts_.file, "--bins", "no number in '" + options_.bins[i].column + "'",
                   "a numeric column"});
    facts_.bins[i].edges = frequencies.edges(options_.bins[i].count);
    facts_.bins[i].sampled = frequencies.sampled();
  }
  reader_->rewind();
}

void LogFile::rewind() {
  reader_->rewind();
  ids_.clear();
  last_time_.clear();
  facts_ = before_rows_;
}

bool LogFile::next(LogRow& row) {
  while (reader_->next(record_)) {
    if (++facts_.rows_read % kRowsBetweenProgress == 0) tell_progress();
    Fault fault{record_.trouble, {}, {}, record_.expected};
    if (record_.trouble == nullptr) {
      if (set_aside()) {
        ++facts_.rows_set_aside;
        continue;
      }
      if (convert(row, fault)) {
        ++facts_.rows_used;
        return true;
      }
    }
    note_bad(fault);
  }
  const std::uint64_t bad = facts_.rows_bad();
  if (!options_.skip_bad &&
      static_cast<double>(bad) > kMostBadShare * static_cast<double>(facts_.rows_used + bad))
    refuse_bad();
  if (facts_.rows_used == 0) {
    if (bad > 0) refuse_bad();
    throw Error({facts_.file, "rows", "none that can be used", "a row per decision"});
  }
  return false;
}

void LogFile::tell_progress() const {
  if (options_.progress) options_.progress(reader_->share(), facts_.rows_read);
  const std::uint64_t bad = facts_.rows_bad();
  if (!options_.skip_bad && bad > kEnoughBad && bad > facts_.rows_used) refuse_bad();
}

// What has no outcome on purpose is no mistake of the log.
bool LogFile::set_aside() const {
  if (status_ != kAbsent) return field(status_) != "learned";
  return skip_ != kAbsent && field(skip_) == "true";
}

// Numbers first, names last: a row that cannot be used must not leave a name behind.
bool LogFile::convert(LogRow& row, Fault& fault) {
  if (!read_reward(row.reward, fault) || !read_propensity(row.propensity, fault) ||
      !read_weight(row.weight, fault))
    return false;
  const std::span<const std::string_view> contexts =
      std::span(record_.fields).subspan(context_, facts_.contexts.size());
  if (field(action_).empty()) {
    fault = {"missing values", facts_.action, {}, "a value in every row"};
    return false;
  }
  for (std::size_t i = 0; i < contexts.size(); ++i)
    if (contexts[i].empty()) {
      fault = {"missing values", facts_.contexts[i], {}, "a value in every row"};
      return false;
    }
  if (!note_decision(fault)) return false;
  const std::size_t before = actions_->names().size() * contexts_->names().size();
  std::optional<std::uint32_t> action, context;
  try {
    context = contexts_->number(contexts, fault);
    if (context) action = actions_->number(field(action_), fault);
  } catch (const Error& error) {
    throw Error({facts_.file, fmt::format("line {}, {}", record_.line, error.report().field),
                 error.report().value, error.report().expected});
  }
  if (!action) return false;
  const std::size_t cells = actions_->names().size() * contexts_->names().size();
  if (cells > before && cells > kMostCells)
    throw Error({facts_.file, fmt::format("line {}", record_.line),
                 fmt::format("{} actions × {} contexts", actions_->names().size(),
                             contexts_->names().size()),
                 "at most a million of both together; is a continuous column among them?"});
  row.action = *action;
  row.context = *context;
  row.line = record_.line;
  if (!std::isnan(row.propensity)) ++facts_.with_propensity;
  note_time();
  return true;
}

bool LogFile::read_reward(double& reward, Fault& fault) const {
  const std::string_view text = field(reward_);
  auto number = number_of(text);
  // As programs write flags.
  if (!number && (text == "true" || text == "True" || text == "TRUE")) number = 1;
  if (!number && (text == "false" || text == "False" || text == "FALSE")) number = 0;
  if (!number) {
    fault = text.empty() ? Fault{"missing values", facts_.reward, {}, "a number in every row"}
                         : Fault{"values that are no numbers", facts_.reward, text, "a number"};
    return false;
  }
  reward = costs_ ? 0 - *number : *number;
  if (options_.scale)
    reward = (reward - options_.scale->first) / (options_.scale->second - options_.scale->first);
  if (reward >= 0 && reward <= 1) return true;
  fault = {"values out of range", facts_.reward, text,
           options_.scale ? "a number within --scale" : kScaleHint};
  return false;
}

// An empty one is not known, which is no mistake of a whole log: policies without a closed form
// have none. Between others it is a missing value, for decisions cannot be weighted by halves. What
// was handed out cannot be called back, so the first row decides which of the two it is, unless the
// user named the column: then every row must have one. Of a policy that learns they may come and
// go: its audit does not need them, and replay asks itself.
bool LogFile::read_propensity(double& propensity, Fault& fault) const {
  const std::string_view text = field(propensity_);
  propensity = std::numeric_limits<double>::quiet_NaN();
  if (text.empty()) {
    if (facts_.adaptive || (!options_.propensity && facts_.with_propensity == 0)) return true;
    fault = {"missing values",
             facts_.propensity,
             {},
             options_.propensity ? "a propensity in every row, as --propensity asks for it"
                                 : "a propensity in every row, or in none"};
    return false;
  }
  if (!facts_.adaptive && facts_.with_propensity < facts_.rows_used)
    throw Error({facts_.file, fmt::format("line {}, '{}'", record_.line, facts_.propensity),
                 "the first propensity, after rows without one",
                 fmt::format("a propensity in every row, or in none; --propensity {} --skip-bad "
                             "leaves out rows without one",
                             facts_.propensity)});
  const auto number = number_of(text);
  if (number && *number >= kLeastPropensity && *number <= 1) {
    propensity = *number;
    return true;
  }
  fault = {number ? "values out of range" : "values that are no numbers", facts_.propensity, text,
           "a probability from 1e-9 to 1: that with which the action was chosen"};
  return false;
}

bool LogFile::read_weight(double& weight, Fault& fault) {
  weight = 1;
  if (weight_ != kAbsent) {
    const std::string_view text = field(weight_);
    const auto number = number_of(text);
    if (!number || !(*number >= 1 && *number <= kMostWeight) || *number != std::floor(*number)) {
      fault = {"values that are no weights", facts_.weight, text,
               "a whole number from 1 to 1e15: how many rows the line stands for"};
      return false;
    }
    weight = *number;
  }
  return read_dropped(fault);
}

// VW may have logged a part of the events only. Where each had the same chance to be there, those
// that are are a fair sample and nothing is to be done: they are no copies of what was dropped.
bool LogFile::read_dropped(Fault& fault) {
  const std::string_view text = field(dropped_);
  const auto dropped = text.empty() ? std::optional<double>(0) : number_of(text);
  if (!dropped || *dropped < 0 || *dropped >= 1) {
    fault = {"values out of range", kVwDropped, text, "a probability below 1"};
    return false;
  }
  if (!share_dropped_) share_dropped_ = *dropped;
  if (*share_dropped_ == *dropped) return true;
  throw Error({facts_.file, fmt::format("line {}, {}", record_.line, kVwDropped),
               fmt::format("{}, and {} before", *dropped, *share_dropped_),
               "the same in every row: a log that kept some rows rather than others is no fair "
               "sample of its decisions"});
}

bool LogFile::note_decision(Fault& fault) {
  const std::string_view id = field(decision_);
  if (id.empty()) return true;
  const DecisionIds::Answer answer = ids_.add(id);
  if (answer == DecisionIds::Answer::kUnknown) ++facts_.unchecked_ids;
  if (answer != DecisionIds::Answer::kSeen) return true;
  fault = {"decisions that were there before", facts_.decision, id, "every decision once"};
  return false;
}

// Numbers as numbers, all else (ISO dates) as texts.
void LogFile::note_time() {
  const std::string_view time = field(time_);
  if (time.empty()) return;
  const auto now = number_of(time), last = number_of(last_time_);
  if (!last_time_.empty() && (now && last ? *now < *last : time < last_time_))
    ++facts_.out_of_order;
  last_time_.assign(time);
}

void LogFile::note_bad(const Fault& fault) {
  for (LogFacts::Bad& bad : facts_.bad)
    if (bad.reason == fault.reason && bad.column == fault.column) {
      ++bad.rows;
      return;
    }
  LogFacts::Bad bad{fault.reason, std::string(fault.column), 1,
                    record_.line, std::string(fault.value),  fault.expected};
  if (fault.known != nullptr) bad.expected += did_you_mean(fault.value, *fault.known);
  facts_.bad.push_back(std::move(bad));
}

// Told by the most frequent reason.
void LogFile::refuse_bad() const {
  const LogFacts::Bad& worst = *std::max_element(
      facts_.bad.begin(), facts_.bad.end(),
      [](const LogFacts::Bad& one, const LogFacts::Bad& other) { return one.rows < other.rows; });
  const std::string place = worst.column.empty() ? "" : ", '" + worst.column + "'";
  const std::string value = worst.value.empty() ? worst.reason : "'" + shown(worst.value, 40) + "'";
  throw Error(
      {facts_.file, fmt::format("line {}{}", worst.first_line, place),
       fmt::format("{} ({} of {} rows cannot be used, {} for this reason)", value,
                   grouped(static_cast<double>(facts_.rows_bad())),
                   grouped(static_cast<double>(facts_.rows_read)),
                   grouped(static_cast<double>(worst.rows))),
       worst.expected + (facts_.rows_used == 0 ? "" : "; --skip-bad leaves such rows out")});
}

}  // namespace

std::unique_ptr<Log> log_of(std::unique_ptr<RecordReader> reader, const LogOptions& options) {
  return std::make_unique<LogFile>(std::move(reader), options);
}

std::unique_ptr<Log> open_log(const std::string& path, const LogOptions& options) {
  // Defaults do not tell separators apart better than names that were given.
  std::vector<std::string> wanted = options.contexts;
  for (const std::string& context : options.contexts)
    for (const std::string& part : cut_at_commas(context))
      if (part != context) wanted.push_back(part);
  for (const auto& name : {options.action, options.reward, options.propensity, options.weight,
                           options.time, options.decision})
    if (name) wanted.push_back(*name);
  return log_of(open_records(path, wanted), options);
}

}  // namespace armature
