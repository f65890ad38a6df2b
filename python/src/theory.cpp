// Bounds, the frontier, advice and designs. Answers cross over as dictionaries, field by field what
// the commands of the same names write as JSON; armature/theory.py makes typed objects of them.
#include <atomic>
#include <chrono>
#include <thread>

#include "arguments.h"
#include "bindings.h"
#include "lab/instance_setting.h"
#include "linear/design.h"
#include "questions.h"

namespace armature::python {
namespace {

using namespace py::literals;

// --- The setting ---------------------------------------------------------------------------------

struct AskedSetting {
  Setting setting;
  std::vector<std::string> notes;
  std::string instance;  // its text form; empty: none, or an object
};

std::string plain_name(const std::string& field) { return field; }

/// The JSON text of an object, a dictionary, or a text that begins like one; nothing for names and
/// paths.
std::optional<std::string> json_of(const char* field, py::handle value) {
  if (py::isinstance<py::dict>(value)) try {
      return text_of(py::module_::import("json").attr("dumps")(value), field);
    } catch (const py::error_already_set&) {
      refuse(field, value, "a dictionary of texts, numbers and lists of them (docs/formats.md)");
    }
  if (PyObject_HasAttrString(value.ptr(), "to_json"))
    return text_of(value.attr("to_json")(), field);
  if (!PyUnicode_Check(value.ptr())) return std::nullopt;
  const std::string text = text_of(value, field);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos || text[first] != '{') return std::nullopt;
  return text;
}

double size(const char* field, py::handle value) {
  return value.is_none() ? 0 : static_cast<double>(whole(field, value, 1, kMostSize));
}

// What is absent is None or not there at all.
AskedSetting setting_from(const py::dict& arguments) {
  const auto get = [&](const char* field) {
    return arguments.contains(field) ? py::object(arguments[field]) : py::object(py::none());
  };
  AskedSetting asked;
  Setting& setting = asked.setting;
  setting.horizon = static_cast<double>(whole("horizon", get("horizon"), 1, kMostRounds));
  setting.actions = size("actions", get("actions"));
  setting.contexts = size("contexts", get("contexts"));
  const py::object instance = get("instance");
  const auto numbers = [&] {
    setting.delta = real_or_none("delta", get("delta"));
    if (const py::object rank = get("rank"); !rank.is_none()) setting.rank = size("rank", rank);
    setting.gap = real_or_none("gap", get("gap"));
    setting.epsilon = real_or_none("epsilon", get("epsilon"));
    setting.r2 = real_or_none("r2", get("r2"));
    if (const py::object delay = get("delay"); !delay.is_none())
      setting.delay = static_cast<double>(whole("delay", delay, 0, 1'000'000'000));
  };
  if (instance.is_none()) {
    for (const auto& [field, number] :
         {std::pair("actions", setting.actions), std::pair("contexts", setting.contexts)})
      if (number == 0) throw Error({"", field, "nothing", "a size, or an instance"});
    numbers();
  } else {
    const auto seed = get("seed").is_none() ? 1 : whole("seed", get("seed"), 0, UINT64_MAX);
    const World world = world_of(instance, static_cast<Round>(setting.horizon), seed);
    if (world.named) asked.instance = world.asked;
    agree_on_sizes(setting, *world.instance, plain_name);
    numbers();
    fill_from_instance(setting, *world.instance, world.text, plain_name, asked.notes);
    if (world.fresh)
      asked.notes.push_back(fmt::format("a random family: this is replication 0 of seed {}", seed));
  }
  setting.validate();
  return asked;
}

py::int_ whole_number(double value) { return py::int_(static_cast<std::uint64_t>(value)); }

// --- Bounds --------------------------------------------------------------------------------------

py::dict bound_fields(const Bound& bound) {
  py::dict row("name"_a = bound.name);
  if (bound.value) row["value"] = number(*bound.value);
  row["kind"] = kind_name(bound.kind);
  row["validity"] = bound.validity;
  row["source"] = bound.source;
  row["group"] = bound.group;
  row["world"] = bound.world;
  row["unit"] = bound.unit;
  if (bound.failure) row["failure"] = number(*bound.failure);
  return row;
}

py::dict ask_bounds(const py::dict& arguments) {
  const AskedSetting asked = setting_from(arguments);
  const Setting& s = asked.setting;
  py::dict answer("actions"_a = whole_number(s.actions), "contexts"_a = whole_number(s.contexts),
                  "horizon"_a = whole_number(s.horizon), "delta"_a = s.level(),
                  "rank"_a = whole_number(s.dimension()), "r2"_a = s.worst_regret());
  if (s.gap) answer["gap"] = *s.gap;
  if (s.epsilon) answer["epsilon"] = *s.epsilon;
  if (s.delay) answer["delay"] = whole_number(*s.delay);
  answer["notes"] = asked.notes;
  py::list rows;
  for (const Bound& bound : bounds(s)) rows.append(bound_fields(bound));
  answer["bounds"] = rows;
  return answer;
}

// --- The frontier --------------------------------------------------------------------------------

py::dict pair_fields(const PairVerdict& verdict) {
  py::dict pair("verdict"_a = verdict.verdict, "because"_a = verdict.because);
  if (!verdict.policy.empty()) pair["policy"] = verdict.policy;
  if (verdict.kind) pair["kind"] = kind_name(*verdict.kind);
  return pair;
}

py::dict ask_frontier(const py::dict& arguments, py::handle points, py::handle r1, py::handle r2) {
  const AskedSetting asked = setting_from(arguments);
  const Setting& s = asked.setting;
  const Frontier result = frontier(s, whole("points", points, 2, 10'000));
  py::dict answer("actions"_a = whole_number(s.actions), "contexts"_a = whole_number(s.contexts),
                  "horizon"_a = whole_number(s.horizon), "product"_a = s.actions * s.horizon);
  if (result.lower_until) answer["lower_bound_until"] = number(*result.lower_until);
  std::vector<std::string> notes = asked.notes;
  notes.insert(notes.end(), result.notes.begin(), result.notes.end());
  answer["notes"] = notes;
  if (r1.is_none() != r2.is_none())
    throw Error({"", r1.is_none() ? "r1" : "r2", "None", "both numbers of the pair, or neither"});
  if (!r1.is_none()) {
    const auto regret = [](const char* field, py::handle value) {
      const double amount = real(field, value, "a positive regret");
      if (!(amount > 0)) refuse(field, value, "a positive regret");
      return amount;
    };
    answer["pair"] = pair_fields(judge_pair(s, regret("r1", r1), regret("r2", r2)));
  }
  py::list rows;
  for (const FrontierPoint& point : result.points) {
    py::dict row("series"_a = point.series, "kind"_a = kind_name(point.kind));
    if (!point.policy.empty()) row["policy"] = point.policy;
    row["r1"] = number(point.r1);
    row["r2"] = number(point.r2);
    if (const auto value = log_normalised(point.r1, s.horizon)) row["log_r1"] = number(*value);
    if (const auto value = log_normalised(point.r2, s.horizon)) row["log_r2"] = number(*value);
    rows.append(row);
  }
  answer["points"] = rows;
  return answer;
}

// --- Advice --------------------------------------------------------------------------------------

py::dict question_fields(const AdviceQuestion& question) {
  const Setting& s = question.setting;
  py::dict fields("actions"_a = whole_number(s.actions), "contexts"_a = whole_number(s.contexts),
                  "horizon"_a = whole_number(s.horizon), "horizon_known"_a = question.horizon_known,
                  "marginals_known"_a = question.marginals_known,
                  "epsilon"_a = s.epsilon.value_or(0), "leaning"_a = leaning_name(question.leaning),
                  "feedback"_a = question.feedback.describe(), "seed"_a = question.seed);
  if (!question.instance.empty()) fields["instance"] = question.instance;
  if (s.gap) fields["gap"] = *s.gap;
  return fields;
}

py::dict world_fields(const AdviceAnswer& answer, const AdviceWorld& world) {
  py::list costs;
  for (std::size_t i = 0; i < world.costs.size(); ++i)
    costs.append(py::dict("policy"_a = answer.policies[i], "mean"_a = number(world.costs[i].mean),
                          "standard_error"_a = number(world.costs[i].standard_error),
                          "horizon"_a = world.costs[i].horizon,
                          "engine"_a = world.costs[i].leapt ? "leap" : "step"));
  py::dict fields("kind"_a = world.kind, "description"_a = world.description,
                  "decides"_a = world.decides, "costs"_a = costs);
  if (!world.text.empty()) fields["instance"] = world.text;
  return fields;
}

py::dict advice_fields(const AdviceAnswer& answer) {
  py::list worlds, warnings, theory;
  for (const AdviceWorld& world : answer.worlds) worlds.append(world_fields(answer, world));
  for (const AdviceWarning& warning : answer.warnings)
    warnings.append(py::dict("kind"_a = warning.kind, "policy"_a = warning.policy,
                             "times"_a = number(warning.times), "text"_a = warning.text));
  for (const Explanation& item : answer.theory)
    theory.append(py::dict("topic"_a = item.topic, "conclusion"_a = item.conclusion,
                           "because"_a = item.because));
  return py::dict("question"_a = question_fields(answer.question), "policy"_a = answer.policy,
                  "because"_a = answer.because, "replications"_a = answer.replications,
                  "worlds"_a = worlds, "warnings"_a = warnings, "notes"_a = answer.notes,
                  "watch"_a = answer.watch, "commands"_a = answer.commands, "theory"_a = theory);
}

py::dict ask_advice(py::dict arguments, bool horizon_known, bool marginals_known,
                    const std::string& leaning, const std::string& delay, py::handle given,
                    py::handle threads) {
  AdviceQuestion question;
  if (!given.is_none()) {
    if (arguments.contains("instance") && !arguments["instance"].is_none())
      throw Error({"", "given", "a problem beside an instance", "given or instance, not both"});
    question.given = problem_of("given", given);
    const auto fill = [&](const char* field, std::size_t actual) {
      if (!arguments.contains(field) || arguments[field].is_none())
        arguments[field] = actual;
      else if (whole(field, arguments[field], 1, kMostSize) != actual)
        refuse(field, arguments[field],
               fmt::format("{}, the given problem's own number, or none", actual));
    };
    fill("actions", question.given->actions());
    fill("contexts", question.given->contexts());
  }
  const AskedSetting asked = setting_from(arguments);
  question.setting = asked.setting;
  question.instance = asked.instance;
  if (arguments.contains("instance") && !arguments["instance"].is_none() && asked.instance.empty())
    refuse("instance", arguments["instance"],
           "a family's text form or a file: advice simulates it anew");
  question.horizon_known = horizon_known;
  question.marginals_known = marginals_known;
  question.leaning = leaning_named(leaning);
  question.feedback = Feedback::parse_delay(delay);
  question.seed = arguments.contains("seed") ? whole("seed", arguments["seed"], 0, UINT64_MAX) : 1;
  return advice_fields(advise_interruptibly(question, whole("threads", threads, 0, 4096)));
}

// --- Designs -------------------------------------------------------------------------------------

Matrix matrix_of(const char* field, py::handle value) {
  py::array_t<double, py::array::c_style | py::array::forcecast> rows;
  try {
    const py::array any = py::reinterpret_borrow<py::object>(value);
    const char kind = any.dtype().kind();
    if (kind != 'f' && kind != 'i' && kind != 'u')
      throw Error({"", field, "an array of " + std::string(py::str(any.dtype())),
                   "an array of numbers (float64)"});
    rows = any;
  } catch (const py::error_already_set&) {
    refuse(field, value, "a matrix of numbers, a row per action");
  }
  if (rows.ndim() != 2 || rows.shape(0) == 0 || rows.shape(1) == 0)
    throw Error({"", field,
                 fmt::format("an array of shape {}", std::string(py::str(rows.attr("shape")))),
                 "a matrix with a row per action, shape (rows, columns)"});
  Matrix matrix(static_cast<std::size_t>(rows.shape(0)), static_cast<std::size_t>(rows.shape(1)));
  bool all_zero = true;
  for (std::size_t i = 0; i < matrix.rows(); ++i)
    for (std::size_t k = 0; k < matrix.columns(); ++k) {
      const double entry = rows.at(i, k);
      if (!std::isfinite(entry))
        throw Error({"", fmt::format("{}[{}, {}]", field, i, k), fmt::format("{}", entry),
                     "a finite number"});
      matrix(i, k) = entry;
      all_zero = all_zero && entry == 0;
    }
  if (all_zero) throw Error({"", field, "nothing but zeros", "at least one row that is not zero"});
  return matrix;
}

py::dict ask_design(py::handle source, bool exact, py::handle iterations, py::handle tolerance,
                    py::handle horizon, py::handle seed) {
  DesignOptions wanted;
  wanted.kind = exact ? DesignKind::kExact : DesignKind::kNear;
  if (!tolerance.is_none()) wanted.rank_tolerance = share("tolerance", tolerance);
  wanted.most_iterations = whole("iterations", iterations, 1, 1'000'000'000'000);
  const std::optional<Round> rounds = whole_or_none("horizon", horizon, 1, kMostRounds);
  Matrix rows;
  std::vector<std::string> names;
  if (is_world(source)) {
    const World world = world_of(source, rounds, whole("seed", seed, 0, UINT64_MAX));
    const Problem problem = world.instance->problem(rounds);
    if (!problem.marginals)
      throw Error({"", "given.marginals", "nothing", "given marginals to design on"});
    rows = *problem.marginals;
    names = problem.action_names;
  } else {
    rows = matrix_of("matrix", source);
    names = numbered_names('a', rows.rows());
  }
  Design design;
  {
    const py::gil_scoped_release free;
    design = optimal_design(rows, wanted);
  }
  py::list support;
  for (std::size_t k = 0; k < design.support.size(); ++k)
    support.append(py::dict("action"_a = names[design.support[k]], "index"_a = design.support[k],
                            "weight"_a = design.weights[k]));
  return py::dict("rank"_a = design.rank, "largest_leverage"_a = design.largest_leverage,
                  "iterations"_a = design.iterations, "converged"_a = design.converged,
                  "support"_a = support);
}

}  // namespace

// --- What logs and graphs ask too ----------------------------------------------------------------

bool is_world(py::handle value) {
  return PyUnicode_Check(value.ptr()) || PyObject_HasAttrString(value.ptr(), "__fspath__") ||
         py::isinstance<py::dict>(value) || PyObject_HasAttrString(value.ptr(), "to_json");
}

World world_of(py::handle value, std::optional<Round> horizon, std::uint64_t seed) {
  if (!is_world(value))
    refuse("instance", value, "an Instance, a family's text form, a file of one or its JSON");
  World world;
  if (py::isinstance<Instance>(value)) {
    world.instance = std::make_shared<const Instance>(value.cast<const Instance&>());
    world.text = world.instance->name();
    return world;
  }
  if (const auto json = json_of("instance", value)) {
    world.instance = std::make_shared<const Instance>(read_instance(*json, "instance"));
    world.text = world.instance->name();
    return world;
  }
  world.named = true;
  world.asked = path_of(value, "instance");
  const InstanceSource source(world.asked, horizon, seed);
  world.instance = source.instance(0);
  world.text = source.text();
  world.fresh = source.fresh_per_replication();
  return world;
}

Problem problem_of(const char* field, py::handle value) {
  if (py::isinstance<Problem>(value)) return value.cast<const Problem&>();
  if (const auto json = json_of(field, value)) return read_problem(*json, field);
  if (!is_world(value))
    refuse(field, value, "a Problem, its file, its JSON or a dictionary like it (docs/formats.md)");
  const std::string path = path_of(value, field);
  return read_problem(Files().read_text(path), path);
}

AdviceAnswer advise_interruptibly(const AdviceQuestion& question, std::uint64_t threads) {
  AdviceAnswer answer;
  std::exception_ptr failed;
  std::atomic<bool> stop{false}, done{false};
  {
    const py::gil_scoped_release free;
    std::jthread work([&] {
      const ThrowingChecks checks;  // a thread has its own
      RunHooks hooks;
      hooks.threads = static_cast<unsigned>(threads);
      hooks.stop = &stop;
      try {
        answer = advise(question, hooks);
      } catch (...) {
        failed = std::current_exception();
      }
      done = true;
      done.notify_all();
    });
    // Signals are Python's, and only this thread may ask for them.
    try {
      for (auto pause = std::chrono::milliseconds(1); !done;
           pause = std::min(2 * pause, std::chrono::milliseconds(50))) {
        std::this_thread::sleep_for(pause);
        look_at_signals();
      }
    } catch (...) {
      stop = true;
      throw;
    }
  }
  if (failed) std::rethrow_exception(failed);
  return answer;
}

void bind_theory(py::module_& module) {
  const CheckedCall checked;
  module.def("ask_bounds", &ask_bounds, "arguments"_a, checked);
  module.def("ask_frontier", &ask_frontier, "arguments"_a, "points"_a, "r1"_a, "r2"_a, checked);
  module.def("ask_advice", &ask_advice, "arguments"_a, "horizon_known"_a, "marginals_known"_a,
             "leaning"_a, "delay"_a, "given"_a, "threads"_a, checked);
  module.def("ask_design", &ask_design, "source"_a, "exact"_a, "iterations"_a, "tolerance"_a,
             "horizon"_a, "seed"_a, checked);
}

}  // namespace armature::python
