#include "simulation.h"

// `armature.simulate`: a Simulation is filled, run and handed over as it is. What Python makes of
// it (results.py) reads the JSON that the command prints, and arrays of single replications.
#include <condition_variable>
#include <limits>
#include <mutex>
#include <thread>

#include "armature/report.h"
#include "lab/planned_cell.h"
#include "report/cell_bound.h"
#include "report/policy_looks.h"
#include "report/resources.h"
#include "report/study_figures.h"
#include "report/table.h"

namespace armature::python {
namespace {

constexpr auto kBetweenSignals = std::chrono::milliseconds(50);

template <class Number>
py::array_t<Number> array_of(const std::vector<Number>& values) {
  return py::array_t<Number>(static_cast<py::ssize_t>(values.size()), values.data());
}

void tell(const py::object& progress, const Progress& how_far) {
  if (!progress.is_none()) progress(how_far.replications_done, how_far.replications_total);
}

/// Every round as it was played, column by column, in the order of a log of the command.
struct PlayedRounds {
  std::vector<std::uint32_t> policy, replication, action, context;
  std::vector<double> reward, propensity;      // NaN: not known
  std::vector<std::string> actions, contexts;  // names

  void add(std::uint32_t cell, const PlayedRound& round) {
    policy.push_back(cell);
    replication.push_back(round.replication);
    action.push_back(round.arm);
    context.push_back(round.outcome.context);
    reward.push_back(round.outcome.reward);
    propensity.push_back(round.probability.value_or(std::numeric_limits<double>::quiet_NaN()));
  }
};

/// A finished simulation and what its policies are called by whoever asked for it.
class Finished {
 public:
  Finished(SimulationResult result, PlayedRounds rounds, const std::vector<std::string>& labels)
      : result_(std::move(result)), rounds_(std::move(rounds)) {
    // Python's objects are not kept beyond the run.
    result_.simulation.own_policies.clear();
    result_.simulation.own_environment = nullptr;
    for (PlannedCell& cell : result_.plan) name_policy(cell, {.label = labels.at(cell.id)});
    for (CellSummary& summary : result_.cells)
      name_policy(summary.cell, {.label = labels.at(summary.cell.id)});
  }

  const SimulationResult& result() const { return result_; }

  py::dict rounds() const {
    py::dict columns;
    columns["policy"] = array_of(rounds_.policy);
    columns["replication"] = array_of(rounds_.replication);
    columns["action"] = array_of(rounds_.action);
    columns["context"] = array_of(rounds_.context);
    columns["reward"] = array_of(rounds_.reward);
    columns["propensity"] = array_of(rounds_.propensity);
    columns["actions"] = rounds_.actions;
    columns["contexts"] = rounds_.contexts;
    return columns;
  }

  std::vector<std::uint32_t> replications(std::uint32_t cell) const {
    std::vector<bool> present(result_.simulation.replications, true);
    for (const ReplicationRange& range : result_.recorder->missing(cell))
      for (std::uint32_t i = 0; i < range.count; ++i) present[range.first + i] = false;
    std::vector<std::uint32_t> numbers;
    for (std::uint32_t i = 0; i < present.size(); ++i)
      if (present[i]) numbers.push_back(i);
    return numbers;
  }

  // One row per finished replication, one column per checkpoint.
  py::array_t<double> regrets(std::uint32_t cell) const {
    const auto rows = static_cast<py::ssize_t>(replications(cell).size());
    const auto columns = static_cast<py::ssize_t>(checkpoints().size());
    py::array_t<double> array({rows, columns});
    auto at = array.mutable_unchecked<2>();
    for (py::ssize_t column = 0; column < columns; ++column) {
      py::ssize_t row = 0;
      result_.recorder->regrets(cell, static_cast<std::size_t>(column),
                                Recorder::Order::kOfReplications,
                                [&](double regret) { at(row++, column) = regret; });
    }
    return array;
  }

  std::vector<Round> checkpoints() const { return result_.recorder->checkpoints(0); }

  // What theory promises at each checkpoint; NaN where it says nothing.
  std::vector<double> bound(std::uint32_t cell) const {
    std::vector<double> bounds;
    for (const Round round : checkpoints())
      bounds.push_back(cell_bound(result_.plan.at(cell), static_cast<double>(round))
                           .value_or(std::numeric_limits<double>::quiet_NaN()));
    return bounds;
  }

  // The regret figure of a report, of a study that is this simulation.
  py::dict figure(const std::string& scale, bool theory) const {
    StudyResult study;
    static_cast<Results&>(study) = result_;
    study.plan.cells = result_.plan;
    study.plan.study.horizons = {result_.simulation.horizon};
    study.plan.study.replications = result_.simulation.replications;
    FigureRequest request;
    request.scale = scale;
    request.theory = theory;
    study.plan.study.figures = {request};
    const DrawnFigures drawn = study_figures(study);
    if (drawn.figures.empty())
      throw Error({"", "figure", "nothing to draw", "a policy other than the oracle, finished"});
    const figures::Figure& one = drawn.figures.front();
    py::dict figure;
    figure["title"] = one.title;
    figure["caption"] = one.caption;
    figure["spec"] = one.spec;
    return figure;
  }

  // "101.6 ± 3.6", as in the table; nothing of a policy without a finished replication.
  std::optional<std::string> mean(std::uint32_t cell) const {
    for (const CellSummary& summary : result_.cells)
      if (summary.cell.id == cell) return mean_text(summary.final_regret());
    return std::nullopt;
  }

  // Colour, dash and shape of each policy, as in reports.
  py::list looks() const {
    StudyPlan plan;
    plan.cells = result_.plan;
    const figures::Looks all = looks_of(plan);
    py::list list;
    for (const PlannedCell& cell : result_.plan) {
      const figures::Look& look = figures::look_of(all, cell.policy_label);
      list.append(py::make_tuple(figures::colour(look), figures::dash(look), figures::shape(look)));
    }
    return list;
  }

 private:
  SimulationResult result_;
  PlayedRounds rounds_;  // empty unless they were asked for
};

// What Python hands over, by names: checked there for type, here and in the library for value.
Simulation simulation_of(const py::dict& asked) {
  Simulation simulation;
  simulation.instance = asked["instance"].cast<std::string>();
  simulation.files = asked["files"].cast<FileTable>();
  simulation.policies = asked["policies"].cast<std::vector<std::string>>();
  simulation.horizon = asked["horizon"].cast<Round>();
  simulation.replications = asked["replications"].cast<std::uint32_t>();
  simulation.seed = asked["seed"].cast<std::uint64_t>();
  simulation.checkpoints = asked["checkpoints"].cast<std::uint32_t>();
  simulation.also_at = asked["also_at"].cast<std::vector<Round>>();
  simulation.feedback = Feedback::parse_delay(asked["delay"].cast<std::string>());
  simulation.feedback.batch = asked["batch"].cast<Round>();
  simulation.feedback.loss = asked["loss"].cast<double>();
  if (!asked["given"].is_none())
    simulation.given = read_problem(asked["given"].cast<std::string>(), "given");
  simulation.engine = engine_named(asked["engine"].cast<std::string>());
  simulation.leap_tolerance = asked["leap_tolerance"].cast<double>();
  simulation.max_events = asked["max_events"].cast<std::uint64_t>();
  simulation.follow_shares = true;  // as the command does for JSON
  return simulation;
}

Finished simulated(const py::dict& asked, const std::vector<std::string>& labels,
                   const std::map<std::string, py::function>& own_policies,
                   const std::optional<py::function>& own_environment, bool log, unsigned threads,
                   Stop& stop, const py::object& progress) {
  Simulation simulation = simulation_of(asked);
  for (const auto& [name, make] : own_policies)
    simulation.own_policies[name] = python_policy(name, make);
  PlayedRounds rounds;
  if (log || own_environment) {
    // The names and sizes, which the simulation itself does not tell.
    const Problem problem =
        InstanceSource(simulation.instance, simulation.horizon, simulation.seed,
                       simulation.files.empty() ? Files() : Files::only(simulation.files))
            .instance(0)
            ->problem(simulation.horizon);
    rounds.actions = problem.action_names;
    rounds.contexts = problem.context_names;
  }
  if (own_environment)
    simulation.own_environment =
        python_environment(*own_environment, static_cast<std::uint32_t>(rounds.contexts.size()));
  SimulationResult result;
  run_beside({threads, stop, progress}, [&](RunHooks hooks) {
    if (log)
      hooks.watch = [&](std::uint32_t cell, const PlayedRound& round) { rounds.add(cell, round); };
    if (!simulation.has_own_parts()) {
      result = simulate(simulation, hooks);
      return;
    }
    // One thread of Python's for all replications: what its parts keep per thread stays with them.
    const py::gil_scoped_acquire known_to_python;
    const py::gil_scoped_release until_parts_are_played;
    result = simulate(simulation, hooks);
  });
  return {std::move(result), std::move(rounds), labels};
}

}  // namespace

void run_beside(const Listener& listener, const std::function<void(const RunHooks&)>& work) {
  std::mutex mutex;  // guards the three below
  std::condition_variable news;
  Progress how_far;
  bool finished = false;
  std::exception_ptr failure;  // of the work; read after its thread has ended
  std::exception_ptr raised;   // in this thread, by Python

  RunHooks hooks;
  hooks.threads = listener.threads;
  hooks.stop = &listener.stop.asked;
  hooks.progress = [&](const Progress& now) {
    const std::lock_guard lock(mutex);
    how_far = now;
  };
  {
    const py::gil_scoped_release without_gil;
    const std::jthread worker([&] {
      const ThrowingChecks checks;
      listener.stop.worker = PyThread_get_thread_ident();
      try {
        work(hooks);
      } catch (...) {
        failure = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      finished = true;
      news.notify_one();
    });
    std::unique_lock lock(mutex);
    while (!news.wait_for(lock, kBetweenSignals, [&] { return finished; })) {
      const Progress now = how_far;
      lock.unlock();
      {
        const py::gil_scoped_acquire with_gil;
        try {
          if (PyErr_CheckSignals() != 0) throw py::error_already_set();
          if (!raised) tell(listener.progress, now);
        } catch (py::error_already_set&) {
          raised = std::current_exception();
          listener.stop.interrupt();
        }
      }
      lock.lock();
    }
  }
  if (raised) std::rethrow_exception(raised);
  if (failure) std::rethrow_exception(failure);
  tell(listener.progress, how_far);
}

void bind_simulation(py::module_& module) {
  py::class_<Stop>(module, "Stop")
      .def(py::init<>())
      .def("ask", [](Stop& stop) { stop.asked = true; })
      .def("interrupt", [](Stop& stop) { stop.interrupt(); })
      .def_property_readonly("asked", [](const Stop& stop) { return stop.asked.load(); });

  using Guarded = py::call_guard<ThrowingChecks>;
  py::class_<Finished>(module, "Finished")
      .def(
          "json", [](const Finished& self) { return result_json(self.result()); }, Guarded())
      .def(
          "csv", [](const Finished& self) { return result_csv({self.result()}); }, Guarded())
      .def(
          "table",
          [](const Finished& self, std::size_t columns) {
            Screen screen;
            screen.columns = columns;
            return result_table(self.result(), screen);
          },
          Guarded())
      .def_property_readonly("complete",
                             [](const Finished& self) { return self.result().complete; })
      .def_property_readonly("replications_done",
                             [](const Finished& self) { return self.result().replications_done; })
      .def_property_readonly("checkpoints",
                             [](const Finished& self) {
                               const ThrowingChecks checks;
                               return array_of(self.checkpoints());
                             })
      .def(
          "replications",
          [](const Finished& self, std::uint32_t cell) {
            return array_of(self.replications(cell));
          },
          Guarded())
      .def(
          "rounds", [](const Finished& self) { return self.rounds(); }, Guarded())
      .def(
          "regrets", [](const Finished& self, std::uint32_t cell) { return self.regrets(cell); },
          Guarded())
      .def(
          "bound",
          [](const Finished& self, std::uint32_t cell) { return array_of(self.bound(cell)); },
          Guarded())
      .def(
          "mean", [](const Finished& self, std::uint32_t cell) { return self.mean(cell); },
          Guarded())
      .def(
          "figure",
          [](const Finished& self, const std::string& scale, bool theory) {
            return self.figure(scale, theory);
          },
          Guarded())
      .def(
          "looks", [](const Finished& self) { return self.looks(); }, Guarded());

  module.def("simulate", &simulated, Guarded());
  module.def("web_bundle", []() -> std::optional<std::string> {
    const auto bundle = web_bundle();
    return bundle ? std::optional(std::string(*bundle)) : std::nullopt;
  });
  bind_own_parts(module);
  bind_studies(module);
}

}  // namespace armature::python
