#include "simulation.h"

// Policies and environments written in Python, played by our engine, and our worlds played from
// Python. Slow (some tenths of a microsecond a round), and always in the thread that asked.
#include <fmt/format.h>

#include <unordered_map>

namespace armature::python {
namespace {

std::string shown(const py::handle& value) { return py::repr(value).cast<std::string>(); }

// A whole number below `end`, or an Error that says who answered what. A bool is no number here.
std::uint32_t index_below(const py::handle& value, std::uint32_t end, const std::string& who,
                          const char* what) {
  const auto refuse = [&]() -> Error {
    return Error({"", who, shown(value), fmt::format("{} from 0 to {}", what, end - 1)});
  };
  if (PyBool_Check(value.ptr()) || !PyIndex_Check(value.ptr())) throw refuse();
  const Py_ssize_t index = PyNumber_AsSsize_t(value.ptr(), nullptr);  // clipped, not refused
  if (index < 0 || index >= static_cast<Py_ssize_t>(end)) throw refuse();
  return static_cast<std::uint32_t>(index);
}

double reward_of(const py::handle& value, const std::string& who) {
  const double reward = PyFloat_AsDouble(value.ptr());
  if (PyErr_Occurred() != nullptr)
    PyErr_Clear();
  else if (reward >= 0 && reward <= 1)
    return reward;
  throw Error({"", who, shown(value), "a reward in [0,1]"});
}

py::object method_or_none(const py::object& part, const char* name) {
  return py::getattr(part, name, py::none());
}

/// An object with choose() and observe(). What choose() answers (an arm, or anything with `.arm`)
/// is what observe() and forget() are given back.
class PythonPolicy final : public AnyPolicy {
 public:
  PythonPolicy(const std::string& text, const Problem& problem, const py::object& part)
      : AnyPolicy(text, problem),
        actions_(problem.actions()),
        who_(py::type::of(part).attr("__name__").cast<std::string>()),
        choose_(part.attr("choose")),
        observe_(part.attr("observe")),
        forget_(method_or_none(part, "forget")),
        probabilities_(method_or_none(part, "probabilities")),
        diagnostics_(method_or_none(part, "diagnostics")) {}

  Decision choose(Stream&) override {
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
    for (const auto& [name, value] : diagnostics_().cast<py::dict>()) {
      if (py::isinstance<py::str>(value))
        list.push_back({py::str(name), 0, py::str(value)});
      else
        list.push_back({py::str(name), value.cast<double>()});
    }
    return list;
  }

  bool probabilities(std::span<double> out) const override {
    if (probabilities_.is_none()) return false;
    const auto given = probabilities_().cast<std::vector<double>>();
    if (given.size() != out.size())
      throw Error({"", who_ + ".probabilities()", fmt::format("{} numbers", given.size()),
                   fmt::format("{}, one per action", out.size())});
    std::copy(given.begin(), given.end(), out.begin());
    return true;
  }

  void play(Environment& environment, Round rounds, Stream&,
            std::span<std::uint64_t> pulls) override {
    for (Round i = 0; i < rounds; ++i) {
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

  std::uint32_t actions_;
  std::string who_;
  py::object choose_, observe_, forget_, probabilities_, diagnostics_;
  std::uint64_t next_ = 0;
  std::unordered_map<std::uint64_t, py::object> outstanding_;
};

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
    const Outcome outcome =
        environment_->play(index_below(arm, world_->instance->actions(), "action", "an arm"));
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
  return [text = std::move(text), make = std::move(make)](
             const Problem& problem, std::uint32_t replication) -> std::unique_ptr<AnyPolicy> {
    return std::make_unique<PythonPolicy>(text, problem, make(known_problem(problem), replication));
  };
}

EnvironmentMaker python_environment(py::function make, std::uint32_t contexts) {
  return [make = std::move(make), contexts](std::uint32_t replication) -> OutcomeSource {
    const py::object part = make(replication);
    const auto who = py::type::of(part).attr("__name__").cast<std::string>() + ".play()";
    return [play = py::object(part.attr("play")), who, contexts](Arm arm) -> Outcome {
      const py::object answer = play(arm);
      if (!PySequence_Check(answer.ptr()) || py::len(answer) != 2)
        throw Error({"", who, shown(answer), "a pair (context, reward)"});
      const py::sequence pair = answer;
      return {index_below(py::object(pair[0]), contexts, who, "a context"),
              reward_of(py::object(pair[1]), who)};
    };
  };
}

void bind_own_parts(py::module_& module) {
  py::class_<PlayedWorld>(module, "PlayedWorld")
      .def(py::init<const std::string&, const FileTable&, Round, std::uint64_t>())
      .def("begin", &PlayedWorld::begin)
      .def("play", &PlayedWorld::play)
      .def_property_readonly("text", &PlayedWorld::text)
      .def_property_readonly("actions",
                             [](const PlayedWorld& self) { return self.instance().actions(); })
      .def_property_readonly("contexts",
                             [](const PlayedWorld& self) { return self.instance().contexts(); })
      .def_property_readonly("problem", &PlayedWorld::problem)
      .def_property_readonly("gaps", [](const PlayedWorld& self) {
        std::vector<double> gaps;
        for (Arm a = 0; a < self.instance().actions(); ++a) gaps.push_back(self.instance().gap(a));
        return py::array(py::cast(gaps));
      });
}

}  // namespace armature::python
