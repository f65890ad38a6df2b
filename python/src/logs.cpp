// Logs of past decisions: files and tables in memory under one set of rules (audit/log.cpp), and
// answers as dictionaries, field by field what `armature audit` and `armature replay` write as
// JSON; armature/logs.py makes typed objects of them.
#include <cmath>

#include "arguments.h"
#include "armature/audit.h"
#include "armature/log.h"
#include "armature/replay.h"
#include "audit/record_reader.h"
#include "bindings.h"
#include "questions.h"

namespace armature::python {
namespace {

using namespace py::literals;
using Names = std::vector<std::string>;

// --- Tables in memory ----------------------------------------------------------------------------

/// A column as Python hands it over: numbers, or numbers of texts. An array is shared, not copied.
struct Column {
  py::array_t<double, py::array::c_style> reals;         // NaN: missing
  py::array_t<std::int64_t, py::array::c_style> wholes;  // values…
  std::optional<Names> texts;                            // …or places in it; -1: missing
  const double* real = nullptr;
  const std::int64_t* whole = nullptr;

  std::string_view text(std::size_t row, std::string& buffer) const {
    if (real != nullptr) {
      if (std::isnan(real[row])) return {};
      buffer = fmt::format("{}", real[row]);  // the shortest that reads back as the same number
      return buffer;
    }
    if (texts)
      return whole[row] < 0 ? std::string_view() : (*texts)[static_cast<std::size_t>(whole[row])];
    buffer = fmt::format("{}", whole[row]);
    return buffer;
  }
};

/// Rows of a data frame. Asks Python for a column when it is chosen; after that rows are read
/// without the GIL.
class FrameRecords final : public RecordReader {
 public:
  FrameRecords(Names columns, std::size_t rows, py::function column)
      : columns_(std::move(columns)), rows_(rows), column_(std::move(column)) {}

  const Names& columns() const override { return columns_; }
  void choose(const Names& names) override {
    const py::gil_scoped_acquire hold;
    chosen_.clear();
    for (const std::string& name : names) {
      std::optional<Column> column;
      if (std::find(columns_.begin(), columns_.end(), name) != columns_.end()) column = ask(name);
      chosen_.push_back(std::move(column));
    }
    buffers_.assign(names.size(), {});
  }
  bool next(Record& record) override {
    if (row_ == rows_) return false;
    record.line = row_ + 1;
    record.trouble = nullptr;
    record.fields.assign(chosen_.size(), {});
    for (std::size_t i = 0; i < chosen_.size(); ++i)
      if (chosen_[i]) record.fields[i] = chosen_[i]->text(row_, buffers_[i]);
    ++row_;
    return true;
  }
  void rewind() override { row_ = 0; }
  std::string name() const override { return "data frame"; }
  std::string format() const override { return "in memory"; }
  double share() const override { return static_cast<double>(row_) / static_cast<double>(rows_); }
  const Names& remarks() const override { return remarks_; }

 private:
  Column ask(const std::string& name) {
    const py::tuple answer = column_(name);
    Column column;
    const auto values = py::cast<py::array>(answer[0]);
    if (static_cast<std::size_t>(values.size()) != rows_ || values.ndim() != 1)
      throw Error({"data frame", "'" + name + "'", fmt::format("{} values", values.size()),
                   fmt::format("{}, one per row", rows_)});
    if (values.dtype().kind() == 'f') {
      column.reals = values;
      column.real = column.reals.data();
      return column;
    }
    column.wholes = values;
    column.whole = column.wholes.data();
    if (!answer[1].is_none()) column.texts = answer[1].cast<Names>();
    return column;
  }

  Names columns_;
  std::size_t rows_;
  py::function column_;
  std::size_t row_ = 0;
  std::vector<std::optional<Column>> chosen_;
  std::vector<std::string> buffers_;
  Names remarks_;
};

// --- What is asked -------------------------------------------------------------------------------

// Errors and hints speak of options (--skip-bad); here they are arguments (skip_bad).
std::string as_arguments(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool starts = text.compare(at, 2, "--") == 0 && at + 2 < text.size() &&
                        text[at + 2] >= 'a' && text[at + 2] <= 'z' &&
                        (at == 0 || !std::isalnum(static_cast<unsigned char>(text[at - 1])));
    if (!starts) {
      result += text[at];
      continue;
    }
    for (at += 2; at < text.size() && ((text[at] >= 'a' && text[at] <= 'z') || text[at] == '-');
         ++at)
      result += text[at] == '-' ? '_' : text[at];
    --at;
  }
  return result;
}

template <class Work>
auto in_arguments(const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    ErrorReport report = error.report();
    report.field = as_arguments(report.field);
    report.expected = as_arguments(report.expected);
    throw Error(report);
  } catch (const py::cast_error&) {
    throw Error({"", "columns", "a name that is no text in UTF-8", "names of columns"});
  }
}

std::optional<std::string> text_or_none(const py::dict& arguments, const char* field) {
  if (!arguments.contains(field) || arguments[field].is_none()) return std::nullopt;
  if (!PyUnicode_Check(py::object(arguments[field]).ptr()))
    refuse(field, arguments[field], "the name of a column");
  return arguments[field].cast<std::string>();
}

LogOptions log_options(const py::dict& arguments) {
  LogOptions options;
  options.action = text_or_none(arguments, "action");
  options.reward = text_or_none(arguments, "reward");
  options.propensity = text_or_none(arguments, "propensity");
  options.weight = text_or_none(arguments, "weight");
  options.time = text_or_none(arguments, "time");
  options.decision = text_or_none(arguments, "decision");
  options.contexts = arguments["context"].cast<Names>();
  for (const auto& [column, count] : arguments["bins"].cast<py::dict>())
    options.bins.push_back({py::cast<std::string>(column),
                            static_cast<std::uint32_t>(whole("bins", count, 2, 1000)),
                            {}});
  for (const auto& [column, list] : arguments["edges"].cast<py::dict>()) {
    BinRequest request{py::cast<std::string>(column), 0, {}};
    for (const py::handle edge : list) {
      request.edges.push_back(real("edges", edge));
      if (request.edges.size() > 1 && !(request.edges.rbegin()[1] < request.edges.back()))
        refuse("edges", list, "ascending numbers");
    }
    if (request.edges.empty()) refuse("edges", list, "at least one number");
    options.bins.push_back(std::move(request));
  }
  if (const py::object scale = arguments["scale"]; !scale.is_none()) {
    const std::string expected = "(low, high): what becomes 0 and what becomes 1";
    if (!py::isinstance<py::sequence>(scale) || py::len(scale) != 2)
      refuse("scale", scale, expected);
    const auto ends = py::cast<py::sequence>(scale);
    options.scale = {real("scale", py::object(ends[0])), real("scale", py::object(ends[1]))};
    if (!(options.scale->first < options.scale->second)) refuse("scale", scale, expected);
  }
  if (const py::object given = arguments["given"]; !given.is_none())
    options.problem = problem_of("given", given);
  options.adaptive = arguments["adaptive"].cast<bool>();
  options.skip_bad = arguments["skip_bad"].cast<bool>();
  options.progress = [](double, std::uint64_t) { check_signals(); };
  return options;
}

/// `source` is a path, or (names of columns, number of rows, a function from name to column).
std::unique_ptr<Log> open(const py::handle source, const LogOptions& options) {
  if (py::isinstance<py::tuple>(source)) {
    const auto table = py::cast<py::tuple>(source);
    return log_of(
        std::make_unique<FrameRecords>(table[0].cast<Names>(), table[1].cast<std::size_t>(),
                                       table[2].cast<py::function>()),
        options);
  }
  return open_log(path_of(source), options);
}

// --- Answers -------------------------------------------------------------------------------------

// Names come from a file: bytes that are no text must not end the answer.
py::str text(const std::string& bytes) {
  return py::reinterpret_steal<py::str>(
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "replace"));
}

py::list texts(const Names& names) {
  py::list list;
  for (const std::string& name : names) list.append(text(name));
  return list;
}

py::list ends(const Interval& interval) {
  py::list list;
  list.append(number(interval.low));
  list.append(number(interval.high));
  return list;
}

py::dict log_fields(const LogFacts& facts) {
  py::list bad;
  for (const LogFacts::Bad& one : facts.bad)
    bad.append(py::dict("reason"_a = one.reason, "column"_a = text(one.column), "rows"_a = one.rows,
                        "first_line"_a = one.first_line, "value"_a = text(one.value)));
  return py::dict("file"_a = text(facts.file), "format"_a = facts.format,
                  "rows_read"_a = facts.rows_read, "rows_used"_a = facts.rows_used,
                  "rows_set_aside"_a = facts.rows_set_aside, "bad"_a = bad,
                  "sentences"_a = texts(log_sentences(facts)));
}

template <class Value>
py::list matrix(const AuditAnswer& answer, const Value& value) {
  py::list rows;
  for (std::size_t a = 0; a < answer.actions.size(); ++a) {
    py::list row;
    for (std::size_t z = 0; z < answer.contexts.size(); ++z) row.append(value(answer.cell(a, z)));
    rows.append(row);
  }
  return rows;
}

py::dict intervals_fields(const AuditAnswer& answer) {
  using Cell = AuditCellAnswer;
  const auto anytime = [&](const Interval& interval) {
    return answer.weighted ? py::object(py::none()) : py::object(ends(interval));
  };
  return py::dict(
      "delta"_a = answer.question.delta, "approximate"_a = answer.weighted,
      "marginals_fixed"_a = matrix(answer, [](const Cell& c) { return ends(c.marginal_fixed); }),
      "marginals_anytime"_a =
          matrix(answer, [&](const Cell& c) { return anytime(c.marginal_anytime); }),
      "means_fixed"_a = matrix(answer, [](const Cell& c) { return ends(c.mean_fixed); }),
      "means_anytime"_a = matrix(answer, [&](const Cell& c) { return anytime(c.mean_anytime); }));
}

py::dict action_fields(const AuditAnswer& answer, std::size_t a) {
  const AuditActionAnswer& action = answer.of_actions[a];
  py::dict fields("action"_a = text(answer.actions[a]), "rows"_a = action.rows,
                  "radius_fixed"_a = number(action.radius_fixed),
                  "radius_anytime"_a = number(action.radius_anytime),
                  "smallest_violation"_a = number(action.smallest));
  if (answer.zone) fields["further_plays"] = number(action.further_plays);
  return fields;
}

py::dict context_fields(const AuditAnswer& answer, std::size_t z) {
  const AuditContextAnswer& context = answer.of_contexts[z];
  return py::dict("context"_a = text(answer.contexts[z]), "rows"_a = context.rows,
                  "actions"_a = context.actions, "mean"_a = number(context.mean),
                  "test"_a = context.method, "p_value"_a = number(context.p_value),
                  "adjusted_p_value"_a = number(context.adjusted), "draws"_a = context.draws,
                  "standard_error"_a = number(context.standard_error),
                  "log_e_value"_a = number(context.log_evidence),
                  "smallest_violation"_a = number(context.smallest));
}

py::dict marginals_fields(const AuditAnswer& answer) {
  py::dict fields("epsilon"_a = number(answer.epsilon));
  if (!answer.zone) return fields;
  fields["horizon"] = *answer.question.horizon;
  fields["harmless"] = number(*answer.harmless);
  fields["worthless"] = number(*answer.worthless);
  fields["worthless_regret"] = number(*answer.worthless_regret);
  fields["zone"] = zone_name(*answer.zone);
  return fields;
}

py::dict audit_fields(const AuditAnswer& answer, const LogFacts& facts) {
  using Cell = AuditCellAnswer;
  py::list tests, breaks, of_actions, power;
  for (std::size_t z = 0; z < answer.contexts.size(); ++z) tests.append(context_fields(answer, z));
  for (std::size_t a = 0; a < answer.actions.size(); ++a)
    of_actions.append(action_fields(answer, a));
  for (const PowerPoint& point : answer.power)
    power.append(py::dict("violation"_a = point.violation, "power"_a = point.power));
  for (const AuditBreak& broken : answer.breaks)
    breaks.append(py::dict("action"_a = text(answer.actions[broken.action]),
                           "context"_a = text(answer.contexts[broken.context]),
                           "difference"_a = number(broken.difference),
                           "interval"_a = ends(broken.interval),
                           "adjusted_p_value"_a = number(broken.adjusted)));
  py::object share = py::none();
  if (answer.share.known)
    share = py::dict("share"_a = number(answer.share.through_context),
                     "interval"_a = ends(answer.share.interval),
                     "effect_deviation"_a = number(answer.share.deviation));
  return py::dict(
      "verdict"_a = verdict_name(answer.verdict), "words"_a = texts(audit_words(answer)),
      "p_value"_a = number(answer.p_value), "rests_on"_a = answer.rests_on,
      "level"_a = answer.question.level, "rows_used"_a = facts.rows_used,
      "rows_skipped"_a = facts.rows_read - facts.rows_used, "weight"_a = answer.rows,
      "adaptive"_a = answer.adaptive, "weighted"_a = answer.weighted, "binary"_a = answer.binary,
      "actions"_a = texts(answer.actions), "contexts"_a = texts(answer.contexts),
      "counts"_a = matrix(answer, [](const Cell& c) { return c.rows; }),
      "marginals"_a = matrix(answer, [](const Cell& c) { return number(c.marginal); }),
      "means"_a = matrix(answer, [](const Cell& c) { return number(c.mean); }),
      "intervals"_a = intervals_fields(answer), "smallest_p_value"_a = number(answer.smallest_p),
      "combined_p_value"_a = number(answer.combined_p),
      "log_e_value"_a = number(answer.log_evidence),
      "log_e_value_now"_a = number(answer.log_evidence_now), "tests"_a = tests, "breaks"_a = breaks,
      "share_through_context"_a = share, "smallest_violation"_a = number(answer.smallest),
      "violation"_a = number(answer.violation), "of_actions"_a = of_actions, "power"_a = power,
      "marginals_known"_a = marginals_fields(answer), "log"_a = log_fields(facts),
      "warnings"_a = texts(answer.warnings));
}

// The same code that answers `advise`: with the log's marginals, and Z not relied on where it was
// rejected. That it was not rejected is no reason to trust it.
py::dict advice_for(const AuditAnswer& answer, std::uint64_t threads) {
  AdviceQuestion question;
  question.given = answer.problem();
  question.setting.actions = static_cast<double>(answer.actions.size());
  question.setting.contexts = static_cast<double>(answer.contexts.size());
  question.setting.horizon =
      static_cast<double>(answer.question.horizon.value_or(std::max<Round>(2, answer.rows)));
  question.setting.epsilon = answer.epsilon;
  question.leaning =
      answer.verdict == AuditVerdict::kRejected ? Leaning::kDistrust : Leaning::kBalanced;
  question.seed = answer.question.seed;
  const AdviceAnswer advice = advise_interruptibly(question, threads);
  return py::dict("policy"_a = advice.policy, "because"_a = advice.because,
                  "horizon"_a = static_cast<std::uint64_t>(advice.question.setting.horizon),
                  "leaning"_a = leaning_name(advice.question.leaning));
}

py::tuple ask_audit(py::handle source, const py::dict& columns, py::handle level,
                    py::handle violation, py::handle horizon, py::handle seed, bool advice,
                    py::handle threads) {
  AuditQuestion question;
  question.level = share("level", level);
  if (question.level < 1e-6)
    refuse("level", level, "1e-6 or more: tests by drawing show nothing rarer");
  if (!violation.is_none()) question.violation = share("violation", violation);
  question.horizon = whole_or_none("horizon", horizon, 1, kMostRounds);
  question.seed = whole("seed", seed, 0, UINT64_MAX);
  question.progress = [](double) { check_signals(); };
  const std::uint64_t crew = whole("threads", threads, 0, 4096);
  const LogOptions options = in_arguments([&] { return log_options(columns); });
  return in_arguments([&] {
    const std::unique_ptr<Log> log = open(source, options);
    AuditAnswer answer;
    try {
      const py::gil_scoped_release free;
      answer = audit(*log, question);
    } catch (const Error& error) {
      throw error.report().file.empty() ? error.in_file(log->facts().file) : error;
    }
    py::dict fields = audit_fields(answer, log->facts());
    if (advice) fields["advice"] = advice_for(answer, crew);
    return py::make_tuple(fields, py::cast(answer.problem()));
  });
}

// --- Replay --------------------------------------------------------------------------------------

py::object known(double value) {
  return std::isnan(value) ? py::object(py::none()) : py::object(py::float_(value));
}

py::dict value_fields(const ReplayValue& value) {
  return py::dict(
      "policy"_a = text(value.policy), "method"_a = replay_method_name(value.method),
      "value"_a = known(value.value), "interval"_a = ends(value.interval),
      "difference"_a = known(value.difference),
      "difference_interval"_a = ends(value.difference_interval), "rounds"_a = value.rounds,
      "effective_rows"_a = number(value.effective_rows),
      "largest_weight"_a = number(value.largest_weight), "unseen"_a = number(value.unseen),
      "shares"_a = value.shares,
      "horizon"_a = value.horizon ? py::object(py::int_(*value.horizon)) : py::object(py::none()),
      "warnings"_a = texts(value.warnings));
}

py::dict replay_fields(const ReplayAnswer& answer, const ReplayQuestion& question,
                       const LogFacts& facts) {
  py::list values;
  for (const ReplayValue& value : answer.values) values.append(value_fields(value));
  return py::dict(
      "rows"_a = answer.rows, "weight"_a = number(answer.weight),
      "actions"_a = texts(answer.actions), "contexts"_a = texts(answer.contexts),
      "adaptive"_a = answer.adaptive, "least_propensity"_a = number(answer.least_propensity),
      "level"_a = question.level,
      "interval"_a = question.resamples > 0 ? "bootstrap" : "empirical-bernstein",
      "resamples"_a = question.resamples, "seed"_a = question.seed,
      "log_value"_a = number(answer.log_value), "log_interval"_a = ends(answer.log_interval),
      "values"_a = values, "log"_a = log_fields(facts), "notes"_a = texts(answer.notes),
      "warnings"_a = texts(answer.warnings));
}

py::dict ask_replay(py::handle source, const py::dict& columns, const Names& policies,
                    const Names& always, const std::optional<std::string>& method, bool uniform,
                    py::handle least_propensity, bool benign, py::handle horizon, py::handle level,
                    py::handle bootstrap, py::handle seed) {
  const LogOptions options = in_arguments([&] { return log_options(columns); });
  ReplayQuestion question;
  for (const std::string& policy : policies) question.candidates.push_back({policy});
  for (const std::string& action : always) question.candidates.push_back({"", action});
  if (question.candidates.empty())
    throw Error({"", "policies", "nothing", "at least one policy, or an action in always"});
  for (const std::string& policy : policies)  // before a long log is read
    find_policy(policy.substr(0, policy.find(':')));
  if (method) question.method = replay_method_named(*method);
  question.uniform = uniform;
  question.benign = benign;
  question.least_propensity = real_or_none("least_propensity", least_propensity);
  if (question.least_propensity &&
      !(*question.least_propensity > 0 && *question.least_propensity <= 1))
    refuse("least_propensity", least_propensity, "a number above 0 and at most 1");
  question.given = options.problem;
  question.horizon = whole_or_none("horizon", horizon, 1, kMostRounds);
  question.level = real("level", level);
  if (!(question.level >= 0.5 && question.level <= 0.999999))
    refuse("level", level, "a number from 0.5 to 0.999999");
  question.resamples = static_cast<std::uint32_t>(whole("bootstrap", bootstrap, 0, 100'000));
  if (question.resamples > 0 && question.resamples * (1 - question.level) < 2)
    refuse("bootstrap", bootstrap,
           fmt::format("0, or enough resamples for this level: {} or more",
                       std::ceil(2 / (1 - question.level))));
  question.seed = whole("seed", seed, 0, UINT64_MAX);
  question.source = py::isinstance<py::tuple>(source) ? "data frame" : path_of(source);
  return in_arguments([&] {
    const std::unique_ptr<Log> log = open(source, options);
    ReplayAnswer answer;
    {
      const py::gil_scoped_release free;
      answer = replay(*log, question);
    }
    return replay_fields(answer, question, log->facts());
  });
}

}  // namespace

void bind_logs(py::module_& module) {
  module.def("ask_audit", &ask_audit, "source"_a, "columns"_a, "level"_a, "violation"_a,
             "horizon"_a, "seed"_a, "advice"_a, "threads"_a);
  module.def("ask_replay", &ask_replay, "source"_a, "columns"_a, "policies"_a, "always"_a,
             "method"_a, "uniform"_a, "least_propensity"_a, "benign"_a, "horizon"_a, "level"_a,
             "bootstrap"_a, "seed"_a);
}

}  // namespace armature::python
