// Logs of past decisions: files and tables in memory under one set of rules (audit/log.cpp).
// Answers cross over as the very JSON of `armature audit` and `armature replay` (report.h);
// armature/logs.py makes typed objects of it.
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

template <class Work>
auto in_arguments(const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    throw of_arguments(error);
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
  options.progress = [](double, std::uint64_t) { look_at_signals(); };
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
  return open_log(path_of(source, "log"), options);
}

// --- Audit --------------------------------------------------------------------------------------

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
  question.progress = [](double) { look_at_signals(); };
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
    std::optional<AdviceAnswer> recommended;
    if (advice) recommended = advise_interruptibly(advice_question(answer), crew);
    return py::make_tuple(audit_json(answer, log->facts(), recommended),
                          py::cast(answer.problem()));
  });
}

// --- Replay --------------------------------------------------------------------------------------

std::string ask_replay(py::handle source, const py::dict& columns, const Names& policies,
                       const Names& always, const std::optional<std::string>& method, bool uniform,
                       py::handle least_propensity, bool benign, py::handle horizon,
                       py::handle level, py::handle bootstrap, py::handle seed) {
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
  question.source = py::isinstance<py::tuple>(source) ? "data frame" : path_of(source, "log");
  return in_arguments([&] {
    const std::unique_ptr<Log> log = open(source, options);
    ReplayAnswer answer;
    {
      const py::gil_scoped_release free;
      answer = replay(*log, question);
    }
    return replay_json(answer, question, log->facts());
  });
}

}  // namespace

void bind_logs(py::module_& module) {
  const CheckedCall checked;
  module.def("ask_audit", &ask_audit, "source"_a, "columns"_a, "level"_a, "violation"_a,
             "horizon"_a, "seed"_a, "advice"_a, "threads"_a, checked);
  module.def("ask_replay", &ask_replay, "source"_a, "columns"_a, "policies"_a, "always"_a,
             "method"_a, "uniform"_a, "least_propensity"_a, "benign"_a, "horizon"_a, "level"_a,
             "bootstrap"_a, "seed"_a, checked);
}

}  // namespace armature::python
