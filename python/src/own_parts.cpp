#include "simulation.h"

// Policies and environments written in Python, played by our engine, and our worlds played from
// Python. Slow (some tenths of a microsecond a round), and in one thread beside the one that asked.
#include <fmt/format.h>

#include <unordered_map>

#include "values.h"

namespace armature::python {
namespace {

// The GIL, as long as a part is played. Python itself gives way to other threads while a part runs
// its code; a part that is compiled never does, so it is done here now and then.
class HeldGil {
 public:
  void next_round() {
    constexpr unsigned kRoundsBetween = 256;
    if (++rounds_ % kRoundsBetween == 0) const py::gil_scoped_release for_others;
  }

 private:
  py::gil_scoped_acquire gil_;
  unsigned rounds_ = 0;
};

// After a value of Python could not be read: it is the value's fault, unless somebody wants out.
void forgive_failed_reading() {
  if (PyErr_Occurred() == nullptr) return;
  if (!PyErr_ExceptionMatches(PyExc_Exception)) throw py::error_already_set();
  PyErr_Clear();
}

// A whole number below `end`, or an Error that says who answered what. A bool is no number here.
std::uint32_t index_below(const py::handle& value, std::uint32_t end, const std::string& who,
                          const char* what) {
  if (PyLong_CheckExact(value.ptr()) || (!is_bool(value) && PyIndex_Check(value.ptr()))) {
    // Clipped where it is too large, and refused as such.
    const Py_ssize_t index = PyNumber_AsSsize_t(value.ptr(), nullptr);
    if (index >= 0 && index < static_cast<Py_ssize_t>(end))
      return static_cast<std::uint32_t>(index);
    forgive_failed_reading();
  }
  throw Error({"", who, shown_value(value), fmt::format("{} from 0 to {}", what, end - 1)});
}

double reward_of(const py::handle& value, const std::string& who) {
  const double reward = PyFloat_AsDouble(value.ptr());
  if (reward >= 0 && reward <= 1) return reward;
  forgive_failed_reading();
  throw Error({"", who, shown_value(value), "a reward in [0,1]"});
}

// What is there by that name but cannot be called (a property, say) is none.
py::object method_or_none(const py::object& part, const char* name) {
  const py::object method = py::getattr(part, name, py::none());
  return PyCallable_Check(method.ptr()) ? method : py::none();
}

py::dict known_problem(const Problem& problem) {
  py::dict known;
  known["action_names"] = problem.action_names;
  known["context_names"] = problem.context_names;
  known["horizon"] = problem.horizon;
  known["epsilon"] = problem.epsilon;
  known["marginals"] = py::none();
  if (problem.marginals) {
    const Matrix& matrix = *problem.marginals;
    py::array_t<double> array({matrix.rows(), matrix.columns()});
    auto at = array.mutable_unchecked<2>();
    for (std::size_t row = 0; row < matrix.rows(); ++row)
      for (std::size_t column = 0; column < matrix.columns(); ++column)
        at(static_cast<py::ssize_t>(row), static_cast<py::ssize_t>(column)) =
            matrix.row(row)[column];
    known["marginals"] = array;
  }
  return known;
}

/// An object with choose() and observe(). What choose() answers (an arm, or anything with `.arm`)
/// is what observe() and forget() are given back.
class PythonPolicy final : public AnyPolicy {
 public:
  PythonPolicy(const std::string& text, const Problem& problem, const py::function& make,
               std::uint32_t replication)
      : AnyPolicy(text, problem), actions_(problem.actions()) {
    const py::object part = make(known_problem(problem), replication);
    who_ = py::type::of(part).attr("__name__").cast<std::string>();
    choose_ = part.attr("choose");
    observe_ = part.attr("observe");
    forget_ = method_or_none(part, "forget");
    probabilities_ = method_or_none(part, "probabilities");
    diagnostics_ = method_or_none(part, "diagnostics");
  }

  Decision choose(Stream&) override {
    gil_.next_round();
    py::object answer = choose_();
    const Decision decision{arm_of(answer), next_++};
    outstanding_.emplace(decision.ticket, std::move(answer));
    return decision;
  }
  void observe(Decision decision, Outcome outcome, Stream&) override {
    observe_(taken(decision), outcome.context, outcome.reward);
  }
  void forget(Decision decision) override {
    const py::object answer = taken(decision);
    if (!forget_.is_none()) forget_(answer);
  }
  void visit_state(StateVisitor&) override {}

  Diagnostics diagnostics() const override {
    Diagnostics list;
    if (diagnostics_.is_none()) return list;
    const std::string who = who_ + ".diagnostics()";
    const std::string expected = "a dictionary from names to numbers or texts";
    const py::object told = diagnostics_();
    if (!PyDict_Check(told.ptr())) refuse_value(who, told, expected);
    for (const auto& [name, value] : py::reinterpret_borrow<py::dict>(told)) {
      const std::string key = text_of(name, who.c_str());
      if (PyUnicode_Check(value.ptr())) {
        list.push_back({key, 0, text_of(value, who.c_str())});
        continue;
      }
      list.push_back({key, PyFloat_AsDouble(value.ptr())});
      if (PyErr_Occurred() != nullptr) {
        forgive_failed_reading();
        refuse_value(who, told, expected);
      }
    }
    return list;
  }

  bool probabilities(std::span<double> out) const override {
    if (probabilities_.is_none()) return false;
    const std::string who = who_ + ".probabilities()";
    const py::array_t<double> given = real_array(probabilities_(), who.c_str(), 1);
    const std::span<const double> each(given.data(), static_cast<std::size_t>(given.size()));
    if (each.size() != out.size())
      throw Error({"", who, fmt::format("{} numbers", each.size()),
                   fmt::format("{}, one per action", out.size())});
    for (const double probability : each)
      if (!(probability >= 0 && probability <= 1))
        throw Error({"", who, fmt::format("{}", probability), "numbers in [0,1]"});
    std::copy(each.begin(), each.end(), out.begin());
    return true;
  }

  void play(Environment& environment, Round rounds, Stream&,
            std::span<std::uint64_t> pulls) override {
    for (Round i = 0; i < rounds; ++i) {
      gil_.next_round();
      const py::object answer = choose_();
      const Arm arm = arm_of(answer);
      const Outcome outcome = environment.play(arm);
      observe_(answer, outcome.context, outcome.reward);
      ++pulls[arm];
    }
  }

 private:
  Arm arm_of(const py::object& answer) const {
    if (PyLong_CheckExact(answer.ptr()) || !py::hasattr(answer, "arm"))
      return index_below(answer, actions_, who_ + ".choose()", "an arm");
    return index_below(answer.attr("arm"), actions_, who_ + ".choose().arm", "an arm");
  }
  py::object taken(Decision decision) {
    const auto node = outstanding_.extract(decision.ticket);
    ARMATURE_CHECK(!node.empty(), "a decision is outstanding once");
    return node.mapped();
  }

  HeldGil gil_;  // first: the objects below end before it does
  std::uint32_t actions_;
  std::string who_;
  py::object choose_, observe_, forget_, probabilities_, diagnostics_;
  std::uint64_t next_ = 0;
  std::unordered_map<std::uint64_t, py::object> outstanding_;
};

/// An object with play(arm), which answers (context, reward).
class PythonEnvironment {
 public:
  PythonEnvironment(const py::function& make, std::uint32_t replication, std::uint32_t contexts)
      : contexts_(contexts) {
    const py::object part = make(replication);
    who_ = py::type::of(part).attr("__name__").cast<std::string>() + ".play()";
    play_ = part.attr("play");
  }

  Outcome play(Arm arm) {
    gil_.next_round();
    const py::object answer = play_(arm);
    if (!PySequence_Check(answer.ptr()) || py::len(answer) != 2)
      throw Error({"", who_, shown_value(answer), "a pair (context, reward)"});
    const py::sequence pair = answer;
    return {index_below(py::object(pair[0]), contexts_, who_, "a context"),
            reward_of(py::object(pair[1]), who_)};
  }

 private:
  HeldGil gil_;  // first: the object below ends before it does
  std::uint32_t contexts_;
  std::string who_;
  py::object play_;
};

/// One of our worlds, played from Python round by round: replication r meets the luck that
/// replication r of a simulation with this seed meets.
class PlayedWorld {
 public:
  PlayedWorld(const std::string& instance, const FileTable& files, Round horizon,
              std::uint64_t seed)
      : source_(instance, horizon, seed, files.empty() ? Files() : Files::only(files)),
        horizon_(horizon),
        seed_(seed) {
    begin(0);
  }

  void begin(std::uint32_t replication) {
    environment_.reset();  // before the tables it plays
    world_ = std::make_unique<const World>(source_.instance(replication), horizon_);
    environment_ = std::make_unique<Environment>(world_->tables, seed_, replication);
  }
  py::tuple play(const py::object& arm) {
    // Read first: a number of the caller's own may call begin() while it is read.
    const Arm played = index_below(arm, world_->instance->actions(), "action", "an arm");
    const Outcome outcome = environment_->play(played);
    return py::make_tuple(outcome.context, outcome.reward);
  }
  const Instance& instance() const { return *world_->instance; }
  py::dict problem() const { return known_problem(world_->problem); }
  const std::string& text() const { return source_.text(); }

 private:
  InstanceSource source_;
  Round horizon_;
  std::uint64_t seed_;
  std::unique_ptr<const World> world_;
  std::unique_ptr<Environment> environment_;
};

}  // namespace

PolicyMaker python_policy(std::string text, py::function make) {
  // Shared, because the engine copies makers while it does not hold the GIL.
  return [text = std::move(text), make = std::make_shared<const py::function>(std::move(make))](
             const Problem& problem, std::uint32_t replication) -> std::unique_ptr<AnyPolicy> {
    return std::make_unique<PythonPolicy>(text, problem, *make, replication);
  };
}

EnvironmentMaker python_environment(py::function make, std::uint32_t contexts) {
  return [make = std::make_shared<const py::function>(std::move(make)),
          contexts](std::uint32_t replication) -> OutcomeSource {
    const auto environment = std::make_shared<PythonEnvironment>(*make, replication, contexts);
    return [environment](Arm arm) { return environment->play(arm); };
  };
}

void bind_own_parts(py::module_& module) {
  using Guarded = py::call_guard<ThrowingChecks>;
  py::class_<PlayedWorld>(module, "PlayedWorld")
      .def(py::init<const std::string&, const FileTable&, Round, std::uint64_t>(), Guarded())
      .def(
          "begin", [](PlayedWorld& self, std::uint32_t replication) { self.begin(replication); },
          Guarded())
      .def(
          "play", [](PlayedWorld& self, const py::object& arm) { return self.play(arm); },
          Guarded())
      .def_property_readonly("text", [](const PlayedWorld& self) { return self.text(); })
      .def_property_readonly("actions",
                             [](const PlayedWorld& self) { return self.instance().actions(); })
      .def_property_readonly("contexts",
                             [](const PlayedWorld& self) { return self.instance().contexts(); })
      .def_property_readonly("problem", [](const PlayedWorld& self) { return self.problem(); })
      .def_property_readonly("gaps", [](const PlayedWorld& self) {
        const ThrowingChecks checks;
        std::vector<double> gaps;
        for (Arm a = 0; a < self.instance().actions(); ++a) gaps.push_back(self.instance().gap(a));
        return py::array(py::cast(gaps));
      });
}

}  // namespace armature::python
