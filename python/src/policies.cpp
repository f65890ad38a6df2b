// A policy behind ask and tell: a DecisionBook, the names by which Python speaks, and a lock.
//
// Threads. Single calls keep the GIL: they are shorter than giving it up. Batches give it up, so
// that other threads may work with other policies; while one is at work, calls at the same policy
// wait for it by a lock, and who waits for the lock never holds the GIL. So two threads at one
// policy take turns, call by call.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <mutex>

#include "decision.h"
#include "errors.h"
#include "values.h"

namespace armature::python {
namespace {

struct PolicyCore {
  explicit PolicyCore(DecisionBook made)
      : problem(made.session().problem()),
        text(made.session().policy().text()),
        actions(problem.action_names, "action", DecisionMistake::kAction),
        contexts(problem.context_names, "context", DecisionMistake::kContext),
        book(std::move(made)) {}

  // What never changes needs no lock.
  const Problem problem;
  const std::string text;
  const NameTable actions;
  const NameTable contexts;
  DecisionBook book;
  std::mutex mutex;     // of those at work without the GIL…
  int without_gil = 0;  // …who are so many, and are counted under the GIL
  bool broken = false;  // a check failed half way through a change
  // The thread in whose batch a signal's handler runs just now, 0 for none; read and written under
  // the GIL.
  unsigned long looking = 0;
};

enum class Gil : bool { kKept, kGivenUp };

// `call` knows nothing of Python: it may run without the GIL.
template <class Call>
auto without_gil(PolicyCore& core, const Call& call) {
  // It would wait for itself for ever.
  if (core.looking != 0 && core.looking == PyThread_get_thread_ident())
    throw Error({"", "policy", "a call by a signal's handler, within a batch of the same policy",
                 "a call after the batch"});
  struct Counted {
    int& count;
    explicit Counted(int& counter) : count(++counter) {}
    ~Counted() { --count; }
  };
  const Counted counted(core.without_gil);  // ends last, under the GIL again
  const py::gil_scoped_release others_may_work;
  const std::lock_guard held(core.mutex);
  return call();
}

template <class Call>
auto locked(PolicyCore& core, Gil gil, const Call& call) {
  const auto run = [&] {
    const ThrowingChecks checks;
    if (core.broken)
      throw Error({"", "policy", "one that a mistake in armature has left half changed",
                   "a new one, or one that was saved before"});
    try {
      return call(core.book);
    } catch (const Error&) {
      throw;  // nothing has changed
    } catch (...) {
      core.broken = true;
      throw;
    }
  };
  return gil == Gil::kKept && core.without_gil == 0 ? run() : without_gil(core, run);
}

// Fewer are done sooner than the GIL is given up and taken back.
Gil gil_for(std::size_t many) { return many < 64 ? Gil::kKept : Gil::kGivenUp; }

// --- Many decisions

struct Decisions {
  py::array_t<std::int64_t> id;
  py::array_t<std::int64_t> arm;
  py::array_t<double> propensity;  // NaN: not known
  py::tuple names;                 // of all actions

  py::ssize_t size() const { return id.size(); }
  // Arrays are Python's, and Python may have done anything to them.
  const Decisions& checked() const {
    if (id.ndim() != 1 || arm.ndim() != 1 || propensity.ndim() != 1 || arm.size() != id.size() ||
        propensity.size() != id.size())
      throw Error({"", "decisions", "arrays of other shapes", "id, arm and propensity of each"});
    return *this;
  }
  py::object at(py::ssize_t i) const {
    const std::int64_t place = arm.at(i);
    return py::reinterpret_steal<py::object>(new_decision(static_cast<std::uint64_t>(id.at(i)),
                                                          static_cast<Arm>(place), propensity.at(i),
                                                          names[static_cast<std::size_t>(place)]));
  }
  py::object item(const py::object& key) const {
    if (PyIndex_Check(key.ptr()) && !is_bool(key) && !py::isinstance<py::array>(key)) {
      py::ssize_t place = PyNumber_AsSsize_t(key.ptr(), PyExc_IndexError);
      if (place == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
      if (place < 0) place += size();
      if (place < 0 || place >= size())
        throw py::index_error(fmt::format("{} decisions: no such place", size()));
      return at(place);
    }
    const auto part = [&](const py::array& whole) { return py::object(whole[key]); };
    const py::object ids = part(id);
    if (!py::isinstance<py::array>(ids) || py::cast<py::array>(ids).ndim() != 1)
      throw py::index_error("a whole number, a slice or an array with 1 dimension");
    return py::cast(Decisions{ids, part(arm), part(propensity), names});
  }
};

// Within a batch, by who holds the lock. It may wait for the GIL: who waits for the lock has none.
void look_at_signals_within(PolicyCore& core) {
  const py::gil_scoped_acquire held;
  core.looking = PyThread_get_thread_ident();
  const int raised = PyErr_CheckSignals();
  core.looking = 0;
  if (raised != 0) throw py::error_already_set();
}

// All or none: who is stopped half way (Ctrl-C, no memory left) never learns the ids of what was
// decided, so a long batch can be taken back. A short one is over before anybody stops it.
Decisions choose_many(PolicyCore& core, std::size_t count) {
  constexpr std::size_t kBetweenLooks = 4096;
  const auto size = static_cast<py::ssize_t>(count);
  Decisions made{py::array_t<std::int64_t>(size), py::array_t<std::int64_t>(size),
                 py::array_t<double>(size), core.actions.texts()};
  std::int64_t* id = made.id.mutable_data();
  std::int64_t* arm = made.arm.mutable_data();
  double* propensity = made.propensity.mutable_data();
  std::exception_ptr stopped;
  locked(core, gil_for(count), [&](DecisionBook& book) {
    const std::string before = count > kBetweenLooks ? book.save() : std::string();
    try {
      for (std::size_t i = 0; i < count; ++i) {
        if (i > 0 && i % kBetweenLooks == 0) look_at_signals_within(core);
        const DecisionBook::Made one = book.choose();
        id[i] = static_cast<std::int64_t>(one.id);
        arm[i] = one.arm;
        propensity[i] = one.probability.value_or(kNotKnown);
      }
    } catch (...) {
      if (before.empty()) throw;
      book = DecisionBook::load(before, core.problem);
      stopped = std::current_exception();
    }
  });
  if (stopped) std::rethrow_exception(stopped);
  return made;
}

// --- What is told

[[noreturn]] void refuse_id(py::handle value) {
  throw DecisionError(DecisionMistake::kUnknown,
                      {"", "decision", shown_value(value), "a Decision or its id"});
}

DecisionBook::Told told_of(py::handle decision) {
  if (const DecisionObject* object = as_decision(decision.ptr()))
    return {.id = object->id, .arm = object->arm};
  if (is_bool(decision) || !PyIndex_Check(decision.ptr())) refuse_id(decision);
  const auto number = py::reinterpret_steal<py::object>(PyNumber_Index(decision.ptr()));
  const std::uint64_t id = number ? PyLong_AsUnsignedLongLong(number.ptr()) : 0;
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    refuse_id(decision);
  }
  return {.id = id};
}

std::vector<DecisionBook::Told> told_of_many(py::handle decisions) {
  std::vector<DecisionBook::Told> told;
  if (py::isinstance<Decisions>(decisions)) {
    const auto& made = py::cast<const Decisions&>(decisions).checked();
    told.reserve(static_cast<std::size_t>(made.size()));
    // Slices have gaps.
    const auto ids = made.id.unchecked<1>();
    const auto arms = made.arm.unchecked<1>();
    for (py::ssize_t i = 0; i < made.size(); ++i)
      told.push_back({.id = static_cast<std::uint64_t>(ids(i)), .arm = static_cast<Arm>(arms(i))});
    return told;
  }
  if (PyList_Check(decisions.ptr()) || PyTuple_Check(decisions.ptr())) {
    for (const py::handle decision : py::iter(decisions)) told.push_back(told_of(decision));
    return told;
  }
  const py::array_t<std::int64_t> ids = whole_array(decisions, "decision");
  told.reserve(static_cast<std::size_t>(ids.size()));
  for (py::ssize_t i = 0; i < ids.size(); ++i) {
    if (ids.data()[i] < 0) refuse_id(py::int_(ids.data()[i]));
    told.push_back({.id = static_cast<std::uint64_t>(ids.data()[i])});
  }
  return told;
}

bool is_several(py::handle decisions) {
  return as_decision(decisions.ptr()) == nullptr &&
         (py::isinstance<Decisions>(decisions) || is_many(decisions));
}

// True and False are fine rewards. What is a number but none in [0,1] the book refuses.
double reward_of(py::handle value) {
  if (PyFloat_CheckExact(value.ptr())) return PyFloat_AS_DOUBLE(value.ptr());
  if (is_bool(value)) return PyObject_IsTrue(value.ptr()) == 1 ? 1 : 0;
  const bool text = PyUnicode_Check(value.ptr()) || PyBytes_Check(value.ptr());
  const double reward = text ? -1 : PyFloat_AsDouble(value.ptr());
  if (text || PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw DecisionError(DecisionMistake::kReward,
                        {"", "reward", shown_value(value), "a number in [0,1]"});
  }
  return reward;
}

// A column of a frame may hold its numbers one by one.
std::vector<double> rewards_of(py::handle values) {
  std::vector<double> rewards;
  if (!PyList_Check(values.ptr()) && !PyTuple_Check(values.ptr())) {
    const auto column = py::array::ensure(values);  // without a copy where it is an array
    if (column && column.dtype().kind() == 'O' && column.ndim() == 1) {
      for (const py::handle value : py::iter(values)) rewards.push_back(reward_of(value));
      return rewards;
    }
  }
  const py::array_t<double> reals = real_array(values, "reward", 1);
  rewards.assign(reals.data(), reals.data() + reals.size());
  return rewards;
}

void require_length(const char* field, std::size_t length, std::size_t expected) {
  if (length != expected)
    throw Error({"", field, fmt::format("{} of them", length),
                 fmt::format("{}, one per decision", expected)});
}

void add_outcomes(const PolicyCore& core, py::handle context, py::handle reward,
                  std::vector<DecisionBook::Told>& all) {
  if (!context.is_none()) {
    if (!is_many(context)) throw Error({"", "context", shown_value(context), "one per decision"});
    const std::vector<std::uint32_t> places = core.contexts.places(context);
    require_length("context", places.size(), all.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i].context = places[i];
  }
  if (!reward.is_none()) {
    if (!is_many(reward)) throw Error({"", "reward", shown_value(reward), "one per decision"});
    const std::vector<double> rewards = rewards_of(reward);
    require_length("reward", rewards.size(), all.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i].reward = rewards[i];
  }
}

void observe(PolicyCore& core, py::handle decision, py::handle context, py::handle reward) {
  // Where there is one context, nobody needs to say so.
  const bool only_context = context.is_none() && core.contexts.size() == 1;
  if (!is_several(decision)) {
    DecisionBook::Told told = told_of(decision);
    if (!context.is_none()) told.context = core.contexts.place(context);
    if (!reward.is_none()) told.reward = reward_of(reward);
    if (only_context && told.reward) told.context = 0;
    locked(core, Gil::kKept, [&](DecisionBook& book) { book.observe(told); });
    return;
  }
  std::vector<DecisionBook::Told> all = told_of_many(decision);
  add_outcomes(core, context, reward, all);
  if (only_context && !reward.is_none())
    for (DecisionBook::Told& told : all) told.context = 0;
  locked(core, gil_for(all.size()), [&](DecisionBook& book) { book.observe_all(all); });
}

void forget(PolicyCore& core, py::handle decision) {
  const std::vector<DecisionBook::Told> all =
      is_several(decision) ? told_of_many(decision) : std::vector{told_of(decision)};
  locked(core, gil_for(all.size()), [&](DecisionBook& book) { book.forget_all(all); });
}

void witness(PolicyCore& core, py::handle action, py::handle context, py::handle reward) {
  const bool only_context = context.is_none() && core.contexts.size() == 1;
  std::vector<Logged> log;
  if (!is_many(action)) {
    const Arm arm = core.actions.place(action);
    log.push_back({arm, {only_context ? 0 : core.contexts.place(context), reward_of(reward)}});
  } else {
    const std::vector<std::uint32_t> arms = core.actions.places(action);
    std::vector<DecisionBook::Told> all(arms.size());
    add_outcomes(core, context, reward, all);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (only_context) all[i].context = 0;
      if (!all[i].context || !all[i].reward)
        throw Error({"", all[i].context ? "reward" : "context", "None", "one per decision"});
      log.push_back({arms[i], {*all[i].context, *all[i].reward}});
    }
  }
  locked(core, gil_for(log.size()), [&](DecisionBook& book) { book.witness_all(log); });
}

// --- The two calls of every round, without the detour of a bound function

PolicyCore& core_of(PyObject* self) {
  auto* instance = reinterpret_cast<py::detail::instance*>(self);
  void* value = instance->simple_layout
                    ? instance->simple_value_holder[0]
                    : instance->get_value_and_holder(py::detail::get_type_info(typeid(PolicyCore)))
                          .value_ptr();
  if (value == nullptr) throw py::type_error("Policy.__init__() was not called");
  return *static_cast<PolicyCore*>(value);
}

// What C++ throws, as Python's error.
template <class Call>
PyObject* guarded(const Call& call) {
  try {
    return call();
  } catch (py::error_already_set& error) {
    error.restore();
  } catch (const py::builtin_exception& error) {
    error.set_error();
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (...) {
    try {
      set_python_error(std::current_exception());
    } catch (const std::exception& error) {
      PyErr_SetString(PyExc_RuntimeError, error.what());
    }
  }
  return nullptr;
}

// Places arguments by position and by name; those not given are null.
template <std::size_t N>
void place_arguments(const char* function, const char* const (&names)[N], PyObject* const* given,
                     Py_ssize_t positional, PyObject* keywords, PyObject* (&out)[N]) {
  if (positional > static_cast<Py_ssize_t>(N))
    throw py::type_error(fmt::format("{}() takes at most {} arguments", function, N));
  for (Py_ssize_t i = 0; i < positional; ++i) out[i] = given[i];
  if (keywords == nullptr) return;
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(keywords); ++k) {
    PyObject* key = PyTuple_GET_ITEM(keywords, k);
    std::size_t place = 0;
    while (place < N && PyUnicode_CompareWithASCIIString(key, names[place]) != 0) ++place;
    if (place == N)
      throw py::type_error(fmt::format("{}() has no argument {}", function, shown_value(key)));
    if (out[place] != nullptr)
      throw py::type_error(fmt::format("{}() got '{}' twice", function, names[place]));
    out[place] = given[positional + k];
  }
}

PyObject* choose_call(PyObject* self, PyObject* const* given, Py_ssize_t positional,
                      PyObject* keywords) {
  return guarded([&]() -> PyObject* {
    PolicyCore& core = core_of(self);
    PyObject* arguments[1] = {};
    place_arguments("choose", {"n"}, given, positional, keywords, arguments);
    if (arguments[0] == nullptr || arguments[0] == Py_None) {
      const DecisionBook::Made made =
          locked(core, Gil::kKept, [](DecisionBook& book) { return book.choose(); });
      return new_decision(made.id, made.arm, made.probability.value_or(kNotKnown),
                          core.actions.text(made.arm));
    }
    constexpr std::uint64_t kMost = 10'000'000;  // at about 60 bytes each
    const std::uint64_t n = whole_number(arguments[0], "n", 0, kMost, Floats::kIfWhole);
    return py::cast(choose_many(core, n)).release().ptr();
  });
}

PyObject* observe_call(PyObject* self, PyObject* const* given, Py_ssize_t positional,
                       PyObject* keywords) {
  return guarded([&]() -> PyObject* {
    PolicyCore& core = core_of(self);
    PyObject* arguments[3] = {};
    place_arguments("observe", {"decision", "context", "reward"}, given, positional, keywords,
                    arguments);
    if (arguments[0] == nullptr) throw py::type_error("observe() needs a decision");
    const auto or_none = [](PyObject* value) {
      return py::handle(value == nullptr ? Py_None : value);
    };
    observe(core, arguments[0], or_none(arguments[1]), or_none(arguments[2]));
    Py_RETURN_NONE;
  });
}

template <class Function>
PyMethodDef method(const char* name, Function* function, const char* text) {
  return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function)),
          METH_FASTCALL | METH_KEYWORDS, text};
}

void add_fast_methods(py::handle type) {
  static const char* choose_text =
      "choose($self, n=None)\n--\n\n"
      "The next decision; with `n`, that many at once (Decisions: arrays id, arm, propensity).\n"
      "A batch that is stopped, by Ctrl-C or for want of memory, leaves the policy as it was.";
  static const char* observe_text =
      "observe($self, decision, context=None, reward=None)\n--\n\n"
      "What came of a decision (or its id). In two steps where the context is known first, or the\n"
      "reward: what is told is kept until the rest comes. With several decisions (Decisions, ids)\n"
      "context and reward are arrays; all are learned from, or none if one of them is a mistake.";
  static PyMethodDef methods[] = {
      method("choose", choose_call, choose_text), method("ask", choose_call, choose_text),
      method("observe", observe_call, observe_text), method("tell", observe_call, observe_text)};
  for (PyMethodDef& one : methods) {
    const auto made = py::reinterpret_steal<py::object>(
        PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(type.ptr()), &one));
    if (!made) throw py::error_already_set();
    py::setattr(type, one.ml_name, made);
  }
}

// --- Looking at a policy

// The fields of a state as Python has them.
class Collector final : public StateVisitor {
 public:
  py::dict fields;

  void field(std::string_view name, bool& value) override { set(name, py::bool_(value)); }
  void field(std::string_view name, std::uint64_t& value) override { set(name, py::int_(value)); }
  void field(std::string_view name, double& value) override { set(name, py::float_(value)); }
  void field(std::string_view name, std::string& text) override { set(name, py::bytes(text)); }
  void field(std::string_view name, std::vector<std::uint32_t>& v) override { array(name, v); }
  void field(std::string_view name, std::vector<std::uint64_t>& v) override { array(name, v); }
  void field(std::string_view name, std::vector<double>& v) override { array(name, v); }
  void list(std::string_view name, std::vector<std::uint32_t>& v) override { array(name, v); }
  void list(std::string_view name, std::vector<std::uint64_t>& v) override { array(name, v); }
  void list(std::string_view name, std::vector<double>& v) override { array(name, v); }

 private:
  // Learners inside a policy have fields of the same names: the second is "plays_2".
  void set(std::string_view name, const py::object& value) {
    std::string key(name);
    for (int again = 2; fields.contains(key); ++again) key = fmt::format("{}_{}", name, again);
    fields[py::str(key)] = value;
  }
  template <class T>
  void array(std::string_view name, const std::vector<T>& values) {
    set(name, py::array_t<T>(static_cast<py::ssize_t>(values.size()), values.data()));
  }
};

py::dict state_fields(PolicyCore& core) {
  const auto copy =
      locked(core, Gil::kKept, [](DecisionBook& book) { return book.session().policy().clone(); });
  Collector collector;
  if (copy) copy->visit_state(collector);
  return collector.fields;
}

py::dict diagnostics(PolicyCore& core) {
  const Diagnostics told = locked(
      core, Gil::kKept, [](DecisionBook& book) { return book.session().policy().diagnostics(); });
  py::dict found;
  for (const auto& [name, value, word] : told)
    found[py::str(name)] = word.empty() ? py::object(py::float_(value)) : py::object(py::str(word));
  return found;
}

py::object values_of(const Insight& insight) {
  if (insight.of == Insight::Of::kPolicy) {
    const double value = insight.values.front();
    return insight.yes_or_no ? py::object(py::bool_(value == 1)) : py::object(py::float_(value));
  }
  if (!insight.yes_or_no) return array_of(insight.values);
  py::array_t<bool> which(static_cast<py::ssize_t>(insight.values.size()));
  std::transform(insight.values.begin(), insight.values.end(), which.mutable_data(),
                 [](double value) { return value == 1; });
  return which;
}

py::dict insights(PolicyCore& core) {
  const Insights told = locked(
      core, Gil::kKept, [](DecisionBook& book) { return book.session().policy().explain(); });
  py::dict found;
  for (const Insight& insight : told) found[py::str(insight.name)] = values_of(insight);
  return found;
}

py::dict evidence_of(PolicyCore& core) {
  const Evidence evidence =
      locked(core, Gil::kKept, [](DecisionBook& book) { return book.session().evidence(); });
  const std::vector<py::ssize_t> shape{evidence.actions(), evidence.contexts()};
  py::array_t<std::int64_t> plays(shape);
  py::array_t<double> rewards(shape);
  std::int64_t* play = plays.mutable_data();
  double* reward = rewards.mutable_data();
  for (Arm a = 0; a < evidence.actions(); ++a)
    for (Context z = 0; z < evidence.contexts(); ++z) {
      *play++ = static_cast<std::int64_t>(evidence.plays(a, z));
      *reward++ = evidence.rewards(a, z);
    }
  py::dict found;
  found["plays"] = plays;
  found["rewards"] = rewards;
  return found;
}

py::object probabilities(PolicyCore& core) {
  const auto found =
      locked(core, Gil::kKept, [](DecisionBook& book) { return book.session().probabilities(); });
  if (!found) return py::none();
  return array_of(*found);
}

py::tuple estimate_probabilities(PolicyCore& core, py::object draws) {
  // A standard error of 0.0005: more would only be waited for, and Ctrl-C waits with it.
  const std::uint64_t count = whole_number(draws, "draws", 1, 1'000'000, Floats::kIfWhole);
  const ProbabilityEstimate found = locked(core, Gil::kGivenUp, [&](DecisionBook& book) {
    return book.session().estimate_probabilities(count);
  });
  return py::make_tuple(array_of(found.probabilities), found.error);
}

py::list outstanding(PolicyCore& core) {
  const auto waiting =
      locked(core, Gil::kKept, [](DecisionBook& book) { return book.outstanding(); });
  py::list found;
  for (const DecisionBook::Waiting& one : waiting) {
    const py::handle name = one.now ? core.actions.text(*one.now) : py::handle(Py_None);
    found.append(py::reinterpret_steal<py::object>(new_decision(one.id, one.arm, kNotKnown, name)));
  }
  return found;
}

py::dict half_told(PolicyCore& core) {
  const auto told = locked(core, Gil::kKept, [](DecisionBook& book) { return book.half_told(); });
  py::dict found;
  for (const DecisionBook::Told& one : told)
    found[py::int_(one.id)] = py::make_tuple(one.context, one.reward);
  return found;
}

std::string saved(PolicyCore& core) {
  return locked(core, Gil::kKept, [](DecisionBook& book) { return book.save(); });
}

DecisionBook loaded(const py::bytes& bytes, const Problem& problem) {
  const ThrowingChecks checks;
  return DecisionBook::load(std::string(bytes), problem);
}

void restore(PolicyCore& core, const py::bytes& bytes) {
  DecisionBook book = loaded(bytes, core.problem);
  if (book.session().policy().text() != core.text)
    throw Error(
        {"", "state", "a state of " + book.session().policy().text(), "a state of " + core.text});
  // Not by `locked`: this mends a broken policy.
  without_gil(core, [&] {
    core.book = std::move(book);
    core.broken = false;
  });
}

std::unique_ptr<PolicyCore> new_core(const std::string& text, const Problem& problem,
                                     py::object seed, bool propensities) {
  const ThrowingChecks checks;
  return std::make_unique<PolicyCore>(DecisionBook(
      PolicySession(text, problem, seed_of(seed)), 1024,
      propensities ? DecisionBook::Probabilities::kTold : DecisionBook::Probabilities::kUntold));
}

void bind_decisions(py::module_& module) {
  py::class_<Decisions>(module, "Decisions",
                        "Several decisions: the arrays `id`, `arm` and `propensity` (NaN where "
                        "it is not known).\nAn index gives a Decision, a slice or an array of "
                        "places gives Decisions.")
      .def_readonly("id", &Decisions::id)
      .def_readonly("arm", &Decisions::arm)
      .def_readonly("propensity", &Decisions::propensity)
      .def_property_readonly(
          "action",
          [](const Decisions& self) {
            py::list names;
            for (const py::handle arm : self.arm)
              names.append(self.names[py::cast<std::size_t>(arm)]);
            return names;
          },
          "The names of the actions to play.")
      .def("__len__", &Decisions::size)
      .def("__getitem__", &Decisions::item)
      .def("__iter__",
           [](const Decisions& self) {
             py::list all;
             for (py::ssize_t i = 0; i < self.size(); ++i) all.append(self.at(i));
             return py::iter(all);
           })
      .def("__repr__",
           [](const Decisions& self) {
             return fmt::format("Decisions(id={}, arm={})",
                                py::cast<std::string>(py::str(py::module_::import("numpy").attr(
                                    "array2string")(self.id, py::arg("threshold") = 8))),
                                py::cast<std::string>(py::str(py::module_::import("numpy").attr(
                                    "array2string")(self.arm, py::arg("threshold") = 8))));
           })
      .def(py::pickle(
          [](const Decisions& self) {
            return py::make_tuple(self.id, self.arm, self.propensity, self.names);
          },
          [](const py::tuple& parts) {
            if (parts.size() != 4) throw Error({"", "pickle", "something else", "Decisions"});
            return Decisions{py::object(parts[0]), py::object(parts[1]), py::object(parts[2]),
                             py::object(parts[3])}
                .checked();
          }));
}

void bind_registry(py::module_& module) {
  module.def(
      "policy_facts",
      [] {
        py::list facts;
        for (const PolicyEntry& entry : policies()) {
          const PolicyFacts& known = entry.facts;
          facts.append(py::make_tuple(known.name, known.summary, known.text, known.section,
                                      known.needs_horizon, known.needs_marginals, known.witnesses,
                                      parameter_facts(known.parameters)));
        }
        return facts;
      },
      "The registry of policies, a tuple each.");
  module.def(
      "policy_text",
      [](const std::string& text,
         const std::vector<std::pair<std::string, std::string>>& parameters, bool replace) {
        TextForm form = TextForm::parse(text);
        if (replace)
          std::erase_if(form.values, [&](const auto& old) {
            return std::any_of(parameters.begin(), parameters.end(),
                               [&](const auto& given) { return given.first == old.first; });
          });
        form.values.insert(form.values.end(), parameters.begin(), parameters.end());
        const std::string whole = form.print();
        TextForm::parse(whole);  // refuses a key that is there twice
        return whole;
      },
      py::arg("text"), py::arg("parameters"), py::arg("replace") = false,
      "A text form with more parameters; they may stand in for its own where `replace` says so.");
  // Throws Error with the nearest name.
  module.def("find_policy", [](const std::string& name) { return find_policy(name).facts.name; });
  module.def("find_family", [](const std::string& name) { return find_family(name).name; });
}

}  // namespace

void bind_policies(py::module_& module) {
  bind_decision(module);
  bind_decisions(module);
  bind_registry(module);
  auto policy =
      py::class_<PolicyCore>(module, "Policy", "What armature.Policy is made of.")
          .def(py::init([](const py::bytes& book, const Problem& problem) {
                 return std::make_unique<PolicyCore>(loaded(book, problem));
               }),
               py::arg("book"), py::arg("problem"))
          .def(py::init(&new_core), py::arg("text"), py::arg("problem"), py::arg("seed") = 1,
               py::arg("propensities") = true)
          .def(
              "forget", [](PolicyCore& core, py::object decision) { forget(core, decision); },
              py::arg("decision"),
              "Says that the outcome of a decision (or of several) will never come.")
          .def(
              "witness",
              [](PolicyCore& core, py::object action, py::object context, py::object reward) {
                witness(core, action, context, reward);
              },
              py::arg("action"), py::arg("context") = py::none(), py::arg("reward") = py::none(),
              "Learns from a decision it did not make, or from arrays of them: all, or none if one\n"
              "of them is a mistake. Where there is one context it may be left out.")
          .def("probabilities", &probabilities,
               "The probability of each action in the next choice; None where there is no closed\n"
               "form.")
          .def("estimate_probabilities", &estimate_probabilities, py::arg("draws") = 1000,
               "The same for any policy, by so many trial choices of copies: an array and the\n"
               "largest standard error. The policy goes on as if nobody had asked. At most 10^6\n"
               "choices: Ctrl-C waits for them.")
          .def_property_readonly("outstanding", &outstanding,
                                 "The decisions whose outcomes are still to come, in order.")
          .def_property_readonly("outstanding_count",
                                 [](PolicyCore& core) {
                                   return locked(core, Gil::kKept, [](DecisionBook& book) {
                                     return book.outstanding_count();
                                   });
                                 })
          .def_property_readonly("half_told", &half_told,
                                 "What is known of decisions of which only the context or the\n"
                                 "reward was told: id → (context, reward).")
          .def_property_readonly(
              "round",
              [](PolicyCore& core) {
                return locked(core, Gil::kKept,
                              [](DecisionBook& book) { return book.session().round(); });
              },
              "How many decisions it has made.")
          .def_property_readonly(
              "text", [](const PolicyCore& core) { return core.text; },
              "The policy with its parameters, as the command takes it.")
          .def_property_readonly(
              "digest",
              [](PolicyCore& core) {
                Fingerprint fingerprint;
                fingerprint.add(saved(core));
                return fingerprint.value();
              },
              "A hash of all of its state, decisions outstanding included.")
          .def_property_readonly("problem", [](const PolicyCore& core) { return core.problem; })
          .def_property_readonly(
              "evidence", &evidence_of,
              "What was observed and witnessed: arrays `plays` and `rewards`, a\n"
              "row per action and a column per context.")
          .def("diagnostics", &diagnostics,
               "Numbers and names the policy has to tell about itself.")
          .def_property_readonly(
              "insights", &insights,
              "What its next choice goes by: indices, widths, candidates, learners at work, as\n"
              "arrays by name.")
          .def_property_readonly("state", &state_fields, "The fields of its state, by name.")
          .def(
              "action_index",
              [](const PolicyCore& core, py::object action) { return core.actions.place(action); },
              py::arg("action"), "The number of an action, given by number or by name.")
          .def(
              "context_index",
              [](const PolicyCore& core, py::object context) {
                return core.contexts.place(context);
              },
              py::arg("context"), "The number of a context, given by number or by name.")
          .def("_save", [](PolicyCore& core) { return py::bytes(saved(core)); })
          .def("_restore", &restore, py::arg("book"))
          .def(
              "_extended",
              [](PolicyCore& core, const std::string& text, const Problem& problem) {
                return py::bytes(locked(core, Gil::kGivenUp, [&](DecisionBook& book) {
                  return book.extend(text, problem).save();
                }));
              },
              py::arg("text"), py::arg("problem"));
  add_fast_methods(policy);
}

}  // namespace armature::python
